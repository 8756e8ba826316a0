"""Names and cells as messages show them: quoted, on one line, and cut before they fill the screen."""

from __future__ import annotations

from collections.abc import Sequence

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
