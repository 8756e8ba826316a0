"""How far durations between events moved: the time distance."""

from __future__ import annotations

import numpy as np

from ...core.log import EventLog
from ..context import Context
from ..scales import mean_step_hours
from ..units import HOURS, SHARE
from ..wasserstein import Distance, distance_of
from .base import MEASURES, DistanceMeasure, Number, Plot


class TimeDistance(DistanceMeasure[Distance]):
    """Mean distance of the durations per directly-follows pair, by the original's frequencies.

    A pair that the release lost counts as if all its durations had become 0.
    """

    name = "time_distance"
    rank = 30
    title = "time distance"
    aspect = "durations between events"
    meaning = "How far the time between two events is off on average; 0 would be the same times."
    unit = HOURS
    numbers = (
        Number("time_distance_hours", title, HOURS, lambda value: value.hours),
        Number(
            "time_distance_share",
            "of mean",
            SHARE,
            lambda value: value.share_of_mean,
            Plot(
                "How far times are off",
                "Average error in the time between events, as a share of the mean (logarithmic): below 10% times are "
                "close to the truth, above 50% they are lost.",
                "error in times",
                logarithmic=True,
            ),
        ),
    )
    in_figures = True

    def of(self, original: EventLog, release: EventLog, context: Context) -> Distance:
        """Average the distances of all pairs."""
        pairs = context.directly_follows
        weight = pairs.counts[0]
        if not weight.any():
            return Distance(0.0, 0.0)
        known = weight > 0
        total = (original.case_ends - original.case_starts).sum()
        average = float(np.average(pairs.distance[known], weights=weight[known]))
        return distance_of(average, float(total / weight.sum()))

    def scale(self, original: EventLog) -> float:
        """The mean time between two events."""
        return mean_step_hours(original)

    def text(self, value: Distance) -> str:
        """The distance in words."""
        return str(value)


TIME_DISTANCE = TimeDistance()
MEASURES.add(TIME_DISTANCE)


def time_distance(original: EventLog, release: EventLog) -> Distance:
    """Mean distance of the durations per directly-follows pair, by the original's frequencies."""
    return TIME_DISTANCE.of(original, release, Context(original, release))
