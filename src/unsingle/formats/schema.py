"""The schema of logs: which columns of a source are read, and under which name and type columns are written.

This is the one place that knows how a `Field` looks outside: its column's name in tables and in the worker's file, its
key and type in XES.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.clock import zone_offsets
from ..core.columns import CASE_ID, PERSON, Column, Field, Kind, Level
from ..core.log import EventLog, SourceColumns
from ..core.wording import listed, quoted
from ..errors import CellError, ColumnError, ParameterError, argument
from .quotes import checked_escape

XES_CASE, XES_ACTIVITY, XES_TIME, XES_LIFECYCLE = (
    "case:concept:name",
    "concept:name",
    "time:timestamp",
    "lifecycle:transition",
)

TRACE_ATTRIBUTE = "case:"
"""What the names of attributes of traces begin with in tables of XES logs."""

XES_TYPES = {Kind.TEXT: "string", Kind.INTEGER: "int", Kind.NUMBER: "float"}
"""The XES type of values of each kind."""

_KINDS = {"int": Kind.INTEGER, "float": Kind.NUMBER}  # all other XES types are texts

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


def column_name(field: Field) -> str:
    """The name of a field's column in tables, from which its key in XES follows too.

    A value of a case that stands on its first event has the name of an event's column.

    >>> [column_name(Field("age", level, Kind.INTEGER)) for level in (Level.CASE, Level.FIRST)]
    ['case:age', 'age']
    """
    return f"{TRACE_ATTRIBUTE}{field.name}" if field.level is Level.CASE else field.name


def field_of(name: str, kind: Kind) -> Field:
    """The field of a column of this name.

    >>> field_of("case:age", Kind.INTEGER)
    Field(name='age', level=<Level.CASE: 'case'>, kind=<Kind.INTEGER: 'integer'>, private=False)
    """
    return Field(name.removeprefix(TRACE_ATTRIBUTE), level_of(name), kind)


def level_of(name: str) -> Level:
    """Whether a column of this name has a value for each event, or for each case."""
    return Level.CASE if name.startswith(TRACE_ATTRIBUTE) else Level.EVENT


def kind_of_types(types: Collection[str]) -> Kind:
    """What the values of an attribute are, by all XES types that it has in a document.

    >>> kind_of_types({"int"}), kind_of_types({"int", "float"}), kind_of_types({"int", "string"})
    (<Kind.INTEGER: 'integer'>, <Kind.NUMBER: 'number'>, <Kind.TEXT: 'text'>)
    """
    kinds = {_KINDS.get(each, Kind.TEXT) for each in types}
    if len(kinds) == 1:
        return kinds.pop()
    return Kind.TEXT if Kind.TEXT in kinds or not kinds else Kind.NUMBER


def public_columns(log: EventLog) -> list[Column]:
    """The columns of a log that are written to files and frames: all that are not private."""
    return [column for column in log.columns if not column.field.private]


@dataclass(frozen=True)
class Wanted:
    """What the user says of the columns and of how to read them; None means: find out.

    `person` and `ids` ask for private columns, whom a case is about and the id that it has in its source; `keep` names
    more columns to read.
    """

    case: str | None = None
    activity: str | None = None
    time: str | None = None
    lifecycle: str | None = None
    timezone: str | None = None
    time_format: str | None = None
    escape: str | None = None
    allow_line_ends: bool = False
    person: str | None = None
    ids: bool = False
    keep: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.keep, tuple):
            raise ParameterError(f"keep must be a list of names, not {repr(self.keep)[:40]}")
        texts = {name: value for name, value in vars(self).items() if name not in ("allow_line_ends", "ids", "keep")}
        for name, value in (*texts.items(), *(("keep", each) for each in self.keep)):
            if value is not None:
                _refuse_no_text(name, value)
        for name in self.keep:
            if name in (XES_CASE, XES_ACTIVITY, XES_TIME):
                raise ParameterError(f"{quoted(name)} is there anyway: leave it out of {argument('keep')}")
        checked_escape(self.escape)
        if self.timezone is not None:
            zone_offsets(self.timezone, np.zeros(1, dtype=np.int64))  # an unknown zone is refused before any work

    def further(self, case: str) -> tuple[Further, ...]:
        """The columns to read beside case, activity and time; `case` is the column of case ids."""
        private = [Further(self.person, PERSON)] if self.person is not None else []
        private += [Further(case, CASE_ID)] if self.ids else []
        return (*private, *(Further(name) for name in dict.fromkeys(self.keep)))


class Further(NamedTuple):
    """A column of the source, and the private field that it becomes; None for one that is kept as it is."""

    name: str
    private: Field | None = None

    @property
    def level(self) -> Level:
        """What has one value of it in the log."""
        return self.private.level if self.private is not None else level_of(self.name)

    def field(self, kind: Kind) -> Field:
        """Its field, if its values are of this kind in the source."""
        return self.private or field_of(self.name, kind)


def _refuse_no_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a text, not {repr(value)[:40]}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ParameterError(f"{name} {quoted(value)} is no text that can be written")


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
        lifecycle = (self.lifecycle,) if self.lifecycle is not None else ()
        return list(dict.fromkeys((self.columns.case, *self.activity, self.columns.time, *lifecycle)))


def select_columns(names: Sequence[str], wanted: Wanted, where: str) -> Selection:
    """The columns to read: those that the user names, else the XES names, else the usual ones."""
    chooser = _Chooser(names, where)
    columns = SourceColumns(
        chooser.choose("case", wanted.case),
        wanted.activity if wanted.activity is not None else chooser.choose("activity"),
        chooser.choose("time", wanted.time),
    )
    parts = activity_parts(columns.activity, names)
    for part in parts:
        chooser.choose("activity", part)
    lifecycle = None if wanted.lifecycle is None else chooser.choose("lifecycle")
    if wanted.person is not None:
        chooser.choose("person", wanted.person)
    for name in wanted.keep:
        chooser.keep(name)
    refuse_kept_twice(columns, wanted)
    return Selection(columns, parts, lifecycle, wanted.further(columns.case))


def refuse_kept_twice(columns: SourceColumns, wanted: Wanted) -> None:
    """Refuse to keep a column as it is that has a role in the log already: ids and persons are never published."""
    roles = {**{name: role for role, name in columns._asdict().items()}, wanted.person: "person"}
    for name in wanted.keep:
        if name in roles:
            raise ParameterError(
                f"{quoted(name)} is the column of the {roles[name]}: leave it out of {argument('keep')}"
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

    def keep(self, name: str) -> None:
        """Check that there is a column of this name, and only one."""
        self._only("keep", [name] * self._names.count(name), f"no column {quoted(name)} to keep")

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


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
