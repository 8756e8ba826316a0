"""How far the numbers that events of each activity have moved: costs, amounts, results."""

from __future__ import annotations

from ..context import Context
from ..kept import Kept
from ..numbers import NumberChange, number_change
from .base import MEASURES
from .of_columns import ColumnMeasure


class NumbersByActivity(ColumnMeasure[NumberChange]):
    """Quartiles and distance of the numbers of each activity, and which share of its events has one."""

    name = "numbers_by_activity"
    rank = 101
    title = "numbers by activity"
    meaning = "How far the numbers of an activity are off, and their quartiles; 0 would be the same numbers."
    in_figures = True
    main = True

    def fits(self, kept: Kept) -> bool:
        """Numbers of events."""
        return not kept.is_text and not kept.of_cases

    def of_column(self, kept: Kept, context: Context) -> NumberChange:
        """Compare the distributions of all activities."""
        return number_change(kept, context.activities)

    def loss(self, value: NumberChange) -> float:
        """The distance as a share of the mean size."""
        return value.distance

    def words(self, value: NumberChange) -> str:
        """The change in words."""
        return str(value)


NUMBERS_BY_ACTIVITY = NumbersByActivity()
MEASURES.add(NUMBERS_BY_ACTIVITY)
