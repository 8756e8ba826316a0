"""What a release by `twin` or `strict` may spend, and what it spent: the sum is computed from the parts.

Two logs are neighbours if they differ in one case: its path, its times, or whether it is there at all. From delta the
*terms* work out how much noise there must be, before anything is drawn:

- `same_paths` (twin): the set of variants is public. No yes/no guess gains more than delta on average: the total
  variation of an exchange of one case for another is at most 2 delta.
- `paths_of_many` (twin, paths taken by many): the same, and nothing depends on a path that only one person took, except
  with a chance of `leak` that it is published.
- `every_outcome` (strict): like `paths_of_many`, but (epsilon, slack)-differential privacy for whether a person is in
  the log, with the epsilon that lifts any prior by at most delta less the slack.

Each mechanism writes its `Cost` into the one `Budget`, which refuses to go beyond its terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from ..errors import ParameterError
from .laws import Pair, rounding_slack

SLACK = 1e-6
"""What is granted beyond epsilon, unless another is asked for."""

LEAST_SLACK = 1e-12
"""A smaller one cannot be computed with."""

UNIT = 1 << 14
"""A case's weight of 1 in a tally, in whole parts."""

_TIMES = 0.8  # of 2 delta goes to tallies: because counts are estimated, they need little; measured on public logs
_TOTAL = Fraction(9, 10)  # the number of cases is known to some 13
_PATH_LEAK, _LABEL_LEAK = 1e-5, 1e-5  # in so many releases, on average, a lone path or a lone label is published
_TOTAL_OF_STRICT, _CHOICE_OF_STRICT = 0.03, 0.03  # of epsilon
_PATHS_OF_STRICT = (0.0, 0.40, 0.75)  # of epsilon, where few, some or most people share their path
_PATH_SLACK, _LABEL_SLACK = 0.4, 0.1  # of the slack; the rest is for turning Gaussian noise into epsilon
_LABEL_SLACK_ALONE = 0.3  # where no path is published
_CERTAIN = 0.98  # at larger total variations there would be nearly no noise at all
_FINE = 10**6  # ratios are fractions of this denominator, rounded towards more noise
_ROUNDING = 1e-9  # sums of floating-point costs may be off by so much of the whole


@dataclass(frozen=True)
class Cost:
    """What one mechanism spends: the ratio of geometric noise, or the rho of Gaussian noise, or the chance of a leak.

    `square` is UNIT^2 / (s^2 - 4) for Gaussian noise of deviation s: how far a vector of length 1 moves, squared.
    `exchanged` says how many of the noised numbers change by one if one case is exchanged for another: two of the
    counts of variants, none of the number of all cases, and one where a sum over variants is noised.
    """

    name: str
    ratio: float | None = None
    rho: float = 0.0
    square: float = 0.0
    cells: int = 0
    leak: float = 0.0
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

    @property
    def choice(self) -> Pair:
        """What the choice between several ways reveals by itself."""
        return Pair(() if self.choice_ratio is None else (float(self.choice_ratio),))

    @property
    def threshold(self) -> int:
        """The least noised count at which a path is published: a lone one reaches it with at most `path_leak`.

        1 + Z >= t has the chance a^(t-1) / (1+a).

        >>> paths_of_many(0.2).threshold
        26
        """
        a = float(self.ratio)
        return 1 + math.ceil(math.log(self.path_leak * (1 + a)) / math.log(a))

    @property
    def following(self) -> tuple[Pair, Pair]:
        """What follows where noised numbers have chosen this way: one case more or less, on a shared path or alone."""
        mu = math.sqrt(2 * self.rho)
        return Pair((float(self.ratio),) if self.counts_paths else (), mu), Pair(
            (), mu, self.path_leak + self.label_leak
        )

    def all_spent(self) -> Budget:
        """The budget of a release that spends everything that the terms allow."""
        budget = Budget(self)
        budget.spend(Cost("how many cases there are", ratio=float(self.total_ratio), exchanged=0))
        if self.choice_ratio is not None:
            budget.spend(Cost("how many cases are on paths of many", ratio=float(self.choice_ratio), exchanged=1))
        if self.counts_paths:
            budget.spend(Cost("how many cases take each path", ratio=float(self.ratio), leak=self.path_leak))
        budget.spend(Cost("all tallies", rho=self.rho, square=2 * self.rho, leak=self.label_leak))
        return budget


