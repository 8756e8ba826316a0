"""Writing frames of any columns as XES: for synthetic logs, not for releases."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import BinaryIO

import polars as pl

from .columns import XES_CASE
from .xes_writer import ESCAPES, Kinds, attribute_text, head, is_of_trace, refuse_characters


def write_xes_frame(frame: pl.DataFrame, stream: BinaryIO, rows: int = 200_000) -> None:
    """Write all columns of a typed frame, cases one after the other."""
    kinds = {name: _kind(dtype) for name, dtype in frame.schema.items()}
    text = frame.with_columns(_text(frame[name], kind) for name, kind in kinds.items() if kind != "string")
    begins = (frame[XES_CASE] != frame[XES_CASE].shift(1)).fill_null(True).arg_true().to_list()
    edges = [0, *(a for a, b in pairwise(begins) if b // rows > a // rows), frame.height]
    stream.write(head(kinds).encode())
    for a, b in pairwise(edges):
        stream.write(_traces(text[a:b], kinds))
    stream.write(b"</log>\n")


def _kind(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Datetime):
        return "date"
    if dtype.is_integer():
        return "int"
    return "float" if dtype.is_float() else "boolean" if dtype == pl.Boolean else "string"


def _text(column: pl.Series, kind: str) -> pl.Series:
    return column.dt.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z") if kind == "date" else column.cast(pl.String)


def _traces(chunk: pl.DataFrame, kinds: Kinds) -> bytes:
    """The text of all traces of the chunk, one line per event."""
    begins = pl.col(XES_CASE) != pl.col(XES_CASE).shift(1)
    ends = pl.col(XES_CASE) != pl.col(XES_CASE).shift(-1)
    of_trace = [name for name in chunk.columns if is_of_trace(name)]
    of_event = [name for name in chunk.columns if not is_of_trace(name)]
    trace = pl.concat_str(pl.lit("<trace>"), *(_attribute(name, kinds[name]) for name in of_trace), pl.lit("\n"))
    event = pl.concat_str(pl.lit("<event>"), *(_attribute(name, kinds[name]) for name in of_event), pl.lit("</event>"))
    lines = pl.concat_str(
        pl.when(begins.fill_null(True)).then(trace).otherwise(pl.lit("")),
        event,
        pl.when(ends.fill_null(True)).then(pl.lit("\n</trace>")).otherwise(pl.lit("")),
    )
    escaped = chunk.with_columns(_escaped(chunk[name]) for name in chunk.columns if kinds[name] == "string")
    text = io.BytesIO()
    escaped.select(lines).write_csv(text, include_header=False, quote_style="never")
    return text.getvalue()


def _attribute(name: str, kind: str) -> pl.Expr:
    """The element of an attribute; nothing where there is no value."""
    before, after = attribute_text(name, kind, "\0").split("\0")
    return pl.concat_str(pl.lit(before), pl.col(name), pl.lit(after)).fill_null("")


def _escaped(column: pl.Series) -> pl.Series:
    distinct = column.unique()
    refuse_characters(distinct.drop_nulls().to_list())
    return column.str.replace_many(list(ESCAPES), list(ESCAPES.values()))
