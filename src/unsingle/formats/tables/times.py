"""Reading times: whatever is written becomes milliseconds since 1970, UTC, and the zone of the log's clock."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...core.arrays import Ints
from ...core.clock import DAY, EARLIEST, LATEST, from_local, utc_offset_text, zone_of_offsets, zone_offsets
from ...core.wording import quoted
from ...errors import ColumnError, ParameterError, argument
from .time_patterns import pattern_of

# Dates and times of day as people write them; %.f is an optional fraction, %#z any offset.
_CLOCKS = ("%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
_YEAR_FIRST = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d")
_CLEAR = ("%d.%m.%Y", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%b %d %Y", "%d %B %Y", "%B %d, %Y")
_ISO = [f"{date}{gap}{clock}" for gap in "T " for date in _YEAR_FIRST for clock in _CLOCKS[:2]]
_PLAIN = [f"{form}%#z" for form in _ISO] + _ISO + [*_YEAR_FIRST, "%Y%m%dT%H%M%S", "%Y%m%d%H%M%S", "%Y%m%d"]
_PLAIN += [f"{date}{clock}" for date in _CLEAR for clock in ("", *(f" {c}" for c in _CLOCKS))]
_PLAIN += [f"%Y%m%d {clock}" for clock in _CLOCKS[:2]]
_PLAIN += ["%a %b %d %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S%#z"]  # as Unix and as mail write them
_DAY_FIRST, _MONTH_FIRST = (
    [f"{date}{clock}" for date in dates for clock in ("", *(f" {c}" for c in _CLOCKS))]
    for dates in (("%d/%m/%Y", "%d-%m-%Y"), ("%m/%d/%Y", "%m-%d-%Y"))
)
_TWO_NUMBERS = r"^(\d{1,2})[/-](\d{1,2})[/-]\d{4}"  # a day and a month, in either order
_SHORT_YEAR = r"^\d{1,2}[./-]\d{1,2}[./-]\d{2}\b"
_EPOCH = {9: (1_000, 1), 10: (1_000, 1), 13: (1, 1), 16: (1, 1_000), 19: (1, 1_000_000)}  # by digits: times, divided by

_MOST_KINDS = 50  # of ways to write a time in one column, before the rest is given up as unreadable
_UNITS = {"ms": 1, "us": 1_000, "ns": 1_000_000}  # of frames, in a millisecond


class Times(NamedTuple):
    """Milliseconds (any number where `bad`), which entries could not be read, the log's zone, and what may help.

    `offset` is that with which each time was written, in minutes, where the zone was found by those. `formats` are
    those in which times are written as text. The zone is assumed if some time names none, and nobody said which.
    """

    milliseconds: Ints
    bad: NDArray[np.bool_]
    zone: str
    offset: Ints | None = None
    formats: tuple[str, ...] = ()
    zone_is_assumed: bool = False
    advice: str = f"correct them, or say how they are written with {argument('time_format')}"


def parse_times(
    column: pl.Series, timezone: str | None = None, time_format: str | None = None, source: str = "the column"
) -> Times:
    """Read a column of times of any type; what is missing counts as bad. `source` is for messages.

    >>> times = parse_times(pl.Series(["2024-03-31 01:30:00+01:00", "31.03.2024"]))
    >>> times.milliseconds.tolist(), times.bad.tolist()
    ([1711845000000, 1711843200000], [False, False])
    """
    if column.dtype == pl.Date:
        column = column.cast(pl.Datetime("ms"))
    if isinstance(column.dtype, pl.Datetime):
        times = _from_datetimes(column, column.dtype, timezone)
    elif column.dtype in (pl.String, pl.Categorical, pl.Enum) or column.dtype.is_integer():
        times = _from_text(column.cast(pl.String).str.strip_chars(), timezone, time_format)
    else:
        raise ColumnError(
            f"{source}: column {quoted(column.name)} holds {column.dtype}, not times: "
            f"convert it to dates or text, or name another with {argument('time')}"
        )
    return times._replace(bad=times.bad | _outside(times.milliseconds))


def _from_datetimes(column: pl.Series, dtype: pl.Datetime, timezone: str | None) -> Times:
    number, bad = _numbers(column.to_physical())
    milliseconds = number // _UNITS[dtype.time_unit]  # rounded down, also before 1970
    bad |= _outside(milliseconds)
    milliseconds[bad] = 0  # no calendar knows what these are in another zone
    if dtype.time_zone is not None:
        return Times(milliseconds, bad, timezone or dtype.time_zone)
    zone = timezone or "UTC"
    return Times(from_local(zone, milliseconds), bad, zone, zone_is_assumed=timezone is None)


def beyond_calendar(column: pl.Series) -> bool:
    """Whether a column of dates or times has any that no calendar of years 1 to 9999 knows."""
    if column.dtype == pl.Date:
        column = column.cast(pl.Datetime("ms"))
    if not isinstance(column.dtype, pl.Datetime):
        return False
    number, _ = _numbers(column.to_physical())
    return bool(_outside(number // _UNITS[column.dtype.time_unit]).any())


def _outside(milliseconds: Ints) -> NDArray[np.bool_]:
    return (milliseconds < EARLIEST) | (milliseconds >= LATEST + DAY)


def _from_text(column: pl.Series, timezone: str | None, time_format: str | None) -> Times:
    reader = _Reader(column)
    if time_format is not None:
        form = _checked_format(time_format)
        reader.read_as(form, pattern_of(form))
    else:
        reader.find_formats()
    zone = timezone or "UTC"
    local = ~reader.absolute
    reader.milliseconds[local] = from_local(zone, reader.milliseconds[local])
    if timezone is not None:
        times = Times(reader.milliseconds, reader.unread, zone)
    elif not reader.absolute.any():  # as if written in UTC: that nobody wrote an offset must not show either
        times = Times(reader.milliseconds, reader.unread, zone, np.zeros(len(column), dtype=np.int64))
    else:
        times = Times(reader.milliseconds, reader.unread, *_own_zone(column, reader))
    is_assumed = timezone is None and bool((local & ~reader.unread).any())
    times = times._replace(formats=tuple(reader.formats), zone_is_assumed=is_assumed)
    return times._replace(advice=reader.advice) if reader.advice else times


def _checked_format(form: str) -> str:
    """The format in the words of polars; refuses what it would take for something else."""
    if "%" not in form:
        raise ParameterError(f"the time format {quoted(form)} is not understood: write it like '%d/%m/%Y %H:%M'")
    if "%Z" in form:
        raise ParameterError(
            f"the time format {quoted(form)} has %Z, but names of zones tell no offset: "
            f"write the name itself in its place and give {argument('timezone')}"
        )
    return re.sub(r"[.,]?%f", "%.f", form)  # as Python writes fractions of a second


class _Reader:
    """Reads text in one format after the other, each time what is still unread."""

    def __init__(self, column: pl.Series) -> None:
        with_comma = column.str.contains(",", literal=True).any()
        self._column = column.str.replace(r"(:\d{2}),(\d+)", "$1.$2") if with_comma else column  # a decimal comma
        self.advice = ""
        self.formats: list[str] = []
        self.milliseconds = np.zeros(len(column), dtype=np.int64)
        self.unread = np.ones(len(column), dtype=np.bool_)
        self.absolute = np.zeros(len(column), dtype=np.bool_)  # written with an offset, or as time since 1970

    def find_formats(self) -> None:
        """Let the first value that is still unread choose the next format, until all are read."""
        if (self._column.str.ends_with("UTC") | self._column.str.ends_with("GMT")).any():
            self._column = self._column.str.replace(r" ?(UTC|GMT)$", "Z")
        hopeless = self._column.is_null().to_numpy().copy()
        for _ in range(_MOST_KINDS):
            open_ = np.flatnonzero(self.unread & ~hopeless)
            if len(open_) == 0:
                return
            sample = str(self._column[int(open_[0])])
            if re.fullmatch(r"\d+", sample) and len(sample) in _EPOCH:
                self._read_since_1970(len(sample))
            elif form := self._format_of(sample):
                self.read_as(form, pattern_of(form, found=True))
            else:
                kind = next((kind for kind in (_TWO_NUMBERS, _SHORT_YEAR) if re.match(kind, sample)), None)
                alike = self._column.str.contains(kind) if kind else self._column == sample
                hopeless |= alike.fill_null(True).to_numpy()

    def read_as(self, form: str, pattern: str) -> None:
        """Read what is written in this format, and as the pattern says."""
        where = np.flatnonzero(self.unread)
        rest = self._column.gather(where) if len(where) < len(self._column) else self._column
        parsed = _strptime(rest, form)
        milliseconds, bad = _numbers(parsed.to_physical())
        bad |= _too_short_a_year(rest, parsed) | ~rest.str.contains(pattern).fill_null(False).to_numpy()
        absolute = getattr(parsed.dtype, "time_zone", None) is not None or "%s" in form
        if not bad.all():
            self.formats.append(form)
        self._fill(where[~bad], milliseconds[~bad], absolute=absolute)

    def _format_of(self, sample: str) -> str | None:
        """The format in which a value is written, if it is a known one."""
        if plain := next((form for form in _PLAIN if _fits(form, sample)), None):
            return plain
        if re.match(_TWO_NUMBERS, sample):
            return next((form for form in self._either_order() if _fits(form, sample)), None)
        if re.match(_SHORT_YEAR, sample):
            example = argument("time_format", "%d.%m.%y %H:%M")
            self.advice = f"the year has two digits: say what is what, such as {example}"
        return None

    def _either_order(self) -> list[str]:
        """The formats with the day or those with the month first; none where no number of the column tells."""
        first, second = (self._column.str.extract(_TWO_NUMBERS, group).cast(pl.Int64) for group in (1, 2))
        day_first, month_first = bool((first > 12).any()), bool((second > 12).any())
        if day_first == month_first and not (first == second).all():
            why = "stand in either order" if day_first else "cannot be told apart"
            forms = f"{argument('time_format', '%d/%m/%Y %H:%M')} or '%m/%d/%Y %H:%M'"
            self.advice = f"day and month {why}: say which comes first, such as {forms}"
            return []
        return _MONTH_FIRST if month_first else _DAY_FIRST

    def _read_since_1970(self, digits: int) -> None:
        """Read seconds, milli-, micro- or nanoseconds since 1970, as their number of digits says."""
        where = np.flatnonzero(self.unread)
        rest = self._column.gather(where)
        fits = rest.str.contains(rf"^\d{{{digits}}}$").fill_null(False).to_numpy()
        number, _ = _numbers(rest.filter(pl.Series(fits)).cast(pl.Int64))
        times, divided_by = _EPOCH[digits]
        self.formats.append(f"numbers of {digits} digits since 1970")
        self._fill(where[fits], number * times // divided_by, absolute=True)

    def _fill(self, where: Ints, milliseconds: Ints, *, absolute: bool) -> None:
        self.milliseconds[where] = milliseconds
        self.unread[where] = False
        self.absolute[where] = absolute


def _strptime(column: pl.Series, form: str) -> pl.Series:
    try:
        return column.str.to_datetime(form, time_unit="ms", strict=False, ambiguous="earliest")
    except pl.exceptions.PolarsError:
        raise ParameterError(
            f"the time format {quoted(form)} is not understood: write it like '%Y-%m-%d %H:%M:%S'"
        ) from None


def _too_short_a_year(written: pl.Series, parsed: pl.Series) -> NDArray[np.bool_]:
    """Which years below 1000 are not written with four digits: 1/2/20 is not the year 20, nor 10:30 the year 1."""
    early = (parsed.dt.year() < 1000).fill_null(False)
    if not early.any():
        return early.to_numpy()
    year = parsed.dt.year().cast(pl.String).str.zfill(4)
    both = pl.DataFrame({"written": written, "year": year})
    full = both.select(pl.col("written").str.contains(pl.col("year"), literal=True)).to_series()
    return (early & ~full.fill_null(False)).to_numpy()


def _fits(form: str, sample: str) -> bool:
    if not re.search(pattern_of(form, found=True), sample):
        return False
    written = pl.Series([sample])
    parsed = _strptime(written, form)
    return parsed.null_count() == 0 and not _too_short_a_year(written, parsed)[0]


def _numbers(column: pl.Series) -> tuple[Ints, NDArray[np.bool_]]:
    """The column as int64, and where it had no value."""
    return column.fill_null(0).to_numpy().astype(np.int64), column.is_null().to_numpy().copy()


def _own_zone(column: pl.Series, reader: _Reader) -> tuple[str, Ints]:
    """The zone whose clock explains the offsets that the times were written with, and these."""
    read = reader.absolute & ~reader.unread
    written = column.filter(pl.Series(read)).str.extract(r"([+\-−]\d{2}(?::?\d{2})?)$")
    minutes = {text: _minutes(text) for text in written.unique().to_list()}
    offset = written.replace_strict(minutes, return_dtype=pl.Int64).to_numpy()
    all_offsets = np.zeros(len(column), dtype=np.int64)
    all_offsets[read] = offset
    return zone_of_offsets(reader.milliseconds[read], offset), all_offsets


def _minutes(offset: str | None) -> int:
    """Minutes of an offset such as +05:30; none is UTC."""
    if offset is None:
        return 0
    hours, rest = offset[1:3], offset[3:].removeprefix(":") or "0"
    return (1 if offset[0] == "+" else -1) * (int(hours) * 60 + int(rest))


def iso_times(time: Ints, zone: str) -> pl.Series:
    """ISO 8601 with milliseconds and the zone's offset.

    >>> iso_times(np.array([0]), "+05:30").to_list()
    ['1970-01-01T05:30:00.000+05:30']
    """
    offset = zone_offsets(zone, time)
    local = pl.Series(time + offset, dtype=pl.Datetime("ms")).dt.strftime("%Y-%m-%dT%H:%M:%S%.3f")
    distinct, which = np.unique(offset, return_inverse=True)
    suffixes = pl.Series([utc_offset_text(ms) for ms in distinct.tolist()])
    return local + suffixes.gather(which)
