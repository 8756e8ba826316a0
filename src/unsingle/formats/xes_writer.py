"""Writing XES (IEEE 1849) column by column."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import BinaryIO

import polars as pl

from ..errors import OutputError
from .columns import XES_ACTIVITY, XES_CASE, XES_TIME

Kinds = Mapping[str, str]
"""The XES type of each column; what is not named is a string."""

LOG_KINDS: Kinds = {XES_CASE: "string", XES_ACTIVITY: "string", XES_TIME: "date"}

_NAMESPACE = "http://www.xes-standard.org/"
_EXTENSIONS = {"concept": "Concept", "lifecycle": "Lifecycle", "org": "Organizational", "time": "Time"}
_DEFAULTS = {
    "date": "1970-01-01T00:00:00.000+00:00",
    "int": "0",
    "float": "0.0",
    "boolean": "false",
    "string": "",
}
_TRACE_ATTRIBUTE = "case:"
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
_NEEDS_ESCAPE = '[&<>"\n\r\t]'
_NOT_IN_XML = "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"


def write_xes(chunks: Iterable[pl.DataFrame], kinds: Kinds, stream: BinaryIO) -> None:
    """Write frames of text, each of whole cases; columns ``case:...`` are attributes of the trace."""
    stream.write(_head(kinds).encode())
    for chunk in chunks:
        stream.write(_traces(chunk, kinds))
    stream.write(b"</log>\n")


def write_xes_frame(frame: pl.DataFrame, stream: BinaryIO, rows: int = 200_000) -> None:
    """Write all columns of a typed frame, cases one after the other."""
    kinds = {name: _kind(dtype) for name, dtype in frame.schema.items()}
    text = frame.with_columns(_text(frame[name], kind) for name, kind in kinds.items() if kind != "string")
    begins = (frame[XES_CASE] != frame[XES_CASE].shift(1)).fill_null(True).arg_true().to_list()
    edges = [0, *(a for a, b in pairwise(begins) if b // rows > a // rows), frame.height]
    write_xes((text[a:b] for a, b in pairwise(edges) if b > a), kinds, stream)


def _kind(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Datetime):
        return "date"
    if dtype.is_integer():
        return "int"
    return "float" if dtype.is_float() else "boolean" if dtype == pl.Boolean else "string"


def _text(column: pl.Series, kind: str) -> pl.Series:
    return column.dt.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z") if kind == "date" else column.cast(pl.String)


def _head(kinds: Kinds) -> str:
    prefixes = sorted({name.removeprefix(_TRACE_ATTRIBUTE).split(":")[0] for name in kinds} & set(_EXTENSIONS))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<log xes.version="1849.2016" xmlns="{_NAMESPACE}">']
    lines += [
        f'<extension name="{_EXTENSIONS[prefix]}" prefix="{prefix}" uri="{_NAMESPACE}{prefix}.xesext"/>'
        for prefix in prefixes
    ]
    for scope, of_trace in (("trace", True), ("event", False)):
        names = [name for name in (XES_CASE, XES_ACTIVITY, XES_TIME) if _is_of_trace(name) == of_trace]
        values = "".join(_attribute_text(name, kinds[name], _DEFAULTS[kinds[name]]) for name in names)
        lines.append(f'<global scope="{scope}">{values}</global>')
    lines.append(f'<classifier name="Activity" keys="{XES_ACTIVITY}"/>')
    return "\n".join(lines) + "\n"


def _traces(chunk: pl.DataFrame, kinds: Kinds) -> bytes:
    """The text of all traces of the chunk, one line per event."""
    begins = pl.col(XES_CASE) != pl.col(XES_CASE).shift(1)
    ends = pl.col(XES_CASE) != pl.col(XES_CASE).shift(-1)
    of_trace = [name for name in chunk.columns if _is_of_trace(name)]
    of_event = [name for name in chunk.columns if not _is_of_trace(name)]
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


def _is_of_trace(name: str) -> bool:
    return name.startswith(_TRACE_ATTRIBUTE)


def _attribute(name: str, kind: str) -> pl.Expr:
    """The element of an attribute; nothing where there is no value."""
    before, after = _attribute_text(name, kind, "\0").split("\0")
    return pl.concat_str(pl.lit(before), pl.col(name), pl.lit(after)).fill_null("")


def _attribute_text(name: str, kind: str, value: str) -> str:
    return f'<{kind} key="{name.removeprefix(_TRACE_ATTRIBUTE)}" value="{value}"/>'


def _escaped(column: pl.Series) -> pl.Series:
    strange = column.filter(column.str.contains(_NOT_IN_XML))
    if len(strange):
        raise OutputError(
            f"the label {strange[0]!r} has a character that XES cannot hold: write CSV or Parquet instead"
        )
    if column.str.contains(_NEEDS_ESCAPE).any():
        return column.str.replace_many(list(_ESCAPES), list(_ESCAPES.values()))
    return column
