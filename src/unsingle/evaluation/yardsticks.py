"""Each distance beside its floor, what two random halves of the original differ, and what that says in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from ..core.log import EventLog
from ..core.wording import percent, shown_share
from .floors import floors
from .measures.base import MEASURES, DistanceMeasure, Measure

HALVES = "what two halves of your log differ"


class Grade(StrEnum):
    """What can be said of a distance."""

    CLOSE = "close to the original"
    ROUGH = "roughly right"
    LOST = "not to be relied on"


_CLOSE, _FAR = 3, 10  # times the floor
_SLIGHT, _SMALL, _LARGE = 0.02, 0.1, 0.5  # shares
_HUGE = 10  # shares that are still written in percent, for beside them stand multiples of the floor


@dataclass(frozen=True)
class Yardstick:
    """A distance, and how far two random halves of the original are apart by the same measure.

    `aspect` is what of the log it is about. `distance` and `floor` are in the unit of the measure; `share` is the
    distance as a share of what it can be compared with: the mean duration, the span of the log, a day, or everything.
    The floor of a log of one case is not a number.
    """

    name: str
    aspect: str
    distance: float
    floor: float
    share: float

    @property
    def times(self) -> float:
        """The distance in multiples of the floor, with the digits that are shown."""
        if self.floor != self.floor:
            return math.nan
        if self.distance == 0:
            return 0.0
        times = self.distance / self.floor if self.floor else math.inf
        return times if math.isinf(times) else round(times, 1 if times < _FAR else None)

    @property
    def grade(self) -> Grade:
        """What can be said of it, from `times` and `share` as they are shown."""
        share, times = shown_share(self.share), self.times
        if share > _LARGE or (share > _SMALL and times > _FAR):
            return Grade.LOST
        if share <= _SLIGHT or times <= _CLOSE or (times != times and share <= _SMALL):
            return Grade.CLOSE
        return Grade.ROUGH

    @property
    def beside(self) -> str:
        """The distance beside its floor, in words."""
        if self.times != self.times:
            return "the log is too small to be halved"
        if math.isinf(self.times):
            return "two halves of your log do not differ in it"
        return "no difference" if self.times == 0 and self.distance == 0 else f"{self.times_text} {HALVES}"

    @property
    def times_text(self) -> str:
        """The multiple in words."""
        return "less than 0.1 times" if self.times < 0.1 else f"{self.times:,g} times"

    @property
    def share_text(self) -> str:
        """The share in words."""
        return f"{self.share:,.0%}" if _HUGE <= self.share < math.inf else percent(self.share)

    def to_dict(self) -> dict[str, Any]:
        """All figures, and the grade."""
        return {**asdict(self), "times": self.times, "grade": str(self.grade)}

    def cells(self) -> tuple[str, ...]:
        """Distance, share, floor, multiple and grade as text."""
        unit = MEASURES[self.name].unit
        times = "–" if self.times != self.times else "∞" if math.isinf(self.times) else f"{self.times:,g} ×"
        return unit.text(self.distance), self.share_text, unit.text(self.floor), times, str(self.grade)


def yardsticks(
    original: EventLog, measures: Mapping[str, Any], wanted: Callable[[Measure[Any]], bool]
) -> tuple[Yardstick, ...]:
    """The distances among the values of these measures, each beside its floor."""
    floor = floors(original, wanted)
    found = ((MEASURES[name], value) for name, value in measures.items())
    return tuple(
        _yardstick(measure, measure.distance(value), floor.get(measure.name, math.nan), measure.scale(original))
        for measure, value in found
        if isinstance(measure, DistanceMeasure)
    )


def _yardstick(measure: DistanceMeasure[Any], distance: float, floor: float, scale: float) -> Yardstick:
    share = distance / scale if scale else (math.inf if distance else 0.0)
    return Yardstick(measure.name, measure.aspect or measure.title, distance, floor, share)


def summed_up(found: Sequence[Yardstick]) -> str:
    """What the distances say together: which are close to the original, and how far the others are off.

    Nothing but `grade`, `share` and `times` of each is used, and all of them are shown.
    """
    graded = {grade: [each for each in found if each.grade is grade] for grade in Grade}
    parts = (
        ("Close to the original", ", ".join(each.aspect for each in graded[Grade.CLOSE])),
        ("Roughly right", _told(graded[Grade.ROUGH])),
        ("Not to be relied on", _told(graded[Grade.LOST])),
    )
    said = " ".join(f"{heading}: {those}." for heading, those in parts if those)
    return said.replace(" times)", f" times {HALVES})", 1)


def _told(found: Iterable[Yardstick]) -> str:
    """Aspects with what their grade follows from."""
    return ", ".join(f"{each.aspect} (off by {each.share_text}{_multiple(each)})" for each in found)


def _multiple(each: Yardstick) -> str:
    if math.isinf(each.times):
        return ", where two halves of your log do not differ"
    return f", {each.times_text}" if math.isfinite(each.times) else ""
