"""What delta buys: releases by several methods and deltas, measured. Private: the figures compare with the original."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

from .automaton import build_automaton
from .errors import LogError, ParameterError
from .log import EventLog
from .measures import case_duration_distance
from .methods import METHODS as ALL
from .parallel import in_order
from .progress import Progress
from .release import anonymize, checked_options
from .tabular import Tabular

DELTAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
METHODS = tuple(name for name, method in ALL.items() if method.has_slack)
"""The ladder: those with a budget, each promising more than the one before."""

Figures = tuple[float, ...]

_SMALL = 1_000_000  # events


@dataclass(frozen=True)
class Tradeoff:
    """What one method at one delta gives: means over the runs that left something; not a number if none did.

    `smape` is not a number either where no released case descends from an original one. `megabytes` is the size of one
    release as .xes.gz.
    """

    method: str
    delta: float
    ratio: float
    smape: float
    time_distance_hours: float
    time_distance_share: float
    case_duration_distance_hours: float
    variants_lost: float
    megabytes: float


@dataclass(frozen=True)
class Sweep(Tabular):
    """The trade-off between delta and what is left of the truth."""

    cases: int
    events: int
    runs: int
    points: tuple[Tradeoff, ...]


def sweep(
    log: EventLog,
    deltas: Sequence[float] = DELTAS,
    methods: Sequence[str] = METHODS,
    *,
    runs: int = 3,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """Make releases with every method at every delta, and measure them.

    >>> from unsingle import synthesize
    >>> points = sweep(synthesize(cases=60), deltas=[0.2], methods=["twin"], runs=1).points
    >>> [(point.method, point.delta) for point in points]
    [('twin', 0.2)]
    """
    checked_settings(deltas, methods, runs)
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
    tried = [(*setting, run, None if seed is None else seed + run) for setting in settings for run in range(runs)]
    progress.step("sweep")
    build_automaton(log.variants)  # once for all of them
    # small logs leave cores idle; of large ones, several releases at once would need much memory
    several = in_order if log.n_events < _SMALL else map
    measured: list[Figures | None] = []
    for done, figures in enumerate(several(lambda each: _measured(log, *each), tried), start=1):
        measured.append(figures)
        progress.at(done / len(tried))
        if len(measured) == runs:
            yield _tradeoff(*settings[done // runs - 1], measured)
            measured = []


def checked_settings(deltas: Sequence[float], methods: Sequence[str], runs: int) -> None:
    """Raise `ParameterError` for what cannot be tried, before any work is done."""
    if runs < 1:
        raise ParameterError(f"runs must be 1 or more (not {runs})")
    for method in methods:
        for delta in deltas:
            checked_options(delta, method)


def _tradeoff(method: str, delta: float, measured: Sequence[Figures | None]) -> Tradeoff:
    runs = [figures for figures in measured if figures is not None]
    if not runs:  # nothing was left of the log
        return Tradeoff(method, delta, *[float("nan")] * 7)
    *columns, megabytes = zip(*runs, strict=True)
    figures = [*map(mean, columns), max(megabytes)]
    return Tradeoff(method, delta, *figures)


def _measured(log: EventLog, method: str, delta: float, run: int, seed: int | None) -> Figures | None:
    """What one release is like; nothing if nothing is left of the log."""
    try:
        release = anonymize(log, delta, method=method, seed=seed)
    except LogError:
        return None
    private = release.private
    return (
        private.oversampling_ratio,
        private.smape,
        private.time_distance.hours,
        private.time_distance.share_of_mean,
        case_duration_distance(log, release.log).hours,
        float(len(private.lost_variants)),
        _megabytes(release.log) if run == 0 else 0.0,  # the files of all runs are about as large
    )


def _megabytes(log: EventLog) -> float:
    """The size of the release as .xes.gz."""
    from .formats.files import compressed
    from .formats.xes_writer import write_xes

    content = io.BytesIO()
    with compressed(content) as packed:
        write_xes(log, packed)
    return len(content.getvalue()) / 1e6
