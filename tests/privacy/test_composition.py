"""Several releases of the same people: the composed promise against exact enumeration, and against its parts."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples
from unsingle.privacy import laws
from unsingle.privacy.budget import Terms
from unsingle.privacy.composition import Spent, Together
from unsingle.privacy.laws import Pair, composed, gaussian_mu
from unsingle.privacy.terms import every_outcome, paths_of_many, same_paths

Law = tuple[np.ndarray, np.ndarray]
FAR = 80


def geometric(a: float, centre: int) -> np.ndarray:
    """Two-sided geometric noise around a number, on a window that holds all but nearly nothing of it."""
    return (1 - a) / (1 + a) * a ** np.abs(np.arange(-FAR, FAR + 1) - centre)


def gaussian(s: int, centre: int) -> np.ndarray:
    """Discrete Gaussian noise around a number."""
    k = np.arange(-FAR, FAR + 1)
    total = np.exp(-((np.arange(-20 * s, 20 * s + 1)) ** 2) / (2 * s**2)).sum()
    return np.exp(-((k - centre) ** 2) / (2 * s**2)) / total


def of_both(*laws_: Law) -> Law:
    """Independent outcomes together, those of one likelihood ratio as one: what is left of them to tell."""
    p, q = laws_[0]
    for more_p, more_q in laws_[1:]:
        p, q = np.outer(p, more_p).ravel(), np.outer(q, more_q).ravel()
        seen = (p > 1e-30) & (q > 1e-30)
        keys, which = np.unique(np.round(np.log(p[seen] / q[seen]), 9), return_inverse=True)
        p, q = (np.bincount(which, each[seen], len(keys)) for each in (p, q))
    return p, q


def release(a: float, s: int, moved: int) -> Law:
    """One release in which a case is moved from one path to another, and a tally by so many parts: every outcome."""
    lost, gained = (geometric(a, 1), geometric(a, 0)), (geometric(a, 0), geometric(a, 1))
    return of_both(lost, gained, (gaussian(s, moved), gaussian(s, 0)))


@pytest.mark.parametrize("several", [[(0.7, 6, 3)], [(0.7, 6, 3)] * 2, [(0.6, 5, 2), (0.8, 9, 4)], [(0.8, 12, 4)] * 3])
def test_what_several_releases_tell_is_bounded_by_the_product(several: list[tuple[float, int, int]]) -> None:
    p, q = of_both(*(release(*each) for each in several))
    exact = np.maximum(0, p - q).sum()
    bound = composed(Pair((a, a), gaussian_mu(moved**2, s)) for a, s, moved in several)
    assert exact <= bound.total_variation + 1e-9
    assert bound.total_variation < 1.05 * exact  # and it is no idle bound: what it adds is that of small deviations
    for epsilon in (0.5, 1.0, 2.0):
        assert np.maximum(0, p - math.exp(epsilon) * q).sum() <= bound.slack(epsilon) + 1e-9


@pytest.mark.parametrize("ratios", [(0.5, 0.5), (0.5, 0.5, 0.7, 0.7), (0.9,) * 8, (0.3, 0.5, 0.8)])
def test_counts_alone_are_exactly_the_product(ratios: tuple[float, ...]) -> None:
    p, q = of_both(*((geometric(a, 1), geometric(a, 0)) for a in ratios))
    exact = np.maximum(0, p - q).sum()
    found = composed(Pair((a,)) for a in ratios).total_variation
    assert found == pytest.approx(exact, abs=1e-3 if 0.9 in ratios else 1e-7)


def brute_force(ratios: tuple[float, ...], mu: float) -> float:
    """The total variation by the definition: over all outcomes of all coins, each for itself."""
    total = 0.0
    for lies in itertools.product((False, True), repeat=len(ratios)):
        p = math.prod((a if lie else 1) / (1 + a) for a, lie in zip(ratios, lies, strict=True))
        q = math.prod((1 if lie else a) / (1 + a) for a, lie in zip(ratios, lies, strict=True))
        total += laws._class_excess(p, q, mu)
    return total


@given(st.lists(st.floats(0.2, 0.99), min_size=1, max_size=6), st.floats(0, 2))
@examples(60)
def test_coins_that_lie_alike_are_counted_together(ratios: list[float], mu: float) -> None:
    coins = (*ratios, *ratios[:2])
    assert Pair(coins, mu).total_variation == pytest.approx(brute_force(coins, mu), abs=1e-12)


def test_many_kinds_of_coins_are_bounded_and_never_told_less(monkeypatch: pytest.MonkeyPatch) -> None:
    ratios = tuple(0.5 + 0.03 * i for i in range(10))
    exact = Pair(ratios, 0.5).total_variation
    monkeypatch.setattr(laws, "_MOST_CLASSES", 200)
    assert exact <= Pair(ratios, 0.5).total_variation < exact + 0.07


def test_the_figures_that_people_can_check() -> None:
    """Delta 0.1, released one to five times: with three fifths of it for tallies, and with the four fifths taken."""
    pair = Pair((0.7554, 0.7554), 2 * math.sqrt(0.0228))
    assert [round(composed([pair] * n).gain, 3) for n in range(1, 6)] == [0.1, 0.139, 0.168, 0.192, 0.212]
    spent = Spent.of(same_paths(0.1), 0.1)
    gains = [Together.of([spent] * n, [0.1] * n).gain for n in range(1, 6)]
    assert [round(each, 3) for each in gains] == [0.1, 0.14, 0.169, 0.193, 0.214]


MADE = [(terms, k) for terms in (same_paths, paths_of_many, every_outcome) for k in (1, 3)]


@pytest.mark.parametrize(("terms", "k"), MADE)
def test_what_is_written_down_dominates_all_that_a_release_may_spend(terms: Callable[..., Terms], k: int) -> None:
    made = terms(0.2, cases_per_person=k)
    spent = Spent.of(made, 0.2)
    for way in made.ways or (made,):
        budget = way.all_spent()
        for epsilon in (0.0, 0.3, 1.0, 2.5):
            for alone in (
                budget.exchange,
                budget.lone_exchange,
                budget.lone_times,
                budget.presence,
                budget.lone_presence,
            ):
                assert alone.slack(epsilon) <= spent.exchanged.slack(epsilon) + 1e-12
            for alone in (budget.presence, budget.lone_presence):
                assert alone.slack(epsilon) <= spent.present.slack(epsilon) + 1e-12


@pytest.mark.parametrize(("terms", "k"), MADE)
def test_one_release_together_is_that_release(terms: Callable[..., Terms], k: int) -> None:
    spent = Spent.of(terms(0.2, cases_per_person=k), 0.2)
    all_ = Together.of([spent], [0.2])
    assert all_.added == pytest.approx(0.2, abs=1e-5)
    assert all_.epsilon_presence == pytest.approx(spent.epsilon_presence)
    assert Spent.from_dict(spent.to_dict()) == spent


@pytest.mark.parametrize("k", [1, 50])
def test_people_alone_on_a_path_are_counted_in_what_one_release_adds(k: int) -> None:
    terms = paths_of_many(0.001, cases_per_person=k)
    spent = terms.all_spent()
    assert Spent.of(terms, 0.001).gain == pytest.approx(min(0.001, spent.spent / 2), rel=1e-12)


def test_more_releases_never_tell_less_and_order_does_not_matter() -> None:
    kinds = [Spent.of(make(0.1), 0.1) for make in (same_paths, paths_of_many, every_outcome)]
    before = defaultdict(float)
    for n in range(1, 4):
        for chosen in itertools.combinations_with_replacement(range(3), n):
            spent = [kinds[i] for i in chosen]
            all_ = Together.of(spent, [0.1] * n)
            again = Together.of(spent[::-1], [0.1] * n)
            assert all_.gain == pytest.approx(again.gain)
            assert all_.gain >= before[chosen[:-1]] - 1e-12
            assert all_.publishes_all_paths == (0 in chosen)
            assert (all_.in_every_outcome is not None) == (set(chosen) == {2})
            before[chosen] = all_.gain


def test_a_hundred_releases_are_still_counted() -> None:
    all_ = Together.of([Spent.of(same_paths(0.01), 0.01)] * 100, [0.01] * 100)
    assert 0.05 < all_.gain < 0.15  # about the square root of their number


@pytest.mark.parametrize(
    "change", [{"exchange": [1.5]}, {"square": -1}, {"cases_per_person": 0}, {"gain": math.nan}, {"colour": 1}]
)
def test_what_no_release_spends_is_refused(change: dict) -> None:
    written = Spent.of(same_paths(0.2), 0.2).to_dict()
    with pytest.raises((ValueError, TypeError)):
        Spent.from_dict({**written, **change})
