"""Which path did a person take? Finding their case by what is known of its beginning."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...core.log import EventLog
from ...privacy.guarantee import Secret
from ..base import ATTACKS, ReleaseAttack, Tried, counted
from ..setting import Shown

_KNOWN = 3  # activities


def linked(on: Shown) -> Tried:
    """Guess the path of the released case that best fits a person's first activities and how long they took.

    Chance picks any of the released cases with the same beginning.
    """
    right, chance = [], []
    original, release = on.original, on.release
    begins = _beginnings(original, release.log, _KNOWN)
    for case in on.people.tolist():
        first = int(original.case_offsets[case])
        k = min(_KNOWN, int(original.case_offsets[case + 1]) - first)
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
    return counted(np.array(right), np.array(chance))


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


def found_by_start(on: Shown) -> Tried:
    """Guess the path of the released case that began nearest to when a person's case began."""
    original, release, cases = on.original, on.release, on.people
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
    return counted(np.array(right), release.counts[path] / release.log.n_cases)


LINKAGE = ATTACKS.add(
    ReleaseAttack(
        "linkage",
        rank=400,
        kind="linkage",
        question="which path did a person take, whose first three activities and their durations are known?",
        secret=Secret.ANY_TIME,
        attempt=linked,
    )
)
START = ATTACKS.add(
    ReleaseAttack(
        "start",
        rank=410,
        kind="start",
        question="which path did a person take, whose case is known to have begun at a certain time?",
        secret=Secret.ANY_TIME,
        attempt=found_by_start,
    )
)
