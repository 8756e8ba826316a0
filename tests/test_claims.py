"""The claims of blend, computed exactly: every outcome of the real code, in fractions.

Each claim is also checked to be broken when the mechanism gives a little less than it should.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from branches import BEYOND, distribution, total_variation
from unsingle.groups import Bins
from unsingle.methods import blend
from unsingle.methods.redraw import Draws

DELTAS = [Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(2, 5), Fraction(1, 2), Fraction(3, 5)]
PRIORS = [Fraction(i, 20) for i in range(1, 20)]


# ---------------------------------------------------------------------------------- B1: the path of a person


def released_counts(counts: tuple[int, ...], delta: Fraction) -> Counter:
    """The distribution of the released cases per variant; counts with very many added are one outcome."""

    def run(random) -> tuple[int, ...] | None:
        added = blend.added_cases(len(counts), delta, random)
        return None if (added == BEYOND).any() else tuple((np.array(counts) + added).tolist())

    return distribution(run)


NEIGHBOURS = {
    "one case more": ((2, 1), (3, 1)),
    "one case more, of a path that nobody else took": ((2, 0), (2, 1)),
    "another path": ((2, 1), (1, 2)),
    "another path, that nobody else took": ((2, 0), (1, 1)),
    "another of three paths": ((1, 1, 1), (0, 1, 2)),
}


def guessing_gain(with_: Counter, without: Counter, prior: Fraction) -> Fraction:
    """How much more often the best guess between two logs is right, after the release than before."""
    after = sum(max(prior * with_[x], (1 - prior) * without[x]) for x in with_.keys() | without.keys())
    return Fraction(after) - max(prior, 1 - prior)


def counts_hold(one: tuple[int, ...], other: tuple[int, ...], delta: Fraction) -> bool:
    """Claim B1 for two neighbouring logs: as a distance, and as what a guess gains from any prior."""
    p, q = released_counts(one, delta), released_counts(other, delta)
    distance = total_variation(p, q)
    cut = max(p[None], q[None])  # what is not told apart here
    least = distance <= 2 * delta and all(guessing_gain(p, q, prior) <= delta for prior in PRIORS)
    return least and distance + cut >= min(1, 2 * delta)  # and not more noise than asked for


@pytest.mark.parametrize("delta", DELTAS, ids=str)
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_counts_of_neighbours_differ_by_two_delta_and_a_guess_gains_delta(name: str, delta: Fraction) -> None:
    assert counts_hold(*NEIGHBOURS[name], delta)


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_a_lower_ratio_breaks_the_claim(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    true_ratio = blend.added_ratio
    monkeypatch.setattr(blend, "added_ratio", lambda delta: true_ratio(delta) * Fraction(95, 100))
    assert not counts_hold(*NEIGHBOURS[name], Fraction(1, 5))


@pytest.mark.parametrize("delta", [delta for delta in DELTAS if delta < Fraction(1, 2)], ids=str)
def test_no_outcome_raises_the_odds_of_a_path_by_more_than_one_over_q(delta: Fraction) -> None:
    taken, not_taken = released_counts((3,), delta), released_counts((2,), delta)
    ratios = [Fraction(taken[x]) / Fraction(not_taken[x]) for x in taken if x is not None and not_taken[x]]
    assert max(ratios) == 1 / blend.added_ratio(delta)
    assert (2,) in not_taken  # the least count shows that nobody more took it
    assert (2,) not in taken


# ---------------------------------------------------------------------------------- B2: all times of a person

Case = tuple[tuple[int, int], ...]
"""The group and the bin of each value of a case."""


def table(values: list[tuple[int, int]], bins_of_group: list[int]) -> Draws:
    """Groups with so many bins of one value each, and whose bin each value is in."""
    group, own = np.array(values, dtype=np.int64).T
    n_bins = np.array(bins_of_group)
    first = np.cumsum(n_bins) - n_bins
    flat = np.concatenate([np.arange(n) for n in bins_of_group]).astype(float)
    return Draws(Bins(flat, flat, flat), first[group] + own, group, n_bins, first, n_bins)


def released_bins(cases: list[Case], bins_of_group: list[int], delta: Fraction) -> Counter:
    """The distribution of what is released of all cases, with each case in its place.

    The order of the cases is not even shuffled: this attacker knows whose case is whose.
    """
    draws = table([value for case in cases for value in case], bins_of_group)
    lengths = [len(case) for case in cases]

    def run(random) -> tuple[int, ...]:
        kept = np.repeat(blend.kept_cases(len(cases), delta, random), lengths)
        entries = np.arange(sum(lengths))
        return tuple(draws.choose(entries, kept, random).tolist())

    return distribution(run)


def belief_moves(person: list[int], others: list[Case], bins_of_group: list[int], delta: Fraction) -> Fraction:
    """Expected total variation between belief and prior about all values of a person.

    `person` names the group of each value; the prior is the groups' own distribution, all bins alike.
    """
    possible = list(product(*(range(bins_of_group[group]) for group in person)))
    prior = Fraction(1, len(possible))
    joint = {
        values: released_bins([tuple(zip(person, values, strict=True)), *others], bins_of_group, delta)
        for values in possible
    }
    released: Counter = Counter()
    for chances in joint.values():
        for x, chance in chances.items():
            released[x] += prior * chance
    moved = sum(abs(prior * joint[v][x] - prior * released[x]) for v in possible for x in released)
    return Fraction(moved) / 2


SITUATIONS: dict[str, tuple[list[int], list[Case], list[int]]] = {
    "one value, 30 bins": ([0], [], [30]),
    "one value, one other case": ([0], [((0, 1),)], [4]),
    "one value, two others": ([0], [((0, 0),), ((0, 1),)], [2]),
    "two values of one group": ([0, 0], [], [3]),
    "two values of two groups": ([0, 1], [], [6, 5]),
    "two values, another case in both groups": ([0, 1], [((0, 1), (1, 0))], [2, 2]),
}


@pytest.mark.parametrize("delta", [Fraction(1, 20), Fraction(1, 5), Fraction(3, 5)], ids=str)
@pytest.mark.parametrize("name", SITUATIONS)
def test_belief_about_all_times_of_a_person_moves_by_at_most_delta(name: str, delta: Fraction) -> None:
    assert 0 < belief_moves(*SITUATIONS[name], delta) <= delta


@pytest.mark.parametrize("name", ["one value, 30 bins", "two values of two groups"])
def test_keeping_more_cases_breaks_the_claim(name: str) -> None:
    delta = Fraction(1, 5)
    assert belief_moves(*SITUATIONS[name], delta * Fraction(105, 100)) > delta


def test_a_place_is_uniform_for_every_value() -> None:
    """Spreading evenly leaves each single value as likely in each bin as a draw of its own would."""
    chances = released_bins([((0, 0),), ((0, 1),), ((0, 0),)], [2], Fraction(0))
    for place in range(3):
        assert sum(chance for x, chance in chances.items() if x[place] == 0) == Fraction(1, 2)
