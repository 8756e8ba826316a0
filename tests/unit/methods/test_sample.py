"""Methods sample and filter: cases are removed as well as added."""

from __future__ import annotations

import random as python_random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, event_logs, examples, log_of, log_of_paths, paper_log
from unsingle import EventLog, LogError, ParameterError, anonymize
from unsingle.core.automaton import build_automaton
from unsingle.core.clock import DAY, MINUTE
from unsingle.evaluation.figures import measure, summary
from unsingle.mechanisms import oversampling as counts
from unsingle.mechanisms.oversampling import add_cases, remove_cases
from unsingle.methods import METHODS
from unsingle.methods.filter import Filter
from unsingle.privacy.random import Randomness

BLOCKS = [1, 20, counts._STEPS_AT_ONCE]
SKEWED = log_of_paths(*["AB"] * 30, *["ABC"] * 3, "AC", "AD", "GHB", "GHHD")


def passing(log: EventLog, per_case: np.ndarray) -> np.ndarray:
    """What that many of each case are for every transition."""
    transition = build_automaton(log.variants).of_events(log)
    return np.bincount(transition, weights=np.repeat(per_case, np.diff(log.case_offsets)))


def removed_of(log: EventLog, need: np.ndarray, seed: int, steps_at_once: int = BLOCKS[-1]) -> np.ndarray:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_STEPS_AT_ONCE", steps_at_once)
        return remove_cases(log, build_automaton(log.variants), need, Randomness(seed))


@pytest.mark.parametrize("steps_at_once", BLOCKS)
@given(log=event_logs(), seed=st.integers(0, 10**6), most=st.integers(0, 6))
@examples(60)
def test_every_transition_loses_its_need_or_all_it_has(steps_at_once: int, log: EventLog, seed: int, most: int) -> None:
    n = build_automaton(log.variants).n_transitions
    need = np.random.default_rng(seed).integers(0, most + 1, n)
    removed = removed_of(log, need, seed, steps_at_once)
    assert set(removed.tolist()) <= {0, 1}
    there = passing(log, np.ones(log.n_cases))
    assert (passing(log, removed) >= np.minimum(need, there)).all()
    if not need.any():
        assert not removed.any()


def test_no_need_adds_nothing() -> None:
    automaton = build_automaton(SKEWED.variants)
    need = np.zeros(automaton.n_transitions, dtype=np.int64)
    assert not add_cases(SKEWED.variants, automaton, need, Randomness(1)).any()


def naive_removal(log: EventLog, need: list[int], seed: int) -> list[int]:
    """One case after the other: how many cases of each variant go."""
    random = python_random.Random(seed)
    automaton = build_automaton(log.variants)
    weight = Counter(automaton.of_events(log).tolist())
    edges = log.variants.offsets.tolist()
    paths = [automaton.of_path[a:b].tolist() for a, b in pairwise(edges)]
    left, lost, gone = log.variants.cases.tolist(), Counter(), [0] * len(paths)
    order = sorted(weight, key=lambda t: random.expovariate(1) / weight[t])
    for picked in order:
        while lost[picked] < need[picked]:
            through = [v for v, path in enumerate(paths) if picked in path and left[v]]
            if not through:
                break
            (variant,) = random.choices(through, [left[v] for v in through])
            left[variant] -= 1
            gone[variant] += 1
            lost.update(paths[variant])
    return gone


@pytest.mark.parametrize("steps_at_once", BLOCKS)
def test_removal_is_distributed_as_one_by_one(steps_at_once: int) -> None:
    runs = 3000
    n = build_automaton(SKEWED.variants).n_transitions
    need = np.random.default_rng(5).integers(0, 4, n)
    naive = np.array([naive_removal(SKEWED, need.tolist(), seed) for seed in range(runs)])
    ours = np.array(
        [np.bincount(SKEWED.variants.of_case, removed_of(SKEWED, need, seed, steps_at_once)) for seed in range(runs)]
    )
    error = np.sqrt((naive.var(axis=0) + ours.var(axis=0)) / runs)
    assert (np.abs(naive.mean(axis=0) - ours.mean(axis=0)) <= 5.5 * error + 1e-12).all()


# ---------------------------------------------------------------------------------------------- the methods


