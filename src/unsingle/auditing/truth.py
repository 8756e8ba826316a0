"""Is it exactly true? Released starts, durations and whole cases that are somebody's own."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from ..clock import HOUR, grid_of
from ..hashing import mix_pair
from ..log import EventLog, pairs
from ..ragged import Ints, positions
from ..randomness import Randomness
from .guesses import Tried, counted
from .worlds import Release, pairs_of

NEARBY = (-14, -7, -3, -2, -1, 1, 2, 3, 7, 14)  # ticks: what fits as well there fits by chance
CROWD = 20  # what so many have is no one's own

_REPEATED = 3  # times that a group shows a value, so that it is no chance
_LONGEST = 1 << 42  # milliseconds: more than a century


class Starts:
    """Cases by path and start, as numbers that can be compared, moved within the span of the original."""

    def __init__(self, original: EventLog) -> None:
        self._first = int(original.case_starts.min())
        self._step = grid_of(original).step
        self._span = int(original.case_starts.max()) - self._first + self._step

    def keys(self, path: Ints, start: Ints, ticks: int = 0) -> Ints:
        """A number for each path and start, so many ticks later, from the end of the span to its beginning."""
        return path * self._span + (start - self._first + ticks * self._step) % self._span


def exact_starts(original: EventLog, release: Release) -> Tried:
    """Take the start of a released case for that of a person on its path.

    A moment at which many cases began is no one's own. Chance is how often the released starts would be true if they
    were a few ticks earlier or later.
    """
    moment, of_case, times = np.unique(original.case_starts, return_inverse=True, return_counts=True)
    own = times[of_case] < CROWD
    starts = Starts(original)
    true = starts.keys(original.variants.of_case[own], original.case_starts[own])
    path, start = release.path_of_case, release.log.case_starts
    some = (path >= 0) & ~np.isin(start, moment[times >= CROWD])
    if not (own.any() and some.any()):
        return Tried(0, 0, 0)

    def is_true(ticks: int) -> NDArray[np.bool_]:
        return np.isin(starts.keys(path[some], start[some], ticks), true)

    return counted(is_true(0), np.mean([is_true(by) for by in NEARBY], axis=0))


def exact_values(original: EventLog, release: Release, cases: Ints) -> Tried:
    """Take the durations that are released on the path of someone alone there for theirs.

    Chance is the share of other people's steps that took exactly as long: of those between the same activities; if they
    are few, of those to the same activity; or of all.
    """
    sizes = original.variants.cases
    cases = cases[sizes[original.variants.of_case[cases]] == 1]
    duration, activity = original.durations, original.activity.astype(np.int64)
    pair = pairs(activity, len(original.labels))
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
    return counted(np.array(right), np.array(chance))


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
    duration = log.durations
    key = on_known * (int(place.max()) + 1) + place
    mixed = np.empty_like(duration)
    mixed[np.argsort(key, kind="stable")] = duration[np.lexsort((random.permutation(len(key)), key))]
    of_people = set(_digests(original.variants.of_case, original.durations, original.case_offsets).tolist())
    steps = np.diff(log.case_offsets) - 1
    some = (release.path_of_case >= 0) & (steps >= 2) & (release.counts[release.path_of_case] > 1)
    shown, by_chance = (
        np.array([each in of_people for each in _digests(release.path_of_case, each, log.case_offsets)[some].tolist()])
        for each in (duration, mixed)
    )
    return counted(shown, by_chance)


def _digests(path: Ints, duration: Ints, offsets: Ints) -> Ints:
    """A number for the path and all durations of each case."""
    words = mix_pair(duration, positions(offsets), salt=3)
    return mix_pair(path, np.add.reduceat(words, offsets[:-1]).view(np.int64), salt=4).view(np.int64)


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
    return counted(np.array([each in others for each in here]), np.array([own[each] > 1 for each in here]))


def repeated_values(original: EventLog, release: Release) -> Tried:
    """Take a duration of more than an hour that a pair of activities shows three times or more for a true one.

    What many have is no one's own. Chance is how often such values would be true a few ticks shorter or longer.
    """
    had = np.unique(pairs_of(original))
    shown, times = np.unique(_keys(had, release.pair, release.durations), return_counts=True)
    own, had_by = np.unique(_keys(had, pairs_of(original), original.durations), return_counts=True)
    crowded = own[had_by >= CROWD]
    some = shown[(times >= _REPEATED) & (shown >= 0) & (shown % _LONGEST > HOUR) & ~np.isin(shown, crowded)]
    step = grid_of(original).step
    return counted(np.isin(some, own), np.mean([np.isin(some + by * step, own) for by in NEARBY], axis=0))


def _keys(had: Ints, pair: Ints, duration: Ints) -> Ints:
    """One number for pair and duration; below 0 where the original has no such pair."""
    place = np.minimum(np.searchsorted(had, pair), len(had) - 1)
    known = (had[place] == pair) & (pair >= 0)
    return np.where(known, place * _LONGEST + np.minimum(duration, _LONGEST - 1), -1)
