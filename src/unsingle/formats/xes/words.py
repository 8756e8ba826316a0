"""The text of XES traces, put together eight bytes at a time.

By luck and two spaces the parts of an XES event fit into words of eight bytes: ``2024-03-``, ``31T01:30``,
``:00.000+``, ``01:00"/>``, ``</event>``. What stands before the time depends on the activity alone and is indented so
that it fills whole words too. So the text of many events is one lookup of words in small tables, without a string made
for any event.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Ints, Words, offsets_of, pieces
from ...core.clock import DAY, MINUTE, SECOND, utc_offset_text, zone_offsets
from ...core.log import EventLog
from ...core.machine import in_order

_TIME_WORDS = 4
_END_EVENT, _END_TRACE = b"</event>", b"</trace>"


def trace_text(log: EventLog, labels: Sequence[str], events: int = 50_000) -> Iterator[memoryview]:
    """The text of all traces, about so many events at a time; `labels` are those of the log, escaped for XML."""
    activities = _Activities(labels)
    offset = zone_offsets(log.zone, log.time)
    dates = _Dates(log.time + offset)

    def text_of(piece: slice) -> memoryview:
        offsets = log.case_offsets[piece.start : piece.stop + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        case_ids = np.arange(piece.start + 1, piece.stop + 1)
        times = time_words(log.time[rows], offset[rows], dates)
        return _traces(activities, log.activity[rows], times, offsets - offsets[0], case_ids)

    return in_order(text_of, pieces(log.case_offsets, events))


class _Activities:
    """What stands before the time of an event, for each activity, in whole words."""

    def __init__(self, labels: Sequence[str]) -> None:
        heads = [_indented(f'<event><string key="concept:name" value="{label}"/><date key="time:timestamp" value="')
                 for label in labels]  # fmt: skip
        self.words = np.frombuffer(b"".join(heads), dtype="<u8")
        self.length = np.array([len(head) // 8 for head in heads], dtype=np.int64)
        self.start = offsets_of(self.length)[:-1]


def _indented(text: str) -> bytes:
    """The text on a new line, indented so that it fills whole words."""
    encoded = text.encode()
    return b"\n" + b" " * (-(len(encoded) + 1) % 8) + encoded


def _traces(
    activities: _Activities, activity: NDArray[np.int32], times: list[Words], offsets: Ints, case_ids: Ints
) -> memoryview:
    head = np.frombuffer(_indented('<trace><string key="concept:name" value="'), dtype="<u8")
    case_words = _case_words(case_ids)
    first = offsets[:-1]
    last = offsets[1:] - 1
    before = np.zeros(len(activity), dtype=np.int64)  # words of the trace's head before its first event
    before[first] = len(head) + case_words.shape[1]
    after = np.zeros(len(activity), dtype=np.int64)
    after[last] = 1
    length = activities.length[activity]
    size = before + length + _TIME_WORDS + 1 + after
    start = offsets_of(size)
    text = np.empty(int(start[-1]), dtype="<u8")
    at, source = start[:-1] + before, activities.start[activity]
    longer: slice | Ints = slice(None)
    for k in range(int(length.max())):
        if k >= length.min():
            longer = np.flatnonzero(length > k) if isinstance(longer, slice) else longer[length[longer] > k]
        text[at[longer] + k] = activities.words[source[longer] + k]
    at = at + length
    for k in range(_TIME_WORDS):
        text[at + k] = times[k]
    text[at + _TIME_WORDS] = _word(_END_EVENT)
    text[at[last] + _TIME_WORDS + 1] = _word(_END_TRACE)
    for k, word in enumerate(head):
        text[start[first] + k] = word
    for k in range(case_words.shape[1]):
        text[start[first] + len(head) + k] = case_words[:, k]
    return text.view(np.uint8).data


def _case_words(ids: Ints) -> Words:
    """Each id with the end of its tag behind it, in as many words as the longest needs."""
    width = -(-(len(str(int(ids[-1]))) + 3) // 8) * 8
    text = np.full((len(ids), width), ord(" "), dtype=np.uint8)
    n_digits = np.searchsorted(10 ** np.arange(1, 19), ids, side="right") + 1
    for digits in np.unique(n_digits).tolist():
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
        self._known = np.unique(local // DAY) if self._many else np.arange(first, last + 1)
        text = np.datetime_as_string(self._known.astype("datetime64[D]")).astype("S16")
        self._words = np.frombuffer(text.tobytes(), dtype="<u8").reshape(-1, 2)

    def words(self, day: Ints) -> tuple[Words, Words]:
        """Both words of each day since 1970."""
        which = np.searchsorted(self._known, day) if self._many else day - self._known[0]
        return self._words[which, 0], self._words[which, 1]


def _table(texts: Sequence[str]) -> Words:
    return np.frombuffer(b"".join(text.encode().ljust(8, b"\0") for text in texts), dtype="<u8")


def _word(text: bytes) -> np.uint64:
    return np.uint64(int.from_bytes(text, "little"))


_MINUTES = _table([f"\0\0T{minute // 60:02}:{minute % 60:02}" for minute in range(24 * 60)])
_SECONDS = _table([f":{second:02}" for second in range(60)])
_MILLISECONDS = _table([f"\0\0\0.{millisecond:03}" for millisecond in range(1000)])
