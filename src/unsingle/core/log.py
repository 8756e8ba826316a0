"""The event log as columns: what every step of the method works on.

An `EventLog` holds what its reader was asked for, and a release what a method made: a column that is not handed in is
not there, so it cannot be published by mistake.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import LogError
from .arrays import Ints, mix_pair, positions, runs, take_rows
from .clock import GRIDS, ClockFacts, Grid
from .columns import Column, Field
from .read_as import ReadAs

Activities = NDArray[np.int32]

_LAST_PART = re.compile(r'(.*?)\+("(?:[^"]|"")*"|[^+"]*)', re.DOTALL)


class SourceColumns(NamedTuple):
    """Which columns of the source were taken, and which were not.

    `start` is the column of start times where rows have two times, `kept` are the columns that were kept as they are,
    `left_out` all that were not read. `unused_start` is one of the latter that looks like a column of start times.
    `read_as` is what was found out beside.
    """

    case: str
    activity: str
    time: str
    start: str | None = None
    person: str | None = None
    kept: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    unused_start: str | None = None
    read_as: ReadAs = ReadAs()

    @property
    def roles(self) -> dict[str, str]:
        """The columns that have a role, by that.

        >>> SourceColumns("id", "task", "end", kept=("cost",)).roles
        {'case': 'id', 'activity': 'task', 'time': 'end'}
        """
        return {role: name for role, name in self._asdict().items() if role in _ROLES and name is not None}

    def plain(self) -> dict[str, str | list[str]]:
        """All that there is to say, as JSON has it.

        >>> SourceColumns("id", "task", "end", left_out=("cost",)).plain()
        {'case': 'id', 'activity': 'task', 'time': 'end', 'left_out': ['cost']}
        """
        lists = {"kept": list(self.kept), "left_out": list(self.left_out)}
        return {**self.roles, **{name: names for name, names in lists.items() if names}}


_ROLES = ("case", "activity", "time", "start", "person")


@dataclass(frozen=True)
class ActivityParts:
    """What labels are made of where the activity is several columns: their names, and the parts of each label.

    Public, like labels. With `intervals`, rows had a start and an end: each became two events, and the last part of
    their labels is ``start`` or ``complete``.

    >>> ActivityParts(("task", "state"), {"A+open": ("A", "open"), "B+open": ("B", "open")}).only(["B+open"]).of_label
    {'B+open': ('B', 'open')}
    """

    names: tuple[str, ...]
    of_label: Mapping[str, tuple[str, ...]]
    intervals: bool = False

    def __post_init__(self) -> None:
        if any(len(parts) != len(self.names) for parts in self.of_label.values()):
            raise LogError("the parts of a label do not fit their names")

    def of(self, labels: Sequence[str]) -> ActivityParts:
        """The parts of these labels; those of a label that is not known stand between its plus signs.

        They are the same whether the label is known or not: else they would tell that somebody has it.

        >>> ActivityParts(("task", "state"), {"A+open": ("A", "open")}).of(["A+open", "B+shut", "C"]).of_label
        {'A+open': ('A', 'open'), 'B+shut': ('B', 'shut'), 'C': ('C', '')}
        """
        return replace(self, of_label={label: self.of_label.get(label) or self._split(label) for label in labels})

    def _split(self, label: str) -> tuple[str, ...]:
        last: list[str] = []
        while len(last) < len(self.names) - 1 and (found := _LAST_PART.fullmatch(label)):
            label, part = found.groups()
            last.append(part[1:-1].replace('""', '"') if part.startswith('"') else part)
        return (label, *reversed(last), *[""] * (len(self.names) - 1 - len(last)))

    def only(self, labels: Sequence[str]) -> ActivityParts:
        """The parts of these labels alone."""
        return replace(self, of_label={label: self.of_label[label] for label in labels})


@dataclass(frozen=True, eq=False)
class Paths:
    """Distinct paths, and how many cases take each: path v is ``path[offsets[v]:offsets[v + 1]]``."""

    path: Activities
    offsets: Ints
    cases: Ints

    @property
    def count(self) -> int:
        """How many distinct paths there are."""
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class Variants(Paths):
    """The distinct paths of a log, and which of them each case takes."""

    of_case: Ints


@dataclass(frozen=True, eq=False)
class EventLog:
    """Cases of activities at times, as columns.

    Case i is the events ``case_offsets[i]`` to ``case_offsets[i + 1]``, in order of time; events at
    the same time keep the order of their source. Times are milliseconds since 1970 in UTC; `zone` is
    the zone of the log's own clock, in which times are written. `columns` are all others that were asked for, `source`
    says where case, activity and time came from, `parts` what labels are made of if the activity is several columns.

    >>> log = EventLog.from_events(
    ...     case=np.array([1, 2, 1]), activity=np.array([0, 0, 1]), time=np.array([5, 6, 7]), labels=["A", "B"]
    ... )
    >>> log
    EventLog(cases=2, events=3, variants=2, activities=2)
    """

    labels: tuple[str, ...]
    activity: Activities
    time: Ints
    case_offsets: Ints
    zone: str = "UTC"
    columns: tuple[Column, ...] = ()
    source: SourceColumns | None = None
    parts: ActivityParts | None = None

    def __post_init__(self) -> None:
        offsets, n = self.case_offsets, len(self.activity)
        if n == 0 or len(offsets) < 2:
            raise LogError("the log has no events")
        if len(set(self.labels)) != len(self.labels):
            raise LogError("activity labels must be distinct")
        if len(self.time) != n or offsets[0] != 0 or offsets[-1] != n or (np.diff(offsets) <= 0).any():
            raise LogError("columns and case offsets do not fit each other")
        if any(len(column) != self._size(column.field) for column in self.columns):
            raise LogError("a column does not fit the events or cases of the log")
        if self.parts is not None and not self.parts.of_label.keys() >= set(self.labels):
            raise LogError("it is not said what a label is made of")
        if self.activity.min() < 0 or self.activity.max() >= len(self.labels):
            raise LogError("an activity has no label")
        backwards = np.diff(self.time) < 0
        backwards[offsets[1:-1] - 1] = False
        if backwards.any():
            raise LogError("the events of a case are not in order of time")

    @classmethod
    def from_events(
        cls,
        case: NDArray[np.integer],
        activity: NDArray[np.integer],
        time: NDArray[np.integer],
        labels: Sequence[str],
        *,
        zone: str = "UTC",
        columns: Sequence[Column] = (),
        source: SourceColumns | None = None,
        parts: ActivityParts | None = None,
    ) -> EventLog:
        """Build a log from events in any order; `case` is any integer that tells cases apart.

        Cases are ordered by that integer, events by time, and equal times keep their order here. All columns have a
        value for each event; of a column of cases, the first value that a case has is taken.
        """
        same, later = case[1:] == case[:-1], time[1:] >= time[:-1]
        if not ((case[1:] > case[:-1]) | (same & later)).all():
            order = np.lexsort((time, case))  # a stable sort: ties keep the order of the source
            case, activity, time = case[order], activity[order], time[order]
            columns = [column.take(order) for column in columns]
        offsets = runs(case)
        return cls(
            tuple(labels),
            activity.astype(np.int32, copy=False),
            time.astype(np.int64, copy=False),
            offsets,
            zone,
            tuple(each.first_in(offsets) if each.field.of_cases else each for each in columns),
            source,
            parts,
        )

    def __repr__(self) -> str:
        return (
            f"EventLog(cases={self.n_cases}, events={self.n_events}, "
            f"variants={self.variants.count}, activities={len(self.labels)})"
        )

    def __eq__(self, other: object) -> bool:
        """Same events in the same order with the same names; zone, source and other columns do not count."""
        if not isinstance(other, EventLog):
            return NotImplemented
        return (
            np.array_equal(self.case_offsets, other.case_offsets)
            and np.array_equal(self.time, other.time)
            and np.array_equal(self.activity_names(), other.activity_names())
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return len(self.case_offsets) - 1

    @property
    def n_events(self) -> int:
        """Number of events."""
        return len(self.activity)

    @property
    def case_starts(self) -> Ints:
        """Time of the first event of each case."""
        return self.time[self.case_offsets[:-1]]

    @property
    def case_ends(self) -> Ints:
        """Time of the last event of each case."""
        return self.time[self.case_offsets[1:] - 1]

    @property
    def durations(self) -> Ints:
        """Milliseconds since the previous event of the case; 0 for its first event."""
        durations = np.diff(self.time, prepend=self.time[:1])
        durations[self.case_offsets[:-1]] = 0
        return durations

    @cached_property
    def is_first(self) -> NDArray[np.bool_]:
        """Whether an event is the first of its case."""
        first = np.zeros(self.n_events, dtype=np.bool_)
        first[self.case_offsets[:-1]] = True
        return first

    @cached_property
    def variants(self) -> Variants:
        """The distinct paths, and which of them each case takes."""
        return _distinct_paths(self.activity, self.case_offsets)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of all columns beside case, activity and time."""
        return tuple(column.field for column in self.columns)

    def column(self, field: Field) -> Column | None:
        """The column of this field, if the log has it."""
        return next((column for column in self.columns if column.field == field), None)

    def subset(self, cases: Ints) -> EventLog:
        """The log of these cases alone, with all columns; labels that none of them has are gone.

        >>> log = EventLog.from_events(np.array([1, 2, 2]), np.array([0, 1, 1]), np.array([5, 6, 7]), ["A", "B"])
        >>> log.subset(np.array([1])).labels
        ('B',)
        """
        flat, _ = take_rows(self.case_offsets, cases)
        columns = [column.take(cases if column.field.of_cases else flat) for column in self.columns]
        chosen = self.released(cases, self.time[flat], columns, self.parts)
        return replace(chosen, source=self.source)

    def with_columns(self, columns: Sequence[Column]) -> EventLog:
        """The same events with these columns in place of those there are."""
        return replace(self, columns=tuple(columns))

    def released(
        self, cases: Ints, time: Ints, columns: Sequence[Column] = (), parts: ActivityParts | None = None
    ) -> EventLog:
        """A log on the paths of these cases, with these times and columns, and with nothing else of this log.

        `parts` say what labels are made of; those of labels that are gone are gone too.
        """
        flat, offsets = take_rows(self.case_offsets, cases)
        activity, labels = self.activity[flat], self.labels
        used = np.bincount(activity, minlength=len(labels)) > 0
        if not used.all():
            activity = (np.cumsum(used, dtype=np.int32) - 1)[activity]
            labels = tuple(label for label, is_used in zip(labels, used, strict=True) if is_used)
        parts = None if parts is None else parts.only(labels)
        return EventLog(labels, activity, time, offsets, self.zone, tuple(columns), parts=parts)

    def _size(self, field: Field) -> int:
        return self.n_cases if field.of_cases else self.n_events

    def activity_names(self) -> NDArray[np.object_]:
        """The label of each event."""
        return np.array(self.labels, dtype=object)[self.activity]

    def variant_counts(self) -> dict[tuple[str, ...], int]:
        """Each variant as a tuple of labels, with its number of cases.

        >>> log = EventLog.from_events(np.array([1, 1]), np.array([0, 1]), np.array([5, 6]), ["A", "B"])
        >>> log.variant_counts()
        {('A', 'B'): 1}
        """
        variants = self.variants
        names = np.array(self.labels, dtype=object)[variants.path]
        edges = variants.offsets.tolist()
        return {
            tuple(names[a:b]): count for a, b, count in zip(edges, edges[1:], variants.cases.tolist(), strict=False)
        }


