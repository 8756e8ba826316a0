"""How sure a share of right guesses is: Clopper-Pearson bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

CONFIDENCE = 0.95


def clopper_pearson(right: float, guesses: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Bounds for a chance of which `right` of so many `guesses` came true; each side errs with half of the rest.

    >>> low, high = clopper_pearson(70, 100)
    >>> round(low, 3), round(high, 3)
    (0.6, 0.788)
    >>> clopper_pearson(0, 0)
    (0.0, 1.0)
    """
    if guesses <= 0:
        return 0.0, 1.0
    error = (1 - confidence) / 2
    low = 0.0 if right <= 0 else _solve(lambda p: _beta_below(p, right, guesses - right + 1), error)
    high = 1.0 if right >= guesses else _solve(lambda p: _beta_below(p, right + 1, guesses - right), 1 - error)
    return low, high


def effective_size(right: Sequence[float], guesses: Sequence[float]) -> float:
    """How many independent guesses those of several runs are worth, if the guesses of a run hang together.

    The variance between runs is compared with that of independent guesses (the design effect of surveys; Korn and
    Graubard 1998).

    >>> round(effective_size([10, 0, 10, 0], [10, 10, 10, 10]), 6)
    3.0
    """
    total, runs = sum(guesses), len(guesses)
    if runs < 2 or total == 0:
        return total
    share = sum(right) / total
    expected = share * (1 - share) / total
    deviations = (r - share * g for r, g in zip(right, guesses, strict=True))
    observed = runs / (runs - 1) * sum(d * d for d in deviations) / total**2
    return total / max(1.0, observed / expected) if expected > 0 else total


def fewer_for_few_runs(size: float, runs: int, confidence: float) -> float:
    """What such a size is worth if its design effect was estimated from so many runs only.

    The quantile of Student's distribution takes the place of the normal one (Korn and Graubard 1998).

    >>> round(fewer_for_few_runs(1000, 5, 0.95)), round(fewer_for_few_runs(1000, 500, 0.95))
    (498, 995)
    """
    if runs < 2:
        return size
    wanted = (1 + confidence) / 2
    student = _quantile_of_student(wanted, runs - 1)
    return size * (NormalDist().inv_cdf(wanted) / student) ** 2


def _quantile_of_student(below: float, freedom: int) -> float:
    """Where Student's distribution has this chance below, for chances above one half."""
    share = _solve(lambda x: _beta_below(x, freedom / 2, 0.5), 2 * (1 - below))
    return math.sqrt(freedom * (1 - share) / share)


def _solve(increasing: Callable[[float], float], target: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if increasing(middle) < target else (low, middle)
    return (low + high) / 2


def _beta_below(x: float, a: float, b: float) -> float:
    """The chance that a beta variable is at most x (by the continued fraction of the incomplete beta function)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_below(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )  # fmt: skip
    fraction, c, d = 1.0, 1.0, 0.0
    for i in range(400):
        m = i // 2
        if i == 0:
            step = 1.0
        elif i % 2 == 0:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + step * d)
        c = 1 + step / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-13:
            break
    return front * (fraction - 1) / a
