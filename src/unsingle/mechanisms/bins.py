"""Bins of durations on a universal scale: the same for every log, so that no bound is taken from the log.

*Octaves* are 0, one tick, one minute, and then doubling up to a century. Where many steps show, an octave is cut into
finer *parts*.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.clock import DAY, HOUR, MINUTE, Grid

_CENTURY = 36_525 * DAY
_FINENESS = 0.45  # parts of an octave: (this times steps per deviation)^(2/3)
_FINEST = 128
_TINY = 1e-9


class Scale(NamedTuple):
    """The bounds of bins, in ticks, and a duration in each, in hours."""

    edges: Ints
    hours: Floats

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return len(self.hours)

    def bin_of(self, ticks: Ints) -> Ints:
        """The bin of each duration."""
        return np.searchsorted(self.edges, np.minimum(ticks, self.edges[-1] - 1), side="right") - 1


def octaves(grid: Grid) -> Scale:
    """The bins of all logs on this grid: 0, one tick, one minute, doubling up to a century.

    >>> octaves(Grid(DAY, "UTC")).edges[:6].tolist()
    [0, 1, 2, 4, 8, 16]
    """
    minute = max(1, MINUTE // grid.step)
    doublings = math.ceil(math.log2(_CENTURY / grid.step / minute))
    return scale_of(np.unique(np.concatenate(([0, 1], minute * 2 ** np.arange(doublings + 1)))), grid)


def scale_of(edges: Ints, grid: Grid) -> Scale:
    """The scale of bins with these bounds."""
    hours = np.sqrt(edges[:-1].astype(np.float64) * edges[1:]) * (grid.step / HOUR)
    return Scale(edges, hours)


def cut_octaves(grid: Grid, parts: int) -> Scale:
    """The bins of all logs on this grid, each octave from a minute on cut into so many parts, or into single ticks.

    >>> cut_octaves(Grid(DAY, "UTC"), 2).edges[:7].tolist()
    [0, 1, 2, 3, 4, 6, 8]
    """
    scale = octaves(grid)
    first = int(np.argmax(scale.edges >= max(1, MINUTE // grid.step)))
    edges = [part_edges(scale, octave, parts) for octave in range(first, scale.bins)]
    return scale_of(np.unique(np.concatenate((scale.edges, *edges))), grid)


def parts_of_octaves(visible: Floats, scale: Scale, grid: Grid) -> Ints:
    """Into how many parts to cut each octave, by how many deviations its steps are: a power of two."""
    wanted = np.clip(np.maximum(_FINENESS * visible, _TINY) ** (2 / 3), 1, _FINEST)
    parts = 2 ** np.round(np.log2(wanted)).astype(np.int64)
    parts[:, scale.edges[:-1] < max(1, MINUTE // grid.step)] = 1
    return np.minimum(parts, 2 ** np.floor(np.log2(np.diff(scale.edges))).astype(np.int64))


def part_edges(scale: Scale, octave: int, parts: int) -> Ints:
    """The bounds of the parts of an octave, in ticks."""
    return np.round(np.geomspace(scale.edges[octave], scale.edges[octave + 1], parts + 1)).astype(np.int64)


def part_of(ticks: Ints, octave: Ints, parts: Ints, scale: Scale) -> Ints:
    """Which part of its octave each duration is in, where that octave has so many parts."""
    part = np.zeros(len(octave), dtype=np.int64)
    code = octave * 1024 + parts
    for key in np.unique(code[parts > 1]).tolist():
        some = np.flatnonzero(code == key)
        edges = part_edges(scale, *divmod(key, 1024))
        part[some] = np.searchsorted(edges, np.minimum(ticks[some], edges[-1] - 1), side="right") - 1
    return part
