"""What the methods of the paper and of its authors share: cases are copied, and each time gets noise of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.arrays import Ints
from ..core.automaton import Automaton
from ..core.clock import Grid
from ..core.log import EventLog, grid_of
from ..core.precision import Precision
from ..errors import ParameterError, argument
from ..mechanisms.time_noise import Calibration, noisy_times
from ..mechanisms.timeline import Timeline
from ..privacy.guarantee import NO_NAMES, ONE_RELEASE, Promise
from ..privacy.random import Randomness
from .base import Method, Outcome, ParameterKind, checked_grid, grid_parameter, parameter

TimeFrom = Literal["previous", "start"]

AUTOMATON_STEP, COUNTS_STEP, TIMES_STEP = "automaton", "counts", "times"
"""The names of the paper's steps."""

PAPER_ASSUMES = (
    "one case per person, and cases independent of each other",
    ONE_RELEASE,
    f"activity labels are public and published as they are: {NO_NAMES}",
)
PAPER_ASSUMES_OF_TIMES = (
    "the attacker's prior on a time is its distribution in the group of events that share the step",
    "the grid of times, the zone, the log's first day, and the power of two minutes above the longest "
    "duration of a group are public",
)
UNUSUAL_TIMES = "unusual times: the noise on a time depends on how usual it is, so a far outcome points to a rare time"
TIMES_TOGETHER = "the times of one person taken together: the promise is for one event at a time"


@dataclass(frozen=True)
class PaperMethod(Method):
    """A method that copies cases and adds noise to each of their times."""

    stages: ClassVar[Mapping[str, str]] = {
        AUTOMATON_STEP: "building the automaton of paths",
        COUNTS_STEP: "choosing how many cases each path gets",
        TIMES_STEP: "adding noise to times",
    }
    closes_leaks: ClassVar[bool] = True

    grid: str | None = grid_parameter("as in the log")
    time_from: TimeFrom | None = parameter(
        None,
        ParameterKind.CHOICE,
        "Add noise to the time since the previous event, or since the case's start. [default: previous]",
        choices=("previous", "start"),
    )
    precision: Any = parameter(
        0.1,
        ParameterKind.TEXT,
        "How near a guess must come to count: a share of the longest minus the shortest time of the same step, or a "
        "duration such as 10min. [default: 0.1]",
        metavar="SHARE|DURATION",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_grid(self.grid)
        if self.time_from not in (None, "previous", "start"):
            raise ParameterError(f"{argument('time_from')} must be 'previous' or 'start' (not {self.time_from!r})")
        if not isinstance(self.precision, Precision):
            object.__setattr__(self, "precision", Precision.parse(self.precision))

    @property
    def base(self) -> TimeFrom:
        """What times are measured from: the choice, else as the authors' code does."""
        return self.time_from or "previous"

    @property
    def calibration(self) -> Calibration:
        """How much noise times get."""
        return Calibration(self.delta, self.precision, self.closes_leaks)

    def grid_of(self, log: EventLog) -> Grid:
        """The grid that was chosen, or the log's own."""
        return grid_of(log, self.grid)

    def timeline(self, log: EventLog) -> Timeline:
        """The values that noise is added to."""
        return Timeline(log, self.grid_of(log), self.base)

    def released_copies(self, timeline: Timeline, automaton: Automaton, copies: Ints, random: Randomness) -> Outcome:
        """So many copies of each case, in random order and with noise on their times, and the descent of each."""
        ancestors = np.repeat(np.arange(len(copies)), copies)[random.permutation(int(copies.sum()))]
        time = noisy_times(timeline, automaton, ancestors, copies, self.calibration, random)
        return Outcome(timeline.log.released(ancestors, time), ancestors)

    def time_promise(self) -> Promise:
        """What noise on each time by itself promises."""
        return Promise(
            protects=f"the time of one event of a person to within {self.precision}, or the start to within a day",
            against="someone who knows how long each step usually takes",
            gain=self.delta,
            sense="by the paper's calculation; unusual times can still be recognised, because the amount of noise "
            "depends on the time itself",
        )


def copies_with(n_cases: int, added: Ints) -> Ints:
    """How often each case is released, with those added that copy it."""
    return 1 + np.bincount(added, minlength=n_cases)
