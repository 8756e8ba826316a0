"""Terms worked out from delta, before anything is drawn: one function for each promise of `twin` and `strict`.

- `same_paths` (twin): the set of variants is public. No yes/no guess gains more than delta on average: the total
  variation of an exchange of one case for another is at most 2 delta.
- `paths_of_many` (twin, paths taken by many): the same, and nothing depends on a path that only one person took, except
  with a chance of `leak` that it is published.
- `every_outcome` (strict): like `paths_of_many`, but (epsilon, slack)-differential privacy for whether a person is in
  the log, with the epsilon that lifts any prior by at most delta less the slack.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

from ..errors import ParameterError, argument
from .budget import SLACK, Budget, Terms, powers, variation, variation_of_anybody
from .laws import Pair

LEAST_SLACK = 1e-12
"""A smaller one cannot be computed with."""

_TIMES = 0.8  # of 2 delta goes to tallies: because counts are estimated, they need little; measured on public logs
_TOTAL = Fraction(9, 10)  # the number of cases is known to some 13
_PATH_LEAK, _LABEL_LEAK, _VALUE_LEAK = 1e-5, 1e-5, 1e-5  # how often a lone path, label or value is published
_TOTAL_OF_STRICT, _CHOICE_OF_STRICT = 0.03, 0.03  # of epsilon
_PATHS_OF_STRICT = (0.0, 0.40, 0.75)  # of epsilon, where few, some or most people share their path
_PATH_SLACK, _LABEL_SLACK = 0.4, 0.1  # of the slack; the rest is for turning Gaussian noise into epsilon
_LABEL_SLACK_ALONE = 0.3  # where no path is published
_VALUE_SLACK = 0.2  # of the slack, where values of columns are selected
_CERTAIN = 0.98  # at larger total variations there would be nearly no noise at all
_FINE = 10**6  # ratios are fractions of this denominator, rounded towards more noise


@lru_cache(maxsize=256)
def same_paths(delta: float, slack: float = SLACK, cases_per_person: int = 1, selects: bool = False) -> Terms:
    """The terms of `twin`: the set of variants is public, and no yes/no guess gains more than delta on average.

    `selects` says whether values of columns are published because many people have them.

    >>> terms = same_paths(0.2)
    >>> round(float(terms.ratio), 4), round(terms.rho, 4)
    (0.6363, 0.1701)
    >>> round(float(same_paths(0.2, cases_per_person=5).ratio) ** 5, 4)
    0.6363
    """
    limit, rho, k, leak = _limit(delta), _rho(delta), cases_per_person, selects * _VALUE_LEAK

    def holds(a: float) -> bool:
        return Pair((a**k, a**k), 2 * math.sqrt(rho), leak).total_variation <= limit

    ratio = _least_ratio(holds, delta, k)
    return Terms(
        ratio, max(_TOTAL, ratio), rho, limit, variation, slack, value_leak=leak, publishes_all_paths=True,
        cases_per_person=k,
    )  # fmt: skip


def _limit(delta: float) -> float:
    """The total variation that there may be."""
    return min(2 * delta, _CERTAIN)


def _rho(delta: float) -> float:
    """The rho at which tallies alone have their part of that total variation."""
    return NormalDist().inv_cdf((1 + _TIMES * _limit(delta)) / 2) ** 2


@lru_cache(maxsize=256)
def paths_of_many(delta: float, slack: float = SLACK, cases_per_person: int = 1, selects: bool = False) -> Terms:
    """The terms of `twin` with paths taken by many: no guess about anybody gains more than delta on average."""
    limit, rho, k = _limit(delta), _rho(delta), cases_per_person
    of_value, mu = selects * _VALUE_LEAK, 2 * math.sqrt(rho)
    leak = _PATH_LEAK + _LABEL_LEAK + of_value
    if Pair((), mu, leak).total_variation > limit:
        raise ParameterError(
            f"delta {delta:g} is too small for paths taken by many: in {leak:g} of releases a lone path or label is "
            "published, which is counted; take 0.001 or more"
        )

    def holds(a: float) -> bool:
        of_shared = of_value + (_LABEL_LEAK if k > 1 else 0.0)
        shared, lone = Pair((a**k, a**k), mu, of_shared), Pair(powers(a, k, k - 1), mu, leak)
        return max(shared.total_variation, lone.total_variation) <= limit

    ratio = _least_ratio(holds, delta, k)
    return Terms(
        ratio, max(_TOTAL, ratio), rho, limit, variation_of_anybody, slack, _PATH_LEAK, _LABEL_LEAK, of_value,
        cases_per_person=k,
    )  # fmt: skip


@lru_cache(maxsize=256)
def every_outcome(delta: float, slack: float = SLACK, cases_per_person: int = 1, selects: bool = False) -> Terms:
    """The terms of `strict`: differential privacy for whether a person is in the log, whatever comes out.

    A log in which few people share their path has no use for the noised counts of paths, and one in which most do has
    much. Which it is, two noised numbers say, that of all cases and that of cases on paths of many. They take their
    parts of epsilon first: whatever they say, what follows keeps within the epsilon that is left, and so all together
    within all of it.

    >>> terms = every_outcome(0.2)
    >>> round(float(terms.ratio), 3), round(terms.rho, 5)
    (0.723, 0.00638)
    """
    epsilon, k = epsilon_for(delta, slack), cases_per_person
    total, choice = (_rounded_up(math.exp(-part * epsilon / k)) for part in (_TOTAL_OF_STRICT, _CHOICE_OF_STRICT))
    if total == 1 or choice == 1:
        raise _too_many_cases(delta, k)
    left = epsilon + k * math.log(total) + k * math.log(choice)

    def measure(budget: Budget) -> float:
        return max(budget.presence.slack(epsilon), budget.lone_presence.slack(epsilon))

    def way(share: float) -> Terms:
        leaks = (_PATH_SLACK * slack, _LABEL_SLACK * slack) if share else (0.0, _LABEL_SLACK_ALONE * slack)
        empty = Terms(
            _rounded_up(math.exp(-share * epsilon / k)), total, 0.0, slack, measure, slack, *leaks,
            selects * _VALUE_SLACK * slack,
            counts_paths=share > 0, every_outcome=True, choice_ratio=choice, epsilon=epsilon, cases_per_person=k,
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


def _least_ratio(holds: Callable[[float], bool], delta: float, cases_per_person: int) -> Fraction:
    """The least ratio for which something holds that holds for all larger ones, rounded up."""
    low, high = 0, _FINE - 1
    if not holds(high / _FINE):
        raise _too_many_cases(delta, cases_per_person)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle / _FINE) else (middle, high)
    return Fraction(high, _FINE)


def _too_many_cases(delta: float, cases_per_person: int) -> ParameterError:
    """Noise so wide is not drawn."""
    if cases_per_person == 1:
        return ParameterError(f"delta {delta:g} is too small: the noise would be larger than any count; take 0.001")
    return ParameterError(
        f"delta {delta:g} is too small for people with {cases_per_person:,} cases: the noise would be larger than any "
        f"count; take a larger delta or fewer {argument('cases_per_person')}"
    )


def _rounded_up(ratio: float) -> Fraction:
    return Fraction(math.ceil(ratio * _FINE), _FINE)


def _most(holds: Callable[[float], bool], high: float) -> float:
    """The largest number below `high` for which something holds that holds for all smaller ones."""
    low = 0.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
