"""Partitions of a log: whole cases, packed into one row whose columns are bytes.

One task works on one partition. Its cases are sorted by their ids and the events of a case by their times, so it does
not depend on the order in which its rows arrived. Its name is a digest of all that is in it, ids included: no two
partitions of a log have the same name, and a partition that is computed again has the same name as before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..core.arrays import Ints, offsets_of, runs
from ..core.clock import ClockFacts
from ..core.log import Activities, EventLog
from ..core.wording import quoted
from ..errors import CellError, LogError
from ..formats.tables.times import parse_times

SCHEMA = (
    "name binary, cases long, events long, lengths binary, activity binary, time binary, "
    "first_start long, step long, earliest long, latest long"
)
_TYPES = {"binary": pa.binary(), "long": pa.int64()}

CASE, ACTIVITY, TIME, FILE, ROW = "case", "activity", "time", "file", "row"
"""The columns of events before they are packed; `file` and `row` order the events of a case at the same time."""

Batches = Iterator[pa.RecordBatch]


class Partition(NamedTuple):
    """Some cases of a log, and the name of the partition that they make up."""

    name: bytes
    log: EventLog


class Pack:
    """Packs all events of a partition into one row; the partition must have all events of each of its cases."""

    def __init__(self, labels: tuple[str, ...], zone: str, time_format: str | None) -> None:
        self._labels, self._zone, self._time_format = labels, zone, time_format

    def __call__(self, batches: Batches) -> Batches:
        """One row, or none if there are no events."""
        parts = list(batches)
        if not sum(part.num_rows for part in parts):
            return
        events = pa.Table.from_batches(parts).combine_chunks()
        case, ids = _numbered(events[CASE])
        activity = self._coded(events[ACTIVITY])
        time = self._milliseconds(events[TIME])
        # the activity breaks ties that nothing else breaks, so that the order is the same every time
        order = np.lexsort((activity, _ints(events[ROW]), _ints(events[FILE]), time, case))
        case, activity, time = case[order], activity[order], time[order]
        lengths = np.diff(runs(case)).astype(np.int32)
        name = hashlib.sha256(b"".join((ids, lengths.tobytes(), activity.tobytes(), time.tobytes()))).digest()[:16]
        facts = ClockFacts.of(time, self._zone)
        first_start = int(time[runs(case)[:-1]].min())
        yield batch(
            SCHEMA,
            [name], [len(lengths)], [len(time)], [lengths.tobytes()], [activity.tobytes()], [time.tobytes()],
            [first_start], [facts.step], [facts.earliest], [facts.latest],
        )  # fmt: skip

    def _coded(self, column: pa.ChunkedArray) -> NDArray[np.unsignedinteger]:
        code = pc.index_in(column, value_set=pa.array(self._labels, type=column.type))
        if code.null_count:
            raise LogError("an activity appeared that was not there before: the log changed while it was read")
        return code.combine_chunks().to_numpy(zero_copy_only=False).astype(code_type(len(self._labels)))

    def _milliseconds(self, column: pa.ChunkedArray) -> Ints:
        cells = pl.Series("time", pl.from_arrow(column))
        times = parse_times(cells, self._zone, self._time_format, "the frame")
        if bad := int(times.bad.sum()):
            plain = cells.to_physical() if cells.dtype.is_temporal() else cells  # Python's calendar may end before
            first = quoted(plain[int(np.argmax(times.bad))])
            raise CellError(f"the frame: {bad:,} times or more cannot be read, such as {first}: {times.advice}")
        return times.milliseconds


def unpacked(batches: Batches, labels: tuple[str, ...], zone: str) -> Iterator[Partition]:
    """The partitions in these batches, one after the other."""
    for part in batches:
        for row in part.to_pylist():
            lengths = np.frombuffer(row["lengths"], dtype=np.int32).astype(np.int64)
            activity = activities(row["activity"], len(labels))
            time = np.frombuffer(row["time"], dtype=np.int64)
            yield Partition(row["name"], EventLog(labels, activity, time, offsets_of(lengths), zone))


def code_type(n_labels: int) -> Any:
    """The integer type that can number so many activities."""
    return np.dtype("<u2") if n_labels <= 1 << 16 else np.dtype("<u4")


def activities(code: bytes, n_labels: int) -> Activities:
    """Activities from their bytes."""
    return np.frombuffer(code, dtype=code_type(n_labels)).astype(np.int32)


def batch(schema: str, *columns: Any) -> pa.RecordBatch:
    """A batch of rows with the names and types of this schema."""
    names, types = zip(*(field.strip().split() for field in schema.split(",")), strict=True)
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, type=_TYPES[kind])
        for column, kind in zip(columns, types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, names=list(names))


def cells(flat: NDArray[Any], offsets: Ints) -> pa.Array:
    """Rows of different lengths as cells of bytes, without a copy."""
    edges = (offsets * flat.dtype.itemsize).astype(np.int32)
    buffers = [None, pa.py_buffer(edges), pa.py_buffer(np.ascontiguousarray(flat))]
    return pa.Array.from_buffers(pa.binary(), len(offsets) - 1, buffers)


def flat_cells(column: pa.ChunkedArray, dtype: Any) -> tuple[NDArray[Any], Ints]:
    """The content of all cells as one array, and where each begins."""
    lengths = pc.binary_length(column).combine_chunks().to_numpy(zero_copy_only=False).astype(np.int64)
    joined = b"".join(chunk_bytes(chunk) for chunk in column.chunks)
    return np.frombuffer(joined, dtype=dtype), offsets_of(lengths // np.dtype(dtype).itemsize)


def chunk_bytes(chunk: pa.Array) -> bytes | memoryview:
    """The bytes of all cells of a chunk, one after the other."""
    chunk = chunk.cast(pa.large_binary())
    edges = np.frombuffer(chunk.buffers()[1], dtype=np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
    content = chunk.buffers()[2]
    return b"" if content is None else memoryview(content)[int(edges[0]) : int(edges[-1])]


def _numbered(column: pa.ChunkedArray) -> tuple[Ints, bytes]:
    """The rank of the id of each row among all ids, and all ids as bytes."""
    coded = column.combine_chunks().dictionary_encode()
    ids = coded.dictionary
    order = pc.sort_indices(ids).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    text = repr(ids.take(pa.array(order)).to_pylist()).encode("utf-8", "surrogatepass")
    return rank[coded.indices.to_numpy()], text


def _ints(column: pa.ChunkedArray) -> Ints:
    return column.combine_chunks().to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
