"""Rows without case, activity or time: which they are, and leaving them out if that is asked for."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ...errors import LogError
from ..selection import Selection
from .clocks import is_clock, is_no_time


def is_missing(cells: pl.Series) -> pl.Series:
    """Which cells of a column are not there, or blank.

    >>> is_missing(pl.Series(["A", " ", None])).to_list()
    [False, True, True]
    """
    missing = cells.is_null()
    if cells.dtype == pl.String:
        missing |= cells.str.strip_chars() == ""
    elif cells.dtype.is_float():
        missing |= cells.is_nan()
    return missing.fill_null(True)


def whole_rows(frame: pl.DataFrame, selection: Selection, source: str) -> tuple[pl.Series, tuple[tuple[str, int], ...]]:
    """Which rows have a case, an activity and a time, and how many have not, by what is missing first.

    Each row is looked at by itself, so whether one is left out says nothing of others.
    """
    whole, left_out = pl.repeat(True, frame.height, eager=True), []
    roles = {"case": (selection.columns.case,), "activity": selection.activity, "time": selection.time}
    for role, names in {**roles, "start": selection.start}.items():
        for name in names:
            missing = is_missing(frame[name])
            if role in ("time", "start") and frame[name].dtype == pl.String and not _is_clock_of(name, names):
                missing |= is_no_time(frame[name].str.strip_chars()).fill_null(True)
            if count := int((missing & whole).sum()):
                left_out.append((role, count))
            whole &= ~missing
    if not whole.any():
        raise LogError(f"{source}: no row has all of case, activity and time: name other columns, or export it again")
    return whole, tuple(_summed(left_out).items())


def _is_clock_of(name: str, names: tuple[str, ...]) -> bool:
    """Whether a column is the clock beside a date: midnight is a time there."""
    return len(names) > 1 and name == names[1]


def _summed(left_out: list[tuple[str, int]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for role, count in left_out:
        counts[role] = counts.get(role, 0) + count
    return counts


def without_false_clock(frame: pl.DataFrame, selection: Selection) -> Selection:
    """The same columns; of a date and a clock time found by their names, only the one that has both, if one has."""
    if not selection.clock_is_guessed:
        return selection
    clock = frame[selection.time[1]]
    if clock.dtype == pl.Time:
        return selection
    if clock.dtype == pl.String:
        written = clock.str.strip_chars()
        first = written.filter(written.str.len_chars() > 0).head(1).to_list()
        if not first or is_clock(first[0]):
            return selection
    time = selection.time[1] if clock.dtype in (pl.String, pl.Date) or clock.dtype.is_temporal() else selection.time[0]
    return replace(selection, columns=selection.columns._replace(time=time), time=(time,))
