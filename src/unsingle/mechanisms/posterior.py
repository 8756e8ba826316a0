"""What noised cells say about the counts behind them: post-processing, it never sees the log.

A row is the distribution of one group (the durations of one step, say) over cells. The count in a cell is taken to be
negative-binomial around an expected shape: it is noised with a known deviation, and the row adds up to about a known
number. The posterior of each cell is worked out on a grid of `_VALUES` counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.machine import in_order
from ..privacy.random import Randomness

STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0)
"""How much a row may differ from the expected shape: small is much."""

_VALUES = 64
_DRAWS = 61  # a prime, so that draws of different cells can be paired up in as many ways
_AT_ONCE = 1_000_000  # numbers
_TELLING_ROWS = 200  # rows by which a prior is chosen
_STEPS_OF_TILT = 5
_TINY = 1e-9


class Rows(NamedTuple):
    """Noised cells (row by cell), the deviation of their noise, and the number to which each row should add up.

    `spread` is the deviation of that number.
    """

    noised: Floats
    deviation: Floats
    total: Floats
    spread: Floats

    def some(self, rows: slice | Ints) -> Rows:
        """Some of the rows."""
        return Rows(*(each[rows] for each in self))


class Prior(NamedTuple):
    """The expected shape of each row, and how strongly rows keep to it."""

    shape: Floats
    strength: float


def best_prior(
    rows: Rows,
    shapes: Sequence[Floats],
    strengths: Sequence[float] = STRENGTHS,
    beliefs: Sequence[float] | None = None,
) -> Prior:
    """The shapes and the strength under which the noised cells are likeliest, judged by the largest rows.

    `beliefs` are the logarithms of how likely the shapes were before, if some were likelier than others.
    """
    telling = np.sort(np.argsort(-rows.total, kind="stable")[:_TELLING_ROWS])
    evidence = np.zeros((len(shapes), len(strengths))) + np.array(beliefs or [0.0])[:, None]
    for part in _parts(len(telling), rows.noised.shape[1]):
        cells = _Cells(rows.some(telling[part]))
        for i, shape in enumerate(shapes):
            for j, strength in enumerate(strengths):
                evidence[i, j] += cells.evidence(Prior(shape[telling[part]], strength))
    best, how_strong = divmod(int(np.argmax(evidence)), len(strengths))
    return Prior(shapes[best], strengths[how_strong])


def posterior_mean(rows: Rows, prior: Prior) -> Floats:
    """The mean of the posterior as a distribution, row by row."""

    def means(part: slice) -> Floats:
        cells = _Cells(rows.some(part))
        chance = cells.posterior(Prior(prior.shape[part], prior.strength))
        return (chance * cells.value).sum(axis=2)

    result = np.concatenate(list(in_order(means, _parts(len(rows.noised), rows.noised.shape[1]))))
    return result / np.maximum(result.sum(axis=1, keepdims=True), _TINY)


def posterior_median(rows: Rows, prior: Prior, random: Randomness) -> Floats:
    """The distribution whose share above each cell is the median of that share under the posterior, row by row.

    For the distance between distributions of durations that is the best guess: where less than half of the belief is
    that any long duration is there, none is. The mean would put a little there, and a little of a year is much.
    """

    def medians(part: slice, stream: Randomness) -> Floats:
        cells = _Cells(rows.some(part))
        chance = cells.posterior(Prior(prior.shape[part], prior.strength))
        drawn = _drawn(cells.value, chance, stream)
        above = np.cumsum(drawn[:, ::-1], axis=1)[:, ::-1]
        whole = above[:, :1]
        share = np.median(np.divide(above, whole, out=np.zeros_like(above), where=whole > 0), axis=2)
        share[:, 0] = 1
        return np.maximum(-np.diff(share, axis=1, append=0), 0)

    parts = list(_parts(len(rows.noised), rows.noised.shape[1]))
    work = zip(parts, random.spawn(len(parts)), strict=True)
    return np.concatenate(list(in_order(lambda each: medians(*each), work)))


def _drawn(value: Floats, chance: Floats, random: Randomness) -> Floats:
    """Draws from each cell's posterior (row by cell by draw), evenly spread over it, paired up at random."""
    rows, cells, _ = value.shape
    offset = random.uniform(rows * cells).reshape(rows, cells, 1)
    reached = np.floor(np.cumsum(chance, axis=2) * _DRAWS + offset).astype(np.int64)
    reached[:, :, -1] = _DRAWS
    times = np.diff(np.minimum(reached, _DRAWS), axis=2, prepend=0)
    ordered = np.repeat(value.ravel(), times.ravel()).reshape(rows, cells, _DRAWS)
    stride = 1 + random.below(np.full(cells, _DRAWS - 1))
    first = random.below(np.full(rows * cells, _DRAWS)).reshape(rows, cells, 1)
    place = (np.arange(_DRAWS) * stride[:, None] + first) % _DRAWS
    return np.take_along_axis(ordered, place, axis=2)


