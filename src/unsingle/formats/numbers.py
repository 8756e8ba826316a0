"""Numbers that are written as text, in columns that are declared to hold numbers or whose schema says so."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence

import numpy as np

from ..core.arrays import Flags, Floats
from ..core.columns import Kind

LARGEST = 2**53
"""Whole numbers up to this one are exact in a column of numbers."""

_COMMA = re.compile(r"\s*[+-]?[\d.]*,\d+\s*")
_WITH_COMMA = re.compile(r"\s*([+-]?)(\d{1,3}(?:[.'’\s]\d{3})+|\d+)(?:,(\d+))?\s*")


def numbers_in(texts: Sequence[str], kind: Kind, *, decimal_comma: bool = False) -> tuple[Floats, Flags]:
    """The numbers that texts are, and which are none of this kind; a blank is a number that is not there.

    With a decimal comma, a point stands between thousands alone: what a number is does not depend on other numbers.

    >>> numbers, bad = numbers_in(["41", " ", "4,5"], Kind.NUMBER)
    >>> numbers.tolist(), bad.tolist()
    ([41.0, nan, nan], [False, False, True])
    >>> numbers, bad = numbers_in(["1.234,5", "1.234", "1.5"], Kind.NUMBER, decimal_comma=True)
    >>> numbers.tolist(), bad.tolist()
    ([1234.5, 1234.0, nan], [False, False, True])
    """
    if decimal_comma:
        texts = [_with_point(text) for text in texts]
    found = [_number_in(text, kind) for text in texts]
    bad = np.array([number is None for number in found], dtype=np.bool_)
    return np.array([math.nan if number is None else number for number in found], dtype=np.float64), bad


def _with_point(text: str) -> str:
    """A number with a decimal comma as it is written with a point; what is none stays none."""
    if not text.strip():
        return text
    if (parts := _WITH_COMMA.fullmatch(text)) is None:
        return "no number"
    whole = "".join(filter(str.isdigit, parts[2]))
    return f"{parts[1]}{whole}" + (f".{parts[3]}" if parts[3] else "")


def has_decimal_comma(text: str) -> bool:
    """Whether a text looks like a number with a comma in place of the decimal point.

    >>> has_decimal_comma("4,5"), has_decimal_comma("four")
    (True, False)
    """
    return _COMMA.fullmatch(text) is not None


def _number_in(text: str, kind: Kind) -> float | None:
    """The number that a text is; None if it is none of this kind, infinite, or a whole number that is not exact.

    >>> _number_in("7", Kind.INTEGER), _number_in("7.5", Kind.INTEGER), _number_in("INF", Kind.NUMBER)
    (7.0, None, None)
    """
    if "_" in text or not text.isascii():  # which Python allows
        return None
    with contextlib.suppress(ValueError, OverflowError):
        number = int(text) if kind is Kind.INTEGER else float(text)
        too_large = abs(number) > LARGEST if kind is Kind.INTEGER else math.isinf(number)
        return None if too_large else float(number)
    return math.nan if not text.strip() else None
