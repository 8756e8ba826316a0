"""What a file says of its log besides cases, activities and times."""

from __future__ import annotations

import io
import re

import numpy as np

from ..log import EventLog
from .guesses import Tried
from .worlds import Release

_FEW = 200
_TELLING = 3  # characters of an id that is not there by chance


def tells_of_its_log(log: EventLog) -> Tried:
    """Find anything in the file of a release but numbered cases with activities and times."""
    head = log.copies_of(np.arange(min(_FEW, log.n_cases)))
    begin, _, traces = _written(head).partition("<trace")
    keys = set(re.findall(r'key="([^"]*)"', traces))
    numbers = re.findall(r'<trace>\s*<string key="concept:name" value="([^"]*)"', "<trace" + traces)
    clean = (
        keys <= {"concept:name", "time:timestamp"}
        and numbers == [str(i) for i in range(1, head.n_cases + 1)]
        and begin == _beginning_of_any_release()
    )
    return Tried(0.0 if clean else head.n_cases, 0.0, head.n_cases)


def linked_by_id(original: EventLog, ids: list[str], release: Release, released_ids: list[str]) -> Tried:
    """Take the released case with a person's id for theirs. Chance is the share of cases that take their path.

    An id that is more than a number, and is or begins with that of a person, tells by itself.
    """
    known = {id_ for id_ in ids if not id_.isdigit() and len(id_) >= _TELLING}
    telling = sum(any(id_[:n] in known for n in range(_TELLING, len(id_) + 1)) for id_ in released_ids)
    if telling:
        return Tried(float(telling), 0.0, float(len(released_ids)))
    place = {id_: case for case, id_ in enumerate(ids)}
    both = [(place[id_], case) for case, id_ in enumerate(released_ids) if id_ in place]
    mine, theirs = np.array(both, dtype=np.int64).reshape(-1, 2).T
    path = original.variants.of_case[mine]
    right = release.path_of_case[theirs] == path
    chance = release.counts[path] / release.log.n_cases
    return Tried(float(right.sum()), float(chance.sum()), float(len(released_ids)))


def _beginning_of_any_release() -> str:
    nobody = np.zeros(1, dtype=np.int64)
    return _written(EventLog.from_events(nobody, nobody, nobody, ["any"])).partition("<trace")[0]


def _written(log: EventLog) -> str:
    from ..formats.xes_writer import write_xes

    written = io.BytesIO()
    write_xes(log, written)
    return written.getvalue().decode()
