"""What noised hours of the week become: a rhythm where one shows, an even clock where none does."""

from __future__ import annotations

import numpy as np
import pytest

from unsingle.core.clock import DAY, HOUR, Grid
from unsingle.core.week import HOURS_OF_WEEK, WEEKEND
from unsingle.mechanisms.weeks import cells_of_week, estimated_clock, hour_cells

NOISE = 10.0


def office_week(events: float) -> np.ndarray:
    """So many events, all from nine to five on working days."""
    week = np.zeros((7, 24))
    week[[day for day in range(7) if day not in WEEKEND], 9:17] = events / 40
    return week.ravel()


@pytest.mark.parametrize("cells", [7, HOURS_OF_WEEK])
def test_noise_alone_makes_no_rhythm(cells: int) -> None:
    rng = np.random.default_rng(5)
    found = [estimated_clock(200 + rng.normal(0, NOISE, cells), NOISE) is not None for _ in range(300)]
    assert np.mean(found) < 0.02


def test_nobody_has_no_rhythm() -> None:
    assert estimated_clock(np.zeros(HOURS_OF_WEEK), NOISE) is None
    assert estimated_clock(np.full(HOURS_OF_WEEK, -3.0), NOISE) is None


def test_office_hours_stand_out() -> None:
    rng = np.random.default_rng(6)
    clock = estimated_clock(office_week(40_000) + rng.normal(0, NOISE, HOURS_OF_WEEK), NOISE)
    assert clock is not None
    rate = np.diff(clock.passed)
    true = office_week(HOURS_OF_WEEK)
    assert rate.min() > 0
    assert np.abs(rate - true).sum() / 2 < 0.04 * HOURS_OF_WEEK


def test_where_the_noise_is_strong_days_show_and_single_hours_do_not() -> None:
    week = np.repeat([1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0], 24) * 2 * NOISE
    clock = estimated_clock(week + np.random.default_rng(7).normal(0, NOISE, HOURS_OF_WEEK), NOISE)
    assert clock is not None
    days = np.diff(clock.passed).reshape(7, 24)
    assert np.ptp(days, axis=1).max() < 1e-9
    assert days[list(WEEKEND)].max() < 0.5 * days.mean()


def test_a_grid_of_days_has_seven_cells() -> None:
    grid = Grid(DAY, "UTC")
    assert cells_of_week(grid) == 7
    assert hour_cells(grid.hours(np.arange(9) * DAY), grid).tolist() == [0, 1, 2, 3, 4, 5, 6, 0, 1]
    fine = Grid(HOUR, "UTC")
    assert hour_cells(fine.hours(np.arange(200) * HOUR), fine).tolist() == [hour % 168 for hour in range(200)]
