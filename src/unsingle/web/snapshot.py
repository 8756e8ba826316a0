"""A log between two steps: its columns in one file of the job's folder, so that it is parsed only once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..core.columns import UTC_OFFSET, Column
from ..core.log import EventLog, SourceColumns


def save_columns(log: EventLog, path: Path) -> None:
    """Write the columns."""
    written = log.column(UTC_OFFSET)
    about = {"labels": log.labels, "zone": log.zone, "source": log.source}
    with path.open("wb") as stream:
        np.savez(
            stream,
            activity=log.activity,
            time=log.time,
            case_offsets=log.case_offsets,
            offset=np.empty(0) if written is None else written.values,
            about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        )


def load_columns(path: Path) -> EventLog:
    """The log that was saved."""
    with np.load(path, allow_pickle=False) as saved:
        about = json.loads(saved["about"].tobytes())
        source = None if about["source"] is None else SourceColumns(*about["source"])
        columns = (Column(UTC_OFFSET, saved["offset"]),) if len(saved["offset"]) else ()
        events = saved["activity"], saved["time"], saved["case_offsets"]
        return EventLog(tuple(about["labels"]), *events, about["zone"], columns, source)
