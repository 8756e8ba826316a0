"""Steps in busy time: events fall when there is work, and pairs take as long as was drawn."""

from __future__ import annotations

import numpy as np

from unsingle.core.week import HOURS_OF_WEEK, WEEKEND, BusyClock
from unsingle.mechanisms.paths import ReleasedPaths
from unsingle.mechanisms.rhythm import placed

CASES, LENGTH = 3_000, 4


def paths() -> ReleasedPaths:
    return ReleasedPaths(np.zeros(CASES * LENGTH, dtype=np.int64), np.arange(CASES + 1) * LENGTH)


def office_clock() -> BusyClock:
    work = np.full((7, 24), 0.02)
    work[[day for day in range(7) if day not in WEEKEND], 8:18] = 1.0
    return BusyClock.of(work.ravel())


def in_office(hours: np.ndarray) -> float:
    day, hour = hours // 24 % 7, hours % 24
    return float(((day != WEEKEND[0]) & (day != WEEKEND[1]) & (hour >= 8) & (hour < 18)).mean())


def test_without_a_clock_times_are_sums() -> None:
    rng = np.random.default_rng(1)
    took = rng.uniform(0, 100, CASES * (LENGTH - 1))
    time = placed(np.zeros(CASES), took, np.zeros(len(took), dtype=np.int64), paths(), None).reshape(CASES, LENGTH)
    assert np.allclose(time[:, 1:], np.cumsum(took.reshape(CASES, -1), axis=1), atol=1e-6)


def test_events_fall_into_office_hours_and_pairs_keep_their_durations() -> None:
    rng = np.random.default_rng(2)
    clock = office_clock()
    begun = clock.local(rng.uniform(0, 8 * HOURS_OF_WEEK, CASES))
    row = np.tile(np.arange(LENGTH - 1), CASES)
    took = np.exp(rng.normal(np.log(np.array([0.2, 20.0, 300.0]))[row], 0.7))
    took[row == 0] *= rng.random(CASES) < 0.7  # some take no time
    even = placed(begun, took, row, paths(), None)
    time = placed(begun, took, row, paths(), clock)
    assert in_office(even) < 0.65
    assert in_office(time) > 0.9
    found = np.diff(time.reshape(CASES, LENGTH), axis=1).ravel()
    assert (found >= 0).all()
    assert (found[took == 0] == 0).all()
    for pair in range(LENGTH - 1):
        one, other = np.sort(took[row == pair]), np.sort(found[row == pair])
        assert np.abs(one - other).mean() < 0.2 * one.mean()
