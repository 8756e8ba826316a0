"""A public calendar: working time there and back again, holidays, and what is wrong with a calendar."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples
from unsingle.core.calendar import Calendar
from unsingle.errors import ParameterError

OFFICE = Calendar.of({"hours": ["13:00-17:30", "08:00-12:00"], "holidays": ["2024-12-25", "2024-12-26"]})


def hours(text: str) -> float:
    """Hours since 1970 of a local time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() / 3600


@examples(50)
@given(st.lists(st.floats(-1e5, 2e6), min_size=1, max_size=30))
def test_working_time_turns_back_into_the_local_time_it_came_from(at: list[float]) -> None:
    local = np.sort(at)
    busy = OFFICE.busy(local)
    assert (np.diff(busy) >= 0).all()
    assert np.allclose(OFFICE.local(busy), local, rtol=0, atol=1e-3)


def test_it_passes_within_the_hours_of_work_and_not_on_holidays() -> None:
    of_one_hour = float(np.diff(OFFICE.busy(np.array([hours("2024-03-05T09:00"), hours("2024-03-05T10:00")])))[0])
    for start, end, worked in [
        ("2024-03-05T08:00", "2024-03-06T08:00", 8.5),
        ("2024-03-05T11:30", "2024-03-05T13:30", 1),
        ("2024-03-08T17:00", "2024-03-11T08:30", 1),  # over a weekend
        ("2024-12-24T17:00", "2024-12-27T09:00", 1.5),  # over two holidays
    ]:
        passed = float(np.diff(OFFICE.busy(np.array([hours(start), hours(end)])))[0]) / of_one_hour
        assert passed == pytest.approx(worked, abs=1e-3)


def test_a_week_without_holidays_has_the_same_days_and_hours() -> None:
    monday = Calendar.of({"days": ["Monday"], "hours": ["09:00-10:00"]})
    at = monday.week.local(np.array([10.0, 84.0, 150.0]))
    assert ((at // 24 + 3) % 7 == 0).all()  # weeks since 1970 begin on a Thursday
    assert np.allclose(at % 24, [9 + 10 / 168, 9.5, 9 + 150 / 168], atol=1e-3)


def test_a_year_has_about_as_many_hours_as_it_has() -> None:
    year = OFFICE.busy(np.array([hours("2024-01-01"), hours("2025-01-01")]))
    assert np.diff(year)[0] == pytest.approx(366 * 24, rel=0.02)


@examples(50)
@given(week=st.integers(0, 6700), part=st.floats(0.001, 0.999))
def test_parts_of_a_week_fall_into_its_work(week: int, part: float) -> None:
    at = float(OFFICE.within(np.array([week]), np.array([part]))[0])
    assert week * 168 <= at <= (week + 1) * 168
    when = datetime.fromtimestamp(at * 3600, UTC)
    clock = when.hour + when.minute / 60
    assert when.weekday() < 5
    assert 7.99 <= clock <= 17.51
    assert not 12.02 < clock < 12.98


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"day": ["Monday"]}, "does not know 'day': it has days, hours, holidays"),
        (["Monday"], "is no table: it has days, hours, holidays"),
        ({"days": "Monday"}, r"days must be a list, such as \[\"Monday\", \"Tuesday\"\]"),
        ({"days": ["Mon"]}, "'Mon' is no day; days are Monday, "),
        ({"days": []}, "needs at least one of the days"),
        ({"hours": ["8-17"]}, "'8-17' are no hours such as 08:00-17:00"),
        ({"hours": ["17:00-08:00"]}, "'17:00-08:00' are no hours"),
        ({"hours": ["08:00-24:30"]}, "'08:00-24:30' are no hours"),
        ({"hours": ["08:61-09:00"]}, "'08:61-09:00' are no hours"),
        ({"hours": [8]}, "8 are no hours"),
        ({"hours": ["08:00-12:00", "11:00-13:00"]}, "hours must not overlap"),
        ({"holidays": ["25 December"]}, "'25 December' is no date such as 2024-12-25"),
        ({"holidays": [3]}, "3 is no date"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(given_: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message) as raised:
        Calendar.of(given_)
    assert "calendar=" in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1
