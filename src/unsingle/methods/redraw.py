"""Redrawn times: what a case of the release shows is drawn from its groups, not from a person (blend).

A group of at least 20 values is known by its bins alone. A *kept* case shows for each of its values a draw
from that value's own bin; every other case shows draws from bins that were chosen without looking at anybody's
values. So only a kept case can tell anything of one person, and it is kept with probability delta (claim B2).

Bins are chosen so that the redrawn values of a group spread evenly over it: each takes its turn, in random order.
That stays nearer to the group's distribution than choosing one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..automaton import Automaton
from ..clock import Grid
from ..groups import Bins, Population, widen
from ..ragged import Ints, offsets_of
from ..randomness import Randomness
from .timeline import Timeline

Flags = NDArray[np.bool_]

SMALLEST_GROUP = 20
"""A group of fewer cases is not known by its distribution: a wider one is used. Bins have as many values."""


def redrawn_times(timeline: Timeline, automaton: Automaton, ancestors: Ints, kept: Flags, random: Randomness) -> Ints:
    """Times of the released cases; case i of the release is of the path of case ``ancestors[i]``, or keeps its bins."""
    values = group_values(timeline.values, timeline.populations(automaton), timeline.grid)
    starts = group_values(timeline.starts, iter([timeline.start_population()]), timeline.grid)
    entries, offsets = timeline.entries(ancestors)
    steps = np.diff(offsets) - 1
    value_bin = values.choose(entries, np.repeat(kept, steps), random)
    start_bin = starts.choose(ancestors, kept, random)
    first_entry = offsets_of(steps)

    def times_of(some: slice, stream: Randomness) -> Ints:
        released = values.draw(value_bin[first_entry[some.start] : first_entry[some.stop]], stream)
        begin = starts.draw(start_bin[some], stream)
        return timeline.times(begin, released, offsets[some.start : some.stop + 1] - offsets[some.start])

    return timeline.release(ancestors, random, times_of)


@dataclass(frozen=True)
class Draws:
    """From which bins each value can be drawn: its own, or any of its group's."""

    bins: Bins
    own: Ints
    group: Ints
    size: Ints  # of each group
    first_bin: Ints  # of each group
    n_bins: Ints  # of each group
    edges: Ints | None = None  # places where bins begin, in all groups one after the other; nothing if they are even

    def choose(self, entries: Ints, kept: Flags, random: Randomness) -> Ints:
        """The bin of each released value: its own if it is kept, else one of its group, by size."""
        chosen = self.own[entries]
        redrawn = np.flatnonzero(~kept)
        group = self.group[entries[redrawn]]
        chosen[redrawn] = self._bin_at(group, spread_evenly(group, self.size, random))
        return chosen

    def _bin_at(self, group: Ints, place: Ints) -> Ints:
        """The bin that has this place among the sorted values of its group."""
        if self.edges is None:
            return self.first_bin[group] + place * self.n_bins[group] // self.size[group]
        return np.searchsorted(self.edges, offsets_of(self.size)[group] + place, side="right") - 1

    def draw(self, chosen: Ints, random: Randomness) -> Ints:
        """A value from each chosen bin."""
        return self.bins.draw(chosen, *random.uniform(2 * len(chosen)).reshape(2, -1))


def spread_evenly(group: Ints, size: Ints, random: Randomness) -> Ints:
    """A place from 0 to size-1 for each of these, so that those of a group cover it evenly, in random order.

    All places are equally likely: ``rank * size + below(size)`` is uniform below ``n * size``.
    """
    n = np.bincount(group, minlength=len(size))
    shuffled = random.permutation(len(group))
    rank = np.empty(len(group), dtype=np.int64)
    rank[shuffled[np.argsort(group[shuffled], kind="stable")]] = np.arange(len(group))
    rank -= offsets_of(n)[group]
    return (rank * size[group] + random.below(size[group])) // n[group]


def group_values(values: Ints, populations: Iterator[Population], grid: Grid) -> Draws:
    """Look each value up in the narrowest group that enough cases have, and forget the values."""
    own, group = np.zeros((2, len(values)), dtype=np.int64)
    groups = _Groups()
    for population, entries, enough in widen(populations, lambda each: each.has_cases(SMALLEST_GROUP)):
        if not len(entries):
            continue
        group[entries] = groups.count + population.group[entries]
        own[entries] = groups.n_bins + (population.bin_of(entries, SMALLEST_GROUP) if enough else 0)
        if enough:
            bins, edges = population.bins(SMALLEST_GROUP), population.edges(SMALLEST_GROUP)
            groups.add(bins, population.size, population.bin_counts(SMALLEST_GROUP), edges)
        else:
            groups.add(*_of_nobody(population, grid))
    first_bin = offsets_of(groups.bin_counts)[:-1]
    return Draws(groups.bins, own, group, groups.size, first_bin, groups.bin_counts, groups.edges)


class _Groups:
    """The groups of several populations, numbered one after the other."""

    def __init__(self) -> None:
        self.bins = Bins(*np.empty((3, 0)))
        self.size = self.bin_counts = np.empty(0, dtype=np.int64)
        self.edges: Ints | None = None

    @property
    def count(self) -> int:
        return len(self.size)

    @property
    def n_bins(self) -> int:
        return len(self.bins.low)

    def add(self, bins: Bins, size: Ints, bin_counts: Ints, edges: Ints | None = None) -> None:
        if edges is not None:
            so_far = np.empty(0, dtype=np.int64) if self.edges is None else self.edges
            self.edges = np.concatenate((so_far, int(self.size.sum()) + edges))
        self.bins = Bins(*map(np.concatenate, zip(self.bins, bins, strict=True)))
        self.size = np.concatenate((self.size, size))
        self.bin_counts = np.concatenate((self.bin_counts, bin_counts))


def _of_nobody(population: Population, grid: Grid) -> tuple[Bins, Ints, Ints, Ints | None]:
    """Too few values in the whole log to have a distribution: anything from 0 to a power of two minutes, all alike."""
    most = grid.power_of_two_minutes(population.highest).astype(np.float64)
    one = np.ones(len(most), dtype=np.int64)
    edges = None if population.edges(SMALLEST_GROUP) is None else np.arange(len(most))
    return Bins(np.zeros(len(most)), most, most / 2), one, one, edges
