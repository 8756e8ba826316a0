"""How long after the start of their case events happen: the relative event distribution."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Ints
from ...core.clock import HOUR
from ...core.log import EventLog
from ..context import Context
from ..units import HOURS
from ..wasserstein import between
from .base import MEASURES, DistanceMeasure


class EventAges(DistanceMeasure[float]):
    """Distance between the distributions of the time from the start of a case to each of its events, in hours."""

    name = "event_age_distance_hours"
    rank = 48
    title = "events since the start of their case"
    meaning = "How far apart the times from the start of a case to its events lie (relative event distribution)."
    unit = HOURS
    in_sweep = False

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Compare the distributions."""
        return between(_ages(original), _ages(release)) / HOUR

    def scale(self, original: EventLog) -> float:
        """The mean time since the start of the case."""
        return float(_ages(original).mean()) / HOUR


def _ages(log: EventLog) -> Ints:
    """Milliseconds since the start of the case, of each event."""
    return log.time - np.repeat(log.case_starts, np.diff(log.case_offsets))


EVENT_AGES = EventAges()
MEASURES.add(EVENT_AGES)
