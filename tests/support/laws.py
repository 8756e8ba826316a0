"""Two laws of outcomes, enumerated outcome by outcome, without the formulas of the code."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from functools import reduce
from itertools import product

import numpy as np

Law = dict[Hashable, float]
Classes = list[tuple[float, float]]
"""The chances, under the one law and under the other, of all outcomes that have one likelihood ratio."""

ERROR = 1e-7
"""Of numerical integration."""

GRID = np.arange(-9.0, 13.0, 5e-4)


def normal(x: np.ndarray) -> np.ndarray:
    return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)


def noised(count: int, a: float, highest: int = 8) -> Law:
    """A count of 0 to `highest` with two-sided geometric noise, as far as the chances are above 1e-14."""
    reach = math.ceil(math.log(1e-14) / math.log(a)) + 5
    return {y: (1 - a) / (1 + a) * a ** abs(y - count) for y in range(-reach, highest + reach)}


def selected(count: int, a: float, threshold: int) -> Law:
    """What is shown of a path that so many took; of one that nobody took there is nothing to be noised."""
    if count == 0:
        return {"hidden": 1.0}
    shown: Law = {y: chance for y, chance in noised(count, a, threshold + 5).items() if y >= threshold}
    return {**shown, "hidden": 1 - math.fsum(shown.values())}


def classes(p: Law, q: Law) -> Classes:
    """The outcomes put together by their likelihood ratio."""
    found: dict[float, list[tuple[float, float]]] = {}
    for outcome in p.keys() | q.keys():
        one, other = p.get(outcome, 0.0), q.get(outcome, 0.0)
        ratio = math.log(one / other) if one and other else math.copysign(math.inf, one - other)
        found.setdefault(round(ratio, 7), []).append((one, other))
    return [(math.fsum(one), math.fsum(other)) for one, other in (zip(*each, strict=True) for each in found.values())]


def together(*independent: Classes) -> Classes:
    """Several independent outcomes at once."""
    return reduce(lambda one, other: [(p * r, q * s) for (p, q), (r, s) in product(one, other)], independent)


def excess(both: Classes, mu: float, g: float = 1.0) -> float:
    """The most by which a set is likelier than g times under the other law: with N(mu, 1) against N(0, 1) beside."""
    if mu == 0:
        return math.fsum(max(0.0, p - g * q) for p, q in both)
    one, other = normal(GRID - mu), normal(GRID)
    return math.fsum(float(np.trapezoid(np.maximum(p * one - g * q * other, 0), GRID)) for p, q in both)


def chance_of_odds(both: Classes, mu: float, factor: float) -> float:
    one, other = normal(GRID - mu), normal(GRID)
    return math.fsum(float(np.trapezoid(np.where(p * one >= factor * q * other, p * one, 0), GRID)) for p, q in both)


def least(holds: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(34):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def exchanged(a: float) -> Classes:
    """One case takes another of two paths; others take both."""
    return together(classes(noised(3, a), noised(2, a)), classes(noised(1, a), noised(2, a)))


def one_more(a: float, b: float) -> Classes:
    """One case more on a path, and in the number of all cases."""
    return together(classes(noised(3, a), noised(2, a)), classes(noised(4, b), noised(3, b)))
