"""What a release by `twin` or `strict` may spend, and what it spent: the sum is computed from the parts.

Two logs are neighbours if they differ in one person, who has up to k cases (`Terms.cases_per_person`; 1 where each case
is a person): the paths and times of those cases, how many they are, or whether the person is there at all. The
*terms* say how much noise there must be, before anything is drawn (`terms` works them out from delta). Each mechanism
writes its `Cost` into the one `Budget`, which refuses to go beyond its terms.

*Persons.* In tallies all cases of a person are one vector of length at most 1, so k does not matter there. In counts it
does. RR(r) is a coin that lies by ratio r (`laws`), a the ratio of the noise on each path, b >= a that on the number of
all cases, c that on the number that chooses a way. The person has i cases in the one log and j in the other, i, j <= k.

1. Noise of ratio a on a number that moves by d: no outcome is more than a^-d times likelier under the one law than
   under the other. Any two laws of which that is true are dominated by RR(a^d) (Kairouz, Oh and Viswanath 2017): a
   coin of that ratio can be turned into them. A coin of a smaller ratio dominates one of a larger, and RR(a^d) x
   RR(a^e) is dominated by RR(a^(d+e)), because its outcomes are no more than a^-(d+e) times likelier.
2. *One person more or less*, i = 0: the counts of paths move by j together, however the cases are spread over them, so
   by 1 they are dominated by RR(a^j), hence by RR(a^k); the number of all cases moves by j: RR(b^k).
3. *Exchange*, i, j >= 1. Paths lose i cases and gain j: RR(a^i) x RR(a^j). The number of all cases moves by abs(i - j):
   RR(b^abs(i - j)). Let i <= j. As b >= a, RR(b^(j-i)) is dominated by RR(a^(j-i)), and RR(a^i) x RR(a^(j-i)) by
   RR(a^j). So all three together are dominated by RR(a^j) x RR(a^j), hence by **RR(a^k) x RR(a^k)**, in which the
   number of all cases does not appear. Where paths are not counted at all, nothing absorbs it: RR(b^(k-1)).
4. *Alone on a path.* A path that no other person takes is not published but for the chance of the leak, also if the
   person takes it several times (`Terms.threshold`); so its count does not show. Of the i cases at least one is on such
   a path, so at most i - 1 are counted. If i <= j, RR(a^(i-1)) x RR(b^(j-i)) is dominated by RR(a^(j-1)), and the paths
   that gain are RR(a^j); if i > j, RR(a^j) x RR(b^(i-j)) is dominated by RR(a^i), and the paths that lose are
   RR(a^(i-1)). Both are dominated by **RR(a^(k-1)) x RR(a^k)**. One such person more or less: RR(a^(k-1)) x RR(b^k).
5. The number that chooses a way sums up how far each count is above a threshold. It rises by at most the cases that
   paths gain and falls by at most those that they lose: RR(c^k), and RR(c^(k-1)) for one person more or less who is
   alone on a path. Which way is chosen depends on the number of all cases too, so `choice` has both.

With k = 1 all of this is what it was for cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from .laws import Pair, rounding_slack

SLACK = 1e-6
"""What is granted beyond epsilon, unless another is asked for."""

UNIT = 1 << 14
"""A case's weight of 1 in a tally, in whole parts."""

_ROUNDING = 1e-9  # sums of floating-point costs may be off by so much of the whole


@dataclass(frozen=True)
class Cost:
    """What one mechanism spends: the ratio of geometric noise, or the rho of Gaussian noise, or the chance of a leak.

    `square` is UNIT^2 / (s^2 - 4) for Gaussian noise of deviation s: how far a vector of length 1 moves, squared.
    `exchanged` says how many of the noised numbers change if one case is exchanged for another: two of the counts of
    variants, none of the number of all cases, and one where a sum over variants is noised. For people with several
    cases see above.
    """

    name: str
    ratio: float | None = None
    rho: float = 0.0
    square: float = 0.0
    cells: int = 0
    leak: float = 0.0
    anybody: bool = False
    """Whether what leaks may be of somebody whose path others take too: a value of a column, not a path or a label."""
    exchanged: int = 2


