"""What a release by `strict` costs, mechanism by mechanism: the sum is computed from the parts, never asserted.

Two logs are neighbours if one has one whole case that the other has not. A mechanism is (epsilon, slack)-private if for
every set of outcomes its chance with one of them is at most e^epsilon times that with the other, plus slack.
Mechanisms that run one after the other, each choosing its parameters by what came out before, cost the sum of their
epsilons and of their slacks.

Discrete Gaussian noise is counted in rho (zero-concentrated privacy; Bun and Steinke 2016): rhos add up, and the whole
is turned into one (epsilon, slack) by the formula of Canonne, Kamath and Steinke (2020).

An attacker who held "this person is in the log" for likely with a chance P holds it after the release for likely with
at most ``P e^epsilon / (1 - P + P e^epsilon)``, up to the slack. The rise is largest, tanh(epsilon/4), at
P = 1/(1 + e^(epsilon/2)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from .errors import ParameterError

SLACK = 1e-6
"""What is granted beyond epsilon, unless another is asked for: about the chance with which a release tells more."""

_ROUNDING = 1e-9  # sums of floating-point costs may be off by so much of the whole


@dataclass(frozen=True)
class Cost:
    """What one mechanism spends.

    `epsilon` and `slack` of noise from a discrete Laplace distribution, or `rho` of discrete Gaussian noise.
    `swapped` bounds how far its outcomes move, as a total variation, if one case is exchanged for another.
    """

    name: str
    epsilon: float = 0.0
    slack: float = 0.0
    rho: float = 0.0
    swapped: float = 0.0


class Overspent(Exception):  # noqa: N818 - it is a bug of ours, not an error of the user's
    """A mechanism asked for more than is left: nothing may be released."""


class Budget:
    """What may be spent for a delta, and what was.

    >>> budget = Budget(Fraction(1, 5))
    >>> round(budget.epsilon, 3), budget.slack
    (0.811, 1e-06)
    >>> budget.spend(Cost("a count", epsilon=0.8))
    >>> budget.spend(Cost("another", epsilon=0.1))
    Traceback (most recent call last):
    ...
    unsingle.accounting.Overspent: another: 0.9 would be spent of 0.810926
    """

    def __init__(self, delta: Fraction, slack: float = SLACK) -> None:
        self.epsilon = epsilon_for(delta, slack)
        self.slack = slack
        self.costs: list[Cost] = []

    def spend(self, cost: Cost) -> None:
        """Write a cost down; raises `Overspent` if it is not within the budget."""
        self.costs.append(cost)
        slack = math.fsum(each.slack for each in self.costs)
        if self.spent > self.epsilon * (1 + _ROUNDING):
            raise Overspent(f"{cost.name}: {self.spent:g} would be spent of {self.epsilon:g}")
        if slack > self.slack * (1 + _ROUNDING):
            raise Overspent(f"{cost.name}: a slack of {slack:g} would be spent of {self.slack:g}")

    @property
    def slack_left(self) -> float:
        """What no mechanism has spent: it is for turning rho into epsilon."""
        return max(0.0, self.slack - math.fsum(each.slack for each in self.costs))

    @property
    def rho(self) -> float:
        """The rho of all Gaussian noise together."""
        return math.fsum(each.rho for each in self.costs)

    @property
    def spent(self) -> float:
        """The epsilon of everything together."""
        pure = math.fsum(each.epsilon for each in self.costs)
        return pure + (epsilon_of_rho(self.rho, self.slack_left) if self.rho else 0.0)

    @property
    def rho_left(self) -> float:
        """How much rho could still be spent."""
        pure = math.fsum(each.epsilon for each in self.costs)
        return max(0.0, rho_for(self.epsilon - pure, self.slack_left) - self.rho)

    @property
    def delta(self) -> float:
        """The most that what was spent adds to a chance: tanh(epsilon/4), and the slack."""
        return math.tanh(self.spent / 4) + self.slack

    @property
    def present_gain(self) -> float:
        """The most that a guess whether a person is in the log gains, on average over the noise.

        Half the total variation: an epsilon-private mechanism has at most tanh(epsilon/2), one with slack that much
        more, and Gaussian noise sqrt(rho / 2), as below.
        """
        pure = math.fsum(math.tanh(each.epsilon / 2) + each.slack for each in self.costs)
        return min(0.5, (pure + math.sqrt(self.rho / 2)) / 2)

    @property
    def swapped_gain(self) -> float:
        """The most that a guess between two cases that a person may have had gains, on average over the noise.

        A yes/no guess gains at most half the total variation, and that of several mechanisms is at most their sum.
        Exchanging one case moves a count vector of norm 1 without negative parts by at most the square root of 2, so
        it costs twice the rho; and the total variation is at most sqrt(KL / 2) (Pinsker), with a divergence KL of at
        most that rho.
        """
        gaussian = math.sqrt(self.rho)
        return min(0.5, (math.fsum(each.swapped for each in self.costs) + gaussian) / 2)


def epsilon_for(delta: Fraction, slack: float = SLACK) -> float:
    """The epsilon that lifts any prior by at most delta less the slack: 2 ln((1 + d) / (1 - d))."""
    if not 0 < slack < float(delta):
        raise ParameterError(f"slack must lie between 0 and delta (not {slack:g}); {SLACK:g} is usual")
    d = delta - Fraction(slack)
    return 2 * math.log((1 + d) / (1 - d))


@lru_cache(maxsize=1024)
def epsilon_of_rho(rho: float, slack: float) -> float:
    """The least epsilon for which rho-concentrated noise is (epsilon, slack)-private, by the formula of `_slack_of`.

    >>> round(epsilon_of_rho(0.01, 1e-6), 3)
    0.622
    """
    low, high = 0.0, rho + 2 * math.sqrt(rho * math.log(1 / slack))  # the simpler bound of Bun and Steinke
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if _slack_of(rho, middle) <= slack else (middle, high)
    return high


@lru_cache(maxsize=1024)
def rho_for(epsilon: float, slack: float) -> float:
    """The most rho that is (epsilon, slack)-private.

    >>> round(epsilon_of_rho(rho_for(0.4, 1e-6), 1e-6), 6)
    0.4
    """
    if epsilon <= 0 or slack <= 0:
        return 0.0
    low, high = 0.0, epsilon
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _slack_of(middle, epsilon) <= slack else (low, middle)
    return low


_ORDERS = 1 + np.exp(np.linspace(-5, 16, 8000))


def _slack_of(rho: float, epsilon: float) -> float:
    """The slack of rho-concentrated noise at this epsilon (Canonne, Kamath and Steinke 2020, Prop. 7 and Cor. 13).

    The bound holds for every order above 1, so the least of many orders is one too.
    """
    a = _ORDERS
    exponent = (a - 1) * (a * rho - epsilon) - np.log(a - 1) + a * np.log1p(-1 / a)
    return math.exp(min(0.0, float(exponent.min())))
