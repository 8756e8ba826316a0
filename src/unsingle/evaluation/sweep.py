"""What delta costs: releases by several methods and deltas, measured. Private, like all that shows the original."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, NamedTuple

from ..core.automaton import build_automaton
from ..core.log import EventLog
from ..core.machine import in_order
from ..core.wording import percent
from ..errors import LogError, ParameterError
from ..progress import Progress
from .making import LADDER, check_setting, context_of, made
from .measures.base import Measure, Number, chosen
from .sources import LogSource, as_log
from .tables import Tabular

DELTAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
USUAL = 0.2
"""The delta at which methods are compared in a sentence."""

_SMALL = 1_000_000  # events
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
    """The trade-off between delta and what is left of the truth."""

    cases: int
    events: int
    runs: int
    points: tuple[Tradeoff, ...]

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
        return (
            f"At delta {best.delta:g}, {best.method} keeps times nearest to the truth: they are off by "
            f"{percent(best.time_distance_share)} of the mean. Choose the smallest delta whose errors you can accept."
        )

    @property
    def key_figures(self) -> list[tuple[str, Any]]:
        """What each method costs at the usual delta."""
        numbers = [number for number in sweep_numbers() if number.brief]
        titles = [number.title for number in numbers]
        return [
            (point.name, ", ".join(map(" ".join, zip(titles, point.cells(numbers), strict=True))))
            for point in self.at_usual_delta
        ]

    def rows(self, numbers: Sequence[Number]) -> list[list[str]]:
        """Method, delta and these numbers of each point, as text."""
        return [[point.method, f"{point.delta:g}", *point.cells(numbers)] for point in self.points]


def sweep_numbers() -> list[Number]:
    """The numbers that a sweep measures, in the order of their columns."""
    return [number for measure in chosen(_in_sweep) for number in measure.columns()]


def sweep(
    log: LogSource,
    deltas: Sequence[float] = DELTAS,
    methods: Sequence[str] = LADDER,
    *,
    runs: int = 3,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Make releases of a log, a data frame or a log of PM4Py with every method at every delta, and measure them.

    >>> from unsingle import synthesize
    >>> points = sweep(synthesize(cases=60), deltas=[0.2], methods=["twin"], runs=1).points
    >>> [(point.method, point.delta) for point in points]
    [('twin', 0.2)]
    """
    checked_settings(deltas, methods, runs)
    log = as_log(log, progress)
    settings = [(method, delta) for method in methods for delta in deltas]
    points = tradeoffs(log, settings, runs=runs, seed=seed, progress=progress)
    return Sweep(log.n_cases, log.n_events, runs, tuple(points))


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
    tried = [_Try(*setting, run, None if seed is None else seed + run) for setting in settings for run in range(runs)]
    measures = list(chosen(_in_sweep))
    progress.step("sweep")
    build_automaton(log.variants)  # once for all of them
    # small logs leave cores idle; of large ones, several releases at once would need much memory
    several = in_order if log.n_events < _SMALL else map
    found: list[Mapping[str, float]] = []
    for done, figures in enumerate(several(lambda each: _measured(log, each, measures), tried), start=1):
        found.append(figures)
        progress.at(done / len(tried))
        if len(found) == runs:
            yield Tradeoff(*settings[done // runs - 1], _mean_of(found))
            found = []


def checked_settings(deltas: Sequence[float], methods: Sequence[str], runs: int) -> None:
    """Raise `ParameterError` for what cannot be tried, before any work is done."""
    if runs < 1:
        raise ParameterError(f"runs must be 1 or more (not {runs})")
    for method in methods:
        for delta in deltas:
            check_setting(method, delta)


class _Try(NamedTuple):
    method: str
    delta: float
    run: int
    seed: int | None


def _measured(log: EventLog, tried: _Try, measures: Sequence[Measure[Any]]) -> Mapping[str, float]:
    """The numbers of one release; none if nothing is left of the log."""
    try:
        release = made(log, tried.method, tried.delta, tried.seed)
    except LogError:
        return {}
    context = context_of(log, release)
    figures: dict[str, float] = {}
    for measure in measures:
        if measure.each_run or tried.run == 0:
            figures |= measure.figures(measure.of(log, release.log, context))
    return figures


def _mean_of(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each number over the runs that have it; not a number if none has."""
    values = {number.name: [run[number.name] for run in runs if number.name in run] for number in sweep_numbers()}
    return {name: mean(each) if each else float("nan") for name, each in values.items()}


def _in_sweep(measure: Measure[Any]) -> bool:
    return measure.in_sweep
