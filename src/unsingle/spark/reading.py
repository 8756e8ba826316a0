"""Reading logs of a data lake as Spark frames: Parquet and CSV files or folders, tables, and folders of XES files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..core.arrays import row_of
from ..core.log import EventLog
from ..core.wording import quoted
from ..errors import FormatError, ParameterError, argument
from ..formats import read_log
from ..formats.base import file_kinds
from ..formats.csv.reader import separator_of
from ..formats.escapes import checked_escape
from ..formats.schema import XES_ACTIVITY, XES_CASE, XES_TIME
from .partitions import Batches
from .session import call, functions, quiet, rows_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLE = "table"
"""The format of a table of Spark's catalogue."""

_PLACE = "place"  # where an event of an XES file stands
_XES_EVENTS = f"`{XES_CASE}` string, `{XES_ACTIVITY}` string, `{XES_TIME}` timestamp, {_PLACE} long"


class LakeLog(NamedTuple):
    """A log as a frame; if its files tell: the column that orders events at the same time, the zone of its clock."""

    frame: DataFrame
    order: str | None = None
    timezone: str | None = None


def kind_of(name: str, given: str | None = None) -> str:
    """The format that is given, or that a name stands for: parquet, csv, xes or table.

    >>> kind_of("lake/events.parquet"), kind_of("s3://lake/2024/", "csv")
    ('parquet', 'csv')
    """
    endings = tuple(file_kinds(written=True))
    known = ", ".join((*endings, TABLE))
    if given is not None:
        if given not in (*endings, TABLE):
            raise ParameterError(f"unknown format {given!r}: choose one of {known}")
        return given
    for ending in sorted(endings, key=len, reverse=True):
        if name.rstrip("/").lower().endswith("." + ending):
            return ending
    inside = {kind_of(each) for each in _files(name) if each.endswith(tuple("." + ending for ending in endings))}
    if len({kind.removesuffix(".gz") for kind in inside}) == 1:
        return inside.pop()
    raise ParameterError(f"{name}: the format is not clear from the name: give {argument('format')} ({known})")


def read_lake(
    spark: SparkSession,
    name: str,
    *,
    format: str | None = None,  # noqa: A002 - the name that the command uses
    lifecycle: str | None = None,
    activity: str | None = None,
    escape: str | None = None,
    allow_line_ends: bool = False,
) -> LakeLog:
    """The log of this name with all its columns, read when it is first used.

    Each trace of an XES file is a case; the files must be where all executors can open them, and `activity` and
    `lifecycle` are applied as they are read. CSV is scanned once before: a misplaced quotation mark, or a cell of
    several lines, is refused. `escape` says how a quotation mark inside a cell is written, ``double`` or ``backslash``.
    """
    kind = kind_of(name, format).removesuffix(".gz")
    with quiet():
        if kind == TABLE:
            return LakeLog(_with_known_columns(name, lambda: spark.table(name)))
        if kind == "xes":
            return _xes_log(spark, name, lifecycle, activity, allow_line_ends)
        if kind == "csv":
            reader = _csv_reader(spark, name, checked_escape(escape))
            return LakeLog(_with_known_columns(name, lambda: reader.csv(name)))
        return LakeLog(_with_known_columns(name, lambda: spark.read.parquet(name)))


def _with_known_columns(name: str, read: Callable[[], DataFrame]) -> DataFrame:
    """The frame; if Spark cannot read it, the error is raised now and not when the frame is first used."""
    frame: DataFrame = call(read)
    if not call(lambda: frame.columns):
        raise FormatError(f"{name}: there is nothing of that name, or nothing in it: check the name")
    return frame


def _csv_reader(spark: SparkSession, name: str, escape: str) -> Any:
    first = rows_of(spark.read.text(name).limit(2))["value"].to_pylist()
    if not first:
        raise FormatError(f"{name}: the file is empty: get or export it again")
    separator = separator_of("\n".join(first).encode(), name, escape)
    _refuse_misplaced_marks(spark, name, separator, escape)
    # a quotation mark inside quotation marks is written twice, as everywhere but in Spark
    return spark.read.options(header=True, sep=separator, quote='"', escape='"' if escape == "double" else "\\")


def _refuse_misplaced_marks(spark: SparkSession, name: str, separator: str, escape: str) -> None:
    """Refuse lines whose cells are ambiguous; Spark parses each line by itself."""
    inside = r'[^"]*(?:""[^"]*)*' if escape == "double" else r'[^"\\]*(?:(?:\\.|"")[^"\\]*)*'
    cell = f'(?:"{inside}"|[^"{separator}]*)'
    line = functions().col("value")
    wrong = line.contains('"') & ~line.rlike(f"^\ufeff?{cell}(?:[{separator}]{cell})*$")
    if found := rows_of(spark.read.text(name).where(wrong).limit(1))["value"].to_pylist():
        raise FormatError(
            f"{name}: a quotation mark is out of place in the line {quoted(found[0])}: write marks inside a cell twice "
            f'("") and the cell in quotation marks, or give {argument("escape", "backslash")} if they stand behind a '
            "backslash; "
            "on Spark, a cell has one line"
        )


def _xes_log(
    spark: SparkSession, name: str, lifecycle: str | None, activity: str | None, allow_line_ends: bool
) -> LakeLog:
    files = _files(name)
    if not files:
        raise FormatError(f"{name}: there is no XES file in it: check the name")
    reading: dict[str, Any] = {"lifecycle": lifecycle, "activity": activity, "allow_line_ends": allow_line_ends}
    zone = read_log(files[0], **reading).zone  # all files of a log have the same
    named = call(lambda: spark.createDataFrame(list(enumerate(files)), "number long, file string"))
    frame = named.repartition(len(files), "number").mapInArrow(_ReadXes(reading), _XES_EVENTS)
    return LakeLog(frame, _PLACE, zone)


def _files(name: str) -> list[str]:
    """The files of a folder that this machine can see, or the one file of that name."""
    path = Path(name)
    if path.is_dir():
        found = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith(("_", ".")))
        return [os.fspath(each.absolute()) for each in found]
    return [os.fspath(path.absolute())] if path.is_file() else []


class _ReadXes:
    """Reads the events of the named files, one file after the other."""

    def __init__(self, reading: dict[str, Any]) -> None:
        self._reading = reading

    def __call__(self, batches: Batches) -> Batches:
        for part in batches:
            for row in part.to_pylist():
                yield from _events(read_log(row["file"], **self._reading), row["number"])


def _events(log: EventLog, number: int) -> Batches:
    case = row_of(log.case_offsets)
    labels, ids = pa.array(log.labels, type=pa.string()), pa.array([f"{number}-{i}" for i in range(log.n_cases)])
    for first in range(0, log.n_events, 100_000):
        some = slice(first, first + 100_000)
        place = np.arange(first, min(first + 100_000, log.n_events)) + (number << 40)
        time = pa.array(log.time[some] * 1000, type=pa.timestamp("us", tz="UTC"))
        columns = [ids.take(pa.array(case[some])), labels.take(pa.array(log.activity[some])), time, pa.array(place)]
        yield pa.RecordBatch.from_arrays(columns, names=[XES_CASE, XES_ACTIVITY, XES_TIME, _PLACE])
