"""How far service times moved: the time from the start of an activity to its complete."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.log import EventLog
from ...core.wording import percent
from ..context import Context
from ..services import Services
from ..total_variation import averaged
from ..wasserstein import Distance, distance_of
from .base import MEASURES, Measure


@dataclass(frozen=True)
class ServiceTimeChange:
    """How far service times moved: their distributions, their means, and how many starts have no complete.

    `mean_change` is how far the mean of an activity moved, on average, as a share of the mean of all.
    """

    distance: Distance
    mean_change: float
    pairs_before: int
    pairs_after: int
    unfinished_before: int
    unfinished_after: int

    @property
    def broken(self) -> int:
        """How many starts of the release have no complete beyond the share that has none in the original."""
        starts_before, starts_after = (
            self.pairs_before + self.unfinished_before,
            self.pairs_after + self.unfinished_after,
        )
        usual = self.unfinished_before / max(1, starts_before) * starts_after
        return max(0, round(self.unfinished_after - usual))

    def __str__(self) -> str:
        unfinished = f"starts without complete {self.unfinished_before:,} before, {self.unfinished_after:,} after"
        return f"{self.distance}, means off by {percent(self.mean_change)}; {unfinished}"


class ServiceTime(Measure[ServiceTimeChange]):
    """Distance of the times from start to complete by activity, by the original's frequencies."""

    name = "service_time"
    rank = 55
    title = "service times"
    meaning = "How far the time from the start of an activity to its complete is off."
    in_sweep = False
    in_figures = True

    def applies(self, context: Context) -> bool:
        """Whether labels tell starts from completes."""
        return context.services is not None

    def of(self, original: EventLog, release: EventLog, context: Context) -> ServiceTimeChange:
        """Average over all activities."""
        services = context.services or Services(original, release, {})
        pairs, unfinished = services.activities.counts, services.unfinished.counts
        mean_before, mean_after = map(np.nan_to_num, services.means)
        usual = averaged(mean_before, pairs[0])
        moved = averaged(np.abs(mean_after - mean_before), pairs[0])
        return ServiceTimeChange(
            distance_of(averaged(services.distance, pairs[0]), usual),
            distance_of(moved, usual).share_of_mean,
            *(int(count.sum()) for count in (*pairs, *unfinished)),
        )

    def text(self, value: ServiceTimeChange) -> str:
        """The change in words."""
        return str(value)

    def plain(self, value: ServiceTimeChange) -> dict[str, object]:
        """Distance, means and broken pairs."""
        return {
            "service_time_hours": value.distance.hours,
            "service_time_share": value.distance.share_of_mean,
            "service_time_mean_change": value.mean_change,
            "service_pairs_broken": value.broken,
        }


SERVICE_TIME = ServiceTime()
MEASURES.add(SERVICE_TIME)
