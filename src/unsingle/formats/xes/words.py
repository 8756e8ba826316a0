"""The text of XES traces, put together eight bytes at a time.

By luck and two spaces the parts of an XES event fit into words of eight bytes: ``2024-03-``, ``31T01:30``,
``:00.000+``, ``01:00"/>``, ``</event>``. What stands before the time depends on the activity alone and is indented so
that it fills whole words too. So the text of many events is one lookup of words in small tables, without a string made
for any event.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats, Ints, Words, distinct, offsets_of, pieces
from ...core.clock import DAY, MINUTE, SECOND, utc_offset_text, zone_offsets
from ...core.columns import Column, Kind, Level
from ...core.log import EventLog
from ...core.machine import in_order
from ..case_numbers import case_numbers

_TRACE, _END_EVENT, _END_TRACE = '<trace><string key="concept:name" value="', b"</event>", b"</trace>"


class WrittenColumn(NamedTuple):
    """A column to write: what stands before and behind its values, and if these are texts, how each is written."""

    column: Column
    before: str
    after: str
    texts: tuple[str, ...] = ()


class _Texts(NamedTuple):
    """Texts that fill whole words: text i is ``words[start[i] : start[i] + length[i]]``."""

    words: Words
    start: Ints
    length: Ints

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> _Texts:
        length = np.array([len(text) // 8 for text in texts], dtype=np.int64)
        return cls(np.frombuffer(b"".join(texts), dtype="<u8"), offsets_of(length)[:-1], length)


class _Piece(ABC):
    """A part of the text of some events: how many words each of them has of it, and which."""

    def __init__(self, events: Ints | slice, length: Ints | int) -> None:
        self.events, self.length = events, length

    @abstractmethod
    def put(self, text: Words, at: Ints) -> None:
        """Put the words to where they begin."""


class _Same(_Piece):
    """The same text for all of these events."""

    def __init__(self, events: Ints | slice, text: bytes) -> None:
        super().__init__(events, len(text) // 8)
        self._words = np.frombuffer(text, dtype="<u8")

    def put(self, text: Words, at: Ints) -> None:
        for k, word in enumerate(self._words):
            text[at + k] = word


class _Own(_Piece):
    """A text of its own for each of these events: word k of all of them is ``words[k]``."""

    def __init__(self, events: Ints | slice, words: Sequence[Words] | Words) -> None:
        super().__init__(events, len(words))
        self._words = words

    def put(self, text: Words, at: Ints) -> None:
        for k, words in enumerate(self._words):
            text[at + k] = words


class _Chosen(_Piece):
    """One of a few texts for each of these events."""

    def __init__(self, events: Ints | slice, texts: _Texts, which: NDArray[np.integer]) -> None:
        self._lengths = texts.length[which]
        super().__init__(events, self._lengths)
        self._words, self._source = texts.words, texts.start[which]

    def put(self, text: Words, at: Ints) -> None:
        longer: slice | Ints = slice(None)
        shortest = int(self._lengths.min())
        for k in range(int(self._lengths.max())):
            if k >= shortest:
                longer = np.flatnonzero(self._lengths > k) if isinstance(longer, slice) else self._still(longer, k)
            text[at[longer] + k] = self._words[self._source[longer] + k]

    def _still(self, events: Ints, k: int) -> Ints:
        return events[self._lengths[events] > k]


def trace_text(
    log: EventLog, labels: Sequence[str], attributes: Sequence[WrittenColumn] = (), events: int = 50_000
) -> Iterator[memoryview]:
    """The text of all traces, about so many events at a time.

    `labels` are the attributes that follow from each label of the log, `attributes` those of its further columns; all
    are escaped for XML.
    """
    writer = _Writer(log, labels, attributes)
    return in_order(writer.text_of, pieces(log.case_offsets, events))


class _Writer:
    """Puts the text of some cases together."""

    def __init__(self, log: EventLog, labels: Sequence[str], attributes: Sequence[WrittenColumn]) -> None:
        self._log, self._attributes = log, attributes
        self._offset = zone_offsets(log.zone, log.time)
        self._dates = _Dates(log.time + self._offset)
        self._heads = _Texts.of([_indented(f'<event>{label}<date key="time:timestamp" value="') for label in labels])
        self._values = [_written(each) for each in attributes]

    def text_of(self, cases: slice) -> memoryview:
        """The text of these cases."""
        offsets = self._log.case_offsets[cases.start : cases.stop + 1]
        events = slice(int(offsets[0]), int(offsets[-1]))
        return _together(list(self._pieces(cases, events, offsets - offsets[0])), int(offsets[-1] - offsets[0]))

    def _pieces(self, cases: slice, events: slice, offsets: Ints) -> Iterator[_Piece]:
        """The parts of the text in their order."""
        first, last, every = offsets[:-1], offsets[1:] - 1, slice(None)
        yield _Same(first, _indented(_TRACE))
        yield _Own(first, _case_words(case_numbers(cases.start, cases.stop)).T)
        yield from self._columns(Level.CASE, cases, first)
        yield _Chosen(every, self._heads, self._log.activity[events])
        yield _Own(every, time_words(self._log.time[events], self._offset[events], self._dates))
        yield from self._columns(Level.EVENT, events, every)
        yield from self._columns(Level.FIRST, cases, first)
        yield _Same(every, _END_EVENT)
        yield _Same(last, _END_TRACE)

    def _columns(self, level: Level, rows: slice, events: Ints | slice) -> Iterator[_Piece]:
        """The values of the columns of a level."""
        for attribute, texts in zip(self._attributes, self._values, strict=True):
            if attribute.column.field.level is level:
                values = attribute.column.values[rows]
                if attribute.column.field.kind is Kind.TEXT:
                    yield _Chosen(events, texts, values)
                else:
                    yield from _of_numbers(attribute, values, events)


def _together(pieces_: Sequence[_Piece], events: int) -> memoryview:
    """The text of events from its parts, which follow each other in every event."""
    size = np.zeros(events, dtype=np.int64)
    for piece in pieces_:
        size[piece.events] += piece.length
    start = offsets_of(size)
    at = start[:-1].copy()
    text = np.empty(int(start[-1]), dtype="<u8")
    for piece in pieces_:
        piece.put(text, at[piece.events])
        at[piece.events] += piece.length
    return text.view(np.uint8).data


def _written(attribute: WrittenColumn) -> _Texts:
    """The elements of all texts of a column; behind them an empty one, for where there is no text."""
    return _Texts.of([*(_filled(f"{attribute.before}{text}{attribute.after}") for text in attribute.texts), b""])


def _of_numbers(attribute: WrittenColumn, values: Floats, events: Ints | slice) -> Iterator[_Piece]:
    """The elements of those numbers that are there."""
    there = np.flatnonzero(~np.isnan(values))
    if len(there):
        events = there if isinstance(events, slice) else events[there]
        yield _Same(events, _indented(attribute.before, line_end=b""))
        yield _Own(events, _number_words(attribute, values[there]).T)


def _number_words(attribute: WrittenColumn, values: Floats) -> Words:
    """Each number with the end of its tag behind it, in as many words as the longest needs."""
    import polars as pl  # loaded only if there are numbers

    numbers = pl.Series(values).cast(pl.Int64) if attribute.column.field.kind is Kind.INTEGER else pl.Series(values)
    written = numbers.cast(pl.String)
    if np.isinf(values).any():
        written = written.replace({"inf": "INF", "-inf": "-INF"})
    length, behind = written.str.len_bytes().to_numpy(), attribute.after.encode()
    width = -(-(int(length.max()) + len(behind)) // 8) * 8
    padded = written.str.pad_end(width).str.join("")[0].encode()  # no list of texts is made on the way
    text = np.frombuffer(padded, dtype=np.uint8).reshape(len(values), width).copy()
    for k, letter in enumerate(behind):
        text[np.arange(len(values)), length + k] = letter
    return text.view("<u8")


def _indented(text: str, line_end: bytes = b"\n") -> bytes:
    """The text on a new line, indented so that it fills whole words."""
    encoded = text.encode()
    return line_end + b" " * (-(len(encoded) + len(line_end)) % 8) + encoded


def _filled(text: str) -> bytes:
    """The text with spaces behind it, so that it fills whole words."""
    encoded = text.encode()
    return encoded + b" " * (-len(encoded) % 8)


def _case_words(ids: Ints) -> Words:
    """Each id with the end of its tag behind it, in as many words as the longest needs."""
    width = -(-(len(str(int(ids[-1]))) + 3) // 8) * 8
    text = np.full((len(ids), width), ord(" "), dtype=np.uint8)
    n_digits = np.searchsorted(10 ** np.arange(1, 19), ids, side="right") + 1
    for digits in distinct(n_digits).tolist():
        rows = np.flatnonzero(n_digits == digits)
        for k in range(digits):
            text[rows, k] = ids[rows] // 10 ** (digits - 1 - k) % 10 + ord("0")
        text[rows, digits : digits + 3] = np.frombuffer(b'"/>', dtype=np.uint8)
    return text.view("<u8")


def time_words(time: Ints, offset: Ints, dates: _Dates) -> list[Words]:
    """``2024-03-``, ``31T01:30``, ``:00.000+`` and ``01:00"/>`` of each UTC time with its offset."""
    local = time + offset
    day = local // DAY
    of_day = local - day * DAY
    minute, second = of_day // MINUTE, of_day % MINUTE // SECOND
    month_part, day_part = dates.words(day)
    offsets, which = np.unique(offset, return_inverse=True)
    suffixes = [utc_offset_text(ms) for ms in offsets.tolist()]
    signs = _table([suffix[:1].rjust(8, "\0") for suffix in suffixes])
    ends = _table([f'{suffix[1:]}"/>' for suffix in suffixes])
    return [
        month_part,
        day_part | _MINUTES[minute],
        _SECONDS[second] | _MILLISECONDS[local % SECOND] | signs[which],
        ends[which],
    ]


