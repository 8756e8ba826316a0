"""How the number of cases under way follows the original's over time: work in progress."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats, Ints
from ...core.log import EventLog
from ..context import Context
from ..units import SHARE
from .base import MEASURES, DistanceMeasure, Number, Plot, SweepTable


class WorkInProgress(DistanceMeasure[float]):
    """Mean absolute error of the number of cases under way, as a share of its mean: the area between both curves."""

    name = "work_in_progress_error"
    rank = 81
    title = "cases under way over time"
    aspect = "the number of cases under way"
    meaning = "How far the number of cases under way is off on average, as a share of its mean in the original."
    unit = SHARE
    numbers = (
        Number(
            name,
            "under way",
            SHARE,
            plot=Plot("How far the number of cases under way is off", meaning, "error"),
            table=SweepTable.FLOW,
        ),
    )

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Compare the curves; more than all where the original has none, since its cases take no time."""
        usual = float((original.case_ends - original.case_starts).sum())
        off = _area_between(original, release)
        return off / usual if usual else (float("inf") if off else 0.0)


def _area_between(original: EventLog, release: EventLog) -> float:
    """The area between the curves of cases under way, in milliseconds: they change where a case begins or ends."""
    sides = (original.case_starts, release.case_ends), (original.case_ends, release.case_starts)
    more, less = (np.concatenate(side) for side in sides)
    moment, change = np.concatenate((more, less)), np.repeat([1, -1], [len(more), len(less)])
    order = np.argsort(moment, kind="stable")
    gap: Ints = np.abs(np.cumsum(change[order])[:-1])
    width: Floats = np.diff(moment[order]).astype(np.float64)
    return float((gap * width).sum())


WORK_IN_PROGRESS = WorkInProgress()
MEASURES.add(WORK_IN_PROGRESS)
