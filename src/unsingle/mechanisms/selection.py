"""Which texts may be published where they are not public: those of so many people that no one shows.

Texts are activity labels, or values of a column.

*Mechanism.* A person counts once in the cell of each of their texts, in a vector of length 1. A text is published if
its noised sum passes a threshold. That is done in rounds (as Swanberg and others do it, 2023): texts that are published
leave the vectors, so that those which are left have more of each person's unit.

*Leak.* Cells of texts that nobody has do not exist, so a text that one person alone has shows that they are there, if
it passes. With t such texts, each has 1 / sqrt(t) of the unit, and all stay below 1 / sqrt(t) + s z with the chance
that t noises stay below s z, (1 - tail(z))^t. The threshold is the largest that any t up to `MOST` asks for; a person
counts with no more than their first `MOST` texts by name, and a text that nobody counts with cannot pass, however many
texts somebody has. The rounds share the leak. Discrete noise of deviation s units is at or above k units with a chance
of at most that of continuous noise to be above k - 1: its sum from k on is below the integral, and its total is not
below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Ints, distinct, positions, runs
from ..privacy.budget import UNIT
from .measurements import Leak, Measurements
from .tallies import Vectors

MOST = 100
"""How many texts of one person count at most in a round."""


class Having(NamedTuple):
    """Who has which text: entry i says that `owner[i]` has `texts[text[i]]`; texts are in the order of their names."""

    texts: Sequence[str]
    text: Ints
    owner: Ints


def selected(rounds: Sequence[str], having: Having, published: Flags, leak: Leak, measurements: Measurements) -> Flags:
    """Which texts may be published: those that are published already, and those whose noised number passes."""
    n_texts = len(having.texts)
    owner, text = np.divmod(distinct(having.owner * n_texts + having.text), max(1, n_texts))
    each = leak._replace(chance=leak.chance / len(rounds))
    for name in rounds:
        left = np.flatnonzero(~published[text])
        left = left[positions(runs(owner[left])) < MOST]
        noisy = measurements.tally_of_texts(name, Vectors(text[left], owner[left], n_texts), having.texts, each)
        counted = np.bincount(text[left], minlength=n_texts) > 0
        published = published | counted & (noisy.values >= threshold(noisy.deviation, each.chance))
    return published


@lru_cache(maxsize=256)
def threshold(deviation: float, leak: float) -> float:
    """The least noised sum at which a text is published.

    >>> round(threshold(10.0, 1e-6), 1)
    56.2
    """
    normal = NormalDist()
    # (1 - leak)^(1/t) = 1 - tail; the tail itself is accurate, one less it is not
    tails = (-math.expm1(math.log1p(-leak) / t) for t in range(1, MOST + 1))
    highest = max(1 / math.sqrt(t) - deviation * normal.inv_cdf(tail) for t, tail in enumerate(tails, start=1))
    return highest + 1 / UNIT
