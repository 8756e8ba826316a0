"""What several releases of the same people reveal together, from what each of them may have spent.

*What counts.* Not what a release happened to spend, but all that its terms allow. That is fixed before anything is
drawn, and composition needs it so; it also counts a release that was refused half-way, or a run that was killed.

*Exchange.* Between two possible lives of one person, release i may see a case exchanged for another, or a case more or
less, or nothing. An exchange is RR(a_i^k) x RR(a_i^k) x G at 2 sqrt(rho_i) (`budget`); one case more or less is
RR(a_i^k) x RR(b_i^k) x G at sqrt(2 rho_i), which it dominates because b_i >= a_i. So whatever the person's life means
in each log, the releases together are dominated by the product of all RR(a_i^k) x RR(a_i^k), one G at 2 sqrt(sum of
rho_i), and the sum of the leaks (`laws.composed`). *Presence*, in all logs or in none: the product of all RR(a_i^k) x
RR(b_i^k) and G at sqrt(2 sum of rho_i), and the same leaks.

*Several ways.* Where noised numbers choose how `strict` goes on, each way is dominated by one pair: the coins of the
way with the smallest ratio, the mu of the way with the largest rho, the largest leaks. The numbers that choose are
coins too, and stand in the product.

*Every outcome.* Epsilons and slacks add up too (basic composition), and so do total variations. Of two bounds that both
hold, the smaller is taken.

*People alone on a path* count with the leaks of all releases, as if they were on shared paths: that dominates both.
Where a release publishes all paths, nothing is said of them, as in the release alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .budget import Budget, Terms, powers
from .laws import Pair, composed


@dataclass(frozen=True)
class Spent:
    """All that a release may have spent: the pairs that dominate it, and what it promises alone.

    `square` is how far the tallies move for one person more, in deviations of the noise, squared; twice that for an
    exchange.
    """

    exchange: tuple[float, ...]
    presence: tuple[float, ...]
    square: float
    leak: float
    gain: float
    epsilon_presence: float
    epsilon_exchange: float
    slack: float
    every_outcome: bool
    publishes_all_paths: bool
    cases_per_person: int

    @classmethod
    def of(cls, terms: Terms, delta: float) -> Spent:
        """What a release on these terms may spend.

        >>> from .terms import same_paths
        >>> spent = Spent.of(same_paths(0.2), 0.2)
        >>> round(spent.exchange[0], 4), round(spent.square / 2, 4), round(spent.gain, 3)
        (0.6363, 0.1701, 0.2)
        """
        ways = terms.ways or (terms,)
        k, least = terms.cases_per_person, min((way for way in ways if way.counts_paths), key=lambda way: way.ratio)
        coins = () if terms.choice_ratio is None else powers(terms.choice_ratio, k)
        total = powers(terms.total_ratio, k - 1) if terms.ways else ()  # where counts of paths may not absorb it
        alone = terms.all_spent().to_dict()
        exchange = math.fsum((max(map(_exchanged, ways)), terms.choice.gain))
        return cls(
            exchange=(*coins, *total, *powers(least.ratio, k, k)),
            presence=(*coins, *powers(least.ratio, k), *powers(terms.total_ratio, k)),
            square=2 * max(way.rho for way in ways),
            leak=max(_leak(way.all_spent()) for way in ways),
            gain=exchange if terms.every_outcome else min(delta, exchange),
            epsilon_presence=alone["epsilon_presence"],
            epsilon_exchange=alone["epsilon_exchange"],
            slack=alone["slack"],
            every_outcome=terms.every_outcome,
            publishes_all_paths=terms.publishes_all_paths,
            cases_per_person=k,
        )

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Spent:
        """As `to_dict` writes it; raises `ValueError`, `TypeError` or `KeyError` for anything else."""
        spent = cls(**{**written, "exchange": tuple(written["exchange"]), "presence": tuple(written["presence"])})
        coins = all(0 < ratio <= 1 for ratio in (*spent.exchange, *spent.presence))
        figures = (spent.square, spent.leak, spent.gain, spent.epsilon_presence, spent.epsilon_exchange, spent.slack)
        if not coins or not all(figure >= 0 for figure in figures) or spent.cases_per_person < 1:
            raise ValueError("no release spends this")
        return spent

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @property
    def exchanged(self) -> Pair:
        """What dominates the release where one person's life is exchanged for another."""
        return Pair(self.exchange, math.sqrt(2 * self.square), self.leak)

    @property
    def present(self) -> Pair:
        """What dominates it where a person is in the log or not."""
        return Pair(self.presence, math.sqrt(self.square), self.leak)


def _exchanged(way: Terms) -> float:
    """What a guess about one case or another may gain, also about people alone on a path if they are promised it."""
    spent = way.all_spent()
    pairs = (spent.exchange,) if way.publishes_all_paths else (spent.exchange, spent.lone_exchange)
    return max(pair.gain for pair in pairs)


def _leak(budget: Budget) -> float:
    return math.fsum(cost.leak for cost in budget.costs)


@dataclass(frozen=True)
class Together:
    """What releases of the same people may add to an attacker's chance, all together.

    `gain` is for any yes/no question about one person that was fixed before the first of them, on average over the
    noise of all; `in_every_outcome`, for whether a person is in the logs, whatever comes out but for `slack`, if every
    release promises so.
    """

    releases: int
    gain: float
    in_every_outcome: float | None
    epsilon_presence: float
    epsilon_exchange: float
    slack: float
    publishes_all_paths: bool
    cases_per_person: int

    @classmethod
    def of(cls, spent: Sequence[Spent], deltas: Sequence[float]) -> Together:
        """All of these releases, made with these deltas.

        >>> from .terms import same_paths
        >>> once = Spent.of(same_paths(0.1), 0.1)
        >>> [round(Together.of([once] * n, [0.1] * n).added, 3) for n in (1, 2, 3, 4, 5)]
        [0.1, 0.14, 0.169, 0.193, 0.214]
        """
        slack = math.fsum(each.slack for each in spent)
        exchanged, present = (composed(pairs) for pairs in _pairs(spent))
        presence = min(math.fsum(each.epsilon_presence for each in spent), present.epsilon(slack))
        exchange = min(math.fsum(each.epsilon_exchange for each in spent), exchanged.epsilon(slack))
        outcome = None
        if all(each.every_outcome for each in spent):
            outcome = deltas[0] if len(spent) == 1 else min(1.0, math.tanh(presence / 4) + slack)
        return cls(
            releases=len(spent),
            gain=min(0.5, math.fsum(each.gain for each in spent), *_gain(exchanged, spent)),
            in_every_outcome=outcome,
            epsilon_presence=presence,
            epsilon_exchange=exchange,
            slack=slack,
            publishes_all_paths=any(each.publishes_all_paths for each in spent),
            cases_per_person=min(each.cases_per_person for each in spent),
        )

    @property
    def added(self) -> float:
        """The most that all may add, in the sense in which delta is meant: what a limit is held against."""
        return self.gain if self.in_every_outcome is None else self.in_every_outcome


def _pairs(spent: Sequence[Spent]) -> tuple[list[Pair], list[Pair]]:
    return [each.exchanged for each in spent], [each.present for each in spent]


def _gain(exchanged: Pair, spent: Sequence[Spent]) -> tuple[float, ...]:
    """The bound of the product; one release alone has its own promise, which tells people alone on a path apart."""
    return (exchanged.gain,) if len(spent) > 1 else ()
