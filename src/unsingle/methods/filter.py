"""Method `filter` (the paper's authors' later work): drop cases that stand out, then `sample`. May lose variants.

A case with an event whose time could be guessed nearly for sure before any release cannot be helped by noise of the
paper's kind; it is dropped. What is left is anonymised anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Ints
from ..core.automaton import build_automaton
from ..core.log import EventLog
from ..errors import LogError
from ..mechanisms.timeline import Timeline
from ..privacy.guarantee import Guarantee
from ..privacy.random import Randomness
from ..progress import Progress
from .base import METHODS, Outcome
from .paper import AUTOMATON_STEP
from .sample import Sample


@METHODS.add
@dataclass(frozen=True)
class Filter(Sample):
    """Drops cases that stand out, then samples."""

    name = "filter"
    rank = 40
    title = "drops cases that stand out, then sample"
    heading = "Drop cases that stand out"
    about = "Cases with a time that can be guessed for sure are dropped; the others are released by sample."

    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:
        """Drop cases that stand out, then release the others."""
        progress.step(AUTOMATON_STEP)
        left = self._unremarkable(log)
        if not len(left):
            raise LogError(
                "every case of this log has a time that can be guessed for sure, so filter would drop all: use twin "
                "or amun"
            )
        made = super().release(log.subset(left), random, progress)
        assert made.ancestors is not None
        return Outcome(made.log, left[made.ancestors])

    def _unremarkable(self, log: EventLog) -> Ints:
        """The cases without an event whose prior is too high; only certain ones count if that would drop everybody."""
        timeline = Timeline(log, self.grid_of(log), self.time_from or "start")  # as the paper has it
        prior = timeline.priors(build_automaton(log.variants), self.precision)
        everyone = np.arange(log.n_cases)
        for remarkable in (prior + self.delta >= 1 - 1e-12, prior == 1):
            left = np.setdiff1d(everyone, timeline.cases[remarkable])
            if len(left):
                break
        return left

    def guarantee(self) -> Guarantee:
        """What `sample` promises, for the cases that are left."""
        promised = super().guarantee()
        return replace(promised, not_protected=(*promised.not_protected, "that somebody was left out for standing out"))
