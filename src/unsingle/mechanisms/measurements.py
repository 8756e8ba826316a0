"""The only way from a log to a release: every figure that passes is noised here, and its cost is recorded.

*Counts.* One case more changes one count by one; an exchange changes two. Two-sided geometric noise of ratio a: see
`privacy.laws` for what that costs, exactly, and `privacy.budget` for people with several cases.

*Tallies.* Each person has a vector of Euclidean length at most 1 without negative parts (`tallies`). The vectors are
added up in whole parts of a unit, and every sum, whether some case has it or not, gets discrete Gaussian noise of
deviation s units. One person more moves the sums by at most 1, an exchange by at most the square root of 2. s is so
large that UNIT^2 / (s^2 - 4) is at most 2 rho (`privacy.laws.gaussian_mu`).

What is asked next may depend on what came out before, but how much is spent on it may not: shares are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..errors import ParameterError, argument
from ..privacy.budget import UNIT, Budget, Cost, Terms
from ..privacy.random import MAX_DEVIATION, Randomness
from .tallies import Vectors

_SURE = 3.0  # deviations


class Noisy(NamedTuple):
    """Noised sums, in cases, and the deviation of their noise."""

    values: Floats
    deviation: float

    def scaled_to(self, cases: int, measured: float, error: float) -> Noisy:
        """The same, so that what was measured (up to an error) comes to so many cases.

        Someone with several cases weighs no more than someone with one, so each of their cases weighs less.

        >>> Noisy(np.array([6.0, 2.0]), 0.1).scaled_to(16, measured=8.0, error=0.1)
        Noisy(values=array([12.,  4.]), deviation=0.2)
        """
        factor = max(1.0, cases / measured) if measured > _SURE * error else 1.0
        return Noisy(self.values * factor, self.deviation * factor)


class Leak(NamedTuple):
    """The chance that a text is published which one person alone has.

    `anybody` says whether that can be somebody whose path others take too.
    """

    chance: float = 0.0
    anybody: bool = False


class Measurements:
    """Noised figures of one log, within one budget. `shares` says which part of the terms' rho each tally has."""

    def __init__(self, terms: Terms, shares: Mapping[str, float], random: Randomness) -> None:
        assert math.fsum(shares.values()) <= 1 + 1e-9, "tallies share no more than there is"
        self.budget = Budget(terms)
        self._shares, self._random = shares, random

    def number_of_cases(self, cases: int) -> int:
        """How many cases there are, noised; not below 0."""
        return max(0, self._number("how many cases there are", cases, self.budget.terms.total_ratio, exchanged=0))

    def cases_on_paths_of_many(self, cases: Ints) -> int:
        """How many cases variants have above the threshold of publication, all together, noised."""
        terms = self.budget.terms
        assert terms.choice_ratio is not None, "asked only where something depends on it"
        above = int(np.maximum(cases - terms.threshold, 0).sum())
        return self._number("how many cases are on paths of many", above, terms.choice_ratio, exchanged=1)

    def go_on_by(self, terms: Terms, shares: Mapping[str, float]) -> None:
        """Go on by these of the ways that the terms leave open."""
        assert terms in self.budget.terms.ways, "one of the ways that the terms foresee"
        self.budget.terms, self._shares = terms, shares

    def cases_by_variant(self, cases: Ints) -> Ints:
        """How many cases take each path, noised."""
        terms, name = self.budget.terms, "how many cases take each path"
        self.budget.spend(Cost(name, ratio=float(terms.ratio), leak=terms.path_leak))
        return self._geometric(name, cases, terms.ratio)

    def tally(self, name: str, vectors: Vectors, clip: float = 0.0) -> Noisy:
        """The sum of all persons' vectors, noised; those shorter than `clip` count less than a unit."""
        return self._tally(name, vectors, clip, Leak())

    def tally_of_texts(self, name: str, vectors: Vectors, texts: Sequence[str], leak: Leak) -> Noisy:  # noqa: ARG002
        """The same, with a cell for each text that anybody has: so a text that shows can give somebody away."""
        return self._tally(name, vectors, 0.0, leak)

    def _tally(self, name: str, vectors: Vectors, clip: float, leak: Leak) -> Noisy:
        s = deviation(self._shares[name] * self.budget.terms.rho)
        square = UNIT**2 / (s**2 - 4)
        cost = Cost(name, rho=square / 2, square=square, cells=vectors.n_cells, leak=leak.chance, anybody=leak.anybody)
        self.budget.spend(cost)
        return Noisy(self._gaussian(name, vectors.total(clip), s) / UNIT, s / UNIT)

    def deviation(self, name: str) -> float:
        """The deviation that the noise of this tally has, in cases."""
        return deviation(self._shares[name] * self.budget.terms.rho) / UNIT

    def _number(self, name: str, true: int, ratio: Fraction, exchanged: int) -> int:
        """A number that one case changes by one at most, noised."""
        self.budget.spend(Cost(name, ratio=float(ratio), exchanged=exchanged))
        return int(self._geometric(name, np.array([true]), ratio)[0])

    def _geometric(self, name: str, true: Ints, ratio: Fraction) -> Ints:  # noqa: ARG002
        """Add two-sided geometric noise: the difference of two geometric numbers of one ratio."""
        return true + self._random.geometric(ratio, len(true)) - self._random.geometric(ratio, len(true))

    def _gaussian(self, name: str, true: Ints, s: int) -> Ints:  # noqa: ARG002
        """Add discrete Gaussian noise of deviation s."""
        return true + self._random.discrete_gaussian(s, len(true))


def refuse_too_wide(rho: float) -> None:
    """Refuse a budget so small that its noise could not be drawn."""
    if deviation(rho) > MAX_DEVIATION:
        raise ParameterError(
            "delta is too small for this method and so many columns: the noise would be larger than any count; take a "
            f"larger delta, or less in {argument('keep')}"
        )


def deviation(rho: float) -> int:
    """The least whole deviation s, in parts of `UNIT`, with UNIT^2 / (s^2 - 4) <= 2 rho.

    >>> s = deviation(0.01)
    >>> UNIT**2 / (s**2 - 4) <= 0.02 < UNIT**2 / ((s - 1)**2 - 4)
    True
    """
    return math.ceil(math.sqrt(UNIT**2 / (2 * rho) * (1 + 1e-12) + 4))