class Overspent(Exception):  # noqa: N818 - it is a bug of ours, not an error of the user's
    """A mechanism asked for more than is left: nothing may be released."""


@dataclass(frozen=True)
class Terms:
    """How much noise there must be, and what the budget is held against; fixed before anything is drawn.

    `ratio` is that of the noise on the number of cases of a variant, where any variant is published by its count,
    `total_ratio` that on the number of all cases, `rho` what all tallies may spend together. Of `path_leak` and
    `label_leak` only terms without a public set of variants have anything. `measure` tells what was spent, in the sense
    of `limit`. Where there are several `ways` to go on, a number noised with `choice_ratio` chooses one of them, from
    the one that publishes least of the paths to the one that publishes most.
    """

    ratio: Fraction
    total_ratio: Fraction
    rho: float
    limit: float
    measure: Callable[[Budget], float] = field(repr=False)
    slack: float = SLACK
    path_leak: float = 0.0
    label_leak: float = 0.0
    value_leak: float = 0.0
    """The chance that a value of a column is published which one person alone has."""
    publishes_all_paths: bool = False
    """Whether the set of variants is taken as public."""
    counts_paths: bool = True
    """Whether the number of cases of each variant is noised at all."""
    every_outcome: bool = False
    """Whether the limit is that of each set of outcomes, not an average over them."""
    choice_ratio: Fraction | None = None
    ways: tuple[Terms, ...] = ()
    epsilon: float = math.inf
    """That of every set of outcomes for presence, where it is what the limit is about."""
    cases_per_person: int = 1
    """How many cases one person has at most, for whom the limit holds: k."""

    def __post_init__(self) -> None:
        assert not self.counts_paths or self.ratio <= self.total_ratio, "paths absorb the number of all cases"

    @property
    def shared_leak(self) -> float:
        """The chance that something is published which only one person has whose paths others take too.

        A value of a column; and a label, if people have several cases: somebody on the same path has that label too,
        but may count with other labels only (`mechanisms.selection`).
        """
        return self.value_leak + (self.label_leak if self.cases_per_person > 1 else 0.0)

    @property
    def choice(self) -> Pair:
        """What the choice between several ways reveals by itself, if one person's cases are exchanged for others."""
        if self.choice_ratio is None:
            return Pair()
        k = self.cases_per_person
        return Pair((*powers(self.choice_ratio, k), *powers(self.total_ratio, k - 1)))

    @property
    def epsilon_of_choice(self) -> float:
        """What both numbers that choose between several ways may reveal of presence, in every outcome."""
        chosen = 0.0 if self.choice_ratio is None else -math.log(self.choice_ratio)
        return self.cases_per_person * (chosen - math.log(self.total_ratio))

    @property
    def threshold(self) -> int:
        """The least noised count at which a path is published.

        Of the paths that one person alone takes, with up to k cases, any reaches it with a chance of `path_leak` at
        most: the least t with max(a^(t-k), k a^(t-1)) / (1+a) <= `path_leak`.

        *Proof.* A path with n cases of that person reaches t > n with the chance a^(t-n) / (1+a). Over several such
        paths these add up to at most the sum of a^(t-n). That is convex in the numbers n, so it is largest where all
        paths but one have one case: a^(t-(k-m+1)) + (m-1) a^(t-1) for m paths. This is convex in m, so largest for
        m = 1 or m = k. And t > k, because the leak is less than 1 / (1+a).

        >>> from .terms import paths_of_many
        >>> paths_of_many(0.2).threshold, paths_of_many(0.2, cases_per_person=5).threshold
        (26, 139)
        """
        a, k = float(self.ratio), self.cases_per_person
        often = self.path_leak * (1 + a)
        together, spread = (math.ceil(math.log(each) / math.log(a)) for each in (often, often / k))
        return max(k + together, 1 + spread)

    @property
    def following(self) -> tuple[Pair, Pair]:
        """What follows where noised numbers have chosen this way: one person more or less, on shared paths or alone."""
        mu, leak = math.sqrt(2 * self.rho), self.path_leak + self.label_leak
        shared, alone = (
            powers(self.ratio, cases) if self.counts_paths else ()
            for cases in (self.cases_per_person, self.cases_per_person - 1)
        )
        return Pair(shared, mu, self.shared_leak), Pair(alone, mu, leak + self.value_leak)

    def gain_of_person(self, cases: int) -> float:
        """What a yes/no guess about a person with so many cases gains at most from releases on these terms, on average.

        That is of interest for people with more cases than the terms are made for. In tallies they cost no more.

        >>> from .terms import same_paths
        >>> [round(same_paths(0.2, cases_per_person=5).gain_of_person(cases), 3) for cases in (1, 5, 10)]
        [0.162, 0.2, 0.278]
        """
        gain = 0.0
        for way in self.ways or (self,):
            terms = replace(way, cases_per_person=cases, path_leak=way.path_leak_of(cases), limit=math.inf, ways=())
            gain = max(gain, variation_of_anybody(terms.all_spent()) / 2 + terms.choice.gain)
        return min(0.5, gain)

    def path_leak_of(self, cases: int) -> float:
        """The chance that any of the paths is published which a person with so many cases takes alone, at most."""
        if not self.path_leak:
            return 0.0
        a, t = float(self.ratio), self.threshold
        return max(a ** (t - cases), cases * a ** (t - 1)) / (1 + a) if cases < t else 1.0

    def all_spent(self) -> Budget:
        """The budget of a release that spends everything that the terms allow."""
        budget = Budget(self)
        budget.spend(Cost("how many cases there are", ratio=float(self.total_ratio), exchanged=0))
        if self.choice_ratio is not None:
            budget.spend(Cost("how many cases are on paths of many", ratio=float(self.choice_ratio), exchanged=1))
        if self.counts_paths:
            budget.spend(Cost("how many cases take each path", ratio=float(self.ratio), leak=self.path_leak))
        several = self.cases_per_person > 1
        budget.spend(Cost("all tallies", rho=self.rho, square=2 * self.rho, leak=self.label_leak, anybody=several))
        if self.value_leak:
            budget.spend(Cost("which values there are", leak=self.value_leak, anybody=True))
        return budget


