"""Columns of logs from and to columns of polars."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from ...core.columns import CASE_ID, MISSING, PERSON, Column, Field, Kind, Level
from ...core.log import EventLog
from ...core.wording import quoted
from ...errors import ColumnError, argument
from ..numbers import LARGEST
from ..schema import column_name, public_columns

NAMELESS = "\0"
"""What the id begins with that a case without a name is given, so that it is equal to no name."""


def kind_of(dtype: pl.DataType) -> Kind:
    """What the values of a column of polars are, by its type."""
    if dtype.is_integer():
        return Kind.INTEGER
    return Kind.NUMBER if dtype.is_float() or dtype.is_decimal() else Kind.TEXT


def column_of(cells: pl.Series, field: Field, source: str) -> Column:
    """The column of a field that has these cells; `source` is for messages."""
    if field.kind is Kind.TEXT:
        return _texts(cells.cast(pl.String), field)
    if field.kind is Kind.INTEGER and (cells.cast(pl.Int128).abs() > LARGEST).any():
        raise ColumnError(
            f"{source}: column {quoted(cells.name)} holds whole numbers of more than 15 digits: make them text, or "
            f"leave it out of {argument('keep')}"
        )
    return Column.of_numbers(field, cells.cast(pl.Float64).fill_null(np.nan).to_numpy())


def _texts(text: pl.Series, field: Field) -> Column:
    if field == PERSON:  # a blank is nobody's name
        text = text.set((text.str.strip_chars() == "").fill_null(False), None)
    if field == CASE_ID:
        text = text.set(text.str.starts_with(NAMELESS).fill_null(False), None)
    distinct = text.drop_nulls().unique(maintain_order=True)
    codes = text.cast(pl.Enum(distinct)).to_physical().cast(pl.Int32).fill_null(MISSING)
    return Column(field, codes.to_numpy(), tuple(distinct.to_list()))


def series_of(column: Column) -> pl.Series:
    """The cells of a column, typed."""
    values = column.values
    if column.field.kind is Kind.TEXT:
        texts = pl.Series([*column.texts, None], dtype=pl.String)
        return texts.gather(np.where(values == MISSING, len(column.texts), values))
    numbers = pl.Series(values, dtype=pl.Float64).fill_nan(None)
    return numbers.cast(pl.Int64) if column.field.kind is Kind.INTEGER else numbers


def public_series(log: EventLog, cases: slice | None = None) -> dict[str, pl.Series]:
    """All public columns with a cell for each event (of these cases), by their names in tables."""
    return {column_name(each.field): series_of(on_events(each, log, cases)) for each in public_columns(log)}


def on_events(column: Column, log: EventLog, cases: slice | None = None) -> Column:
    """A column with a value for each event (of these cases); that of a case stands on all of them, or on the first."""
    cases = slice(0, log.n_cases) if cases is None else cases
    offsets = log.case_offsets[cases.start : cases.stop + 1]
    if not column.field.of_cases:
        return replace(column, values=column.values[offsets[0] : offsets[-1]])
    repeated = replace(column, values=np.repeat(column.values[cases], np.diff(offsets)))
    return repeated.only(offsets[:-1] - offsets[0]) if column.field.level is Level.FIRST else repeated
