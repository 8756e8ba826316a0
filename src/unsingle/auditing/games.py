"""Yes/no games: two logs that differ in one person, releases of both, and an attacker who says which it was.

The attacker's chance before is one half. The rule by which it decides is the exact likelihood where that is known; else
it is learnt: of all features of a release the one, with the threshold, that told most of the releases apart on half of
the runs. It is then tried on the other half, and the halves change places: no guess is by a rule that has seen it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..log import EventLog
from .targets import Step
from .worlds import Release

Floats = NDArray[np.float64]
Seen = tuple[tuple[float, ...], tuple[float, ...]]
"""The features of a release of the neighbour, and of one of the original; none if nothing was released."""


@dataclass(frozen=True)
class Game:
    """A log that differs from the original in one person, and what to look at in a release of either.

    `known`, if it is, says by how much what is seen speaks for the original.
    """

    attack: str
    neighbour: EventLog
    features: Callable[[Release], list[float]]
    known: Callable[[tuple[float, ...]], float] | None = None

    def right(self, seen: list[Seen]) -> tuple[list[float], list[float]]:
        """How many guesses were right, and how many there were, run by run."""
        if self.known is not None:
            scores = [[self.known(features) if features else 0.0 for features in pair] for pair in seen]
            right = [_right(-first) + _right(second) for first, second in scores]
        else:
            # also that nothing was released tells something
            nothing = (-1.0,) * max(len(features) for pair in seen for features in pair)
            if not nothing:
                return [], []
            data = np.array([[features or nothing for features in pair] for pair in seen], dtype=np.float64)
            half = len(data) // 2
            right = [*_tried(data[half:], data[:half]), *_tried(data[:half], data[half:])]
        return right, [2.0] * len(right)


def _right(score: float) -> float:
    """Whether a score points the right way; a toss-up is right half of the time."""
    return 0.5 if score == 0 else float(score > 0)


def _tried(learn: NDArray[np.float64], use: NDArray[np.float64]) -> list[float]:
    """How many guesses of each run are right, by the rule that was best on others."""
    if not len(learn):
        return [1.0] * len(use)
    rules = [_best_threshold(learn[:, 0, i], learn[:, 1, i]) for i in range(learn.shape[2])]
    feature = int(np.argmax([rule[0] for rule in rules]))
    _, threshold, sign = rules[feature]
    scores = sign * (use[:, :, feature] - threshold)
    return (np.where(scores[:, 0] < 0, 1.0, 0.0) + np.where(scores[:, 1] > 0, 1.0, 0.0)).tolist()


def _best_threshold(first: Floats, second: Floats) -> tuple[float, float, float]:
    """The share that is told apart, the threshold, and the sign: above (or below) it lies the second world."""
    values = np.unique(np.concatenate((first, second)))
    cuts = np.concatenate(([values[0] - 1], (values[1:] + values[:-1]) / 2, [values[-1] + 1]))
    below = [np.searchsorted(np.sort(world), cuts, side="left") / len(world) for world in (first, second)]
    told = below[0] - below[1]
    place = int(np.argmax(np.abs(told)))
    return float(abs(told[place])), float(cuts[place]), 1.0 if told[place] >= 0 else -1.0


def path_features(variants: list[int]) -> Callable[[Release], list[float]]:
    """How often these paths were released, their difference, and how many cases there are."""

    def features(release: Release) -> list[float]:
        counts = [float(release.counts[variant]) for variant in variants]
        return [*counts, counts[0] - counts[-1], float(release.log.n_cases)]

    return features


def step_features(variants: NDArray[np.int64]) -> Callable[[Release], list[float]]:
    """How many released cases take one of these paths: those that share a step."""
    return lambda release: [float(release.counts[variants].sum())]


def own_features(step: Step, middle: float) -> Callable[[Release], list[float]]:
    """What the released cases on a person's path show at the place in question."""

    def features(release: Release) -> list[float]:
        values = release.steps_at(step.path, step.place).astype(np.float64)
        if not len(values):
            return [-1.0] * 7
        return [
            values.min(), values.mean(), float(np.median(values)), values.max(), np.abs(values - middle).min(),
            float((values > middle).sum()), float(len(values)),
        ]  # fmt: skip

    return features


def all_features(step: Step, middle: float) -> Callable[[Release], list[float]]:
    """The same, and what all released cases show: the longest step, and how many are unusually long."""
    own = own_features(step, middle)

    def features(release: Release) -> list[float]:
        durations = release.log.durations
        return [*own(release), float(durations.max(initial=0)), float((durations > middle).sum())]

    return features
