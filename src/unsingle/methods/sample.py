"""Method `sample` (the paper's authors' later work): cases are added and removed. May lose variants.

As `amun`, but the noise on the count of each transition is two-sided: where it is positive cases are added, where
it is negative they are removed, both by the picking of Algorithm 1.
"""

from __future__ import annotations

import numpy as np

from ..automaton import build_automaton
from ..clock import grid_of
from ..errors import LogError
from ..guarantee import Guarantee, Promise
from ..guessing import worst_case_epsilon
from ..log import EventLog
from ..options import Options
from ..progress import Progress
from ..randomness import Randomness
from .amun import copies_with, released_copies, time_promise
from .counts import add_cases, random_cases, remove_cases
from .outcome import Outcome
from .timeline import Timeline


def anonymize(log: EventLog, options: Options, random: Randomness, progress: Progress) -> Outcome:
    """The released log, and for each of its cases the original case it descends from (private)."""
    grid = grid_of(log, options.grid)
    progress.step("automaton")
    automaton = build_automaton(log.variants)
    progress.step("counts")
    scale = 1 / worst_case_epsilon(options.delta)
    noise = random.discrete_laplace(np.full(automaton.n_transitions, scale))
    added = random_cases(log, add_cases(log.variants, automaton, np.maximum(noise, 0), random), random)
    removed = remove_cases(log, automaton, np.maximum(-noise, 0), random)
    copies = copies_with(log.n_cases, added) - removed
    if not copies.any():
        raise LogError(
            f"the noise removed all {log.n_cases} cases: the log is too small for this method, use twin or amun"
        )
    progress.step("times")
    return released_copies(Timeline(log, grid, options.base), automaton, copies, options, random)


def guarantee(options: Options) -> Guarantee:
    """What a release by this method promises."""
    delta = options.delta
    return Guarantee(
        promises=(
            time_promise(options),
            Promise(
                protects="whether a person took one particular step",
                against="someone who knows every other case and looks at that step's noise alone",
                gain=delta,
                sense="for every outcome of that noise, and more over the several steps of a path",
            ),
        ),
        limits="Not covered: a path as a whole, that somebody took a path that is left, all times of one person "
        "together, people with more than one case.",
        assumes=(
            "one case per person, and cases independent of each other",
            "activity labels are public and published as they are: no name of a person is in them",
            "the attacker's prior on a time is its distribution in the group of events that share the step",
            "the grid of times, the zone, the log's first day, and the power of two minutes above the longest "
            "duration of a group are public",
        ),
        not_protected=(
            "that somebody took a path: a variant taken by one person may be left, and is then published",
            "unusual times: the noise on a time depends on how usual it is, so a far outcome points to a rare time",
            "a path as a whole: the cases added and removed for one step change the counts of others too, and what "
            "all counts of a path tell together is not bounded here",
            "the times of one person taken together: the promise is for one event at a time",
        ),
    )
