"""Method `filter` (the paper's authors' later work): leave out who stands out, then `sample`. Gives R1 up.

A case with an event whose time could be guessed nearly for sure before any release cannot be helped by noise of the
paper's kind; it is dropped. What is left is anonymised anew.
"""

from __future__ import annotations

import numpy as np

from ..automaton import build_automaton
from ..clock import grid_of
from ..errors import LogError
from ..groups import Coded, Population
from ..guarantee import Guarantee
from ..log import EventLog
from ..options import Options
from ..progress import Progress
from ..ragged import Ints, row_of
from ..randomness import Randomness
from . import sample
from .timeline import Timeline


def anonymize(log: EventLog, options: Options, random: Randomness, progress: Progress) -> tuple[EventLog, Ints]:
    """The released log, and for each of its cases the original case it descends from (private)."""
    progress.step("automaton")
    left = _unremarkable(log, options)
    if not len(left):
        raise LogError(
            "every case of this log has a time that can be guessed for sure, so filter would drop all: "
            "use amun or blend"
        )
    released, ancestors = sample.anonymize(log.copies_of(left), options, random, progress)
    return released, left[ancestors]


def _unremarkable(log: EventLog, options: Options) -> Ints:
    """The cases without an event whose prior is too high; only certain ones count if that would drop everybody."""
    grid = grid_of(log, options.grid)
    timeline = Timeline(log, grid, options.time_from or "start")  # the priors as the paper has them
    everyone = np.arange(log.n_cases)
    if not len(timeline.values):
        return everyone
    group = Population(Coded(timeline.values), next(timeline.groupings(build_automaton(log.variants))))
    width = options.precision.width(group.range[group.group], grid.step)
    prior = group.share_within(np.arange(len(timeline.values)), width)
    case = row_of(log.case_offsets)[~log.is_first]
    for remarkable in (prior + options.delta >= 1 - 1e-12, prior == 1):
        left = np.setdiff1d(everyone, case[remarkable])
        if len(left):
            break
    return left


def guarantee(options: Options) -> Guarantee:
    """What a release by this method promises: to those who are left what `sample` does."""
    return sample.guarantee(options)
