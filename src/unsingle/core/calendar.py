"""A public calendar: the hours and days at which work is done, and the holidays, as a clock of working time.

It runs while there is work and stands nearly still at all other times, so that what takes a working hour ends within
the hours of work. It says nothing of the log, so it costs nothing of the budget.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ParameterError, argument
from .arrays import Floats, Ints
from .week import HOURS_OF_WEEK, BusyClock

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

CALENDAR_KEYS = ("days", "hours", "holidays")
_FIRST, _AFTER = date(1970, 1, 1), date(2101, 1, 1)  # beyond these, time passes evenly
_IDLE = 1e-6  # of a working hour passes in an hour without work, so that every moment has a working time of its own
_SPAN = re.compile(r"(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})")


@dataclass(frozen=True)
class Calendar:
    """Working time: spans of hours, the same on each working day, and holidays, on the clock of the log.

    >>> office = Calendar.of({"hours": ["08:00-12:00", "13:00-17:00"], "holidays": ["1970-01-01"]})
    >>> office.within(np.array([0]), np.array([0.125])).round().tolist()  # on the Friday: the Thursday was a holiday
    [36.0]
    """

    days: tuple[int, ...]
    hours: tuple[tuple[float, float], ...]
    holidays: tuple[date, ...] = ()

    @classmethod
    def of(cls, given: Any) -> Calendar:
        """The calendar as a user writes it; raises `ParameterError` that says what is wrong with it."""
        known = ", ".join(CALENDAR_KEYS)
        if not isinstance(given, Mapping):
            raise ParameterError(f"{argument('calendar')} is no table: it has {known}")
        if unknown := [key for key in given if key not in CALENDAR_KEYS]:
            raise ParameterError(f"{argument('calendar')} does not know {unknown[0]!r}: it has {known}")
        days = tuple(sorted({_day(each) for each in _texts(given, "days", _DAYS[:5])}))
        hours = tuple(sorted(_span(each) for each in _texts(given, "hours", ("00:00-24:00",))))
        if not days or not hours:
            raise ParameterError(f"{argument('calendar')} needs at least one of the days and one of the hours")
        if any(end > start for (_, end), (start, _) in pairwise(hours)):
            raise ParameterError(f"{argument('calendar')}: hours must not overlap")
        return cls(days, hours, tuple(sorted({_date(each) for each in _texts(given, "holidays", ())})))

    @cached_property
    def week(self) -> BusyClock:
        """The same for any week without holidays."""
        work = np.full(HOURS_OF_WEEK * 60, _IDLE)
        for day in self.days:
            begin = (day - _FIRST.weekday()) % 7 * 24
            for start, end in self.hours:
                work[round((begin + start) * 60) : round((begin + end) * 60)] = 1
        return BusyClock.of(work.reshape(HOURS_OF_WEEK, 60).mean(axis=1))

    def busy(self, local: Floats) -> Floats:
        """The working time at each local time, in hours since 1970; an hour of it is an hour of the log on average."""
        return _interpolated(local, *self._points)

    def local(self, busy: Floats) -> Floats:
        """The local time at each working time."""
        return _interpolated(busy, *reversed(self._points))

    def within(self, weeks: Ints, part: Floats) -> Floats:
        """The local time at which this part of the work of a week (since 1970) is done."""
        first, after = (self.busy((weeks + more).astype(np.float64) * HOURS_OF_WEEK) for more in (0, 1))
        return self.local(first + part * (after - first))

    @cached_property
    def _points(self) -> tuple[Floats, Floats]:
        """The moments at which work begins or ends, and the working time at each."""
        days = np.arange((_AFTER - _FIRST).days)
        works = np.isin((days + _FIRST.weekday()) % 7, self.days)
        works[[(each - _FIRST).days for each in self.holidays if _FIRST <= each < _AFTER]] = False
        of_day = np.array(self.hours).ravel()
        moments = (days[works][:, None] * 24.0 + of_day).ravel()
        moments = np.concatenate(([0.0], moments, [24.0 * len(days)]))
        rate = np.full(len(moments) - 1, _IDLE)
        rate[1::2] = 1
        passed = np.concatenate(([0.0], np.cumsum(np.diff(moments) * rate)))
        return moments, passed * (moments[-1] / passed[-1])


def _interpolated(at: Floats, x: Floats, y: Floats) -> Floats:
    """The line through these points, which goes on evenly beyond them."""
    inside = np.interp(at, x, y)
    return np.where(at < x[0], y[0] + (at - x[0]), np.where(at > x[-1], y[-1] + (at - x[-1]), inside))


def _texts(given: Mapping[str, Any], key: str, default: Sequence[str]) -> Sequence[Any]:
    found = given.get(key, default)
    if isinstance(found, str) or not isinstance(found, Sequence):
        raise ParameterError(f"{argument('calendar')}: {key} must be a list, such as {_EXAMPLES[key]}")
    return found


_EXAMPLES = {"days": '["Monday", "Tuesday"]', "hours": '["08:00-17:00"]', "holidays": '["2024-12-25"]'}


def _day(text: Any) -> int:
    found = [number for number, name in enumerate(_DAYS) if isinstance(text, str) and name.lower() == text.lower()]
    if not found:
        raise ParameterError(f"{argument('calendar')}: {text!r} is no day; days are {', '.join(_DAYS)}")
    return found[0]


def _span(text: Any) -> tuple[float, float]:
    """The hours of a span.

    >>> _span("08:30-17:00")
    (8.5, 17.0)
    """
    match = _SPAN.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is not None:
        first, first_minute, last, last_minute = map(int, match.groups())
        start, end = first + first_minute / 60, last + last_minute / 60
        if max(first_minute, last_minute) < 60 and start < end <= 24:
            return start, end
    raise ParameterError(f"{argument('calendar')}: {text!r} are no hours such as 08:00-17:00")


def _date(given: Any) -> date:
    try:
        return given if isinstance(given, date) else date.fromisoformat(given)
    except (TypeError, ValueError):
        raise ParameterError(f"{argument('calendar')}: {given!r} is no date such as 2024-12-25") from None
