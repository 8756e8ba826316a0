"""Attacks that tell a release of the original from one of a neighbouring log, by rules that are learnt.

The attacker's chance before is one half. The rules are learnt from simulated releases of both logs (`learning`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .base import Attack, Guesses, Look, Tried
from .features import Features
from .learning import guesses_right
from .neighbours import Neighbour
from .observed import Observed
from .setting import Run, Setting
from .targets import Targets

TwoLooks = tuple[tuple[float, ...], tuple[float, ...]]
"""The features of a release of the neighbour, and of one of the original; none if nothing was released."""


@dataclass(frozen=True)
class Distinguishing(Attack):
    """An attack on releases of the original and of a neighbouring log, by what `features` chooses to look at."""

    neighbour: Neighbour
    features: Callable[[Targets], Features | None]

    def plan(self, setting: Setting) -> Look | None:
        """Look at the features of a release of either log."""
        if setting.neighbour(self.neighbour) is None or (features := self.features(setting.targets)) is None:
            return None

        def seen(release: Observed | None) -> tuple[float, ...]:
            return () if release is None else tuple(features(release))

        def look(run: Run) -> TwoLooks:
            original = seen(run.release)
            return seen(run.neighbour(self.neighbour)), original

        return look

    def judge(self, seen: list[TwoLooks]) -> Guesses:
        """The guesses by rules that were learnt on the other half of the runs."""
        # that nothing was released is a feature too
        nothing = (-1.0,) * max(len(features) for pair in seen for features in pair)
        if not nothing:
            return Guesses([])
        data = np.array([[features or nothing for features in pair] for pair in seen], dtype=np.float64)
        return Guesses([Tried(right, 1.0, 2.0) for right in guesses_right(data)])
