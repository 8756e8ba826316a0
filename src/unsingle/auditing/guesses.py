"""Guesses from one release: a duration, who a case is, which cases are copies, in which order they were.

Each attack gives, for every person it is tried on, whether it was right, and how likely a guess that does not look at
that person would have been right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..clock import grid_of
from ..guessing import epsilon
from ..hashing import mix_pair
from ..log import EventLog
from ..ragged import Ints, positions
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
NEARBY = (-14, -7, -3, -2, -1, 1, 2, 3, 7, 14)  # ticks: what fits as well there fits by chance
CROWD = 20  # what so many have is no one's own


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


# ------------------------------------------------------------------------------------------- who a case is


def linked(original: EventLog, release: Release, cases: Ints, known: int = 3) -> Tried:
    """Know a person's first activities and how long they took, and take the path of the released case that fits best.

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
        durations = np.diff(original.time[first : first + k])
        shown = np.diff(release.log.time[release.log.case_offsets[same][:, None] + np.arange(k)], axis=1)
        apart = np.abs(shown - durations).sum(axis=1)
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
    """Take the start of a released case for that of a person on its path.

    A moment at which many cases began is no one's own. Chance is how often the released starts would be true if they
    were a few ticks earlier or later.
    """
    moment, of_case, times = np.unique(original.case_starts, return_inverse=True, return_counts=True)
    own = times[of_case] < CROWD
    if not own.any():
        return Tried(0, 0, 0)
    true = set(zip(original.variants.of_case[own].tolist(), original.case_starts[own].tolist(), strict=True))
    common = set(moment[times >= CROWD].tolist())
    path, start = release.path_of_case, release.log.case_starts
    some = (path >= 0) & ~np.isin(start, list(common))
    path, start = path[some].tolist(), start[some]

    def share_true(starts: Ints) -> NDArray[np.bool_]:
        return np.array([each in true for each in zip(path, starts.tolist(), strict=True)], dtype=np.bool_)

    moved = [share_true(_moved(start, by, original)) for by in NEARBY]
    return _tried(share_true(start), np.mean(moved, axis=0))


def _moved(start: Ints, ticks: int, original: EventLog) -> Ints:
    """Times so many ticks of the log's grid later, and from its end to its beginning."""
    first, last = int(original.case_starts.min()), int(original.case_starts.max())
    step = grid_of(original).step
    return first + (start - first + ticks * step) % (last - first + step)


def exact_values(original: EventLog, release: Release, cases: Ints) -> Tried:
    """Take the durations that are released on the path of someone alone there for theirs.

    Chance is the share of other people's steps that took exactly as long: of those between the same activities; if they
    are few, of those to the same activity; or of all.
    """
    sizes = original.variants.cases
    cases = cases[sizes[original.variants.of_case[cases]] == 1]
    duration = np.diff(original.time, prepend=original.time[:1])
    activity = original.activity.astype(np.int64)
    pair = np.roll(activity, 1) * len(original.labels) + activity
    pair[original.is_first] = -1
    groupings = [_Alike(group, duration) for group in (pair, np.where(pair < 0, -1, activity), np.minimum(pair, 0))]
    right, chance = [], []
    for case in cases.tolist():
        first, after = original.case_offsets[case : case + 2].tolist()
        released = release.cases_on(int(original.variants.of_case[case]))
        for event in range(first + 1, after) if len(released) else ():
            shown = release.log.case_offsets[released] + (event - first)
            right.append(float((release.log.time[shown] - release.log.time[shown - 1] == duration[event]).mean()))
            enough = (each for each in groupings if each.others(event) >= CROWD)
            chance.append(next(enough, groupings[-1]).share(event))
    return _tried(np.array(right), np.array(chance))


class _Alike:
    """How many values of a group there are, and how many of them are the same."""

    def __init__(self, group: Ints, value: Ints) -> None:
        self._group, self._value = group, value
        self._total = Counter(group.tolist())
        self._same = Counter(zip(group.tolist(), value.tolist(), strict=True))

    def others(self, entry: int) -> int:
        """How many others there are in the group."""
        return self._total[int(self._group[entry])] - 1

    def share(self, entry: int) -> float:
        """The share of the others that have the same value."""
        same = self._same[int(self._group[entry]), int(self._value[entry])] - 1
        return same / max(1, self.others(entry))


