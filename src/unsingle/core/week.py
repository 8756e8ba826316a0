"""Busy time: a clock that runs as fast as there is work, by the hours of the week.

Where half of all work is done on Mondays, half of a week of busy time passes on each Monday; every week has 168 busy
hours. So a moment drawn evenly over busy time falls when there is work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Floats

HOURS_OF_WEEK = 168
"""Hours of a week. Weeks begin on a Thursday at midnight, as 1970 did."""

WEEKEND = (2, 3)
"""The days of such a week that are Saturday and Sunday, counted from 0."""


@dataclass(frozen=True, eq=False)
class BusyClock:
    """Turns local time into busy time and back, both in hours since 1970.

    `passed` says how many busy hours of a week have passed at the beginning of each of its hours, and at its end.

    >>> clock = BusyClock.of(np.repeat([0.5, 1.5], 84))
    >>> clock.busy(np.array([0.0, 84.0, 168.0])).tolist()
    [0.0, 42.0, 168.0]
    >>> clock.local(np.array([0.0, 42.0, 168.0])).tolist()
    [0.0, 84.0, 168.0]
    """

    passed: Floats

    @classmethod
    def of(cls, work: Floats) -> BusyClock:
        """The clock for so much work in each hour of the week, each above 0."""
        passed = np.concatenate(([0.0], np.cumsum(work)))
        passed *= HOURS_OF_WEEK / passed[-1]
        return cls(passed)

    def busy(self, local: Floats) -> Floats:
        """The busy time at each local time."""
        week = np.floor(local / HOURS_OF_WEEK) * HOURS_OF_WEEK
        return week + np.interp(local - week, np.arange(HOURS_OF_WEEK + 1), self.passed)

    def local(self, busy: Floats) -> Floats:
        """The local time at each busy time."""
        week = np.floor(busy / HOURS_OF_WEEK) * HOURS_OF_WEEK
        return week + np.interp(busy - week, self.passed, np.arange(HOURS_OF_WEEK + 1))
