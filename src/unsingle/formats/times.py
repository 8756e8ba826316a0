"""Reading times: whatever is written becomes milliseconds since 1970, UTC, and the zone of the log's clock."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..clock import DAY, EARLIEST, LATEST, from_local, zone_name, zone_offsets
from ..errors import ParameterError, ValueProblem
from ..ragged import Ints

# Dates and times of day as people write them; %.f is an optional fraction, %#z any offset.
_CLOCKS = ("%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
_YEAR_FIRST = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d")
_CLEAR = ("%d.%m.%Y", "%d %b %Y", "%d-%b-%Y", "%b %d, %Y", "%b %d %Y", "%d %B %Y", "%B %d, %Y")
_DAY_FIRST, _MONTH_FIRST = ("%d/%m/%Y", "%d-%m-%Y"), ("%m/%d/%Y", "%m-%d-%Y")
_ISO = [f"{date}{gap}{clock}" for gap in "T " for date in _YEAR_FIRST for clock in _CLOCKS[:2]]
_PLAIN = [f"{form}%#z" for form in _ISO] + _ISO + [*_YEAR_FIRST, "%Y%m%dT%H%M%S", "%Y%m%d%H%M%S", "%Y%m%d"]
_PLAIN += [f"{date}{clock}" for date in _CLEAR for clock in ("", *(f" {c}" for c in _CLOCKS))]
_EITHER = [
    (day_first + clock, month_first + clock)
    for day_first, month_first in zip(_DAY_FIRST, _MONTH_FIRST, strict=True)
    for clock in ("", *(f" {c}" for c in _CLOCKS))
]
_EPOCH = {10: (1_000, 1), 13: (1, 1), 16: (1, 1_000), 19: (1, 1_000_000)}  # by digits: times, divided by

_MOST_KINDS = 50  # of ways to write a time in one column, before the rest is given up as unreadable

# Zones whose clocks change; one of them is taken as the log's own if it explains all offsets in the log.
_CHANGING_ZONES = ("Europe/Berlin", "Europe/London", "Europe/Athens", "America/New_York", "America/Chicago",
                   "America/Denver", "America/Los_Angeles", "America/Halifax", "Australia/Sydney",
                   "Australia/Adelaide", "Pacific/Auckland", "America/Santiago", "America/Sao_Paulo",
                   "Europe/Moscow", "Asia/Jerusalem")  # fmt: skip


class Times(NamedTuple):
    """Milliseconds (any number where `bad`), which entries could not be read, and the log's zone."""

    milliseconds: Ints
    bad: NDArray[np.bool_]
    zone: str


def parse_times(column: pl.Series, timezone: str | None = None, time_format: str | None = None) -> Times:
    """Read a column of times of any type; what is missing counts as bad.

    >>> times = parse_times(pl.Series(["2024-03-31 01:30:00+01:00", "31.03.2024"]))
    >>> times.milliseconds.tolist(), times.bad.tolist()
    ([1711845000000, 1711843200000], [False, False])
    """
    if timezone is not None:
        zone_offsets(timezone, np.zeros(1, dtype=np.int64))  # an unknown zone is told before any work
    if isinstance(column.dtype, pl.Datetime | pl.Date):
        times = _from_datetimes(column.cast(pl.Datetime("us", getattr(column.dtype, "time_zone", None))), timezone)
    elif column.dtype == pl.String or column.dtype.is_integer():
        times = _from_text(column.cast(pl.String).str.strip_chars(), timezone, time_format)
    else:
        raise ValueProblem(f"column {column.name!r} holds {column.dtype}, not times: name another with --time")
    outside = (times.milliseconds < EARLIEST) | (times.milliseconds >= LATEST + DAY)
    return times._replace(bad=times.bad | outside)


def _from_datetimes(column: pl.Series, timezone: str | None) -> Times:
    microseconds, bad = _numbers(column.to_physical())
    milliseconds = microseconds // 1000  # rounded down, also before 1970
    own = getattr(column.dtype, "time_zone", None)
    if own is not None:
        return Times(milliseconds, bad, timezone or own)
    zone = timezone or "UTC"
    return Times(from_local(zone, milliseconds), bad, zone)


def _from_text(column: pl.Series, timezone: str | None, time_format: str | None) -> Times:
    reader = _Reader(column.str.replace(r" ?(UTC|GMT)$", "Z"))
    if time_format is not None:
        reader.read_as(time_format)
    else:
        reader.find_formats()
    zone = timezone or "UTC"
    local = ~reader.absolute
    reader.milliseconds[local] = from_local(zone, reader.milliseconds[local])
    return Times(reader.milliseconds, reader.unread, timezone or _own_zone(column, reader))


