"""Guesses: how many were right, how many are by chance, and how long a person took for a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..guessing import epsilon
from . import promises
from .targets import Step
from .worlds import Release

Floats = NDArray[np.float64]

PRECISIONS = {
    promises.VALUE: ("within 10 % of the range", 0.1),
    promises.VALUE_FINE: ("within 1 % of the range", 0.01),
    promises.VALUE_EXACT: ("exactly", 0.0),
}
"""How near a guessed duration must come, in words and as a share of the range of its group."""

STRATEGIES = ("before", "nearest", "mean", "median", "rarest", "likeliest")


class Tried(NamedTuple):
    """How many guesses were right, how many of them chance alone would get right, and how many there were."""

    right: float
    by_chance: float
    guesses: float


def counted(right: NDArray[np.generic], chance: NDArray[np.generic]) -> Tried:
    """Whether each guess was right, and how likely one would be that does not look at the person."""
    return Tried(float(np.sum(right)), float(np.sum(chance)), float(len(right)))


def widths(values: Floats) -> list[float]:
    """How near a guess must come, for each precision, among these values of a group."""
    span = float(values.max() - values.min())
    return [share * span for _, share in PRECISIONS.values()]


def before(values: Floats) -> list[tuple[float, float]]:
    """The best guess by someone who knows the group's values only, and its chance, for each precision."""
    ordered = np.sort(values)
    found = []
    for width in widths(values):
        within = np.searchsorted(ordered, ordered + 2 * width, side="right") - np.arange(len(ordered))
        best = int(np.argmax(within))
        found.append((float(ordered[best]) + width, float(within[best] / len(ordered))))
    return found


def guessed_value(release: Release, step: Step, values: Floats, true: float, delta: float) -> list[list[float]]:
    """Whether each strategy guesses the step's duration, for each precision.

    The attacker knows the path and finds the cases on it, and knows all values of the group, but not whose they are.
    """
    shown = release.steps_at(step.path, step.place).astype(np.float64)
    ordered = np.sort(values)
    guesses = [[guess for guess, _ in before(values)]]
    if len(shown):
        width = widths(values)[0]
        nearest = ordered[np.argmin(np.abs(ordered[:, None] - shown[None, :]).min(axis=1))]
        crowd = np.searchsorted(ordered, shown + width) - np.searchsorted(ordered, shown - width)
        rarest, likeliest = shown[np.argmin(crowd)], _likeliest(ordered, shown, delta)
        single = (nearest, shown.mean(), np.median(shown), rarest, likeliest)
        guesses += [[float(guess)] * len(PRECISIONS) for guess in single]
    else:  # nothing to go by
        guesses *= len(STRATEGIES)
    return [
        [float(abs(round(guess) - true) <= width) for guess, width in zip(each, widths(values), strict=True)]
        for each in guesses
    ]


def _likeliest(values: Floats, shown: Floats, delta: float) -> float:
    """The value under which the shown ones are likeliest if the noise is the paper's: Laplace, by how usual it is."""
    span = values[-1] - values[0]
    if span <= 0:
        return float(values[0])
    within = np.searchsorted(values, values + 0.1 * span, side="right") - np.searchsorted(values, values - 0.1 * span)
    eps = np.minimum(epsilon(within / len(values), delta), 50.0)
    scale = span / eps * len(shown)
    log_likelihood = -np.abs(shown[None, :] - values[:, None]).sum(axis=1) / scale - len(shown) * np.log(scale)
    return float(values[np.argmax(log_likelihood)])
