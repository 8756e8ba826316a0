"""Tables of kept columns and of service times, before and after: what a comparison shows beside its measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np

from ..core.arrays import Floats, Ints, distinct
from ..core.clock import HOUR
from ..core.columns import Column
from .context import Context
from .kept import Alike, Kept, NotCompared
from .measures.case_values import together
from .measures.handovers import later_events
from .services import Services
from .spreads import spreads

MOST_GIVEN = 15
"""Activities that have rows of their own; all others share theirs."""

MOST_VALUES = 12
"""Values that have rows of their own; all others share theirs."""

Change = TypeVar("Change")

_MOST_CASE_VALUES = 25
_PERCENTILES = (0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 100)


@dataclass(frozen=True)
class KeptColumn:
    """A column that both logs have: how many values it has, and which share of events or cases has none.

    Where values of the release are `pseudonyms`, they are compared with the original's values that are as frequent.
    """

    column: str
    level: str
    kind: str
    values_before: int
    values_after: int
    missing_before: float
    missing_after: float
    pseudonyms: bool


@dataclass(frozen=True)
class ValueChange:
    """How often a value occurs before and after, given an activity, a last activity, or the value before it.

    Shares are of all that is given; `given` is empty where that is everything.
    """

    column: str
    given: str
    value: str
    before: int
    after: int
    share_before: float
    share_after: float


@dataclass(frozen=True)
class NumberSpread:
    """The numbers of an activity before and after: how many, of which share of its events, quartiles and mean."""

    column: str
    activity: str
    numbers_before: int
    numbers_after: int
    share_before: float
    share_after: float
    lower_before: float
    median_before: float
    upper_before: float
    mean_before: float
    lower_after: float
    median_after: float
    upper_after: float
    mean_after: float


@dataclass(frozen=True)
class CasePercentile:
    """So many percent of the numbers that cases have are at most so large."""

    column: str
    percent: int
    before: float
    after: float


@dataclass(frozen=True)
class ServiceDuration:
    """How long an activity is worked on, before and after, in hours, and how often a start has no complete."""

    activity: str
    pairs_before: int
    pairs_after: int
    mean_before: float
    mean_after: float
    distance_hours: float
    unfinished_before: int
    unfinished_after: int


class ColumnTables(NamedTuple):
    """All tables of kept columns and of service times."""

    kept_columns: tuple[KeptColumn, ...]
    not_compared: tuple[NotCompared, ...]
    activity_values: tuple[ValueChange, ...]
    handover_values: tuple[ValueChange, ...]
    activity_numbers: tuple[NumberSpread, ...]
    case_shares: tuple[ValueChange, ...]
    end_shares: tuple[ValueChange, ...]
    case_numbers: tuple[CasePercentile, ...]
    service_durations: tuple[ServiceDuration, ...]


def column_tables(context: Context) -> ColumnTables:
    """Make all tables."""
    of_events = [kept for kept in context.kept if not kept.of_cases]
    of_cases = [kept for kept in context.kept if kept.of_cases]
    texts, numbers = ([kept for kept in of_events if kept.is_text is is_text] for is_text in (True, False))
    return ColumnTables(
        kept_columns=tuple(map(_kept_column, context.kept)),
        not_compared=context.not_compared,
        activity_values=_all(_given(kept, context.activities) for kept in texts),
        handover_values=_all(_handovers(kept, context) for kept in texts),
        activity_numbers=_all(_spreads(kept, context.activities) for kept in numbers),
        case_shares=_all(_shares(kept.name, together(kept.values), _of_cases(kept)) for kept in of_cases),
        end_shares=_all(_given(kept, context.last_activities) for kept in of_cases),
        case_numbers=_all(_percentiles(kept) for kept in of_cases if not kept.is_text),
        service_durations=() if context.services is None else tuple(_service_durations(context.services)),
    )


def _all(tables: Iterable[Iterable[Change]]) -> tuple[Change, ...]:
    return tuple(chain.from_iterable(tables))


def _kept_column(kept: Kept) -> KeptColumn:
    field = kept.before.field
    return KeptColumn(
        column=kept.name,
        level=field.level.value,
        kind=field.kind.value,
        values_before=_distinct(kept.before),
        values_after=_distinct(kept.after),
        missing_before=float((~kept.before.present).mean()),
        missing_after=float((~kept.after.present).mean()),
        pseudonyms=kept.has_pseudonyms,
    )


def _distinct(column: Column) -> int:
    return len(distinct(column.values[column.present]))


def _given(kept: Kept, given: Alike) -> Iterator[ValueChange]:
    return _shares(kept.name, given.pooled(MOST_GIVEN), kept.values.pooled(MOST_VALUES))


def _handovers(kept: Kept, context: Context) -> Iterator[ValueChange]:
    values = kept.values.pooled(MOST_VALUES)
    before, after = later_events(context)
    return _shares(kept.name, values.at(before - 1, after - 1), values.at(before, after))


def _of_cases(kept: Kept) -> Alike:
    """The values of cases: of numbers all in their order if there are few, else the most frequent ones."""
    if kept.is_text or len(kept.values.names) > _MOST_CASE_VALUES + 1:
        return kept.values.pooled(_MOST_CASE_VALUES)
    return kept.values


def _shares(column: str, given: Alike, values: Alike) -> Iterator[ValueChange]:
    """All pairs that occur, by what is given and then in the order of the values."""
    counts = [_crossed(*sides, len(given.names), len(values.names))
              for sides in ((given.before, values.before), (given.after, values.after))]  # fmt: skip
    shares = [count / np.maximum(count.sum(axis=1, keepdims=True), 1) for count in counts]
    for row, cell in np.argwhere(counts[0] + counts[1] > 0).tolist():
        figures = (table[row, cell].item() for table in (*counts, *shares))
        yield ValueChange(column, given.names[row], values.names[cell], *figures)


def _crossed(group: Ints, value: Ints, n_groups: int, n_values: int) -> Ints:
    """How often each value occurs in each group."""
    return np.bincount(group * n_values + value, minlength=n_groups * n_values).reshape(n_groups, n_values)


def _spreads(kept: Kept, activities: Alike) -> Iterator[NumberSpread]:
    """The numbers of each activity that has any, the most frequent one first."""
    n, (events_before, events_after) = len(activities.names), activities.counts
    before, after = (
        spreads(group[column.present], column.values[column.present], n)
        for column, group in ((kept.before, activities.before), (kept.after, activities.after))
    )
    with_value = before.count / np.maximum(events_before, 1), after.count / np.maximum(events_after, 1)
    sides = [np.column_stack((side.quartiles, side.mean)).tolist() for side in (before, after)]
    for i in np.argsort(-before.count, kind="stable").tolist():
        if before.count[i] or after.count[i]:
            figures = (each[i].item() for each in (before.count, after.count, *with_value))
            yield NumberSpread(kept.name, activities.names[i], *figures, *sides[0][i], *sides[1][i])


def _percentiles(kept: Kept) -> Iterator[CasePercentile]:
    before, after = (_quantiles(column.values[column.present]) for column in (kept.before, kept.after))
    return (CasePercentile(kept.name, *row) for row in zip(_PERCENTILES, before.tolist(), after.tolist(), strict=True))


def _quantiles(values: Floats) -> Floats:
    return np.percentile(values, _PERCENTILES) if len(values) else np.full(len(_PERCENTILES), np.nan)


def _service_durations(services: Services) -> Iterator[ServiceDuration]:
    """The service times of each activity that has any, the most frequent one first."""
    pairs, unfinished = services.activities.counts, services.unfinished.counts
    hours = [each / HOUR for each in (*services.means, services.distance)]
    for i in np.argsort(-pairs[0], kind="stable").tolist():
        if sum(each[i] for each in (*pairs, *unfinished)):
            figures = (each[i].item() for each in (*pairs, *hours, *unfinished))
            yield ServiceDuration(services.names[i], *figures)
