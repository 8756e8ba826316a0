"""The paths of a release: all variants with noised counts, or those taken by many and walks for the rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..log import pairs
from ..ragged import Ints, offsets_of, row_of, take_rows
from ..randomness import Randomness
from .cases import Cases
from .counts import estimated_counts
from .measurements import Measurements, Noisy
from .tallies import Vectors, summed
from .walks import LENGTHS, ends_of, length_bin, model_of, walk

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

STEPS, ENDS = "which steps there are", "how paths begin and end, and how long they are"


class ReleasedPaths(NamedTuple):
    """Released paths, one after the other, and the variance of how often a variant is released."""

    activity: Ints
    offsets: Ints
    variance: float

    @property
    def cases(self) -> int:
        """How many paths there are."""
        return len(self.offsets) - 1

    @property
    def later(self) -> Flags:
        """Which activities are not the first of their path."""
        later = np.ones(len(self.activity), dtype=np.bool_)
        later[self.offsets[:-1]] = False
        return later


def all_variants(cases: Cases, total: int, measurements: Measurements, random: Randomness) -> ReleasedPaths:
    """Every variant at least once, as often as the noised counts say."""
    ratio = float(measurements.budget.terms.ratio)
    noised = measurements.cases_by_variant(cases.paths.cases)
    return _repeated(cases, estimated_counts(noised, ratio, total, random), ratio)


def taken_by_many(cases: Cases, total: int, measurements: Measurements, random: Randomness) -> ReleasedPaths:
    """Variants whose noised count reaches the threshold, and walks for the cases that are left."""
    terms = measurements.budget.terms
    noised = measurements.cases_by_variant(cases.paths.cases)
    counts = np.where(noised >= terms.threshold, noised, 0)
    named = _repeated(cases, counts, float(terms.ratio))
    walks, lengths = _walked(cases, counts[cases.paths.of_case] == 0, total - named.cases, measurements, random)
    offsets = offsets_of(np.concatenate((np.diff(named.offsets), lengths)))
    return ReleasedPaths(np.concatenate((named.activity, walks)), offsets, named.variance)


def _repeated(cases: Cases, counts: Ints, ratio: float) -> ReleasedPaths:
    flat, offsets = take_rows(cases.paths.offsets, np.repeat(np.arange(len(counts)), counts))
    return ReleasedPaths(cases.paths.path[flat].astype(np.int64), offsets, ratio / (1 - ratio) ** 2)


def _walked(cases: Cases, unnamed: Flags, n: int, measurements: Measurements, random: Randomness) -> tuple[Ints, Ints]:
    """So many paths from a model of the cases whose path was not published (which is known by now)."""
    labels, offsets = len(cases.labels), cases.offsets
    case = cases.case_of_event[cases.later]
    step = unnamed[case]
    steps = measurements.tally(STEPS, Vectors(cases.pairs[step], case[step], labels**2))
    who = np.flatnonzero(unnamed)
    cells = (
        cases.activity[offsets[:-1]],
        labels + cases.activity[offsets[1:] - 1],
        2 * labels + length_bin(np.diff(offsets)),
    )
    n_cells = 2 * labels + len(LENGTHS) - 1
    vectors = Vectors(np.concatenate([cell[who] for cell in cells]), np.tile(who, 3), n_cells)
    ends = ends_of(_in_cases(measurements.tally(ENDS, vectors)), labels)
    if n <= 0 or not ends.found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return walk(model_of(steps, ends), ends, n, random)


def _in_cases(ends: Noisy) -> Noisy:
    """In cases again: every case has three ends, so each weighs one by the square root of three."""
    return Noisy(ends.values * math.sqrt(3), ends.deviation * math.sqrt(3))


def steps_by_variant(cases: Cases, known: Ints) -> Floats:
    """The sum over variants of the squared number of steps of each pair: how their counts' noise adds up in it."""
    later = np.ones(len(cases.paths.path), dtype=np.bool_)
    later[cases.paths.offsets[:-1]] = False
    pair = np.searchsorted(known, pairs(cases.paths.path, len(cases.labels))[later])
    key, times = np.unique(row_of(cases.paths.offsets)[later] * len(known) + pair, return_counts=True)
    return summed(times.astype(np.float64) ** 2, key % len(known), len(known))