class _Reader:
    """Reads text in one format after the other, each time what is still unread."""

    def __init__(self, column: pl.Series) -> None:
        self._column = column
        self.milliseconds = np.zeros(len(column), dtype=np.int64)
        self.unread = np.ones(len(column), dtype=np.bool_)
        self.absolute = np.zeros(len(column), dtype=np.bool_)  # written with an offset, or as time since 1970

    def find_formats(self) -> None:
        """Let the first value that is still unread choose the next format, until all are read."""
        hopeless = self._column.is_null().to_numpy().copy()
        either = [form for pair in _EITHER for form in pair]
        for _ in range(_MOST_KINDS):
            open_ = np.flatnonzero(self.unread & ~hopeless)
            if len(open_) == 0:
                return
            sample = str(self._column[int(open_[0])])
            if re.fullmatch(r"\d+", sample) and len(sample) in _EPOCH:
                self._read_since_1970(len(sample))
            elif plain := next((form for form in _PLAIN if _fits(form, sample)), None):
                self.read_as(plain)
            elif fitting := [form for form in either if _fits(form, sample)]:
                chosen = self._day_or_month_first(fitting)
                self.read_as(chosen)
                first = 0 if chosen in (pair[0] for pair in _EITHER) else 1
                either = [pair[first] for pair in _EITHER]  # one column does not mix both orders
            else:
                hopeless |= (self._column == sample).fill_null(True).to_numpy()

    def read_as(self, form: str) -> None:
        """Read what is written in this format."""
        where = np.flatnonzero(self.unread)
        milliseconds, bad = self._parsed(form)
        self._fill(where[~bad], milliseconds[~bad], absolute=_has_offset(form))

    def _day_or_month_first(self, fitting: list[str]) -> str:
        """The one of two formats that reads more; refuses to guess if both read the same amount."""
        if len(fitting) == 1:
            return fitting[0]
        (days, days_bad), (months, months_bad) = (self._parsed(form) for form in fitting)
        if days_bad.sum() != months_bad.sum():
            return fitting[int(days_bad.sum() > months_bad.sum())]
        if (days != months)[~days_bad].any():
            raise ValueProblem(
                f"column {self._column.name!r}: day and month cannot be told apart: "
                f"give --time-format '{fitting[0]}' or '{fitting[1]}'"
            )
        return fitting[0]

    def _read_since_1970(self, digits: int) -> None:
        """Read seconds, milli-, micro- or nanoseconds since 1970, told by their number of digits."""
        where = np.flatnonzero(self.unread)
        rest = self._column.gather(where)
        fits = rest.str.contains(rf"^\d{{{digits}}}$").fill_null(False).to_numpy()
        number, _ = _numbers(rest.filter(pl.Series(fits)).cast(pl.Int64))
        times, divided_by = _EPOCH[digits]
        self._fill(where[fits], number * times // divided_by, absolute=True)

    def _parsed(self, form: str) -> tuple[Ints, NDArray[np.bool_]]:
        whole = bool(self.unread.all())
        rest = self._column if whole else self._column.gather(np.flatnonzero(self.unread))
        parsed = _strptime(rest, form)
        milliseconds, bad = _numbers(parsed.to_physical())
        return milliseconds, bad | (parsed.dt.year().fill_null(0) < 1000).to_numpy()  # 1/2/20 is not the year 20

    def _fill(self, where: Ints, milliseconds: Ints, *, absolute: bool) -> None:
        self.milliseconds[where] = milliseconds
        self.unread[where] = False
        self.absolute[where] = absolute


def _strptime(column: pl.Series, form: str) -> pl.Series:
    try:
        return column.str.to_datetime(form, time_unit="ms", strict=False, ambiguous="earliest")
    except pl.exceptions.PolarsError:
        raise ParameterError(f"the time format {form!r} is not understood: write it like '%Y-%m-%d %H:%M:%S'") from None


def _has_offset(form: str) -> bool:
    return re.search(r"%[:#]*z", form) is not None or "%s" in form


def _fits(form: str, sample: str) -> bool:
    parsed = _strptime(pl.Series([sample]), form)[0]
    return parsed is not None and parsed.year >= 1000


def _numbers(column: pl.Series) -> tuple[Ints, NDArray[np.bool_]]:
    """The column as int64, and where it had no value."""
    return column.fill_null(0).to_numpy().astype(np.int64), column.is_null().to_numpy().copy()


def _own_zone(column: pl.Series, reader: _Reader) -> str:
    """The zone whose clock explains the offsets that the times were written with."""
    read = reader.absolute & ~reader.unread
    written = column.filter(pl.Series(read)).str.extract(r"([+-]\d{2}:?\d{2})$").str.replace(":", "")
    distinct = written.unique().to_list()
    if distinct in ([], [None]):
        return "UTC"
    if len(distinct) == 1:
        return zone_name(distinct[0])
    minutes = {text: _minutes(text) for text in distinct}
    offset = 60_000 * written.replace_strict(minutes, return_dtype=pl.Int64).fill_null(0).to_numpy()
    utc = reader.milliseconds[read]
    matching = (zone for zone in _CHANGING_ZONES if (zone_offsets(zone, utc) == offset).all())
    return next(matching, "UTC")


def _minutes(offset: str | None) -> int:
    if offset is None:
        return 0
    return (-1 if offset[0] == "-" else 1) * (int(offset[1:3]) * 60 + int(offset[3:5]))
