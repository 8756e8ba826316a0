"""Columns beside case, activity and time: a value for each event, or for each case, with a name and a kind.

A reader makes only the columns that were asked for, so a log holds nothing else. Private columns (ids, persons, how
times were written) are for what looks at the original; no method takes them into a release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Ints

TRACE_ATTRIBUTE = "case:"
"""What the names of attributes of traces begin with in tables of XES logs."""


class Level(Enum):
    """What has one value, and where it stands: an event, a whole case, or a whole case on its first event.

    A value of a case is written as an attribute of its trace (`CASE`), or on the first of its events (`FIRST`).
    """

    EVENT = "event"
    CASE = "case"
    FIRST = "first event"


class Kind(Enum):
    """What values are: texts, whole numbers or any numbers."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"


@dataclass(frozen=True)
class Field:
    """The name of a column, what has one value of it, what its values are, and whether it must stay private."""

    name: str
    level: Level
    kind: Kind
    private: bool = False

    @property
    def of_cases(self) -> bool:
        """Whether a whole case has one value of it.

        >>> PERSON.of_cases, Field("org:role", Level.EVENT, Kind.TEXT).of_cases
        (True, False)
        """
        return self.level is not Level.EVENT

    @property
    def table_name(self) -> str:
        """The name of its column in tables: attributes of traces begin with ``case:``.

        >>> [Field("age", level, Kind.INTEGER).table_name for level in (Level.CASE, Level.FIRST)]
        ['case:age', 'age']
        """
        return f"{TRACE_ATTRIBUTE}{self.name}" if self.level is Level.CASE else self.name


CASE_ID = Field("case id", Level.CASE, Kind.TEXT, private=True)
"""The id that a case has in its source."""

PERSON = Field("person", Level.CASE, Kind.TEXT, private=True)
"""Whom a case is about, where one person can have several."""

UTC_OFFSET = Field("utc offset", Level.CASE, Kind.INTEGER, private=True)
"""The offset from UTC, in minutes, with which the first time of a case was written."""

MISSING = -1
"""The code of a text that is not there."""


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a field. Texts are numbered: `values` are their places in `texts`, or `MISSING`.

    Numbers are floating-point; one that is not there is not a number.

    >>> column = Column.of_texts(Field("role", Level.EVENT, Kind.TEXT), ["nurse", None, "nurse"])
    >>> column.values.tolist(), column.texts, column.cells()
    ([0, -1, 0], ('nurse',), ['nurse', None, 'nurse'])
    """

    field: Field
    values: NDArray[Any]
    texts: tuple[str, ...] = ()

    @classmethod
    def of_texts(cls, field: Field, cells: Sequence[str | None]) -> Column:
        """A column of texts, numbered as they appear."""
        number: dict[str, int] = {}
        codes = [MISSING if cell is None else number.setdefault(cell, len(number)) for cell in cells]
        return cls(field, np.array(codes, dtype=np.int32), tuple(number))

    @classmethod
    def of_numbers(cls, field: Field, values: NDArray[np.number[Any]]) -> Column:
        """A column of numbers."""
        return cls(field, values.astype(np.float64))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def present(self) -> Flags:
        """Which values are there."""
        there: Flags = self.values != MISSING if self.field.kind is Kind.TEXT else ~np.isnan(self.values)
        return there

    def take(self, rows: Ints) -> Column:
        """The values of these rows."""
        return replace(self, values=self.values[rows])

    def only(self, rows: Ints) -> Column:
        """As many values, but none is there except those of these rows.

        >>> column = Column.of_texts(Field("age", Level.EVENT, Kind.TEXT), ["40", "50"])
        >>> column.only(np.array([1])).cells()
        [None, '50']
        """
        values = np.full_like(self.values, MISSING if self.field.kind is Kind.TEXT else np.nan)
        values[rows] = self.values[rows]
        return replace(self, values=values)

    def first_in(self, offsets: Ints) -> Column:
        """The first value that is there in each run of rows; missing where a run has none.

        >>> column = Column.of_texts(Field("age", Level.CASE, Kind.TEXT), [None, "40", "50"])
        >>> column.first_in(np.array([0, 2, 3])).cells()
        ['40', '50']
        """
        place = np.where(self.present, np.arange(len(self)), len(self))
        first = np.minimum.reduceat(place, offsets[:-1]) if len(offsets) > 1 else place[:0]
        found = first < offsets[1:]
        return self.take(np.where(found, first, offsets[:-1]))

    def cells(self) -> list[str | int | float | None]:
        """The values as Python has them."""
        if self.field.kind is Kind.TEXT:
            return [None if code == MISSING else self.texts[code] for code in self.values.tolist()]
        whole = self.field.kind is Kind.INTEGER
        return [None if value != value else int(value) if whole else value for value in self.values.tolist()]
