"""Which released cases belong together, and in which order they were."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..log import EventLog
from ..ragged import Ints
from ..randomness import Randomness
from .guesses import Tried, counted
from .truth import NEARBY, Starts
from .worlds import Release


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
    return counted(np.array(right[0]), np.array(chance)), counted(np.array(right[1]), np.array(chance))


def starts_shared_on_paths(original: EventLog, release: Release) -> Tried:
    """Take released cases on one path that begin at the very same moment for copies, if descent is not known.

    Chance is how often cases of the original do, or how often one begins a few ticks later, whichever is more.
    """
    path, start = release.path_of_case, release.log.case_starts
    path, start = path[path >= 0], start[path >= 0]
    starts = Starts(original)
    shown = starts.keys(path, start)
    in_original = float(_has_twin(starts.keys(original.variants.of_case, original.case_starts)).mean())
    nearby = float(np.mean([np.isin(starts.keys(path, start, by), shown) for by in NEARBY])) if len(path) else 0.0
    return counted(_has_twin(shown), np.full(len(shown), max(in_original, nearby)))


def _has_twin(keys: Ints) -> NDArray[np.bool_]:
    _, which, times = np.unique(keys, return_inverse=True, return_counts=True)
    return times[which] > 1


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
    return counted(right, np.full(len(right), 0.5))
