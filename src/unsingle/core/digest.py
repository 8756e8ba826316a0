"""The digest of a log's content: the same in every format and order of cases, another one if a single cell changes.

What counts are the cases: each with its events in order, of every event its label and its time, and all public columns.
What does not count is how a file writes them: ids and order of cases, the zone in which times are written, and the
``'`` before a text that a spreadsheet would take for a formula. The digest is public, like the release that it is of.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .columns import MISSING, Column, Kind
from .log import EventLog

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a formula, or the way to one, begins with."""

_ALGORITHM = "sha256"
_BYTES = 8  # of a word
_WORDS = 2  # of 64 bits for each text: nobody finds two texts for them

Words = NDArray[np.uint64]


def content_digest(log: EventLog) -> str:
    """The digest of cases, labels, times and public columns.

    *Claim.* Two logs have the same digest only if they have the same cases, or somebody broke SHA-256 (to 128 bits).
    *Proof.* A case is written as the number of its events, then of each event a fixed number of words (128 bits of the
    label's SHA-256, the time, the values of the columns in the order of their names), then the values of the case. How
    many words there are follows from the names of the columns, which are hashed first. So no two different cases are
    written alike but for two texts with the same 128 bits. Then all digests of cases, sorted, are hashed.

    >>> from .columns import Field, Level
    >>> log = EventLog.from_events(np.array([1, 1, 2]), np.array([0, 1, 0]), np.array([5, 6, 7]), ["A", "B"])
    >>> again = EventLog.from_events(np.array([3, 3, 0]), np.array([1, 0, 1]), np.array([5, 6, 7]), ["B", "A"])
    >>> other = EventLog.from_events(np.array([1, 1, 2]), np.array([0, 1, 0]), np.array([5, 6, 8]), ["A", "B"])
    >>> content_digest(log) == content_digest(again), content_digest(log) == content_digest(other)
    (True, False)
    """
    columns = sorted((each for each in log.columns if not each.field.private), key=lambda each: each.field.table_name)
    of_events = _joined([_labels(log), _numbers(log.time), *(_cells(each) for each in columns if not _of_cases(each))])
    of_cases = _joined([_numbers(np.diff(log.case_offsets)), *(_cells(each) for each in columns if _of_cases(each))])
    events, cases = of_events.tobytes(), of_cases.tobytes()
    edges, size = (_BYTES * of_events.shape[1] * log.case_offsets).tolist(), _BYTES * of_cases.shape[1]
    digests = [
        hashlib.sha256(cases[size * i : size * (i + 1)] + events[start:end]).digest()
        for i, (start, end) in enumerate(pairwise(edges))
    ]
    names = json.dumps([[each.field.table_name, _of_cases(each)] for each in columns])
    whole = hashlib.sha256(f"{names}\n".encode() + b"".join(sorted(digests)))
    return f"{_ALGORITHM}:{whole.hexdigest()}"


def _of_cases(column: Column) -> bool:
    return column.field.of_cases


def _joined(columns: list[Words]) -> Words:
    return np.ascontiguousarray(np.concatenate(columns, axis=1).astype("<u8"))


def _labels(log: EventLog) -> Words:
    """Labels of several columns by their parts: whether these stand in quotation marks depends on the other labels."""
    parts = log.parts
    texts = log.labels if parts is None else ["+".join(map(_plain, parts.of_label[label])) for label in log.labels]
    return _texts(texts)[log.activity]


def _cells(column: Column) -> Words:
    """The values of a column; an empty text is none, because CSV cannot tell them apart."""
    if column.field.kind is Kind.TEXT:
        hashes = _texts([*column.texts, ""])
        return hashes[np.where(column.values == MISSING, len(column.texts), column.values)]
    numbers = column.values.astype(np.float64) + 0.0  # there is one zero only
    numbers[np.isnan(numbers)] = np.nan
    return _numbers(numbers)


def _numbers(values: NDArray[np.int64] | NDArray[np.float64]) -> Words:
    return np.ascontiguousarray(values).view(np.uint64).reshape(-1, 1)


def _texts(texts: Sequence[str]) -> Words:
    """The beginning of the SHA-256 of each text."""
    hashes = b"".join(hashlib.sha256(_plain(text).encode("utf-8", "surrogatepass")).digest() for text in texts)
    return np.frombuffer(hashes, dtype="<u8").reshape(-1, 4)[:, :_WORDS]


def _plain(text: str) -> str:
    """A text without the mark that keeps spreadsheets from taking it for a formula."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text
