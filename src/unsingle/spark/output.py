"""From released cases to rows of events, or to XES files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from ..core.arrays import offsets_of, pieces, row_of
from ..core.log import EventLog
from ..formats import write_rows
from ..formats.schema import XES_ACTIVITY, XES_CASE, XES_TIME
from ..formats.tables.frames import to_polars
from ..formats.tables.times import iso_times
from .partitions import Batches, activities, chunk_bytes, flat_cells

EVENTS = f"`{XES_CASE}` string, `{XES_ACTIVITY}` string, `{XES_TIME}` timestamp"
EVENTS_AS_TEXT = f"`{XES_CASE}` string, `{XES_ACTIVITY}` string, `{XES_TIME}` string"
FILES = "name string, events long"

_AT_ONCE = 100_000


class ReleasedPartition:
    """The cases of one partition of the release, sorted by their new ids; these are random, so no old order is left."""

    def __init__(self, batches: Batches, labels: tuple[str, ...], zone: str) -> None:
        rows = pa.Table.from_batches(list(batches))
        rows = rows.take(pc.sort_indices(rows, sort_keys=[("id", "ascending")]))
        time, offsets = flat_cells(rows["time"], np.int64)
        code = b"".join(map(chunk_bytes, rows["activity"].chunks))
        self.ids = _hexadecimal(rows["id"])
        self.log = EventLog(labels, activities(code, len(labels)), time, offsets, zone)


class EventRows:
    """Makes a row for each event: case, activity and time."""

    def __init__(self, labels: tuple[str, ...], zone: str, *, as_text: bool = False) -> None:
        self._labels, self._zone, self._as_text = labels, zone, as_text

    def __call__(self, batches: Batches) -> Batches:
        """The events of all cases of a partition, case by case."""
        parts = list(batches)
        if not sum(part.num_rows for part in parts):
            return
        part = ReleasedPartition(iter(parts), self._labels, self._zone)
        log, labels = part.log, pa.array(self._labels, type=pa.string())
        case = row_of(log.case_offsets)
        for cases in pieces(log.case_offsets, _AT_ONCE):
            some = slice(int(log.case_offsets[cases.start]), int(log.case_offsets[cases.stop]))
            columns = [part.ids.take(pa.array(case[some])), labels.take(pa.array(log.activity[some]))]
            yield pa.RecordBatch.from_arrays(
                [*columns, self._times(log.time[some])], names=[XES_CASE, XES_ACTIVITY, XES_TIME]
            )

    def _times(self, time: np.ndarray) -> pa.Array:
        if self._as_text:
            return iso_times(time, self._zone).to_arrow().cast(pa.string())
        return pa.array(time * 1000, type=pa.timestamp("us", tz="UTC"))


class WriteXes:
    """Writes the cases of a partition to an XES file of their own, whole or not at all."""

    def __init__(self, labels: tuple[str, ...], zone: str, folder: str, ending: str) -> None:
        self._labels, self._zone, self._folder, self._ending = labels, zone, folder, ending

    def __call__(self, batches: Batches) -> Batches:
        """A row for the file. Its name comes from the ids in it, so a task that runs again writes the same file."""
        parts = list(batches)
        if not sum(part.num_rows for part in parts):
            return
        part = ReleasedPartition(iter(parts), self._labels, self._zone)
        name = f"part-{part.ids[0].as_py()[:16]}.{self._ending}"
        ids = pl.Series(pl.from_arrow(part.ids)).gather(row_of(part.log.case_offsets))
        _write(to_polars(part.log).with_columns(ids.alias(XES_CASE)), Path(self._folder) / name)
        yield pa.RecordBatch.from_pydict({"name": [name], "events": [part.log.n_events]})


def _write(rows: pl.DataFrame, path: Path) -> None:
    """Write rows of a release, which have random ids already, to a file."""
    write_rows(rows, path, force=True)


def _hexadecimal(column: pa.ChunkedArray) -> pa.Array:
    """Ids of bytes as text."""
    text = b"".join(map(chunk_bytes, column.chunks)).hex()
    length = len(text) // max(1, len(column))
    offsets = offsets_of(np.full(len(column), length)).astype(np.int32)
    return pa.Array.from_buffers(pa.string(), len(column), [None, pa.py_buffer(offsets), pa.py_buffer(text.encode())])
