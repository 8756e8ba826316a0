"""Noise on times: paper Sect. IV-C, with its leaks closed (T1 to T4).

Every event but the first of a case has a value, the time since the previous event or since the case's
start; a case's first event has its start. A `Plan` says for each original value how a copy of it is
released: with discrete Laplace noise folded into the possible range, or as a draw from its bin.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from ..automaton import Automaton
from ..clock import DAY, MINUTE, Grid
from ..groups import Bins, Coded, Floats, Population, fold, widen
from ..guessing import epsilon, worst_case_epsilon
from ..log import EventLog
from ..options import Options, Precision
from ..parallel import in_order
from ..ragged import Ints, dense, offsets_of, pieces, running_maximum, running_sum, take_rows
from ..randomness import Randomness

SMALLEST_GROUP = 5
"""A group with fewer values tells too much of each: a wider one is used (T1)."""

SMALLEST_BIN = 20
"""Values that share a bin (T2)."""

_NO_BIN = -1
_EVENTS_AT_ONCE = 500_000


def noisy_times(
    log: EventLog,
    automaton: Automaton,
    ancestors: Ints,
    copies: Ints,
    grid: Grid,
    options: Options,
    random: Randomness,
) -> Ints:
    """Times of the released cases; case i of the release copies case ``ancestors[i]`` of the log."""
    mechanism = _Mechanism(log, automaton, grid, options)
    offsets = offsets_of(np.diff(log.case_offsets)[ancestors])
    parts = list(pieces(offsets, _EVENTS_AT_ONCE))  # on all cores, and so that memory stays small

    def times_of(part: tuple[slice, Randomness]) -> Ints:
        some, stream = ancestors[part[0]], part[1]
        return mechanism.times(some, copies[some], stream)

    released = in_order(times_of, zip(parts, random.spawn(len(parts)), strict=True))
    time = np.empty(int(offsets[-1]), dtype=np.int64)
    for part, times in zip(parts, released, strict=True):
        time[offsets[part.start] : offsets[part.stop]] = times
    return time


class _Mechanism:
    """What is fixed before any noise is drawn: how the start of each case is released, and each other event's value."""

    def __init__(self, log: EventLog, automaton: Automaton, grid: Grid, options: Options) -> None:
        self._case_offsets = log.case_offsets
        self._grid, self._options = grid, options
        ticks = grid.ticks(log.time)
        self._starts = _start_plan(ticks[log.case_offsets[:-1]], grid, options)
        values = case_values(ticks, log.case_offsets, options.base)[~log.is_first]
        self._values = _Plan(values)
        if len(values):
            self._values = _plan(_populations(log, automaton, values), grid, options, options.precision)

    def times(self, ancestors: Ints, copies: Ints, random: Randomness) -> Ints:
        """Times of released copies of these cases; `copies` is how many each has in all."""
        flat, offsets = take_rows(self._case_offsets, ancestors)
        lengths = np.diff(offsets)
        later = np.ones(len(flat), dtype=np.bool_)
        later[offsets[:-1]] = False
        # a value's place in its plan: its event's, less the first events of its case and of all before
        entries = (flat - np.repeat(ancestors + 1, lengths))[later]
        released = np.zeros(len(flat), dtype=np.int64)
        released[later] = self._values.release(entries, np.repeat(copies, lengths)[later], random)
        start = self._starts.release(ancestors, copies, random)
        times = self._grid.times(np.repeat(start, lengths) + _offsets(released, offsets, self._options))
        return running_maximum(times, offsets) if self._grid.may_go_back else times


def case_values(time: Ints, case_offsets: Ints, base: str) -> Ints:
    """The value of each event: time since the previous event of its case or since its start; 0 for the first."""
    if base == "start":
        return np.maximum(time - np.repeat(time[case_offsets[:-1]], np.diff(case_offsets)), 0)
    steps = np.diff(time, prepend=time[:1])
    steps[case_offsets[:-1]] = 0
    return np.maximum(steps, 0)


