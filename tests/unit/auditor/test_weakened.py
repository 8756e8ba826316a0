"""Weakened builds: what the auditor finds in them, and does not find in sound ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from support.audits import attacked, crowds, large_crowds, standing_out, verdicts, ward, weighty
from support.helpers import log_of
from unsingle import EventLog, audit, synthesize
from unsingle.auditor.attacks import exact, linkage, metadata, noise, order, path, true_values, unusual_time, values
from unsingle.auditor.findings import BEYOND, BROKEN, WITHIN, Audit
from unsingle.auditor.observed import Observed
from unsingle.core.arrays import Ints, take_rows
from unsingle.core.clock import DAY, MINUTE
from unsingle.formats.schema import public_columns
from unsingle.mechanisms import selection
from unsingle.mechanisms.measurements import Measurements
from unsingle.methods import METHODS, Method, amun, ladder, sample
from unsingle.methods.base import Outcome
from unsingle.methods.twin import Twin
from unsingle.privacy.budget import Terms
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import same_paths
from unsingle.progress import Progress


def with_doubled_epsilon_on_counts(method: str, patch: pytest.MonkeyPatch) -> None:
    """Epsilon doubled is noise halved: the scale of the noise is one over epsilon."""
    if method == "amun":
        true = amun.count_ratio
        patch.setattr(amun, "count_ratio", lambda delta: true(delta) ** 2)
    else:
        true_epsilon = sample.worst_case_epsilon
        patch.setattr(sample, "worst_case_epsilon", lambda delta: 2 * true_epsilon(delta))


@pytest.mark.parametrize("method", ["amun", "sample", "filter"])
def test_sound_counts_hold(method: str) -> None:
    found = attacked(crowds(), method, "path", runs=200)
    assert found.holds, found.verdict


@pytest.mark.parametrize("method", ["amun", "sample", "filter"])
def test_noise_on_counts_that_is_halved_is_found(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_doubled_epsilon_on_counts(method, monkeypatch)
    found = attacked(crowds(), method, "path", runs=300)
    assert verdicts(found)[path.ONE_STEP.name] == BROKEN, found.findings
    assert not found.holds
    assert repr(path.ONE_STEP.name) in found.verdict


WHICH_PATH, BY_COUNTS, BY_TIMES = (
    attack.name for attack in (noise.WHICH_PATH, noise.WHICH_PATH_BY_COUNTS, noise.WHICH_PATH_BY_TIMES)
)
PROMISING = tuple(name for name, method in METHODS.items() if method().guarantee().promises)


def seen_through(delta: float = 0.4, method: str = "twin", runs: int = 60) -> Audit:
    """Attacks by someone who sees the noised figures, where a case moves them as far as one can."""
    return attacked(weighty(), method, WHICH_PATH, BY_COUNTS, BY_TIMES, runs=runs, delta=delta)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["twin", "twin-crowds"])
def test_sound_noised_figures_hold(method: str) -> None:
    found = seen_through(method=method, runs=40)
    assert found.holds, found.verdict
    by_name = {each.attack: each for each in found.findings}
    assert 0.3 < by_name[WHICH_PATH].exact_gain < by_name[WHICH_PATH].allowed  # the bound is nearly reached


def test_counts_with_half_the_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Measurements._geometric
    monkeypatch.setattr(Measurements, "_geometric", lambda self, name, true, ratio: sound(self, name, true, ratio**2))
    assert verdicts(seen_through())[BY_COUNTS] == BROKEN


@pytest.mark.slow
def test_tallies_with_half_the_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Measurements._gaussian
    monkeypatch.setattr(Measurements, "_gaussian", lambda self, name, true, s: sound(self, name, true, s // 2))
    assert verdicts(seen_through())[BY_TIMES] == BROKEN


@pytest.mark.slow
def test_counts_noised_for_a_larger_delta_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the budget was raised so that it does not notice."""

    def terms(method: Twin) -> Terms:
        larger = same_paths(2 * method.delta, method.slack)
        return replace(same_paths(method.delta, method.slack), ratio=larger.ratio, limit=larger.limit)

    monkeypatch.setattr(Twin, "terms", property(terms))
    assert verdicts(seen_through(delta=0.2))[WHICH_PATH] == BROKEN


