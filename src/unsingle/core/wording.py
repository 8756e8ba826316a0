"""Names and numbers in words that fit a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

_LONGEST, _MOST = 40, 20


def quoted(value: object) -> str:
    r"""A name or a cell in quotation marks.

    >>> print(quoted("two\nlines"))
    'two\nlines'
    """
    text = str(value)
    return repr(text) if len(text) <= _LONGEST else repr(text[:_LONGEST]) + "..."


def listed(names: Sequence[object]) -> str:
    """The first names of a list, and how many more there are.

    >>> listed(["a", "b"]), listed([])
    ("'a', 'b'", 'none')
    """
    first = ", ".join(quoted(name) for name in names[:_MOST]) or "none"
    more = len(names) - _MOST
    return f"{first} and {more} more" if more > 0 else first


def shown_share(share: float) -> float:
    """The share that `percent` shows: what is said in words about it follows from this.

    >>> shown_share(0.4996), shown_share(0.0664), shown_share(0.0001), shown_share(float("inf"))
    (0.5, 0.066, 0.0005, inf)
    """
    if not math.isfinite(share):
        return share
    if 0 < share < 0.0005:
        return 0.0005
    return round(share, 0 if share >= 10 else 2 if share >= 0.0995 else 3)


def joined_by(word: str, parts: Sequence[str]) -> str:
    """Parts of a sentence with commas, and the word before the last.

    >>> joined_by("or", ["the case", "the activity", "the time"]), joined_by("and", ["a"])
    ('the case, the activity or the time', 'a')
    """
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def percent(share: float) -> str:
    """A share with as many digits as say something.

    >>> percent(0.747), percent(0.0664), percent(0.003), percent(0.00001), percent(3.2), percent(123)
    ('75%', '6.6%', '0.3%', 'under 0.1%', '320%', '123 times')
    """
    if share != share:
        return "–"
    if share == float("inf"):
        return "more than all"
    if share >= 10:
        return f"{share:,.0f} times"
    if 0 < share < 0.0005:
        return "under 0.1%"
    return f"{share:.0%}" if share >= 0.0995 or share == 0 else f"{share:.1%}"


def at_most(value: float, digits: int = 2) -> str:
    """A number that is not to be exceeded, rounded up to so many digits.

    >>> at_most(4.048), at_most(0.2, 3), at_most(0.000126, 1), at_most(0.0)
    ('4.1', '0.2', '0.0002', '0')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - digits + 1)
    return f"{math.ceil(value / unit * (1 - 1e-9)) * unit:.{digits}g}"


def plain_number(value: float | str) -> str:
    """A small number without an exponent, which not every reader can read.

    >>> plain_number(1e-6), plain_number("2.1e-05"), plain_number(0.001)
    ('0.000001', '0.000021', '0.001')
    """
    return f"{Decimal(str(value)):f}"
