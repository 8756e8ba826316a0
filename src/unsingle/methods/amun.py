"""Method `amun`: the paper's own, with its leaks closed.

Automaton of the variants, added cases until every transition has its geometric number (Alg. 1), noise
on times. Keeps exactly the variants of the original (R1).
"""

from __future__ import annotations

import numpy as np

from ..automaton import build_automaton
from ..clock import grid_of
from ..guarantee import Guarantee
from ..guessing import count_advantage, count_ratio
from ..log import EventLog
from ..options import Options
from ..progress import Progress
from ..ragged import Ints, take_rows
from ..randomness import Randomness
from .counts import oversample
from .times import noisy_times


def anonymize(log: EventLog, options: Options, random: Randomness, progress: Progress) -> tuple[EventLog, Ints]:
    """The released log, and for each of its cases the original case it descends from (private)."""
    grid = grid_of(log, options.grid)
    progress.step("automaton")
    automaton = build_automaton(log.variants)
    progress.step("counts")
    copies = 1 + oversample(log, automaton, count_ratio(options.exact_delta), random)
    ancestors = np.repeat(np.arange(log.n_cases), copies)[random.permutation(int(copies.sum()))]
    progress.step("times")
    time = noisy_times(log, automaton, ancestors, copies, grid, options, random)
    flat, offsets = take_rows(log.case_offsets, ancestors)
    return EventLog(log.labels, log.activity[flat], time, offsets, log.zone), ancestors


def guarantee(options: Options) -> Guarantee:
    """What a release by this method promises."""
    if options.as_published:
        return _NO_GUARANTEE
    delta = options.delta
    times = (
        f"Times: someone who knows how long each step usually takes gains at most {delta:g} in the chance "
        f"of guessing one event's time of one person (to within {options.precision}; "
        "to within a day for the start of a case)."
    )
    advantage = count_advantage(options.exact_delta)
    paths = (
        f"Paths: someone who knows every other case gains on average at most {advantage:.2f} "
        "in the chance of telling whether a person took one particular step, and more over the several steps of a path."
    )
    return Guarantee(
        statement=f"{times} {paths}",
        limits="Not covered: that somebody took a path (every variant is published), all times of one person together, "
        "people with more than one case.",
        assumes=(
            "one case per person, and cases independent of each other",
            "activity labels are public and published as they are: no name of a person is in them",
            "the set of variants is public: the release has exactly those of the original",
            "the attacker's prior on a time is its distribution in the group of events that share the step",
            "the grid of times, the zone, the log's first day, and the power of two minutes above the longest "
            "duration of a group are public",
        ),
        not_protected=(
            "that somebody took a path: a variant taken by one person is published",
            "the times of one person taken together: the promise is for one event at a time",
            "counts in every single outcome: the noise only adds, so a small count may show that it is true",
        ),
    )


_NO_GUARANTEE = Guarantee(
    statement="None: this is the method as the paper has it, with its leaks. The start times are true, and so are the "
    "times in every group without a range and wherever the prior is high; people can be singled out by them.",
    limits="",
    assumes=(),
    not_protected=("anyone in the log",),
    warnings=("Made as published, for reproducing the paper. NOT FOR PUBLICATION.",),
)
