"""Writing tables of any columns as XES."""

from __future__ import annotations

import io
from collections.abc import Iterable
from itertools import pairwise
from typing import BinaryIO

import polars as pl

from ...core.columns import Kind
from ..schema import XES_CASE, XES_TYPES
from ..tables.columns import kind_of
from .writer import XML_ESCAPES, Types, attribute_text, head, is_of_trace, refuse_characters


def write_xes_frame(frame: pl.DataFrame, stream: BinaryIO, rows: int = 200_000) -> None:
    """Write all columns of a typed frame, cases one after the other."""
    types = {name: _type(dtype) for name, dtype in frame.schema.items()}
    begins = (frame[XES_CASE] != frame[XES_CASE].shift(1)).fill_null(True).arg_true().to_list()
    edges = [0, *(a for a, b in pairwise(begins) if b // rows > a // rows), frame.height]
    _write((frame[a:b] for a, b in pairwise(edges)), types, stream)


def _write(chunks: Iterable[pl.DataFrame], types: Types, stream: BinaryIO) -> None:
    """Write frames of whole cases."""
    refuse_characters(types)
    stream.write(head(types).encode())
    for chunk in chunks:
        stream.write(_traces(chunk.with_columns(_text(chunk[name], types[name]) for name in types), types))
    stream.write(b"</log>\n")


def _type(dtype: pl.DataType) -> str:
    """The XES type of a column."""
    if isinstance(dtype, pl.Datetime):
        return "date"
    return "boolean" if dtype == pl.Boolean else XES_TYPES[kind_of(dtype)]


def _text(column: pl.Series, type_: str) -> pl.Series:
    """The values as XES writes them."""
    if isinstance(column.dtype, pl.Datetime):
        return column.dt.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z")
    text = column.cast(pl.String)
    return text.replace({"inf": "INF", "-inf": "-INF"}) if type_ == XES_TYPES[Kind.NUMBER] else text


def _traces(chunk: pl.DataFrame, types: Types) -> bytes:
    """The text of all traces of the chunk, one line per event."""
    begins = pl.col(XES_CASE) != pl.col(XES_CASE).shift(1)
    ends = pl.col(XES_CASE) != pl.col(XES_CASE).shift(-1)
    of_trace = [name for name in chunk.columns if is_of_trace(name)]
    of_event = [name for name in chunk.columns if not is_of_trace(name)]
    trace = pl.concat_str(pl.lit("<trace>"), *(_attribute(name, types[name]) for name in of_trace), pl.lit("\n"))
    event = pl.concat_str(pl.lit("<event>"), *(_attribute(name, types[name]) for name in of_event), pl.lit("</event>"))
    lines = pl.concat_str(
        pl.when(begins.fill_null(True)).then(trace).otherwise(pl.lit("")),
        event,
        pl.when(ends.fill_null(True)).then(pl.lit("\n</trace>")).otherwise(pl.lit("")),
    )
    escaped = chunk.with_columns(_escaped(chunk[name]) for name in chunk.columns if types[name] == "string")
    text = io.BytesIO()
    escaped.select(lines).write_csv(text, include_header=False, quote_style="never")
    return text.getvalue()


def _attribute(name: str, type_: str) -> pl.Expr:
    """The element of an attribute; nothing where there is no value."""
    before, after = attribute_text(name, type_, "\0").split("\0")
    return pl.concat_str(pl.lit(before), pl.col(name), pl.lit(after)).fill_null("")


def _escaped(column: pl.Series) -> pl.Series:
    distinct = column.unique()
    refuse_characters(distinct.drop_nulls().to_list())
    return column.str.replace_many(list(XML_ESCAPES), list(XML_ESCAPES.values()))
