"""Methods in two steps, counts and times, that need not see the whole log at once.

How many cases a variant gets depends on the paths alone; how times are released depends on groups of values, and
otherwise on each case by itself. So the first step can be taken where all paths are, and the second for any part of
the cases, wherever it lies: in one process, or on many machines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..automaton import Automaton, build_automaton
from ..clock import grid_of
from ..log import EventLog, Paths
from ..memory import refuse_too_many_events
from ..options import Options
from ..progress import Progress
from ..ragged import Ints
from ..randomness import Randomness
from .counts import events_with, random_cases
from .outcome import Outcome
from .timeline import Timeline


class Steps(NamedTuple):
    """The two steps of a method that keeps all variants and adds cases to them."""

    added_to_variants: Callable[[Paths, Automaton, Options, Randomness], Ints]
    """How many cases to add to each variant."""
    released: Callable[[Timeline, Automaton, Ints, Options, Randomness], Outcome]
    """The release of these cases and of the added ones, which are named by the cases that they copy."""

    def anonymize(self, log: EventLog, options: Options, random: Randomness, progress: Progress) -> Outcome:
        """The released log, and for each of its cases the original case it descends from (private)."""
        grid = grid_of(log, options.grid)
        progress.step("automaton")
        automaton = build_automaton(log.variants)
        progress.step("counts")
        more = self.added_to_variants(log.variants, automaton, options, random)
        refuse_too_many_events(log.n_events, events_with(log.variants, more))
        added = random_cases(log, more, random)
        progress.step("times")
        return self.released(Timeline(log, grid, options.base), automaton, added, options, random)
