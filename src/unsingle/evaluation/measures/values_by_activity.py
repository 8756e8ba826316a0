"""How far the values that events of each activity have moved: who does what."""

from __future__ import annotations

from ...core.wording import percent
from ..context import Context
from ..kept import Kept
from ..total_variation import mean_total_variation
from .base import MEASURES
from .of_columns import ColumnMeasure


class ValuesByActivity(ColumnMeasure[float]):
    """Total variation of the values given the activity, by the original's frequencies; no value counts as a value."""

    name = "values_by_activity"
    rank = 100
    title = "values by activity"
    meaning = "The share of events of an activity that would have to change their value to match the original."
    in_figures = True
    main = True

    def fits(self, kept: Kept) -> bool:
        """Texts of events."""
        return kept.is_text and not kept.of_cases

    def of_column(self, kept: Kept, context: Context) -> float:
        """Compare the distributions of all activities."""
        activity, value = context.activities, kept.values
        return mean_total_variation(activity.before, value.before, activity.after, value.after, len(activity.names))

    def loss(self, value: float) -> float:
        """The measure itself."""
        return value

    def words(self, value: float) -> str:
        """The share in words."""
        return f"off by {percent(value)}"


VALUES_BY_ACTIVITY = ValuesByActivity()
MEASURES.add(VALUES_BY_ACTIVITY)
