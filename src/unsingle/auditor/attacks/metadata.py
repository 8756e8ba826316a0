"""Does a file say more of its log than numbered cases, activities and times? It may not, whatever delta is."""

from __future__ import annotations

import io
import re

import numpy as np

from ...core.columns import CASE_ID, TRACE_ATTRIBUTE
from ...core.log import EventLog
from ...formats.schema import XES_ACTIVITY, XES_CASE, XES_TIME
from ..base import ATTACKS, ReleaseAttack, Tried
from ..setting import Shown

_FEW = 200  # cases that are written
_TELLING = 3  # characters of an id that is not there by chance
_KEYS = {name.removeprefix(TRACE_ATTRIBUTE) for name in (XES_CASE, XES_ACTIVITY, XES_TIME)}
_CASE = re.compile(rf'<trace>\s*<string key="{XES_CASE.removeprefix(TRACE_ATTRIBUTE)}" value="([^"]*)"')


def says_more(on: Shown) -> Tried:
    """Find anything in the file of a release but numbered cases with activities and times."""
    log = on.release.log
    some = log.subset(np.arange(min(_FEW, log.n_cases)))
    begin, _, traces = _written(some).partition("<trace")
    clean = (
        set(re.findall(r'key="([^"]*)"', traces)) <= _KEYS
        and _CASE.findall("<trace" + traces) == [str(i) for i in range(1, some.n_cases + 1)]
        and begin == _beginning_of_any_release()
    )
    return Tried(0.0 if clean else some.n_cases, 0.0, some.n_cases)


def linked_by_id(on: Shown) -> Tried | None:
    """Guess that the released case with a person's id is theirs. Chance is the share of cases that take their path.

    An id that is more than a number, and is or begins with that of a person, reveals them by itself. None where one of
    the logs has no ids.
    """
    ids, released_ids = _ids(on.original), _ids(on.release.log)
    if ids is None or released_ids is None:
        return None
    known = {id_ for id_ in ids if not id_.isdigit() and len(id_) >= _TELLING}
    telling = sum(any(id_[:n] in known for n in range(_TELLING, len(id_) + 1)) for id_ in released_ids)
    if telling:
        return Tried(float(telling), 0.0, float(len(released_ids)))
    place = {id_: case for case, id_ in enumerate(ids)}
    both = [(place[id_], case) for case, id_ in enumerate(released_ids) if id_ in place]
    mine, theirs = np.array(both, dtype=np.int64).reshape(-1, 2).T
    path = on.original.variants.of_case[mine]
    right = on.release.path_of_case[theirs] == path
    chance = on.release.counts[path] / on.release.log.n_cases
    return Tried(float(right.sum()), float(chance.sum()), float(len(released_ids)))


def _ids(log: EventLog) -> list[str] | None:
    """The ids of the cases in their source, if they were read."""
    column = log.column(CASE_ID)
    return None if column is None else ["" if cell is None else str(cell) for cell in column.cells()]


def _beginning_of_any_release() -> str:
    nobody = np.zeros(1, dtype=np.int64)
    return _written(EventLog.from_events(nobody, nobody, nobody, ["any"])).partition("<trace")[0]


def _written(log: EventLog) -> str:
    from ...formats.xes.writer import write_xes

    written = io.BytesIO()
    write_xes(log, written)
    return written.getvalue().decode()


IDS = ATTACKS.add(
    ReleaseAttack(
        "ids and attributes",
        rank=460,
        kind="order",
        question="does the file say more than numbered cases, activities and times?",
        at_most=0.0,
        attempt=says_more,
        given=linked_by_id,
    )
)
