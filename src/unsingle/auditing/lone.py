"""Whether one given release shows the paths that one person alone took.

Anyone who knows the other cases knows that such a path is that person's. Chance is how often the release shows a path
that nobody took, but that is as like one: the same activities, two of them the other way round.
"""

from __future__ import annotations

from itertools import pairwise

from ..log import EventLog
from ..ragged import Ints
from .guesses import Tried
from .worlds import Release, paths_of

Path = tuple[str, ...]


def lone_paths_shown(original: EventLog, release: Release, cases: Ints) -> Tried:
    """Take somebody alone on a path for being in the log if their path is released, else for not being in it.

    A person who is not in the log is one who would have taken the other path. A yes/no guess: chance is one half.
    """
    paths, taken = paths_of(original), original.variants.cases
    known, shown = set(paths), set(paths_of(release.log))
    steps = {(a, b) for path in paths for a, b in pairwise(path)}
    right = guesses = 0.0
    for variant in original.variants.of_case[cases].tolist():
        if taken[variant] > 1 or (other := _alike(paths[variant], known, steps)) is None:
            continue
        right += (paths[variant] in shown) + (other not in shown)
        guesses += 2
    return Tried(right, guesses / 2, guesses)


def _alike(path: Path, known: set[Path], steps: set[tuple[str, str]]) -> Path | None:
    """The path with two neighbouring activities the other way round: one that nobody took, of usual steps if it can."""
    unusual = None
    for i in range(len(path) - 1):
        turned = (*path[:i], path[i + 1], path[i], *path[i + 2 :])
        if turned in known:
            continue
        around = turned[max(0, i - 1) : i + 3]
        if all(step in steps for step in pairwise(around)):
            return turned
        unusual = unusual or turned
    return unusual
