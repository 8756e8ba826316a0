"""Data frames of pandas, polars and pyarrow, in and out. None but polars needs to be installed."""

from __future__ import annotations

import importlib
import zoneinfo
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...core.arrays import Ints, pieces
from ...core.clock import is_offset, utc_offset_text
from ...core.columns import Column, Kind
from ...core.log import EventLog
from ...core.machine import in_order
from ...core.wording import listed, quoted
from ...errors import ColumnError, LogError, UnsingleError
from ..kept import times_kept, types_mixed
from ..schema import XES_CASE, Row
from ..selection import Selection, select_columns
from ..wanted import Further, Wanted
from .assemble import Table, assemble
from .rows import TableRows
from .times import iso_times

if TYPE_CHECKING:
    import pandas
    import pyarrow

Frame = Any
"""A pandas or polars frame, a pyarrow table, or anything else with an Arrow stream."""

_MOST_SECONDS, _NEVER = 10**15, 10**18  # seconds that fit milliseconds, and milliseconds beyond every calendar


def read_frame(frame: Frame, wanted: Wanted) -> EventLog:
    """Read a frame of any of the libraries."""
    names = _column_names(frame)
    source = "the frame"
    selection = select_columns(names, wanted, source)
    zones: dict[str, str] = {}
    chosen = _select(frame, selection.names, zones, selection.kept)
    if wanted.timezone is None and selection.columns.time in zones:
        wanted = replace(wanted, timezone=zones[selection.columns.time])
    return assemble(Table(chosen, source, lambda row: f"row {row}"), selection, wanted)


def table_of(frame: pl.DataFrame, wanted: Wanted, source: str) -> tuple[Table, Selection]:
    """The table of a file, and the columns to read of it; `source` is for messages."""
    return Table(frame, source, lambda row: f"row {row + 1}"), select_columns(frame.columns, wanted, source)


def text_rows(frame: pl.DataFrame) -> tuple[list[str], list[Row]]:
    """The names of all columns, and all rows as text."""
    texts = ({name: "" if cell is None else str(cell) for name, cell in row.items()} for row in frame.to_dicts())
    return frame.columns, list(texts)


def to_polars(log: EventLog) -> pl.DataFrame:
    """The log with its public columns as a polars frame; cases are numbered from 1."""
    _refuse_no_log(log)
    zone = log.zone if "/" in log.zone else "UTC"  # polars knows zones by name only
    rows = TableRows.of(log)
    times = {
        name: pl.Series(time, dtype=pl.Datetime("ms", "UTC")).dt.convert_time_zone(zone)
        for name, time in rows.times.items()
    }
    return pl.DataFrame({**rows.text_series(), **times, **rows.public_series()})


def text_chunks(log: EventLog, events: int = 200_000) -> Iterator[pl.DataFrame]:
    """The log with its public columns as frames, times in ISO 8601; each has whole cases and about so many events."""
    rows = TableRows.of(log)

    def text_of(cases: slice) -> pl.DataFrame:
        part = rows.part(cases)
        times = {name: iso_times(time, part.zone) for name, time in part.times.items()}
        return pl.DataFrame({**part.text_series(cases.start), **times, **part.public_series()})

    return in_order(text_of, pieces(rows.case_offsets, events))


def to_pandas(log: EventLog) -> pandas.DataFrame:
    """The log with its public columns as a pandas frame."""
    _refuse_no_log(log)
    pd = library("pandas")
    zone = log.zone if "/" in log.zone else "UTC"
    rows = TableRows.of(log)
    return pd.DataFrame(
        {
            XES_CASE: rows.case_ids().astype(str).astype(object),
            **{name: np.array(texts, dtype=object)[rows.activity] for name, texts in rows.labels.items()},
            **{name: _times_to_pandas(time, zone) for name, time in rows.times.items()},
            **{name: _to_pandas(column) for name, column in rows.cells().items()},
        }
    )


def _times_to_pandas(time: Ints, zone: str) -> Any:
    pd = library("pandas")
    return pd.Series(time.astype("datetime64[ms]")).dt.tz_localize("UTC").dt.tz_convert(zone)


def _to_pandas(column: Column) -> Any:
    """A column, typed; whole numbers stay whole where some are missing."""
    pd = library("pandas")
    dtypes = {Kind.TEXT: "object", Kind.INTEGER: "Int64", Kind.NUMBER: "float64"}
    return pd.Series(column.cells(), dtype=dtypes[column.field.kind])


def to_arrow(log: EventLog) -> pyarrow.Table:
    """The log with its public columns as a pyarrow table."""
    library("pyarrow")
    return to_polars(log).to_arrow()


def _refuse_no_log(given: object) -> None:
    if not isinstance(given, EventLog):
        what = "give its log" if isinstance(getattr(given, "log", None), EventLog) else "make one with read_log"
        raise LogError(f"only an EventLog becomes a frame, not a {type(given).__name__}: {what}")


