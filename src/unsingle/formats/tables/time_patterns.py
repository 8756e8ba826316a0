"""What a time in a format looks like, digit for digit.

polars is more lenient than a log can bear: a space in a format stands for none too, one digit for two, and years may
have a sign. So a date and a clock that ran into each other, or what is left of a line that was cut off, would be read
as another time.
"""

from __future__ import annotations

import re
from functools import cache

_OFFSET = r"\s?(?:[Zz]|[+\-−][0-9]{2}(?::?[0-5][0-9])?)"
_LETTERS = "[A-Za-z]+"
_SHORT = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M", "%D": "%m/%d/%y", "%+": "%Y-%m-%dT%H:%M:%S%.f%#z"}
_WRITTEN = {
    "%Y": "[0-9]{4}", "%y": "[0-9]{2}", "%M": "[0-5][0-9]", "%S": "[0-5][0-9]", "%.f": r"(?:\.[0-9]+)?",
    "%e": "[0-9]{1,2}",
    "%b": _LETTERS, "%B": _LETTERS, "%h": _LETTERS, "%a": _LETTERS, "%A": _LETTERS, "%p": "[AaPp][Mm]",
    "%P": "[AaPp][Mm]", "%z": _OFFSET, "%:z": _OFFSET, "%#z": _OFFSET, "%s": "-?[0-9]+", "%%": "%",
}  # fmt: skip
_ONE_OR_TWO = ("%d", "%m", "%H", "%I")  # digits
_TOKEN = re.compile(r"%[-_0.:#]*[0-9]?.|\s+|.", re.DOTALL)


@cache
def pattern_of(form: str, *, found: bool = False) -> str:
    r"""A regular expression for times in this format, which we have found or which was given to us.

    Numbers that touch have all their digits; so have, if we found the format, dates and clocks of ISO 8601.

    >>> pattern_of("%d.%m.%Y")
    '^[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{4}$'
    >>> pattern_of("%Y-%m-%d", found=True)
    '^[0-9]{4}\\-[0-9]{2}\\-[0-9]{2}$'
    """
    for short, long in _SHORT.items():
        form = form.replace(short, long)
    tokens = _TOKEN.findall(form)
    before, behind = ["", *tokens[:-1]], [*tokens[1:], ""]
    iso_date, iso_clock = found and form.startswith("%Y-"), found and "T%H" in form
    full = {"%d": iso_date, "%m": iso_date, "%H": iso_clock}
    parts = [
        _part(token, full=full.get(token, False) or _is_number(left) or _is_number(right))
        for left, token, right in zip(before, tokens, behind, strict=True)
    ]
    return f"^{''.join(parts)}$"


def _part(token: str, *, full: bool) -> str:
    """What stands for a part of a format."""
    if token.isspace():
        return r"\s+"
    if not token.startswith("%"):
        return re.escape(token)
    plain = re.sub("[-_0]", "", token)
    if plain in _ONE_OR_TWO:
        return "[0-9]{2}" if full and plain == token else "[0-9]{1,2}"
    return _WRITTEN.get(plain, ".+")  # what we do not know, polars may


def _is_number(token: str) -> bool:
    return token.startswith("%") and token[-1] in "YymdHIMSj"
