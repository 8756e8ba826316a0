"""Weighted oversampling of cases: the paper's Algorithm 1.

Every transition needs a geometric number of added cases. Transitions are picked one after the other,
in random order by weight; one that is not yet satisfied draws as many random cases through it as it
needs, and each drawn case counts for all transitions of its path.

Only the decision whether a transition is still unsatisfied at its turn depends on earlier picks. So a
block of transitions draws at once, and the decisions of the block are repeated until none changes any
more: the first is right from the start, and each repetition makes at least one more right, so what
remains is exactly the outcome of the one-by-one algorithm.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..automaton import Automaton
from ..log import EventLog
from ..ragged import Ints, offsets_of, row_of, take_rows
from ..randomness import Randomness

_STEPS_AT_ONCE = 250_000  # path steps that one block may look at: bounds the memory


def oversample(log: EventLog, automaton: Automaton, ratio: Fraction, random: Randomness) -> Ints:
    """How many copies to add to each case, so that every transition gets its geometric number (Alg. 1)."""
    transition = automaton.of_events(log)
    weight = np.bincount(transition, minlength=automaton.n_transitions)
    first_event = offsets_of(weight)
    events = np.argsort(transition, kind="stable")
    case_of_event = row_of(log.case_offsets)
    variants = log.variants

    need = 1 + random.geometric(ratio, automaton.n_transitions)
    picking = np.argsort(random.exponential(automaton.n_transitions) / weight)
    missing = need.copy()
    copies = np.zeros(log.n_cases, dtype=np.int64)

    draws = max(1, _STEPS_AT_ONCE * log.n_cases // log.n_events)
    while len(picking := picking[missing[picking] > 0]):
        block = picking[: 1 + np.searchsorted(np.cumsum(need[picking]), draws)]
        picker = np.repeat(np.arange(len(block)), need[block])
        # a uniform event of a transition is a random case of a random variant through it, by number of cases
        drawn = events[first_event[block][picker] + random.below(weight[block][picker])]
        case = case_of_event[drawn]
        flat, offsets = take_rows(variants.offsets, variants.of_case[case])
        step, step_draw = automaton.of_path[flat], row_of(offsets)
        active = _still_needed(block, missing, step, picker[step_draw])
        kept = active[picker]
        copies += np.bincount(case[kept], minlength=log.n_cases)
        missing -= np.bincount(step[kept[step_draw]], minlength=len(missing))
    return copies


def _still_needed(block: Ints, missing: Ints, step: Ints, picker: Ints) -> NDArray[np.bool_]:
    """Which transitions of the block are still unsatisfied at their turn.

    `step` are the transitions on all drawn paths, `picker` the place in the block that drew each.
    """
    place = np.full(len(missing), -1, dtype=np.int64)
    place[block] = np.arange(len(block))
    later = place[step] > picker
    receiver, giver = place[step][later], picker[later]
    active = np.ones(len(block), dtype=np.bool_)
    while True:
        received = np.bincount(receiver[active[giver]], minlength=len(block))
        decided = received < missing[block]
        if (decided == active).all():
            return active
        active = decided
