"""Private selection: which variants may be named, and with how many cases (strict).

*Mechanism.* To the count of every variant of the log a number Z from -K to K is added, P(Z = z) ~ e^(-epsilon abs(z)).
A variant is published if the sum is above K, with the sum as its number of cases.

*Sensitivity.* One case more changes one count by one.

*Proof.* A variant that nobody took cannot pass: 0 + Z <= K. So it does not matter which variants exist; only the one
count that changes does. Counts c and c + 1 give each sum that both can give with chances that differ by a factor of at
most e^epsilon. The one sum that only c + 1 can give is c + 1 + K, and the one that only c can give is c - K; each has
the chance P(Z = K), and K is the least for which that is at most the slack. What is done with the sums does not look at
the log again.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..accounting import Cost
from ..ragged import Ints
from ..randomness import Randomness


@lru_cache(maxsize=64)
def threshold(epsilon: float, slack: float) -> int:
    """K: a variant is published if its noisy count is above.

    >>> threshold(0.405, 5e-7)
    32
    """
    below, enough = 0, 1 + math.ceil(-math.log(slack) / epsilon)  # e^(-epsilon K) alone is small enough there
    while enough - below > 1:
        middle = (below + enough) // 2
        small = math.exp(-epsilon * middle) / _total(epsilon, middle) <= slack
        below, enough = (below, middle) if small else (middle, enough)
    return enough


def _total(epsilon: float, most: int) -> float:
    """The sum of e^(-epsilon abs(z)) for z from -K to K."""
    return 1 + 2 * math.exp(-epsilon) * _powers(epsilon, most)


def _powers(epsilon: float, most: int) -> float:
    """The sum of e^(-epsilon j) for j from 0 to K - 1."""
    return math.expm1(-epsilon * most) / math.expm1(-epsilon)


@lru_cache(maxsize=64)
def cost(epsilon: float, slack: float) -> Cost:
    """What the selection costs. Another path for a case changes two counts, whose exact distance is computed here.

    A count gives a sum with chance p, the count with one case more with chance p'. Sums of the same p / p' can be
    counted together: the least, which only the count can give; those up to the count, e^epsilon; those above it,
    e^-epsilon; the largest, which only one case more can give.
    """
    most = threshold(epsilon, slack)
    q, total, powers = math.exp(-epsilon), _total(epsilon, most), _powers(epsilon, most)
    here = np.array([math.exp(-epsilon * most), powers, q * powers, 0]) / total
    there = here[::-1]
    moved = np.abs(np.outer(here, there) - np.outer(there, here)).sum() / 2
    return Cost("which paths are published, and how often", epsilon=epsilon, slack=slack, swapped=float(moved))


def select(counts: Ints, epsilon: float, slack: float, random: Randomness) -> Ints:
    """How many cases of each variant are published; 0 for those that are not."""
    most = threshold(epsilon, slack)
    noisy = counts + random.truncated_laplace(1 / epsilon, most, len(counts))
    return np.where(noisy > most, noisy, 0)