class Budget:
    """What was spent, mechanism by mechanism, held against the terms.

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
        """One case exchanged for another, both on paths that others take too.

        Two vectors of length at most 1 without negative parts are at most the square root of 2 apart.
        """
        return Pair(self._coins(lambda cost: cost.exchanged), math.sqrt(2 * self._square), self._rounding)

    @property
    def lone_exchange(self) -> Pair:
        """One case exchanged for another, where nobody else takes the path of one of them, or both.

        A path that one person took is not published but for the chance of the leak, so one count at most changes.
        """
        coins = self._coins(lambda cost: min(1, cost.exchanged))
        return Pair(coins, math.sqrt(2 * self._square), self._leak + self._rounding)

    @property
    def presence(self) -> Pair:
        """One case more or less, on a path that others take too."""
        return Pair(self._coins(lambda _: 1), math.sqrt(self._square), self._rounding)

    @property
    def lone_presence(self) -> Pair:
        """One case more or less, on a path that nobody else takes: of the counts only that of all cases changes."""
        coins = self._coins(lambda cost: int(cost.exchanged == 0))
        return Pair(coins, math.sqrt(self._square), self._leak + self._rounding)

    @property
    def lone_times(self) -> Pair:
        """Other times for a case on whatever path: the counts do not change."""
        return Pair((), math.sqrt(2 * self._square), self._rounding)

    @property
    def rho(self) -> float:
        """The rho of all Gaussian noise together."""
        return math.fsum(cost.rho for cost in self.costs)

    def to_dict(self) -> dict[str, Any]:
        """What the promise is made of, and what was spent on what: may be published.

        Gain and epsilons are those of the terms, from parameters alone, and the largest of the ways that could have
        been taken.
        """
        slack, leak = self.began.slack, self.began.path_leak + self.began.label_leak
        ways = [way.all_spent() for way in self.began.ways or (self.began,)]
        return {
            "ratio": float(self.terms.ratio),
            "rho": self.terms.rho,
            "gain": max(way.exchange.gain for way in ways) + self.began.choice.gain,
            "epsilon_presence": min(self.began.epsilon, max(way.presence.epsilon(slack) for way in ways)),
            "epsilon_exchange": max(way.exchange.epsilon(slack) for way in ways) + self.began.choice.epsilon(0),
            "slack": slack if self.began.every_outcome else slack + leak,
            "costs": [_written(cost) for cost in self.costs],
        }

    def _coins(self, changed: Callable[[Cost], int]) -> tuple[float, ...]:
        """The ratio of each noised number that changes, as often as it does."""
        return tuple(ratio for cost in self.costs if (ratio := cost.ratio) for _ in range(changed(cost)))

    @property
    def _square(self) -> float:
        return math.fsum(cost.square for cost in self.costs)

    @property
    def _leak(self) -> float:
        return math.fsum(cost.leak for cost in self.costs)

    @property
    def _rounding(self) -> float:
        return rounding_slack(sum(cost.cells for cost in self.costs))


def _written(cost: Cost) -> dict[str, Any]:
    """A cost without what it does not have."""
    figures = {"ratio": cost.ratio, "rho": cost.rho, "leak": cost.leak}
    return {"name": cost.name, **{name: figure for name, figure in figures.items() if figure}}


def _average(budget: Budget) -> float:
    """The total variation of whatever may differ, where the set of variants is public."""
    return max(budget.exchange.total_variation, budget.presence.total_variation)


def _average_of_anybody(budget: Budget) -> float:
    """The same, also for people whose path nobody else takes, among whom are all who alone have a label."""
    lone = max(budget.lone_exchange.total_variation, budget.lone_presence.total_variation)
    return max(_average(budget), lone)


@lru_cache(maxsize=256)
def same_paths(delta: float, slack: float = SLACK) -> Terms:
    """The terms of `twin`: the set of variants is public, and no yes/no guess gains more than delta on average.

    >>> terms = same_paths(0.2)
    >>> round(float(terms.ratio), 4), round(terms.rho, 4)
    (0.6363, 0.1701)
    """
    limit, rho = _limit(delta), _rho(delta)
    ratio = _least_ratio(lambda a: Pair((a, a), 2 * math.sqrt(rho)).total_variation <= limit)
    return Terms(ratio, max(_TOTAL, ratio), rho, limit, _average, slack, publishes_all_paths=True)


def _limit(delta: float) -> float:
    """The total variation that there may be."""
    return min(2 * delta, _CERTAIN)


def _rho(delta: float) -> float:
    """The rho at which tallies alone have their part of that total variation."""
    return NormalDist().inv_cdf((1 + _TIMES * _limit(delta)) / 2) ** 2


@lru_cache(maxsize=256)
def paths_of_many(delta: float, slack: float = SLACK) -> Terms:
    """The terms of `twin` with paths taken by many: no guess about anybody gains more than delta on average."""
    limit, rho = _limit(delta), _rho(delta)
    leak, mu = _PATH_LEAK + _LABEL_LEAK, 2 * math.sqrt(rho)
    ratio = _least_ratio(lambda a: max(Pair((a, a), mu).total_variation, Pair((a,), mu, leak).total_variation) <= limit)
    terms = Terms(ratio, max(_TOTAL, ratio), rho, limit, _average_of_anybody, slack, _PATH_LEAK, _LABEL_LEAK)
    if Pair((float(ratio),), mu, leak).total_variation > limit:
        raise ParameterError(
            f"delta {delta:g} is too small for paths taken by many: in {leak:g} of releases a lone path or label is "
            "published, which is counted; take 0.001 or more"
        )
    return terms


@lru_cache(maxsize=256)
def every_outcome(delta: float, slack: float = SLACK) -> Terms:
    """The terms of `strict`: differential privacy for whether a person is in the log, whatever comes out.

    A log in which few people share their path has no use for the noised counts of paths, and one in which most do has
    much. Which it is, two noised numbers say, that of all cases and that of cases on paths of many. They take their
    parts of epsilon first: whatever they say, what follows keeps within the epsilon that is left, and so all together
    within all of it.

    >>> terms = every_outcome(0.2)
    >>> round(float(terms.ratio), 3), round(terms.rho, 5)
    (0.723, 0.00638)
    """
    epsilon = epsilon_for(delta, slack)
    total, choice = (_rounded_up(math.exp(-part * epsilon)) for part in (_TOTAL_OF_STRICT, _CHOICE_OF_STRICT))
    left = epsilon + math.log(total) + math.log(choice)

    def measure(budget: Budget) -> float:
        return max(budget.presence.slack(epsilon), budget.lone_presence.slack(epsilon))

    def way(share: float) -> Terms:
        leaks = (_PATH_SLACK * slack, _LABEL_SLACK * slack) if share else (0.0, _LABEL_SLACK_ALONE * slack)
        empty = Terms(
            _rounded_up(math.exp(-share * epsilon)), total, 0.0, slack, measure, slack, *leaks,
            counts_paths=share > 0, every_outcome=True, choice_ratio=choice, epsilon=epsilon,
        )  # fmt: skip

        def holds(rho: float) -> bool:
            return max(pair.slack(left) for pair in replace(empty, rho=rho).following) <= slack

        return replace(empty, rho=_most(holds, 4.0))

    ways = tuple(way(share) for share in _PATHS_OF_STRICT)
    return replace(ways[1], ways=ways)


def epsilon_for(delta: float, slack: float = SLACK) -> float:
    """The epsilon that lifts any prior by at most delta less the slack: 2 ln((1 + d) / (1 - d)).

    An attacker whose prior that a person is in the log is P has afterwards, up to the slack, a posterior of at most
    P e^epsilon / (1 - P + P e^epsilon). The rise is largest, tanh(epsilon/4), at P = 1 / (1 + e^(epsilon/2)).

    >>> round(epsilon_for(0.2), 3)
    0.811
    """
    if not LEAST_SLACK <= slack < delta:
        raise ParameterError(f"slack must lie between {LEAST_SLACK:g} and delta (not {slack:g}); {SLACK:g} is usual")
    d = delta - slack
    return 2 * math.log((1 + d) / (1 - d))


def _least_ratio(holds: Callable[[float], bool]) -> Fraction:
    """The least ratio for which something holds that holds for all larger ones, rounded up."""
    low, high = 0, _FINE - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle / _FINE) else (middle, high)
    return Fraction(high, _FINE)


def _rounded_up(ratio: float) -> Fraction:
    return Fraction(math.ceil(ratio * _FINE), _FINE)


def _most(holds: Callable[[float], bool], high: float) -> float:
    """The largest number below `high` for which something holds that holds for all smaller ones."""
    low = 0.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
