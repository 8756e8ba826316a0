"""Whose values in kept columns to attack: people who stand out most, and neighbouring logs in which they do not.

A value of a case is changed as it is, that of events on all events of the person that have it. So nothing else of the
log differs: the same paths, the same times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Flags, Floats, Ints, distinct, offsets_of, row_of
from ..core.columns import MISSING, Column, Field, Kind
from ..core.log import EventLog
from ..formats.schema import public_columns
from ..mechanisms.cases import persons_of
from .targets import Targets

CellValue = str | float | None
"""A value as Python has it; None if there is none."""


class Standing(NamedTuple):
    """A value by which a person stands out in a column, and one that would be usual in its place.

    `rows` are the events (or the cases) of the person that have it, `case` is the first case that they are in.
    """

    field: Field
    rows: Ints
    case: int
    value: CellValue
    usual: CellValue


class Entries:
    """The values of a column that are there: where each stands, in which case, whose it is, and among which others.

    Values of events are compared with those of the same activity.
    """

    def __init__(self, log: EventLog, column: Column) -> None:
        of_cases = column.field.of_cases
        self.column = column
        self.row = np.flatnonzero(column.present)
        self.case: Ints = (np.arange(log.n_cases) if of_cases else row_of(log.case_offsets))[self.row]
        self.person = persons_of(log)[self.case]
        self.group: Ints = np.zeros_like(self.row) if of_cases else log.activity[self.row].astype(np.int64)
        self.value: NDArray[np.generic] = column.values[self.row]

    @cached_property
    def people(self) -> Ints:
        """How many people have the same value as each entry."""
        _, number = np.unique(self.value, return_inverse=True)
        size = int(self.person.max(initial=0)) + 1
        return np.bincount(distinct(number * size + self.person) // size)[number]

    def standing(self, entry: int, usual: np.generic) -> Standing:
        """The person of this entry, who stands out by its value."""
        theirs = self.row[(self.person == self.person[entry]) & (self.value == self.value[entry])]
        cells = (self.cell(self.value[entry]), self.cell(usual))
        return Standing(self.column.field, theirs, int(self.case[entry]), *cells)

    def cell(self, value: np.generic) -> CellValue:
        """A value as Python has it."""
        return self.column.texts[int(value)] if self.column.field.kind is Kind.TEXT else float(value)


def rare_text(targets: Targets) -> Standing | None:
    """The text that the fewest people have in any column, and somebody who has it, as alone on a path as possible."""
    return _most(targets, _rarest, texts=True)


def unusual_number(targets: Targets) -> Standing | None:
    """The number that is farthest from the usual one, and that few people have."""
    return _most(targets, _farthest, texts=False)


Choice = Callable[[Entries, Ints], tuple[float, Standing] | None]
"""Chooses an entry, given how many cases take the path of each, and says how much it stands out."""


def _most(targets: Targets, choose: Choice, *, texts: bool) -> Standing | None:
    columns = [each for each in public_columns(targets.log) if (each.field.kind is Kind.TEXT) == texts]
    entries = [Entries(targets.log, each) for each in columns]
    found = [one for each in entries if (one := choose(each, targets.crowd[each.case])) is not None]
    return max(found, key=lambda one: one[0])[1] if found else None


def _rarest(entries: Entries, crowd: Ints) -> tuple[float, Standing] | None:
    if len(np.unique(entries.value)) < 2:
        return None
    entry = int(np.lexsort((crowd, entries.people))[0])
    other = entries.value != entries.value[entry]
    alike = other & (entries.group == entries.group[entry])
    texts, times = np.unique(entries.value[alike if alike.any() else other], return_counts=True)
    return -float(entries.people[entry]), entries.standing(entry, texts[np.argmax(times)])


def _farthest(entries: Entries, crowd: Ints) -> tuple[float, Standing] | None:
    if not len(entries.row):
        return None
    value = entries.value.astype(np.float64)
    usual = _lower_medians(value, entries.group)
    standing = _apart(value, usual) / entries.people
    entry = int(np.lexsort((crowd, -standing))[0])
    return (float(standing[entry]), entries.standing(entry, usual[entry])) if standing[entry] > 0 else None


def _apart(one: Floats, other: Floats | np.float64) -> Floats:
    """How far numbers are apart: by which factor, or, where they are small, by how much."""
    return np.abs(np.arcsinh(one) - np.arcsinh(other))


def _lower_medians(values: Floats, group: Ints) -> Floats:
    """For each value the lower median of its group."""
    order = np.lexsort((values, group))
    edges = offsets_of(np.bincount(group))
    middle = (edges[:-1] + edges[1:] - 1) // 2
    return values[order][np.maximum(middle, 0)[group]]


def with_usual_text(targets: Targets) -> EventLog | None:
    """The person with the rarest text has a usual one in its place."""
    return _with_usual(targets, rare_text(targets))


def with_usual_number(targets: Targets) -> EventLog | None:
    """The person with the most unusual number has the usual one in its place."""
    return _with_usual(targets, unusual_number(targets))


def _with_usual(targets: Targets, standing: Standing | None) -> EventLog | None:
    return None if standing is None else changed(targets.log, standing.field, standing.rows, standing.usual)


def with_other_values(targets: Targets) -> EventLog | None:
    """One person has other values in all columns: in each a single one, as far from their own as there is.

    It is the person who has values at the most activities, so that they count as much as anybody can.
    """
    log = targets.log
    columns = [Entries(log, column) for column in public_columns(log)]
    if not any(len(each.row) for each in columns):
        return None
    person = _fullest(columns)
    for entries in columns:
        mine = entries.person == person
        if mine.any():
            log = changed(log, entries.column.field, entries.row[mine], _other(entries, mine))
    return log


def _fullest(columns: Sequence[Entries]) -> int:
    """The person with values at the most activities, in all columns and cases together."""
    width = 1 + max(int(each.group.max(initial=0)) for each in columns)
    person = [each.person[np.unique(each.case * width + each.group, return_index=True)[1]] for each in columns]
    return int(np.argmax(np.bincount(np.concatenate(person))))


def _other(entries: Entries, mine: Flags) -> CellValue:
    """A value that this person does not have: the rarest text, or the farthest number; none if there is no other."""
    possible = np.flatnonzero(~np.isin(entries.value, entries.value[mine]))
    if not len(possible):
        return None
    if entries.column.field.kind is Kind.TEXT:
        return entries.cell(entries.value[possible[np.argmin(entries.people[possible])]])
    number = entries.value.astype(np.float64)
    return float(number[possible[np.argmax(_apart(number[possible], np.median(number[mine])))]])


def changed(log: EventLog, field: Field, rows: Ints, cell: CellValue) -> EventLog:
    """The log in which these rows of a column have another value."""
    return log.with_columns([_with_cell(each, rows, cell) if each.field == field else each for each in log.columns])


def _with_cell(column: Column, rows: Ints, cell: CellValue) -> Column:
    values = column.values.copy()
    if column.field.kind is not Kind.TEXT:
        values[rows] = np.nan if cell is None else cell
        return replace(column, values=values)
    values[rows] = MISSING if cell is None else column.texts.index(str(cell))
    return _without_unused(replace(column, values=values))


def _without_unused(column: Column) -> Column:
    """The column without texts that no row has, as if it had been read like this."""
    used, number = np.unique(column.values[column.present], return_inverse=True)
    values = column.values.copy()
    values[column.present] = number
    return replace(column, values=values, texts=tuple(column.texts[code] for code in used.tolist()))
