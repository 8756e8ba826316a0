"""How many cases are under way at the same time (the paper's Fig. 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Ints
from ...core.log import EventLog
from ..context import Context
from .base import MEASURES, Measure


@dataclass(frozen=True)
class Peak:
    """The most cases under way at one moment, before and after."""

    before: int
    after: int


class ActiveCases(Measure[Peak]):
    """The most cases under way at the same time, in the original and in the release."""

    name = "active_cases"
    rank = 80
    title = "cases under way"
    meaning = "The most cases that were under way at the same moment."
    in_sweep = False

    def of(self, original: EventLog, release: EventLog, context: Context) -> Peak:
        """Count at all moments at which a case begins: the number grows at no other."""
        before, after = (int(active_cases(log, log.case_starts).max()) for log in (original, release))
        return Peak(before, after)

    def text(self, value: Peak) -> str:
        """The peaks in words."""
        return f"at most {value.before:,} at once before, {value.after:,} after"


def active_cases(log: EventLog, moments: Ints) -> Ints:
    """How many cases have begun and not ended at each moment (the paper's Fig. 3).

    >>> log = EventLog.from_events(np.array([1, 1, 2]), np.array([0, 0, 0]), np.array([5, 9, 6]), ["A"])
    >>> active_cases(log, np.array([4, 5, 6, 7, 10])).tolist()
    [0, 1, 2, 1, 0]
    """
    begun = np.searchsorted(np.sort(log.case_starts), moments, side="right")
    return begun - np.searchsorted(np.sort(log.case_ends), moments, side="left")


ACTIVE_CASES = ActiveCases()
MEASURES.add(ACTIVE_CASES)
