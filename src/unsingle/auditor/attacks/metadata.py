"""Does a file say more than numbered cases, activities, times and kept columns? It may not, whatever delta is."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

import numpy as np

from ...core.columns import CASE_ID, TRACE_ATTRIBUTE, Column, Field, Kind
from ...core.log import ActivityParts, EventLog
from ...formats.schema import XES_ACTIVITY, XES_CASE, XES_TIME, public_columns
from ..base import ATTACKS, ReleaseAttack, Tried
from ..setting import Shown

_FEW = 200  # cases that are written
_TELLING = 3  # characters of an id that is not there by chance
_KEYS = {name.removeprefix(TRACE_ATTRIBUTE) for name in (XES_CASE, XES_ACTIVITY, XES_TIME)}
_CASE = re.compile(rf'<trace>\s*<string key="{XES_CASE.removeprefix(TRACE_ATTRIBUTE)}" value="([^"]*)"')


def says_more(on: Shown) -> Tried:
    """Find anything in the file of a release but numbered cases with activities, times and kept columns."""
    log, parts = on.release.log, on.original.parts
    some = log.subset(np.arange(min(_FEW, log.n_cases)))
    begin, _, traces = _written(some).partition("<trace")
    known = {*_KEYS, *(column.field.name for column in public_columns(on.original))}
    known |= set(() if parts is None else parts.names)
    clean = (
        {unescape(key) for key in re.findall(r'key="([^"]*)"', traces)} <= known
        and _CASE.findall("<trace" + traces) == [str(i) for i in range(1, some.n_cases + 1)]
        and begin == _beginning_of_any_release(log.fields, log.parts)
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


def _beginning_of_any_release(fields: Sequence[Field], parts: ActivityParts | None) -> str:
    """What stands before the first case in a file of another log with such columns, none of which has a value."""
    nobody, label = np.zeros(1, dtype=np.int64), ["any"]
    columns = [_empty(field) for field in fields]
    parts = None if parts is None else replace(parts.of(label), intervals=False)
    log = EventLog.from_events(nobody, nobody, nobody, label, columns=columns, parts=parts)
    return _written(log).partition("<trace")[0]


def _empty(field: Field) -> Column:
    return Column.of_texts(field, [None]) if field.kind is Kind.TEXT else Column.of_numbers(field, np.full(1, np.nan))


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
        question="does the file say more than numbered cases, activities, times and kept columns?",
        at_most=0.0,
        attempt=says_more,
        given=linked_by_id,
    )
)
