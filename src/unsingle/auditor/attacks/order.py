"""Does the order of the file, or the noise itself, reveal anything? Neither may, whatever delta is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core.arrays import Ints
from ..base import ATTACKS, Attack, Guesses, Look, ReleaseAttack, Tried, counted
from ..observed import Observed
from ..setting import Run, Setting, Shown
from .exact import digests


@dataclass(frozen=True)
class Order(ReleaseAttack):
    """Guesses which of two people came first. A file in reversed order reveals as much."""

    two_sided: ClassVar[bool] = True

    def judge(self, seen: list[Tried]) -> Guesses:
        """The guesses, turned round if more were wrong than right."""
        return Guesses(_turned(seen) if sum(each.right - each.by_chance for each in seen) < 0 else seen)


def _turned(seen: Sequence[Tried]) -> list[Tried]:
    return [Tried(each.guesses - each.right, each.by_chance, each.guesses) for each in seen]


def same_order(on: Shown) -> Tried | None:
    """Guess that the first of two released cases stood first in the original too. Chance is one half."""
    if (origin := _origins(on)) is None:
        return None
    order = on.random.permutation(len(origin))[: 2 * (len(origin) // 2)].reshape(2, -1)
    first, second = origin[order.min(axis=0)], origin[order.max(axis=0)]
    known = (first >= 0) & (second >= 0) & (first != second)
    right = (first < second)[known][: on.pairs]
    return counted(right, np.full(len(right), 0.5))


def _origins(on: Shown) -> Ints | None:
    """The original case of each released one; -1 if unknown.

    Where descent is not known, that is the first case on its path. But a file that is sorted by its own starts
    reveals nothing then.
    """
    release = on.release
    if release.ancestors is not None:
        return release.ancestors
    if (np.diff(release.log.case_starts) >= 0).all():
        return None
    place = np.unique(on.original.variants.of_case, return_index=True)[1]
    return np.where(release.path_of_case >= 0, place[release.path_of_case], -1)


@dataclass(frozen=True)
class RepeatedNoise(Attack):
    """Looks for the cases of one release in another release of the same log."""

    def plan(self, setting: Setting) -> Look:  # noqa: ARG002 - there always is an occasion
        """Compare two releases."""
        return _same_in_both

    def judge(self, seen: list[Tried]) -> Guesses:
        """The guesses themselves."""
        return Guesses(seen)


def _same_in_both(run: Run) -> Tried | None:
    if run.release is None or run.other_release is None:
        return None
    return same_again(run.release, run.other_release)


def same_again(release: Observed, other: Observed) -> Tried:
    """Find released cases, path and all times, in another release of the same log.

    Chance is how often they are found among the other cases of their own release.
    """
    here, there = (
        digests(each.path_of_case, each.log.time, each.log.case_offsets).tolist() for each in (release, other)
    )
    others, own = set(there), Counter(here)
    return counted(np.array([each in others for each in here]), np.array([own[each] > 1 for each in here]))


ORDER = ATTACKS.add(
    Order(
        "order",
        rank=440,
        kind="order",
        question="which of two people came first in the original, judging by the order of the file?",
        at_most=0.0,
        attempt=same_order,
    )
)
REPEATED_NOISE = ATTACKS.add(
    RepeatedNoise(
        "repeated noise",
        rank=450,
        kind="order",
        question="does another release of the same log have the same noise?",
        at_most=0.05,  # how often two cases are the same by chance is only estimated
    )
)