def _offsets(values: Ints, offsets: Ints, options: Options) -> Ints:
    """Time since the case's start from released values, never decreasing within a case."""
    if options.base == "start":
        return running_maximum(np.maximum(values, 0), offsets)
    most = 2**62 // int(np.diff(offsets).max())  # so that no sum overflows
    return running_sum(np.clip(values, 0, most), offsets)


def _start_plan(start: Ints, grid: Grid, options: Options) -> _Plan:
    """Starts are values like any other: counted from midnight of the first day, precision one day (T4)."""
    if options.as_published:
        return _Plan(start)
    midnight = grid.midnight(int(start.min()))
    population = Population(Coded(start - midnight), np.zeros(len(start), dtype=np.int64))
    return _plan(iter([population]), grid, options, Precision(milliseconds=DAY), counted_from=midnight)


def _populations(log: EventLog, automaton: Automaton, values: Ints) -> Iterator[Population]:
    """The groups of a value, narrow to wide: transition, directly-follows pair, activity, whole log."""
    coded = Coded(values)
    later = ~log.is_first
    yield Population(coded, dense(automaton.of_events(log)[later]))
    activity = log.activity.astype(np.int64)
    previous = np.roll(activity, 1)[later]
    yield Population(coded, dense(previous * len(log.labels) + activity[later]))
    yield Population(coded, dense(activity[later]))
    yield Population(coded, np.zeros(len(values), dtype=np.int64))


class _Plan:
    """How each value is released: as it is, until noise or a draw is put on it."""

    def __init__(self, values: Ints, counted_from: int = 0) -> None:
        self._value = values
        self._counted_from = counted_from
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
        return result + self._counted_from


def _plan(
    populations: Iterator[Population], grid: Grid, options: Options, precision: Precision, counted_from: int = 0
) -> _Plan:
    """Give each value the noise that its prior and delta ask for (Eqs. 1 and 2)."""
    population = next(populations)
    plan = _Plan(population.values, counted_from)
    if options.as_published:
        entries = np.flatnonzero(population.range[population.group] > 0)
        scale = _scale(population, entries, grid, options, precision)
        plan.add_noise(entries, np.where(np.isfinite(scale), scale, 0))
        return plan
    for wide, entries, has_range in widen(chain([population], populations), SMALLEST_GROUP):
        bound = _power_of_two_minutes(wide.highest, grid)[wide.group[entries]]
        if has_range:
            scale = _scale(wide, entries, grid, options, precision)
        else:  # not even the whole log has a range: worst-case noise, unless many share the one value
            shared = wide.size[wide.group[entries]] >= SMALLEST_BIN
            scale = np.where(shared & (wide.range == 0), np.inf, bound / worst_case_epsilon(options.delta))
        certain = np.isinf(scale)
        plan.add_noise(entries[~certain], scale[~certain], bound[~certain])
        if certain.any():
            plan.draw_from_bins(entries[certain], wide)
    return plan


def _scale(population: Population, entries: Ints, grid: Grid, options: Options, precision: Precision) -> Floats:
    """Scale of the noise on each entry, in ticks; infinite where its prior is so high that none is asked for."""
    range_ = population.range[population.group[entries]]
    prior = population.share_within(entries, precision.width(range_, grid.step))
    eps = epsilon(prior, options.delta)
    return np.divide(range_, eps, out=np.full(len(entries), np.inf), where=np.isfinite(eps))


def _power_of_two_minutes(ticks: Ints, grid: Grid) -> Ints:
    """The next power of two minutes that is not below, in whole ticks (T3)."""
    minutes = np.maximum(1, -(-ticks * grid.step // MINUTE))
    power = np.ldexp(1.0, np.frexp((minutes - 1).astype(np.float64))[1]).astype(np.int64)
    return -(-power * MINUTE // grid.step)
