"""Which activity labels may be published where they are not public: those of so many people that no one shows.

*Mechanism.* A person counts once in the cell of each label of their cases, in a vector of length 1. A label is
published if its noised sum passes a threshold. That is done in rounds (as Swanberg and others do it, 2023): labels that
are published leave the vectors, so that those which are left have more of each person's unit. Labels of variants that
were published for their own number of cases are published with them.

*Leak.* Cells of labels that nobody has do not exist, so a label that one person alone has shows that they are there, if
it passes. With t such labels, each has 1 / sqrt(t) of the unit, and all stay below 1 / sqrt(t) + s z with the chance
that t noises stay below s z, (1 - tail(z))^t. The threshold is the largest that any t up to `MOST` asks for; a person
counts with no more than their first `MOST` labels by name, and a label that nobody counts with cannot pass, however
many labels somebody has. The rounds share the leak. Discrete noise of deviation s units is at or above k units with a
chance of at most that of continuous noise to be above k - 1: its sum from k on is below the integral, and its total is
not below.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ..core.arrays import Flags, positions, runs
from ..privacy.budget import UNIT
from .cases import Cases
from .measurements import Measurements
from .tallies import Vectors

ROUNDS = {"which activities there are": 0.15, "which others there are": 0.3, "which there are besides": 0.55}
"""The rounds, and which part of the budget for labels each has: the later, the less is left to be found."""

MOST = 100
"""How many labels of one person count at most in a round."""


def published_labels(cases: Cases, published: Flags, measurements: Measurements) -> tuple[str, ...]:
    """The labels that are published already, and those whose noised number of people passes, ordered by name."""
    key = np.unique(cases.person_of_event * len(cases.labels) + cases.activity)
    person, label = np.divmod(key, len(cases.labels))
    leak = measurements.budget.terms.label_leak / len(ROUNDS)
    for name in ROUNDS:
        left = np.flatnonzero(~published[label])
        left = left[positions(runs(person[left])) < MOST]
        noisy = measurements.tally(name, Vectors(label[left], person[left], len(cases.labels)), leak=leak)
        counted = np.bincount(label[left], minlength=len(cases.labels)) > 0
        published = published | counted & (noisy.values >= threshold(noisy.deviation, leak))
    return tuple(np.array(cases.labels, dtype=object)[published].tolist())


@lru_cache(maxsize=256)
def threshold(deviation: float, leak: float) -> float:
    """The least noised sum at which a label is published.

    >>> round(threshold(10.0, 1e-6), 1)
    56.2
    """
    normal = NormalDist()
    # (1 - leak)^(1/t) = 1 - tail; the tail itself is accurate, one less it is not
    tails = (-math.expm1(math.log1p(-leak) / t) for t in range(1, MOST + 1))
    highest = max(1 / math.sqrt(t) - deviation * normal.inv_cdf(tail) for t, tail in enumerate(tails, start=1))
    return highest + 1 / UNIT
