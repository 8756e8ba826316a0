"""Groups of values: their ranges, windows (priors), bins, and their widening. Kernels over sorted arrays.

A value is a whole number of ticks, not below 0. A `Population` is all values, told apart by group;
a value may be looked up in a wider population than its own (T1), as long as both hold the same values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .ragged import Ints, offsets_of

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Ranked:
    """Values with their ranks, sorted once for all groupings of them."""

    def __init__(self, values: Ints) -> None:
        self.values = values
        self.distinct, self.rank = np.unique(values, return_inverse=True)

    def ranks_from(self, low: Ints) -> Ints:
        """The first rank whose value is not below `low`."""
        return np.searchsorted(self.distinct, low, side="left")

    def ranks_to(self, high: Ints) -> Ints:
        """The rank after the last one whose value is not above `high`."""
        return np.searchsorted(self.distinct, high, side="right")


class Bins(NamedTuple):
    """What is known of each bin: its least value, its largest and its mean, and nothing else (T2)."""

    low: Floats
    high: Floats
    mean: Floats

    def draw(self, bin_: Ints, uniform: Floats) -> Ints:
        """One value per entry from its bin, ``low + (high - low) * U^k``, with k such that the mean is kept."""
        low, span = self.low[bin_], (self.high - self.low)[bin_]
        share = np.divide(self.mean[bin_] - low, span, out=np.full(len(bin_), 0.5), where=span > 0)
        return np.rint(low + span * uniform ** ((1 - share) / share)).astype(np.int64)


class Population:
    """All values, divided into groups numbered from 0.

    >>> population = Population(Ranked(np.array([3, 1, 9, 4])), np.array([0, 0, 1, 0]))
    >>> population.size.tolist(), population.range.tolist()
    ([3, 1], [3, 0])
    >>> population.share_within(np.array([1, 0]), np.array([2, 1])).round(2).tolist()
    [0.67, 0.67]
    """

    def __init__(self, ranked: Ranked, group: Ints) -> None:
        self.ranked = ranked
        self.group = group
        self._n_ranks = len(ranked.distinct)
        key = group * self._n_ranks + ranked.rank  # below n * n: fits 64 bits for 3 thousand million values
        self._order = np.argsort(key, kind="stable")
        self._keys = key[self._order]
        self.size = np.bincount(group)
        self.offsets = offsets_of(self.size)

    @cached_property
    def sorted_values(self) -> Ints:
        """The values, by group and then by size."""
        return self.ranked.values[self._order]

    @cached_property
    def highest(self) -> Ints:
        """The largest value of each group."""
        return self.sorted_values[self.offsets[1:] - 1]

    @cached_property
    def range(self) -> Ints:
        """Largest minus least value of each group."""
        return self.highest - self.sorted_values[self.offsets[:-1]]

    def share_within(self, entries: Ints, width: Ints) -> Floats:
        """For each chosen entry the share of its group's values that lie within +-width of its own."""
        values, base = self.ranked.values[entries], self.group[entries] * self._n_ranks
        first = np.searchsorted(self._keys, base + self.ranked.ranks_from(values - width), side="left")
        after = np.searchsorted(self._keys, base + self.ranked.ranks_to(values + width), side="left")
        return (after - first) / self.size[self.group[entries]]

    def bin_of(self, entries: Ints, at_least: int) -> Ints:
        """The bin of each chosen entry; see `bins`."""
        place = np.empty(len(self._order), dtype=np.int64)
        place[self._order] = np.arange(len(self._order))
        group = self.group[entries]
        count = self._bin_counts(at_least)
        within = place[entries] - self.offsets[group]
        return offsets_of(count)[group] + within * count[group] // self.size[group]

    def bins(self, at_least: int) -> Bins:
        """Each group's sorted values cut into equal runs of at least so many (one run if there are fewer)."""
        count = self._bin_counts(at_least)
        group = np.repeat(np.arange(len(count)), count)
        index = np.arange(len(group)) - np.repeat(offsets_of(count)[:-1], count)
        start = self.offsets[group] - (-index * self.size[group] // count[group])
        edges = np.append(start, self.offsets[-1])
        values = self.sorted_values.astype(np.float64)
        return Bins(values[start], values[edges[1:] - 1], np.add.reduceat(values, start) / np.diff(edges))

    def _bin_counts(self, at_least: int) -> Ints:
        return np.maximum(1, self.size // at_least)


def dense(keys: Ints) -> Ints:
    """Number the distinct keys from 0.

    >>> dense(np.array([70, 5, 70])).tolist()
    [1, 0, 1]
    """
    return np.unique(keys, return_inverse=True)[1]


def widen(populations: Iterable[Population], at_least: int) -> Iterator[tuple[Population, Ints, bool]]:
    """Look each value up in the first population where its group has enough values and a range (T1).

    Yields each population with the entries that use it; where none will do, the last one with False.
    A population that nobody needs is never built, if `populations` makes them one by one.
    """
    open_: Ints | None = None
    for population in populations:
        if open_ is None:
            open_ = np.arange(len(population.group))
        usable = ((population.size >= at_least) & (population.range > 0))[population.group[open_]]
        yield population, open_[usable], True
        open_ = open_[~usable]
        if len(open_) == 0:
            return
    if open_ is not None:
        yield population, open_, False


def fold(values: Ints, bound: Ints) -> Ints:
    """Reflect each value at 0 and at its bound until it lies between them (T3).

    >>> fold(np.array([-3, 5, 12, 27]), np.array([10, 10, 10, 10])).tolist()
    [3, 5, 8, 7]
    """
    wrapped = values % (2 * bound)
    return np.minimum(wrapped, 2 * bound - wrapped)
