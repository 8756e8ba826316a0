"""Method `sample` (the paper's authors' later work): cases are added and removed. May lose variants.

As `amun`, but the noise on the count of each transition is two-sided: where it is positive cases are added, where
it is negative they are removed, both by the picking of Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.automaton import build_automaton
from ..core.log import EventLog
from ..errors import LogError
from ..mechanisms.oversampling import add_cases, random_cases, remove_cases
from ..mechanisms.timeline import Timeline
from ..privacy.advantage import worst_case_epsilon
from ..privacy.guarantee import Guarantee, Promise, Secret
from ..privacy.random import Randomness
from ..progress import Progress
from .base import METHODS, Outcome
from .paper import (
    AUTOMATON_STEP,
    COUNTS_STEP,
    PAPER_ASSUMES,
    PAPER_ASSUMES_OF_TIMES,
    TIMES_STEP,
    TIMES_TOGETHER,
    UNUSUAL_TIMES,
    PaperMethod,
    copies_with,
)


@METHODS.add
@dataclass(frozen=True)
class Sample(PaperMethod):
    """Adds cases and removes some."""

    name = "sample"
    rank = 30
    title = "amun that also removes cases"
    heading = "Add and remove"
    about = "Like amun, but some cases are removed, and with them some paths."
    keeps_variants = False

    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:
        """Add and remove cases, then add noise to times."""
        grid = self.grid_of(log)
        progress.step(AUTOMATON_STEP)
        automaton = build_automaton(log.variants)
        progress.step(COUNTS_STEP)
        scale = 1 / worst_case_epsilon(self.delta)
        noise = random.discrete_laplace(np.full(automaton.n_transitions, scale))
        added = random_cases(log, add_cases(log.variants, automaton, np.maximum(noise, 0), random), random)
        removed = remove_cases(log, automaton, np.maximum(-noise, 0), random)
        copies = copies_with(log.n_cases, added) - removed
        if not copies.any():
            raise LogError(
                f"the noise removed all {log.n_cases} cases: the log is too small for this method, use twin or amun"
            )
        progress.step(TIMES_STEP)
        return self.released_copies(Timeline(log, grid, self.base), automaton, copies, random)

    def guarantee(self) -> Guarantee:
        """One usual time, and one step by itself."""
        return Guarantee(
            promises=(
                self.time_promise(),
                Promise(
                    protects="whether a person took one particular step",
                    against="someone who knows every other case and looks at that step's noise alone",
                    gain=self.delta,
                    sense="for every outcome of that noise, and more over the several steps of a path",
                ),
            ),
            limits="Not covered: a path as a whole, that somebody took a path that is left, all times of one person "
            "together, people with more than one case.",
            assumes=(*PAPER_ASSUMES, *PAPER_ASSUMES_OF_TIMES),
            not_protected=(
                "that somebody took a path: a variant taken by one person may be left, and is then published",
                UNUSUAL_TIMES,
                "a path as a whole: the cases added and removed for one step change the counts of others too, and "
                "what all counts of a path tell together is not bounded here",
                TIMES_TOGETHER,
            ),
            bounds={Secret.STEP: self.delta, Secret.USUAL_TIME: self.delta, Secret.START: self.delta},
        )
