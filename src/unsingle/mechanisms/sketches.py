"""Quantile sketches of groups: runs of sorted values, each with its least value, its largest, their sum and number.

Sketches of parts of a log can be made one by one, merged, and shortened. If every run is a single value, as in all
groups that are not too large, a sketch is exact; in longer runs, values are taken to be spread evenly between the ends.
`SketchedPopulation` answers the same questions as `Population`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.arrays import Flags, Floats, Ints, offsets_of, positions, row_of, runs
from .groups import LADDER, Bins, Population

MOST_RUNS = 2048
"""Runs that one group may have: no run of several values then has more than a 1,024th of all, nor of their sum."""

STARTS = len(LADDER)
"""The level of the one group that holds the starts of all cases: above those of the ladder."""

_LEVELS = STARTS + 1


def sketch_keys(level: int, groups: Ints) -> Ints:
    """Keys under which groups of all levels can be sketched together."""
    return groups * _LEVELS + level


def groups_of(keys: Ints) -> Ints:
    """The groups that keys stand for, whatever their level."""
    return keys // _LEVELS


@dataclass(frozen=True)
class Sketch:
    """Runs of values, by the key of their group and then by size.

    >>> sketch = Sketch.of(np.array([7, 7, 3, 7]), np.array([5, 9, 4, 5]))
    >>> sketch.key.tolist(), sketch.low.tolist(), sketch.count.tolist()
    ([3, 7, 7], [4, 5, 9], [1, 2, 1])
    """

    key: Ints
    low: Ints
    high: Ints
    total: Floats
    count: Ints

    @classmethod
    def of(cls, key: Ints, values: Ints) -> Sketch:
        """The sketch of these values: every run is of one value."""
        order = _sorted_by(key, values)
        key, values = key[order], values[order]
        first = _heads(key, values)
        count = np.diff(first, append=len(key))
        return cls(key[first], values[first], values[first], values[first].astype(np.float64) * count, count)

    @classmethod
    def merged(cls, parts: Sequence[Sketch]) -> Sketch:
        """The sketch of all values that these were made of."""
        key, low, high, total, count = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("key", "low", "high", "total", "count")
        )
        mean = np.where(low == high, low, np.floor(total / count).astype(np.int64))
        order = _sorted_by(key, 2 * mean + (low != high))  # equal values are neighbours, with nothing between them
        whole = cls(key[order], low[order], high[order], total[order], count[order])
        single = whole.low == whole.high
        # one run for what is one value; longer runs stay apart
        first = _heads(whole.key, whole.low, whole.high, np.where(single, 0, np.arange(len(single))))
        return whole._joined(first)._in_order()

    def where(self, chosen: Flags | Ints) -> Sketch:
        """The chosen runs, or these in this order."""
        return Sketch(self.key[chosen], self.low[chosen], self.high[chosen], self.total[chosen], self.count[chosen])

    def shortened(self, most: int = MOST_RUNS) -> Sketch:
        """The same with at most about so many runs in each group, alike in their number of values and in their sum.

        By number alone the last run of a long tail would be too long, and by sum alone the first.
        """
        if not len(self.key) or np.diff(runs(self.key)).max() <= most:
            return self
        group = row_of(runs(self.key))
        place = np.zeros(len(group))
        for weight in (self.count.astype(np.float64), self.total):
            whole = np.bincount(group, weights=weight)
            upto = np.cumsum(weight) - np.repeat(np.cumsum(whole) - whole, np.bincount(group)) - weight / 2
            place += np.divide(upto, whole[group], out=np.zeros(len(group)), where=whole[group] > 0) / 2
        many = np.bincount(group)[group] > most
        cell = np.where(many, np.floor(np.clip(place, 0, 1) * most).astype(np.int64), positions(runs(self.key)))
        return self._joined(_heads(self.key, cell))._in_order()

    def _joined(self, first: Ints) -> Sketch:
        """One run for each that begins at these places and goes on to the next."""
        if len(first) == len(self.key):
            return self
        return Sketch(
            self.key[first],
            np.minimum.reduceat(self.low, first),
            np.maximum.reduceat(self.high, first),
            np.add.reduceat(self.total, first),
            np.add.reduceat(self.count, first),
        )

    def _in_order(self) -> Sketch:
        """The same with ends that do not go back within a group, where runs of several parts reach into each other."""
        inside = self.key[1:] == self.key[:-1]
        if not (inside & ((self.low[1:] < self.low[:-1]) | (self.high[1:] < self.high[:-1]))).any():
            return self
        # lows and highs each in order: no run's mean is left out, and the ends of the group stay
        low, high = (each[_sorted_by(self.key, each)] for each in (self.low, self.high))
        return Sketch(self.key, low, high, self.total, self.count)


class SketchedPopulation(Population):
    """Some values of a log, looked up in sketches that are made of all its values.

    Groups that none of the values belongs to are left out. Values whose key is not in the sketch share one more group,
    which is empty.
    """

    def __init__(self, sketch: Sketch, key: Ints, values: Ints) -> None:
        self.values = values
        first = runs(sketch.key)
        keys = sketch.key[first[:-1]]
        place = np.searchsorted(keys, key)
        place[np.append(keys, -1)[place] != key] = len(keys)
        asked = np.bincount(place, minlength=len(keys) + 1)[:-1] > 0
        self.group = (np.cumsum(np.append(asked, True)) - 1)[place]
        self._sketch = sketch if asked.all() else sketch.where(np.repeat(asked, np.diff(first)))
        self._first = runs(self._sketch.key)
        self._upto = offsets_of(self._sketch.count)
        self.size = np.append(np.diff(self._upto[self._first]), 0)
        self.offsets = np.append(self._upto[self._first], self._upto[-1])

    @cached_property
    def highest(self) -> Ints:
        """The largest value of each group."""
        return np.append(self._sketch.high[self._first[1:] - 1], 0)

    @cached_property
    def range(self) -> Ints:
        """Largest minus least value of each group."""
        return self.highest - np.append(self._sketch.low[self._first[:-1]], 0)

    def share_within(self, entries: Ints, width: Ints) -> Floats:
        """For each chosen entry the share of its group's values that lie within +-width of its own."""
        order = self._in_order(entries)
        group, value, width = self.group[entries][order], self.values[entries][order], width[order]
        within = self._below(group, value + width + 1) - self._below(group, value - width)
        share = np.empty(len(order))
        share[order] = np.maximum(within, 1) / self.size[group]  # its own value always counts
        return share

    def bin_of(self, entries: Ints, at_least: int) -> Ints:
        """The bin of each chosen entry; equal values are spread over all places that they have in the group."""
        order = self._in_order(entries)
        group, value = self.group[entries][order], self.values[entries][order]
        below = self._below(group, value)
        alike = self._below(group, value + 1) - below
        first = np.append(_heads(group, value), len(order))
        turn = (positions(first) + 0.5) / np.repeat(np.diff(first), np.diff(first))
        rank = np.minimum(np.floor(below + alike * turn).astype(np.int64), self.size[group] - 1)
        bins = np.empty(len(order), dtype=np.int64)
        bins[order] = np.searchsorted(self._edges(at_least), self.offsets[group] + rank, side="right") - 1
        return bins

    def bins(self, at_least: int) -> Bins:
        """Each group's values cut into runs of at least so many (one run if there are fewer)."""
        edges, sketch = self._edges(at_least), self._sketch
        begins = np.sort(np.concatenate((edges, self._upto[:-1])), kind="stable")  # where a run or a bin begins
        begins = begins[_heads(begins)]
        run = np.searchsorted(self._upto, begins, side="right") - 1
        first = np.searchsorted(begins, edges)
        last = np.append(first[1:], len(begins)) - 1
        low, high = sketch.low[run[first]].astype(np.float64), sketch.high[run[last]].astype(np.float64)
        # of a run that is cut each side has the mean of the whole
        total = np.diff(begins, append=self._upto[-1]) * (sketch.total / sketch.count)[run]
        count = np.diff(edges, append=self._upto[-1])
        mean, least = np.add.reduceat(total, first) / count, (high - low) / count  # some value is at either end
        return Bins(low, high, np.clip(mean, low + least, high - least))

    def bin_counts(self, at_least: int) -> Ints:
        """How many bins each group has."""
        return np.diff(np.searchsorted(self._edges(at_least), self.offsets))

    def _in_order(self, entries: Ints) -> Ints:
        """These by group and value: looked up in that order, each search is near the last."""
        return np.lexsort((self.values[entries], self.group[entries]))

    def _below(self, group: Ints, value: Ints) -> Floats:
        """How many values of the group are below this one."""
        sketch, (distinct, keys) = self._sketch, self._lookup
        base = len(distinct) + 1
        run = np.searchsorted(keys, group * base + np.searchsorted(distinct, value)) - 1  # the last that begins below
        run = np.maximum(run, self._first[np.minimum(group, len(self._first) - 2)])
        span = sketch.high[run] - sketch.low[run] + 1
        inside = np.clip((value - sketch.low[run]) / span, 0.0, 1.0) * sketch.count[run]
        return inside + (self._upto[run] - self.offsets[group])

    @cached_property
    def _lookup(self) -> tuple[Ints, Ints]:
        """The distinct ends of runs, and a number for each run by group and by that end."""
        distinct, low = np.unique(self._sketch.low, return_inverse=True)
        return distinct, row_of(self._first) * (len(distinct) + 1) + low

    def _edges(self, at_least: int) -> Ints:
        """Where each bin begins, as a place among the sorted values of all groups.

        Groups known exactly are cut evenly, as any others are; else bins are runs.
        """
        size = self.size[:-1]
        sketch = self._sketch
        longer = (sketch.low != sketch.high) & (sketch.count > 1)
        exact = np.bincount(row_of(self._first), weights=longer, minlength=len(size)) == 0
        count = np.where(exact, np.maximum(1, size // at_least), 0)
        group = np.repeat(np.arange(len(size)), count)
        even = self.offsets[group] - (-positions(offsets_of(count)) * size[group] // count[group])
        return np.sort(np.concatenate((even, self._long_enough(at_least, ~exact))))

    def _long_enough(self, at_least: int, chosen: Flags) -> Ints:
        """Where runs of the chosen groups begin, when neighbours are joined until each has enough values."""
        group = row_of(self._first)
        of_chosen = chosen[group]
        group, begin = group[of_chosen], self._upto[:-1][of_chosen]
        while True:
            end_of_group = self.offsets[group + 1]
            end = np.minimum(np.append(begin[1:], self._upto[-1]), end_of_group)
            small = end - begin < at_least
            last = end == end_of_group
            first = np.append(True, group[1:] != group[:-1])
            joins_next = small & ~last
            place = np.arange(len(small))
            # every other one of neighbours that are too small, so that they grow evenly
            joins_next &= (place - np.maximum.accumulate(np.where(joins_next, -1, place))) % 2 == 1
            dropped = np.append(False, joins_next[:-1]) | (small & last & ~first)
            if not dropped.any():
                return begin
            group, begin = group[~dropped], begin[~dropped]


class GroupSketches:
    """The sketches of all groups in use, by level of the ladder, and of all starts."""

    def __init__(self, sketch: Sketch) -> None:
        order = np.argsort(sketch.key, kind="stable")  # runs of one group stand together already, in their order
        whole = sketch.where(order)
        self._levels = [whole.where(whole.key % _LEVELS == level) for level in range(_LEVELS)]

    def population(self, level: int, groups: Ints, values: Ints) -> Population:
        """These values of these groups, looked up among all values of the log."""
        return SketchedPopulation(self._levels[level], sketch_keys(level, groups), values)


def _sorted_by(key: Ints, value: Ints) -> Ints:
    """The order by key and then by value."""
    keys, group = np.unique(key, return_inverse=True)
    span = int(value.max(initial=0)) + 1
    if len(keys) * span < 2**62:
        return np.argsort(group * span + value)  # one number to sort is much faster than two
    return np.lexsort((value, key))


def _heads(*columns: Ints) -> Ints:
    """The places where one of the columns changes, and the first."""
    fresh = np.zeros(len(columns[0]), dtype=np.bool_)
    fresh[:1] = True
    for column in columns:
        fresh[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(fresh)
