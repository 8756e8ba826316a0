"""Measures of kept columns: one value for each column that a measure is made for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from ...core.log import EventLog
from ..context import Context
from ..kept import Kept
from .base import MEASURES, Measure, V


class ColumnMeasure(Measure[dict[str, V]]):
    """A measure of each kept column that it `fits`, by the name of the column.

    Where it is `main`, it is the one that says how much of its columns is left, and `loss` is its one number.
    """

    in_sweep = False  # whose figures are the same for every log; see `costs`
    main = False

    @abstractmethod
    def fits(self, kept: Kept) -> bool:
        """Whether this column is measured."""

    @abstractmethod
    def of_column(self, kept: Kept, context: Context) -> V:
        """Measure one column."""

    @abstractmethod
    def loss(self, value: V) -> float:
        """How far the column is off: 0 if nothing changed."""

    @abstractmethod
    def words(self, value: V) -> str:
        """The value of one column in words."""

    def applies(self, context: Context) -> bool:
        """Whether there is any such column."""
        return any(map(self.fits, context.kept))

    def of(self, original: EventLog, release: EventLog, context: Context) -> dict[str, V]:
        """Measure all columns that fit."""
        return {kept.name: self.of_column(kept, context) for kept in context.kept if self.fits(kept)}

    def plain(self, value: dict[str, V]) -> dict[str, Any]:
        """All columns under the name of the measure."""
        return {self.name: {name: _plain(each) for name, each in value.items()}}

    def text(self, value: dict[str, V]) -> str:
        """The columns one after the other."""
        return "; ".join(f"{name} {self.words(each)}" for name, each in value.items())


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def losses(measures: Mapping[str, Any]) -> dict[str, float]:
    """How far each column is off, from the values of measures by name."""
    found: dict[str, float] = {}
    for name, value in measures.items():
        measure = MEASURES[name]
        if isinstance(measure, ColumnMeasure) and measure.main:
            found |= {column: measure.loss(each) for column, each in value.items()}
    return found
