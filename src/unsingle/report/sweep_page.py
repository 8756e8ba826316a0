"""Which delta should I choose? What each costs, method by method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..methods import METHODS
from ..sweeping import Sweep, Tradeoff
from ..wording import percent
from .figures import hours_text, lines_of
from .writing import Advice, Card, Figure, Page, Section


def sweep_page(result: Sweep) -> Page:
    """Answer what delta buys."""
    plots = (
        ("time_distance_share", "How far times are off", "Average error in the time between events, as a share of the "
         "mean (logarithmic): below 10% times are close to the truth, above 50% they are lost.",
         {"title": "error in times", "type": "log", "tickformat": ".0%"}),
        ("ratio", "How many cases there are", "Released cases for each original case (logarithmic). The paper's "
         "methods pay for a small delta with added cases.",
         {"title": "released / original cases", "type": "log"}),
        ("smape", "How far single times move", "SMAPE of each released time from the one it descends from; methods "
         "that make up all cases have none.", {"title": "SMAPE", "tickformat": ".0%", "rangemode": "tozero"}),
        ("megabytes", "How large the file gets", "Size of the release as .xes.gz.",
         {"title": "MB", "rangemode": "tozero"}),
    )  # fmt: skip
    sections = [
        Section(name, heading, sentence, _by_delta(result, name, axis))
        for name, heading, sentence, axis in plots
        if any(getattr(point, name) == getattr(point, name) for point in result.points)  # any number
    ]
    sections.append(
        Section(
            "numbers",
            "All numbers",
            f"Means of {result.runs} {'run' if result.runs == 1 else 'runs'}.",
            columns=(
                "method, delta",
                "ratio",
                "time distance",
                "of the mean",
                "case durations",
                "SMAPE",
                "variants lost",
                "MB",
            ),
            rows=tuple(_sweep_row(point) for point in result.points),
        )
    )
    best = _nearest_to(result, 0.2)
    cards = tuple(
        Card(
            f"{percent(point.time_distance_share)}, {point.ratio:.2f} ×",
            f"{point.method} at delta {point.delta:g}: error in times, and cases for each original one",
        )
        for point in best
    )
    return Page(
        title="Which delta should I choose?",
        verdict=_sweep_verdict(best),
        cards=cards,
        advice=tuple(Advice(f"{name}: {METHODS[name].title}.") for name in _methods_of(result)),
        sections=tuple(sections),
    )


def _methods_of(result: Sweep) -> list[str]:
    """The methods that were tried, each once."""
    return list(dict.fromkeys(point.method for point in result.points))


def _nearest_to(result: Sweep, delta: float) -> list[Tradeoff]:
    """The point of each method that is nearest to the usual delta, the truest first."""
    nearest: dict[str, Tradeoff] = {}
    for point in result.points:
        if point.ratio == point.ratio and (
            point.method not in nearest or abs(point.delta - delta) < abs(nearest[point.method].delta - delta)
        ):
            nearest[point.method] = point
    return sorted(nearest.values(), key=lambda point: point.time_distance_share)


def _sweep_verdict(best: Sequence[Tradeoff]) -> str:
    meaning = (
        "Delta is the most that a release may add to someone's chance of a right guess about one person: at 0.2 from "
        "50 to at most 70 of 100. Smaller is safer, but costs exact times and counts, and with the paper's methods "
        "added cases. "
    )
    if not best:
        return meaning + "No method left anything of this log."
    first = best[0]
    return (
        f"{meaning}Here {first.method} keeps times nearest to the truth: choose the smallest delta whose errors you "
        "can accept. (The methods do not promise the same; docs/guarantees.md says what each does.)"
    )


def _by_delta(result: Sweep, name: str, axis: dict[str, Any]) -> Figure:
    lines: dict[str, tuple[list[Any], list[Any]]] = {}
    for point in result.points:
        deltas, values = lines.setdefault(point.method, ([], []))
        deltas.append(point.delta)
        values.append(getattr(point, name))
    return lines_of(lines, {"xaxis": {"title": "delta"}, "yaxis": axis})


def _sweep_row(point: Tradeoff) -> tuple[str, ...]:
    label = f"{point.method}, {point.delta:g}"
    if point.ratio != point.ratio:
        return (label, *["nothing is left"] * 7)
    return (
        label,
        f"{point.ratio:.2f}",
        hours_text(point.time_distance_hours),
        percent(point.time_distance_share),
        hours_text(point.case_duration_distance_hours),
        "–" if point.smape != point.smape else percent(point.smape),
        f"{point.variants_lost:,.0f}",
        f"{point.megabytes:,.2f}",
    )
