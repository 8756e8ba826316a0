"""A source of randomness that goes through every outcome, each with its exact probability.

`outcomes` runs a piece of the real code once for every way in which its random choices can fall. So what a test
computes from them is a distribution in whole fractions, without sampling error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from fractions import Fraction
from math import factorial
from typing import TypeVar

import numpy as np

T = TypeVar("T")

BEYOND = 12
"""Geometric numbers from here on are one outcome: they go on without end."""


class Branches:
    """Takes the choices of a script, and the first way at every choice behind its end."""

    def __init__(self, script: Sequence[int]) -> None:
        self._script = script
        self.taken: list[tuple[int, int]] = []
        self.probability = Fraction(1)

    def _choose(self, chances: Sequence[Fraction]) -> int:
        possible = [way for way, chance in enumerate(chances) if chance > 0]
        place = len(self.taken)
        way = self._script[place] if place < len(self._script) else 0
        self.taken.append((way, len(possible)))
        self.probability *= chances[possible[way]]
        return possible[way]

    def bernoulli(self, probability: Fraction, n: int) -> np.ndarray:
        chances = [1 - Fraction(probability), Fraction(probability)]
        return np.array([self._choose(chances) for _ in range(n)], dtype=bool)

    def below(self, bounds: np.ndarray) -> np.ndarray:
        return np.array([self._choose([Fraction(1, b)] * b) for b in bounds.tolist()], dtype=np.int64)

    def geometric(self, ratio: Fraction, n: int) -> np.ndarray:
        chances = [(1 - ratio) * ratio**k for k in range(BEYOND)] + [ratio**BEYOND]
        return np.array([self._choose(chances) for _ in range(n)], dtype=np.int64)

    def permutation(self, n: int) -> np.ndarray:
        which = self._choose([Fraction(1, factorial(n))] * factorial(n))
        rest, order = list(range(n)), []
        while rest:
            place, which = which % len(rest), which // len(rest)
            order.append(rest.pop(place))
        return np.array(order, dtype=np.int64)

    def uniform(self, n: int) -> np.ndarray:
        """Not a choice: for draws from bins of one value."""
        return np.full(n, 0.5)

    def spawn(self, n: int) -> list[Branches]:
        return [self] * n


def outcomes(run: Callable[[Branches], T]) -> Iterator[tuple[T, Fraction]]:
    """What the code gives for every way in which the choices can fall, with the chance of that way."""
    script: list[int] = []
    while True:
        random = Branches(script)
        yield run(random), random.probability
        taken = random.taken
        while taken and taken[-1][0] == taken[-1][1] - 1:
            taken.pop()
        if not taken:
            return
        script = [way for way, _ in taken]
        script[-1] += 1


def distribution(run: Callable[[Branches], Hashable]) -> Counter[Hashable]:
    """The exact chance of every result."""
    chances: Counter[Hashable] = Counter()
    for result, chance in outcomes(run):
        chances[result] += chance  # type: ignore[assignment]
    assert sum(chances.values()) == 1
    return chances


def total_variation(p: Counter[Hashable], q: Counter[Hashable]) -> Fraction:
    """Half the sum of all differences."""
    return sum((abs(Fraction(p[x]) - Fraction(q[x])) for x in p.keys() | q.keys()), Fraction(0)) / 2
