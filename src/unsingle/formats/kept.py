"""Columns that are kept: what their values are, and why some columns cannot be kept. Each reason is one line."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..core.columns import Column, Kind
from ..core.log import EventLog
from ..core.wording import quoted
from ..errors import ColumnError, argument
from .numbers import has_decimal_comma
from .schema import column_name, kinds_of_types, public_columns
from .selection import Selection
from .wanted import Further

MOST_TEXTS = 5_000
"""Different texts that a column may have; one with more looks like an id."""

_DATE = "date"  # the XES type of times


def kind_by_types(types: Collection[str], further: Further, source: str) -> Kind:
    """What the values of an attribute of XES are, by the types that it has in the document."""
    if further.private is not None:
        return Kind.TEXT
    if _DATE in types:
        raise times_kept(further, source)
    if further.number:
        return Kind.NUMBER
    if len(kinds_of_types(types)) > 1:
        raise types_mixed(types, further, source)
    return kinds_of_types(types).pop() if types else Kind.TEXT


def times_kept(further: Further, source: str) -> ColumnError:
    """Why a column of times is refused."""
    return ColumnError(
        f"{source}: column {quoted(further.name)} holds dates or times, which cannot be kept: leave it out of "
        f"{argument(further.argument)}"
    )


def types_mixed(types: Collection[str], further: Further, source: str) -> ColumnError:
    """Why a column of several types is refused."""
    return ColumnError(
        f"{source}: column {quoted(further.name)} mixes types ({', '.join(sorted(types))}): if all are numbers, "
        f"declare it with {argument('numbers')}, else make them one, or leave it out of {argument(further.argument)}"
    )


def number_advice(text: str, further: Further) -> str:
    """What to do about a cell that is no number."""
    if has_decimal_comma(text):
        return f"give {argument('decimal_comma', 'True')} if a comma stands before decimals"
    declared = argument("numbers") if further.number else argument(further.argument)
    return f"correct them, leave those cells empty, or leave the column out of {declared}"


def refuse_unusable(log: EventLog, selection: Selection, source: str) -> None:
    """Refuse columns to keep that are empty, or that look like ids."""
    for column in public_columns(log):
        further = selection.kept[column_name(column.field)]
        if not column.present.any():
            raise ColumnError(
                f"{source}: column {quoted(further.name)} is empty throughout: leave it out of "
                f"{argument(further.argument)}"
            )
        if (many := _texts_in(column)) > MOST_TEXTS and not further.any_values:
            raise ColumnError(
                f"{source}: column {quoted(further.name)} has {many:,} different texts, more than {MOST_TEXTS:,}, so "
                f"it looks like an id: leave it out of {argument(further.argument)}, or give its values with "
                f"{argument('values')} if they are public"
            )


def _texts_in(column: Column) -> int:
    """How many different texts a column has; nobody needs to know if these are few."""
    if len(column.texts) <= MOST_TEXTS:
        return len(column.texts)
    return int(np.count_nonzero(np.bincount(column.values[column.present], minlength=len(column.texts))))
