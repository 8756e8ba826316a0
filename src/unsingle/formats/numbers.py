"""Numbers that are written as text, in columns that the schema of their source says are numbers."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np

from ..core.columns import Column, Field, Kind
from ..core.wording import quoted
from ..errors import CellError, argument

LARGEST = 2**53
"""Whole numbers up to this one are exact in a column of numbers."""


def with_numbers(column: Column, field: Field, source: str) -> Column:
    """A column of texts as the numbers that they are; `source` is for messages.

    >>> from unsingle.core.columns import Level
    >>> age = Field("age", Level.CASE, Kind.INTEGER)
    >>> with_numbers(Column.of_texts(replace(age, kind=Kind.TEXT), ["41", None]), age, "log.xes").cells()
    [41, None]
    """
    if field.kind is Kind.TEXT:
        return replace(column, field=field)
    numbers = [number_in(text, field.kind) for text in column.texts]
    if None in numbers:
        raise CellError(
            f"{source}: column {quoted(field.name)} holds {quoted(column.texts[numbers.index(None)])}, which is no "
            f"{field.kind.value} that can be kept exactly: correct it, or leave the column out of {argument('keep')}"
        )
    return Column.of_numbers(field, np.array([*numbers, np.nan], dtype=np.float64)[column.values])


def number_in(text: str, kind: Kind) -> float | None:
    """The number that a text is; None if it is none of this kind.

    >>> number_in("7", Kind.INTEGER), number_in("7.5", Kind.INTEGER), number_in("INF", Kind.NUMBER)
    (7.0, None, inf)
    """
    if "_" in text:  # which Python allows
        return None
    with contextlib.suppress(ValueError, OverflowError):
        number = int(text) if kind is Kind.INTEGER else float(text)
        return float(number) if kind is Kind.NUMBER or abs(number) <= LARGEST else None
    return None
