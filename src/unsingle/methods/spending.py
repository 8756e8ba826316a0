"""How `strict` shares its budget among its mechanisms.

All shares were chosen by what measured best on public logs, never by the log that is released.
"""

from __future__ import annotations

import math

import numpy as np

from ..accounting import Budget, Cost
from ..options import Options
from ..ragged import Ints
from ..randomness import Randomness
from . import selection
from .tallies import Noisy, noised

# Shares of the whole epsilon; what is left goes to the tallies.
_COUNTING, _SELECTION = 0.02, 0.5

CASES, CROWDED = "how many cases there are", "how many cases share a path with a crowd"
STEPS, ENDS, STARTS = "which steps there are", "how paths begin and end, and their lengths", "when cases begin"
ANY_TIMES, ACTIVITY_TIMES, PAIR_TIMES = (f"how long steps take, {by}" for by in ("all", "by activity", "by pair"))

PLANS: dict[str, dict[str, float]] = {
    "crowds": {STARTS: 0.10, ANY_TIMES: 0.05, ACTIVITY_TIMES: 0.15, PAIR_TIMES: 0.70},
    "crowds and walks": {
        STEPS: 0.20, ENDS: 0.08, STARTS: 0.08, ANY_TIMES: 0.04, ACTIVITY_TIMES: 0.10, PAIR_TIMES: 0.50,
    },
    "walks": {STEPS: 0.50, ENDS: 0.06, STARTS: 0.08, ANY_TIMES: 0.04, ACTIVITY_TIMES: 0.10, PAIR_TIMES: 0.22},
}  # fmt: skip
"""How the tallies share their rho, in each of the ways in which a release can be made."""


class Spending:
    """What each mechanism may spend, and the budget in which it is written down."""

    def __init__(self, options: Options) -> None:
        self.budget = Budget(options.exact_delta, options.slack)
        self._plan: dict[str, float] = {}
        self._rho = 0.0

    def count(self, name: str, true: int, random: Randomness) -> int:
        """A noised number that one case changes by at most one: discrete Laplace noise of scale 1/epsilon.

        *Proof.* P(z) ~ e^(-epsilon abs(z)), so a shift by one changes the chance of any outcome by a factor of at most
        e^epsilon. What is below 0 is put to 0, which does not look at the log again.
        """
        epsilon = self.counting(name)
        return max(0, true + int(random.discrete_laplace(np.array([1 / epsilon]))[0]))

    def counting(self, name: str) -> float:
        """Spend the share of a number. An exchanged case leaves the number of cases as it is.

        (Or, if one of the two has no public label at all, changes nothing but that number, and by one.)
        """
        epsilon = _COUNTING * self.budget.epsilon
        swapped = 0.0 if name == CASES else math.tanh(epsilon / 2)
        self.budget.spend(Cost(name, epsilon=epsilon, swapped=swapped))
        return epsilon

    def selecting(self) -> tuple[float, float]:
        """Epsilon and slack of the selection."""
        epsilon, slack = self.selection
        self.budget.spend(selection.cost(epsilon, slack))
        return epsilon, slack

    @property
    def selection(self) -> tuple[float, float]:
        """What a selection would cost."""
        return _SELECTION * self.budget.epsilon, self.budget.slack / 2

    def follow(self, plan: str) -> None:
        """Share all that is left by this plan."""
        self._plan, self._rho = PLANS[plan], self.budget.rho_left

    def tally(self, name: str, total: Ints, random: Randomness) -> Noisy:
        """The sums of a tally, noised by its share."""
        return noised(total, self.rho(name), random)

    def rho(self, name: str) -> float:
        """Spend the share of a tally."""
        rho = self._plan[name] * self._rho * (1 - 1e-9)
        self.budget.spend(Cost(name, rho=rho))
        return rho
