"""The claims of `twin` and `strict`, computed exactly, without the formulas of the code.

All noised counts are enumerated, Gaussian noise is integrated on a fine grid, discrete Gaussian noise is summed up.
Each claim is also checked to be broken when the mechanism gives a little less noise than it should.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from datetime import datetime, timedelta, timezone
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from support.branches import BEYOND, distribution
from support.helpers import cases_of, examples, log_of
from support.laws import (
    ERROR,
    GRID,
    Classes,
    chance_of_odds,
    classes,
    excess,
    exchanged,
    least,
    noised,
    normal,
    one_more,
    selected,
    together,
)
from support.worlds import NUMBERS, Case, Observed, difference, observe, with_offsets
from unsingle import EventLog, LogError, ParameterError, anonymize, read_log, synthesize, write_log
from unsingle.core.clock import DAY, HOUR, MINUTE, SECOND
from unsingle.formats.tables.frames import to_polars
from unsingle.mechanisms import clocks, labels, measurements, paths, selection
from unsingle.mechanisms.cases import Cases
from unsingle.mechanisms.measurements import Measurements
from unsingle.mechanisms.shares import shares
from unsingle.mechanisms.tallies import Vectors
from unsingle.methods.strict import Strict
from unsingle.methods.twin import Twin, TwinCrowds
from unsingle.privacy.budget import UNIT, Budget, Terms
from unsingle.privacy.laws import Pair, gaussian_mu, rounding_slack
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import epsilon_for, every_outcome, paths_of_many, same_paths

DELTAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6)

# ---------------------------------------------------------------------------------- counts


def test_the_code_draws_two_sided_geometric_noise() -> None:
    """Every outcome of the real code, in fractions; what lies far out is one outcome."""
    ratio = Fraction(2, 3)
    terms = Terms(ratio, ratio, 0.1, 1.0, lambda _: 0.0)

    def run(random: Randomness) -> int | None:
        drawn = []

        class Spy:
            def geometric(self, ratio: Fraction, n: int) -> np.ndarray:
                drawn.append(random.geometric(ratio, n))
                return drawn[-1]

        count = int(Measurements(terms, {}, Spy()).cases_by_variant(np.array([5]))[0])  # type: ignore[arg-type]
        return None if max(int(each[0]) for each in drawn) == BEYOND else count - 5

    chances = distribution(run)  # type: ignore[arg-type]
    for z in range(-3, 4):
        beyond = (1 - ratio) / (1 + ratio) * ratio ** (2 * BEYOND - abs(z))
        assert chances[z] == (1 - ratio) / (1 + ratio) * ratio ** abs(z) - beyond


@pytest.mark.parametrize("a", [0.05, 0.5538, 0.9])
def test_one_noised_count_is_a_coin_that_lies(a: float) -> None:
    for count in (0, 1, 7):
        coin = sorted(classes(noised(count + 1, a), noised(count, a)), reverse=True)
        assert np.allclose(coin, [(1 / (1 + a), a / (1 + a)), (a / (1 + a), 1 / (1 + a))], atol=1e-12)


def test_two_counts_at_once_are_two_coins() -> None:
    """All pairs of noised counts, not one count after the other."""
    a = 0.5
    one, other = (
        {(y, z): p * r for y, p in noised(n, a).items() for z, r in noised(m, a).items()} for n, m in ((3, 1), (2, 2))
    )
    for mu, g in product((0.0, 0.7), (1.0, 3.0)):
        assert excess(classes(one, other), mu, g) == pytest.approx(excess(exchanged(a), mu, g), abs=1e-11)
    assert excess(classes(one, other), 0) == pytest.approx((1 - a) / (1 + a), abs=1e-11)  # as one count alone


# ---------------------------------------------------------------------------------- V, V' and slack


@pytest.mark.parametrize("a", [0.05, 0.2006, 0.5538, 0.8706])
@pytest.mark.parametrize("rho", [0.002, 0.1, 0.6])
def test_pairs_of_laws_are_what_enumeration_says(a: float, rho: float) -> None:
    b = max(0.9, a)
    pairs = {
        "exchange": (exchanged(a), Pair((a, a), 2 * math.sqrt(rho))),
        "presence": (one_more(a, b), Pair((a, b), math.sqrt(2 * rho))),
        "one count": (classes(noised(1, a), noised(2, a)), Pair((a,), 2 * math.sqrt(rho))),
        "times": ([(1.0, 1.0)], Pair((), 2 * math.sqrt(rho))),
    }
    for both, pair in pairs.values():
        assert pair.total_variation == pytest.approx(excess(both, pair.mu), abs=ERROR)
        assert pair.gain == pair.total_variation / 2
        for epsilon in (0.1, 1.0, 3.0):
            reached = excess(both, pair.mu, math.exp(epsilon))
            assert pair.slack(epsilon) == pytest.approx(reached, abs=ERROR, rel=1e-3)
        assert pair.chance_of_odds(9) == pytest.approx(chance_of_odds(both, pair.mu, 9), abs=1e-4)
        assert excess(both, pair.mu, math.exp(pair.epsilon(1e-4))) == pytest.approx(1e-4, rel=1e-3)


TABLE = [  # delta, a, rho, epsilon and odds of presence, of an exchange, 90 % sure
    (0.05, 0.8706, 0.0057, 0.64, 2.1, 0.85, 2.6, 0.0),
    (0.1, 0.7554, 0.0228, 1.22, 3.9, 1.79, 7.2, 2e-8),
    (0.2, 0.5538, 0.0933, 2.52, 16, 3.88, 64, 0.036),
    (0.3, 0.3745, 0.2187, 4.05, 77, 6.37, 834, 0.32),
    (0.4, 0.2006, 0.4139, 5.99, 569, 9.64, None, 0.68),
]


def split(delta: float, share: float) -> tuple[float, float]:
    """The a and the rho with V = 2 delta, of which this share is that of the tallies: by enumeration alone."""
    mu = least(lambda mu: excess([(1.0, 1.0)], mu) >= share * 2 * delta, 0.0, 5.0)
    a = least(lambda a: excess(exchanged(a), mu) <= 2 * delta, 0.01, 0.99)
    return a, mu**2 / 4


@pytest.mark.parametrize(("delta", "a", "rho", "epsilon", "odds", "epsilon_of_two", "odds_of_two", "sure"), TABLE)
def test_check_values(delta, a, rho, epsilon, odds, epsilon_of_two, odds_of_two, sure) -> None:
    found = split(delta, 0.6)
    assert found == (pytest.approx(a, abs=6e-5), pytest.approx(rho, abs=6e-5))
    a, rho = found
    both = {"presence": (one_more(a, max(0.9, a)), 2 * rho), "exchange": (exchanged(a), 4 * rho)}
    expected = {"presence": (epsilon, odds), "exchange": (epsilon_of_two, odds_of_two)}
    for name, (law, square) in both.items():
        mu, (about, times) = math.sqrt(square), expected[name]
        assert excess(law, mu, math.exp(about + 0.006)) <= 1e-6 <= excess(law, mu, math.exp(about - 0.006))
        if times is not None:
            assert chance_of_odds(law, mu, times * 1.03) <= 1e-6 <= chance_of_odds(law, mu, times * 0.97)
    assert chance_of_odds(exchanged(a), 2 * math.sqrt(rho), 9) == pytest.approx(sure, rel=0.15, abs=1e-12)
    assert excess(one_more(a, max(0.9, a)), math.sqrt(2 * rho)) <= 2 * delta


def test_check_values_where_tallies_have_80_percent() -> None:
    a, rho = split(0.2, 0.8)
    assert (round(a, 4), round(rho, 4)) == (0.6363, 0.1701)
    assert chance_of_odds(exchanged(a), 2 * math.sqrt(rho), 9) == pytest.approx(0.052, abs=5e-4)
    terms = same_paths(0.2)
    assert float(terms.ratio) == pytest.approx(a, abs=2e-6)
    assert terms.rho == pytest.approx(rho, abs=2e-6)


@pytest.mark.parametrize("delta", DELTAS)
def test_an_exchange_and_one_more_differ_by_two_delta_at_most(delta: float) -> None:
    terms = same_paths(delta)
    a, b, rho, limit = float(terms.ratio), float(terms.total_ratio), terms.rho, min(2 * delta, 0.98)
    assert terms.limit == limit
    assert limit - 5e-6 <= excess(exchanged(a), 2 * math.sqrt(rho)) <= limit + ERROR
    assert excess(one_more(a, b), math.sqrt(2 * rho)) <= limit


@pytest.mark.parametrize("delta", DELTAS)
def test_a_little_less_noise_breaks_the_claim(delta: float) -> None:
    terms = same_paths(delta)
    a, mu = float(terms.ratio), 2 * math.sqrt(terms.rho)
    assert excess(exchanged(0.95 * a), mu) > terms.limit + 10 * ERROR
    assert excess(exchanged(a), mu / 0.95) > terms.limit + 10 * ERROR


@pytest.mark.parametrize("prior", [0.03, 0.3, 0.5, 0.8])
def test_no_yes_or_no_guess_gains_more_than_delta(prior: float) -> None:
    """Claim T1: from any prior, over all outcomes."""
    terms = same_paths(0.2)
    mu, one, other = 2 * math.sqrt(terms.rho), normal(GRID - 2 * math.sqrt(terms.rho)), normal(GRID)
    both = exchanged(float(terms.ratio))
    right = math.fsum(float(np.trapezoid(np.maximum(prior * p * one, (1 - prior) * q * other), GRID)) for p, q in both)
    gain = right - max(prior, 1 - prior)
    assert mu > 0
    assert gain <= 0.2 + ERROR
    assert prior != 0.5 or gain == pytest.approx(0.2, abs=1e-5)


def test_a_guess_among_three_gains_what_claim_t2_says() -> None:
    """Three equally likely paths; the tallies tell them apart along three axes, which is the worst they can do."""
    a, mu, prior = 0.6, 0.6, 1 / 3
    axis = np.linspace(-5, 6, 45)
    weight = normal(axis) * (axis[1] - axis[0])
    density = [w.ravel() for w in np.meshgrid(weight, weight, weight, indexing="ij")]
    moved = [np.exp(mu * x - mu**2 / 2).ravel() for x in np.meshgrid(axis, axis, axis, indexing="ij")]
    base = density[0] * density[1] * density[2]
    right = 0.0
    for lies in product((a, 1 / a), repeat=3):  # the likelihood ratios of three counts, to those without the person
        chance = math.prod((1 if ratio == a else a) / (1 + a) for ratio in lies)
        best = np.maximum.reduce([ratio * m for ratio, m in zip(lies, moved, strict=True)])
        right += prior * float((base * chance * best).sum())
    pair = Pair((a, a), mu * math.sqrt(2))
    presence = Pair((a,), mu)
    assert 0.05 < right - prior <= min(presence.total_variation, (1 - prior) * pair.total_variation)


def test_no_release_makes_the_truth_90_percent_sure_more_often_than_is_said() -> None:
    """A release that tells one thing only: whether the noised figures speak for the truth this much."""
    pair = same_paths(0.2).all_spent().exchange
    one, other, both = normal(GRID - pair.mu), normal(GRID), exchanged(pair.ratios[0])
    p = np.concatenate([p * one for p, _ in both])
    q = np.concatenate([q * other for _, q in both])
    order = np.argsort(q / p)
    shown, by_chance = np.cumsum(p[order]), np.cumsum(q[order])  # sets of outcomes, ever larger
    often = shown[shown >= 9 * by_chance].max() * (GRID[1] - GRID[0])
    assert often == pytest.approx(pair.most_often(9), abs=1e-3)  # 11 %
    assert often > 2 * pair.chance_of_odds(9)  # which is that of the figures themselves


# ---------------------------------------------------------------------------------- paths of many, and strict


TERMS = {"crowds": paths_of_many, "strict": every_outcome}
METHODS = {"crowds": TwinCrowds, "strict": Strict}


def lone_neighbours(terms: Terms, count: int) -> dict[str, tuple[Classes, str, float]]:
    """Neighbours where not everybody shares a path: counts that differ, which pair bounds them, squared shift."""
    a, b, tau = float(terms.ratio), float(terms.total_ratio), terms.threshold
    lone, nobody = selected(1, a, tau), selected(0, a, tau)
    more = classes(selected(count + 1, a, tau), selected(count, a, tau))
    total = classes(noised(4, b), noised(3, b))
    back = [(q, p) for p, q in more]
    return {
        "lone, or not there": (together(classes(lone, nobody), total), "lone_presence", 1),
        "not there, or lone": (together(classes(nobody, lone), total), "lone_presence", 1),
        "lone, or on a shared path": (together(classes(lone, nobody), back), "lone_exchange", 2),
        "on a shared path, or lone": (together(classes(nobody, lone), more), "lone_exchange", 2),
        "lone on one path or another": (together(classes(lone, nobody), classes(nobody, lone)), "lone_exchange", 2),
        "one more on a shared path": (together(more, total), "presence", 1),
        "one less on a shared path": (together(back, [(q, p) for p, q in total]), "presence", 1),
        "on one shared path or another": (together(more, back), "exchange", 2),
    }


def with_lone_label(both: Classes, leak: float) -> Classes:
    """Beside all that, a label that one person alone has is published with this chance."""
    return together(both, [(leak, 0.0), (1 - leak, 1.0)])


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("delta", [0.05, 0.2, 0.4])
def test_nothing_hangs_on_a_lone_path_beyond_what_the_budget_says(kind: str, delta: float) -> None:
    terms = TERMS[kind](delta)
    spent = terms.all_spent()
    epsilon = epsilon_for(delta)
    for count in (1, 2, terms.threshold - 1, terms.threshold, terms.threshold + 3):
        for name, (both, pair, square) in lone_neighbours(terms, count).items():
            if pair.startswith("lone"):  # who alone has a label is alone on a path
                both = with_lone_label(both, terms.label_leak)
            mu = math.sqrt(square * 2 * terms.rho)
            bound: Pair = getattr(spent, pair)
            assert excess(both, mu) <= bound.total_variation + ERROR, name
            if kind == "crowds":
                assert excess(both, mu) <= terms.limit + ERROR, name
            elif square == 1:
                reached = excess(both, mu, math.exp(epsilon))
                assert reached <= bound.slack(epsilon) + 1e-9, name
                assert reached <= min(terms.slack, spent.spent) * (1 + 1e-3), name
    assert spent.spent <= terms.limit


def test_a_delta_that_leaks_alone_would_exceed_is_refused() -> None:
    with pytest.raises(ParameterError, match="too small for paths taken by many"):
        paths_of_many(0.00001)
    assert paths_of_many(0.001).all_spent().spent <= 0.002


@pytest.mark.parametrize("kind", TERMS)
def test_strict_and_crowds_with_a_little_less_noise_break_their_claims(kind: str) -> None:
    terms, delta = TERMS[kind](0.2), 0.2
    a, b = float(terms.ratio), float(terms.total_ratio)
    if kind == "crowds":
        assert excess(exchanged(0.95 * a), 2 * math.sqrt(terms.rho)) > terms.limit
        assert excess(exchanged(a), 2 * math.sqrt(terms.rho) / 0.95) > terms.limit
    else:
        assert terms.choice_ratio is not None
        g = math.exp(epsilon_for(delta)) * b * float(terms.choice_ratio)  # what the choice between the ways leaves
        for way in terms.ways:
            a, mu = float(way.ratio), math.sqrt(2 * way.rho)
            leaks = [(1 - way.path_leak - way.label_leak, 1.0), (way.path_leak + way.label_leak, 0.0)]

            def reached(a: float, mu: float, way: Terms = way, leaks: Classes = leaks) -> float:
                count = classes(noised(4, a), noised(3, a)) if way.counts_paths else [(1.0, 1.0)]
                return max(excess(count, mu, g), excess(leaks, mu, g))

            assert reached(a, mu) <= terms.slack * (1 + 1e-3)
            assert reached(a, mu / 0.95) > terms.slack
            assert not way.counts_paths or reached(0.95 * a, mu) > terms.slack


def after_choice(first: Classes, ways: Sequence[tuple[Classes, float]], g: float) -> float:
    """The excess where noised numbers choose between ways to go on, and each of their outcomes takes the worst."""
    return math.fsum(p * max(excess(both, mu, g * q / p) for both, mu in ways) for p, q in first)


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.4])
def test_a_noised_choice_between_several_ways_keeps_within_epsilon(delta: float) -> None:
    """The number of all cases and that of cases on paths of many choose; then counts and all tallies differ too."""
    terms = every_outcome(delta)
    b, c, g = float(terms.total_ratio), float(terms.choice_ratio or 0), math.exp(epsilon_for(delta))
    assert len(terms.ways) == 3
    for more, less in ((4, 3), (3, 4)):
        first = together(*(classes(noised(more, ratio), noised(less, ratio)) for ratio in (b, c)))
        shared, lone = [], []
        for way in terms.ways:
            a, mu, leak = float(way.ratio), math.sqrt(2 * way.rho), way.path_leak + way.label_leak
            shared.append((classes(noised(more, a), noised(less, a)) if way.counts_paths else [(1.0, 1.0)], mu))
            lone.append(([(leak, 0.0), (1 - leak, 1.0)], mu))
        assert after_choice(first, shared, g) <= terms.slack * (1 + 1e-3)
        assert after_choice(classes(noised(more, b), noised(less, b)), lone, g) <= terms.slack * (1 + 1e-3)
        weaker = together(*(classes(noised(more, ratio), noised(less, ratio)) for ratio in (b, 0.8 * c)))
        assert after_choice(weaker, shared, g) > terms.slack
    exchange = [
        (exchanged(float(way.ratio)) if way.counts_paths else [(1.0, 1.0)], 2 * math.sqrt(way.rho))
        for way in terms.ways
    ]
    promised = Strict(delta).guarantee().promises[1].gain
    moved = after_choice(classes(noised(3, c), noised(2, c)), exchange, 1.0) / 2
    assert moved <= promised < moved + 0.02


def test_one_case_moves_the_choice_by_one_and_a_lone_one_by_none() -> None:
    terms = every_outcome(0.2)
    tau = terms.threshold
    counts = np.array([1, tau - 1, tau, tau + 9])
    above = [Scripted(terms, [0]) for _ in range(1 + len(counts))]
    seen = []
    for i, each in enumerate(above):
        each._geometric = lambda _name, true, _ratio: true  # type: ignore[method-assign]
        seen.append(each.cases_on_paths_of_many(counts + (np.arange(len(counts)) == i)))
    assert [value - seen[-1] for value in seen[:-1]] == [0, 0, 1, 1]


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("delta", [0.005, 0.05, 0.2, 0.4, 0.6, 0.9])
def test_the_threshold_is_the_least_that_hides_a_lone_path(kind: str, delta: float) -> None:
    terms = TERMS[kind](delta)

    def chance(threshold: int) -> float:
        a, far = float(terms.ratio), 40_000
        return math.fsum((1 - a) / (1 + a) * a ** (y - 1) for y in range(threshold, threshold + far))

    assert chance(terms.threshold) <= terms.path_leak * (1 + 1e-9)
    assert chance(terms.threshold - 1) > terms.path_leak


@pytest.mark.parametrize("slack", [1e-12, 1e-3, 0.19])
def test_strict_keeps_any_slack(slack: float) -> None:
    terms = every_outcome(0.2, slack)
    assert terms.all_spent().spent <= slack
    a = float(terms.ratio)
    assert a ** (terms.threshold - 1) / (1 + a) <= terms.path_leak < a ** (terms.threshold - 2) / (1 + a)


class Scripted(Measurements):
    """Gives the noised counts that it is told, and no noise elsewhere."""

    def __init__(self, terms: Terms, counts: Sequence[int]) -> None:
        super().__init__(terms, shares(terms), Randomness(1))
        self._counts = np.array(counts)

    def _geometric(self, *_: object) -> np.ndarray:
        return self._counts

    def _gaussian(self, _name: str, true: np.ndarray, _s: int) -> np.ndarray:
        return true


def test_the_code_publishes_a_path_from_the_threshold_on() -> None:
    terms = paths_of_many(0.2)
    cases = Cases.of(log_of([("AB", [0, 1]), ("AC", [0, 1])]))
    for counts in ((0, 25), (25, 26), (26, 25), (30, -2)):
        expected = [count if count >= terms.threshold else 0 for count in counts]
        _, found = paths.taken_by_many(cases, sum(expected), ("A", "B", "C"), Scripted(terms, counts), Randomness(1))
        assert [int((found.activity == last).sum()) for last in (1, 2)] == expected


# ---------------------------------------------------------------------------------- labels


@lru_cache(maxsize=2)
def tails(s: int) -> np.ndarray:
    """The chance of discrete Gaussian noise of deviation s from k on, for k = 0, 1, 2 ..., summed up."""
    from_k = np.cumsum(np.exp(-((np.arange(9 * s + 60) / s) ** 2) / 2)[::-1])[::-1]
    return from_k / (from_k[0] + from_k[1])


def chance_of_any(t: int, s: int, threshold: float) -> float:
    """The chance that one of t labels passes that one person alone has, and no other label."""
    each = math.floor(UNIT / math.sqrt(t))  # what the code gives it is not more
    k = math.ceil(threshold * UNIT) - each
    return -math.expm1(t * math.log1p(-tails(s)[k])) if k < len(tails(s)) else 0.0


@pytest.mark.parametrize("kind", TERMS)
def test_lone_labels_pass_as_rarely_as_is_said(kind: str) -> None:
    """In each round with a third of the leak, whatever labels of the person are left for it."""
    terms = TERMS[kind](0.2)
    leak = terms.label_leak / len(labels.ROUNDS)
    for name in labels.ROUNDS:
        s = measurements.deviation(shares(terms)[name] * terms.rho)
        threshold = selection.threshold(s / UNIT, leak)
        for t in (1, 2, 3, 10, selection.MOST):
            assert chance_of_any(t, s, threshold) <= leak
        worst = max((1, 10, selection.MOST), key=lambda t: chance_of_any(t, s, threshold))
        assert chance_of_any(worst, s, 0.98 * threshold) > leak


@pytest.mark.parametrize("s", [3, 10, 400])
def test_thresholds_of_labels_hold_for_little_noise_too(s: int) -> None:
    for leak in (1e-7, 1e-3, 0.2):
        threshold = selection.threshold(s / UNIT, leak)
        assert max(chance_of_any(t, s, threshold) for t in range(1, 60)) <= leak * (1 + 1e-9)


class Loud(Scripted):
    """Noise that lets everything pass that may."""

    def _gaussian(self, _name: str, true: np.ndarray, s: int) -> np.ndarray:
        return true + 100 * s


def test_a_label_that_no_case_counts_with_cannot_pass() -> None:
    """Somebody with more labels than count: the others have no cell of their own that noise could lift."""
    many = [f"{i:04}" for i in range(3 * selection.MOST + 50)]
    cases = Cases.of(log_of([(many, list(range(len(many))))]))
    found = labels.published_labels(cases, np.zeros(len(many), dtype=bool), Loud(paths_of_many(0.2), [0]))
    assert found == tuple(many[: len(labels.ROUNDS) * selection.MOST])


def test_a_log_of_which_no_label_passes_is_refused_in_words() -> None:
    with pytest.raises(LogError, match="no path or step is frequent enough"):
        anonymize(log_of([("AB", [0, DAY])]), 0.2, paths="crowds", seed=1)


# ---------------------------------------------------------------------------------- discrete Gaussian noise


def discrete(v: int, s: int, reach: int) -> np.ndarray:
    z = np.arange(-reach, reach + 1, dtype=np.float64)
    weight = np.exp(-(((z - v) / s) ** 2) / 2)
    return weight / weight.sum()


FACTORS = (0.3, 1.0, 1.7, 10.0, 300.0)


@pytest.mark.parametrize("s", [3, 5, 10, 100])
def test_discrete_gaussian_noise_is_within_its_bound(s: int) -> None:
    reach = 13 * s
    q = discrete(0, s, reach)
    for v in sorted({*range(1, 13), *range(s // 2, 3 * s + 1, max(1, s // 10)), 141 * s // 100}):
        p, bound = discrete(v, s, reach), Pair((), gaussian_mu(v * v, s), rounding_slack(1))
        for g in FACTORS:
            assert np.maximum(p - g * q, 0).sum() <= bound.slack(math.log(g)) * (1 + 1e-12) + 1e-15


@pytest.mark.parametrize("s", [3, 4])
def test_discrete_gaussian_noise_in_two_cells_is_within_its_bound(s: int) -> None:
    reach = 10 * s
    q = np.outer(discrete(0, s, reach), discrete(0, s, reach))
    for v, w in product(range(0, 2 * s + 1, 2), range(1, 2 * s + 1)):
        p = np.outer(discrete(v, s, reach), discrete(w, s, reach))
        bound = Pair((), gaussian_mu(v * v + w * w, s), rounding_slack(2))
        for g in FACTORS:
            assert np.maximum(p - g * q, 0).sum() <= bound.slack(math.log(g)) * (1 + 1e-12) + 1e-15


def test_without_the_correction_the_bound_would_be_wrong() -> None:
    exact = float(np.maximum(discrete(141, 100, 1500) - discrete(0, 100, 1500), 0).sum())
    assert exact == pytest.approx(0.51919159, abs=6e-9)
    assert Pair((), 1.41).total_variation == pytest.approx(0.51918976, abs=6e-9)
    assert Pair((), 1.41).total_variation < exact <= Pair((), gaussian_mu(141**2, 100)).total_variation


def test_the_rounding_kernel_is_even_but_for_one_in_10_to_the_34() -> None:
    """The sum of exp(-(x - k)^2 / 8) over whole k is sqrt(8 pi), whatever x is, up to eta."""
    with localcontext() as context:
        context.prec = 60
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
        for x in (Decimal(0), Decimal("0.25"), Decimal("0.5")):
            whole = sum((-((x - k) ** 2) / 8).exp() for k in range(-45, 46))
            assert abs(whole / (8 * pi).sqrt() - 1) < Decimal("1.03e-34")


@given(rho=st.floats(1e-6, 3.0))
@examples(100)
def test_deviations_are_the_least_that_rho_allows(rho: float) -> None:
    s = measurements.deviation(rho)
    assert gaussian_mu(UNIT**2, s) ** 2 <= 2 * rho
    assert UNIT**2 / ((s - 2) ** 2 - 4) > 2 * rho
    assert math.sqrt(2) * gaussian_mu(UNIT**2, s) <= 2 * math.sqrt(rho)


# ---------------------------------------------------------------------------------- sensitivity


SHAPES = ("AB", "ABC", "AABAAB", "C", "BACBACBAC")


@st.composite
def cases_on(draw: st.DrawFn, shapes: Sequence[str] = SHAPES) -> Case:
    path = draw(st.sampled_from(shapes))
    unit = draw(st.sampled_from([1, 1000, MINUTE, HOUR, DAY]))
    start = draw(st.integers(-40, 60) | st.just(140)) * 365 * DAY
    steps = draw(st.lists(st.sampled_from([0, 1, 2, 59, 1000, 10**6]), min_size=len(path), max_size=len(path)))
    return path, tuple((start + np.cumsum(steps) * unit).tolist())


backgrounds = st.lists(cases_on(), min_size=0, max_size=5)


def of_all_shapes(more: Sequence[Case], step: int) -> list[Case]:
    return [*more, *((path, tuple(step * i for i in range(len(path)))) for path in SHAPES)]


def assert_unit(vectors: dict[str, dict], *, path: Hashable) -> None:
    for name, cells in vectors.items():
        if name == "how many cases there are":
            assert cells == {0: 1}
        elif name in NUMBERS:
            assert cells in ({0: 1}, {})
        elif name == "how many cases take each path":
            assert cells in ({path: 1}, {})
        else:
            assert min(cells.values(), default=0) >= 0, name
            assert sum(value**2 for value in cells.values()) <= UNIT**2, name


@given(
    case=cases_on(),
    one=backgrounds,
    other=backgrounds,
    world=st.integers(0, 10**6),
    grid=st.sampled_from([None, "day"]),
)
@examples(25)
def test_a_case_moves_each_tally_by_its_own_vector_where_paths_are_public(case, one, other, world, grid) -> None:
    method = Twin(0.2, grid=grid)
    one, other = of_all_shapes(one, 7 * HOUR), of_all_shapes(other[::-1], 0)
    common = {tuple(path) for path in SHAPES}
    vectors = [
        difference(observe([*cases, case], method, world, common), observe(cases, method, world, common))
        for cases in (one, other)
    ]
    assert vectors[0] == vectors[1]  # whatever the other cases are
    assert_unit(vectors[0], path=tuple(case[0]))
    assert vectors[0]["how many cases take each path"] == {tuple(case[0]): 1}
    assert len(vectors[0]) == len(shares(method.terms, method.attributes)) + 2 - (grid is not None)


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("given_labels", [None, ("A", "B", "Z")], ids=["found", "given"])
@given(case=cases_on((*SHAPES, "ABX", "XYX", "CCCC")), one=backgrounds, other=backgrounds, world=st.integers(0, 10**6))
@examples(12)
def test_a_case_moves_each_tally_by_its_own_vector_where_paths_are_of_many(
    kind, given_labels, case, one, other, world
) -> None:
    """Also a case that is alone on its path, or has labels that nobody else has: they stay hidden here."""
    method = METHODS[kind](0.3, labels=given_labels)
    one, other = of_all_shapes(one, 7 * HOUR), of_all_shapes(other[::-1], 0)
    known = given_labels or "ABCXY"
    common = {*"ABC", *(tuple(label for label in path if label in known) for path in SHAPES)}
    try:
        vectors = [
            difference(observe([*cases, case], method, world, common), observe(cases, method, world, common))
            for cases in (one, other)
        ]
    except LogError as error:
        if "no path or step" in str(error):
            reject()  # in this world nothing is released, whatever the log is
        raise
    assert vectors[0] == vectors[1]
    assert_unit(vectors[0], path=next(iter(vectors[0].get("how many cases take each path", ())), None))


@given(
    lengths=st.lists(st.integers(1, 400), min_size=1, max_size=4),
    weight=st.lists(st.floats(1e-6, 1e6), min_size=50, max_size=50),
    clip=st.floats(0, 1e7),
)
@examples(60)
def test_no_vector_is_longer_than_the_unit(lengths, weight, clip) -> None:
    rng = np.random.default_rng(sum(lengths))
    for length in lengths:
        vector = Vectors(rng.integers(0, 50, length), np.zeros(length, dtype=np.int64), 50, np.array(weight)).total(
            clip
        )
        assert vector.min() >= 0
        assert sum(part**2 for part in vector.tolist()) <= UNIT**2


# ---------------------------------------------------------------------------------- order, and the grid

WAYS = {"twin": {}, "crowds": {"paths": "crowds"}, "strict": {"method": "strict", "delta": 0.4}}


@pytest.mark.parametrize("way", WAYS)
def test_a_release_does_not_hang_on_the_order_of_the_input(way: str, tmp_path: Path) -> None:
    """Other order of cases, of labels and of rows: the same bytes."""
    log = synthesize(cases=1000, seed=3)
    rng = np.random.default_rng(1)
    cases, order = cases_of(log), rng.permutation(log.n_cases)
    frame = to_polars(log)
    by_case = [frame.filter(frame["case:concept:name"] == name) for name in frame["case:concept:name"].unique()]
    rows = reduce(lambda one, other: one.vstack(other), by_case[::-1])
    renumbered = rng.permutation(len(log.labels))
    same = (
        log_of([cases[i] for i in order], log.zone),
        EventLog(
            tuple(np.array(log.labels, dtype=object)[np.argsort(renumbered)]),
            renumbered[log.activity].astype(np.int32),
            log.time,
            log.case_offsets,
            log.zone,
        ),
        read_log(rows),
    )
    written = set()
    for i, each in enumerate((log, *same)):
        path = tmp_path / f"{i}.csv"
        write_log(anonymize(each, seed=5, **WAYS[way]).log, path)
        written.add(path.read_bytes())
    assert len(written) == 1


def test_events_of_equal_time_of_different_cases_have_no_order() -> None:
    case, activity, time = np.array([1, 1, 1, 2, 2, 2]), np.array([0, 1, 2, 0, 2, 1]), np.array([0, 2, 1, 0, 1, 2])
    one, other = (
        anonymize(EventLog.from_events(case[rows], activity[rows], time[rows] * DAY, "ABC"), seed=1).log
        for rows in ([0, 1, 2, 3, 4, 5], [3, 0, 4, 2, 5, 1])
    )
    assert one == other


def whole_minutes(odd: int) -> EventLog:
    rng = np.random.default_rng(2)
    starts = rng.integers(0, 10**5, 400) * 7 * MINUTE
    return log_of([("AB", (int(t) + odd * (i == 0), int(t) + 90 * MINUTE)) for i, t in enumerate(starts)])


def test_one_person_off_the_grid_moves_one_unit_and_not_the_grid() -> None:
    seen = [Observed(Twin(0.2), log, 0, set()) for log in (whole_minutes(0), whole_minutes(SECOND))]
    for each in seen:
        clocks.measured_grid(Cases.of(each._log), "UTC", 400, each)
    cells = [np.array(list(each.true[clocks.GRID_TALLY].values())) for each in seen]
    moved = (cells[1] - cells[0]) / UNIT
    assert np.abs(moved).max() <= 1
    assert sorted(moved[moved != 0].round(3).tolist()) == [-1, 1]
    for seed in range(3):
        times = [anonymize(whole_minutes(odd), seed=seed).log.time for odd in (0, SECOND)]
        assert all((each % MINUTE == 0).all() and (each % HOUR != 0).any() for each in times)


# ---------------------------------------------------------------------------------- what a release spends


@pytest.mark.parametrize("delta", [0.1, 0.3])
@pytest.mark.parametrize("way", WAYS)
def test_a_release_spends_what_its_terms_allow_and_no_more(way: str, delta: float) -> None:
    release = anonymize(with_offsets(synthesize(cases=1500, seed=3)), seed=1, **{**WAYS[way], "delta": delta})
    budget = release.budget
    assert budget is not None
    terms, all_spent = budget.terms, budget.terms.all_spent()
    assert budget.spent <= terms.limit
    assert budget.spent == pytest.approx(all_spent.spent, rel=1e-3)
    assert budget.rho == pytest.approx(terms.rho, rel=1e-3)
    assert budget.rho <= terms.rho
    parts = shares(terms)
    assert math.fsum(parts.values()) <= 1 + 1e-12
    tallies = [cost.name for cost in budget.costs if cost.ratio is None]
    assert sorted(tallies) == sorted(parts)  # each once
    counted = sorted(cost.exchanged for cost in budget.costs if cost.ratio is not None)
    assert counted == [0] + [1] * terms.every_outcome + [2] * terms.counts_paths
    for cost in budget.costs:
        assert cost.rho <= parts.get(cost.name, 0) * terms.rho
    assert_written_budget_holds(budget, release.public()["budget"])


def assert_written_budget_holds(budget: Budget, written: dict) -> None:
    """Gain, epsilons and slack hold for whichever way could have been taken."""
    for terms in budget.began.ways or (budget.began,):
        mu = math.sqrt(2 * terms.rho)
        a, b, c = (float(ratio or 1) for ratio in (terms.ratio, terms.total_ratio, terms.choice_ratio))
        choice = classes(noised(3, c), noised(2, c)) if terms.choice_ratio else [(1.0, 1.0)]
        exchange = together(exchanged(a) if terms.counts_paths else [(1.0, 1.0)], choice)
        presence = together(one_more(a, b) if terms.counts_paths else classes(noised(4, b), noised(3, b)), choice)
        assert excess(exchange, math.sqrt(2) * mu) <= 2 * written["gain"] + ERROR
        g = math.exp(written["epsilon_presence"])
        assert excess(presence, mu, g) <= written["slack"] * (1 + 1e-2)
        g = math.exp(written["epsilon_exchange"])
        assert excess(exchange, math.sqrt(2) * mu, g) <= written["slack"] * (1 + 1e-2)
    leak = sum(cost.get("leak", 0) for cost in written["costs"])
    assert leak == pytest.approx(budget.terms.path_leak + budget.terms.label_leak)


def test_what_is_published_of_the_budget_hangs_on_parameters_alone(tmp_path: Path) -> None:
    """Not on whether anybody's time was written with an offset, nor on which way was taken."""
    rows = [f"{i},{a},2024-01-{1 + i % 28:02}T1{j}:00:00" for i in range(60) for j, a in enumerate("AB")]
    text = "case,activity,time\n" + "\n".join(rows)
    budgets = []
    for content in (text, f"{text}\n60,A,2024-01-05T10:00:00Z\n60,B,2024-01-05T11:00:00+05:45"):
        (tmp_path / "log.csv").write_text(content)
        budgets.append(anonymize(read_log(tmp_path / "log.csv"), 0.2, seed=1).public()["budget"])
    assert budgets[0] == budgets[1]


def test_one_persons_offset_does_not_change_the_zone_of_a_pandas_column() -> None:
    """Times of Python, each with a zone of its own: that of nearly all is the zone of the release."""
    import pandas as pd

    def frame(odd: bool) -> pd.DataFrame:
        rows = []
        for i in range(400 + odd):
            offset = timezone(timedelta(hours=1 + (i % 2))) if i < 400 else timezone(timedelta(hours=5, minutes=45))
            start = datetime(2024, 1 + 6 * (i % 2), 1 + i % 28, 9, tzinfo=offset)
            rows += [(str(i), "A", start), (str(i), "B", start + timedelta(hours=3))]
        columns = {"case": [r[0] for r in rows], "activity": [r[1] for r in rows]}
        return pd.DataFrame({**columns, "time": pd.Series([r[2] for r in rows], dtype=object)})

    assert {anonymize(frame(odd), 0.2, seed=1).log.zone for odd in (False, True)} == {"Europe/Berlin"}
