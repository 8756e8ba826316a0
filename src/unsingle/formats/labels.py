"""Activities of several columns: their labels, and the columns that they are written back as."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.intervals import COMPLETE, START
from ..core.log import ActivityParts, EventLog
from .schema import START_TIME, XES_ACTIVITY, XES_LIFECYCLE
from .selection import Selection

_JOINT = "+"
_SEPARATORS = ";\t|,"
_TIME_CELL = re.compile(
    r"""\s*["']?(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?:[T ].*)?["']?\s*"""
)
_CELLS = 3  # case, activity and time

Combination = tuple[str, ...]
"""The values of all columns that an activity is made of."""


def joint_labels(combinations: Sequence[Combination]) -> list[str]:
    """The label of each combination, all of them different: the values with a plus sign between them.

    It follows from the combination alone: if a second one could change it, everybody's labels would tell of the one
    person who has that. Values behind the first are put in quotation marks if they have a plus sign or a quotation
    mark themselves; so labels can be read from their end, as `ActivityParts.of` does.

    >>> joint_labels([("A", "start"), ("A+B", "C"), ("A", "B+C")])
    ['A+start', 'A+B+C', 'A+"B+C"']
    """
    return [_JOINT.join((first, *map(_in_quotes, others))) for first, *others in combinations]


def _in_quotes(value: str) -> str:
    return '"{}"'.format(value.replace('"', '""')) if _JOINT in value or '"' in value else value


def holds_row(label: str) -> bool:
    """Whether a label holds cells between separators, with a date or time among them, as a row of a log has.

    >>> holds_row("4711;Approve;2024-01-05 10:00"), holds_row("4711;Approve;by mail"), holds_row("Sent 2024-01-05")
    (True, False, False)
    """
    rows = (label.split(separator) for separator in _SEPARATORS if label.count(separator) >= _CELLS - 1)
    return any(_TIME_CELL.fullmatch(cell) is not None for cells in rows for cell in cells)


def parts_of(selection: Selection, combinations: Mapping[str, Combination]) -> ActivityParts | None:
    """What labels are made of, if they are to be written back as several columns."""
    names, columns = selection.activity, selection.columns
    if columns.start is not None:
        activity = names if len(names) > 1 else (XES_ACTIVITY,)
        return ActivityParts((*activity, XES_LIFECYCLE), combinations, intervals=True)
    if len(names) < 2 or len(set(names)) < len(names) or {columns.case, columns.time} & set(names):
        return None
    return ActivityParts(names, combinations)


def of_intervals(combinations: Mapping[str, Combination]) -> dict[str, Combination]:
    """The labels of starts and ends, two for each label, and what they are made of.

    >>> of_intervals({"A": ("A",)})
    {'A+start': ('A', 'start'), 'A+complete': ('A', 'complete')}
    """
    return {
        f"{label}{_JOINT}{phase}": (*values, phase)
        for label, values in combinations.items()
        for phase in (START, COMPLETE)
    }


def written_as(parts: ActivityParts | None, *, two_times: bool) -> dict[str, Any]:
    """How to read a log whose labels are made of these parts, after it was written: arguments of `read_log`.

    >>> written_as(ActivityParts(("concept:name", "lifecycle:transition"), {}), two_times=True)
    {'activity': 'concept:name+lifecycle:transition'}
    """
    if parts is None:
        return {}
    if parts.intervals:
        return {"start": START_TIME} if two_times else {"activity": f"{XES_ACTIVITY}{_JOINT}{parts.names[-1]}"}
    return {"activity": _JOINT.join(parts.names)} if XES_ACTIVITY in parts.names else {}


def label_columns(log: EventLog, *, lifecycle: bool = True) -> dict[str, tuple[str, ...]]:
    """The columns that labels are written as, with the cell of each label.

    The activity is always among them, joined if it is not one of the columns itself. With `lifecycle`, the last part of
    labels with intervals is one too.
    """
    parts = log.parts
    if parts is None:
        return {XES_ACTIVITY: log.labels}
    combinations = [parts.of_label[label] for label in log.labels]
    columns = dict(zip(parts.names, zip(*combinations, strict=True), strict=True))
    activity = {} if XES_ACTIVITY in columns else {XES_ACTIVITY: tuple(_activity(label, parts) for label in log.labels)}
    if parts.intervals and not lifecycle:
        del columns[parts.names[-1]]
    return {**activity, **columns}


def _activity(label: str, parts: ActivityParts) -> str:
    """A label without its lifecycle, if that is one of starts and ends."""
    return label.removesuffix(f"{_JOINT}{parts.of_label[label][-1]}") if parts.intervals else label