def library(name: str) -> Any:
    """A library that the user may or may not have."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UnsingleError(f"{name} is not installed: pip install {name}") from None


def _column_names(frame: Frame) -> list[str]:
    if isinstance(frame, pl.LazyFrame):
        return frame.collect_schema().names()
    if hasattr(frame, "column_names"):  # pyarrow
        return [str(name) for name in frame.column_names]
    if hasattr(frame, "columns"):
        return [str(name) for name in frame.columns]
    what = f"a {type(frame).__name__}{', which has one: give its log' if hasattr(frame, 'log') else ''}"
    raise LogError(f"a log is a file name, an EventLog, a data frame or a log of PM4Py, not {what}")


def _select(frame: Frame, names: Sequence[str], zones: dict[str, str], kept: Mapping[str, Further]) -> pl.DataFrame:
    """These columns. The offset of a zone that has no name, which polars cannot hold, is put into `zones`."""
    if isinstance(frame, pl.LazyFrame):
        return frame.select(names).collect()
    if isinstance(frame, pl.DataFrame):
        return frame.select(names)
    if any(cls.__module__.startswith("pandas.") for cls in type(frame).__mro__):
        place = _column_names(frame).index
        return pl.DataFrame([_from_pandas(frame.iloc[:, place(name)], name, zones, kept.get(name)) for name in names])
    try:
        chosen = frame.select(list(names))
        if type(frame).__module__.startswith("pyarrow"):
            return pl.DataFrame([_from_arrow(chosen.column(i), name, zones) for i, name in enumerate(names)])
        return pl.DataFrame(chosen)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise ColumnError(f"the frame: {listed(names)} cannot be taken: {str(error).splitlines()[0]}") from None


def _from_arrow(column: Any, name: str, zones: dict[str, str]) -> pl.Series:
    """One pyarrow column."""
    if not str(column.type).startswith("timestamp"):
        return pl.Series(name, column)
    unit, zone = column.type.unit, column.type.tz
    if zone is not None and is_offset(zone):
        zones[name], zone = zone, "UTC"
    column = column.cast("int64")
    times = _milliseconds(pl.Series(name, column)) if unit == "s" else pl.Series(name, column)
    times = times.cast(pl.Datetime("ms" if unit == "s" else unit))
    return times if zone is None else times.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)


def _milliseconds(seconds: pl.Series) -> pl.Series:
    """Milliseconds of seconds; where these are too many, a time beyond every calendar."""
    fits = seconds.is_between(-_MOST_SECONDS, _MOST_SECONDS)
    return (seconds * fits * 1000).zip_with(fits | seconds.is_null(), pl.Series([_NEVER]))


def _from_pandas(series: Any, name: str, zones: dict[str, str], kept: Further | None) -> pl.Series:
    """One pandas column, with or without pyarrow installed; each distinct value is converted once."""
    pd = library("pandas")
    kind = pd.api.types.infer_dtype(series, skipna=True)
    if kind in ("datetime64", "datetime", "date"):
        if kept is not None:
            raise times_kept(kept, "the frame")
        return _times_from_pandas(series, name, zones)
    if kind.startswith("mixed"):
        if kept is None or not _are_texts_and_numbers(series):
            raise ColumnError(_mixed(series, name))
        if not kept.number:
            raise types_mixed(_types_in(series), kept, "the frame")
        series = series.map(str, na_action="ignore")
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufb":
        return pl.Series(name, series.to_numpy(), nan_to_null=True)
    codes, values = pd.factorize(series)  # what is missing has the number -1
    try:
        distinct = pl.Series(name, [*values.tolist(), None], strict=True)
    except (TypeError, UnicodeEncodeError, pl.exceptions.PolarsError) as error:
        raise ColumnError(f"the frame: column {quoted(name)} cannot be taken ({error}): make it text") from None
    return distinct.gather(np.where(codes < 0, len(values), codes))


def _times_from_pandas(series: Any, name: str, zones: dict[str, str]) -> pl.Series:
    pd = library("pandas")
    written = series.dropna()
    if series.dtype.kind != "M":  # objects of Python, each with a zone of its own
        with_zone = written.map(lambda time: getattr(time, "tzinfo", None) is not None)
        if with_zone.any() and not with_zone.all():
            raise ColumnError(f"the frame: column {quoted(name)} mixes times with and without a zone: give all one")
        if with_zone.any():
            return pl.Series(name, [None if pd.isna(time) else written_time(time) for time in series], dtype=pl.String)
        series = pd.to_datetime(series)
    index = pd.DatetimeIndex(series)
    if index.tz is None:
        return _utc_from_pandas(index, name)
    utc = _utc_from_pandas(index.tz_convert(None), name).dt.replace_time_zone("UTC")
    if known := _known_zone(index.tz):
        return utc.dt.convert_time_zone(known)
    zones[name] = _offset_of(index.tz)
    return utc


def written_time(time: datetime) -> str:
    """A time as text with its offset: no zone is taken from one person's times, but from the offsets of all."""
    offset = time.utcoffset() or timedelta(0)
    return (time.astimezone(UTC) if offset % timedelta(minutes=1) else time).isoformat()


def _offset_of(zone: tzinfo) -> str:
    """The zone of a whole column that has no name, as an offset."""
    offset = zone.utcoffset(None)
    return (
        "UTC"
        if offset is None or offset % timedelta(minutes=1)
        else utc_offset_text(offset // timedelta(milliseconds=1))
    )


def _utc_from_pandas(index: Any, name: str) -> pl.Series:
    """Times without a zone, in milliseconds."""
    if index.unit != "s":
        return pl.Series(name, index.to_numpy("datetime64[ms]"))
    seconds = pl.Series(name, index.asi8)
    return _milliseconds(seconds.set(pl.Series(index.isna()), None)).cast(pl.Datetime("ms"))


def _mixed(series: Any, name: str) -> str:
    kinds = _types_in(series)
    what = f"mixes types ({', '.join(kinds)})" if len(kinds) > 1 else f"holds {kinds[0]}, not text or numbers"
    return f"the frame: column {quoted(name)} {what}: make them one, for example text"


def _types_in(series: Any) -> list[str]:
    return sorted({type(value).__name__ for value in series.dropna()})


def _are_texts_and_numbers(series: Any) -> bool:
    return all(isinstance(value, str | int | float | np.number) for value in series.dropna())


def _known_zone(zone: Any) -> str | None:
    """The name of a zone, if it has one that polars knows."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    return name if name in zoneinfo.available_timezones() else None
