"""Times drawn from noised tallies: when cases begin, and how long steps take (strict)."""

from __future__ import annotations

from datetime import UTC, datetime, time

import numpy as np

from ..clock import MINUTE, Grid, from_local
from ..log import EventLog, pairs
from ..options import Public
from ..ragged import Ints, row_of, running_maximum, running_sum
from ..randomness import Randomness
from .spending import ACTIVITY_TIMES, ANY_TIMES, PAIR_TIMES, STARTS, Spending
from .tallies import Floats, draw, shapes, tally
from .timeline import case_values
from .walks import Paths

_MANY = 5_000  # cases for which durations can have fine bins
_LONG_COUNT_MORE = 4.0  # the longest durations weigh so much more than the shortest: their errors cost most hours
_DOUBT = 0.7, 1.6  # times the noise: short times are believed sooner than long ones, whose errors cost most
_FINE, _COARSE = 64, 16
_MOST_PERIODS = 1024
_NEVER_NONE = 1e-12  # no bin of a prior is impossible


def drawn_times(
    log: EventLog,
    released: Paths,
    total: int,
    grid: Grid,
    public: Public,
    spending: Spending,
    random: Randomness,
) -> Ints:
    """The times of released paths. `total` is the noised number of cases; everything public is given."""
    begin = _starts(log, len(released.offsets) - 1, grid, public, spending, random)
    later = np.ones(len(released.activity), dtype=np.bool_)
    later[released.offsets[:-1]] = False
    pair = pairs(released.activity, len(log.labels))[later]
    ticks = np.zeros(len(later), dtype=np.int64)
    ticks[later] = _durations(log, pair, total, grid, public, spending, random)
    lengths = np.diff(released.offsets)
    since = running_sum(np.minimum(ticks, 2**62 // int(lengths.max())), released.offsets)
    times = grid.times(np.repeat(begin, lengths) + since)
    return running_maximum(times, released.offsets) if grid.may_go_back else times


def _durations(
    log: EventLog, wanted: Ints, total: int, grid: Grid, public: Public, spending: Spending, random: Randomness
) -> Ints:
    """How long each released step takes: by its pair where that stands out of the noise, else by activity, else any."""
    if not len(wanted):  # every released case has one event
        return wanted
    cells, n_labels = _FINE if total > _MANY else _COARSE, len(log.labels)
    steps = _Steps(log, grid, public, cells)
    known, row = np.unique(wanted, return_inverse=True)
    some = np.flatnonzero(np.isin(steps.pair, known))

    def shaped(name: str, group: Ints, entries: Ints, prior: Floats, sure: float) -> Floats:
        counts = steps.tallied(group, entries, len(prior))
        noisy = spending.tally(name, counts, random)
        spread = noisy.values.reshape(len(prior), cells) / steps.weight
        doubt = np.tile(noisy.deviation * steps.doubt / steps.weight, (len(prior), 1))
        return shapes(spread, doubt, prior + _NEVER_NONE, sure)

    everything = np.arange(len(steps.bin))
    # where nothing is known, short times are likelier
    short: Floats = np.power(0.8, np.arange(cells, dtype=np.float64))[None]
    any_ = shaped(ANY_TIMES, np.zeros_like(everything), everything, short, sure=4)
    by_activity = shaped(ACTIVITY_TIMES, steps.pair % n_labels, everything, np.tile(any_, (n_labels, 1)), sure=3)
    by_pair = shaped(PAIR_TIMES, np.searchsorted(known, steps.pair[some]), some, by_activity[known % n_labels], sure=3)
    chosen = draw(by_pair, row, random)
    return np.minimum(steps.edges[chosen] + random.below(np.diff(steps.edges)[chosen]), steps.longest)


class _Steps:
    """The steps of the log: their pair and the bin of their duration."""

    def __init__(self, log: EventLog, grid: Grid, public: Public, cells: int) -> None:
        later = ~log.is_first
        values = case_values(grid.ticks(log.time), log.case_offsets, "previous")[later]
        longest = public.longest_ms
        assert longest is not None
        self.longest = max(1, longest // grid.step)
        self.edges = duration_bins(grid, longest, cells)
        self.bin = np.searchsorted(self.edges, np.minimum(values, self.edges[-1] - 1), side="right") - 1
        rise = np.arange(cells) / (cells - 1)
        self.weight: Floats = _LONG_COUNT_MORE**rise
        self.doubt: Floats = _DOUBT[0] * (_DOUBT[1] / _DOUBT[0]) ** rise
        self.pair = pairs(log.activity, len(log.labels))[later]
        self._case = row_of(log.case_offsets)[later]

    def tallied(self, group: Ints, entries: Ints, groups: int) -> Ints:
        """How many of these steps are in which bin, group by group; long ones count more."""
        bin_, cells = self.bin[entries], len(self.weight)
        return tally(group * cells + bin_, self._case[entries], groups * cells, self.weight[bin_])


def duration_bins(grid: Grid, longest: int, cells: int) -> Ints:
    """The bounds of the bins of durations, in ticks: one for 0, the others ever wider.

    >>> day = 86_400_000
    >>> duration_bins(Grid(day, "UTC"), 40 * day, 8).tolist()
    [0, 1, 2, 3, 5, 8, 14, 24, 41]
    """
    least = max(1, MINUTE // grid.step)
    most = max(least + cells, -(-longest // grid.step) + 1)
    edges = np.round(np.geomspace(least, most, cells if least == 1 else cells - 1)).astype(np.int64)
    if least > 1:
        edges = np.concatenate(([1], edges))
    edges = np.maximum.accumulate(edges - np.arange(len(edges))) + np.arange(len(edges))  # none is empty
    return np.concatenate(([0], edges))


def _starts(log: EventLog, n: int, grid: Grid, public: Public, spending: Spending, random: Randomness) -> Ints:
    """When each released case begins: a week by the noised tally, and any moment in it."""
    starts = grid.ticks(log.case_starts)
    first, after = _period(grid, public)
    weeks = -(-(after - first) // (7 * grid.day))
    width = 7 * grid.day * -(-weeks // _MOST_PERIODS)
    periods = -(-(after - first) // width)
    period = (np.clip(starts, first, after - 1) - first) // width
    noisy = spending.tally(STARTS, tally(period, np.arange(log.n_cases), periods), random)
    cells = 1 << (periods - 1).bit_length()
    values, prior = np.zeros((2, 1, cells))
    values[0, :periods], prior[0, :periods] = noisy.values, 1
    shape = shapes(values, np.full((1, cells), noisy.deviation), prior, sure=2)
    begin = first + width * draw(shape, np.zeros(n, dtype=np.int64), random)
    return begin + random.below(np.minimum(width, after - begin))


def _period(grid: Grid, public: Public) -> tuple[int, int]:
    """The ticks of the first day's midnight, and of the midnight after the last day."""
    assert public.first is not None
    assert public.last is not None
    midnights = [datetime.combine(day, time(), UTC).timestamp() * 1000 for day in (public.first, public.last)]
    first, last = grid.ticks(from_local(grid.zone, np.array(midnights, dtype=np.int64))).tolist()
    return first, last + grid.day
