"""Columns of logs from columns of polars."""

from __future__ import annotations

import numpy as np
import polars as pl

from ...core.columns import CASE_ID, MISSING, PERSON, Column, Field, Kind
from ...core.wording import quoted
from ...errors import ColumnError, argument
from ..numbers import LARGEST

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
