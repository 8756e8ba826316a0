"""Which delta should I choose? What each costs, method by method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.wording import percent
from ...evaluation.measures.base import Number, Plot
from ...evaluation.sweep import Sweep, sweep_numbers
from ...methods import METHODS
from ..figures import bars, label_text, lines_of
from ..render import Advice, Card, Figure, Page, Section
from .base import page_of

_MEANING = (
    "Delta is the most that a release may add to someone's chance of a right guess about one person: at 0.2 from "
    "50 to at most 70 of 100. Smaller is safer, but costs exact times and counts, and with the paper's methods "
    "added cases."
)
_MOST_COLUMNS = 3  # beside times: there are four colours
_NOT_THE_SAME = "The methods do not promise the same; docs/explanation/guarantees.md says what each does."


@page_of.register
def sweep_page(result: Sweep) -> Page:
    """Answer what delta costs."""
    plots = [_plot(result, number, number.plot) for number in sweep_numbers() if number.plot and _any(result, number)]
    return Page(
        title="Which delta should I choose?",
        verdict=result.verdict,
        cards=tuple(
            Card(
                f"{percent(point.time_distance_share)}, {point.ratio:.2f} ×",
                f"{point.method} at delta {point.delta:g}: error in times, and cases for each original one",
            )
            for point in result.at_usual_delta
        ),
        advice=(
            Advice(_MEANING),
            *(Advice(f"{name}: {METHODS[name].title}.") for name in result.methods),
            Advice(_NOT_THE_SAME),
            *(Advice(note) for note in (result.columns_note, result.unit_note) if note),
        ),
        sections=(*plots, *_costs(result), _numbers(result)),
    )


def _any(result: Sweep, number: Number) -> bool:
    """Whether a number is known at any point."""
    values = [point.figures[number.name] for point in result.points]
    return any(value == value for value in values)


def _plot(result: Sweep, number: Number, plot: Plot) -> Section:
    axis: dict[str, Any] = {"title": plot.axis}
    axis |= {"type": "log"} if plot.logarithmic else {"rangemode": "tozero"}
    axis |= {"tickformat": ".0%"} if number.unit.is_share else {}
    return Section(number.name, plot.heading, plot.sentence, _by_delta(result, number, axis))


def _by_delta(result: Sweep, number: Number, axis: dict[str, Any]) -> Figure:
    lines: dict[str, tuple[list[Any], list[Any]]] = {}
    for point in result.points:
        deltas, values = lines.setdefault(point.method, ([], []))
        deltas.append(point.delta)
        values.append(point.figures[number.name])
    if number.name in result.halves:
        deltas = sorted({point.delta for point in result.points})
        lines["two halves of your log"] = deltas, [result.halves[number.name]] * len(deltas)
    return lines_of(lines, {"xaxis": {"title": "delta"}, "yaxis": axis})


def _costs(result: Sweep) -> Iterator[Section]:
    """What each kept column costs the others, if any is kept."""
    costs = result.column_costs
    if not costs:
        return
    names = costs[0].kept
    shown = costs[::-1]
    series: dict[str, list[Any]] = {"times": [cost.time_distance_share for cost in shown]}
    series |= {label_text(name): [cost.columns.get(name) for cost in shown] for name in names[:_MOST_COLUMNS]}
    yield Section(
        "costs",
        "What each kept column costs the others",
        f"How far times and values are off in releases by {costs[0].method} at delta {costs[0].delta:g} that keep all "
        "columns, all but one, or none: all of them share one budget.",
        bars(series, [label_text(cost.name) for cost in shown]),
        columns=("kept", "time distance", "of mean", *names),
        rows=tuple((cost.name, *cost.cells(names)) for cost in costs),
    )


def _numbers(result: Sweep) -> Section:
    numbers = sweep_numbers()
    return Section(
        "numbers",
        "All numbers",
        f"Means of {result.runs} {'run' if result.runs == 1 else 'runs'}. Two random halves of your log are as far "
        "apart as the first row says: that is as near as chance allows.",
        columns=("method, delta", *(number.title for number in numbers)),
        rows=(
            *([("two halves of your log", *result.floor_cells(numbers))] if result.halves else ()),
            *((point.name, *point.cells(numbers)) for point in result.points),
        ),
    )
