"""Running cases as a learner sees them: what happened so far, what comes next, and how long the case still takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unsingle import EventLog
from unsingle.core.arrays import Floats, Ints, positions, row_of
from unsingle.core.clock import HOUR

LAST = 3  # activities that a learner sees
END = "(end)"


class Prefixes(NamedTuple):
    """All beginnings of all cases: features, the next activity as a number, and the hours that are left."""

    features: Floats
    following: Ints
    hours_left: Floats

    @classmethod
    def of(cls, log: EventLog, labels: tuple[str, ...]) -> Prefixes:
        """One prefix for each event: the last activities, the place in the case, and the hours so far and since."""
        number = np.array([labels.index(label) for label in log.labels], dtype=np.int64)
        activity, place = number[log.activity], positions(log.case_offsets)
        case = row_of(log.case_offsets)
        seen = [np.where(place >= back, np.roll(activity, back), len(labels)) for back in range(LAST)]
        so_far = (log.time - log.case_starts[case]) / HOUR
        features = np.column_stack([*seen, place, np.log1p(so_far), np.log1p(log.durations / HOUR)])
        following = np.roll(activity, -1)
        following[log.case_offsets[1:] - 1] = len(labels)  # the end
        return cls(features.astype(np.float64), following, (log.case_ends[case] - log.time) / HOUR)
