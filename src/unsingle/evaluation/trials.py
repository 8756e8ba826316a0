"""Trials: releases that are made only to be measured, several at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from statistics import mean
from typing import NamedTuple, TypeVar

from ..core.automaton import build_automaton
from ..core.log import EventLog
from ..core.machine import in_order
from ..errors import LogError
from ..formats.schema import column_name, public_columns
from ..progress import Progress
from .context import Context
from .making import context_of, made, releasable

T = TypeVar("T")

_SMALL = 1_000_000  # events


class Trial(NamedTuple):
    """A log, and how to make a release of it."""

    log: EventLog
    method: str
    delta: float
    run: int
    seed: int | None
    cases_per_person: int | None = None

    def context(self) -> Context | None:
        """The release beside its original; None if nothing is left of the log."""
        try:
            release = made(self.log, self.method, self.delta, self.seed, self.cases_per_person)
            return context_of(self.log, release)
        except LogError:
            return None


class Runs(NamedTuple):
    """How many releases to average over, the seed of the first, and cases per person; None if not given."""

    number: int
    seed: int | None
    cases_per_person: int | None = None

    def of(self, log: EventLog, method: str, delta: float) -> list[Trial]:
        """The trials of one setting."""
        seeds = [None if self.seed is None else self.seed + run for run in range(self.number)]
        return [Trial(log, method, delta, run, seed, self.cases_per_person) for run, seed in enumerate(seeds)]


class Ticks:
    """Tells a progress how many of all trials are done."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def tick(self) -> None:
        """One more is done."""
        self._done += 1
        self._progress.at(self._done / self._total)


def tried(groups: Sequence[Sequence[Trial]], work: Callable[[Trial], T], ticks: Ticks) -> Iterator[list[T]]:
    """What the work finds in all trials of each group, as soon as the group is done."""
    trials = [trial for group in groups for trial in group]
    # small logs leave cores idle; of large ones, several releases at once would need much memory
    several = in_order if all(trial.log.n_events < _SMALL for trial in trials) else map
    results = iter(several(work, trials))
    for group in groups:
        found = []
        for _ in group:
            found.append(next(results))
            ticks.tick()
        yield found


class Columns:
    """A log with some of its kept columns; what all of these logs share is made once for each of them."""

    def __init__(self, log: EventLog) -> None:
        self.names = tuple(column_name(column.field) for column in public_columns(log))
        self._log, self._made = log, {frozenset(self.names): log}
        build_automaton(log.variants)

    def released_by(self, method: str) -> EventLog:
        """The log with the kept columns that a method can release."""
        return self.only(releasable(method, self._log))

    def only(self, names: Collection[str]) -> EventLog:
        """The log with these of its kept columns, and with all private ones."""
        key = frozenset(names)
        if key not in self._made:
            columns = self._log.columns
            self._made[key] = self._log.with_columns(
                [each for each in columns if each.field.private or column_name(each.field) in key]
            )
            build_automaton(self._made[key].variants)
        return self._made[key]


def mean_or_nan(values: Sequence[float]) -> float:
    """The mean; not a number if there is none.

    >>> mean_or_nan([1, 2]), mean_or_nan([])
    (1.5, nan)
    """
    return mean(values) if values else float("nan")
