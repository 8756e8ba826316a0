"""Which columns are case, activity and time."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..clock import zone_offsets
from ..errors import ColumnError, ParameterError
from ..log import Columns
from ..wording import listed, quoted
from .marks import checked_escape

XES_CASE, XES_ACTIVITY, XES_TIME, XES_LIFECYCLE = (
    "case:concept:name",
    "concept:name",
    "time:timestamp",
    "lifecycle:transition",
)

TRACE_ATTRIBUTE = "case:"
"""What the names of attributes of traces begin with in tables of XES logs."""

# Names that people use, most telling first, written without case, spaces and marks.
_USUAL = {
    "case": ("caseid", "case", "caseidentifier", "casenumber", "caseno", "casename", "caseconceptname", "traceid",
             "trace", "processinstance", "processinstanceid"),
    "activity": ("activity", "activityname", "conceptname", "eventname", "event", "task", "taskname",
                 "action", "activityid", "operation", "step"),
    "time": ("timestamp", "timetimestamp", "completetimestamp", "endtimestamp", "endtime", "completetime",
             "completiontime", "time", "datetime", "eventtime", "enddate", "date", "complete", "eventtimestamp",
             "starttimestamp", "starttime", "startdate"),
    "lifecycle": ("lifecycletransition", "lifecycle", "transition", "eventtype", "eventlifecycle"),
}  # fmt: skip
_XES = {"case": XES_CASE, "activity": XES_ACTIVITY, "time": XES_TIME, "lifecycle": XES_LIFECYCLE}


@dataclass(frozen=True)
class Wanted:
    """What the user says of the columns and of how to read them; None means: find out."""

    case: str | None = None
    activity: str | None = None
    time: str | None = None
    lifecycle: str | None = None
    timezone: str | None = None
    time_format: str | None = None
    escape: str | None = None
    allow_line_ends: bool = False

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name != "allow_line_ends" and value is not None:
                _refuse_no_text(name, value)
        checked_escape(self.escape)
        if self.timezone is not None:
            zone_offsets(self.timezone, np.zeros(1, dtype=np.int64))  # an unknown zone is told before any work


def _refuse_no_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a text, not {repr(value)[:40]}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ParameterError(f"{name} {quoted(value)} is no text that can be written")


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
    chooser = _Chooser(names, where)
    columns = Columns(
        chooser.choose("case", wanted.case),
        wanted.activity if wanted.activity is not None else chooser.choose("activity"),
        chooser.choose("time", wanted.time),
    )
    parts = activity_parts(columns.activity, names)
    for part in parts:
        chooser.choose("activity", part)
    return Selection(columns, parts, None if wanted.lifecycle is None else chooser.choose("lifecycle"))


def guess_columns(names: Sequence[str]) -> dict[str, str | None]:
    """The column that looks like each role, case, activity, time and lifecycle; None if none or several do.

    >>> guess_columns(["Case ID", "task", "end", "begin"])
    {'case': 'Case ID', 'activity': 'task', 'time': None, 'lifecycle': None}
    """
    chooser = _Chooser(names, "")
    guess: dict[str, str | None] = {}
    for role in _USUAL:
        guess[role] = None
        with contextlib.suppress(ColumnError):
            guess[role] = chooser.choose(role)
    return guess


def activity_parts(activity: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that make up an activity: ``a+b`` is a combination, unless a column has that very name.

    >>> activity_parts("concept:name+lifecycle:transition", ["concept:name", "lifecycle:transition"])
    ('concept:name', 'lifecycle:transition')
    """
    if activity in names:
        return (activity,)
    return tuple(part if part in names else part.strip() for part in activity.split("+"))


class _Chooser:
    """Finds the column for a role among the names there are; `where` is for messages."""

    def __init__(self, names: Sequence[str], where: str) -> None:
        self._names, self._where = list(names), where
        self._plain = [_plain(name) for name in names]

    def choose(self, role: str, wanted: str | None = None) -> str:
        """The column that is wanted, else the one with the XES name, else with the first usual name."""
        if wanted is not None:
            return self._only(role, [wanted] * self._names.count(wanted), f"no column {quoted(wanted)} for the {role}")
        usual = (self._having(key) for key in _USUAL[role])
        found = [_XES[role]] * self._names.count(_XES[role]) or next(filter(None, usual), [])
        return self._only(role, found, f"no column that looks like the {role}")

    def _having(self, key: str) -> list[str]:
        return [name for name, plain in zip(self._names, self._plain, strict=True) if plain == key]

    def _only(self, role: str, found: list[str], none: str) -> str:
        advice = "leave --lifecycle out" if role == "lifecycle" else f"name one with --{role}"
        if not found:
            raise ColumnError(f"{self._where}: there is {none}: {advice}; there are: {listed(self._names)}")
        if len(set(found)) > 1:
            raise ColumnError(f"{self._where}: the {role} could be any of {listed(found)}: {advice}")
        if len(found) > 1:
            raise ColumnError(f"{self._where}: there are {len(found)} columns {quoted(found[0])}: rename all but one")
        return found[0]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
