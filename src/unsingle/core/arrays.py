"""Arrays: the types that all modules share, rows of different lengths, and hashes.

Row i of a ragged array is ``flat[offsets[i]:offsets[i + 1]]``; cases and variants are such rows. Hashes are for speed
only: whatever is grouped by one is verified exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]


def offsets_of(lengths: Ints) -> Ints:
    """Offsets of rows with these lengths.

    >>> offsets_of(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def positions(offsets: Ints) -> Ints:
    """Place of each element within its row, from 0.

    >>> positions(np.array([0, 2, 5])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(offsets[-1], dtype=np.int64) - np.repeat(offsets[:-1], np.diff(offsets))


def row_of(offsets: Ints) -> Ints:
    """Row of each element.

    >>> row_of(np.array([0, 2, 5])).tolist()
    [0, 0, 1, 1, 1]
    """
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def take_rows(offsets: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Flat indices of the chosen rows, one row after the other, and the offsets of the result.

    >>> flat, offsets = take_rows(np.array([0, 2, 5]), np.array([1, 0, 1]))
    >>> flat.tolist(), offsets.tolist()
    ([2, 3, 4, 0, 1, 2, 3, 4], [0, 3, 5, 8])
    """
    taken = offsets_of(np.diff(offsets)[rows])
    return np.repeat(offsets[rows] - taken[:-1], np.diff(taken)) + np.arange(taken[-1]), taken


def runs(sorted_keys: NDArray[np.generic]) -> Ints:
    """Offsets of the runs of equal neighbours.

    >>> runs(np.array([4, 4, 7, 9, 9])).tolist()
    [0, 2, 3, 5]
    """
    n = len(sorted_keys)
    if n == 0:
        return np.zeros(1, dtype=np.int64)
    starts = np.flatnonzero(sorted_keys[1:] != sorted_keys[:-1]) + 1
    return np.concatenate(([0], starts, [n])).astype(np.int64)


def running_sum(values: Ints, offsets: Ints) -> Ints:
    """Sum of each row up to and including each element.

    >>> running_sum(np.array([1, 2, 3, 4, 5]), np.array([0, 2, 5])).tolist()
    [1, 3, 3, 7, 12]
    """
    total = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=total[1:])  # may wrap around; the differences of a row are right all the same
    return total[1:] - np.repeat(total[offsets[:-1]], np.diff(offsets))


def running_maximum(values: Ints, offsets: Ints) -> Ints:
    """Largest value of each row up to and including each element.

    >>> running_maximum(np.array([3, 2, 1, 5, 4]), np.array([0, 2, 5])).tolist()
    [3, 3, 1, 5, 5]
    """
    levels, rank = np.unique(values, return_inverse=True)
    base = row_of(offsets) * len(levels)  # a later row is above all earlier ones
    return levels[np.maximum.accumulate(base + rank) - base]


def distinct(values: Ints) -> Ints:
    """The distinct values in their order: by sorting, which for many values is far faster than numpy's hash table.

    >>> distinct(np.array([7, 2, 7])).tolist()
    [2, 7]
    """
    ordered = np.sort(values, axis=None)
    return ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]


def dense(keys: Ints) -> Ints:
    """Number the distinct keys (not below 0) from 0, in their order.

    >>> dense(np.array([70, 5, 70])).tolist()
    [1, 0, 1]
    """
    highest = int(keys.max(initial=0))
    if highest > 4 * len(keys) + 1_000_000:
        return np.unique(keys, return_inverse=True)[1]
    present = np.zeros(highest + 1, dtype=np.bool_)  # a table of all possible keys is faster than sorting
    present[keys] = True
    return (np.cumsum(present) - 1)[keys]


def order_within(row: Ints, values: Floats) -> Ints:
    """The order of rows, and of the values (not below 0) within each; values that hardly differ keep their order.

    >>> order_within(np.array([1, 0, 1]), np.array([5.0, 9.0, 0.5])).tolist()
    [1, 2, 0]
    """
    rows, entries = (int(most).bit_length() for most in (row.max(initial=0), len(row)))
    left = 63 - rows - entries
    if left < _TELLING_BITS:
        return np.lexsort((values, row))
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.int64)  # of such numbers in the order of the numbers
    keys = ((row << left | bits >> (63 - left)) << entries) | np.arange(len(row))  # each once: much faster to sort
    keys.sort()
    return keys & ((1 << entries) - 1)


def stable_order(keys: Ints) -> Ints:
    """The order of keys not below 0; equal ones keep theirs.

    >>> stable_order(np.array([7, 2, 7])).tolist()
    [1, 0, 2]
    """
    entries = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + entries > 63:
        return np.argsort(keys, kind="stable")
    places = (keys.astype(np.int64) << entries) | np.arange(len(keys))  # each once: much faster to sort
    places.sort()
    return places & ((1 << entries) - 1)


_TELLING_BITS = 24  # of a number: its exponent, and 4 digits


def pieces(offsets: Ints, at_once: int) -> Iterator[slice]:
    """Cut the rows into runs of about so many elements; a longer row is a run of its own.

    >>> list(pieces(np.array([0, 2, 5, 6, 7]), 3))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    cuts = np.searchsorted(offsets, np.arange(at_once, offsets[-1], at_once))
    edges = np.unique(np.concatenate(([0], cuts, [len(offsets) - 1]))).tolist()
    for first, after in pairwise(edges):
        yield slice(first, after)


def mix(words: NDArray[np.integer]) -> Words:
    """Scatter integers over all 64 bits (the finaliser of splitmix64).

    >>> len(set(mix(np.arange(1000)).tolist()))
    1000
    """
    z = words.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def mix_pair(first: NDArray[np.integer], second: NDArray[np.integer], salt: int) -> Words:
    """Scatter pairs of integers; another salt gives unrelated values."""
    return mix(mix(second.astype(np.uint64) + mix(np.array([salt]))) + first.astype(np.uint64))