def pairs(activity: Activities | Ints, n_labels: int) -> Ints:
    """A number for each event's activity and the one before it; for a case's first event it means nothing.

    >>> pairs(np.array([0, 2, 1]), 3).tolist()[1:]
    [2, 7]
    """
    here = activity.astype(np.int64)
    return np.roll(here, 1) * n_labels + here


def grid_of(log: EventLog, name: str | None = None) -> Grid:
    """The coarsest grid that all times of the log lie on, or the one that is named."""
    return ClockFacts.of(log.time, log.zone).grid if name is None else Grid(GRIDS[name], log.zone)


def _distinct_paths(activity: Activities, offsets: Ints) -> Variants:
    """Group cases with equal activity sequences: by hash, then checked element by element."""
    place, lengths = positions(offsets), np.diff(offsets)
    for salt in range(64):
        digest = np.add.reduceat(mix_pair(activity, place, salt), offsets[:-1])
        digest += mix_pair(lengths, lengths, salt)
        _, first, of_case = np.unique(digest, return_index=True, return_inverse=True)
        # number variants by their first case, so that the numbering does not depend on the hash
        rank = np.empty(len(first), dtype=np.int64)
        rank[np.argsort(first)] = np.arange(len(first))
        representative, of_case = np.sort(first), rank[of_case]
        if (lengths[representative[of_case]] == lengths).all():
            twin, _ = take_rows(offsets, representative[of_case])
            if (activity[twin] == activity).all():
                chosen, path_offsets = take_rows(offsets, representative)
                return Variants(activity[chosen], path_offsets, np.bincount(of_case), of_case)
    raise AssertionError("64 unrelated hashes collided")  # pragma: no cover
