"""Finding the chosen attributes in plain XES text, many events at a time.

Nearly all XES is written by programs in one plain style: ``<string key="concept:name" value="Triage"/>``. Two
characters are enough to find everything in such text: ``<`` cannot occur inside a value, and between two of them an
attribute has exactly four quotes. So one pass over the bytes finds all tags, and the rest is arithmetic on positions,
with every byte outside of values compared with what it must be. Whatever differs in any way is `Unusual`, and the
strict reader decides what it means.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Flags, Ints, Words, mix
from ...core.clock import DAY, HOUR, LATEST, MINUTE, SECOND
from ...core.columns import TRACE_ATTRIBUTE

PAD = b" " * 16
"""Must follow a block, so that words near its end can be read."""

Bytes = NDArray[np.uint8]

_LONGEST = 4096  # bytes of a value, which is read a word at a time

_LT, _QUOTE = ord("<"), ord('"')

# Each kind of attribute: the word it begins with, the word before its key, and where the key's quote is.
_KINDS = [
    (name.ljust(8)[:8], tail, where)
    for name, tail, where in (
        (b"<string ", b"ing key=", 12),
        (b"<date ke", b"ate key=", 10),
        (b"<int key", b"int key=", 9),
        (b"<float k", b"oat key=", 11),
        (b"<boolean", b"ean key=", 13),
        (b"<id key=", b"<id key=", 8),
    )
]
_TYPES = {  # of XES, by the word that they begin with
    int.from_bytes(begin, "little"): type_
    for (begin, _, _), type_ in zip(_KINDS, ("string", "date", "int", "float", "boolean", "id"), strict=True)
}
_TRACE, _EVENT, _END_EVENT, _END_TRACE = 1, 2, 3, 4
# What may follow what, attributes left out.
_MAY_FOLLOW = np.zeros((5, 5), dtype=np.bool_)
for _before, _after in ((_TRACE, _EVENT), (_TRACE, _END_TRACE), (_EVENT, _END_EVENT), (_END_EVENT, _EVENT),
                        (_END_EVENT, _END_TRACE), (_END_TRACE, _TRACE)):  # fmt: skip
    _MAY_FOLLOW[_before, _after] = True
_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)  # numbers that mix others
_WHITE = np.zeros(256, dtype=np.bool_)
_WHITE[[9, 10, 13, 32]] = True


class Unusual(Exception):  # noqa: N818 - not an error: the strict reader takes over
    """The text is not in the plain style, or something is missing in it."""


class Slices(NamedTuple):
    """Pieces of a block: where they begin, and their lengths."""

    start: Ints
    length: Ints


class Found(NamedTuple):
    """Values that not every event or trace has: the number of the one that has it, the values, and their XES types."""

    owner: Ints
    values: Slices
    types: set[str]


@dataclass(frozen=True)
class Block:
    """What was found in a run of whole traces: per event its trace and the values asked for, per trace its name.

    `keys` are those of all attributes, `of_event` and `of_trace` say whose they are; `further` are the values that not
    all have, by column.
    """

    trace_of_event: Ints
    values: dict[str, Slices]
    names: Slices
    keys: Slices
    of_event: Flags
    of_trace: Flags
    further: dict[str, Found]


def read_block(text: bytes, event_keys: list[str], trace_key: str, further: Collection[str] = ()) -> Block:
    """Find the values of these keys in all events of a block of whole traces (padded by `PAD`).

    `further` are columns that an event, or as ``case:KEY`` a trace, need not have.
    """
    tags = _Tags(text)
    kind, structure = tags.structure()
    attribute = np.flatnonzero(kind == 0)
    quotes = tags.attributes(attribute)
    tags.check_gaps(kind, attribute, quotes)
    # the structural tag that each attribute stands behind
    behind = (np.cumsum(kind != 0) - 1)[attribute]
    of_event = structure[behind] == _EVENT
    of_trace = ~of_event & (structure[behind] != _END_TRACE)  # behind a trace stand those of the log
    event = (np.cumsum(structure == _EVENT) - 1)[behind]
    trace = np.cumsum(structure == _TRACE) - 1
    n_events = int((structure == _EVENT).sum())
    values = {}
    for key in event_keys:
        found = np.flatnonzero(of_event & tags.has_key(quotes, key.encode()))
        if len(found) != n_events or (event[found] != np.arange(n_events)).any():
            raise Unusual  # an event without it, or with two
        values[key] = tags.values(quotes, found)
    n_traces = int((structure == _TRACE).sum())
    found = np.flatnonzero(of_trace & tags.has_key(quotes, trace_key.encode()))
    if len(found) != n_traces or (trace[behind[found]] != np.arange(n_traces)).any():
        raise Unusual
    keys = Slices(quotes[0] + 1, quotes[1] - quotes[0] - 1)
    others = {}
    for name in further:
        has_it = of_event & tags.has_key(quotes, name.encode())
        owner = event
        if name.startswith(TRACE_ATTRIBUTE):
            if has_it.any():
                raise Unusual  # an event's own attribute with such a name
            has_it = of_trace & tags.has_key(quotes, name.removeprefix(TRACE_ATTRIBUTE).encode())
            owner = trace[behind]
        others[name] = tags.found(attribute, quotes, has_it, owner)
    return Block(trace[structure == _EVENT], values, tags.values(quotes, found), keys, of_event, of_trace, others)


class _Tags:
    """All tags of a block by the position of their ``<``."""

    def __init__(self, text: bytes) -> None:
        self._bytes = np.frombuffer(text, dtype=np.uint8)
        self._words = words_of(text)
        end = len(text) - len(PAD)
        marks = np.flatnonzero((self._bytes == _LT) | (self._bytes == _QUOTE))
        self._marks = np.append(marks, [end])
        self._index = np.flatnonzero(self._bytes[marks] == _LT)
        self.position = marks[self._index]
        if len(self.position) == 0 or self.position[0] != 0:
            raise Unusual
        self._n_quotes = np.diff(self._index, append=len(marks)) - 1
        self._next = np.append(self.position[1:], [end])
        self._first_word = self._words[self.position]

    def structure(self) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """For each tag 0 (an attribute) or what it is; and the latter alone, checked to be in order."""
        kind = np.zeros(len(self.position), dtype=np.int8)
        kind[_begins(self._first_word, b"<event>")] = _EVENT
        kind[_begins(self._first_word, b"<trace>")] = _TRACE
        kind[_begins(self._first_word, b"</event>")] = _END_EVENT
        kind[_begins(self._first_word, b"</trace>")] = _END_TRACE
        structure = kind[kind != 0]
        whole = len(structure) >= 2 and structure[0] == _TRACE and structure[-1] == _END_TRACE
        if not whole or not _MAY_FOLLOW[structure[:-1], structure[1:]].all():
            raise Unusual
        return kind, structure

    def attributes(self, tags: Ints) -> NDArray[np.int64]:
        """The four quotes of each attribute, one row each; all that stands around them is checked."""
        if (self._n_quotes[tags] != 4).any():
            raise Unusual
        index = self._index[tags]
        quotes = np.stack([self._marks[index + k] for k in (1, 2, 3, 4)])
        known = np.zeros(len(tags), dtype=np.bool_)
        first, before_key = self._first_word[tags], self._words[quotes[0] - 8]
        for begin, tail, where in _KINDS:
            known |= (first == _word(begin)) & (before_key == _word(tail)) & (quotes[0] - self.position[tags] == where)
        known &= (self._words[quotes[1]] == _word(b'" value=')) & (quotes[2] == quotes[1] + 8)
        if not known.all():
            raise Unusual
        return quotes

    def check_gaps(self, kind: NDArray[np.int8], tags: Ints, quotes: Ints) -> None:
        """Check that every tag ends as it must and that only white space stands between tags."""
        if (self._n_quotes[kind != 0] != 0).any():
            raise Unusual
        end = self.position + np.array([0, 7, 7, 8, 8])[kind]
        spaced = self._bytes[quotes[3] + 1] == ord(" ")
        slash = quotes[3] + 1 + spaced
        if (self._bytes[slash] != ord("/")).any() or (self._bytes[slash + 1] != ord(">")).any():
            raise Unusual
        end[tags] = slash + 2
        place, after = end, self._next
        while len(place):
            if not _WHITE[self._bytes[place[place < after]]].all():
                raise Unusual
            place, after = place[place < after] + 1, after[place < after]

    def has_key(self, quotes: Ints, key: bytes) -> Flags:
        """Which attributes have this key."""
        found = quotes[1] - quotes[0] == len(key) + 1
        chosen = np.flatnonzero(found)
        start = quotes[0][chosen] + 1
        same = np.ones(len(chosen), dtype=np.bool_)
        for at in range(0, len(key), 8):
            same &= _begins(self._words[start + at], key[at : at + 8])
        found[chosen[~same]] = False
        return found

    def found(self, tags: Ints, quotes: Ints, which: Flags, owner: Ints) -> Found:
        """The values of some attributes; nobody may have two."""
        chosen = np.flatnonzero(which)
        owner = owner[chosen]
        if (np.diff(owner) <= 0).any():
            raise Unusual
        words = set(self._first_word[tags[chosen]].tolist())
        return Found(owner, self.values(quotes, chosen), {_TYPES[word] for word in words})

    @staticmethod
    def values(quotes: Ints, chosen: Ints) -> Slices:
        """The values of the chosen attributes."""
        start = quotes[2][chosen] + 1
        return Slices(start, quotes[3][chosen] - start)


def words_of(text: bytes) -> Words:
    """The eight bytes that begin at each byte, as one number; a view, nothing is copied."""
    return np.ndarray((len(text) - 7,), dtype="<u8", buffer=text, strides=(1,))


def _word(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(text, "little"))


def _begins(words: Words, text: bytes) -> Flags:
    mask = np.uint64((1 << (8 * len(text))) - 1)
    return (words & mask) == _word(text)


def digests(words: Words, slices: Slices, salt: int) -> Words:
    """A 64-bit hash of each slice."""
    result = mix(slices.length + salt)
    alive = np.flatnonzero(slices.length > 0)
    at = 0
    while len(alive):
        result[alive] = mix(result[alive] ^ _masked(words, slices, alive, at))
        at += 8
        alive = alive[slices.length[alive] > at]
    return result


def distinct_texts(text: bytes, slices: Slices) -> tuple[Ints, list[bytes]]:
    """Number the distinct slices, with the bytes of each; equality is checked word by word."""
    if slices.length.max(initial=0) > _LONGEST:
        raise Unusual
    words = words_of(text)
    _, first, code = np.unique(digests(words, slices, 0), return_index=True, return_inverse=True)
    twin = Slices(slices.start[first][code], slices.length[first][code])
    if (twin.length != slices.length).any():
        raise Unusual
    alive, at = np.arange(len(code)), 0
    while len(alive := alive[slices.length[alive] > at]):
        if (_masked(words, slices, alive, at) != _masked(words, twin, alive, at)).any():
            raise Unusual
        at += 8
    starts, lengths = slices.start[first].tolist(), slices.length[first].tolist()
    return code, [text[a : a + n] for a, n in zip(starts, lengths, strict=True)]


def different_keys(text: bytes, keys: Slices, which: Flags) -> set[bytes]:
    """The keys of some attributes, each once, except that of keys that begin and end alike only one may be there."""
    chosen = np.flatnonzero(which)
    start, length, words = keys.start[chosen], keys.length[chosen], words_of(text)
    ends = words[start + np.maximum(length - 8, 0)]  # behind a shorter key stands what is the same for all
    seen = (words[start] + length.view(np.uint64)) * _ODD[0] + ends * _ODD[1]
    found: set[bytes] = set()
    while len(seen):
        place = (seen >> np.uint64(52)).view(np.int64)
        table = np.full(1 << 12, -1)
        table[place] = np.arange(len(place))  # one of those with this place
        ones = table[table >= 0]
        found |= {text[a : a + n] for a, n in zip(start[ones].tolist(), length[ones].tolist(), strict=True)}
        rest = np.flatnonzero(seen != seen[table[place]])
        seen, start, length = seen[rest], start[rest], length[rest]
    return found


def _masked(words: Words, slices: Slices, chosen: Ints, at: int) -> Words:
    """The next eight bytes of the chosen slices, zeros behind their end."""
    left = np.minimum(slices.length[chosen] - at, 8).astype(np.uint64)
    mask = np.uint64(0xFFFFFFFFFFFFFFFF) >> (np.uint64(64) - left * np.uint64(8))
    return words[slices.start[chosen] + at] & mask


def iso_milliseconds(text: bytes, slices: Slices) -> tuple[Ints, NDArray[np.int16]]:
    """UTC milliseconds and offset in minutes of times like ``2024-02-29T23:59:59.999+01:00``, fraction or not."""
    data = np.frombuffer(text, dtype=np.uint8)
    start, length = slices
    fraction = (length == 29) | (length == 24)
    zulu = (length == 24) | (length == 20)
    if not (fraction | zulu | (length == 25)).all():
        raise Unusual

    def number(at: Ints, digits: int) -> Ints:
        total = np.zeros(len(at), dtype=np.int64)
        for k in range(digits):
            digit = data[at + k] - np.uint8(48)
            if (digit > 9).any():
                raise Unusual
            total = total * 10 + digit
        return total

    def expect(at: Ints, character: bytes, other: bytes = b"") -> None:
        found = data[at]
        if not ((found == ord(character)) | (found == ord(other or character))).all():
            raise Unusual

    for place, mark in ((4, b"-"), (7, b"-"), (10, b"T"), (13, b":"), (16, b":")):
        expect(start + place, mark)
    year, month, day = number(start, 4), number(start + 5, 2), number(start + 8, 2)
    hour, minute, second = number(start + 11, 2), number(start + 14, 2), number(start + 17, 2)
    milliseconds = np.zeros(len(start), dtype=np.int64)
    expect(start[fraction] + 19, b".")
    milliseconds[fraction] = number(start[fraction] + 20, 3)
    zone = start + np.where(fraction, 23, 19)
    expect(zone[zulu], b"Z")
    signed = zone[~zulu]
    expect(signed, b"+", b"-")
    expect(signed + 3, b":")
    offset_hours, offset_minutes = number(signed + 1, 2), number(signed + 4, 2)
    offset = np.zeros(len(start), dtype=np.int64)
    offset[~zulu] = (offset_hours * 60 + offset_minutes) * np.where(data[signed] == ord("-"), -1, 1)
    if (year < 1000).any() or (hour > 23).any() or (minute > 59).any() or (second > 59).any():
        raise Unusual
    if (offset_minutes > 59).any() or (np.abs(offset) > 18 * 60).any():
        raise Unusual
    local = _days_since_1970(year, month, day) * DAY + hour * HOUR + minute * MINUTE + second * SECOND + milliseconds
    utc = local - offset * MINUTE
    if (utc >= LATEST + DAY).any():
        raise Unusual  # in the year 10000
    return utc, offset.astype(np.int16)


def _days_since_1970(year: Ints, month: Ints, day: Ints) -> Ints:
    """Days of dates of the Gregorian calendar, checked to exist."""
    leap = ((year % 4 == 0) & (year % 100 != 0)) | (year % 400 == 0)
    if (month < 1).any() or (month > 12).any():
        raise Unusual
    last = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])[month] + (leap & (month == 2))
    if (day < 1).any() or (day > last).any():
        raise Unusual
    before_month = np.array([0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])[month] + (leap & (month > 2))
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + before_month + day - 1 - 719_162
