"""CSV and Parquet."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import BinaryIO

import polars as pl

from ..errors import FormatError
from ..log import EventLog
from .assemble import Where, assemble
from .columns import Wanted, select_columns
from .files import Source
from .frames import text_chunks, to_polars

_SEPARATORS = ",;\t|"
_BOM = b"\xef\xbb\xbf"


def read_csv(source: Source, wanted: Wanted) -> EventLog:
    """Read CSV with a header; the separator is found in it."""
    content = source.read().removeprefix(_BOM)
    header, separator = _header(content, source.shown)
    selection = select_columns(header, wanted, source.shown)
    in_file_order = sorted(selection.names, key=header.index)
    try:
        frame = pl.read_csv(
            content,
            columns=[header.index(name) for name in in_file_order],
            separator=separator,
            infer_schema=False,
            raise_if_empty=False,
        )
    except pl.exceptions.PolarsError as error:
        raise FormatError(f"{source.shown}: {_why_not_csv(content, separator, error)}") from None
    frame.columns = in_file_order
    return assemble(frame, selection, wanted, source.shown, _line_finder(content, separator))


def read_parquet(source: Source, wanted: Wanted) -> EventLog:
    """Read the chosen columns of a Parquet file."""
    content = io.BytesIO(source.read())
    try:
        names = list(pl.read_parquet_schema(content))
        selection = select_columns(names, wanted, source.shown)
        content.seek(0)
        frame = pl.read_parquet(content, columns=selection.names)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise FormatError(f"{source.shown}: is not a whole Parquet file ({reason}): get a whole copy") from None
    return assemble(frame, selection, wanted, source.shown, lambda row: f"row {row + 1}")


def write_csv(log: EventLog, stream: BinaryIO) -> None:
    """Write case, activity and time, times in ISO 8601."""
    for number, chunk in enumerate(text_chunks(log)):
        chunk.write_csv(stream, include_header=number == 0)


def write_parquet(log: EventLog, stream: BinaryIO) -> None:
    """Write case, activity and time."""
    to_polars(log).write_parquet(stream)


def _header(content: bytes, shown: str) -> tuple[list[str], str]:
    """The names in the first record, and the separator that gives most of them."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FormatError(f"{shown}: is UTF-16, not UTF-8: save it as UTF-8")
    try:
        text = content[:65536].decode("utf-8", errors="strict" if len(content) <= 65536 else "ignore")
    except UnicodeDecodeError as error:
        raise FormatError(f"{shown}: {_not_utf8(content, error)}") from None
    if text.lstrip()[:1] in ("<", "{"):
        raise FormatError(f"{shown}: is not CSV but looks like {'XML or HTML' if '<' in text[:9] else 'JSON'}")
    headers = {sep: next(csv.reader(io.StringIO(text), delimiter=sep), []) for sep in _SEPARATORS}
    separator = max(headers, key=lambda sep: len(headers[sep]))
    return headers[separator], separator


def _why_not_csv(content: bytes, separator: str, error: Exception) -> str:
    """What is wrong and where, found by a slow second look."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as problem:
        return _not_utf8(content, problem)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    width = len(next(reader))
    for record in reader:
        if len(record) > width:
            return f"line {reader.line_num} has {len(record)} cells where the header has {width}: correct that line"
    return f"is not CSV that can be read ({str(error).splitlines()[0]})"


def _not_utf8(content: bytes, error: UnicodeDecodeError) -> str:
    line = content.count(b"\n", 0, error.start) + 1
    return f"line {line} is not UTF-8 (byte {content[error.start]:#04x}): save the file as UTF-8"


def _line_finder(content: bytes, separator: str) -> Where:
    """Finds the line on which a record ends: records may have line breaks inside quotes."""

    def where(row: int) -> str:
        text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="replace", newline="")
        reader = csv.reader(text, delimiter=separator)
        for _ in islice((record for record in reader if record), row + 2):
            pass
        return f"line {reader.line_num}"

    return where
