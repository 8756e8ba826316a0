"""Times that keep the rhythm of the week: steps take busy time, so that they end when there is work.

Durations were drawn without regard to the week. Here each step takes as much *busy* time, and how long it then takes by
the wall clock is compared, pair by pair, with what was drawn: the step that takes longest with the longest duration,
and so on. Each step's busy time is changed by that ratio, and all steps are placed again. After a few rounds pairs take
about as long as was drawn, and events fall into the hours in which the log has them. All of that works on noised
figures alone.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Ints, order_within, running_sum
from ..core.calendar import Calendar
from ..core.week import BusyClock
from .paths import ReleasedPaths

_ROUNDS, _CHANGE = 2, 0.7  # a step's busy time is changed by this power of the ratio
_MOST = 10.0  # and by no more than this, up or down
_TINY = 1e-9  # hours
_MICROSECONDS = 3_600_000_000.0  # of an hour


def placed(begun: Floats, took: Floats, row: Ints, paths: ReleasedPaths, clock: BusyClock | Calendar | None) -> Floats:
    """When each released event falls, in local hours, by when its case begins and how many hours each step takes."""
    first = np.repeat(begun, np.diff(paths.offsets))
    if clock is None:
        return first + _since_begin(took, paths)
    first = np.repeat(clock.busy(begun), np.diff(paths.offsets))
    long = np.flatnonzero(took > 0)
    busy, which, order = took.copy(), row[long], order_within(row[long], took[long])
    drawn = took[long][order]
    for _ in range(_ROUNDS):
        time = clock.local(first + _since_begin(busy, paths))
        takes = np.maximum(np.diff(time, prepend=0)[paths.later][long], 0)
        order = order_within(which, takes)
        ratio = np.clip((drawn + _TINY) / (takes[order] + _TINY), 1 / _MOST, _MOST)
        busy[long[order]] *= ratio**_CHANGE
    return clock.local(first + _since_begin(busy, paths))


def _since_begin(took: Floats, paths: ReleasedPaths) -> Floats:
    """The time since its case began at each event; whole microseconds, so that it does not depend on other cases."""
    steps = np.zeros(len(paths.activity), dtype=np.int64)
    most = 2**62 // int(np.diff(paths.offsets).max())  # so that no sum overflows
    steps[paths.later] = np.minimum(took * _MICROSECONDS, most)
    return running_sum(steps, paths.offsets) / _MICROSECONDS
