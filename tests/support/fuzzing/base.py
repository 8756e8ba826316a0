"""What fuzzing of all formats shares: inputs and their damage, what a reading is, and the verdict on two of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

from unsingle.core.log import EventLog
from unsingle.errors import UnsingleError
from unsingle.formats.csv import quotes as marks
from unsingle.formats.source import Source
from unsingle.formats.xes import plain as xes_plain

from .times import milliseconds_of

CASE, ACTIVITY, TIME = "case", "activity", "time"
NAMES = (CASE, ACTIVITY, TIME)

Row = tuple[Any, Any, Any]
"""The cells of an event as they are written: case, activity and time."""

Events = list[list[tuple[str, int]]]
"""The label and the time of each event of each case."""

SAME, BOTH, ALONE = "same", "refused by both", "refused by us alone"
"""Verdicts that are in order. So is any that begins with `RULE`; all others are findings."""

RULE = "rule: "


class Refused(Exception):  # noqa: N818 - an answer
    """The reader of somebody else does not take the input."""


class Input(NamedTuple):
    """The bytes of a file, options to read it with, how large the pieces are that it is read in, and what it was.

    `truth` are the cells before the file was damaged, where it matters.
    """

    content: bytes
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    piece: int = 1 << 20
    truth: list[Row] | None = None


class Target(Protocol):
    """A format: how its inputs are made, read by us, and read by somebody else."""

    name: str
    suffix: str

    def make(self, random: Random) -> Input:
        """An odd file, whole or damaged."""

    def ours(self, path: Path, given: Input, /, *, whole: bool) -> list[Row] | Events:
        """What we read, as far as cells or, if `whole`, as users do; raises what the reader raises."""

    def oracle(self, given: Input) -> Sequence[list[Row]]:
        """What somebody else reads: one reading, or several that are all right; raises `Refused`."""

    def rule(self, given: Input, refused: str, /) -> str | None:
        """Why we may take what somebody else refuses; None if nothing explains it."""


@contextmanager
def in_pieces(size: int) -> Iterator[None]:
    """Let our readers take small files in several pieces, as they take large ones."""
    before = Source.chunks.__defaults__, xes_plain._BLOCK, marks._BLOCK
    Source.chunks.__defaults__, xes_plain._BLOCK, marks._BLOCK = (max(size, 100),), size, size
    try:
        yield
    finally:
        Source.chunks.__defaults__, xes_plain._BLOCK, marks._BLOCK = before


def verdict(target: Target, given: Input, path: Path, *, whole: bool) -> str:
    """How the two readings of an input compare; `path` is the file that has it."""
    try:
        with in_pieces(given.piece):
            found = target.ours(path, given, whole=whole)
    except UnsingleError as error:
        if len(str(error).splitlines()) != 1:
            return f"raw: a message that is not one line: {error!r}"
        found = None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"raw: {type(error).__name__}: {error}"
    try:
        readings = target.oracle(given)
    except Refused as error:
        if found is None:
            return BOTH
        rule = "read as it was before the damage" if _is_truth(found, given) else target.rule(given, str(error))
        return f"{RULE}{rule}" if rule else f"taken by us alone, refused by the other ({error})"
    if found is None:
        return ALONE
    return _compared(found, readings)


def _is_truth(found: list[Row] | Events, given: Input) -> bool:
    return given.truth is not None and _compared(found, [given.truth]) == SAME


def _compared(found: list[Row] | Events, readings: Sequence[list[Row]]) -> str:
    if found and isinstance(found[0], tuple):
        return SAME if found in readings else f"wrong: {str(found)[:300]} is not {str(readings[0])[:300]}"
    reasons = []
    for rows in readings:
        for month_first in (False, True):
            try:
                events = events_of(rows, month_first=month_first)
            except Refused as error:
                reasons.append(str(error))
                continue
            if found == events:
                return SAME
            reasons.append(f"{str(found)[:300]} is not {str(events)[:300]}")
    return f"wrong: {reasons[0]}"


def events_of(rows: Sequence[Row], *, month_first: bool = False) -> Events:
    """The events that cells stand for, by case in order of appearance and within it by time."""
    cases: dict[Any, list[tuple[str, int]]] = {}
    for case, activity, time in rows:
        moment = milliseconds_of(time, month_first=month_first)
        if moment is None:
            raise Refused(f"no time: {time!r}")
        if is_blank(case) or is_blank(activity):
            raise Refused(f"a cell is missing: {case!r}, {activity!r}")
        cases.setdefault(case, []).append((str(activity), moment))
    return [sorted(events, key=lambda event: event[1]) for events in cases.values()]


def is_blank(cell: object) -> bool:
    """Whether a cell has nothing but white space of Unicode, which the separators of ASCII are not."""
    return cell is None or re.fullmatch(r"[^\S\x1c-\x1f]*", str(cell)) is not None


def events_in(log: EventLog) -> Events:
    """The events of a log that we have read."""
    edges, labels = log.case_offsets.tolist(), log.activity_names().tolist()
    both = list(zip(labels, log.time.tolist(), strict=True))
    return [both[a:b] for a, b in pairwise(edges)]


def damaged(random: Random, content: bytes, tokens: Sequence[bytes]) -> bytes:
    """The content with one to four changes: bytes and spans lost, doubled, moved, changed, tokens put in."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        at = random.randrange(len(content) + 1)
        end = min(len(content), at + random.choice((1, 1, 1, 2, 3, 8, 40)))
        kind = random.randrange(8)
        if kind <= 2:
            content = content[:at] + random.choice(tokens) + content[at:]
        elif kind == 3:
            content = content[:at] + random.choice(tokens) + content[end:]
        elif kind == 4:
            content = content[:at] + content[end:]
        elif kind == 5:
            content = content[:end] + content[at:end] + content[end:]
        elif kind == 6:
            content = content[:at] + bytes([random.randrange(256)]) + content[end:]
        else:
            content = content[:at] if random.random() < 0.3 else _swapped(random, content, at)
    return content


def _swapped(random: Random, content: bytes, at: int) -> bytes:
    """Two spans that change places."""
    first, second = sorted((at, random.randrange(len(content) + 1)))
    third = min(len(content), second + random.choice((1, 3, 20)))
    return content[:first] + content[second:third] + content[first:second] + content[third:]
