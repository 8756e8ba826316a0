"""Guessing advantage: how delta, a prior and epsilon hang together (paper Sect. III-C, IV-A).

A prior P is an attacker's chance of a right guess before the release. A mechanism that is
epsilon-private with respect to what is guessed lifts it to at most ``P e^eps / (1 - P + P e^eps)``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from ..core.arrays import Floats
from ..errors import ParameterError


def checked_delta(delta: float) -> Fraction:
    """Delta as an exact fraction, if it lies between 0 and 1.

    >>> checked_delta(0.2)
    Fraction(1, 5)
    """
    try:
        number = 0 if isinstance(delta, str | bytes | bool) else delta  # text is no number, not even "0.2"
        exact = Fraction(str(number)).limit_denominator(10**9)
    except (ValueError, ZeroDivisionError):
        exact = Fraction(0)
    if not 0 < exact < 1:
        raise ParameterError(f"delta must be a number between 0 and 1 (not {delta!r}); 0.2 is a usual choice")
    return exact


def epsilon(prior: Floats, delta: float) -> Floats:
    """Largest epsilon that lifts each prior by at most delta (Eq. 1); infinite where prior + delta >= 1.

    >>> epsilon(np.array([0.4, 0.85]), 0.2).round(3).tolist()
    [0.811, inf]
    """
    result = np.full(len(prior), np.inf)
    bounded = prior + delta < 1 - 1e-12
    p = prior[bounded]
    result[bounded] = np.log((1 - p) / p * (p + delta) / (1 - p - delta))
    return result


def worst_case_prior(delta: float) -> float:
    """The prior that asks for most noise (Eq. 3), used where no prior is known."""
    return (1 - delta) / 2


def worst_case_epsilon(delta: float) -> float:
    """Epsilon at the worst-case prior.

    >>> round(worst_case_epsilon(0.2), 3)
    0.811
    """
    return 2 * math.log((1 + delta) / (1 - delta))


def count_ratio(delta: Fraction) -> Fraction:
    """``q = exp(-worst_case_epsilon)``, the ratio of the geometric noise on counts. It is rational.

    >>> count_ratio(Fraction(1, 5))
    Fraction(4, 9)
    """
    return ((1 - delta) / (1 + delta)) ** 2


def count_advantage(delta: Fraction) -> float:
    """Expected advantage on one count of an attacker who knows all other cases: (1 - q) / 2.

    One-sided geometric noise on a count and on that count plus one differ by a total variation of
    1 - q; a yes/no guess gains half of that.

    >>> round(count_advantage(Fraction(1, 5)), 2)
    0.28
    """
    return float((1 - count_ratio(delta)) / 2)
