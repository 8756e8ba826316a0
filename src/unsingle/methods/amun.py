"""Method `amun`: the paper's own, with its leaks closed.

Automaton of the variants, added cases until every transition has its geometric number (Alg. 1), noise
on times. Keeps exactly the variants of the original (R1).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.arrays import Ints
from ..core.automaton import Automaton, build_automaton
from ..core.log import EventLog, Paths
from ..core.machine import refuse_too_many_events
from ..mechanisms.oversampling import events_with, oversample, random_cases
from ..mechanisms.timeline import Timeline
from ..privacy.advantage import checked_delta, count_advantage, count_ratio
from ..privacy.guarantee import Guarantee, Promise, Secret
from ..privacy.random import Randomness
from ..progress import Progress
from .base import METHODS, Outcome, TwoStage
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
class Amun(PaperMethod, TwoStage):
    """Same paths, added cases, noise on each time."""

    name = "amun"
    rank = 10
    title = "the paper's, leaks closed"
    heading = "The paper's method, its leaks closed"
    about = (
        "All paths stay, cases are added, and each time gets noise of its own. Protects one step or one usual time at "
        "a time."
    )

    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:
        """Add cases to variants, then add noise to times."""
        grid = self.grid_of(log)
        progress.step(AUTOMATON_STEP)
        automaton = build_automaton(log.variants)
        progress.step(COUNTS_STEP)
        more = self.added_to_variants(log.variants, automaton, random)
        refuse_too_many_events(log.n_events, events_with(log.variants, more))
        added = random_cases(log, more, random)
        progress.step(TIMES_STEP)
        return self.released(Timeline(log, grid, self.base), automaton, added, random)

    def added_to_variants(self, paths: Paths, automaton: Automaton, random: Randomness) -> Ints:
        """How many cases to add to each variant (Alg. 1)."""
        return oversample(paths, automaton, count_ratio(checked_delta(self.delta)), random)

    def released(self, timeline: Timeline, automaton: Automaton, added: Ints, random: Randomness) -> Outcome:
        """All cases and the added ones, which copy these, in random order and with noise on their times."""
        return self.released_copies(timeline, automaton, copies_with(timeline.log.n_cases, added), random)

    def guarantee(self) -> Guarantee:
        """One usual time, and one step by itself."""
        of_step = count_advantage(checked_delta(self.delta))
        return Guarantee(
            promises=(
                self.time_promise(),
                Promise(
                    protects="whether a person took one particular step",
                    against="someone who knows every other case",
                    gain=of_step,
                    sense="averaged over that step's own noise; over the steps of a path it can be nearly certain",
                ),
            ),
            limits="Not covered: people whose path nobody else took (every path is published), all times of one person "
            "together, people with more than one case.",
            assumes=(
                *PAPER_ASSUMES,
                "the set of paths is public: the release has exactly those of the original",
                *PAPER_ASSUMES_OF_TIMES,
            ),
            not_protected=(
                "that somebody took a path: one that only one person took is published, and anyone who knows all "
                "others knows whose it is",
                UNUSUAL_TIMES,
                TIMES_TOGETHER,
                "counts in every single outcome: the noise only adds, so a small count may show that it is true",
            ),
            bounds={Secret.STEP: of_step, Secret.USUAL_TIME: self.delta, Secret.START: self.delta},
        )
