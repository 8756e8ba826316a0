"""A log between two steps: its columns in one file of the job's folder, so that it is parsed only once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.columns import Column, Field, Kind, Level
from ..core.log import ActivityParts, EventLog, SourceColumns
from ..core.read_as import ReadAs


def save_columns(log: EventLog, path: Path) -> None:
    """Write all columns, also the private ones: the file is as private as the log that it stands for."""
    about = {
        "labels": log.labels,
        "zone": log.zone,
        "source": None if log.source is None else {**log.source._asdict(), "read_as": log.source.read_as.plain()},
        "parts": None if log.parts is None else vars(log.parts),
        "columns": [{**_plain(column.field), "texts": column.texts} for column in log.columns],
    }
    arrays: dict[str, Any] = {f"column{number}": column.values for number, column in enumerate(log.columns)}
    arrays |= {"activity": log.activity, "time": log.time, "case_offsets": log.case_offsets}
    with path.open("wb") as stream:
        np.savez(stream, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **arrays)


def _plain(field: Field) -> dict[str, Any]:
    return {**vars(field), "level": field.level.value, "kind": field.kind.value}


def load_columns(path: Path) -> EventLog:
    """The log that was saved."""
    with np.load(path, allow_pickle=False) as saved:
        about = json.loads(saved["about"].tobytes())
        columns = [_column(each, saved[f"column{number}"]) for number, each in enumerate(about["columns"])]
        events = saved["activity"], saved["time"], saved["case_offsets"]
        source, parts = _source(about["source"]), _parts(about["parts"])
        return EventLog(tuple(about["labels"]), *events, about["zone"], tuple(columns), source, parts)


def _source(about: dict[str, Any] | None) -> SourceColumns | None:
    if about is None:
        return None
    return SourceColumns(**{**_with_tuples(about), "read_as": ReadAs.from_plain(about["read_as"])})


def _column(about: dict[str, Any], values: NDArray[Any]) -> Column:
    field = Field(about["name"], Level(about["level"]), Kind(about["kind"]), about["private"])
    return Column(field, values, tuple(about["texts"]))


def _parts(about: dict[str, Any] | None) -> ActivityParts | None:
    if about is None:
        return None
    return ActivityParts(tuple(about["names"]), _with_tuples(about["of_label"]), about["intervals"])


def _with_tuples(values: dict[str, Any]) -> dict[str, Any]:
    """What JSON has as lists, as it was."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
