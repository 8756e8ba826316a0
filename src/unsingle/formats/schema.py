"""The schema of logs: under which name and type the columns of a log stand in files and frames.

This is the one place that knows how a `Field` looks outside: its column's name in tables and in the worker's file, its
key and type in XES.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..core.columns import TRACE_ATTRIBUTE, Column, Field, Kind, Level
from ..core.log import EventLog

XES_CASE, XES_ACTIVITY, XES_TIME, XES_LIFECYCLE = (
    "case:concept:name",
    "concept:name",
    "time:timestamp",
    "lifecycle:transition",
)

START_TIME = "start_timestamp"
"""The column of start times in tables whose rows have two times, as PM4Py calls it."""

Row = dict[str, str]
"""A row of a table as text, by the names of its columns."""

XES_TYPES = {Kind.TEXT: "string", Kind.INTEGER: "int", Kind.NUMBER: "float"}
"""The XES type of values of each kind."""

_KINDS = {"int": Kind.INTEGER, "float": Kind.NUMBER}  # all other XES types are texts


def column_name(field: Field) -> str:
    """The name of a field's column in tables, from which its key in XES follows too.

    A value of a case that stands on its first event has the name of an event's column.

    >>> [column_name(Field("age", level, Kind.INTEGER)) for level in (Level.CASE, Level.FIRST)]
    ['case:age', 'age']
    """
    return field.table_name


def level_of(name: str) -> Level:
    """Whether a column of this name has a value for each event, or for each case."""
    return Level.CASE if name.startswith(TRACE_ATTRIBUTE) else Level.EVENT


def kinds_of_types(types: Iterable[str]) -> set[Kind]:
    """What the values of an attribute are, by all XES types that it has in a document.

    >>> kinds_of_types({"int"}), kinds_of_types({"string", "boolean"})
    ({<Kind.INTEGER: 'integer'>}, {<Kind.TEXT: 'text'>})
    """
    return {_KINDS.get(each, Kind.TEXT) for each in types}


def public_columns(log: EventLog) -> list[Column]:
    """The columns of a log that are written to files and frames: all that are not private."""
    return [column for column in log.columns if not column.field.private]
