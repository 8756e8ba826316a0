"""Which columns of a source are read: those that the user names, else those with XES names, else with usual ones."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..core.columns import PERSON
from ..core.log import EventLog, SourceColumns
from ..core.wording import quoted
from ..errors import CellError, ColumnError, ParameterError, argument
from .chooser import Chooser, column_parts
from .schema import XES_LIFECYCLE
from .usual_names import ENDS, START_BEFORE_END, STARTS, USUAL_NAMES, plain
from .wanted import Further, Wanted


@dataclass(frozen=True)
class Selection:
    """The columns to read: those of the log, what the activity is made of, the lifecycle, and further ones.

    Times and start times are one column or two, of dates and clock times.
    """

    columns: SourceColumns
    activity: tuple[str, ...]
    lifecycle: str | None
    further: tuple[Further, ...] = ()
    time: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    clock_is_guessed: bool = False

    @property
    def names(self) -> list[str]:
        """All columns to read, each once."""
        return list(dict.fromkeys((*self.needed, *(each.name for each in self.further))))

    @property
    def needed(self) -> list[str]:
        """The columns of which every event must have a value."""
        lifecycle = [self.lifecycle] if self.lifecycle is not None else []
        return list(dict.fromkeys((self.columns.case, *self.activity, *self.time, *lifecycle, *self.start)))

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
    parts, time = activity_parts(columns.activity, names), time_parts(columns.time, names, "time")
    start = () if wanted.start is None else time_parts(wanted.start, names, "start")
    columns = columns._replace(start=wanted.start, person=wanted.person, kept=tuple(wanted.kept))
    lifecycle = XES_LIFECYCLE if wanted.lifecycle is not None else None
    selection = Selection(
        columns, parts, lifecycle, wanted.further(columns.case), time, start, wanted.time is None and len(time) > 1
    )
    _refuse_two_roles(selection, wanted)
    return selection


def select_columns(names: Sequence[str], wanted: Wanted, where: str) -> Selection:
    """The columns to read: those that the user names, else the XES names, else the usual ones."""
    chooser = Chooser(names, where)
    wanted = chooser.spelled(wanted)
    columns = SourceColumns(
        chooser.choose("case", wanted.case),
        wanted.activity if wanted.activity is not None else chooser.choose("activity"),
        wanted.time if wanted.time is not None else chooser.choose_time(),
    )
    for role, name in (("activity", wanted.activity), ("time", wanted.time), ("start", wanted.start)):
        for part in () if name is None else column_parts(name, names):
            chooser.choose(role, part)
    if wanted.person is not None:
        chooser.choose("person", wanted.person)
    lifecycle = None if wanted.lifecycle is None else chooser.choose("lifecycle")
    for kept in wanted.kept.values():
        chooser.keep(kept)
    chooser.refuse_missing()
    return replace(selection_of(columns, wanted, names), lifecycle=lifecycle).among(names, wanted)


def _refuse_two_roles(selection: Selection, wanted: Wanted) -> None:
    """Refuse columns of two roles, of which one is kept or a start: ids and persons are never published.

    A date may be that of the start and of the end, where clock times tell them apart.
    """
    columns = selection.columns
    roles = (
        {columns.case: "case"} | dict.fromkeys(selection.time, "time") | dict.fromkeys(selection.activity, "activity")
    )
    if columns.person is not None:
        roles.setdefault(columns.person, "person")
    shared = set(selection.time) if len(selection.start) > 1 and selection.start != selection.time else set()
    for name in selection.start:
        if name in roles and name not in shared:
            raise ParameterError(
                f"{quoted(name)} is the column of the {roles[name]}: name another with {argument('start')}"
            )
    if selection.start and XES_LIFECYCLE in selection.activity:
        raise ParameterError(
            f"{argument('start')} makes the lifecycles start and complete: leave {quoted(XES_LIFECYCLE)} out of "
            f"{argument('activity')}"
        )
    for name, kept in wanted.kept.items():
        if (role := "start" if name in selection.start else roles.get(name)) is not None:
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
    chooser = Chooser(names, "")
    guess: dict[str, str | None] = {}
    for role in USUAL_NAMES:
        guess[role] = None
        with contextlib.suppress(ColumnError):
            guess[role] = (chooser.choose_time() if role == "time" else chooser.choose(role)) or None
    return guess


def activity_parts(activity: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns that make up an activity: ``a+b`` is a combination, unless a column has that very name.

    >>> activity_parts("concept:name+lifecycle:transition", ["concept:name", "lifecycle:transition"])
    ('concept:name', 'lifecycle:transition')
    """
    return column_parts(activity, names)


def time_parts(time: str, names: Sequence[str], role: str) -> tuple[str, ...]:
    """The column of times, or those of dates and of clock times.

    >>> time_parts("Day+Hour", ["Day", "Hour"], "time")
    ('Day', 'Hour')
    """
    parts = column_parts(time, names)
    if len(parts) > 2:
        raise ParameterError(
            f"{argument(role)} {quoted(time)} names {len(parts)} columns: name a date and a clock time"
        )
    return parts


def names_taken(columns: SourceColumns, names: Sequence[str]) -> set[str]:
    """The columns of a source that a log was made of, if these are all it has.

    >>> sorted(names_taken(SourceColumns("id", "what+phase", "at", kept=("cost",)), ["id", "what", "phase", "at"]))
    ['at', 'cost', 'id', 'phase', 'what']
    """
    joint = [column_parts(name, names) for name in (columns.activity, columns.time, columns.start) if name is not None]
    others = [name for name in (columns.case, columns.person) if name is not None]
    return {*others, *(part for parts in joint for part in parts), *columns.kept}


def _start_among(names: Sequence[str], time: str) -> str | None:
    """The column that looks like that of start times, if any, beside that of times."""
    known = {plain(name): name for name in reversed(names)}
    ends = plain(time).startswith(ENDS)
    return next((known[key] for key in (*STARTS, *((START_BEFORE_END,) if ends else ())) if key in known), None)
