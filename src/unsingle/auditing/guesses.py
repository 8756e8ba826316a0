"""Guesses from one release: a duration, who a case is, which cases are copies, in which order they were.

Each attack gives, for every person it is tried on, whether it was right, and how likely a guess that does not look at
that person would have been right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..clock import DAY
from ..guessing import epsilon
from ..log import EventLog
from ..ragged import Ints
from ..randomness import Randomness
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
CHANCE_SHIFT = 7 * DAY  # what fits as well a week later fits by chance


class Tried(NamedTuple):
    """How many guesses were right, how many of them chance alone would get right, and how many there were."""

    right: float
    by_chance: float
    guesses: float


def _tried(right: NDArray[np.generic], chance: NDArray[np.generic]) -> Tried:
    return Tried(float(np.sum(right)), float(np.sum(chance)), float(len(right)))


# ------------------------------------------------------------------------------------------- one duration


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
        [float(abs(guess - true) <= width + 0.5) for guess, width in zip(each, widths(values), strict=True)]
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


# ------------------------------------------------------------------------------------------- who a case is


def linked(original: EventLog, release: Release, cases: Ints, known: int = 3) -> Tried:
    """Know a person's first activities with their times, and take the path of the released case that fits best.

    Of the released cases with the same beginning, chance takes any.
    """
    right, chance = [], []
    begins = _beginnings(original, release.log, known)
    for case in cases.tolist():
        first = int(original.case_offsets[case])
        k = min(known, int(original.case_offsets[case + 1]) - first)
        same = np.flatnonzero(begins(case, k))
        if not len(same):
            right.append(0.0)
            chance.append(0.0)
            continue
        times = original.time[first : first + k]
        events = release.log.case_offsets[same][:, None] + np.arange(k)
        shown = release.log.time[events]
        apart = np.abs(np.diff(shown, axis=1) - np.diff(times)).sum(axis=1) + np.abs(shown[:, 0] - times[0])
        is_right = release.path_of_case[same] == original.variants.of_case[case]
        right.append(float(is_right[apart == apart.min()].mean()))
        chance.append(float(is_right.mean()))
    return _tried(np.array(right), np.array(chance))


def _beginnings(original: EventLog, released: EventLog, known: int) -> Callable[[int, int], NDArray[np.bool_]]:
    """Which released cases begin with the first k activities of an original case."""
    number = {label: i for i, label in enumerate(released.labels)}
    place = np.array([number.get(label, -1) for label in original.labels])
    length = np.diff(released.case_offsets)
    columns = []
    for k in range(known):
        there = length > k
        event = np.where(there, released.case_offsets[:-1] + k, 0)
        columns.append(np.where(there, released.activity[event], -2))

    def same(case: int, k: int) -> NDArray[np.bool_]:
        first = int(original.case_offsets[case])
        wanted = place[original.activity[first : first + k]]
        return np.logical_and.reduce([columns[i] == wanted[i] for i in range(k)])

    return same


def found_by_start(original: EventLog, release: Release, cases: Ints) -> Tried:
    """Know when a person's case began, and take the path of the released case that began nearest to it."""
    starts = release.log.case_starts
    order = np.argsort(starts, kind="stable")
    ordered = starts[order]
    wanted = original.case_starts[cases]
    after = np.clip(np.searchsorted(ordered, wanted), 1, max(1, len(ordered) - 1))
    if len(ordered) == 1:
        nearest = np.zeros(len(cases), dtype=np.int64)
    else:
        nearest = np.where(wanted - ordered[after - 1] <= ordered[after] - wanted, after - 1, after)
    path = original.variants.of_case[cases]
    # of several that began at the same nearest moment, any
    first, last = np.searchsorted(ordered, ordered[nearest]), np.searchsorted(ordered, ordered[nearest], side="right")
    paths = release.path_of_case[order]
    right = [float((paths[a:b] == p).mean()) for a, b, p in zip(first, last, path, strict=True)]
    return _tried(np.array(right), release.counts[path] / release.log.n_cases)


def exact_starts(original: EventLog, release: Release) -> Tried:
    """Take the start of a released case for that of a person on its path."""
    return _matches(
        np.stack((original.variants.of_case, original.case_starts)),
        np.stack((release.path_of_case, release.log.case_starts)),
    )


def _matches(true: Ints, shown: Ints) -> Tried:
    """How many columns are among the true ones, and how many are with their last row moved by a week."""
    shown = shown[:, shown[0] >= 0]
    true_set = set(map(tuple, true.T.tolist()))
    moved = shown.copy()
    moved[-1] += CHANCE_SHIFT
    right = [each in true_set for each in map(tuple, shown.T.tolist())]
    chance = [each in true_set for each in map(tuple, moved.T.tolist())]
    return _tried(np.array(right), np.array(chance))


