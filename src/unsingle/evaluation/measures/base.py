"""What a measure is, and the registry of all measures. A new measure is one more module beside this one.

A measure compares a release with its original, so its figures are private. Sweeps, comparisons, and the tables and
reports made of them, take their measures from `MEASURES`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Generic, TypeVar

from ...core.log import EventLog
from ...core.registry import Registry
from ..context import Context
from ..units import NUMBER, Unit

V = TypeVar("V")


class SweepTable(Enum):
    """The tables of a sweep in the terminal, and none of them."""

    COSTS = "what delta costs"
    FLOW = "the week and the flow of cases"
    NONE = ""


@dataclass(frozen=True)
class Plot:
    """How a sweep's report plots a number over delta."""

    heading: str
    sentence: str
    axis: str
    logarithmic: bool = False


@dataclass(frozen=True)
class Number:
    """One number of a measure: its name in data, its title in tables, its unit, and how it follows from the value.

    `table` is which of the command's tables it stands in; they have little room.
    """

    name: str
    title: str
    unit: Unit = NUMBER
    of: Callable[[Any], float] = float
    plot: Plot | None = None
    table: SweepTable = SweepTable.COSTS


class Measure(ABC, Generic[V]):
    """A figure that says how close a release is to its original: one class, one file.

    `name` is its key in data, `title` stands in tables, and `meaning` says in one sentence what it tells. `unit` is
    enough for a single number; a measure with a value of several parts names them as `numbers`.
    """

    name: ClassVar[str]
    rank: ClassVar[int] = 1000
    title: ClassVar[str]
    meaning: ClassVar[str]
    unit: ClassVar[Unit] = NUMBER
    numbers: ClassVar[tuple[Number, ...]] = ()

    in_sweep: ClassVar[bool] = True
    in_comparison: ClassVar[bool] = True
    in_figures: ClassVar[bool] = False
    """Whether it is measured of every release that is made; those measures must be fast."""
    each_run: ClassVar[bool] = True
    """Whether a sweep measures it in every run; else in the first, because all are about the same."""

    @abstractmethod
    def of(self, original: EventLog, release: EventLog, context: Context) -> V:
        """Measure the release; `context` tells how it was made and keeps what several measures need."""

    def applies(self, context: Context) -> bool:
        """Whether there is anything to measure in these logs."""
        return True

    def columns(self) -> tuple[Number, ...]:
        """The numbers that tables show."""
        return self.numbers or (Number(self.name, self.title, self.unit),)

    def figures(self, value: V) -> dict[str, float]:
        """The numbers of a value, by name."""
        return {number.name: number.of(value) for number in self.columns()}

    def plain(self, value: V) -> dict[str, Any]:
        """The value under the names that it has in the summary of a release."""
        return self.figures(value)

    def text(self, value: V) -> str:
        """The value in words."""
        return ", ".join(number.unit.text(number.of(value)) for number in self.columns())


class DistanceMeasure(Measure[V]):
    """A measure that is 0 where nothing changed, and grows with what did; `unit` is that of its distance.

    Beside it stands its floor: what it finds between two random halves of the original.
    """

    says_more: ClassVar[bool] = False
    """Whether the value in words says more than its distance."""
    aspect: ClassVar[str] = ""
    """What of a log it is about, as a sentence says it; empty if the title says it already."""

    def distance(self, value: V) -> float:
        """How far the release is from the original."""
        return self.columns()[0].of(value)

    def scale(self, original: EventLog) -> float:
        """What the distance is seen as a share of, in the same unit: of everything, if it is a share itself."""
        return 1.0


MEASURES: Registry[Measure[Any]] = Registry("measure", __package__)
"""All measures."""


def measured(context: Context, wanted: Callable[[Measure[Any]], bool]) -> dict[str, Any]:
    """The values of the wanted measures by name; those that do not apply to these logs are left out."""
    applying = (each for each in chosen(wanted) if each.applies(context))
    return {each.name: each.of(context.original, context.release, context) for each in applying}


def chosen(wanted: Callable[[Measure[Any]], bool]) -> Iterator[Measure[Any]]:
    """The wanted measures in their order."""
    return (each for each in MEASURES.values() if wanted(each))


def rows_of(values: dict[str, Any]) -> list[tuple[str, str]]:
    """Title and text of each value."""
    return [(MEASURES[name].title, MEASURES[name].text(value)) for name, value in values.items()]
