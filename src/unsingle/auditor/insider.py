"""The strongest attacker there can be on a method with a budget: one who sees the noised figures themselves.

Everything in such a release is made from noised counts and tallies (`mechanisms.measurements`) and from random draws
that do not depend on the log. So nobody who sees the release learns more than someone who sees those figures, and the
best that this attacker can do is to compare how likely they are under either log: no attack on the release can gain
more than this one. The distributions of the noise are known, so the likelihood ratio is exact:

- two-sided geometric noise of ratio a: a^abs(y - one) / a^abs(y - other),
- discrete Gaussian noise of deviation s: exp(-((y - one)^2 - (y - other)^2) / 2 s^2).

Which cells a tally has depends on what came out before. So the pipeline is run again on the other log, and is given the
figures that came out of the first: it then asks for the same cells, and its own sums show. If it takes another branch
than it did on the first log, then something other than the noised figures decided that, and the logs can be told apart
with certainty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Ints
from ..core.log import EventLog
from ..errors import LogError
from ..mechanisms.cases import Cases
from ..mechanisms.measurements import Leak, Measurements, Noisy
from ..mechanisms.selection import threshold
from ..mechanisms.shares import shares
from ..mechanisms.tallies import Vectors
from ..methods.synthetic import PathsOfMany, Synthetic
from ..privacy.budget import UNIT, Budget
from ..privacy.random import Randomness
from ..progress import Progress

Score = Callable[[Ints, Ints], float]
"""By how much noised figures speak for these true ones, up to what is the same for all."""


class Odds(NamedTuple):
    """The logarithm of how much likelier the figures are under the log that they are of than under another.

    `figures` has that of each figure by itself, by name; nothing if the logs can be told apart with certainty.
    """

    counts: float
    tallies: float
    figures: Mapping[str, float]

    @property
    def everything(self) -> float:
        """That of counts and tallies together."""
        return self.counts + self.tallies


class SeenFigures(NamedTuple):
    """The noised figures of one release, and the key of all other randomness."""

    measured: list[_Figure]
    key: bytes


@dataclass(frozen=True)
class _Figure:
    name: str
    true: Ints
    noised: Ints
    is_tally: bool
    score: Score
    deviation: float
    names: tuple[object, ...] | None
    """Of what there is one cell for each that somebody has, if those are not public."""


class Insider:
    """Watches releases by a method; one has been made, and this was its budget."""

    def __init__(self, method: Synthetic, budget: Budget) -> None:
        self._method = method
        self._last = budget.costs[-1].name
        """After this figure nothing more is measured, so there is no need to wait for what is made of the figures."""

    def watch(self, log: EventLog, random: Randomness) -> SeenFigures:
        """The noised figures of a release of the log."""
        noise, key = random.spawn(2)
        seen = _Watched(self._method, log, noise, self._last)
        figures = SeenFigures(seen.measured, key.key())
        self._run(seen, log, figures.key)
        return figures

    def odds(self, figures: SeenFigures, other: EventLog) -> Odds:
        """How much likelier the figures are under their own log than under the other."""
        again = _Repeated(self._method, other, figures.measured)
        self._run(again, other, figures.key)
        if again.place < len(figures.measured):
            return Odds(math.inf, math.inf, {})
        return Odds(again.of_counts, again.of_tallies, again.of_figures)

    def _run(self, measurements: Measurements, log: EventLog, key: bytes) -> None:
        with suppress(_AllSeen, LogError):  # a log that is too small for a release has shown its figures too
            self._method.made_from(measurements, log, Randomness(key=key), Progress())


class _AllSeen(Exception):  # noqa: N818 - no error
    """Everything that there is to see has been measured, or it cannot have come from this log."""


class _Named(Measurements):
    """Measurements that know what the cells stand for, where that is not the same in all logs.

    Where paths and labels are not public, there is a cell for each that somebody has: an attacker sees only of those
    that pass a threshold that there is one.
    """

    def __init__(self, method: Synthetic, log: EventLog, random: Randomness) -> None:
        super().__init__(method.terms, shares(method.terms, method.attributes), random)
        self._log, self._public = log, method.public_labels if isinstance(method, PathsOfMany) else None
        self._names: tuple[object, ...] | None = None
        """What the cells that are measured next stand for; nothing where that is public."""
        self._leak = 0.0

    def cases_by_variant(self, cases: Ints) -> Ints:
        """How many cases take each path, noised."""
        if not self.budget.terms.publishes_all_paths:
            original = Cases.of(self._log)
            self._names = _paths(original.only(self._public) if self._public else original)
        return super().cases_by_variant(cases)

    def tally(self, name: str, vectors: Vectors, clip: float = 0.0) -> Noisy:
        """The sum of all persons' vectors, noised."""
        self._names = None
        return super().tally(name, vectors, clip)

    def tally_of_texts(self, name: str, vectors: Vectors, texts: Sequence[str], leak: Leak) -> Noisy:
        """The same, with a cell for each text that anybody has."""
        self._names, self._leak = tuple(texts), leak.chance
        return super().tally_of_texts(name, vectors, texts, leak)

    def _passing(self, figure: _Figure) -> Flags:
        """Which cells show."""
        if not figure.is_tally:
            return figure.noised >= self.budget.terms.threshold
        return figure.noised / UNIT >= threshold(figure.deviation / UNIT, self._leak)


