"""Dates in labels: of birth, of an appointment, or the column of times chosen as activity."""

from __future__ import annotations

import re

from ...core.arrays import Flags
from .base import CHECKS, PublishedTexts, TextCheck, each_text

_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_TWO_DIGITS = r"(?:0[1-9]|[12]\d|3[01])"
_NAME_OF_MONTH = r"(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*"
_DATE = re.compile(
    rf"(?<![\d.])(?:{_YEAR}([-/.]){_MONTH}\1{_DAY}"
    rf"|{_DAY}([-/.]){_MONTH}\2{_YEAR}|{_MONTH}([-/]){_DAY}\3{_YEAR}"
    rf"|{_TWO_DIGITS}([-/.]){_TWO_DIGITS}\4\d\d(?!\.\d)"
    rf"|{_YEAR}(?:0[1-9]|1[0-2]){_TWO_DIGITS}"
    rf"|{_DAY}\.? {_NAME_OF_MONTH}\.? {_YEAR}|{_NAME_OF_MONTH}\.? {_DAY}, {_YEAR})(?!\d)",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"(?:19|20)\d\d|\d\d[-/.]\d\d[-/.]\d\d")  # found far faster, and in every date


def has_date(text: str) -> bool:
    """Whether a text holds a whole date.

    >>> has_date("born 31.12.1980"), has_date("2024-01-05 10:00"), has_date("version 1.2.3"), has_date("01_BB_550_2")
    (True, True, False, False)
    """
    return _MAYBE.search(text) is not None and _DATE.search(text) is not None


class _Date(TextCheck):
    name, rank = "date", 20
    looks_like = "a date"

    def marks(self, texts: PublishedTexts) -> Flags:
        return each_text(texts, has_date)


DATE = CHECKS.add(_Date())
