"""How well two laws can be told apart: counts with geometric noise and tallies with Gaussian noise, together.

*Counts.* Two-sided geometric noise of ratio a, P(z) = (1-a)/(1+a) a^abs(z), on a count n or n + 1: the likelihood
ratio is 1/a with chance 1/(1+a) under the one and a/(1+a) under the other, and a the other way round. So one such count
is exactly a coin that lies with chance a/(1+a). A case that moves from one variant to another changes two counts.

*Tallies.* Gaussian noise on a vector that moves by `mu` deviations. The noise that is drawn is discrete; `gaussian_mu`
says which mu bounds it.

*Together.* Mechanisms that run one after the other, each choosing what to ask by what came out before, cannot be told
apart better than the product of such coins and one Gaussian pair whose mu^2 is the sum of theirs (composition of
trade-off functions: Dong, Roth and Su 2022). Everything about a product is a sum over the classes of its coins,
exactly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

_SQRT2 = math.sqrt(2)
_MOST_CLASSES = 1 << 10
_ETA = 1.03e-34
"""How far, up to a factor, a cell of discrete Gaussian noise is from a rounded continuous one."""


def normal_cdf(x: float) -> float:
    """The standard normal distribution function, exact also far out in the lower tail.

    >>> normal_cdf(0.0)
    0.5
    """
    return math.erfc(-x / _SQRT2) / 2


def gaussian_mu(square: float, deviation: int) -> float:
    """The mu that bounds discrete Gaussian noise of this deviation on whole numbers that move by sqrt(square).

    *Claim.* For a whole deviation s >= 3, d cells and a shift by a whole vector v, every set A and every g > 0, P(A) -
    g Q(A) is at most that of N(m, 1) against N(0, 1) plus (1 + g) 2 d eta, m = abs(v) / sqrt(s^2 - 4), eta < 1.03e-34.

    *Proof.* Draw x from N(v, s^2 - 4) and round it to a whole number k with a weight proportional to exp(-(x - k)^2 /
    8), a kernel of deviation 2. The sum of the weights over all k is, by Poisson summation, the same for every x up to
    a factor 1 +- eta, eta = 2 exp(-8 pi^2) (1 + 1e-100) < 1.03e-34. So, up to such a factor for each cell, k has the
    density of N(v, s^2 - 4 + 4) at the whole numbers, which is the discrete Gaussian; and the rounding does not know v.
    Rounding does not help to tell v from 0, hence the bound for x, whose cells are v / sqrt(s^2 - 4) apart.

    Without the correction it would be wrong: at s = 100 and v = 141 the total variation is 0.51919159, that of
    N(1.41, 1) is 0.51918976.
    """
    assert deviation >= 3, "the bound holds for deviations of 3 or more"
    return math.sqrt(square / (deviation**2 - 4))


def rounding_slack(cells: int) -> float:
    """What `gaussian_mu` leaves out: to be added to a total variation over so many cells (g = 1).

    For a slack at e^epsilon it is (1 + e^epsilon) / 2 times that, which is as little.

    >>> rounding_slack(10**9) < 1e-24
    True
    """
    return 4 * cells * _ETA


@dataclass(frozen=True)
class Pair:
    """Two laws of outcomes, with one person's data or with other data: coins that lie by `ratios`, and Gaussian noise.

    `leak` is the chance that something comes out which only one of the laws can give (a path that one person alone
    took, published by bad luck).

    >>> round(Pair((0.5538, 0.5538), 2 * math.sqrt(0.0933)).total_variation, 3)
    0.4
    """

    ratios: tuple[float, ...] = ()
    mu: float = 0.0
    leak: float = 0.0

    @property
    def total_variation(self) -> float:
        """How much likelier any set of outcomes is under the one law than under the other, at most."""
        return min(1.0, self._excess(1.0) + self.leak)

    @property
    def gain(self) -> float:
        """How much a yes/no guess gains at most, on average over the noise, whatever was believed before."""
        return self.total_variation / 2

    def slack(self, epsilon: float) -> float:
        """The least slack for which the laws are (epsilon, slack)-indistinguishable."""
        return min(1.0, self._excess(math.exp(epsilon)) + self.leak)

    def epsilon(self, slack: float) -> float:
        """The least epsilon at this slack; infinite if the leak alone is more.

        >>> round(Pair((0.5538, 0.5538), 2 * math.sqrt(0.0933)).epsilon(1e-6), 2)
        3.88
        """
        if self.leak > slack or (self.mu > 0 and self.leak == slack):
            return math.inf
        return _least(lambda epsilon: self.slack(epsilon) <= slack, 0.0, 60.0)

    def chance_of_odds(self, factor: float) -> float:
        """The chance, under the one law, that the noised figures multiply the odds for it by so much or more.

        >>> round(Pair((0.5538, 0.5538), 2 * math.sqrt(0.0933)).chance_of_odds(9), 3)
        0.036
        """
        return min(1.0, math.fsum(p * self._likely(factor * q / p) for p, q in self._classes) + self.leak)

    def most_often(self, factor: float) -> float:
        """The most often that anything made of the noised figures multiplies the odds by so much or more.

        That can be more often than for the figures themselves: a release may lump outcomes that speak for the truth
        strongly together with some that speak for it less. All releases that multiply the odds by the factor are a
        set A with P(A) >= factor Q(A). Among such sets those of the largest likelihood ratios have the largest P(A):
        the ratio from which on they are taken is lowered until the factor is just reached. What leaks is the first in
        such a set, because the other law cannot give it.

        >>> round(Pair((0.6363, 0.6363), 2 * math.sqrt(0.1701)).most_often(9), 3)
        0.112
        """

        def reaches(log_ratio: float) -> bool:
            shown, by_chance = self._beyond(math.exp(log_ratio))
            return (1 - self.leak) * shown + self.leak >= factor * by_chance

        lowest = _least(reaches, -60.0, math.log(factor))
        shown = self._beyond(math.exp(lowest))[0] if math.isfinite(lowest) else 0.0
        return min(1.0, (1 - self.leak) * shown + self.leak)

    def _beyond(self, ratio: float) -> tuple[float, float]:
        """The chances under both laws that the likelihood ratio is so much or more."""
        shown = math.fsum(p * self._likely(ratio * q / p) for p, q in self._classes)
        by_chance = math.fsum(q * self._likely_by_chance(ratio * q / p) for p, q in self._classes)
        return shown, by_chance

    def _likely_by_chance(self, ratio: float) -> float:
        """The same chance as `_likely`, under the other law."""
        if self.mu == 0:
            return float(ratio <= 1 + 1e-12)
        return normal_cdf(-self.mu / 2 - math.log(ratio) / self.mu)

    def _likely(self, ratio: float) -> float:
        """The chance that the Gaussian part alone multiplies the odds by this ratio or more."""
        if self.mu == 0:
            return float(ratio <= 1 + 1e-12)
        return normal_cdf(self.mu / 2 - math.log(ratio) / self.mu)

    def _excess(self, g: float) -> float:
        """The most by which P(A) exceeds g Q(A), over all sets A, without the leak: the sum over the coins' classes."""
        return math.fsum(_class_excess(p, g * q, self.mu) for p, q in self._classes)

    @cached_property
    def _classes(self) -> list[tuple[float, float]]:
        return list(_classes(self.ratios))