@pytest.mark.slow
def test_noise_smaller_than_stated_is_found_also_within_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    """Odds by the stated noise are right more often than they say."""
    sound = Measurements._gaussian
    monkeypatch.setattr(Measurements, "_gaussian", lambda self, name, true, s: sound(self, name, true, s // 4))
    found = attacked(weighty(), "twin", noise.AS_STATED.name, runs=60, delta=0.1)
    assert verdicts(found)[noise.AS_STATED.name] == BROKEN


def test_what_decides_besides_the_noised_figures_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tally that has a cell more if the true number of cases is even: no noise hides that."""
    from unsingle.mechanisms import clocks

    sound = clocks.Vectors

    def odd_or_even(cell, case, n_cells):
        return sound(cell, case, n_cells + len(case) % 2)

    monkeypatch.setattr(clocks, "Vectors", odd_or_even)
    assert verdicts(attacked(weighty(), "twin", noise.FREQUENT_PATH.name, runs=10))[noise.FREQUENT_PATH.name] == BROKEN


def test_times_with_hardly_any_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's noise is shared among copies and folded: half of it would still keep delta, a fiftieth does not."""
    from unsingle.mechanisms import time_noise as times

    assert attacked(standing_out(), "amun", "time", runs=60).holds
    true = times._scale
    monkeypatch.setattr(times, "_scale", lambda *arguments: true(*arguments) / 50)
    assert verdicts(attacked(standing_out(), "amun", "time", runs=60))[unusual_time.WHO.name] == BEYOND


def starts_kept(log: EventLog, made: Outcome) -> Outcome:
    """Cases begin when those that they descend from did, or, if they descend from none, when one on their path did."""
    released, ancestors = made.log, made.ancestors
    if ancestors is None:
        seen = Observed(log, released)
        first = np.unique(log.variants.of_case, return_index=True)[1]
        ancestors = np.where(seen.path_of_case >= 0, first[seen.path_of_case], 0)
    shift = log.case_starts[ancestors] - released.case_starts
    time = released.time + np.repeat(shift, np.diff(released.case_offsets))
    return made._replace(log=EventLog(released.labels, released.activity, time, released.case_offsets, released.zone))


def order_kept(log: EventLog, made: Outcome) -> Outcome:
    """Cases stand in the order of those that they descend from, or of the first one on their path."""
    origin = made.ancestors
    if origin is None:
        origin = Observed(log, made.log).path_of_case  # paths are numbered by their first case
    order = np.argsort(origin, kind="stable")
    return made._replace(
        log=made.log.subset(order), ancestors=None if made.ancestors is None else made.ancestors[order]
    )


def weakened(method: str, change: Callable[[EventLog, Outcome], Outcome], patch: pytest.MonkeyPatch) -> None:
    sound = METHODS[method].release

    def release(self: Method, log: EventLog, random: Randomness, progress: Progress) -> Outcome:
        return change(log, sound(self, log, random, progress))

    patch.setattr(METHODS[method], "release", release)


LEAKS = {
    "starts kept": (starts_kept, "start", exact.STARTS.name),
    "order kept": (order_kept, "order", order.ORDER.name),
}


def log_for(method: str) -> EventLog:
    return large_crowds() if method in ladder() else synthesize(cases=120, seed=1)


@pytest.mark.parametrize("method", PROMISING)
@pytest.mark.parametrize("leak", LEAKS)
def test_what_is_kept_of_the_original_is_found(method: str, leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, kind, attack = LEAKS[leak]
    log = log_for(method)
    runs = 6 if method in ladder() else 20
    assert verdicts(attacked(log, method, kind, runs=runs))[attack] != BROKEN
    weakened(method, change, monkeypatch)
    assert verdicts(attacked(log, method, kind, runs=runs))[attack] == BROKEN


@pytest.mark.parametrize("method", PROMISING)
def test_noise_that_is_used_twice_is_found(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = METHODS[method].release

    def release(self: Method, log: EventLog, random: Randomness, progress: Progress) -> Outcome:
        return sound(self, log, Randomness(0), progress)

    monkeypatch.setattr(METHODS[method], "release", release)
    found = attacked(log_for(method), method, "order", runs=4)
    assert verdicts(found)[order.REPEATED_NOISE.name] == BROKEN


def test_a_reversed_order_is_an_order_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def reversed_order(log: EventLog, made: Outcome) -> Outcome:
        kept = order_kept(log, made)
        order = np.arange(kept.log.n_cases)[::-1]
        assert kept.ancestors is not None
        return Outcome(kept.log.subset(order), kept.ancestors[order])

    weakened("amun", reversed_order, monkeypatch)
    assert verdicts(attacked(synthesize(cases=120, seed=1), "amun", "order", runs=20))[order.ORDER.name] == BROKEN


def test_a_file_that_says_more_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from unsingle.formats.xes import writer as xes_writer

    true = xes_writer.write_xes

    def write(log, stream):
        true(log, stream)
        stream.write(b'<trace><string key="origin" value="/home/hospital/log.xes"/></trace>')

    assert verdicts(attacked(crowds(), "amun", "order", runs=4))[metadata.IDS.name] != BROKEN
    monkeypatch.setattr(xes_writer, "write_xes", write)
    assert verdicts(attacked(crowds(), "amun", "order", runs=4))[metadata.IDS.name] == BROKEN


def test_the_paper_with_its_leaks_is_broken() -> None:
    log = synthesize(cases=150, seed=2)
    found = audit(log, 0.2, method="as-published", runs=20, seed=1)
    beyond = {each.attack for each in found.findings if each.verdict == BEYOND}
    assert {linkage.START.name, exact.STARTS.name} <= beyond
    assert not any(each.promised for each in found.findings)
    assert found.verdict.startswith("BROKEN")
    assert not found.holds


def test_exact_times_in_groups_of_one_are_found() -> None:
    """Everybody has a step of their own, so that no group has a range, and the paper publishes every time as it is."""
    cases = [([f"begin {i}", f"end {i}"], [i * DAY, i * DAY + (i + 1) * 17 * MINUTE]) for i in range(40)]
    found = audit(log_of(cases), 0.2, method="as-published", attacks=["time"], runs=10, seed=1)
    assert verdicts(found)[exact.TIMES.name] == BEYOND
    sound = audit(log_of(cases), 0.2, method="amun", attacks=["time"], runs=10, seed=1)
    assert verdicts(sound)[exact.TIMES.name] == WITHIN


def columns_copied(log: EventLog, made: Outcome) -> Outcome:
    """True columns on released paths: those of the people who took them, one after the other."""
    seen, origin = Observed(log, made.log), np.empty(made.log.n_cases, dtype=np.int64)
    for path_ in range(log.variants.count):
        cases = seen.cases_on(path_)
        origin[cases] = np.resize(np.flatnonzero(log.variants.of_case == path_), len(cases))
    rows = take_rows(log.case_offsets, origin)[0]
    columns = [column.take(origin if column.field.of_cases else rows) for column in public_columns(log)]
    return made._replace(log=made.log.with_columns(columns))


BY_COPYING = tuple(
    attack.name
    for attack in (
        values.RARE_VALUE,
        values.UNUSUAL_NUMBER,
        true_values.RARE_TEXTS,
        true_values.LONE_VALUES,
        true_values.COMBINATIONS,
    )
)


def attacked_values(*attacks: str, cases: int = 90, delta: float = 0.2, runs: int = 16) -> dict[str, str]:
    return verdicts(attacked(ward(cases), "twin", *attacks, runs=runs, delta=delta))


@pytest.mark.slow
def test_columns_that_are_copied_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert BROKEN not in attacked_values(*BY_COPYING).values()
    weakened("twin", columns_copied, monkeypatch)
    assert attacked_values(*BY_COPYING) == dict.fromkeys(BY_COPYING, BROKEN)


@pytest.mark.slow
def test_values_that_are_published_without_a_threshold_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = values.RARE_VALUE_NOISED.name
    assert attacked_values(name)[name] != BROKEN
    monkeypatch.setattr(selection, "threshold", lambda *_: -math.inf)
    assert attacked_values(name)[name] == BROKEN


def of_values(change: Callable[[int], int], patch: pytest.MonkeyPatch, tallies: str = "") -> None:
    """Other deviations for the noise on tallies of kept columns, or on those whose names begin like this."""
    sound = Measurements._gaussian
    columns = tuple(f": {field.table_name}" for field in ward().fields)

    def weakened(self: Measurements, name: str, true: Ints, s: int) -> Ints:
        s = change(s) if any(column in name for column in columns) and name.startswith(tallies) else s
        return sound(self, name, true, s) if s else true

    patch.setattr(Measurements, "_gaussian", weakened)


MANY: dict[str, Any] = {"cases": 600, "delta": 0.4}  # so that values stand out of the noise, and have tallies


@pytest.mark.slow
def test_values_that_are_tallied_without_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    name = values.ALL_VALUES_BY_FIGURES.name
    assert attacked_values(name, runs=10, **MANY)[name] != BROKEN
    of_values(lambda _: 0, monkeypatch, tallies="how often each value is")
    assert attacked_values(name, runs=10, **MANY)[name] == BROKEN


@pytest.mark.slow
def test_less_noise_on_values_than_stated_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    of_values(lambda s: s // 4, monkeypatch)
    attacks = (values.ALL_VALUES_NOISED.name, values.VALUES_AS_STATED.name)
    assert attacked_values(*attacks, runs=20, **MANY) == dict.fromkeys(attacks, BROKEN)
