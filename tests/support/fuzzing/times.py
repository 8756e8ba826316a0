"""Times, as odd as people write them, and a reader of them that shares nothing with ours but the documentation."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import NamedTuple

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -719_162 * 86_400_000, 2_932_897 * 86_400_000  # the years 1 to 9999
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_CLOCK = r"(?P<H>[0-9]{1,2}):(?P<M>[0-9][0-9])(?::(?P<S>[0-9][0-9])(?P<f>[.,][0-9]+)?)?"
_FULL = _CLOCK.replace(r"[0-9]{1,2}", r"[0-9][0-9]")
_ZONE = r"(?P<z>\s?(?:[Zz]|[+\-−][0-9][0-9](?::?[0-9][0-9])?)| ?(?:UTC|GMT))?"
_HALF = r"(?:\s+(?P<p>[AaPp][Mm]))?"
_YEAR = (
    r"(?P<Y>[0-9]{4})-(?P<m>[0-9][0-9])-(?P<d>[0-9][0-9])",
    r"(?P<Y>[0-9]{4})(?P<s>[/.])(?P<m>[0-9]{1,2})(?P=s)(?P<d>[0-9]{1,2})",
)
_NAMED = (
    r"(?P<d>[0-9]{1,2})\.(?P<m>[0-9]{1,2})\.(?P<Y>[0-9]{4})",
    r"(?P<d>[0-9]{1,2})(?P<s>\s+|-)(?P<b>[A-Za-z]+)(?:(?P=s)|\s+)(?P<Y>[0-9]{4})",
    r"(?P<d>[0-9]{1,2})-(?P<b>[A-Za-z]+)-(?P<y>[0-9][0-9])",
    r"(?P<b>[A-Za-z]+)\s+(?P<d>[0-9]{1,2}),?\s+(?P<Y>[0-9]{4})",
)
_EITHER = r"(?P<A>[0-9]{1,2})(?P<s>[/-])(?P<B>[0-9]{1,2})(?P=s)(?P<Y>[0-9]{4})"
_FORMS = [
    *(rf"{day}(?:T{_FULL}{_ZONE})?" for day in _YEAR),
    *(rf"{day}\s+{_CLOCK}{_ZONE}" for day in _YEAR),
    *(rf"{day}(?:\s+{_CLOCK}{_HALF})?" for day in (*_NAMED, _EITHER)),
    r"(?P<Y>[0-9]{4})(?P<m>[0-9][0-9])(?P<d>[0-9][0-9])(?:T?(?P<H>[0-9][0-9])(?P<M>[0-9][0-9])(?P<S>[0-9][0-9]))?",
    r"(?P<w>[A-Za-z]{3})\s+(?P<b>[A-Za-z]+)\s+(?P<d>[0-9]{1,2})\s+(?P<H>[0-9]{1,2}):(?P<M>[0-9][0-9]):(?P<S>[0-9][0-9])\s+(?P<Y>[0-9]{4})",
    rf"(?P<w>[A-Za-z]{{3}}),\s+(?P<d>[0-9]{{1,2}})\s+(?P<b>[A-Za-z]+)\s+(?P<Y>[0-9]{{4}})\s+{_CLOCK}{_ZONE}",
]
_PATTERNS = [re.compile(form) for form in _FORMS]
_SINCE_1970 = {9: 1_000_000_000, 10: 1_000_000_000, 13: 1_000_000, 16: 1_000, 19: 1}  # nanoseconds, by digits


class Moment(NamedTuple):
    """A time of a typed column."""

    milliseconds: int


def milliseconds_of(written: object, *, month_first: bool = False) -> int | None:
    """Milliseconds since 1970 of a time that is documented to be read; None of any other."""
    if isinstance(written, Moment):
        return _in_calendar(written.milliseconds)
    text = str(written).strip()
    if text.isascii() and text.isdigit() and len(text) in _SINCE_1970:
        return int(text) * _SINCE_1970[len(text)] // 1_000_000
    for pattern in _PATTERNS:
        if match := pattern.fullmatch(text):
            return _of_parts(match.groupdict(), month_first=month_first)
    return None


def _in_calendar(moment: int) -> int | None:
    return moment if _FIRST <= moment < _LAST else None


def _of_parts(part: dict[str, str | None], *, month_first: bool) -> int | None:
    first, second = part.get("A"), part.get("B")
    day, month = (second, first) if month_first else (first, second)
    day, month = part.get("d") or day, part.get("m") or month or _month(part.get("b"))
    year = int(part["Y"]) if part.get("Y") else _century(int(part.get("y") or 0))
    hour = int(part.get("H") or 0)
    if half := part.get("p"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half.lower() == "pm")
    fraction = (part.get("f") or ".0")[1:]
    try:
        local = datetime(year, int(month or 0), int(day or 0), hour, int(part.get("M") or 0), int(part.get("S") or 0))
        offset = _offset(part.get("z") or "Z")
    except ValueError:
        return None
    moment = (local - datetime(1970, 1, 1)) // timedelta(milliseconds=1) + int(f"{fraction:0<3}"[:3]) - offset
    return _in_calendar(moment)


def _month(name: str | None) -> str | None:
    known = [str(i + 1) for i, month in enumerate(_MONTHS) if name and name.lower() in (month, month[:3])]
    return known[0] if known else None


def _century(year: int) -> int:
    return year + (2000 if year < 70 else 1900)


def _offset(zone: str) -> int:
    """Milliseconds of an offset."""
    digits = re.sub(r"[^0-9]", "", zone)
    if not digits:
        return 0
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if hours > 23 or minutes > 59:
        raise ValueError("no offset")
    return (hours * 60 + minutes) * 60_000 * (1 if "+" in zone else -1)


_WRITTEN = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d", "%Y-%m-%d %H:%M:%S",
            "%Y/%m/%d %H:%M", "%d.%m.%Y", "%d.%m.%Y %H:%M", "%d %b %Y %I:%M %p", "%B %d, %Y", "%m/%d/%Y",
            "%Y%m%d", "%Y%m%dT%H%M%S", "%a %b %d %H:%M:%S %Y", "%d-%b-%y")  # fmt: skip
_ZONES = ("", "", "Z", "+01:00", "-05:30", "+0200", "+14:00", " UTC", "+00", "-00:00", "+01:99", "+24:00")
_ODD = ("0000-01-01", "-0001-01-01T00:00:00", "+12024-01-01", "2013-11-113:05:00", "2024- 1-01", "2014-12-2",
        "2024-01-01T00:00:00+02:", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-01:00", "0001-01-01",
        "1704067200", "1704067200000", "2024-02-30", "2023-02-29T00:00:00", "2024-01-01T24:00:00",
        "2024-01-01T23:59:60Z")  # fmt: skip


def a_time(random: Random, *, plain: bool = False) -> str:
    """A time; `plain` ones are written as most logs do."""
    moment = _EPOCH + timedelta(milliseconds=random.randrange(-(10**11), 3 * 10**12))
    if plain or random.random() < 0.4:
        fraction = random.choice(("", f".{random.randrange(1000):03}"))
        return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}{random.choice(('Z', '+00:00', '+01:00', '-05:30'))}"
    if random.random() < 0.1:
        return random.choice(_ODD)
    form = random.choice(_WRITTEN)
    fraction = (
        f"{random.choice('.,')}{random.randrange(10**9)}" if form.endswith("%S") and random.random() < 0.3 else ""
    )
    zone = random.choice(_ZONES) if ":%M" in form and form.startswith("%Y") else ""
    return f"{moment.strftime(form)}{fraction}{zone}"
