"""Attacks on one given release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from support.audits import large_crowds, verdicts
from support.helpers import log_of, log_of_paths
from unsingle import EventLog, LogError, ParameterError, anonymize, audit_release, synthesize
from unsingle.auditor.attacks import copies, exact, linkage, metadata, order, path
from unsingle.auditor.attacks.exact import repeated_values
from unsingle.auditor.attacks.lone_path import lone_paths_shown
from unsingle.auditor.findings import BEYOND, BROKEN, NOT_TESTED, WITHIN
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
