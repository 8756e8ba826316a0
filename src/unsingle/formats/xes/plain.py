"""Reading XES in the plain style that nearly all programs write: fast, or not at all.

The document is cut into blocks of whole traces, which `tokens` reads on all cores. What stands before the first
and after the last trace goes through a real XML parser. At the first thing that is not plain, or that is wrong, it
gives up: the strict reader then reads the document again and says what is wrong, and where.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import NamedTuple
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats, Ints, dense, distinct, offsets_of
from ...core.clock import zone_of_offsets
from ...core.columns import MISSING, PERSON, TRACE_ATTRIBUTE, UTC_OFFSET, Column, Field, Kind, Level
from ...core.log import EventLog
from ...core.machine import in_order
from ..kept import kind_by_types, refuse_unusable
from ..labels import Combination, joint_labels, parts_of
from ..numbers import LARGEST, numbers_in
from ..schema import level_of
from ..selection import Selection, refuse_nobody
from ..source import Source
from ..wanted import Further, Wanted
from .document import NOT_IN_XML, is_object_centric, is_utf8, local_name, parser_of
from .tokens import (
    PAD,
    Block,
    Slices,
    Unusual,
    different_keys,
    digests,
    distinct_texts,
    iso_milliseconds,
    read_block,
    words_of,
)

_BLOCK = 3 << 20
_FIRST, _LAST = b"<trace>", b"</trace>"
_ENTITIES = (b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;")
_PROBE = b"<?unsingle outside?>"
_CHANGED = np.isin(np.arange(256), list(b"\t\r\n&"))
_MAY_BE_BLANK = np.isin(np.arange(256), list(b" \t\r\n\xc2\xe1\xe2\xe3"))  # how white space of Unicode begins
_PLAIN_NUMBER = {Kind.INTEGER: set(b"-0123456789"), Kind.NUMBER: set(b"-.0123456789")}  # all else needs a closer look
_WRITTEN_SEVERAL_WAYS = set(" >'")  # a space may be a tab or a line end, the others may be references


def read_plain(source: Source, selection: Selection, wanted: Wanted) -> EventLog | None:
    """The log, if the document is plain and whole and no cell is missing; else None."""
    if wanted.time_format is not None or not selection.columns.case.startswith(TRACE_ATTRIBUTE):
        return None
    if selection.start or len(selection.time) > 1:
        return None  # two times, or a time in two parts
    if {selection.columns.case, selection.columns.time} & set(selection.activity):
        return None  # asked for twice, in two roles
    if any(name.startswith(TRACE_ATTRIBUTE) for name in selection.needed if name != selection.columns.case):
        return None  # to be looked for in traces first, then in events
    if any("&" in name for name in selection.names):
        return None  # written as a reference
    try:
        log = _log(_read(source, selection), selection, wanted, source.shown)
    except Unusual:
        return None
    refuse_nobody(log, wanted, source.shown)
    refuse_unusable(log, selection, source.shown)
    return log


class _Cells(NamedTuple):
    """Values that not every event has: their number for each event, or `MISSING`, their texts, and their XES types."""

    codes: Ints
    texts: list[bytes]
    types: set[str]


@dataclass(frozen=True)
class _Part:
    """What one block holds: numbered values with their texts, times, offsets, and traces with their names."""

    codes: dict[str, tuple[Ints, list[bytes]]]
    time: Ints
    offset: NDArray[np.int16]
    trace_of_event: Ints
    names: NDArray[np.uint64]
    further: dict[str, _Cells]
    keys: set[str]


def _read(source: Source, selection: Selection) -> list[_Part]:
    outside = _Outside()
    blocks = _blocks(source.chunks(), outside)
    parts = list(in_order(lambda block: _part(block, selection), blocks))
    outside.end()
    return parts


def _blocks(chunks: Iterator[bytes], outside: _Outside) -> Iterator[bytes]:
    """Cut the text into blocks of whole traces; the rest goes outside."""
    pending = bytearray()
    begun = False
    searched = 0
    for chunk in chunks:
        pending += chunk
        if not begun:
            begin = pending.find(_FIRST, searched)
            searched = max(0, len(pending) - len(_FIRST))
            if begin < 0:
                continue
            outside.begin(bytes(pending[:begin]))
            del pending[:begin]
            begun, searched = True, 0
        if len(pending) >= _BLOCK:
            end = pending.rfind(_LAST, searched) + len(_LAST)
            searched = len(pending) - len(_LAST)
            if end >= len(_LAST):
                yield bytes(pending[:end]) + PAD
                del pending[: _next_tag(pending, end)]
                searched = 0
    if not begun:
        raise Unusual
    end = pending.rfind(_LAST) + len(_LAST)
    if end >= len(_LAST):
        yield bytes(pending[:end]) + PAD
        del pending[:end]
    outside.rest = bytes(pending)


def _next_tag(text: bytearray, start: int) -> int:
    """Where white space ends."""
    end = len(text)
    while start < end and text[start] in b" \t\r\n":
        start += 1
    return start


class _Outside:
    """What surrounds the traces, seen by a real parser, as a document without them."""

    def __init__(self) -> None:
        self._parser = self._new_parser(b"")
        self._open: list[str] = []
        self._probed = False
        self.rest = b""

    def begin(self, text: bytes) -> None:
        """Take what stands before the first trace, which must be a child of the root and not in a comment."""
        if b"<!DOCTYPE" in text or not is_utf8(text):
            raise Unusual
        self._parser = self._new_parser(text)
        self._parse(text + _PROBE, final=False)
        if not self._probed or self._open != ["log"]:
            raise Unusual

    def end(self) -> None:
        """Take what stands behind the last trace."""
        self._parse(self.rest, final=True)

    def _new_parser(self, head: bytes) -> expat.XMLParserType:
        parser = parser_of(head)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.ProcessingInstructionHandler = self._instruction
        return parser

    def _parse(self, text: bytes, *, final: bool) -> None:
        try:
            self._parser.Parse(text, final)
        except expat.ExpatError:
            raise Unusual from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._open.append(name)
        if local_name(name) in ("trace", "event") or is_object_centric(local_name(name), attributes):
            raise Unusual

    def _end(self, _name: str) -> None:
        self._open.pop()

    def _instruction(self, target: str, _data: str) -> None:
        self._probed |= target == "unsingle"


def _part(text: bytes, selection: Selection) -> _Part:
    case, time_key = selection.columns.case, selection.columns.time
    keys = [name for name in selection.needed if name not in (case, time_key)]
    further = {each.name for each in selection.further}
    _check_characters(text)
    block = read_block(text, [*keys, time_key], case.removeprefix(TRACE_ATTRIBUTE), further)
    if not len(block.trace_of_event):
        raise Unusual  # no event: the strict reader says so
    if _WRITTEN_SEVERAL_WAYS & set("".join(selection.names)) and _changed_by_xml(text, block.keys).any():
        raise Unusual
    time, offset = iso_milliseconds(text, block.values[time_key])
    codes = {key: distinct_texts(text, block.values[key]) for key in keys}
    cells = {name: _cells(text, block, name) for name in further}
    return _Part(codes, time, offset, block.trace_of_event, _names(text, block.names), cells, _keys(text, block))


def _keys(text: bytes, block: Block) -> set[str]:
    """The columns that a block has."""
    of_trace = {f"{TRACE_ATTRIBUTE}{_meant(key)}" for key in different_keys(text, block.keys, block.of_trace)}
    return of_trace | {_meant(key) for key in different_keys(text, block.keys, block.of_event)}


def _cells(text: bytes, block: Block, name: str) -> _Cells:
    """The values of a further column, for each event."""
    found, of_trace = block.further[name], level_of(name) is Level.CASE
    code, texts = distinct_texts(text, found.values)
    codes = np.full(len(block.names.start) if of_trace else len(block.trace_of_event), MISSING)
    codes[found.owner] = code
    return _Cells(codes[block.trace_of_event] if of_trace else codes, texts, found.types)


def _check_characters(text: bytes) -> None:
    """Check that all characters and references are ones that XML knows."""
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            raise Unusual from None
        if any(character in text for character in NOT_IN_XML):
            raise Unusual
    if b"&" in text and text.count(b"&") != sum(text.count(entity) for entity in _ENTITIES):
        raise Unusual
    byte = np.frombuffer(text, dtype=np.uint8)
    if ((byte < 32) & (byte != 10) & (byte != 13) & (byte != 9)).any():
        raise Unusual


def _names(text: bytes, names: Slices) -> NDArray[np.uint64]:
    """Two hashes of each name as XML means it; a name that is none is for the strict reader."""
    hashes = _hashes(text, names)
    first = np.frombuffer(text, dtype=np.uint8)[names.start]
    odd = np.flatnonzero((names.length == 0) | _MAY_BE_BLANK[first] | _changed_by_xml(text, names))
    if len(odd):
        code, texts = distinct_texts(text, Slices(names.start[odd], names.length[odd]))
        meant = [_text(name).encode() for name in texts]
        offsets = offsets_of(np.array([len(name) for name in meant]))
        hashes[odd] = _hashes(b"".join(meant) + PAD, Slices(offsets[:-1], np.diff(offsets)))[code]
    return hashes


def _changed_by_xml(text: bytes, slices: Slices) -> NDArray[np.bool_]:
    """Which slices hold a reference, a tab or a line end, so that XML means another text than is written."""
    offsets = offsets_of(slices.length)
    place = np.repeat(slices.start - offsets[:-1], slices.length) + np.arange(offsets[-1])
    found = np.flatnonzero(_CHANGED[np.frombuffer(text, dtype=np.uint8)[place]])
    changed = np.zeros(len(slices.length), dtype=np.bool_)
    changed[np.searchsorted(offsets, found, side="right") - 1] = True
    return changed


def _hashes(text: bytes, slices: Slices) -> NDArray[np.uint64]:
    words = words_of(text)
    return np.stack([digests(words, slices, salt) for salt in (1, 2)], axis=1)


def _log(parts: list[_Part], selection: Selection, wanted: Wanted, source: str) -> EventLog:
    columns = {key: _merged([part.codes[key] for part in parts]) for key in parts[0].codes}
    time = np.concatenate([part.time for part in parts])
    offset = np.concatenate([part.offset for part in parts])
    case = _cases(parts)
    activity, combinations = _combined([columns[name] for name in selection.activity])
    further = [_column([part.further[each.name] for part in parts], each, source) for each in selection.further]
    if selection.lifecycle is not None:
        code, texts = columns[selection.lifecycle]
        kept = np.array([text.lower() == str(wanted.lifecycle).lower() for text in texts])[code]
        if not kept.any():
            raise Unusual
        case, activity, time, offset = case[kept], activity[kept], time[kept], offset[kept]
        further = [column.take(np.flatnonzero(kept)) for column in further]
    activity, combinations = _by_appearance(activity, combinations)
    made_of = dict(zip(joint_labels(combinations), combinations, strict=True))
    zone = wanted.timezone or zone_of_offsets(time, offset)
    written = [] if wanted.timezone else [Column.of_numbers(UTC_OFFSET, offset)]
    selection = selection.among(sorted(set().union(*(part.keys for part in parts))), wanted)
    return EventLog.from_events(
        case, activity, time, list(made_of), zone=zone, columns=[*written, *further], source=selection.columns,
        parts=parts_of(selection, made_of),
    )  # fmt: skip


def _column(parts: list[_Cells], further: Further, source: str) -> Column:
    """A further column, typed as its elements say."""
    types = set().union(*(part.types for part in parts))
    if not types:
        raise Unusual  # nobody has it: the strict reader says which there are
    field = further.field(kind_by_types(types, further, source))
    return _texts(parts, further, field) if field.kind is Kind.TEXT else _numbers(parts, field)


def _texts(parts: list[_Cells], further: Further, field: Field) -> Column:
    number: dict[str, int] = {}
    codes = []
    for part in parts:
        known = [number.setdefault(_meant(text), len(number)) for text in part.texts]
        codes.append(np.array([*known, MISSING], dtype=np.int32)[part.codes])
    if further.private == PERSON and any(not text.strip() for text in number):
        raise Unusual  # a blank is nobody's name
    column = Column(field, np.concatenate(codes), tuple(number))
    if further.level is Level.FIRST and "" in number:
        column = column.only(np.flatnonzero(column.values != number[""]))
    return column


def _numbers(parts: list[_Cells], field: Field) -> Column:
    values = [np.append(_numbers_in(part.texts, field.kind), np.nan)[part.codes] for part in parts]
    return Column.of_numbers(field, np.concatenate(values))


def _numbers_in(texts: list[bytes], kind: Kind) -> Floats:
    """The numbers that texts are; what is none is for the strict reader, which says where."""
    if not set(b"".join(texts)) - _PLAIN_NUMBER[kind] and all(texts):
        with contextlib.suppress(ValueError):
            numbers = np.array(texts, dtype=bytes).astype(np.float64)
            if (np.abs(numbers) < LARGEST).all():
                return numbers
    numbers, bad = numbers_in([_meant(text) for text in texts], kind)
    if bad.any():
        raise Unusual
    return numbers


def _by_appearance(codes: Ints, texts: list[Combination]) -> tuple[Ints, list[Combination]]:
    """Number the texts that occur in the order of their first event, as every other reader does."""
    first = _first_events(codes, len(texts))
    order = np.argsort(first)[: np.count_nonzero(first < len(codes))]
    rank = np.empty(len(texts), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], [texts[i] for i in order.tolist()]


def _first_events(codes: Ints, n_codes: int) -> Ints:
    """The first event of each code; behind the last event for a code that none has."""
    first = np.full(n_codes, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # what is set last stays
    return first


def _merged(parts: list[tuple[Ints, list[bytes]]]) -> tuple[Ints, list[str]]:
    """Number the values of all blocks alike, and read their texts as XML does."""
    number: dict[str, int] = {}
    codes = []
    for code, texts in parts:
        known = [number.setdefault(_text(text), len(number)) for text in texts]
        codes.append(np.array(known, dtype=np.int64)[code])
    return np.concatenate(codes), list(number)


def _text(value: bytes) -> str:
    """A value that must be there."""
    text = _meant(value)
    if not text.strip():
        raise Unusual  # no value: the strict reader says where
    return text


def _meant(value: bytes) -> str:
    """The text that XML means by what is written."""
    text = re.sub("[\t\r\n]", " ", value.decode().replace("\r\n", "\n"))
    return unescape(text) if "&" in text else text


def _combined(columns: list[tuple[Ints, list[str]]]) -> tuple[Ints, list[Combination]]:
    """One activity from several values."""
    code = columns[0][0]
    found: list[Combination] = [(text,) for text in columns[0][1]]
    for more, texts in columns[1:]:
        both = code * len(texts) + more
        distinct_pairs = distinct(both)
        code = dense(both)
        found = [(*found[i // len(texts)], texts[i % len(texts)]) for i in distinct_pairs.tolist()]
    return code, found


def _cases(parts: list[_Part]) -> Ints:
    """For each event the first event of its case: traces of one name are one case.

    Names are compared by 128 bits of hash: of a thousand million names, two would be taken for one with a chance of
    less than 10^-20.
    """
    names = np.concatenate([part.names for part in parts])
    begins = np.cumsum([0] + [len(part.names) for part in parts])
    trace = np.concatenate([part.trace_of_event + begin for part, begin in zip(parts, begins, strict=False)])
    if len(np.unique(names[:, 0])) == len(names):
        return trace
    distinct_names, which = np.unique(names, axis=0, return_inverse=True)
    case = which.ravel()[trace]
    return _first_events(case, len(distinct_names))[case]
