"""A log between two steps: its columns in one file of the job's folder, so that it is parsed only once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..log import Columns, EventLog


def save_columns(log: EventLog, path: Path) -> None:
    """Write the columns."""
    about = {"labels": log.labels, "zone": log.zone, "columns": log.columns}
    with path.open("wb") as stream:
        np.savez(
            stream,
            activity=log.activity,
            time=log.time,
            case_offsets=log.case_offsets,
            offset=np.empty(0, dtype=np.int64) if log.offset is None else log.offset,
            about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        )


def load_columns(path: Path) -> EventLog:
    """The log that was saved."""
    with np.load(path, allow_pickle=False) as saved:
        about = json.loads(saved["about"].tobytes())
        columns = None if about["columns"] is None else Columns(*about["columns"])
        offset = saved["offset"] if len(saved["offset"]) else None
        events = saved["activity"], saved["time"], saved["case_offsets"]
        return EventLog(tuple(about["labels"]), *events, about["zone"], columns, offset)
