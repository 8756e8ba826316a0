"""Method `strict` (ours): paths taken by many people, with the budget of differential privacy itself.

The pipeline is that of `twin` with paths taken by many. The budget is counted for every set of outcomes, not on
average: whatever comes out, the odds that a person is in the log change by a factor of at most e^epsilon, up to the
slack.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..core.wording import at_most, plain_number
from ..privacy.budget import Terms
from ..privacy.guarantee import Guarantee, Promise
from ..privacy.laws import Pair
from ..privacy.terms import epsilon_for, every_outcome
from .base import METHODS
from .synthetic import PathsOfMany


@METHODS.add
@dataclass(frozen=True)
class Strict(PathsOfMany):
    """Paths taken by many, and a promise for every outcome."""

    name = "strict"
    rank = 2
    title = "paths taken by many, with the budget of differential privacy itself"
    heading = "Paths taken by many, with the budget of differential privacy itself"
    about = "The promise holds for every outcome, not on average. It needs a large log."

    @property
    def terms(self) -> Terms:
        """The budget is counted for every set of outcomes."""
        return every_outcome(self.delta, self.slack, self.unit.most, self.selects)

    def guarantee(self) -> Guarantee:
        """Presence in every outcome; what the case was on average.

        A noised number chooses between several ways to go on. Whichever it chooses, what the choice itself reveals is
        added: to total variations its own, and to an epsilon its own.
        """
        slack, epsilon, terms, unit = self.slack, epsilon_for(self.delta, self.slack), self.terms, self.unit
        several, sets = ("", "") if unit.most == 1 else ("s", "sets of ")
        ways = [each.all_spent() for each in terms.ways]
        choice = terms.choice
        exchanges = [pair for spent in ways for pair in (spent.exchange, spent.lone_exchange)]
        odds = choice.epsilon(0) + max(pair.epsilon(2 * slack) for pair in exchanges)
        unlucky = _unlucky([pair for way in terms.ways for pair in way.following], epsilon, terms.epsilon_of_choice)
        return Guarantee(
            promises=(
                Promise(
                    protects=f"whether {unit.person} is in the log, with whatever case{several}, or not at all",
                    against=f"someone who knows {unit.others}, with all its times,",
                    gain=self.delta,
                    sense=f"whatever comes out, but in at most {at_most(unlucky, 1)} of releases",
                ),
                Promise(
                    protects=f"which of two possible {sets}cases {unit.person} had, path{several}, times, "
                    f"start{several}{'' if not self.columns else ' and values'} together",
                    against="the same attacker, sure that the person is in the log,",
                    gain=choice.gain + max(pair.gain for pair in exchanges),
                    sense="averaged over the noise",
                ),
            ),
            limits=f"Differential privacy with epsilon {at_most(epsilon, 3)} and slack {plain_number(slack)} for "
            f"presence, and with epsilon {at_most(odds, 3)} and slack {plain_number(2 * slack)} for what "
            f"{unit.theirs}. {unit.not_covered}"
            f"{'; at this delta a guess may become certain' if self.delta >= 0.5 else ''}.",
            assumes=(*unit.assumes, *self.values_assumed(), self.labels_assumed()),
            not_protected=(
                *self.not_protected(),
                f"what {unit.theirs}, in every single outcome: the odds of one case against another can grow by "
                f"{at_most(math.exp(odds))} times",
            ),
            bounds=self.bounds(),
            cautions=self.cautions(),
        )


def _unlucky(pairs: list[Pair], epsilon: float, first: float) -> float:
    """The most often that a release multiplies the odds by more than e^epsilon.

    All such releases are a set A with P(A) >= e^epsilon Q(A). For every smaller x, P(A) is at most e^x Q(A) and the
    slack at x, hence at most slack(x) / (1 - e^(x - epsilon)). Of that, `first` is for what chooses the way.
    """

    def bound(less: float) -> float:
        slack = max(pair.slack(epsilon - less - first) for pair in pairs)
        return slack / -math.expm1(-less)

    return min(bound(part / 100 * epsilon) for part in range(1, 100))