def exact_cases(original: EventLog, release: Release, random: Randomness) -> Tried:
    """Take all durations of a released case for those of one person on its path.

    Chance is how often they are if each is taken from another released case on the same path.
    """
    log = release.log
    on_known = np.repeat(release.path_of_case, np.diff(log.case_offsets))
    place = positions(log.case_offsets)
    duration = np.diff(log.time, prepend=log.time[:1])
    duration[log.is_first] = 0
    key = on_known * (int(place.max()) + 1) + place
    mixed = np.empty_like(duration)
    mixed[np.argsort(key, kind="stable")] = duration[np.lexsort((random.permutation(len(key)), key))]
    true = np.diff(original.time, prepend=original.time[:1])
    true[original.is_first] = 0
    of_people = set(_digests(original.variants.of_case, true, original.case_offsets).tolist())
    steps = np.diff(log.case_offsets) - 1
    some = (release.path_of_case >= 0) & (steps >= 2) & (release.counts[release.path_of_case] > 1)
    shown, by_chance = (
        np.array([each in of_people for each in _digests(release.path_of_case, each, log.case_offsets)[some].tolist()])
        for each in (duration, mixed)
    )
    return _tried(shown, by_chance)


def _digests(path: Ints, duration: Ints, offsets: Ints) -> Ints:
    """A number for the path and all durations of each case."""
    words = mix_pair(duration, positions(offsets), salt=3)
    return mix_pair(path, np.add.reduceat(words, offsets[:-1]).view(np.int64), salt=4).view(np.int64)


# ------------------------------------------------------------------------------------------- copies and order


def grouped_copies(release: Release, ancestors: Ints, random: Randomness, most: int = 50) -> tuple[Tried, Tried]:
    """Take a released case and the one on its path that is nearest to it for copies of one original.

    Nearest by when they begin, and by how long their steps take.
    """
    right: tuple[list[float], list[float]] = ([], [])
    chance = []
    log = release.log
    for case in random.permutation(log.n_cases)[:most].tolist():
        path = int(release.path_of_case[case])
        if path < 0:
            continue
        same = release.cases_on(path)
        same = same[same != case]
        is_copy = ancestors[same] == ancestors[case]
        if not is_copy.any() or is_copy.all():
            continue  # nothing to be found out
        events = log.case_offsets[np.append(same, case)][:, None] + np.arange(np.diff(log.case_offsets)[case])
        durations = np.log1p(np.diff(log.time[events], axis=1))
        by_start = np.abs(log.case_starts[same] - log.case_starts[case])
        by_durations = np.abs(durations[:-1] - durations[-1]).sum(axis=1)
        for found, apart in zip(right, (by_start, by_durations), strict=True):
            found.append(float(is_copy[apart == apart.min()].mean()))
        chance.append(float(is_copy.mean()))
    return _tried(np.array(right[0]), np.array(chance)), _tried(np.array(right[1]), np.array(chance))


def starts_shared_on_paths(original: EventLog, release: Release) -> Tried:
    """Take released cases on one path that begin at the very same moment for copies, if descent is not known.

    Chance is how often cases of the original do, or how often one begins a few ticks later, whichever is more.
    """
    path, start = release.path_of_case, release.log.case_starts
    path, start = path[path >= 0], start[path >= 0]
    times = Counter(zip(path.tolist(), start.tolist(), strict=True))
    true = Counter(zip(original.variants.of_case.tolist(), original.case_starts.tolist(), strict=True))
    shared = sum(n for n in true.values() if n > 1) / original.n_cases
    right = np.array([times[case] > 1 for case in zip(path.tolist(), start.tolist(), strict=True)])
    nearby = [
        np.mean(
            [case in times for case in zip(path.tolist(), _moved(start, by, original).tolist(), strict=True)] or [False]
        )
        for by in NEARBY
    ]
    return _tried(right, np.full(len(right), max(shared, float(np.mean(nearby)))))


def same_order(
    original: EventLog, release: Release, ancestors: Ints | None, random: Randomness, most: int = 200
) -> Tried:
    """Take the first of two released cases for the one that stood first in the original. Chance is one half.

    Where descent is not known, a case is taken to come from the first one on its path; a file that is sorted by its own
    starts tells nothing then.
    """
    if ancestors is None:
        if (np.diff(release.log.case_starts) >= 0).all():
            return Tried(0, 0, 0)
        place = np.unique(original.variants.of_case, return_index=True)[1]
        ancestors = np.where(release.path_of_case >= 0, place[release.path_of_case], -1)
    order = random.permutation(len(ancestors))[: 2 * (len(ancestors) // 2)].reshape(2, -1)
    first, second = ancestors[order.min(axis=0)], ancestors[order.max(axis=0)]
    told = (first >= 0) & (second >= 0) & (first != second)
    right = (first < second)[told][:most]
    return _tried(right, np.full(len(right), 0.5))


def same_again(release: Release, earlier: Release | None) -> Tried:
    """Find a released case, path and all times, in another release of the same log.

    Chance is how often it is found among the other cases of its own release.
    """
    if earlier is None:
        return Tried(0, 0, 0)
    here, there = (
        _digests(each.path_of_case, each.log.time, each.log.case_offsets).tolist() for each in (release, earlier)
    )
    others, own = set(there), Counter(here)
    return _tried(np.array([each in others for each in here]), np.array([own[each] > 1 for each in here]))
