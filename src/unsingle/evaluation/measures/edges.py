"""What became of the edges of the directly-follows graph and of their frequencies."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Ints
from ...core.log import EventLog
from ..context import Context
from ..sets import SetChange, set_change
from ..units import SHARE
from .base import MEASURES, DistanceMeasure


class Edges(DistanceMeasure[SetChange]):
    """Edges between activities that were lost or are new, and how far their frequencies moved."""

    name = "edge_change"
    rank = 70
    title = "edges"
    says_more = True
    aspect = "frequencies of steps"
    meaning = "Which steps from activity to activity are lost or new, and the share of steps that would have to change."
    unit = SHARE
    in_sweep = False

    def of(self, original: EventLog, release: EventLog, context: Context) -> SetChange:
        """Compare the sets and their frequencies."""
        before, after = map(_present, context.directly_follows.counts)
        return set_change(before, after)

    def distance(self, value: SetChange) -> float:
        """The share of the frequencies that moved."""
        return value.frequency_distance

    def text(self, value: SetChange) -> str:
        """The change in words."""
        return str(value)


def _present(counts: Ints) -> dict[int, int]:
    """The pairs that occur, with how often."""
    number = np.flatnonzero(counts)
    return dict(zip(number.tolist(), counts[number].tolist(), strict=True))


EDGES = Edges()
MEASURES.add(EDGES)
