"""What delta costs: releases by several methods and deltas, measured. Private, like all that shows the original."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.log import EventLog
from ..core.wording import percent
from ..errors import ParameterError
from ..methods import DEFAULT, ladder
from ..progress import SWEEP, Progress
from .costs import ColumnCost, column_choices, column_costs
from .floors import floor_figures
from .making import check_setting, releasable
from .measures.base import Measure, Number, SweepTable, chosen
from .measures.step_durations import TIME_DISTANCE
from .sources import LogSource, as_log
from .tables import Tabular
from .trials import Columns, Runs, Ticks, Trial, mean_or_nan, tried
from .yardsticks import Yardstick

DELTAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
USUAL = 0.2
"""The delta at which methods are compared in a sentence."""

_NOTHING_LEFT = "nothing left"


@dataclass(frozen=True)
class Tradeoff:
    """What one method at one delta gives: means over the runs that left something; not a number if none did.

    Each number of the measures is an attribute, such as `ratio`, `smape` or `time_distance_hours`. `smape` is not a
    number where released cases stand for no original ones. `megabytes` is the size of one release as .xes.gz.
    """

    method: str
    delta: float
    figures: Mapping[str, float]

    def __getattr__(self, name: str) -> float:
        figures: Mapping[str, float] = self.__dict__.get("figures", {})
        if name not in figures:
            raise AttributeError(f"a trade-off has no figure {name!r}; it has: {', '.join(figures)}")
        return figures[name]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was left of the log in any run."""
        return all(value != value for value in self.figures.values())

    @property
    def name(self) -> str:
        """Method and delta."""
        return f"{self.method}, {self.delta:g}"

    def cells(self, numbers: Sequence[Number]) -> list[str]:
        """These numbers as text."""
        if self.is_empty:
            return [_NOTHING_LEFT, *["–"] * (len(numbers) - 1)]
        return [number.unit.text(self.figures[number.name]) for number in numbers]

    def to_dict(self) -> dict[str, Any]:
        """Method, delta and all figures, as one plain dictionary."""
        return {"method": self.method, "delta": self.delta, **self.figures}


@dataclass(frozen=True)
class Sweep(Tabular):
    """The trade-off between delta and what is left of the truth.

    `halves` are the numbers of the measures of distance between two random halves of the log: their floors.
    `column_costs` shows what each kept column costs the others, and `columns_left_out` which ones a method cannot
    release; both are empty where no columns are kept. `cases_per_person` is None where each case counts for a person.
    """

    cases: int
    events: int
    runs: int
    points: tuple[Tradeoff, ...]
    halves: Mapping[str, float] = field(default_factory=dict)
    column_costs: tuple[ColumnCost, ...] = ()
    columns_left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cases_per_person: int | None = None

    @property
    def unit_note(self) -> str:
        """Whom the releases protect, if persons are the unit; else empty."""
        if self.cases_per_person is None:
            return ""
        cases = (
            "one case" if self.cases_per_person == 1 else f"up to {self.cases_per_person} cases, all of them together"
        )
        return f"Made for people with {cases}."

    @property
    def columns_note(self) -> str:
        """Which methods were measured without kept columns, because they cannot release them; empty if none."""
        methods: dict[tuple[str, ...], list[str]] = {}
        for method, columns in self.columns_left_out.items():
            methods.setdefault(columns, []).append(method)
        return " ".join(
            f"{', '.join(those)} cannot release {', '.join(columns)}: measured without."
            for columns, those in methods.items()
        )

    @property
    def methods(self) -> list[str]:
        """The methods that were tried, each once."""
        return list(dict.fromkeys(point.method for point in self.points))

    @property
    def at_usual_delta(self) -> list[Tradeoff]:
        """The point of each method that is nearest to the usual delta, the one with the truest times first."""
        nearest: dict[str, Tradeoff] = {}
        for point in sorted(self.points, key=lambda point: abs(point.delta - USUAL)):
            if not point.is_empty:
                nearest.setdefault(point.method, point)
        return sorted(nearest.values(), key=lambda point: point.time_distance_share)

    @property
    def verdict(self) -> str:
        """The answer in two sentences."""
        if not self.at_usual_delta:
            return "No method left anything of this log."
        best = self.at_usual_delta[0]
        beside = f", {self._beside(best)}" if self.halves else ""
        return (
            f"At delta {best.delta:g}, {best.method} keeps times nearest to the truth: they are off by "
            f"{percent(best.time_distance_share)} of the mean{beside}. Choose the smallest delta whose errors you can "
            "accept."
        )

    def _beside(self, point: Tradeoff) -> str:
        """How far times are off, beside two halves of the log."""
        hours, share = (number.name for number in TIME_DISTANCE.numbers)
        distances = point.figures[hours], self.halves[hours], point.figures[share]
        return Yardstick(TIME_DISTANCE.name, TIME_DISTANCE.aspect, *distances).beside

    @property
    def key_figures(self) -> list[tuple[str, Any]]:
        """What each method costs at the usual delta."""
        numbers = [number for number in sweep_numbers() if number.table is SweepTable.COSTS]
        titles = [number.title for number in numbers]
        return [
            (point.name, ", ".join(map(" ".join, zip(titles, point.cells(numbers), strict=True))))
            for point in self.at_usual_delta
        ]

    def rows(self, numbers: Sequence[Number]) -> list[list[str]]:
        """Method, delta and these numbers of each point, as text; the floors above them."""
        points = [[point.method, f"{point.delta:g}", *point.cells(numbers)] for point in self.points]
        return [["two halves", "–", *self.floor_cells(numbers)], *points] if self.halves else points

    def floor_cells(self, numbers: Sequence[Number]) -> list[str]:
        """These numbers between two halves of the log, as text; a dash for those that are no distance."""
        return [number.unit.text(self.halves.get(number.name, math.nan)) for number in numbers]


