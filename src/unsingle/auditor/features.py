"""What an attacker looks at in a release: all that it shows of a person's path, and of the steps in question.

Durations are looked at in wider and wider groups: on the person's own path, in the step of the automaton that paths
share, between the same two activities, and in the whole release. In each group it counts how many released values are
exactly those in question, or nearly, besides where the others lie: a method that draws new values from those of a group
leaks through whatever it keeps of the group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from .observed import Observed
from .targets import Step

Features = Callable[[Observed], list[float]]

_NEAR = 0.02  # of a duration
_MOST_STEPS = 4  # of a path, the longest


class Candidate(NamedTuple):
    """A step that a person may have taken, and durations that it may have had, in milliseconds."""

    step: Step
    values: tuple[int, ...]


def path_features(variants: Sequence[int]) -> Features:
    """How often these paths were released, their difference, and how many cases there are."""

    def features(release: Observed) -> list[float]:
        counts = [float(release.counts[variant]) for variant in variants]
        return [*counts, counts[0] - counts[-1], float(release.log.n_cases)]

    return features


def step_features(variants: Ints) -> Features:
    """How many released cases take one of these paths: those that share a step."""
    return lambda release: [float(release.counts[variants].sum())]


def duration_features(candidate: Candidate) -> Features:
    """What the release shows of a step, in all groups that it belongs to, and how many values there are."""

    def features(release: Observed) -> list[float]:
        found = []
        for values in _groups(release, candidate.step):
            shape = _shape(values, candidate.values)
            found += [float(len(values)), *shape, *(len(values) * share for share in (*shape[5::4], *shape[6::4]))]
        return found

    return features


def times_features(candidates: Sequence[Candidate]) -> Features:
    """What the times alone show of the steps of two paths: no number of cases, only shares."""
    longest = sorted(candidates, key=lambda each: -max(each.values))[: 2 * _MOST_STEPS]

    def features(release: Observed) -> list[float]:
        return [
            figure
            for candidate in longest
            for values in _groups(release, candidate.step)[1:3]
            for figure in _shape(values, candidate.values)
        ]

    return features


def _groups(release: Observed, step: Step) -> tuple[Ints, Ints, Ints, Ints]:
    """The released durations on the person's path, in the automaton's step, between the activities, and all."""
    duration = release.durations
    own = release.steps_at(step.path, step.place)
    return (
        own,
        duration[release.transition == step.transition],
        duration[release.pair == step.pair],
        duration[release.pair >= 0],
    )


def _shape(values: Ints, wanted: Sequence[int]) -> list[float]:
    """Where the values lie, and of each wanted value how many are exactly it, near it and at most it, as shares."""
    if not len(values):
        return [-1.0] * (5 + 4 * len(wanted))
    level = np.log1p(values)
    found = [
        float(values.min()),
        float(values.max()),
        float(np.median(values)),
        float(level.mean()),
        float(level.std()),
    ]
    for value in wanted:
        apart = np.abs(values - value)
        exactly, nearly, at_most = apart == 0, apart <= _NEAR * value, values <= value
        found += [float(exactly.mean()), float(nearly.mean()), float(at_most.mean()), float(apart.min())]
    return found
