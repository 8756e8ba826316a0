"""Method `filter` (the paper's authors' later work): leave out who stands out, then `sample`. May lose variants.

A case with an event whose time could be guessed nearly for sure before any release cannot be helped by noise of the
paper's kind; it is dropped. What is left is anonymised anew.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..automaton import build_automaton
from ..clock import grid_of
from ..errors import LogError
from ..guarantee import Guarantee
from ..log import EventLog
from ..options import Options
from ..progress import Progress
from ..ragged import Ints
from ..randomness import Randomness
from . import sample
from .outcome import Outcome
from .timeline import Timeline


def anonymize(log: EventLog, options: Options, random: Randomness, progress: Progress) -> Outcome:
    """The released log, and for each of its cases the original case it descends from (private)."""
    progress.step("automaton")
    left = _unremarkable(log, options)
    if not len(left):
        raise LogError(
            "every case of this log has a time that can be guessed for sure, so filter would drop all: use twin or amun"
        )
    released, ancestors, _ = sample.anonymize(log.copies_of(left), options, random, progress)
    assert ancestors is not None
    return Outcome(released, left[ancestors])


def _unremarkable(log: EventLog, options: Options) -> Ints:
    """The cases without an event whose prior is too high; only certain ones count if that would drop everybody."""
    timeline = Timeline(log, grid_of(log, options.grid), options.time_from or "start")  # as the paper has it
    prior = timeline.priors(build_automaton(log.variants), options.precision)
    everyone = np.arange(log.n_cases)
    for remarkable in (prior + options.delta >= 1 - 1e-12, prior == 1):
        left = np.setdiff1d(everyone, timeline.cases[remarkable])
        if len(left):
            break
    return left


def guarantee(options: Options) -> Guarantee:
    """What a release by this method promises: to those who are left what `sample` does."""
    promised = sample.guarantee(options)
    return replace(promised, not_protected=(*promised.not_protected, "that somebody was left out for standing out"))
