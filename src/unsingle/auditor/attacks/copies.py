"""Finding released cases that are copies of the same person."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...core.arrays import Flags, Floats, Ints
from ...core.log import EventLog
from ...privacy.guarantee import Secret
from ..base import ATTACKS, ReleaseAttack, Tried, counted
from ..setting import Shown
from .exact import NEARBY, Starts

_MOST = 50  # released cases for which a copy is looked for

CaseDistance = Callable[[EventLog, int, Ints], Floats]
"""How far a released case is from others on its path."""


def _by_start(log: EventLog, case: int, others: Ints) -> Floats:
    return np.abs(log.case_starts[others] - log.case_starts[case]).astype(np.float64)


def _by_durations(log: EventLog, case: int, others: Ints) -> Floats:
    events = log.case_offsets[np.append(others, case)][:, None] + np.arange(np.diff(log.case_offsets)[case])
    durations = np.log1p(np.diff(log.time[events], axis=1))
    apart: Floats = np.abs(durations[:-1] - durations[-1]).sum(axis=1)
    return apart


def copies_found(on: Shown, distance: CaseDistance) -> Tried | None:
    """Guess that a released case and the one nearest to it on its path are copies of one original.

    None where no case descends from one.
    """
    if on.release.ancestors is None:
        return None
    right, chance = [], []
    for case, others, is_copy in _with_copies(on, on.release.ancestors):
        apart = distance(on.release.log, case, others)
        right.append(float(is_copy[apart == apart.min()].mean()))
        chance.append(float(is_copy.mean()))
    return counted(np.array(right), np.array(chance))


def _with_copies(on: Shown, ancestors: Ints) -> Iterator[tuple[int, Ints, Flags]]:
    """Some released cases, the others on their path, and which of these are copies; only where not all are alike."""
    release = on.release
    for case in on.random.permutation(release.log.n_cases)[:_MOST].tolist():
        path = int(release.path_of_case[case])
        if path < 0:
            continue
        same = release.cases_on(path)
        same = same[same != case]
        is_copy = ancestors[same] == ancestors[case]
        if is_copy.any() and not is_copy.all():
            yield case, same, is_copy


def starts_shared_on_paths(on: Shown) -> Tried:
    """Guess that released cases on one path that begin at the very same moment are copies, if descent is not known.

    Chance is how often cases of the original do, or how often one begins a few ticks later, whichever is more.
    """
    original, release = on.original, on.release
    path, start = release.path_of_case, release.log.case_starts
    path, start = path[path >= 0], start[path >= 0]
    starts = Starts(original)
    shown = starts.keys(path, start)
    in_original = float(_has_twin(starts.keys(original.variants.of_case, original.case_starts)).mean())
    nearby = float(np.mean([np.isin(starts.keys(path, start, by), shown) for by in NEARBY])) if len(path) else 0.0
    return counted(_has_twin(shown), np.full(len(shown), max(in_original, nearby)))


def _has_twin(keys: Ints) -> Flags:
    _, which, times = np.unique(keys, return_inverse=True, return_counts=True)
    return times[which] > 1


BY_START = ATTACKS.add(
    ReleaseAttack(
        "copies by start",
        rank=420,
        kind="copies",
        question="which released cases are copies of the same person, judging by when they begin?",
        secret=Secret.DESCENT,
        attempt=lambda on: copies_found(on, _by_start),
        given=starts_shared_on_paths,
    )
)
BY_DURATIONS = ATTACKS.add(
    ReleaseAttack(
        "copies by durations",
        rank=430,
        kind="copies",
        question="which released cases are copies of the same person, judging by how long their steps take?",
        secret=Secret.DESCENT,
        attempt=lambda on: copies_found(on, _by_durations),
    )
)