class _Dates:
    """``2024-03-`` and, in the first two bytes, ``31``, of all days that local times fall on."""

    def __init__(self, local: Ints) -> None:
        first, last = int(local.min()) // DAY, int(local.max()) // DAY
        self._many = last - first > len(local) + 100_000  # days, most of which do not occur
        self._known = distinct(local // DAY) if self._many else np.arange(first, last + 1)
        text = np.datetime_as_string(self._known.astype("datetime64[D]")).astype("S16")
        self._words = np.frombuffer(text.tobytes(), dtype="<u8").reshape(-1, 2)

    def words(self, day: Ints) -> tuple[Words, Words]:
        """Both words of each day since 1970."""
        which = np.searchsorted(self._known, day) if self._many else day - self._known[0]
        return self._words[which, 0], self._words[which, 1]


def _table(texts: Sequence[str]) -> Words:
    return np.frombuffer(b"".join(text.encode().ljust(8, b"\0") for text in texts), dtype="<u8")


_MINUTES = _table([f"\0\0T{minute // 60:02}:{minute % 60:02}" for minute in range(24 * 60)])
_SECONDS = _table([f":{second:02}" for second in range(60)])
_MILLISECONDS = _table([f"\0\0\0.{millisecond:03}" for millisecond in range(1000)])
