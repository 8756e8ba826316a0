"""Groups of values: the ladder of ever wider groups, and the ranges, windows (priors) and bins of each group.

A value is a whole number of ticks, not below 0. A `Population` is all values, divided into groups; a value may be
looked up in a wider population than its own (T1), as long as both hold the same values. `LADDER` is the one place that
says which groups there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Ints, offsets_of, stable_order
from ..core.log import Activities, pairs


class Steps(NamedTuple):
    """The steps of paths, each from one event to the next; the time that a step takes is a value.

    `transition` gives the transition of each event in the automaton, computed when it is asked for, because it is as
    large as the log. `has_value` says which events have a value: all but the first of each case.
    """

    transition: Callable[[], Ints]
    activity: Activities
    n_labels: int
    has_value: Flags


def _by_transition(steps: Steps) -> Ints:
    return steps.transition()[steps.has_value]


def _by_pair(steps: Steps) -> Ints:
    return pairs(steps.activity, steps.n_labels)[steps.has_value]


def _by_activity(steps: Steps) -> Ints:
    return steps.activity[steps.has_value].astype(np.int64)


def _all_together(steps: Steps) -> Ints:
    return np.zeros(int(steps.has_value.sum()), dtype=np.int64)


LADDER: tuple[Callable[[Steps], Ints], ...] = (_by_transition, _by_pair, _by_activity, _all_together)
"""The groups of a value, narrow to wide: its transition, directly-follows pair, activity, and the whole log (T1)."""


def group_keys(steps: Steps) -> Iterator[Ints]:
    """A number for the group of each value, on one level of the ladder after the other, narrow to wide.

    A level that nobody asks for is never computed.

    >>> steps = Steps(lambda: np.array([0, 4, 5]), np.array([0, 2, 1]), 3, np.array([False, True, True]))
    >>> [keys.tolist() for keys in group_keys(steps)]
    [[4, 5], [2, 7], [2, 1], [0, 0]]
    """
    return (level(steps) for level in LADDER)


class Coded:
    """Values as codes of the same order that leave room for a group in 64 bits: themselves, or else their ranks."""

    def __init__(self, values: Ints) -> None:
        self.values = values
        fits = len(values) == 0 or int(values.max()) < 2**62 // (len(values) + 1)
        self._distinct: Ints | None = None
        self.code = values
        if not fits:
            self._distinct, self.code = np.unique(values, return_inverse=True)
        self.n_codes = int(self.code.max(initial=0)) + 1

    def first_from(self, low: Ints) -> Ints:
        """The least code whose value is not below `low`."""
        return np.maximum(low, 0) if self._distinct is None else np.searchsorted(self._distinct, low)

    def first_above(self, high: Ints) -> Ints:
        """The least code whose value is above `high`."""
        if self._distinct is None:
            return np.minimum(high, self.n_codes - 1) + 1
        return np.searchsorted(self._distinct, high, side="right")


class Bins(NamedTuple):
    """What is known of each bin: its least value, its largest and its mean, and nothing else (T2)."""

    low: Floats
    high: Floats
    mean: Floats

    def draw(self, bin_: Ints, uniform: Floats, rounding: Floats) -> Ints:
        """One value per entry from its bin, ``low + (high - low) * U^k``, with k such that the mean is kept.

        Rounded at random, because rounding to the nearest would move the mean of a narrow bin.
        """
        low, span = self.low[bin_], (self.high - self.low)[bin_]
        share = np.divide(self.mean[bin_] - low, span, out=np.full(len(bin_), 0.5), where=span > 0)
        above = np.floor(span * uniform ** ((1 - share) / share) + rounding)
        return (low + np.minimum(above, span)).astype(np.int64)


class Population:
    """All values, divided into groups numbered from 0.

    >>> population = Population(Coded(np.array([3, 1, 9, 4])), np.array([0, 0, 1, 0]))
    >>> population.size.tolist(), population.range.tolist()
    ([3, 1], [3, 0])
    >>> population.share_within(np.array([1, 0]), np.array([2, 1])).round(2).tolist()
    [0.67, 0.67]
    """

    def __init__(self, coded: Coded, group: Ints) -> None:
        self.values = coded.values
        self.group = group
        self._coded = coded
        key = group * coded.n_codes + coded.code
        self._order = stable_order(key)
        self._keys = key[self._order]
        self.size = np.bincount(group)
        self.offsets = offsets_of(self.size)

    @cached_property
    def sorted_values(self) -> Ints:
        """The values, by group and then by size."""
        return self.values[self._order]

    @cached_property
    def highest(self) -> Ints:
        """The largest value of each group."""
        return self.sorted_values[self.offsets[1:] - 1]

    @cached_property
    def range(self) -> Ints:
        """Largest minus least value of each group."""
        return self.highest - self.sorted_values[self.offsets[:-1]]

    def share_within(self, entries: Ints, width: Ints) -> Floats:
        """For each chosen entry, named once, the share of its group's values that lie within +-width of its own."""
        asked = np.zeros(len(self.group), dtype=np.bool_)
        asked[entries] = True
        width_of = np.zeros(len(self.group), dtype=np.int64)
        width_of[entries] = width
        ordered = self._order[asked[self._order]]  # looked up in sorted order, each search is near the last
        values, reach, base = self.values[ordered], width_of[ordered], self.group[ordered] * self._coded.n_codes
        first = np.searchsorted(self._keys, base + self._coded.first_from(values - reach))
        after = np.searchsorted(self._keys, base + self._coded.first_above(values + reach))
        share = np.empty(len(self.group))
        share[ordered] = (after - first) / self.size[self.group[ordered]]
        return share[entries]

    @cached_property
    def rank(self) -> Ints:
        """The place of each value in its sorted group, from 0."""
        rank = np.empty(len(self._order), dtype=np.int64)
        rank[self._order] = np.arange(len(self._order))
        return rank - self.offsets[self.group]

    def bin_of(self, entries: Ints, at_least: int) -> Ints:
        """The bin of each chosen entry; see `bins`."""
        group = self.group[entries]
        count = self.bin_counts(at_least)
        return offsets_of(count)[group] + self.rank[entries] * count[group] // self.size[group]

    def bins(self, at_least: int) -> Bins:
        """Each group's sorted values cut into equal runs of at least so many (one run if there are fewer)."""
        count = self.bin_counts(at_least)
        group = np.repeat(np.arange(len(count)), count)
        index = np.arange(len(group)) - np.repeat(offsets_of(count)[:-1], count)
        start = self.offsets[group] - (-index * self.size[group] // count[group])
        edges = np.append(start, self.offsets[-1])
        values = self.sorted_values.astype(np.float64)
        return Bins(values[start], values[edges[1:] - 1], np.add.reduceat(values, start) / np.diff(edges))

    def bin_counts(self, at_least: int) -> Ints:
        """How many bins each group has."""
        return np.maximum(1, self.size // at_least)


def widen(
    populations: Iterable[Population], is_usable: Callable[[Population], Flags]
) -> Iterator[tuple[Population, Ints, bool]]:
    """Look each value up in the first population where its group is usable (T1).

    Yields each population with the entries that use it; if no population has a usable group for an entry, the last
    population with False. If `populations` makes them one by one, a population that nobody needs is never built.
    """
    open_: Ints | None = None
    for population in populations:
        if open_ is None:
            open_ = np.arange(len(population.group))
        usable = is_usable(population)[population.group[open_]]
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
