"""Dates and clock times that stand in two columns, put together as the times that they are."""

from __future__ import annotations

import re

import polars as pl

_MIDNIGHT = r"[T ]0?0:00(:00([.,]0+)?)?$"  # behind dates, as databases write them
_NO_DATE = r"^(1899-12-3[01]|1900-01-0[01]|1970-01-01)[T ]"  # before clock times, as databases and spreadsheets do
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?|\d{4}|\d{6}"
_NO_TIME = r"^(?i:null|nat|[0.:/ T-]*)$"


def is_clock(text: str) -> bool:
    """Whether a text is a time of day.

    >>> is_clock("10:15"), is_clock("101500"), is_clock("2024-01-31 10:15")
    (True, True, False)
    """
    return re.fullmatch(_CLOCK, re.sub(_NO_DATE, "", text.strip())) is not None


def is_no_time(text: pl.Series) -> pl.Series:
    """Which texts stand for no time at all, as SAP writes dates that are not there.

    >>> is_no_time(pl.Series(["00.00.0000", "", "NULL", "2024-01-01"])).to_list()
    [True, True, True, False]
    """
    return text.str.contains(_NO_TIME)


def date_and_clock(date: pl.Series, clock: pl.Series, name: str, *, as_written: bool) -> pl.Series:
    """Dates and clock times as one text each; with `as_written`, just with a space between.

    >>> dates, clocks = pl.Series(["20240131", "2024-01-31 00:00:00"]), pl.Series(["101500", "10:15"])
    >>> date_and_clock(dates, clocks, "both", as_written=False).to_list()
    ['20240131 10:15:00', '2024-01-31 10:15']
    """
    day, hour = _text(date, "%Y-%m-%d"), _text(clock, "%H:%M:%S%.f")
    if not as_written:
        day = day.str.replace(_MIDNIGHT, "")
        hour = hour.str.replace(_NO_DATE, "").str.replace(r"^(\d{2})(\d{2})(\d{2})?$", "$1:$2:$3")
        hour = hour.str.strip_suffix(":")
    return (day + " " + hour).rename(name)


def _text(cells: pl.Series, form: str) -> pl.Series:
    return cells.dt.strftime(form) if cells.dtype.is_temporal() else cells.cast(pl.String).str.strip_chars()
