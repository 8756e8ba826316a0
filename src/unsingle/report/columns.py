"""Sections about kept columns: who does what, handovers, numbers, values of cases, and service times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ..core.columns import Kind
from ..core.wording import percent
from ..evaluation.column_tables import KeptColumn, ValueChange
from ..evaluation.comparison import Comparison
from ..evaluation.kept import NO_VALUE, OTHERS
from ..evaluation.measures.case_values import CASE_VALUES
from ..evaluation.measures.case_values_by_end import CASE_VALUES_BY_END
from ..evaluation.measures.handovers import HANDOVERS
from ..evaluation.measures.numbers_by_activity import NUMBERS_BY_ACTIVITY
from ..evaluation.measures.service_time import SERVICE_TIME
from ..evaluation.measures.values_by_activity import VALUES_BY_ACTIVITY
from .figures import MOST_BARS, bars, hours_text, label_text, lines_of, spreads_of
from .render import Cell, Matrix, Section

_CLOSE, _USABLE = 0.1, 0.2  # shares that may be off: of values, and of what depends on two of them
_SIDES = ("before", "after")
_SHARES = "Each row adds up to 100%."
_COUNTED = ("before", "after", "share before", "share after")


def column_uses(comparison: Comparison) -> Iterator[tuple[str, bool]]:
    """What kept columns can be used for, and whether they can."""
    measures = comparison.measures
    for name, loss in comparison.column_losses.items():
        yield f"values of {name}", loss <= _CLOSE
    for name, change in measures.get(HANDOVERS.name, {}).items():
        yield f"handovers of {name}", change.all_values <= _USABLE
    if (service := measures.get(SERVICE_TIME.name)) is not None:
        yield "how long work takes from start to complete", service.distance.share_of_mean <= _USABLE


def column_sections(comparison: Comparison) -> Iterator[Section]:
    """The sections of each kept column, and of service times."""
    for number, column in enumerate(comparison.kept_columns):
        yield from _sections_of(comparison, column, f"column-{number}")
    if comparison.service_durations:
        yield _service_times(comparison)


def _sections_of(comparison: Comparison, column: KeptColumn, name: str) -> Iterator[Section]:
    measures = comparison.measures
    if column.column in measures.get(VALUES_BY_ACTIVITY.name, {}):
        yield _by_activity(comparison, column, name)
        yield _handovers(comparison, column, f"{name}-handovers")
    elif column.column in measures.get(NUMBERS_BY_ACTIVITY.name, {}):
        yield _numbers(comparison, column.column, name)
    else:
        yield _of_cases(comparison, column, name)
        yield _by_end(comparison, column, f"{name}-ends")


def _by_activity(comparison: Comparison, column: KeptColumn, name: str) -> Section:
    moved = comparison.measures[VALUES_BY_ACTIVITY.name][column.column]
    rows = _rows(comparison.activity_values, column.column)
    return Section(
        name=name,
        heading=f"{column.column} by activity",
        sentence=f"The share of events of each activity that has each value. {_SHARES} To match the original, "
        f"{percent(moved)} of events would have to change their value.{_pseudonyms(column)}",
        matrices=_matrices(rows),
        columns=("activity", "value", *_COUNTED),
        rows=_table(rows),
    )


def _handovers(comparison: Comparison, column: KeptColumn, name: str) -> Section:
    moved = comparison.measures[HANDOVERS.name][column.column]
    rows = _rows(comparison.handover_values, column.column)
    return Section(
        name=name,
        heading=f"Handovers of {column.column}",
        sentence="From the value of one event (row) to that of the next event of the case (column). "
        f"{_SHARES} The rows of all values are off by {percent(moved.all_values)}.{_pseudonyms(column)}",
        matrices=_matrices(rows),
        columns=("from", "to", *_COUNTED),
        rows=_table(rows) or (("no case has two events", *["–"] * 5),),
    )


def _numbers(comparison: Comparison, column: str, name: str) -> Section:
    change = comparison.measures[NUMBERS_BY_ACTIVITY.name][column]
    rows = [row for row in comparison.activity_numbers if row.column == column]
    shown = rows[:MOST_BARS][::-1]
    sides = {side: [tuple(getattr(row, f"{what}_{side}") for what in ("lower", "median", "upper")) for row in shown]
             for side in _SIDES}  # fmt: skip
    return Section(
        name=name,
        heading=f"{column} by activity",
        sentence=f"Median and middle half of the numbers of each activity. They are {change}.",
        figure=spreads_of(sides, [label_text(row.activity) for row in shown], {"title": label_text(column)}),
        columns=("activity", "numbers before", "after", "of its events before", "after", "median before", "after",
                 "mean before", "after"),
        rows=tuple(
            (
                row.activity,
                f"{row.numbers_before:,}",
                f"{row.numbers_after:,}",
                percent(row.share_before),
                percent(row.share_after),
                *map(_number, (row.median_before, row.median_after, row.mean_before, row.mean_after)),
            )
            for row in rows
        ),
    )  # fmt: skip


def _of_cases(comparison: Comparison, column: KeptColumn, name: str) -> Section:
    """Bars of the values, or lines where there are too many numbers for bars."""
    change = comparison.measures[CASE_VALUES.name][column.column]
    rows = _rows(comparison.case_shares, column.column)
    percentiles = [row for row in comparison.case_numbers if row.column == column.column]
    return Section(
        name=name,
        heading=f"{column.column} of cases",
        sentence=f"The share of all cases that has each value. {str(change)[:1].upper()}{str(change)[1:]}."
        f"{_pseudonyms(column)}",
        figure=_curve(percentiles, column.column) if len(rows) > MOST_BARS and percentiles else _bars(rows),
        columns=("value", *_COUNTED),
        rows=tuple(row[1:] for row in _table(rows)),
    )


def _by_end(comparison: Comparison, column: KeptColumn, name: str) -> Section:
    moved = comparison.measures[CASE_VALUES_BY_END.name][column.column]
    rows = _rows(comparison.end_shares, column.column)
    return Section(
        name=name,
        heading=f"{column.column} by how the case ended",
        sentence=f"The share of cases with each last activity (row) that has each value. {_SHARES} To match the "
        f"original, {percent(moved)} of cases would have to change their value.",
        matrices=_matrices(rows, numbers=column.kind != Kind.TEXT.value),
        columns=("last activity", "value", *_COUNTED),
        rows=_table(rows),
    )


def _service_times(comparison: Comparison) -> Section:
    rows = comparison.service_durations
    shown = rows[:MOST_BARS][::-1]
    figure = bars(
        {side: [getattr(row, f"mean_{side}") for row in shown] for side in _SIDES},
        [label_text(row.activity) for row in shown],
        percent=False,
    )
    figure["layout"]["xaxis"] = {"title": "mean hours", "rangemode": "tozero"}
    return Section(
        name="service-times",
        heading="How long work takes, from start to complete",
        sentence=f"The mean time from the start of an activity to its complete. Times are off by "
        f"{comparison.measures[SERVICE_TIME.name]}.",
        figure=figure,
        columns=("activity", "pairs before", "after", "mean before", "after", "times moved by",
                 "starts without complete before", "after"),
        rows=tuple(
            (
                row.activity,
                f"{row.pairs_before:,}",
                f"{row.pairs_after:,}",
                *map(hours_text, (row.mean_before, row.mean_after, row.distance_hours)),
                f"{row.unfinished_before:,}",
                f"{row.unfinished_after:,}",
            )
            for row in rows
        ),
    )  # fmt: skip


def _rows(rows: Sequence[ValueChange], column: str) -> list[ValueChange]:
    return [row for row in rows if row.column == column]


def _table(rows: Sequence[ValueChange]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            row.given,
            row.value,
            f"{row.before:,}",
            f"{row.after:,}",
            f"{row.share_before:.1%}",
            f"{row.share_after:.1%}",
        )
        for row in rows
    )


def _matrices(rows: Sequence[ValueChange], *, numbers: bool = False) -> tuple[Matrix, ...]:
    """The shares before and after, with the same rows and columns."""
    given, values = list(dict.fromkeys(row.given for row in rows)), _in_order(rows, numbers=numbers)
    found = {(row.given, row.value): row for row in rows}

    def matrix(side: str) -> Matrix:
        shares = [
            [getattr(found[each, value], f"share_{side}") if (each, value) in found else 0.0 for value in values]
            for each in given
        ]
        return Matrix(side, tuple(values), tuple(given), tuple(tuple(map(_cell, row)) for row in shares))

    return tuple(map(matrix, _SIDES)) if rows else ()


def _in_order(rows: Sequence[ValueChange], *, numbers: bool) -> list[str]:
    """The values, the most frequent first or numbers by their size; what all others share comes last."""
    total: dict[str, int] = {}
    for row in rows:
        total[row.value] = total.get(row.value, 0) + row.before
    return sorted(total, key=lambda value: (value == OTHERS, _size(value) if numbers else -total[value]))


def _size(value: str) -> float:
    """The number that a value is, or that it begins with.

    >>> [_size(value) for value in ("under 5", "40", "2,500 to 3,000", "(no value)")]
    [-inf, 40.0, 2500.0, inf]
    """
    if value in (NO_VALUE, OTHERS):
        return math.inf
    first, *_ = value.replace(",", "").split()
    return -math.inf if first.isalpha() else float(first)


def _cell(share: float) -> Cell:
    """A share as its percentage, darker the larger it is; none at all is left empty.

    >>> _cell(0.251), _cell(0)
    (Cell(text='25', level=3), Cell(text='', level=0))
    """
    return Cell("" if share == 0 else f"{100 * share:.0f}", math.ceil(10 * share))


def _bars(rows: Sequence[ValueChange]) -> dict[str, Any]:
    shown = list(reversed(rows))
    return bars(
        {side: [getattr(row, f"share_{side}") for row in shown] for side in _SIDES},
        [label_text(row.value) for row in shown],
    )


def _curve(percentiles: Sequence[Any], column: str) -> dict[str, Any]:
    lines = {
        side: ([getattr(row, side) for row in percentiles], [row.percent for row in percentiles]) for side in _SIDES
    }
    layout = {"xaxis": {"title": f"{label_text(column)}, at most"}, "yaxis": {"title": "% of cases with a number"}}
    return lines_of(lines, layout)


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:,.4g}"


def _pseudonyms(column: KeptColumn) -> str:
    if not column.pseudonyms:
        return ""
    return " The release has pseudonyms: each stands beside the value that is as frequent."
