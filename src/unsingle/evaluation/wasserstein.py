"""Wasserstein-1 distances between distributions, for many groups at once. Durations are in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Flags, Floats, Ints
from ..core.clock import HOUR
from ..core.wording import percent
from .units import hours_text

Values = Ints | Floats


@dataclass(frozen=True)
class Distance:
    """A distance between two distributions of times, in hours and as a share of the original's mean."""

    hours: float
    share_of_mean: float

    def __str__(self) -> str:
        return f"{hours_text(self.hours)}, {percent(self.share_of_mean)} of the mean"


def distance_of(milliseconds: float, mean: float) -> Distance:
    """The distance in hours, and as a share of this mean."""
    share = milliseconds / mean if mean else (0.0 if milliseconds == 0 else float("inf"))
    return Distance(milliseconds / HOUR, share)


def between(a: Ints, b: Ints) -> float:
    """The distance between the values of a and those of b."""
    zeros = [np.zeros(len(x), dtype=np.int64) for x in (a, b)]
    return float(wasserstein(zeros[0], a, zeros[1], b, 1)[0])


def wasserstein(group_a: Ints, a: Values, group_b: Ints, b: Values, n_groups: int) -> Floats:
    """Wasserstein-1 distance between the values of a and of b, for each group; NaN where one has none.

    >>> wasserstein(np.zeros(2, int), np.array([0, 10]), np.zeros(1, int), np.array([6]), 1).tolist()
    [5.0]
    """
    size_a, size_b = np.bincount(group_a, minlength=n_groups), np.bincount(group_b, minlength=n_groups)
    distance = _areas(*_sorted_by_group(group_a, a, group_b, b), size_a, size_b)
    distance[(size_a == 0) | (size_b == 0)] = np.nan
    return distance


def _sorted_by_group(group_a: Ints, a: Values, group_b: Ints, b: Values) -> tuple[Values, Flags]:
    """All values, by group and then by size, and whether each is of a."""
    n, key = len(a), np.concatenate((group_a, group_b))
    low = min(a.min(initial=0), b.min(initial=0))
    bits = 64 if a.dtype.kind == "f" else int(max(a.max(initial=0), b.max(initial=0)) - low).bit_length()
    if int(key.max(initial=0)).bit_length() + bits > 62:
        value: NDArray[Any] = np.concatenate((a, b))
        order = np.lexsort((value, key))
        return value[order], order < n
    key <<= bits + 1
    key[:n] |= ((a - low) << 1) | 1
    key[n:] |= (b - low) << 1
    key.sort()  # one number to sort is much faster than two
    return ((key >> 1) & ((1 << bits) - 1)) + low, (key & 1).astype(np.bool_)


def _areas(value: Values, from_a: Flags, size_a: Ints, size_b: Ints) -> Floats:
    """The area between the two distribution functions of each group."""
    size = size_a + size_b
    group = np.repeat(np.arange(len(size)), size)
    before_a, before_b = (np.cumsum(part) - part for part in (size_a, size_b))
    with np.errstate(invalid="ignore", divide="ignore"):
        # distribution functions from whole counts: equal samples give exactly 0
        below_a = (np.cumsum(from_a) - before_a[group]) / size_a[group]
        below_b = (np.cumsum(~from_a) - before_b[group]) / size_b[group]
        gap = np.diff(value, append=0)
        gap[np.cumsum(size)[size > 0] - 1] = 0  # from one group to the next
        area = np.abs(below_a - below_b) * gap
    return np.bincount(group, weights=area, minlength=len(size)).astype(np.float64)
