"""The week and the flow of cases in releases, beside what two halves of a log differ: a table of `bench methods`."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from unsingle import EventLog, Release
from unsingle.core.wording import percent
from unsingle.evaluation.floors import floors
from unsingle.evaluation.making import context_of
from unsingle.evaluation.measures.base import MEASURES, DistanceMeasure
from unsingle.evaluation.measures.office_hours import IN_OFFICE_HOURS
from unsingle.evaluation.measures.outside_span import OUTSIDE_SPAN

HALVES = "two halves"
DISTANCES = {
    "case_duration_distance": "case durations",
    "start_distance_hours": "case starts",
    "event_age_distance_hours": "events since case start",
    "circadian_hours": "hours of the day",
    "weekday_distance": "days of the week",
    "work_in_progress_error": "cases under way",
    "trigram_distance": "3-grams",
}
HEADER = ["log", "delta", "method", *DISTANCES.values(), "in office hours", "outside the span"]


def _measure(name: str) -> DistanceMeasure:  # type: ignore[type-arg]
    found = MEASURES[name]
    assert isinstance(found, DistanceMeasure)
    return found


class Flow:
    """A log with its floors, and what releases of it look like beside them."""

    def __init__(self, name: str, log: EventLog) -> None:
        self.name, self.log = name, log
        self.floors = floors(log, lambda each: each.name in DISTANCES)

    def halves(self) -> list[str]:
        """The row of the floors."""
        texts = [_measure(name).unit.text(self.floors[name]) for name in DISTANCES]
        return [self.name, "–", HALVES, *texts, "–", "–"]

    def row(self, delta: float, method: str, releases: Sequence[Release]) -> list[str]:
        """The means of some releases, as multiples of the floors."""
        if not releases:
            return [self.name, f"{delta:g}", method, *["nothing left"] * (len(DISTANCES) + 2)]
        contexts = [context_of(self.log, release) for release in releases]
        cells = []
        for name in DISTANCES:
            measure = _measure(name)
            distance = mean(measure.distance(measure.of(c.original, c.release, c)) for c in contexts)
            floor = self.floors[name]
            times = f"{distance / floor:.1f} ×" if floor else "0" if distance == 0 else "∞"
            cells.append(f"{times} ({measure.unit.text(distance)})")
        office = [IN_OFFICE_HOURS.of(c.original, c.release, c) for c in contexts]
        outside = mean(OUTSIDE_SPAN.of(c.original, c.release, c) for c in contexts)
        hours = f"{percent(office[0].before)} → {percent(mean(each.after for each in office))}"
        return [self.name, f"{delta:g}", method, *cells, hours, percent(outside)]
