"""Which columns are case, activity and time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ColumnError
from ..log import Columns

XES_CASE, XES_ACTIVITY, XES_TIME, XES_LIFECYCLE = (
    "case:concept:name",
    "concept:name",
    "time:timestamp",
    "lifecycle:transition",
)

# Names that people use, most telling first, written without case, spaces and marks.
_CASE_NAMES = ("caseid", "case", "caseidentifier", "casenumber", "caseno", "casename", "caseconceptname", "traceid",
               "trace", "processinstance", "processinstanceid")  # fmt: skip
_ACTIVITY_NAMES = ("activity", "activityname", "conceptname", "eventname", "event", "task", "taskname",
                   "action", "activityid", "operation", "step")  # fmt: skip
_TIME_NAMES = ("timestamp", "timetimestamp", "completetimestamp", "endtimestamp", "endtime", "completetime",
               "completiontime", "time", "datetime", "eventtime", "enddate", "date", "complete", "eventtimestamp",
               "starttimestamp", "starttime", "startdate")  # fmt: skip
_LIFECYCLE_NAMES = ("lifecycletransition", "lifecycle", "transition", "eventtype", "eventlifecycle")


@dataclass(frozen=True)
class Wanted:
    """What the user says of the columns and of how to read them; None means: find out."""

    case: str | None = None
    activity: str | None = None
    time: str | None = None
    lifecycle: str | None = None
    timezone: str | None = None
    time_format: str | None = None


@dataclass(frozen=True)
class Selection:
    """The columns to take from a source: those of the log, what the activity is made of, and the lifecycle."""

    columns: Columns
    activity: tuple[str, ...]
    lifecycle: str | None

    @property
    def names(self) -> list[str]:
        """All columns to read, each once."""
        lifecycle = (self.lifecycle,) if self.lifecycle is not None else ()
        return list(dict.fromkeys((self.columns.case, *self.activity, self.columns.time, *lifecycle)))


def select_columns(names: Sequence[str], wanted: Wanted, where: str) -> Selection:
    """The columns to take: those that the user names, else the XES names, else the usual ones."""
    columns = Columns(
        _choose("case", names, wanted.case, XES_CASE, _CASE_NAMES, where),
        _choose_activity(names, wanted.activity, where),
        _choose("time", names, wanted.time, XES_TIME, _TIME_NAMES, where),
    )
    lifecycle = None
    if wanted.lifecycle is not None:
        lifecycle = _choose("lifecycle", names, None, XES_LIFECYCLE, _LIFECYCLE_NAMES, where)
    return Selection(columns, activity_parts(columns.activity, names), lifecycle)


def activity_parts(activity: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that make up an activity: ``a+b`` is a combination, unless a column has that very name.

    >>> activity_parts("concept:name+lifecycle:transition", ["concept:name", "lifecycle:transition"])
    ('concept:name', 'lifecycle:transition')
    """
    return (activity,) if activity in names else tuple(part.strip() for part in activity.split("+"))


def _choose_activity(names: Sequence[str], wanted: str | None, where: str) -> str:
    if wanted is None:
        return _choose("activity", names, None, XES_ACTIVITY, _ACTIVITY_NAMES, where)
    for part in activity_parts(wanted, names):
        _choose("activity", names, part, XES_ACTIVITY, (), where)
    return wanted


def _choose(
    role: str, names: Sequence[str], wanted: str | None, xes_name: str, usual: Sequence[str], where: str
) -> str:
    listed = ", ".join(repr(name) for name in names) or "none"
    if wanted is not None:
        if names.count(wanted) > 1:
            raise ColumnError(f"{where}: there are several columns {wanted!r}: rename all but one")
        if wanted not in names:
            raise ColumnError(f"{where}: there is no column {wanted!r} for the {role}; there are: {listed}")
        return wanted
    if xes_name in names:
        return _choose(role, names, xes_name, xes_name, (), where)
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in names]
    for candidate in usual:
        found = [name for name, key in zip(names, plain, strict=True) if key == candidate]
        if len(found) > 1:
            options = ", ".join(repr(name) for name in found)
            raise ColumnError(f"{where}: the {role} could be any of {options}: choose one with --{role}")
        if found:
            return found[0]
    option = f"name it with --{role}" if role != "lifecycle" else "leave --lifecycle out"
    raise ColumnError(f"{where}: no column looks like the {role}; {option}; there are: {listed}")
