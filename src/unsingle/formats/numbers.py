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


def numbers_in(texts: Sequence[str], kind: Kind) -> tuple[Floats, Flags]:
    """The numbers that texts are, and which are none of this kind; a blank is a number that is not there.

    >>> numbers, bad = numbers_in(["41", " ", "4,5"], Kind.NUMBER)
    >>> numbers.tolist(), bad.tolist()
    ([41.0, nan, nan], [False, False, True])
    """
    found = [_number_in(text, kind) for text in texts]
    bad = np.array([number is None for number in found], dtype=np.bool_)
    return np.array([math.nan if number is None else number for number in found], dtype=np.float64), bad


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
