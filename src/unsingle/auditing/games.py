"""Yes/no games: two logs that differ in one person, releases of both, and an attacker who says which it was.

The attacker's chance before is one half. The rule by which it decides is learnt from simulated releases of both logs
(`learning`); where the law of a method's noise is known, the exact likelihood is used besides (`likelihood`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .features import Features
from .guesses import Tried
from .learning import guesses_right

Seen = tuple[tuple[float, ...], tuple[float, ...]]
"""The features of a release of the neighbour, and of one of the original; none if nothing was released."""

Spoken = tuple[float, float]
"""By how much figures of the neighbour, and figures of the original, speak for what they are of: logarithms of odds."""


@dataclass(frozen=True)
class Game:
    """A log that differs from the original in one person, by name, and what to look at in a release of either."""

    attack: str
    world: str
    features: Features


def learnt(seen: list[Seen]) -> list[Tried]:
    """The guesses by rules that were learnt on the other half of the runs."""
    # also that nothing was released tells something
    nothing = (-1.0,) * max(len(features) for pair in seen for features in pair)
    if not nothing:
        return []
    data = np.array([[features or nothing for features in pair] for pair in seen], dtype=np.float64)
    return [Tried(right, 1.0, 2.0) for right in guesses_right(data)]


def judged(spoken: Iterable[Spoken]) -> list[Tried]:
    """The guesses by exact odds."""
    return [Tried(_right(first) + _right(second), 1.0, 2.0) for first, second in spoken]


def as_stated(spoken: Iterable[Spoken]) -> Tried:
    """How many guesses by exact odds are right, and how many would be by those odds themselves.

    If noise is smaller than it is said to be, guesses are right more often than their odds say.
    """
    odds = [each for pair in spoken for each in pair]
    return Tried(math.fsum(map(_right, odds)), math.fsum(0.5 + gain(each) for each in odds), float(len(odds)))


def gain(odds: float) -> float:
    """What a guess by these odds gains over one half, if they are true.

    >>> round(gain(math.log(9)), 3), gain(-math.inf)
    (0.4, 0.5)
    """
    return math.tanh(abs(odds) / 2) / 2


def _right(score: float) -> float:
    """Whether a score points the right way; a toss-up is right half of the time."""
    return 0.5 if score == 0 else float(score > 0)
