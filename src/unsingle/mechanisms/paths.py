"""The paths of a release: all variants with noised counts, or those taken by many and walks for the rest."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Ints, offsets_of, positions, row_of, take_rows
from ..core.log import pairs
from ..privacy.random import Randomness
from .cases import Cases
from .counts import estimated_counts
from .labels import published_labels
from .measurements import Measurements, Noisy
from .tallies import Vectors, summed
from .walks import PATH_LENGTHS, STAGES, ends_of, length_bin, model_of, stage_of, walk

STEP_TALLY, END_TALLY = "which steps there are", "how paths begin and end, and how long they are"


class ReleasedPaths(NamedTuple):
    """Released paths, one after the other, and the variance of how often a variant is released, by noise."""

    activity: Ints
    offsets: Ints
    variance: float = 0.0

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
    activity, offsets = _repeated(cases, estimated_counts(noised, ratio, total, random))
    return ReleasedPaths(activity, offsets, ratio / (1 - ratio) ** 2)


def taken_by_many(
    cases: Cases, total: int, public: tuple[str, ...] | None, measurements: Measurements, random: Randomness
) -> tuple[Cases, ReleasedPaths]:
    """Variants whose noised count reaches the threshold, and walks for the cases that are left.

    Also the cases without events of labels that are not published: `public` are those that may be, if they are given.
    Where the cases that are left are too few to show how they go, the published variants take their place.
    """
    if public is not None:
        cases = cases.only(public)
    counts = _published_counts(cases, measurements)
    known = public
    if known is None:
        known = published_labels(cases, _labels_of(cases, counts > 0), measurements)
    restricted, who = cases.only(known), cases.with_any_of(known)
    left = max(0, total - int(counts.sum()))
    walks, lengths = _walked(restricted, counts[cases.paths.of_case[who]] == 0, left, measurements, random)
    if counts.any():
        counts = _scaled(counts, total - len(lengths))
    named, named_offsets = _repeated(cases, counts)
    number = np.searchsorted(np.array(known, dtype=object), np.array(cases.labels, dtype=object))
    offsets = offsets_of(np.concatenate((np.diff(named_offsets), lengths)))
    return restricted, ReleasedPaths(np.concatenate((number[named], walks)), offsets)


def _published_counts(cases: Cases, measurements: Measurements) -> Ints:
    """The noised count of each variant where it reaches the threshold, else 0."""
    terms = measurements.budget.terms
    if not terms.counts_paths:
        return np.zeros(len(cases.paths.cases), dtype=np.int64)
    noised = measurements.cases_by_variant(cases.paths.cases)
    return np.where(noised >= terms.threshold, noised, 0)


def _labels_of(cases: Cases, published: Flags) -> Flags:
    """Which labels the published variants have."""
    of_labels = np.zeros(len(cases.labels), dtype=np.bool_)
    of_labels[cases.paths.path[np.repeat(published, np.diff(cases.paths.offsets))]] = True
    return of_labels


def _scaled(counts: Ints, total: int) -> Ints:
    """The counts with about this total, each by the same factor.

    >>> _scaled(np.array([10, 0, 30]), 20).tolist()
    [5, 0, 15]
    """
    reached = np.round(np.cumsum(counts) * (max(0, total) / counts.sum())).astype(np.int64)
    return np.diff(reached, prepend=0)


def _repeated(cases: Cases, counts: Ints) -> tuple[Ints, Ints]:
    """The activities of the variants, each so many times, one after the other, and where each begins."""
    flat, offsets = take_rows(cases.paths.offsets, np.repeat(np.arange(len(counts)), counts))
    return cases.paths.path[flat].astype(np.int64), offsets


def _walked(cases: Cases, unnamed: Flags, n: int, measurements: Measurements, random: Randomness) -> tuple[Ints, Ints]:
    """So many paths from a model of the cases whose path was not published (which is known by now)."""
    labels = len(cases.labels)
    if not labels:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    noisy = _in_cases(measurements.tally(END_TALLY, _ends(cases, np.flatnonzero(unnamed))))
    if cases.by_person:
        noisy = noisy.scaled_to(n, noisy.values.sum() / 3, noisy.deviation * math.sqrt(len(noisy.values)) / 3)
    ends = ends_of(noisy, labels, n, random)
    step = np.flatnonzero(unnamed[cases.case_of_event[cases.later]])
    place = positions(cases.offsets)[cases.later][step] - 1
    cell = stage_of(place) * labels**2 + cases.pairs[step]
    vectors = Vectors(cell, cases.person_of_event[cases.later][step], len(STAGES) * labels**2)
    steps = measurements.tally(STEP_TALLY, vectors, math.sqrt(ends.typical))
    if not ends.shown or n <= 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return walk(model_of(steps, ends), ends, n, random)


def _ends(cases: Cases, who: Ints) -> Vectors:
    """The first and the last activity of each case, and the bin of its length."""
    labels, offsets = len(cases.labels), cases.offsets
    cells = (
        cases.activity[offsets[:-1]],
        labels + cases.activity[offsets[1:] - 1],
        2 * labels + length_bin(np.diff(offsets)),
    )
    n_cells = 2 * labels + len(PATH_LENGTHS) - 1
    return Vectors(np.concatenate([cell[who] for cell in cells]), np.tile(cases.person[who], 3), n_cells)


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
