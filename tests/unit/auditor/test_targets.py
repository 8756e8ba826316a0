"""Whom to attack, and neighbouring logs."""

from __future__ import annotations

import numpy as np

from support.audits import standing_out
from support.helpers import log_of
from unsingle.auditor.attacks.durations import before
from unsingle.auditor.neighbours import exchanged, on_other_path, with_steps, without
from unsingle.auditor.targets import Targets
from unsingle.core.clock import HOUR, MINUTE


def test_neighbouring_logs_differ_in_one_person() -> None:
    log = log_of([("AB", [0, 5]), ("AC", [1, 9]), ("AB", [2, 4])])
    assert without(log, np.array([1])).variant_counts() == {("A", "B"): 2}
    other = on_other_path(log, np.array([1]), 2)
    assert other.variant_counts() == {("A", "B"): 3}
    assert other.time.tolist() == [0, 5, 1, 3, 2, 4]


def test_an_exchange_keeps_all_durations() -> None:
    log = log_of([("ABC", [0, 5, 6]), ("ABC", [10, 12, 20])])
    swapped = exchanged(log, 1, 4)
    assert swapped.time.tolist() == [0, 2, 3, 10, 15, 23]
    assert with_steps(log, {2: 7}).time.tolist() == [0, 5, 12, 10, 12, 20]


def test_targets_are_those_who_stand_out() -> None:
    log = log_of([("AB", [0, HOUR])] * 3 + [("AC", [0, HOUR])] * 2 + [("AD", [0, HOUR])])
    targets = Targets(log)
    assert targets.alone == 5
    assert targets.in_smallest_crowd in (3, 4)
    assert targets.in_largest_crowd in (0, 1, 2)
    outlier = Targets(standing_out()).outlier
    assert outlier is not None
    far, usual = outlier
    durations = Targets(standing_out()).durations
    assert durations[far.event] == 100 * MINUTE
    assert durations[usual.event] == 0


def test_the_chance_before_is_that_of_the_best_guess() -> None:
    """Of 0, 1, 2 and 100, a guess within 10 is right for three, one within 1 for three, an exact one for one."""
    assert [chance for _, chance in before(np.array([0.0, 1.0, 2.0, 100.0]))] == [0.75, 0.75, 0.25]