def powers(ratio: Fraction | float, *cases: int) -> tuple[float, ...]:
    """The coins of noise of this ratio on numbers that move by so many cases each; none for what does not move.

    >>> powers(0.5, 2, 1, 0)
    (0.25, 0.5)
    """
    return tuple(float(ratio) ** each for each in cases if each)


class Budget:
    """What was spent, mechanism by mechanism, held against the terms.

    >>> from .terms import same_paths
    >>> budget = Budget(same_paths(0.2))
    >>> budget.spend(Cost("a tally", rho=0.17, square=0.34))
    >>> budget.spend(Cost("another", rho=0.3, square=0.6))
    Traceback (most recent call last):
    ...
    unsingle.privacy.budget.Overspent: another: 0.507 would be spent of 0.4
    """

    def __init__(self, terms: Terms) -> None:
        self.began = self.terms = terms
        self.costs: list[Cost] = []

    def spend(self, cost: Cost) -> None:
        """Write a cost down; raises `Overspent` if it is not within the terms."""
        self.costs.append(cost)
        if self.spent > self.terms.limit * (1 + _ROUNDING):
            raise Overspent(f"{cost.name}: {self.spent:.3g} would be spent of {self.terms.limit:g}")

    @property
    def spent(self) -> float:
        """What was spent so far, in the sense of the terms' limit."""
        return self.terms.measure(self)

    @property
    def exchange(self) -> Pair:
        """One person's cases exchanged for others, all on paths that other people take too.

        Two vectors of length at most 1 without negative parts are at most the square root of 2 apart.
        """
        coins = self._coins(both=(self._k, self._k), one=self._k, total=self._total_exchanged)
        return Pair(coins, math.sqrt(2 * self._square), self._leak_of_anybody + self._rounding)

    @property
    def lone_exchange(self) -> Pair:
        """One person's cases exchanged for others, where nobody else takes the path of one of them, or of several.

        A path that one person took is not published but for the chance of the leak, so its count does not show.
        """
        coins = self._coins(both=(self._k, self._k - 1), one=self._k, total=self._total_exchanged)
        return Pair(coins, math.sqrt(2 * self._square), self._leak + self._rounding)

    @property
    def presence(self) -> Pair:
        """One person more or less, on paths that others take too."""
        coins = self._coins(both=(self._k,), one=self._k, total=self._k)
        return Pair(coins, math.sqrt(self._square), self._leak_of_anybody + self._rounding)

    @property
    def lone_presence(self) -> Pair:
        """One person more or less, at least one of whose cases is on a path that nobody else takes."""
        coins = self._coins(both=(self._k - 1,), one=self._k - 1, total=self._k)
        return Pair(coins, math.sqrt(self._square), self._leak + self._rounding)

    @property
    def lone_times(self) -> Pair:
        """Other times and values for a person's cases on whatever paths: the counts do not change."""
        return Pair((), math.sqrt(2 * self._square), self._leak_of_anybody + self._rounding)

    @property
    def rho(self) -> float:
        """The rho of all Gaussian noise together."""
        return math.fsum(cost.rho for cost in self.costs)

    def to_dict(self) -> dict[str, Any]:
        """What the promise is made of, and what was spent on what: may be published.

        Gain and epsilons are those of the terms, from parameters alone, and the largest of the ways that could have
        been taken.
        """
        slack, leak = self.began.slack, self.began.path_leak + self.began.label_leak + self.began.value_leak
        slack = slack if self.began.every_outcome else slack + leak  # strict counts leaks within its slack
        ways = [way.all_spent() for way in self.began.ways or (self.began,)]
        alone = not self.began.publishes_all_paths
        exchanges = [pair for way in ways for pair in (way.exchange, way.lone_exchange)[: 1 + alone]]
        presences = [pair for way in ways for pair in (way.presence, way.lone_presence)[: 1 + alone]]
        return {
            "cases_per_person": self.began.cases_per_person,
            "ratio": float(self.terms.ratio),
            "rho": self.terms.rho,
            "gain": max(pair.gain for pair in exchanges) + self.began.choice.gain,
            "epsilon_presence": min(self.began.epsilon, max(pair.epsilon(slack) for pair in presences)),
            "epsilon_exchange": max(pair.epsilon(slack) for pair in exchanges) + self.began.choice.epsilon(0),
            "slack": slack,
            "costs": [_written(cost) for cost in self.costs],
        }

    def _coins(self, both: tuple[int, ...], one: int, total: int) -> tuple[float, ...]:
        """The coins of all noised numbers that change by so many cases: of paths, of a sum over them, and of all."""
        moved = {2: both, 1: (one,), 0: (total,)}
        return tuple(coin for cost in self.costs if cost.ratio for coin in powers(cost.ratio, *moved[cost.exchanged]))

    @property
    def _k(self) -> int:
        return self.terms.cases_per_person

    @property
    def _total_exchanged(self) -> int:
        """By how many cases an exchange moves the number of all of them, beyond what counts of paths absorb."""
        return 0 if self.terms.counts_paths else self._k - 1

    @property
    def _square(self) -> float:
        return math.fsum(cost.square for cost in self.costs)

    @property
    def _leak(self) -> float:
        return math.fsum(cost.leak for cost in self.costs)

    @property
    def _leak_of_anybody(self) -> float:
        return math.fsum(cost.leak for cost in self.costs if cost.anybody)

    @property
    def _rounding(self) -> float:
        return rounding_slack(sum(cost.cells for cost in self.costs))


def _written(cost: Cost) -> dict[str, Any]:
    """A cost without what it does not have."""
    figures = {"ratio": cost.ratio, "rho": cost.rho, "leak": cost.leak}
    return {"name": cost.name, **{name: figure for name, figure in figures.items() if figure}}


def variation(budget: Budget) -> float:
    """The total variation of whatever may differ, where the set of variants is public."""
    return max(budget.exchange.total_variation, budget.presence.total_variation)


def variation_of_anybody(budget: Budget) -> float:
    """The same, also for people whose path nobody else takes, among whom are all who alone have a label."""
    lone = max(budget.lone_exchange.total_variation, budget.lone_presence.total_variation)
    return max(variation(budget), lone)
