"""How far numbers moved, in groups of events or cases: their quartiles, their distributions, and which have any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Ints
from ..core.wording import percent
from .kept import Alike, Kept
from .spreads import Spreads, spreads
from .total_variation import averaged
from .wasserstein import wasserstein


@dataclass(frozen=True)
class NumberChange:
    """How far numbers moved: each quartile by a share of itself, all values by a share of their mean size.

    `presence` is how far the share moved that has a number at all. Groups are averaged by the original's frequencies.
    """

    lower: float
    median: float
    upper: float
    distance: float
    presence: float

    @property
    def quartiles(self) -> float:
        """How far the quartile moved that moved most."""
        return max(self.lower, self.median, self.upper)

    def __str__(self) -> str:
        there = f", {percent(self.presence)} gained or lost one" if self.presence else ""
        return f"off by {percent(self.distance)} of the mean, quartiles by at most {percent(self.quartiles)}{there}"


def number_change(kept: Kept, groups: Alike) -> NumberChange:
    """How far the numbers of each group moved. Where the release has none, it is as if all had become 0."""
    n = len(groups.names)
    a, b = (_there(column.values, column.present) for column in (kept.before, kept.after))
    group_a, group_b = groups.before[kept.before.present], groups.after[kept.after.present]
    before, after = spreads(group_a, a, n), spreads(group_b, b, n)
    size = _mean_sizes(group_a, a, n)
    distance = wasserstein(group_a, a, group_b, b, n)
    distance = np.where(np.isnan(distance), size, distance)
    there = np.abs(_presence(groups.before, group_a, n) - _presence(groups.after, group_b, n))
    quartiles = _quartiles_moved(before, after, float(np.abs(a).mean()) if len(a) else 0.0)
    lower, median, upper = (averaged(quartile, before.count) for quartile in quartiles.T)
    return NumberChange(
        lower=lower,
        median=median,
        upper=upper,
        distance=_share(averaged(distance, before.count), averaged(size, before.count)),
        presence=averaged(there, np.bincount(groups.before, minlength=n)),
    )


def _there(values: Floats, present: Flags) -> Floats:
    return values[present].astype(np.float64)


def _mean_sizes(group: Ints, values: Floats, n_groups: int) -> Floats:
    """The mean absolute value of each group; 0 where it is empty."""
    count, total = (np.bincount(group, weights=each, minlength=n_groups) for each in (None, np.abs(values)))
    return np.divide(total, count, out=np.zeros(n_groups), where=count > 0)


def _quartiles_moved(before: Spreads, after: Spreads, usual: float) -> Floats:
    """How far each quartile of each group moved, as a share of itself, or of the usual size where it is 0."""
    gap = np.abs(np.nan_to_num(after.quartiles) - before.quartiles)
    base = np.abs(before.quartiles)
    base[base == 0] = usual
    with np.errstate(divide="ignore"):
        return np.divide(gap, base, out=np.zeros_like(gap), where=gap != 0)


def _presence(groups: Ints, group_with_value: Ints, n_groups: int) -> Floats:
    """The share of each group that has a value; 0 where the group is empty."""
    size, there = (np.bincount(each, minlength=n_groups) for each in (groups, group_with_value))
    return np.divide(there, size, out=np.zeros(n_groups), where=size > 0)


def _share(part: float, whole: float) -> float:
    if part == 0:
        return 0.0
    return part / whole if whole else float("inf")
