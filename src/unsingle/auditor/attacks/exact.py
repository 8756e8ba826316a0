"""Is it exactly true? Released starts, durations and whole cases that are somebody's own."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ...core.arrays import Flags, Ints, distinct, mix_pair, positions
from ...core.clock import HOUR
from ...core.log import EventLog, grid_of, pairs
from ...privacy.guarantee import Secret
from ..base import ATTACKS, ReleaseAttack, Tried, counted
from ..observed import pairs_of
from ..setting import Shown

NEARBY = (-14, -7, -3, -2, -1, 1, 2, 3, 7, 14)
"""Ticks by which a value is moved: what is as often true there is true by chance."""

_CROWD = 20  # what so many have is no one's own
_REPEATED = 3  # times that a group shows a value, so that it is not by chance
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


def exact_starts(on: Shown) -> Tried | None:
    """Guess that the start of a released case is that of a person on its path.

    A moment at which many cases began is no one's own. Chance is how often the released starts would be true if they
    were a few ticks earlier or later.
    """
    original, release = on.original, on.release
    moment, of_case, times = np.unique(original.case_starts, return_inverse=True, return_counts=True)
    own = times[of_case] < _CROWD
    starts = Starts(original)
    true = starts.keys(original.variants.of_case[own], original.case_starts[own])
    path, start = release.path_of_case, release.log.case_starts
    some = (path >= 0) & ~np.isin(start, moment[times >= _CROWD])
    if not (own.any() and some.any()):
        return None

    def is_true(ticks: int) -> Flags:
        return np.isin(starts.keys(path[some], start[some], ticks), true)

    return counted(is_true(0), np.mean([is_true(by) for by in NEARBY], axis=0))


def exact_values(on: Shown) -> Tried:
    """Guess that the durations that are released on the path of someone alone there are theirs.

    Chance is the share of other people's steps that took exactly as long: of those between the same activities; if they
    are few, of those to the same activity; or of all.
    """
    original, release = on.original, on.release
    alone = original.variants.cases[original.variants.of_case[on.people]] == 1
    duration, activity = original.durations, original.activity.astype(np.int64)
    pair = pairs(activity, len(original.labels))
    pair[original.is_first] = -1
    groupings = [_Alike(group, duration) for group in (pair, np.where(pair < 0, -1, activity), np.minimum(pair, 0))]
    right, chance = [], []
    for case in on.people[alone].tolist():
        first, after = original.case_offsets[case : case + 2].tolist()
        released = release.cases_on(int(original.variants.of_case[case]))
        for event in range(first + 1, after) if len(released) else ():
            shown = release.log.case_offsets[released] + (event - first)
            right.append(float((release.log.time[shown] - release.log.time[shown - 1] == duration[event]).mean()))
            enough = (each for each in groupings if each.others(event) >= _CROWD)
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


def exact_cases(on: Shown) -> Tried:
    """Guess that all durations of a released case are those of one person on its path.

    Chance is how often they are if each is taken from another released case on the same path.
    """
    original, release, log = on.original, on.release, on.release.log
    on_known = np.repeat(release.path_of_case, np.diff(log.case_offsets))
    place = positions(log.case_offsets)
    duration = log.durations
    key = on_known * (int(place.max()) + 1) + place
    mixed = np.empty_like(duration)
    mixed[np.argsort(key, kind="stable")] = duration[np.lexsort((on.random.permutation(len(key)), key))]
    of_people = set(digests(original.variants.of_case, original.durations, original.case_offsets).tolist())
    steps = np.diff(log.case_offsets) - 1
    some = (release.path_of_case >= 0) & (steps >= 2) & (release.counts[release.path_of_case] > 1)
    shown, by_chance = (
        np.array([each in of_people for each in digests(release.path_of_case, each, log.case_offsets)[some].tolist()])
        for each in (duration, mixed)
    )
    return counted(shown, by_chance)


def digests(path: Ints, duration: Ints, offsets: Ints) -> Ints:
    """A number for the path and all durations of each case."""
    words = mix_pair(duration, positions(offsets), salt=3)
    return mix_pair(path, np.add.reduceat(words, offsets[:-1]).view(np.int64), salt=4).view(np.int64)


def repeated_values(on: Shown) -> Tried:
    """Guess that a duration of more than an hour that is released three times or more for a pair of activities is true.

    What many have is no one's own. Chance is how often such values would be true a few ticks shorter or longer.
    """
    original, release = on.original, on.release
    had = distinct(pairs_of(original))
    shown, times = np.unique(_keys(had, release.pair, release.durations), return_counts=True)
    own, had_by = np.unique(_keys(had, pairs_of(original), original.durations), return_counts=True)
    crowded = own[had_by >= _CROWD]
    some = shown[(times >= _REPEATED) & (shown >= 0) & (shown % _LONGEST > HOUR) & ~np.isin(shown, crowded)]
    step = grid_of(original).step
    return counted(np.isin(some, own), np.mean([np.isin(some + by * step, own) for by in NEARBY], axis=0))


def _keys(had: Ints, pair: Ints, duration: Ints) -> Ints:
    """One number for pair and duration; below 0 where the original has no such pair."""
    place = np.minimum(np.searchsorted(had, pair), len(had) - 1)
    known = (had[place] == pair) & (pair >= 0)
    return np.where(known, place * _LONGEST + np.minimum(duration, _LONGEST - 1), -1)


STARTS = ATTACKS.add(
    ReleaseAttack(
        "true starts",
        rank=500,
        kind="start",
        question="did someone on this path begin at exactly this moment?",
        secret=Secret.START,
        attempt=exact_starts,
    )
)
TIMES = ATTACKS.add(
    ReleaseAttack(
        "true times",
        rank=510,
        kind="time",
        question="did a person alone on their path take exactly this long for a step?",
        secret=Secret.ANY_TIME,
        attempt=exact_values,
    )
)
CASES = ATTACKS.add(
    ReleaseAttack(
        "true cases",
        rank=520,
        kind="time",
        question="did someone on this path take exactly this long for every step?",
        secret=Secret.ANY_TIME,
        attempt=exact_cases,
    )
)
REPEATED_TIMES = ATTACKS.add(
    ReleaseAttack(
        "true repeated times",
        rank=530,
        kind="time",
        question="did someone take exactly this long, a duration that is released three times or more?",
        secret=Secret.ANY_TIME,
        attempt=repeated_values,
    )
)