def busy() -> EventLog:
    paths = ["ABC", "ACB", "AB", "ABD", "ABCD"]
    return log_of(
        [
            (paths[i % 5], [i * DAY + j * (i + 1) * MINUTE for j in range(len(paths[i % 5]))])
            for i in range(200)
        ]
    )  # fmt: skip


def test_sample_adds_and_removes_cases_of_the_log() -> None:
    log = busy()
    releases = [anonymize(log, 0.2, method="sample", seed=s) for s in range(200)]
    counted = np.array([len(release.ancestors) for release in releases])
    assert counted.min() < 200 < counted.max()
    assert max(measure(log, release).cases_lost for release in releases) > 0
    assert max(np.bincount(release.ancestors).max() for release in releases) > 1
    release = anonymize(log, 0.2, method="sample", seed=1)
    originals = cases_of(log)
    assert [path for path, _ in cases_of(release.log)] == [originals[i][0] for i in release.ancestors.tolist()]


def test_sample_may_lose_variants_and_says_which() -> None:
    log = log_of_paths(*["AB"] * 30, "AC", "AD", "AE", "AF", "AG")
    release = next(
        r for r in (anonymize(log, 0.05, method="sample", seed=s) for s in range(50)) if measure(log, r).lost_variants
    )
    left = release.log.variant_counts().keys()
    assert set(measure(log, release).lost_variants) == log.variant_counts().keys() - left
    assert measure(log, release).cases_lost == log.n_cases - len(set(release.ancestors.tolist()))
    assert not set(release.log.labels) - {label for path in left for label in path}  # no label of what went
    figures = summary(release, measure(log, release))
    assert "variants_in" not in figures
    assert {"cases_lost", "variants_lost", "lost_variants"} <= set(figures["private_keys"])
    assert figures["variants_lost"] == len(figures["lost_variants"])


def test_sample_of_too_small_a_log_says_so() -> None:
    messages = []
    for seed in range(40):
        try:
            anonymize(log_of_paths("A", "B"), 0.05, method="sample", seed=seed)
        except LogError as error:
            messages.append(str(error))
    assert set(messages) == {"the noise removed all 2 cases: the log is too small for this method, use twin or amun"}


def test_filter_leaves_out_who_stands_out() -> None:
    """A path of one has times that can be guessed for sure, and one outlier makes all others of its group alike."""
    usual = [("AB", [i * DAY, i * DAY + (10 + i) * MINUTE]) for i in range(40)]
    alone = [("AC", [0, 5 * MINUTE])]
    log = log_of(usual + alone)
    for seed in range(10):
        release = anonymize(log, 0.2, method="filter", seed=seed)
        assert 40 not in release.ancestors
        assert ("A", "C") in measure(log, release).lost_variants
        assert "C" not in release.log.labels


def test_filter_counts_only_certain_times_if_it_would_drop_everybody() -> None:
    """Two values far apart: each is guessed right half of the time, and at delta 0.6 that is too much for all."""
    far_apart = [("AB", [i * DAY, i * DAY + (10 if i % 2 else 900) * MINUTE]) for i in range(40)]
    log = log_of([*far_apart, ("AC", [0, MINUTE])])
    assert Filter(0.2)._unremarkable(log).tolist() == list(range(40))
    assert Filter(0.6)._unremarkable(log).tolist() == list(range(40))  # all but the one that is certain


def test_filter_of_a_log_in_which_everybody_stands_out_says_so() -> None:
    with pytest.raises(LogError, match="filter would drop all: use twin or amun"):
        anonymize(log_of_paths("AB", "AC", "AD"), method="filter")


def test_filter_of_cases_of_one_event_drops_nobody() -> None:
    log = log_of([("A", [i * DAY]) for i in range(40)])
    assert Filter(0.2)._unremarkable(log).tolist() == list(range(40))
    assert anonymize(log, 0.2, method="filter", seed=2).log.labels == ("A",)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("amun", "as-published")])
def test_as_published_is_for_the_papers_method_only(method: str) -> None:
    with pytest.raises(ParameterError, match=f"amun: it cannot go with {method}"):
        anonymize(paper_log(), method=method, as_published=True)


def test_an_unknown_method_lists_those_that_are_known() -> None:
    with pytest.raises(ParameterError, match="'amum': choose one of twin, twin-crowds, strict, amun, as-published, "):
        anonymize(paper_log(), method="amum")
