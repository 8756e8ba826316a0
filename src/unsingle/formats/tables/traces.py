"""Event log objects of PM4Py, known by what they look like: PM4Py need not be installed, and is never imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Protocol

import polars as pl

from ...core.columns import TRACE_ATTRIBUTE
from ...core.log import EventLog
from ...core.wording import quoted
from ...errors import ColumnError, LogError
from ..kept import times_kept, types_mixed
from ..schema import XES_CASE
from ..selection import select_columns
from ..wanted import Further, Wanted
from .assemble import Table, assemble
from .columns import NAMELESS
from .frames import written_time

_SOURCE = "the log"


class Trace(Protocol):
    """A case: its attributes, and its events, which are mappings."""

    attributes: Mapping[str, Any]

    def __iter__(self) -> Any:
        """The events."""


def is_traces(source: object) -> bool:
    """Whether this looks like an event log of PM4Py: traces in a row, with attributes of the whole log."""
    return isinstance(source, Iterable) and isinstance(getattr(source, "attributes", None), Mapping)


def read_traces(log: Iterable[Trace], wanted: Wanted) -> EventLog:
    """Read the attributes that are wanted of all events."""
    rows = [{**_of_trace(trace, number), **event} for number, trace in enumerate(log) for event in _events(trace)]
    if not rows:
        raise LogError(f"{_SOURCE}: there are no events in it")
    names = list(dict.fromkeys(name for row in rows for name in row))
    selection = select_columns(names, wanted, _SOURCE)
    frame = pl.DataFrame(
        [_column(name, [row.get(name) for row in rows], selection.kept.get(name)) for name in selection.names]
    )
    return assemble(Table(frame, _SOURCE, lambda row: f"event {row + 1}"), selection, wanted)


def _of_trace(trace: Trace, number: int) -> dict[str, Any]:
    """The attributes of a trace; without a name, it is still a case of its own."""
    return {
        XES_CASE: f"{NAMELESS}{number}",
        **{f"{TRACE_ATTRIBUTE}{key}": trace.attributes[key] for key in trace.attributes},
    }


def _events(trace: Trace) -> list[dict[str, Any]]:
    return [{key: event[key] for key in event} for event in trace]


def _column(name: str, values: Sequence[Any], kept: Further | None) -> pl.Series:
    """The values of an attribute with the type that they have in Python; times become text, each with its offset."""
    if kept is not None and any(isinstance(value, date) for value in values):
        raise times_kept(kept, _SOURCE)
    if kept is not None and kept.number:
        values = [None if value is None else str(value) for value in values]
    cells = [written_time(value) if isinstance(value, datetime) else value for value in values]
    try:
        return pl.Series(name, cells, strict=True)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        types = sorted({type(value).__name__ for value in values if value is not None})
        if kept is not None:
            raise types_mixed(types, kept, _SOURCE) from None
        message = f"{_SOURCE}: attribute {quoted(name)} mixes types ({', '.join(types)}): make them one"
        raise ColumnError(message) from None
