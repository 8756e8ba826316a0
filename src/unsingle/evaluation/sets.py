"""What became of a set of things that each occur so often: variants, or directly-follows edges."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class SetChange:
    """What became of a set of variants or of directly-follows edges.

    `frequency_distance` is half the sum of the absolute differences of relative frequencies: 0 if all
    kept their share, 1 if nothing is left.
    """

    before: int
    after: int
    lost: int
    added: int
    jaccard: float
    frequency_distance: float

    def __str__(self) -> str:
        moved = f"{self.frequency_distance:.1%} of the frequency moved"
        return f"{self.before:,} before, {self.lost:,} lost, {self.added:,} new; {moved}"


def set_change(before: Mapping[T, int], after: Mapping[T, int]) -> SetChange:
    """What became of the keys and of their relative frequencies."""
    both = before.keys() & after.keys()
    union = before.keys() | after.keys()
    total_before, total_after = max(1, sum(before.values())), max(1, sum(after.values()))
    moved = sum(abs(before.get(x, 0) / total_before - after.get(x, 0) / total_after) for x in union)
    return SetChange(
        before=len(before),
        after=len(after),
        lost=len(before) - len(both),
        added=len(after) - len(both),
        jaccard=len(both) / len(union) if union else 1.0,
        frequency_distance=moved / 2,
    )
