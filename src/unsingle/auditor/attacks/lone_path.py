"""Whether one given release shows the paths that a single person took.

Anyone who knows the other cases knows whose such a path is. Chance is how often the release shows a path that nobody
took but that is equally likely: the same activities, two neighbouring ones the other way round.
"""

from __future__ import annotations

from itertools import pairwise

from ..base import Tried
from ..observed import paths_of
from ..setting import Shown

Path = tuple[str, ...]


def lone_paths_shown(on: Shown) -> Tried:
    """Guess that somebody alone on a path is in the log if their path is released, else that they are not.

    A person who is not in the log is one who would have taken the other path. A yes/no guess: chance is one half.
    """
    variants, paths = on.original.variants, paths_of(on.original)
    known, shown = set(paths), set(paths_of(on.release.log))
    steps = {(a, b) for path in paths for a, b in pairwise(path)}
    right = guesses = 0.0
    for variant in variants.of_case[on.people].tolist():
        if variants.cases[variant] > 1 or (other := _alike(paths[variant], known, steps)) is None:
            continue
        right += (paths[variant] in shown) + (other not in shown)
        guesses += 2
    return Tried(right, guesses / 2, guesses)


def _alike(path: Path, known: set[Path], steps: set[tuple[str, str]]) -> Path | None:
    """A path that nobody took, with two neighbouring activities the other way round; of usual steps if there is one."""
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
