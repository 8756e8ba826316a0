"""The busy clock: there and back again, in order, and every week as long as any other."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples
from unsingle.core.clock import DAY, HOUR, MINUTE, Grid
from unsingle.core.week import HOURS_OF_WEEK, BusyClock

works = st.lists(st.floats(0.01, 100), min_size=HOURS_OF_WEEK, max_size=HOURS_OF_WEEK)
moments = st.lists(st.floats(-1e5, 1e6), min_size=1, max_size=20)


@examples(30)
@given(work=works, at=moments)
def test_a_busy_time_turns_back_into_the_local_time_it_came_from(work: list[float], at: list[float]) -> None:
    clock, local = BusyClock.of(np.array(work)), np.sort(at)
    busy = clock.busy(local)
    assert (np.diff(busy) >= 0).all()
    assert np.allclose(clock.local(busy), local, rtol=0, atol=1e-4)
    assert np.allclose(clock.busy(local + 5 * HOURS_OF_WEEK) - busy, 5 * HOURS_OF_WEEK)


def test_busy_time_passes_where_the_work_is() -> None:
    work = np.full(HOURS_OF_WEEK, 1e-9)
    work[9:17] = 1.0  # on Thursdays alone, with which weeks begin
    clock = BusyClock.of(work)
    assert np.allclose(clock.local(np.array([42.0, 84.0])), [11, 13], atol=1e-6)


def test_hours_are_those_of_the_zone_through_the_change_of_clocks() -> None:
    grid = Grid(MINUTE, "Europe/Berlin")
    winter, summer = 1_711_753_200_000, 1_711_922_400_000  # 00:00 on 30 March and on 1 April 2024
    hours = grid.hours(np.array([winter, summer]))
    assert np.diff(hours).tolist() == [48.0]  # 47 hours passed
    assert grid.times_of_hours(hours).tolist() == [winter, summer]


def test_a_day_is_at_its_middle_and_comes_back_as_the_day() -> None:
    grid = Grid(DAY, "+02:00")
    time = np.array([-2 * HOUR, 10 * DAY - 2 * HOUR])
    assert (grid.hours(time) % 24).tolist() == [12.0, 12.0]
    assert grid.times_of_hours(grid.hours(time) + 11.9).tolist() == time.tolist()