def sweep_numbers() -> list[Number]:
    """The numbers that a sweep measures, in the order of their columns."""
    return [number for measure in chosen(_in_sweep) for number in measure.columns()]


def sweep(
    log: LogSource,
    deltas: Sequence[float] = DELTAS,
    methods: Sequence[str] | None = None,
    *,
    runs: int = 3,
    seed: int | None = None,
    cases_per_person: int | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Make releases of a log, a data frame or a log of PM4Py with every method at every delta, and measure them.

    By default, the methods are those with a budget. `cases_per_person` is as for `anonymize`.

    >>> from unsingle import synthesize
    >>> points = sweep(synthesize(cases=60), deltas=[0.2], methods=["twin"], runs=1).points
    >>> [(point.method, point.delta) for point in points]
    [('twin', 0.2)]
    """
    methods = ladder() if methods is None else methods
    checked_settings(deltas, methods, runs, cases_per_person)
    log, progress = as_log(log, progress), progress or Progress()
    settings = [(method, delta) for method in methods for delta in deltas]
    columns, each = Columns(log), Runs(runs, seed, cases_per_person)
    kept = {method: releasable(method, log) for method in methods}
    shown = _shown_cost(kept, deltas)
    choices = len(column_choices(kept[shown[0]])) if shown else 0
    progress.step(SWEEP)
    ticks = Ticks(progress, runs * (len(settings) + choices))
    return Sweep(
        log.n_cases,
        log.n_events,
        runs,
        tuple(_tradeoffs(columns, settings, each, ticks)),
        floor_figures(log, _in_sweep),
        column_costs(columns, kept[shown[0]], shown, each, ticks) if shown else (),
        _left_out(columns.names, kept),
        cases_per_person,
    )


def _left_out(names: Sequence[str], kept: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The columns that each method cannot release, for those that cannot release all."""
    left_out = {method: tuple(name for name in names if name not in those) for method, those in kept.items()}
    return {method: those for method, those in left_out.items() if those}


def _shown_cost(kept: Mapping[str, Sequence[str]], deltas: Sequence[float]) -> tuple[str, float] | None:
    """The method and delta at which costs of columns are shown: the default, or else the first that can keep any."""
    able = [method for method, names in kept.items() if names]
    if not able or not deltas:
        return None
    return (DEFAULT if DEFAULT in able else able[0]), min(deltas, key=lambda delta: abs(delta - USUAL))


def tradeoffs(
    log: EventLog,
    settings: Sequence[tuple[str, float]],
    *,
    runs: int = 1,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Tradeoff]:
    """What each method at its delta gives, in this order, as soon as it is known."""
    progress = progress or Progress()
    progress.step(SWEEP)
    yield from _tradeoffs(Columns(log), settings, Runs(runs, seed), Ticks(progress, runs * len(settings)))


def _tradeoffs(columns: Columns, settings: Sequence[tuple[str, float]], runs: Runs, ticks: Ticks) -> Iterator[Tradeoff]:
    measures = list(chosen(_in_sweep))
    groups = [runs.of(columns.released_by(method), method, delta) for method, delta in settings]
    found = tried(groups, lambda trial: _measured(trial, measures), ticks)
    return (Tradeoff(*setting, _mean_of(those)) for setting, those in zip(settings, found, strict=True))


def checked_settings(
    deltas: Sequence[float], methods: Sequence[str], runs: int, cases_per_person: int | None = None
) -> None:
    """Raise `ParameterError` for what cannot be tried, before any work is done."""
    if runs < 1:
        raise ParameterError(f"runs must be 1 or more (not {runs})")
    for method in methods:
        for delta in deltas:
            check_setting(method, delta, cases_per_person)


def _measured(trial: Trial, measures: Sequence[Measure[Any]]) -> Mapping[str, float]:
    """The numbers of one release; none if nothing is left of the log."""
    context = trial.context()
    figures: dict[str, float] = {}
    if context is None:
        return figures
    for measure in measures:
        if (measure.each_run or trial.run == 0) and measure.applies(context):
            figures |= measure.figures(measure.of(context.original, context.release, context))
    return figures


def _mean_of(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each number over the runs that have it; not a number if none has."""
    values = {number.name: [run[number.name] for run in runs if number.name in run] for number in sweep_numbers()}
    return {name: mean_or_nan(each) for name, each in values.items()}


def _in_sweep(measure: Measure[Any]) -> bool:
    return measure.in_sweep
