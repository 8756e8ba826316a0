"""Begins of cases: as many begin and end in each week as was estimated, and none outlasts the log."""

from __future__ import annotations

import numpy as np

from unsingle.core.week import HOURS_OF_WEEK, BusyClock
from unsingle.mechanisms.flow import Flow
from unsingle.privacy.random import Randomness


def weeks_of(hours: np.ndarray, first: int, n: int) -> np.ndarray:
    return np.bincount((hours // HOURS_OF_WEEK).astype(np.int64) - first, minlength=n)


def test_starts_fit_begins_and_ends() -> None:
    rng = np.random.default_rng(1)
    n, first, span = 4_000, 2_000, 20
    began = rng.integers(0, 15, n) * HOURS_OF_WEEK + rng.uniform(0, HOURS_OF_WEEK, n)
    took = np.where(began < 5 * HOURS_OF_WEEK, 5.0, 0.5) * HOURS_OF_WEEK * rng.uniform(0.2, 1, n)
    starts, ends = (weeks_of(each, 0, span).astype(np.float64) for each in (began, began + took))
    found = Flow(first, starts, ends, None).begun(took, Randomness(3))
    assert np.abs(weeks_of(found, first, span) - starts).sum() < 0.05 * n
    assert np.abs(weeks_of(found + took, first, span) - ends).sum() < 0.1 * n
    early = found < (first + 5) * HOURS_OF_WEEK
    assert took[early].mean() > 2 * took[~early].mean()  # which only the ends tell


def test_a_case_longer_than_the_span_begins_before_it_and_ends_in_it() -> None:
    flow = Flow(2_000, np.array([5.0, 5.0]), np.array([5.0, 5.0]), None)
    took = np.array([0.1, 9.5 * HOURS_OF_WEEK])
    found = flow.begun(took, Randomness(3))
    assert ((found + took) < 2_002 * HOURS_OF_WEEK).all()


def test_cases_begin_when_cases_begin() -> None:
    work = np.full(HOURS_OF_WEEK, 1e-9)
    work[30] = 1.0
    found = Flow(0, np.ones(3), np.ones(3), BusyClock.of(work)).begun(np.zeros(500), Randomness(4))
    assert (np.floor(found % HOURS_OF_WEEK) == 30).all()