def composed(pairs: Iterable[Pair]) -> Pair:
    """What bounds several releases, each with its own noise: the product of all coins, and one Gaussian pair.

    *Claim.* Releases 1 to n are dominated by pairs with coins r_i, Gaussian mu_i and leaks l_i, whatever the earlier
    ones showed. Then all of them together are dominated by the pair of all coins, of mu with mu^2 the sum of all
    mu_i^2, and of the sum of the leaks.

    *Proof.* Without leaks this is the composition of trade-off functions (Dong, Roth and Su 2022), which allows the
    later mechanisms to depend on what the earlier ones showed as long as each is dominated by a pair that was fixed
    before. Gaussian pairs compose to one, since the logarithm of the likelihood ratio of independent normal numbers is
    normal, with the sum of the variances; and the order of factors does not matter. A leak: outside of an event of
    chance l_i release i is dominated by its pair. Outside of all of them, of chance at most the sum, all are; so for
    every set A and every g, P(A) - g Q(A) exceeds what the product allows by at most that sum.

    >>> from .terms import same_paths
    >>> once = same_paths(0.1).all_spent().exchange
    >>> [round(composed([once] * n).gain, 3) for n in (1, 2, 3, 4, 5)]
    [0.1, 0.14, 0.169, 0.193, 0.214]
    """
    all_ = list(pairs)
    return Pair(
        tuple(ratio for pair in all_ for ratio in pair.ratios),
        math.sqrt(math.fsum(pair.mu**2 for pair in all_)),
        math.fsum(pair.leak for pair in all_),
    )


def _classes(ratios: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    """The chances of each combination of what the coins show, under the one law and under the other.

    Of coins that lie alike, it only matters how many lie.
    """
    kinds = [[_lying(a, n, lies) for lies in range(n + 1)] for a, n in Counter(_few(ratios)).items()]
    for shown in product(*kinds):
        yield math.prod(p for p, _ in shown), math.prod(q for _, q in shown)


def _lying(a: float, coins: int, lies: int) -> tuple[float, float]:
    """The chances that so many of the coins lie, under the one law and under the other."""
    ways = math.log(math.comb(coins, lies)) - coins * math.log1p(a)
    return math.exp(ways + _log_of_power(a, lies)), math.exp(ways + _log_of_power(a, coins - lies))


def _log_of_power(a: float, times: int) -> float:
    """The logarithm of ``a**times``; a ratio of very many cases together may be 0 in floating point."""
    if times == 0:
        return 0.0
    return times * math.log(a) if a > 0 else -math.inf


def _few(ratios: tuple[float, ...]) -> list[float]:
    """Coins of so few kinds that their classes can be counted, and that tell at least as much.

    A coin of a smaller ratio dominates one of a larger: so of two kinds that are close, all take the smaller ratio.
    """
    coins = Counter(ratios)
    while math.prod(n + 1 for n in coins.values()) > _MOST_CLASSES:
        kinds = sorted(coins)
        smaller, larger = min(pairwise(kinds), key=lambda two: math.log(two[1] / two[0]))
        coins[smaller] += coins.pop(larger)
    return list(coins.elements())


def _class_excess(p: float, q: float, mu: float) -> float:
    """The most by which p P(A) exceeds q Q(A) for P = N(mu, 1) and Q = N(0, 1)."""
    if p == 0:
        return 0.0
    if mu == 0 or q == 0:
        return max(0.0, p - q)
    middle = math.log(q / p) / mu
    return max(0.0, p * normal_cdf(mu / 2 - middle) - q * normal_cdf(-mu / 2 - middle))


def _least(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The least number for which something holds that holds for all larger ones; infinite if not even for `high`."""
    if holds(low):
        return low
    if not holds(high):
        return math.inf
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
