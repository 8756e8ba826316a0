"""How CSV writes a quotation mark inside a cell, as users say it."""

from __future__ import annotations

from ..errors import ParameterError

ESCAPES = ("double", "backslash")
"""How a quotation mark inside a cell may be written: twice, or behind a backslash."""


def checked_escape(escape: str | None) -> str:
    """How marks inside cells are written; twice, if nothing is said."""
    if escape is not None and escape not in ESCAPES:
        raise ParameterError(f"unknown escape {escape!r}: choose one of {', '.join(ESCAPES)}")
    return escape or ESCAPES[0]
