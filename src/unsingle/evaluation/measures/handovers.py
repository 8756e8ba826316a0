"""How far handovers moved: from whom to whom work goes, from one event of a case to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Ints
from ...core.wording import percent
from ..context import Context
from ..kept import Alike, Kept
from ..total_variation import mean_total_variation
from .base import MEASURES
from .of_columns import ColumnMeasure

MOST_FREQUENT = 20
"""Values that have a row of their own in the smaller of the two matrices; all others share one."""


@dataclass(frozen=True)
class HandoverChange:
    """Total variation of the next value given the value before it: of all values, and of the most frequent ones."""

    all_values: float
    most_frequent: float

    def __str__(self) -> str:
        frequent = f"of the {MOST_FREQUENT} most frequent values {percent(self.most_frequent)}"
        return f"off by {percent(self.all_values)}, {frequent}"


class Handovers(ColumnMeasure[HandoverChange]):
    """Total variation of the rows of the handover matrix, by how often the original has each row."""

    name = "handovers"
    rank = 104
    title = "handovers"
    meaning = "The share of events whose value would have to change, given the value of the event before."

    def fits(self, kept: Kept) -> bool:
        """Texts of events."""
        return kept.is_text and not kept.of_cases

    def of_column(self, kept: Kept, context: Context) -> HandoverChange:
        """Compare the rows of both matrices."""
        later = later_events(context)
        return HandoverChange(_moved(kept.values, later), _moved(kept.values.pooled(MOST_FREQUENT), later))

    def loss(self, value: HandoverChange) -> float:
        """The change of the whole matrix."""
        return value.all_values

    def words(self, value: HandoverChange) -> str:
        """The change in words."""
        return str(value)


def later_events(context: Context) -> tuple[Ints, Ints]:
    """The events of both logs that have one before them in their case."""
    before, after = (np.flatnonzero(~log.is_first) for log in (context.original, context.release))
    return before, after


def _moved(values: Alike, later: tuple[Ints, Ints]) -> float:
    before, after = later
    source, target = values.at(before - 1, after - 1), values.at(before, after)
    return mean_total_variation(source.before, target.before, source.after, target.after, len(values.names))


HANDOVERS = Handovers()
MEASURES.add(HANDOVERS)
