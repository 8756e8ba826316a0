"""Noise on times: paper Sect. IV-C, with its leaks closed (T1 to T4).

A `_Plan` says for each original value how a copy of it is released: with discrete Laplace noise folded into the
possible range, or as a draw from its bin.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Ints
from ..core.automaton import Automaton
from ..core.clock import DAY, Grid
from ..core.precision import Precision
from ..privacy.advantage import epsilon, worst_case_epsilon
from ..privacy.random import Randomness
from .groups import LADDER, Bins, Population, Steps, fold, group_keys, widen
from .timeline import Timeline

SMALLEST_GROUP = 5
"""A smaller group reveals too much about each of its values: a wider one is used instead (T1)."""

SMALLEST_BIN = 20
"""Values that share a bin (T2)."""

_NO_BIN = -1


class Calibration(NamedTuple):
    """How much noise times get: what a guess may gain, how near it must come, whether the paper's leaks are closed."""

    delta: float
    precision: Precision
    closes_leaks: bool = True

    def uses_group(self, size: Ints) -> Flags:
        """Whether noise may be scaled by groups of so many values, provided that they have a range (T1)."""
        return size >= (SMALLEST_GROUP if self.closes_leaks else 1)


def groups_in_use(calibration: Calibration, steps: Steps, weight: Ints) -> Iterator[tuple[Ints, Ints]]:
    """For each level of the ladder the keys of the groups that a value may be looked up in, and their sizes.

    `weight` says how many values each step stands for. The size of a group follows from the paths alone, but only the
    times tell whether it has a range: so all groups that are large enough are named, and the whole log in any case.
    """
    for level, keys in enumerate(group_keys(steps)):
        distinct, of_value = np.unique(keys, return_inverse=True)
        size = np.bincount(of_value, weights=weight, minlength=len(distinct)).astype(np.int64)
        used = calibration.uses_group(size) | (level == len(LADDER) - 1)
        yield distinct[used], size[used]


def noisy_times(
    timeline: Timeline,
    automaton: Automaton,
    ancestors: Ints,
    copies: Ints,
    calibration: Calibration,
    random: Randomness,
) -> Ints:
    """Times of the released cases; case i is one of the ``copies[a]`` copies of the case ``a = ancestors[i]``."""
    starts, values = _start_plan(timeline, calibration), _value_plan(timeline, automaton, calibration)

    def times_of(some: slice, stream: Randomness) -> Ints:
        cases = ancestors[some]
        entries, offsets = timeline.entries(cases)
        sharing = np.repeat(copies[cases], np.diff(offsets) - 1)
        released = values.release(entries, sharing, stream)
        return timeline.times(starts.release(cases, copies[cases], stream), released, offsets)

    return timeline.release(ancestors, random, times_of)


def _start_plan(timeline: Timeline, calibration: Calibration) -> _Plan:
    """Starts are values like any other, with a precision of one day (T4)."""
    if not calibration.closes_leaks:
        return _Plan(timeline.starts)
    everyone = iter([timeline.start_population()])
    return _plan(timeline.starts, everyone, timeline.grid, calibration, Precision(milliseconds=DAY))


def _value_plan(timeline: Timeline, automaton: Automaton, calibration: Calibration) -> _Plan:
    if not len(timeline.values):
        return _Plan(timeline.values)
    return _plan(timeline.values, timeline.populations(automaton), timeline.grid, calibration, calibration.precision)


class _Plan:
    """How each value is released: as it is, until noise or a draw is put on it."""

    def __init__(self, values: Ints) -> None:
        self._value = values
        self._scale = np.zeros(len(values))
        self._bound = np.zeros(len(values), dtype=np.int64)
        self._bin = np.full(len(values), _NO_BIN)
        self._bins = Bins(np.empty(0), np.empty(0), np.empty(0))

    def add_noise(self, entries: Ints, scale: Floats, bound: Ints | None = None) -> None:
        """Release these with discrete Laplace noise, folded into 0 ... bound if one is given."""
        self._scale[entries] = scale
        if bound is not None:
            self._bound[entries] = bound

    def draw_from_bins(self, entries: Ints, population: Population) -> None:
        """Release these as draws from their bins in this population."""
        self._bin[entries] = len(self._bins.low) + population.bin_of(entries, SMALLEST_BIN)
        more = population.bins(SMALLEST_BIN)
        self._bins = Bins(*map(np.concatenate, zip(self._bins, more, strict=True)))

    def release(self, entries: Ints, copies: Ints, random: Randomness) -> Ints:
        """One released value per entry; all copies of a case together spend its epsilon."""
        result = self._value[entries]
        noisy = np.flatnonzero(self._scale[entries] > 0)
        chosen = entries[noisy]
        result[noisy] += random.discrete_laplace(self._scale[chosen] * copies[noisy])
        bounded = self._bound[chosen] > 0
        result[noisy[bounded]] = fold(result[noisy[bounded]], self._bound[chosen[bounded]])
        drawn = np.flatnonzero(self._bin[entries] != _NO_BIN)
        result[drawn] = self._bins.draw(self._bin[entries[drawn]], *random.uniform(2 * len(drawn)).reshape(2, -1))
        return result


def _plan(
    values: Ints, populations: Iterator[Population], grid: Grid, calibration: Calibration, precision: Precision
) -> _Plan:
    """Give each value the noise that its prior and delta ask for (Eqs. 1 and 2)."""
    population = next(populations)
    plan = _Plan(values)
    if not calibration.closes_leaks:
        entries = np.flatnonzero(population.range[population.group] > 0)
        scale = _scale(population, entries, grid, calibration, precision)
        plan.add_noise(entries, np.where(np.isfinite(scale), scale, 0))
        return plan

    def is_usable(population: Population) -> Flags:
        return calibration.uses_group(population.size) & (population.range > 0)

    for wide, entries, has_range in widen(chain([population], populations), is_usable):
        bound = grid.power_of_two_minutes(wide.highest)[wide.group[entries]]
        if has_range:
            scale = _scale(wide, entries, grid, calibration, precision)
        else:  # not even the whole log has a range: worst-case noise, unless many share the one value
            shared = (wide.size >= SMALLEST_BIN) & (wide.range == 0)
            scale = np.where(shared[wide.group[entries]], np.inf, bound / worst_case_epsilon(calibration.delta))
        certain = np.isinf(scale)
        plan.add_noise(entries[~certain], scale[~certain], bound[~certain])
        if certain.any():
            plan.draw_from_bins(entries[certain], wide)
    return plan


def _scale(population: Population, entries: Ints, grid: Grid, calibration: Calibration, precision: Precision) -> Floats:
    """Scale of the noise on each entry, in ticks; infinite where its prior is so high that none is asked for."""
    range_ = population.range[population.group[entries]]
    prior = population.share_within(entries, precision.width(range_, grid.step))
    eps = epsilon(prior, calibration.delta)
    return np.divide(range_, eps, out=np.full(len(entries), np.inf), where=np.isfinite(eps))
