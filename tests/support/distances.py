"""Slow and exact ways to compute what measures compute fast, and logs that are off by a known amount."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from support.helpers import cases_of
from unsingle import EventLog


def slow_wasserstein(a: Sequence[int], b: Sequence[int]) -> Fraction:
    """The area between the distribution functions."""
    points = sorted(set(a) | set(b))
    area = Fraction(0)
    for left, right in pairwise(points):
        below_a, below_b = (Fraction(sum(x <= left for x in xs), len(xs)) for xs in (a, b))
        area += abs(below_a - below_b) * (right - left)
    return area


def stretched(log: EventLog, milliseconds: int) -> EventLog:
    """The log with every step longer by so much."""
    place = np.concatenate([np.arange(len(times)) for _, times in cases_of(log)])
    return EventLog(log.labels, log.activity, log.time + place * milliseconds, log.case_offsets)


def slow_total_variation(a: Sequence[object], b: Sequence[object]) -> Fraction:
    """Half the sum of the differences of the shares; 1 if nothing is left."""
    if not b:
        return Fraction(1)
    gaps = (abs(Fraction(a.count(x), len(a)) - Fraction(b.count(x), len(b))) for x in {*a, *b})
    return sum(gaps, Fraction(0)) / 2


def slow_mean_total_variation(a: Sequence[tuple], b: Sequence[tuple]) -> Fraction:
    """The mean, by how often each group is in a, of what became of the values of the group; from (group, value)."""
    groups = {group for group, _ in a}
    moved = (
        len(own := [value for group, value in a if group == each])
        * slow_total_variation(own, [value for group, value in b if group == each])
        for each in groups
    )
    return sum(moved, Fraction(0)) / len(a) if a else Fraction(0)
