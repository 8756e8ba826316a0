"""Service times: how long activities are worked on, from their start to their complete, in an original and its release.

The first start of an activity in a case belongs to the first complete after it, the second to the second, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Ints, row_of, running_maximum, running_sum, runs, stable_order
from ..core.log import ActivityParts, EventLog
from .directly_follows import means
from .kept import Alike
from .wasserstein import wasserstein

_START, _COMPLETE = "start", "complete"
_STEP = {_START: 1, _COMPLETE: -1}


class Lifecycle(NamedTuple):
    """What a label says: the activity, and 1 if it starts, -1 if it is completed, 0 for all else."""

    activity: str
    step: int


@dataclass(frozen=True, eq=False)
class _OfLog:
    """Activity and duration of each pair of a log, and of which activities starts have no complete."""

    activity: Ints
    duration: Ints
    unfinished: Ints


class Services:
    """The service times of both logs, by activity."""

    def __init__(self, original: EventLog, release: EventLog, lifecycles: dict[str, Lifecycle]) -> None:
        self.names = tuple(dict.fromkeys(each.activity for each in lifecycles.values()))
        self._before, self._after = (_services(log, lifecycles, self.names) for log in (original, release))

    @property
    def activities(self) -> Alike:
        """The activity of each pair of start and complete."""
        return Alike(self.names, self._before.activity, self._after.activity)

    @property
    def unfinished(self) -> Alike:
        """The activity of each start that is not completed."""
        return Alike(self.names, self._before.unfinished, self._after.unfinished)

    @property
    def means(self) -> tuple[Floats, Floats]:
        """The mean time from start to complete of each activity, in milliseconds; NaN where there is none."""
        before, after = (means(log.activity, log.duration, len(self.names)) for log in (self._before, self._after))
        return before, after

    @property
    def distance(self) -> Floats:
        """How far the times of each activity moved, in milliseconds; lost ones count as if they had become 0."""
        a, b = self._before, self._after
        distance = wasserstein(a.activity, a.duration, b.activity, b.duration, len(self.names))
        lost = np.isnan(distance)
        distance[lost] = self.means[0][lost]
        return distance


def lifecycles_of(original: EventLog, release: EventLog) -> dict[str, Lifecycle]:
    """What the labels of both logs say, if they tell starts from completes; else nothing."""
    parts = original.parts
    place = None if parts is None else _lifecycle_part(parts)
    if parts is None or place is None:
        return {}
    of_label = {**(release.parts.of_label if release.parts is not None else {}), **parts.of_label}
    return {
        label: _lifecycle(of_label[label], place) for label in {*original.labels, *release.labels} & of_label.keys()
    }


def _lifecycle_part(parts: ActivityParts) -> int | None:
    """Which part of a label says whether it is a start or a complete."""
    if parts.intervals:
        return len(parts.names) - 1
    for place in range(len(parts.names)):
        if {_START, _COMPLETE} <= {texts[place].casefold() for texts in parts.of_label.values()}:
            return place
    return None


def _lifecycle(parts: tuple[str, ...], place: int) -> Lifecycle:
    """The activity is what is left of a label without its lifecycle.

    >>> _lifecycle(("W_Call", "START"), 1)
    Lifecycle(activity='W_Call', step=1)
    """
    activity = "+".join(part for i, part in enumerate(parts) if i != place)
    return Lifecycle(activity, _STEP.get(parts[place].casefold(), 0))


def _services(log: EventLog, lifecycles: dict[str, Lifecycle], names: tuple[str, ...]) -> _OfLog:
    known = [lifecycles.get(label, Lifecycle(names[0], 0)) for label in log.labels]
    activity = np.array([names.index(each.activity) for each in known], dtype=np.int64)[log.activity]
    step = np.array([each.step for each in known], dtype=np.int64)[log.activity]
    event = np.flatnonzero(step)
    group = row_of(log.case_offsets)[event] * len(names) + activity[event]
    order = stable_order(group)
    event, offsets = event[order], runs(group[order])
    start, complete = _paired(step[event], offsets)
    unfinished = (step[event] == 1) & ~start
    return _OfLog(
        activity[event[start]], log.time[event[complete]] - log.time[event[start]], activity[event[unfinished]]
    )


def _paired(step: Ints, offsets: Ints) -> tuple[Flags, Flags]:
    """Which starts and which completes have a partner; the nth such start belongs to the nth such complete.

    >>> [side.tolist() for side in _paired(np.array([-1, 1, 1, -1]), np.array([0, 4]))]
    [[False, True, False, False], [False, False, False, True]]
    """
    balance = running_sum(step, offsets)  # starts without a complete so far
    missing = running_maximum(np.maximum(-balance, 0), offsets)  # completes without a start so far
    earlier = np.roll(missing, 1)
    earlier[offsets[:-1]] = 0
    complete = (step == -1) & (missing == earlier)
    finished = np.add.reduceat(complete.astype(np.int64), offsets[:-1]) if len(step) else np.empty(0, dtype=np.int64)
    rank = running_sum((step == 1).astype(np.int64), offsets)
    return (step == 1) & (rank <= np.repeat(finished, np.diff(offsets))), complete