class _Watched(_Named):
    """Measurements of which everything is kept."""

    def __init__(self, method: Synthetic, log: EventLog, random: Randomness, last: str) -> None:
        super().__init__(method, log, random)
        self.measured: list[_Figure] = []
        self._last = last

    def _geometric(self, name: str, true: Ints, ratio: Fraction) -> Ints:
        noised = super()._geometric(name, true, ratio)
        return self._kept(name, true, noised, _geometric_score(float(ratio)))

    def _gaussian(self, name: str, true: Ints, s: int) -> Ints:
        return self._kept(name, true, super()._gaussian(name, true, s), _gaussian_score(s), s)

    def _kept(self, name: str, true: Ints, noised: Ints, score: Score, deviation: int = 0) -> Ints:
        is_tally = deviation > 0
        figure = _Figure(name, true, noised, is_tally, score, float(deviation), self._names)
        self.measured.append(figure)
        if name == self._last:
            raise _AllSeen
        return noised


class _Repeated(_Named):
    """Measurements of another log that come out as those of the first did; adds up how likely that is."""

    def __init__(self, method: Synthetic, log: EventLog, measured: list[_Figure]) -> None:
        super().__init__(method, log, Randomness(0))  # nothing is drawn
        self._measured = measured
        self.place, self.of_counts, self.of_tallies = 0, 0.0, 0.0
        self.of_figures: dict[str, float] = {}

    def _geometric(self, name: str, true: Ints, ratio: Fraction) -> Ints:  # noqa: ARG002
        return self._given(name, true, is_tally=False)

    def _gaussian(self, name: str, true: Ints, s: int) -> Ints:  # noqa: ARG002
        return self._given(name, true, is_tally=True)

    def _given(self, name: str, true: Ints, *, is_tally: bool) -> Ints:
        if self.place == len(self._measured):
            raise _AllSeen
        figure = self._measured[self.place]
        if name != figure.name or is_tally != figure.is_tally:
            raise _AllSeen
        here, noised = self._aligned(figure, true)
        speaks = figure.score(figure.noised[here >= 0], figure.true[here >= 0])
        speaks -= figure.score(figure.noised[here >= 0], true[here[here >= 0]])
        if is_tally:
            self.of_tallies += speaks
        else:
            self.of_counts += speaks
        self.of_figures[name] = speaks
        self.place += 1
        if self.place == len(self._measured):
            raise _AllSeen
        return noised

    def _aligned(self, figure: _Figure, true: Ints) -> tuple[Ints, Ints]:
        """Where each cell of the figure is here (-1: nowhere), and what comes out of the cells that there are here.

        What only this log has did not show; what only the other has may not have shown either.
        """
        names = self._names
        if names is None or figure.names is None or names == figure.names:
            if len(true) != len(figure.true):
                raise _AllSeen
            return np.arange(len(true)), figure.noised
        place = {name: i for i, name in enumerate(names)}
        here = np.array([place.get(name, -1) for name in figure.names], dtype=np.int64)
        if self._passing(figure)[here < 0].any():
            raise _AllSeen
        noised = np.zeros(len(true), dtype=np.int64)
        noised[here[here >= 0]] = figure.noised[here >= 0]
        return here, noised


def _geometric_score(ratio: float) -> Score:
    return lambda noised, true: math.log(ratio) * float(np.abs(noised - true).sum())


def _gaussian_score(s: int) -> Score:
    return lambda noised, true: -float((((noised - true) / s) ** 2).sum()) / 2


def _paths(cases: Cases) -> tuple[object, ...]:
    """The paths as tuples of activities, in their order."""
    edges, path = cases.paths.offsets.tolist(), np.array(cases.labels, dtype=object)[cases.paths.path].tolist()
    return tuple(tuple(path[a:b]) for a, b in pairwise(edges))
