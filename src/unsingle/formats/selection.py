"""Which columns of a source are read: those that the user names, else those with XES names, else with usual ones."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..core.columns import PERSON
from ..core.log import EventLog, SourceColumns
from ..core.wording import listed, quoted
from ..errors import CellError, ColumnError, ParameterError, argument
from .schema import XES_ACTIVITY, XES_CASE, XES_LIFECYCLE, XES_TIME
from .wanted import Further, Wanted

# Names that people use, most telling first, written without case, spaces and marks.
_USUAL = {
    "case": ("caseid", "case", "caseidentifier", "casenumber", "caseno", "casename", "caseconceptname", "casekey",
             "traceid", "trace", "processinstance", "processinstanceid"),
    "activity": ("activity", "activityname", "activityen", "conceptname", "eventname", "event", "task", "taskname",
                 "action", "activityid", "operation", "step"),
    "time": ("timestamp", "timetimestamp", "completetimestamp", "endtimestamp", "endtime", "completetime",
             "completiontime", "time", "datetime", "eventtime", "enddate", "date", "complete", "eventtimestamp",
             "starttimestamp", "starttime", "startdate"),
    "lifecycle": ("lifecycletransition", "lifecycle", "transition", "eventtype", "eventlifecycle"),
}  # fmt: skip
_XES = {"case": XES_CASE, "activity": XES_ACTIVITY, "time": XES_TIME, "lifecycle": XES_LIFECYCLE}
_STARTS = ("starttimestamp", "starttime", "startdate", "start", "begin", "begintime")  # of columns of start times
_START_BEFORE_END = "eventtime"  # means the start if another column is that of ends, as in exports of Celonis


@dataclass(frozen=True)
class Selection:
    """The columns to read: those of the log, what the activity is made of, the lifecycle, and further ones."""

    columns: SourceColumns
    activity: tuple[str, ...]
    lifecycle: str | None
    further: tuple[Further, ...] = ()

    @property
    def names(self) -> list[str]:
        """All columns to read, each once."""
        return list(dict.fromkeys((*self.needed, *(each.name for each in self.further))))

    @property
    def needed(self) -> list[str]:
        """The columns of which every event must have a value."""
        optional = [name for name in (self.lifecycle, self.columns.start) if name is not None]
        return list(dict.fromkeys((self.columns.case, *self.activity, self.columns.time, *optional)))

    @property
    def kept(self) -> dict[str, Further]:
        """The public columns, by name."""
        return {each.name: each for each in self.further if each.private is None}

    def among(self, names: Sequence[str], wanted: Wanted) -> Selection:
        """The same, knowing all columns of the source, so that it can be said what is left out."""
        left_out = tuple(name for name in names if name not in set(self.names))
        unused = _start_among(left_out, self.columns.time) if wanted.start is wanted.time is None else None
        return replace(self, columns=self.columns._replace(left_out=left_out, unused_start=unused))


def selection_of(columns: SourceColumns, wanted: Wanted, names: Sequence[str] = ()) -> Selection:
    """The columns to read, if these are those of case, activity and time; `names` are all there are, if known."""
    parts = activity_parts(columns.activity, names)
    columns = columns._replace(start=wanted.start, person=wanted.person, kept=tuple(wanted.kept))
    _refuse_two_roles(columns, parts, wanted)
    lifecycle = XES_LIFECYCLE if wanted.lifecycle is not None else None
    return Selection(columns, parts, lifecycle, wanted.further(columns.case))


def select_columns(names: Sequence[str], wanted: Wanted, where: str) -> Selection:
    """The columns to read: those that the user names, else the XES names, else the usual ones."""
    chooser = _Chooser(names, where)
    columns = SourceColumns(
        chooser.choose("case", wanted.case),
        wanted.activity if wanted.activity is not None else chooser.choose("activity"),
        chooser.choose("time", wanted.time),
    )
    for part in activity_parts(columns.activity, names):
        chooser.choose("activity", part)
    for role, name in (("person", wanted.person), ("start", wanted.start)):
        if name is not None:
            chooser.choose(role, name)
    lifecycle = None if wanted.lifecycle is None else chooser.choose("lifecycle")
    for kept in wanted.kept.values():
        chooser.keep(kept)
    return replace(selection_of(columns, wanted, names), lifecycle=lifecycle).among(names, wanted)


def _refuse_two_roles(columns: SourceColumns, parts: Sequence[str], wanted: Wanted) -> None:
    """Refuse columns of two roles, of which one is kept or a start: ids and persons are never published."""
    roles = {name: role for role, name in columns.roles.items() if role != "start"} | dict.fromkeys(parts, "activity")
    if columns.start in roles:
        raise ParameterError(
            f"{quoted(columns.start)} is the column of the {roles[columns.start]}: name another with "
            f"{argument('start')}"
        )
    if columns.start is not None and XES_LIFECYCLE in parts:
        raise ParameterError(
            f"{argument('start')} makes the lifecycles start and complete: leave {quoted(XES_LIFECYCLE)} out of "
            f"{argument('activity')}"
        )
    for name, kept in wanted.kept.items():
        if (role := "start" if name == columns.start else roles.get(name)) is not None:
            raise ParameterError(
                f"{quoted(name)} is the column of the {role}: leave it out of {argument(kept.argument)}"
            )


def refuse_nobody(log: EventLog, wanted: Wanted, where: str) -> None:
    """Check that every case is about a person, if the source says about whom."""
    if (persons := log.column(PERSON)) is not None and (missing := log.n_cases - int(persons.present.sum())):
        raise CellError(
            f"{where}: {missing} of {log.n_cases} cases have no person (column {quoted(wanted.person)}): fill it in, "
            f"leave those cases out, or name another column with {argument('person')}"
        )


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


def names_taken(columns: SourceColumns, names: Sequence[str]) -> set[str]:
    """The columns of a source that a log was made of, if these are all it has.

    >>> sorted(names_taken(SourceColumns("id", "what+phase", "at", kept=("cost",)), ["id", "what", "phase", "at"]))
    ['at', 'cost', 'id', 'phase', 'what']
    """
    others = {name for role, name in columns.roles.items() if role != "activity"}
    return {*others, *activity_parts(columns.activity, names), *columns.kept}


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

    def keep(self, kept: Further) -> None:
        """Check that there is a column of this name, and only one."""
        self._only(kept.argument, [kept.name] * self._names.count(kept.name), f"no column {quoted(kept.name)} to keep")

    def _having(self, key: str) -> list[str]:
        return [name for name, plain in zip(self._names, self._plain, strict=True) if plain == key]

    def _only(self, role: str, found: list[str], none: str) -> str:
        given = argument(role)
        advice = f"leave {given} out" if role == "lifecycle" else f"name one with {given}"
        if not found:
            raise ColumnError(f"{self._where}: there is {none}: {advice}; there are: {listed(self._names)}")
        if len(set(found)) > 1:
            raise ColumnError(f"{self._where}: the {role} could be any of {listed(found)}: {advice}")
        if len(found) > 1:
            raise ColumnError(f"{self._where}: there are {len(found)} columns {quoted(found[0])}: rename all but one")
        return found[0]


def _start_among(names: Sequence[str], time: str) -> str | None:
    """The column that looks like that of start times, if any, beside that of times."""
    plain = {_plain(name): name for name in reversed(names)}
    ends = _plain(time).startswith(("end", "complet"))
    return next((plain[key] for key in (*_STARTS, *((_START_BEFORE_END,) if ends else ())) if key in plain), None)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
