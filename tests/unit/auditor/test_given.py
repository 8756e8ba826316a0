"""Attacks on one given release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.audits import AGE, CHANNEL, COST, large_crowds, verdicts
from support.helpers import log_of, log_of_paths
from unsingle import EventLog, LogError, ParameterError, anonymize, audit_release, synthesize
from unsingle.auditor.attacks import copies, exact, linkage, metadata, order, path, true_values
from unsingle.auditor.attacks.exact import repeated_values
from unsingle.auditor.attacks.lone_path import lone_paths_shown
from unsingle.auditor.attacks.true_values import rare_texts_shown, true_combinations, values_of_lone_people
from unsingle.auditor.findings import BEYOND, BROKEN, HOLDS, NOT_TESTED, UNDECIDED, WITHIN
from unsingle.auditor.observed import Observed
from unsingle.auditor.setting import Shown
from unsingle.core.clock import HOUR, MINUTE
from unsingle.core.columns import CASE_ID, Column
from unsingle.privacy.random import Randomness


def with_ids(log: EventLog, ids: list[str]) -> EventLog:
    """The log as if it had been read with these ids."""
    return replace(log, columns=(Column.of_texts(CASE_ID, ids[: log.n_cases]),))


def shown(log: EventLog, release: EventLog) -> Shown:
    """A release of a log, to be tried on everybody."""
    return Shown(log, Observed(log, release), np.arange(log.n_cases), 1000, Randomness(1))


def test_a_log_published_as_it_is_is_broken() -> None:
    log = synthesize(cases=150, seed=2)
    log = with_ids(log, [f"patient {i}" for i in range(log.n_cases)])
    found = audit_release(log, log, 0.2)
    assert not found.holds
    broken = {each.attack for each in found.findings if each.verdict == BROKEN}
    assert {linkage.LINKAGE.name, linkage.START.name, exact.STARTS.name, metadata.IDS.name} <= broken
    assert verdicts(found)[path.LONE_PATH.name] == BEYOND
    assert path.FREQUENT_PATH.name not in verdicts(found)  # it takes many releases


def test_a_release_by_twin_holds_but_shows_lone_paths() -> None:
    log = synthesize(cases=1000, seed=2)
    found = audit_release(log, anonymize(log, 0.2, seed=1))
    assert found.holds, found.verdict
    assert found.verdict.startswith("HOLDS as far as one release can show")
    assert verdicts(found)[path.LONE_PATH.name] == BEYOND
    many = audit_release(log, anonymize(log, 0.2, paths="crowds", seed=1))
    assert verdicts(many)[path.LONE_PATH.name] == WITHIN


def test_a_release_that_anonymize_gave_knows_its_delta() -> None:
    log = synthesize(cases=60, seed=2)
    release = anonymize(log, 0.1, method="amun", seed=1)
    assert audit_release(log, release).delta == 0.1
    assert audit_release(log, release, 0.3).delta == 0.3
    with pytest.raises(ParameterError, match="say which delta the release was made with"):
        audit_release(log, release.log)


def test_logs_without_a_common_activity_are_told() -> None:
    with pytest.raises(LogError, match="have no activity in common"):
        audit_release(log_of_paths("AB", "AC"), log_of_paths("XY"), 0.2)


def test_lone_paths_are_told_from_paths_that_nobody_took() -> None:
    log = log_of_paths("ABC", "ABC", "ACB", "BCA")
    assert lone_paths_shown(shown(log, log)) == (4, 2, 4)
    nobody = log_of_paths("ABC", "ABC")
    assert lone_paths_shown(shown(log, nobody)) == (2, 2, 4)


def test_repeated_values_are_held_against_nearby_ones() -> None:
    log = log_of([("AB", [0, (i + 1) * 1000 * MINUTE + i]) for i in range(40)])
    true = log.subset(np.repeat(np.arange(10), 3))
    assert repeated_values(shown(log, true)) == (10, 0, 10)
    later = true.time + np.where(true.is_first, 0, 1)
    beside = EventLog(true.labels, true.activity, later, true.case_offsets)
    tried = repeated_values(shown(log, beside))
    assert (tried.right, tried.guesses) == (0, 10)
    assert tried.by_chance == pytest.approx(1)  # one of ten nearby values is


def test_copies_that_share_their_start_are_found_without_knowing_descent() -> None:
    log = synthesize(cases=100, seed=2)
    twice = log.subset(np.repeat(np.arange(100), 2))
    assert verdicts(audit_release(log, twice, 0.2))[copies.BY_START.name] == BROKEN


def test_ids_that_are_only_numbers_tell_nothing() -> None:
    log = synthesize(cases=300, seed=2)
    release = anonymize(log, 0.2, method="amun", seed=1).log
    numbers = [str(i + 1) for i in range(max(log.n_cases, release.n_cases))]
    found = audit_release(with_ids(log, numbers), with_ids(release, numbers), 0.2)
    assert verdicts(found)[metadata.IDS.name] != BROKEN


def test_ids_of_people_are_found_whatever_path_they_took() -> None:
    log = log_of([("AB", [i * HOUR, i * HOUR + i * MINUTE]) for i in range(60)])
    ids = [f"patient {i}" for i in range(60)]
    release = anonymize(log, 0.2, method="amun", seed=1).log
    names = [f"{ids[i % 60]}-copy" for i in range(release.n_cases)]
    assert verdicts(audit_release(with_ids(log, ids), with_ids(release, names), 0.2))[metadata.IDS.name] == BROKEN


def test_true_durations_of_everybody_are_found_though_nobody_is_alone() -> None:
    log = large_crowds()
    starts = np.random.default_rng(1).permutation(log.case_starts)
    time = log.time + np.repeat(starts - log.case_starts, np.diff(log.case_offsets))
    moved = EventLog(log.labels, log.activity, time, log.case_offsets).subset(
        np.random.default_rng(2).permutation(log.n_cases)
    )
    assert verdicts(audit_release(log, moved, 0.2))[exact.CASES.name] == BROKEN


def test_a_file_sorted_by_its_own_starts_tells_no_order() -> None:
    log = synthesize(cases=200, seed=2)
    release = anonymize(log, 0.2, method="amun", seed=1).log
    in_order = release.subset(np.argsort(release.case_starts, kind="stable"))
    assert verdicts(audit_release(log, in_order, 0.2))[order.ORDER.name] == NOT_TESTED


VALUES = (true_values.RARE_TEXTS.name, true_values.LONE_VALUES.name, true_values.COMBINATIONS.name)


def with_moods(log: EventLog) -> EventLog:
    """The log with columns in which nearly everybody has a value of their own."""
    rng = np.random.default_rng(1)
    moods = [f"mood {i % 3}" if i % 2 else f"{i}'s own mood" for i in range(log.n_cases)]
    return log.with_columns(
        [
            Column.of_texts(CHANNEL, moods),
            Column.of_numbers(AGE, rng.integers(0, 100, log.n_cases)),
            Column.of_numbers(COST, rng.integers(0, 10_000, log.n_events)),
        ]
    )


def test_columns_that_are_true_are_found_in_a_given_release() -> None:
    log = with_moods(synthesize(cases=200, seed=2))
    twice = log.subset(np.repeat(np.arange(200), 2))  # so that paths are released more than once
    found = verdicts(audit_release(log, twice, 0.2))
    assert {name: found[name] for name in VALUES} == dict.fromkeys(VALUES, BROKEN)


def test_columns_that_were_drawn_hold_in_a_given_release() -> None:
    log = with_moods(synthesize(cases=400, seed=2))
    for method in ("twin", "twin-crowds"):
        found = audit_release(log, anonymize(log, 0.2, method=method, seed=1))
        assert found.holds, found.verdict
        assert found.findings  # and whatever can be tried was
        assert {verdicts(found)[name] for name in VALUES} <= {HOLDS, UNDECIDED, NOT_TESTED}


def test_columns_are_compared_only_where_both_logs_have_them() -> None:
    log = with_moods(synthesize(cases=100, seed=2))
    assert not set(VALUES) & set(verdicts(audit_release(log, log.with_columns([]), 0.2)))
    assert not set(VALUES) & set(verdicts(audit_release(log.with_columns([]), log, 0.2)))
    one = verdicts(audit_release(log, log.with_columns(log.columns[1:2]), 0.2))
    assert one[true_values.COMBINATIONS.name] == one[true_values.RARE_TEXTS.name] == NOT_TESTED
    assert one[true_values.LONE_VALUES.name] == BROKEN


def test_what_follows_from_the_activities_of_a_path_is_no_ones_own() -> None:
    """Everybody with B came by phone, at a cost of 7 for each C, whichever lone path they took."""
    rng = np.random.default_rng(3)
    paths = sorted({"A" + "".join(rng.permutation([*"BBCC", *"DEF"])[:6]) for _ in range(150)})
    log = log_of_paths(*paths)
    channel = ["phone" if "B" in path else "desk" for path in paths]
    costs = np.where(log.activity_names() == "C", 7.0, np.nan)
    log = log.with_columns([Column.of_texts(CHANNEL, channel), Column.of_numbers(COST, costs)])
    assert verdicts(audit_release(log, log, 0.2))[true_values.LONE_VALUES.name] != BROKEN


def test_rare_texts_are_told_from_texts_that_nobody_has() -> None:
    log = log_of_paths("A", "A", "A", "A", "A").with_columns([Column.of_texts(CHANNEL, ["x", "y", "z", "z", "z"])])
    assert rare_texts_shown(shown(log, log)) == (4, 2, 4)
    others = log.with_columns([Column.of_texts(CHANNEL, ["x", "z", "OTHER", "z", "z"])])
    assert rare_texts_shown(shown(log, others)) == (3, 2, 4)
    public = replace(shown(log, log), public_values=frozenset([CHANNEL]))
    assert rare_texts_shown(public) is None


def test_values_on_lone_paths_are_held_against_those_of_others() -> None:
    paths = [*["AB"] * 40, "AC", "AD"]
    ages = np.array([*[30] * 30, *[40] * 10, 30, 99])
    log = log_of_paths(*paths).with_columns([Column.of_numbers(AGE, ages)])
    tried = values_of_lone_people(shown(log, log))
    assert tried is not None
    assert (tried.right, tried.guesses) == (2, 2)
    assert tried.by_chance == pytest.approx(30 / 41)  # of 41 others with an A, for the one who is 30
    twice = log.subset(np.array([41, 41])).with_columns([Column.of_numbers(AGE, np.array([99, 30]))])
    assert values_of_lone_people(shown(log, twice)) == (0.5, 0, 1)


def test_combinations_are_held_against_those_of_mixed_cases() -> None:
    n = 60
    log = log_of_paths(*["AB"] * n)
    own = np.arange(n)
    log = log.with_columns([Column.of_numbers(AGE, own), Column.of_numbers(COST, np.repeat(own, 2))])
    tried = true_combinations(shown(log, log))
    assert tried is not None
    assert tried.right == tried.guesses == n
    assert tried.by_chance < n / 4
    apart = log.with_columns([log.columns[0], Column.of_numbers(COST, np.repeat(np.roll(own, 1), 2))])
    tried = true_combinations(shown(log, apart))
    assert tried is not None
    assert tried.right == 0
