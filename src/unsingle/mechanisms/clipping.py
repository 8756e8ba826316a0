"""Tallies of cells with weights: where vectors are clipped, and how sums are turned back into numbers of steps.

The length at which vectors are clipped is read off a noised histogram of their lengths, never off the lengths
themselves. Noised sums are divided by the weight of their cell and by the share that clipping leaves of it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from .measurements import Measurements, Noisy
from .tallies import Vectors

_LEVELS = 64  # half octaves
_USUAL_LENGTH = 32.0  # units, where cases do not show theirs
_CLIPPED = 0.1  # of the cases, in logs of up to _MANY cases at the rho below; fewer in larger logs
_MANY = 10_000
_USUAL_RHO = 0.17
_SURE = 5.0  # deviations
_TINY = 1e-9


def length_tally(name: str) -> str:
    """The name of the tally of lengths that goes before this tally."""
    return f"how much there is in one case: {name}"


class Sums(NamedTuple):
    """Noised numbers of steps (group by bin), and the variance of their noise."""

    value: Floats
    variance: Floats


def merged(one: Sums, other: Sums) -> Sums:
    """Both, by how well each is known."""
    variance = 1 / (1 / one.variance + 1 / other.variance)
    return Sums((one.value / one.variance + other.value / other.variance) * variance, variance)


def summed_rows(sums: Sums, group: Ints, groups: int) -> Sums:
    """The rows of each group added up."""
    value, variance = np.zeros((2, groups, sums.value.shape[1]))
    np.add.at(value, group, sums.value)
    np.add.at(variance, group, sums.variance)
    return Sums(value, np.maximum(variance, 1e-12))


class Clip(NamedTuple):
    """Where vectors are clipped, and the noised histogram of their lengths."""

    length: float
    cases: Floats
    lengths: Floats

    @classmethod
    def of(cls, noisy: Noisy, unit: float, cases: int, rho: float) -> Clip:
        """The length that leaves a small share of the cases clipped."""
        counts, noise = noisy
        place = np.arange(_LEVELS)
        if counts.max() < _SURE * noise:  # too few cases to show how long they are
            return cls(unit * _USUAL_LENGTH, np.zeros(_LEVELS), unit * 2 ** ((place - 23.5) / 2))
        many = min(1.0, _MANY / max(cases, 1))
        enough = max(0.03 * cases * math.sqrt(many), 4 * noise)
        top = int(np.argmax(counts))
        while top < _LEVELS - 1 and counts[top + 1 : top + 5].sum() > enough:
            top += 1  # climb while the next two octaves hold more than noise
        counts = np.where(counts > np.where(place > top, 2.5, 1.0) * noise, counts, 0)
        counts[top + 5 :] = 0
        clipped = min(0.25, _CLIPPED * math.sqrt(_USUAL_RHO / rho)) * many * counts.sum()
        above = np.append(np.cumsum(counts[::-1])[::-1], 0)
        last = int(np.flatnonzero(above > clipped).max(initial=0)) if (above > clipped).any() else top
        part = (above[last] - clipped) / max(above[last] - above[last + 1], _TINY)
        return cls(unit * 2 ** ((last + part - 24) / 2), counts, unit * 2 ** ((place - 23.5) / 2))

    def left(self, weight: Floats) -> Floats:
        """What clipping leaves of a cell of this weight: its cases are at least as long, and longer ones have more."""
        kept, whole = (
            np.cumsum((self.cases * self.lengths * part)[::-1])[::-1]
            for part in (np.minimum(1, self.length / self.lengths), np.ones(_LEVELS))
        )
        level = np.minimum(np.searchsorted(self.lengths, 0.9 * weight), _LEVELS - 1)
        share = np.divide(kept[level], whole[level], out=np.zeros_like(weight), where=whole[level] > 0)
        known = share[share > 0]
        return np.clip(np.where(share > 0, share, known.min() if len(known) else 1.0), 0.4, 1)


def measured_clip(vectors: Vectors, unit: float, name: str, cases: int, measurements: Measurements) -> Clip:
    """The length at which to clip, from a noised histogram of how long the vectors are."""
    level = np.clip(np.floor(2 * np.log2(np.maximum(vectors.length / unit, 2.0**-12))), -24, 39).astype(np.int64) + 24
    noisy = measurements.tally(length_tally(name), Vectors(level, np.arange(len(level)), _LEVELS))
    return Clip.of(noisy, unit, cases, measurements.budget.terms.rho)


def clipped_tally(
    name: str, vectors: Vectors, weight: Floats, unit: float, cases: int, measurements: Measurements
) -> Sums:
    """Noised numbers of steps in each cell: by their weights, clipped, and turned back."""
    clip = measured_clip(vectors, unit, name, cases, measurements)
    noisy = measurements.tally(name, vectors, clip.length)
    factor = clip.length / weight / clip.left(weight)
    return Sums(noisy.values * factor, (noisy.deviation * factor) ** 2)