def exact_values(original: EventLog, release: Release, cases: Ints) -> Tried:
    """Take the durations that are released on the path of someone alone there for theirs.

    Chance is the share of other people's steps, between the same activities, that took exactly as long.
    """
    sizes = original.variants.cases
    cases = cases[sizes[original.variants.of_case[cases]] == 1]
    duration = np.diff(original.time, prepend=original.time[:1])
    activity = original.activity.astype(np.int64)
    pair = np.roll(activity, 1) * len(original.labels) + activity
    pair[original.is_first] = -1
    totals = dict(zip(*(part.tolist() for part in np.unique(pair, return_counts=True)), strict=True))
    both, times = np.unique(np.stack((pair, duration)), axis=1, return_counts=True)
    alike = dict(zip(map(tuple, both.T.tolist()), times.tolist(), strict=True))
    right, chance = [], []
    for case in cases.tolist():
        first, after = original.case_offsets[case : case + 2].tolist()
        released = release.cases_on(int(original.variants.of_case[case]))
        for event in range(first + 1, after) if len(released) else ():
            shown = release.log.case_offsets[released] + (event - first)
            right.append(float((release.log.time[shown] - release.log.time[shown - 1] == duration[event]).mean()))
            others = totals[int(pair[event])] - 1
            same = alike[int(pair[event]), int(duration[event])] - 1
            chance.append(same / others if others else 0.0)
    return _tried(np.array(right), np.array(chance))


# ------------------------------------------------------------------------------------------- copies and order


def grouped_copies(release: Release, ancestors: Ints, random: Randomness, most: int = 50) -> Tried:
    """Take a released case and the one on its path that began nearest to it for copies of one original."""
    right, chance = [], []
    starts = release.log.case_starts
    for case in random.permutation(release.log.n_cases)[:most].tolist():
        path = int(release.path_of_case[case])
        if path < 0:
            continue
        same = release.cases_on(path)
        same = same[same != case]
        is_copy = ancestors[same] == ancestors[case]
        if not is_copy.any() or is_copy.all():
            continue  # nothing to be found out
        apart = np.abs(starts[same] - starts[case])
        right.append(float(is_copy[apart == apart.min()].mean()))
        chance.append(float(is_copy.mean()))
    return _tried(np.array(right), np.array(chance))


def starts_shared_on_paths(release: Release) -> Tried:
    """Take released cases on one path that begin at the very same moment for copies, if descent is not known.

    Chance is how often one begins exactly a week later.
    """
    path, start = release.path_of_case, release.log.case_starts
    path, start = path[path >= 0], start[path >= 0]
    key, count = np.unique(np.stack((path, start)), axis=1, return_counts=True)
    times = dict(zip(map(tuple, key.T.tolist()), count.tolist(), strict=True))
    cases = list(zip(path.tolist(), start.tolist(), strict=True))
    right = [times[case] > 1 for case in cases]
    chance = [(each, begin + CHANCE_SHIFT) in times for each, begin in cases]
    return _tried(np.array(right), np.array(chance))


def same_order(
    original: EventLog, release: Release, ancestors: Ints | None, random: Randomness, most: int = 200
) -> Tried:
    """Take the first of two released cases for the one that stood first in the original. Chance is one half.

    Where descent is not known, a case is taken to come from the first one on its path.
    """
    if ancestors is None:
        place = np.unique(original.variants.of_case, return_index=True)[1]
        ancestors = np.where(release.path_of_case >= 0, place[release.path_of_case], -1)
    order = random.permutation(len(ancestors))[: 2 * (len(ancestors) // 2)].reshape(2, -1)
    first, second = ancestors[order.min(axis=0)], ancestors[order.max(axis=0)]
    told = (first >= 0) & (second >= 0) & (first != second)
    right = (first < second)[told][:most]
    return _tried(right, np.full(len(right), 0.5))


def same_again(release: Release, earlier: Release | None) -> Tried:
    """Find a released case, path and all times, in another release of the same log."""
    if earlier is None:
        return Tried(0, 0, 0)
    keys = []
    for each in (earlier, release):
        log = each.log
        begin = np.repeat(log.case_starts, np.diff(log.case_offsets))
        elapsed = np.add.reduceat(log.time - begin, log.case_offsets[:-1])  # tells cases apart well enough
        keys.append(np.stack((each.path_of_case, elapsed, log.case_starts)))
    return _matches(keys[0], keys[1])
