"""How far the values of cases moved given how they ended: which channel, age or amount leads to which outcome."""

from __future__ import annotations

from ...core.wording import percent
from ..context import Context
from ..kept import Kept
from ..total_variation import mean_total_variation
from .base import MEASURES
from .of_columns import ColumnMeasure


class CaseValuesByEnd(ColumnMeasure[float]):
    """Total variation of the values of cases given their last activity, by the original's frequencies."""

    name = "case_values_by_end"
    rank = 103
    title = "values by last activity"
    meaning = "The share of cases with the same last activity that would have to change their value."

    def fits(self, kept: Kept) -> bool:
        """Columns of which a case has one value."""
        return kept.of_cases

    def of_column(self, kept: Kept, context: Context) -> float:
        """Compare the distributions for all last activities."""
        last, value = context.last_activities, kept.values
        return mean_total_variation(last.before, value.before, last.after, value.after, len(last.names))

    def loss(self, value: float) -> float:
        """The measure itself."""
        return value

    def words(self, value: float) -> str:
        """The share in words."""
        return f"off by {percent(value)}"


CASE_VALUES_BY_END = CaseValuesByEnd()
MEASURES.add(CASE_VALUES_BY_END)
