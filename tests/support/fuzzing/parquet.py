"""Parquet, against pyarrow."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from unsingle.errors import CellError, ColumnError
from unsingle.formats import read_log
from unsingle.formats.opened import opened
from unsingle.formats.parquet import reader as parquet_reader

from . import forks
from .base import ACTIVITY, CASE, NAMES, TIME, Events, Input, Refused, Row, damaged, events_in
from .times import Moment, a_time

_TOKENS = (b"\0", b"\xff", b"\x7f", b"\x80", b"PAR1", b"\xff\xff\xff\xff\x0f", b"\x15\x00", b"\x15\x02",
           b"\x19\x1c", b"\x00\x00\x00\x00", b"\xff\xff\xff\x7f", b"\x01", b"\x02", b"case",
           b"\x26", b"\x16")  # fmt: skip
_PER_MILLISECOND = {"ms": 1, "us": 1_000, "ns": 1_000_000}
_SYSTEM = 40  # of so many inputs read as users do, one is read by a process that is started for it


class Parquet:
    """Parquet of a few rows: types, encodings, compressions, pages with and without checksums."""

    name, suffix = "parquet", ".parquet"

    def __init__(self) -> None:
        self._reads = 0

    def make(self, random: Random) -> Input:
        content = _written(random)
        return Input(_damaged(random, content), truth=self.oracle(Input(content))[0])

    def ours(self, path: Path, _given: Input, *, whole: bool) -> list[Row] | Events:
        self._reads += whole
        with forks.instead_of_processes(always=not whole or self._reads % _SYSTEM != 0):
            if whole:
                return events_in(read_log(path, case=CASE, activity=ACTIVITY, time=TIME, allow_line_ends=True))
            with parquet_reader._opened(opened(path, "parquet").source) as (content, outline):
                if any(outline.names.count(name) != 1 for name in NAMES):
                    raise ColumnError("not these columns")
                frame = parquet_reader._columns(content, outline, NAMES)
        if frame.null_count().sum_horizontal()[0]:
            raise CellError("a cell is missing")
        return list(zip(*(_from_polars(frame[name]) for name in NAMES), strict=True))

    def oracle(self, given: Input) -> Sequence[list[Row]]:
        try:
            table = pq.read_table(io.BytesIO(given.content), columns=list(NAMES), page_checksum_verification=True)
            if len(table.column_names) != len(NAMES):
                raise Refused("not these columns")
            table.validate(full=True)
            return [list(zip(*(_from_arrow(table.column(name)) for name in NAMES), strict=True))]
        except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as error:
            raise Refused((str(error).splitlines() or [""])[0]) from None

    def rule(self, _given: Input, refused: str) -> str | None:
        if "levels" in refused:
            return "levels inside of a page without a checksum, which polars does not check"
        return None


def _damaged(random: Random, content: bytes) -> bytes:
    kind = random.random()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    if kind < 0.2:
        return content
    if kind < 0.6:  # in the pages alone
        return damaged(random, content[4:footer], _TOKENS).join((content[:4], content[footer:]))
    if kind < 0.9:  # in one byte, which may be of the footer
        at = random.randrange(len(content))
        return content[:at] + bytes([random.randrange(256)]) + content[at + 1 :]
    return damaged(random, content, _TOKENS)


def _from_polars(column: pl.Series) -> Iterator[Any]:
    if isinstance(column.dtype, pl.Datetime):
        per = _PER_MILLISECOND[column.dtype.time_unit]
        return (None if cell is None else Moment(cell // per) for cell in column.to_physical().to_list())
    return (_text(cell) for cell in column.to_list())


def _from_arrow(column: Any) -> Iterator[Any]:
    if pa.types.is_timestamp(column.type):
        per = _PER_MILLISECOND[column.type.unit]
        return (None if cell is None else Moment(cell // per) for cell in column.cast(pa.int64()).to_pylist())
    return (_text(cell) for cell in column.to_pylist())


def _text(cell: Any) -> Any:
    return cell.decode(errors="backslashreplace") if isinstance(cell, bytes) else cell


def _written(random: Random) -> bytes:
    rows = random.choice((1, 2, 3, 5, 20))
    labels = random.choices(("A", "B", "Triage", "é", "x" * 30, "日本"), k=rows)
    cases = random.choices(range(4), k=rows)
    table = pa.table({CASE: _cases(random, cases), ACTIVITY: _labels(random, labels), TIME: _times(random, rows)})
    if random.random() < 0.2:
        table = table.append_column("note", pa.array(labels))
    target = io.BytesIO()
    if random.random() < 0.2:
        pl.DataFrame(table).write_parquet(target, compression=random.choice(("zstd", "uncompressed", "snappy", "lz4")))
        return target.getvalue()
    pq.write_table(
        table,
        target,
        compression=random.choice(("none", "snappy", "gzip", "zstd")),
        use_dictionary=random.random() < 0.6,
        data_page_version=random.choice(("1.0", "2.0")),
        write_page_checksum=random.random() < 0.3,
        row_group_size=random.choice((rows, max(1, rows // 2))),
        write_statistics=random.random() < 0.7,
        store_schema=random.random() < 0.5,
        write_page_index=random.random() < 0.2,
    )
    return target.getvalue()


def _cases(random: Random, cases: list[int]) -> pa.Array:
    kind = random.choice((pa.string(), pa.string(), pa.int64(), pa.int32()))
    return pa.array(map(str, cases) if kind == pa.string() else cases, kind)


def _labels(random: Random, labels: list[str]) -> pa.Array:
    array = pa.array(labels, random.choice((pa.string(), pa.string(), pa.large_string(), pa.binary())))
    return array.dictionary_encode() if random.random() < 0.2 and array.type == pa.string() else array


def _times(random: Random, rows: int) -> pa.Array:
    if random.random() < 0.3:
        return pa.array([a_time(random, plain=True) for _ in range(rows)])
    unit, zone = random.choice(("ms", "us", "ns")), random.choice((None, "UTC", "Europe/Berlin"))
    moments = [random.randrange(0, 2 * 10**12) * _PER_MILLISECOND[unit] for _ in range(rows)]
    return pa.array(moments, pa.int64()).cast(pa.timestamp(unit, zone))
