import math
import random as python_random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import event_logs, examples, log_of_paths, paper_log
from unsingle import ParameterError, anonymize
from unsingle.core.automaton import build_automaton
from unsingle.mechanisms import oversampling as counts
from unsingle.mechanisms.oversampling import oversample
from unsingle.privacy.random import Randomness

BLOCKS = [1, 20, counts._STEPS_AT_ONCE]
RATIO = Fraction(81, 121)  # delta = 0.1
EPSILON = -math.log(RATIO)

# one popular variant and many rare ones that share steps with it: the order of picking makes a difference
SKEWED = log_of_paths(*["AB"] * 60, *["ABC"] * 3, "AC", "AD", "AE", "AF", "GHB", "GHHD")


class Recording(Randomness):
    """Remembers the geometric numbers that were drawn, and with which ratio."""

    def geometric(self, ratio, n):
        self.ratio, self.geometrics = ratio, super().geometric(ratio, n)
        return self.geometrics


def run(log, seed, steps_at_once, ratio=RATIO):
    """Copies per case, what every transition received and what it needed."""
    automaton = build_automaton(log.variants)
    random = Recording(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "_STEPS_AT_ONCE", steps_at_once)
        added = oversample(log.variants, automaton, ratio, random)
        copies = np.bincount(counts.random_cases(log, added, random), minlength=log.n_cases)
    assert random.ratio == ratio
    added = np.bincount(automaton.of_events(log), weights=np.repeat(copies, np.diff(log.case_offsets)))
    return copies, added, 1 + random.geometrics


@cache
def naive_copies(n):
    """What the naive algorithm gives on the skewed log, a row for each of n seeds."""
    return np.array([naive_oversample(SKEWED, seed) for seed in range(n)])


def naive_oversample(log, seed):
    """Algorithm 1, word for word, with floating-point Laplace noise: copies of each variant."""
    random = python_random.Random(seed)
    automaton = build_automaton(log.variants)
    events = Counter(automaton.of_events(log).tolist())
    edges, cases = log.variants.offsets.tolist(), log.variants.cases.tolist()
    paths = [automaton.of_path[a:b].tolist() for a, b in pairwise(edges)]
    need = {t: math.ceil(abs(random.expovariate(EPSILON) * random.choice([-1, 1]))) for t in events}
    added = dict.fromkeys(events, 0)
    copies = [0] * len(paths)
    while open_ := [t for t in events if added[t] < need[t]]:
        (picked,) = random.choices(open_, [events[t] for t in open_])
        through = [v for v, path in enumerate(paths) if picked in path]
        for variant in random.choices(through, [cases[v] for v in through], k=need[picked]):
            copies[variant] += 1
            for transition in paths[variant]:
                added[transition] += 1
    return copies


@pytest.mark.parametrize("steps_at_once", BLOCKS)
@given(log=event_logs(), seed=st.integers(0, 10**6))
@examples(60)
def test_every_transition_receives_at_least_its_need(steps_at_once, log, seed):
    copies, added, need = run(log, seed, steps_at_once)
    assert (added >= need).all()
    assert copies.dtype == np.int64
    assert copies.min() >= 0


@pytest.mark.parametrize("steps_at_once", BLOCKS)
def test_a_need_is_met_by_exactly_as_many_draws_if_all_cases_are_alike(steps_at_once):
    log = log_of_paths(*["A"] * 3)
    for seed in range(50):
        copies, added, need = run(log, seed, steps_at_once)
        assert added.tolist() == need.tolist() == [copies.sum()]


@pytest.mark.parametrize("steps_at_once", BLOCKS)
def test_variants_that_share_no_step_are_oversampled_apart(steps_at_once):
    log = log_of_paths("A", "B", "B", "C", "C", "C")
    for seed in range(50):
        copies, _, need = run(log, seed, steps_at_once)
        assert np.bincount(log.variants.of_case, weights=copies).tolist() == need.tolist()


def test_all_cases_of_a_variant_are_copied_as_often():
    log = log_of_paths(*["AB"] * 8, "C")
    copies = sum(run(log, seed, counts._STEPS_AT_ONCE)[0] for seed in range(400))
    each = copies[:8]
    assert np.abs(each - each.mean()).max() < 5 * math.sqrt(each.mean())


@pytest.mark.parametrize("steps_at_once", BLOCKS)
def test_copies_are_distributed_as_by_the_one_by_one_algorithm(steps_at_once):
    of_case, n = SKEWED.variants.of_case, 1000
    ours = np.array([np.bincount(of_case, weights=run(SKEWED, seed, steps_at_once)[0]) for seed in range(n)])
    naive = naive_copies(n)
    for a, b in [(ours.sum(1), naive.sum(1)), *zip(ours.T, naive.T, strict=True)]:
        assert abs(a.mean() - b.mean()) < 5 * math.sqrt((a.var() + b.var()) / n)
        assert abs(a.std() / b.std() - 1) < 0.25


@given(st.data())
@examples(300)
def test_the_decisions_of_a_block_are_those_made_one_by_one(data):
    n = data.draw(st.integers(1, 8))
    block = np.array(data.draw(st.permutations(range(n)))[: data.draw(st.integers(1, n))])
    missing = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    draws = st.tuples(st.integers(0, len(block) - 1), st.integers(0, n - 1))
    steps = data.draw(st.lists(draws, max_size=40))

    left, expected = list(missing), []
    for turn, transition in enumerate(block.tolist()):
        expected.append(left[transition] > 0)
        for picker, step in steps:
            left[step] -= picker == turn and expected[turn]

    picker, step = np.array(steps, np.int64).reshape(-1, 2).T
    assert counts._still_needed(block, np.array(missing), step, picker).tolist() == expected


def test_rare_steps_cost_no_more_than_their_need():
    """A popular case costs one draw for all its steps: adding is not done step by step."""
    log = log_of_paths(*["ABCDEFGH"] * 50)
    for seed in range(30):
        copies, _, need = run(log, seed, counts._STEPS_AT_ONCE)
        assert need.max() <= copies.sum() < need.sum()


def test_a_delta_that_would_add_cases_without_end_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"delta is too small: each count would need about \d+e\+08 added cases"):
        anonymize(paper_log(), 0.000_000_001, method="amun")
