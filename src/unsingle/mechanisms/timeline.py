"""The times of a log as values on its grid, and times again from released values.

Every event but the first of a case has a value: the time since the previous event, or since the start of the case. The
first event has the start of the case. Methods change values and starts; this module says what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..core.arrays import Floats, Ints, dense, offsets_of, pieces, row_of, running_maximum, running_sum, take_rows
from ..core.automaton import Automaton
from ..core.clock import Grid
from ..core.log import EventLog
from ..core.machine import in_order
from ..core.precision import Precision
from ..privacy.random import Randomness
from .groups import Coded, Population, Steps, group_keys

_EVENTS_AT_ONCE = 500_000


class Timeline:
    """The values and starts of a log, in ticks of its grid.

    `starts` are counted from `midnight`, the beginning of the log's first day; for a part of a log it must be given.
    """

    def __init__(self, log: EventLog, grid: Grid, base: str, midnight: int | None = None) -> None:
        ticks = grid.ticks(log.time)
        starts = ticks[log.case_offsets[:-1]]
        self.midnight = grid.midnight(int(starts.min())) if midnight is None else midnight
        self.starts = starts - self.midnight
        self.values = case_values(ticks, log.case_offsets, base)[~log.is_first]
        self.cases = row_of(log.case_offsets)[~log.is_first]  # of each value
        self.grid = grid
        self.log, self._base = log, base

    def steps(self, automaton: Automaton) -> Steps:
        """The steps that take these values."""
        log = self.log
        return Steps(lambda: automaton.of_events(log), log.activity, len(log.labels), ~log.is_first)

    def populations(self, automaton: Automaton) -> Iterator[Population]:
        """All values by their groups, one level of the ladder after the other as it is needed."""
        if len(self.values):
            coded = Coded(self.values)
            yield from (Population(coded, dense(keys)) for keys in group_keys(self.steps(automaton)))

    def start_population(self) -> Population:
        """All starts, as one group."""
        return Population(Coded(self.starts), np.zeros(len(self.starts), dtype=np.int64))

    def priors(self, automaton: Automaton, precision: Precision) -> Floats:
        """The prior of each value in its transition, as the paper has it: no group is widened (Eq. 2)."""
        if not len(self.values):
            return np.empty(0)
        group = next(self.populations(automaton))
        width = precision.width(group.range[group.group], self.grid.step)
        return group.share_within(np.arange(len(self.values)), width)

    def entries(self, cases: Ints) -> tuple[Ints, Ints]:
        """Which value each event but the first has, in copies of these cases, and the offsets of all their events."""
        flat, offsets = take_rows(self.log.case_offsets, cases)
        # a value's place: its event's, less the first events of its case and of all before
        return np.delete(flat - np.repeat(cases + 1, np.diff(offsets)), offsets[:-1]), offsets

    def times(self, starts: Ints, values: Ints, offsets: Ints) -> Ints:
        """The times of cases with these released starts and values; they never go back within a case."""
        spread = np.zeros(int(offsets[-1]), dtype=np.int64)
        later = np.ones(len(spread), dtype=np.bool_)
        later[offsets[:-1]] = False
        spread[later] = values
        ticks = np.repeat(self.midnight + starts, np.diff(offsets)) + _since_start(spread, offsets, self._base)
        times = self.grid.times(ticks)
        return running_maximum(times, offsets) if self.grid.may_go_back else times

    def release(self, ancestors: Ints, random: Randomness, times_of: Callable[[slice, Randomness], Ints]) -> Ints:
        """The times of copies of all these cases, made for some copies at a time by `times_of`."""
        offsets = offsets_of(np.diff(self.log.case_offsets)[ancestors])
        parts = list(pieces(offsets, _EVENTS_AT_ONCE))  # on all cores, and so that memory stays small
        released = in_order(lambda part: times_of(*part), zip(parts, random.spawn(len(parts)), strict=True))
        time = np.empty(int(offsets[-1]), dtype=np.int64)
        for part, times in zip(parts, released, strict=True):
            time[offsets[part.start] : offsets[part.stop]] = times
        return time


def case_values(time: Ints, case_offsets: Ints, base: str) -> Ints:
    """The value of each event: time since the previous event of its case or since its start; 0 for the first."""
    if base == "start":
        return np.maximum(time - np.repeat(time[case_offsets[:-1]], np.diff(case_offsets)), 0)
    steps = np.diff(time, prepend=time[:1])
    steps[case_offsets[:-1]] = 0
    return np.maximum(steps, 0)


def _since_start(values: Ints, offsets: Ints, base: str) -> Ints:
    """Time since the case's start from released values, never decreasing within a case."""
    if base == "start":
        return running_maximum(np.maximum(values, 0), offsets)
    most = 2**62 // int(np.diff(offsets).max())  # so that no sum overflows
    return running_sum(np.clip(values, 0, most), offsets)