class _Cells:
    """Candidate counts for each cell of some rows, and what the noise says of each."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        noised, deviation = rows.noised[:, :, None], rows.deviation[:, :, None]
        self.value = _candidates(noised, deviation, rows.total[:, None, None])
        width = np.maximum(np.gradient(self.value, axis=2), _TINY)
        self._noise = np.log(width) - 0.5 * ((noised - self.value) / deviation) ** 2 - log_gamma(self.value + 1)

    def evidence(self, prior: Prior) -> float:
        """The logarithm of how likely the noised cells are, up to what does not depend on the prior."""
        weight = self._weights(prior)
        top = weight.max(axis=2, keepdims=True)
        return float((np.log(np.exp(weight - top).sum(axis=2)) + top[:, :, 0]).sum())

    def posterior(self, prior: Prior) -> Floats:
        """The chance of each candidate, tilted so that rows add up to about their totals.

        A row is weighed by exp(t sum), with t such that E(sum) + t spread^2 is the total: the posterior if the total is
        known with that spread.
        """
        weight, total, spread = self._weights(prior), self._rows.total, self._rows.spread
        high = 8 / np.sqrt(np.maximum(total, 1)) + 8 / np.maximum(total, 1)
        low, tilt = -high, np.zeros_like(high)
        for _ in range(_STEPS_OF_TILT):
            chance = _normalised(weight + tilt[:, None, None] * self.value)
            mean = (chance * self.value).sum(axis=2)
            variance = ((chance * self.value**2).sum(axis=2) - mean**2).sum(axis=1)
            too_much = mean.sum(axis=1) + tilt * spread**2 - total
            low, high = np.where(too_much > 0, low, tilt), np.where(too_much > 0, tilt, high)
            newton = tilt - too_much / np.maximum(variance + spread**2, _TINY)
            tilt = np.where((newton > low) & (newton < high), newton, (low + high) / 2)
        return _normalised(weight + tilt[:, None, None] * self.value)

    def _weights(self, prior: Prior) -> Floats:
        """The logarithm of the weight of each candidate: the negative binomial, and the noise."""
        size = np.maximum(prior.strength * prior.shape, 1e-6)[:, :, None]
        rate = (prior.strength / np.maximum(self._rows.total, _TINY))[:, None, None]
        law = log_gamma(self.value + size) - log_gamma(size) + size * np.log(rate / (1 + rate))
        return law - self.value * np.log1p(rate) + self._noise


def _candidates(noised: Floats, deviation: Floats, total: Floats) -> Floats:
    """Counts that may be behind a noised cell: whole ones where they are few, ever wider apart from 0 else."""
    place = np.arange(_VALUES)
    low = np.maximum(noised - 6 * deviation, 0)
    high = np.minimum(np.maximum(noised, 0) + 6 * deviation, np.maximum(1.5 * total + 10, low + 6 * deviation))
    even = low + (high - low) * place / (_VALUES - 1)
    whole = np.floor(low) + place * np.maximum(1, (high - low) / (_VALUES - 1))
    from_zero = np.maximum(place, high * (place / (_VALUES - 1)) ** 2)
    return np.where(low > 0, np.where(12 * deviation > _VALUES, even, whole), from_zero)


def _normalised(weight: Floats) -> Floats:
    chance = np.exp(weight - weight.max(axis=2, keepdims=True))
    return chance / chance.sum(axis=2, keepdims=True)


def _parts(rows: int, cells: int) -> Iterator[slice]:
    at_once = max(1, _AT_ONCE // (cells * _VALUES))
    for first in range(0, rows, at_once):
        yield slice(first, min(rows, first + at_once))


def log_gamma(x: Floats) -> Floats:
    """The logarithm of the gamma function for numbers above 0, by Stirling's series eight places further on.

    >>> log_gamma(np.array([0.5, 1.0, 5.0])).round(8).tolist()
    [0.57236494, 0.0, 3.17805383]
    """
    product = x * (x + 1) * (x + 2) * (x + 3)
    product *= (x + 4) * (x + 5) * (x + 6) * (x + 7)
    y = x + 8
    series = (1 / 12 - (1 / 360 - 1 / (1260 * y * y)) / (y * y)) / y
    return (y - 0.5) * np.log(y) - y + 0.9189385332046727 + series - np.log(product)
