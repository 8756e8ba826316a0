"""Data frames of pandas, polars and pyarrow, in and out. None but polars needs to be installed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ..clock import iso_times
from ..errors import ColumnError, LogError
from ..log import EventLog
from ..ragged import row_of
from .assemble import assemble
from .columns import XES_ACTIVITY, XES_CASE, XES_TIME, Wanted, select_columns

if TYPE_CHECKING:
    import pandas
    import pyarrow

Frame = Any
"""A pandas or polars frame, a pyarrow table, or anything else with an Arrow stream."""


def read_frame(frame: Frame, wanted: Wanted) -> EventLog:
    """Read a frame of any of the libraries."""
    names = _column_names(frame)
    source = "the frame"
    selection = select_columns(names, wanted, source)
    return assemble(_select(frame, selection.names), selection, wanted, source, lambda row: f"row {row}")


def to_polars(log: EventLog) -> pl.DataFrame:
    """The log as a polars frame; cases are numbered from 1."""
    zone = log.zone if "/" in log.zone else "UTC"  # polars knows zones by name only
    return pl.DataFrame(
        {
            XES_CASE: pl.Series(row_of(log.case_offsets) + 1).cast(pl.String),
            XES_ACTIVITY: pl.Series(log.labels, dtype=pl.String).gather(log.activity),
            XES_TIME: pl.Series(log.time, dtype=pl.Datetime("ms", "UTC")).dt.convert_time_zone(zone),
        }
    )


def text_chunks(log: EventLog, events: int = 200_000) -> Iterator[pl.DataFrame]:
    """The log as frames of text, times in ISO 8601; each frame has whole cases and about so many events."""
    cuts = np.searchsorted(log.case_offsets, np.arange(events, log.n_events, events))
    edges = np.unique(np.concatenate(([0], cuts, [log.n_cases])))
    labels = pl.Series(log.labels, dtype=pl.String)
    for first, after in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        offsets = log.case_offsets[first : after + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        yield pl.DataFrame(
            {
                XES_CASE: pl.Series(row_of(offsets - offsets[0]) + first + 1).cast(pl.String),
                XES_ACTIVITY: labels.gather(log.activity[rows]),
                XES_TIME: iso_times(log.time[rows], log.zone),
            }
        )


def to_pandas(log: EventLog) -> pandas.DataFrame:
    """The log as a pandas frame."""
    import pandas as pd

    frame = to_polars(log)
    times = pd.to_datetime(pd.Series(log.time), unit="ms", utc=True)
    zone = getattr(frame.schema[XES_TIME], "time_zone", "UTC")
    return pd.DataFrame(
        {
            XES_CASE: frame[XES_CASE].to_list(),
            XES_ACTIVITY: frame[XES_ACTIVITY].to_list(),
            XES_TIME: times.dt.tz_convert(zone),
        }
    )


def to_arrow(log: EventLog) -> pyarrow.Table:
    """The log as a pyarrow table."""
    import pyarrow as pa

    return pa.table(to_polars(log))


def _column_names(frame: Frame) -> list[str]:
    if isinstance(frame, pl.LazyFrame):
        return frame.collect_schema().names()
    if hasattr(frame, "column_names"):  # pyarrow
        return [str(name) for name in frame.column_names]
    if hasattr(frame, "columns"):
        return [str(name) for name in frame.columns]
    raise LogError(f"a log is a file name, an EventLog or a data frame, not a {type(frame).__name__}")


def _select(frame: Frame, names: Sequence[str]) -> pl.DataFrame:
    if isinstance(frame, pl.LazyFrame):
        return frame.select(names).collect()
    if isinstance(frame, pl.DataFrame):
        return frame.select(names)
    if type(frame).__module__.startswith("pandas"):
        return pl.DataFrame([_from_pandas(frame[name], name) for name in names])
    return pl.DataFrame(frame.select(list(names)))


def _from_pandas(series: Any, name: str) -> pl.Series:
    """One pandas column, with or without pyarrow installed."""
    if str(series.dtype).startswith("datetime64"):
        zone = getattr(series.dt, "tz", None)
        values = (series.dt.tz_convert("UTC") if zone is not None else series).to_numpy("datetime64[ms]")
        times = pl.Series(name, values).cast(pl.Datetime("ms"))
        return times.dt.replace_time_zone("UTC").dt.convert_time_zone(_known_zone(zone)) if zone else times
    if series.dtype.kind in "iufb" if hasattr(series.dtype, "kind") else False:
        return pl.Series(name, series.to_numpy(), nan_to_null=True)
    values = [None if missing else value for value, missing in zip(series, series.isna(), strict=True)]
    kinds = sorted({type(value).__name__ for value in values if value is not None})
    try:
        return pl.Series(name, values, strict=True)
    except (TypeError, pl.exceptions.PolarsError):
        raise ColumnError(
            f"the frame: column {name!r} mixes types ({', '.join(kinds)}): make them one, for example text"
        ) from None


def _known_zone(zone: Any) -> str:
    return str(zone) if "/" in str(zone) else "UTC"
