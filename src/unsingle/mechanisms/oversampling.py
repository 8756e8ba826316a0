"""Weighted oversampling of cases: the paper's Algorithm 1.

Every transition needs a geometric number of added cases. Transitions are picked one after the other,
in random order by weight; one that is not yet satisfied draws as many random cases through it as it
needs, and each drawn case counts for all transitions of its path. A random case through a transition is a
random variant through it, by its cases, and then any of these.

Only the decision whether a transition is still unsatisfied at its turn depends on earlier picks. So a
block of transitions draws at once, and the decisions of the block are repeated until none changes any
more: the first is right from the start, and each repetition makes at least one more right, so what
remains is exactly the outcome of the one-by-one algorithm.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..core.arrays import Flags, Ints, offsets_of, row_of, stable_order, take_rows
from ..core.automaton import Automaton
from ..core.log import EventLog, Paths
from ..errors import ParameterError
from ..privacy.random import Randomness

_STEPS_AT_ONCE = 250_000  # path steps that one block may look at: bounds the memory

MOST_ADDED = 10_000_000
"""Cases that a count may need on average; with more, a release would hardly end."""


def refuse_endless(mean_added: float) -> None:
    """Say so if a delta is so small that the added cases would hardly end."""
    if mean_added > MOST_ADDED:
        raise ParameterError(f"delta is too small: each count would need about {mean_added:.0e} added cases")


def oversample(paths: Paths, automaton: Automaton, ratio: Fraction, random: Randomness) -> Ints:
    """How many cases to add to each variant, so that every transition gets its geometric number (Alg. 1)."""
    refuse_endless(float(1 / (1 - ratio)))
    return add_cases(paths, automaton, 1 + random.geometric(ratio, automaton.n_transitions), random)


def add_cases(paths: Paths, automaton: Automaton, need: Ints, random: Randomness) -> Ints:
    """How many cases to add to each variant, so that every transition gets as many as it needs."""
    passing = _Passing(paths.offsets, automaton.of_path, paths.cases)
    picking = np.argsort(random.exponential(len(need)) / passing.weight)
    missing = need.copy()
    added = np.zeros(paths.count, dtype=np.int64)
    while len(picking := picking[missing[picking] > 0]):
        block = picking[: 1 + np.searchsorted(np.cumsum(need[picking]), passing.draws_at_once)]
        picker = np.repeat(np.arange(len(block)), need[block])
        variant = passing.draw(block[picker], random)
        step, step_draw = passing.steps(variant)
        kept = _still_needed(block, missing, step, picker[step_draw])[picker]
        added += np.bincount(variant[kept], minlength=paths.count)
        missing -= np.bincount(step[kept[step_draw]], minlength=len(missing))
    return added


def events_with(paths: Paths, added: Ints) -> int:
    """How many events all cases have together, with those added to each variant."""
    return int((np.diff(paths.offsets) * (paths.cases + added)).sum())


def random_cases(log: EventLog, added: Ints, random: Randomness) -> Ints:
    """So many random cases of each variant, with replacement."""
    variants = log.variants
    by_variant = stable_order(variants.of_case)
    return by_variant[offsets_of(variants.cases)[:-1].repeat(added) + random_ranks(variants, added, random)]


def random_ranks(paths: Paths, added: Ints, random: Randomness) -> Ints:
    """Which of its cases, from 0, each case added to a variant is a copy of; one variant after the other."""
    return random.below(paths.cases.repeat(added))


def remove_cases(log: EventLog, automaton: Automaton, need: Ints, random: Randomness) -> Ints:
    """Which cases to remove (1, else 0), so that every transition loses as many as it needs, or all it has.

    A case can be removed once. So a draw of a case that an earlier draw of the block took is void, and the transition
    draws again in a later block.
    """
    passing = _Passing(log.case_offsets, automaton.of_events(log), np.ones(log.n_cases, dtype=np.int64))
    picking = np.argsort(random.exponential(len(need)) / passing.weight)
    removed = np.zeros(log.n_cases, dtype=np.int64)
    missing = need.copy()
    while True:
        missing = np.minimum(missing, passing.weight)
        picking = picking[missing[picking] > 0]
        if not len(picking):
            return removed
        block = picking[: 1 + np.searchsorted(np.cumsum(missing[picking]), passing.draws_at_once)]
        picker = np.repeat(np.arange(len(block)), missing[block])
        case = passing.draw(block[picker], random)
        step, step_draw = passing.steps(case)
        kept = _first_takers(block, missing, case, picker, step, step_draw)
        removed[case[kept]] = 1
        missing -= np.bincount(step[kept[step_draw]], minlength=len(missing))
        passing.weigh(1 - removed)


class _Passing:
    """The rows (variants, or cases) that pass each transition, each with its weight.

    A path passes a transition once, because the automaton has no cycle.
    """

    def __init__(self, offsets: Ints, transition: Ints, row_weight: Ints) -> None:
        self._offsets, self._transition = offsets, transition
        self._row = row_of(offsets)[stable_order(transition)]
        self._first = offsets_of(np.bincount(transition))
        self.weigh(row_weight)
        self.draws_at_once = max(1, _STEPS_AT_ONCE * (len(offsets) - 1) // len(transition))

    def weigh(self, row_weight: Ints) -> None:
        """Draw each row by this weight from now on."""
        self._upto = offsets_of(row_weight[self._row])
        self.weight = np.diff(self._upto[self._first])

    def draw(self, transitions: Ints, random: Randomness) -> Ints:
        """For each transition a random row that passes it, by weight."""
        place = self._upto[self._first[transitions]] + random.below(self.weight[transitions])
        return self._row[np.searchsorted(self._upto, place, side="right") - 1]

    def steps(self, rows: Ints) -> tuple[Ints, Ints]:
        """All transitions that these rows pass, and the place of the row for each."""
        flat, offsets = take_rows(self._offsets, rows)
        return self._transition[flat], row_of(offsets)


def _still_needed(block: Ints, missing: Ints, step: Ints, picker: Ints) -> Flags:
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


def _first_takers(block: Ints, missing: Ints, case: Ints, picker: Ints, step: Ints, step_draw: Ints) -> Flags:
    """Which draws of the block remove a case: the first of each case, while their transition is still short.

    Whether a draw is valid depends on earlier ones alone. So, as in `_still_needed`, all are decided again and again
    until nothing changes: each time at least one more is right.
    """
    place = np.full(len(missing), -1, dtype=np.int64)
    place[block] = np.arange(len(block))
    later = place[step] > picker[step_draw]
    receiver, giver = place[step][later], step_draw[later]
    number = np.arange(len(case))
    first_of_picker = offsets_of(missing[block])[:-1][picker]
    valid = np.ones(len(case), dtype=np.bool_)
    while True:
        taker = np.full(int(case.max()) + 1, len(case))
        drawing = number[valid][::-1]
        taker[case[drawing]] = drawing  # what is set last stays: the first draw of each case
        received = np.bincount(receiver[valid[giver]], minlength=len(block))
        before: Ints = np.cumsum(valid) - valid
        own: Ints = before - before[first_of_picker]
        decided = (taker[case] >= number) & (received[picker] + own < missing[block][picker])
        if (decided == valid).all():
            return valid
        valid = decided
