"""Reading and writing logs: the only room that knows files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..errors import FormatError, OutputError
from ..log import EventLog
from ..progress import Progress
from ..ragged import Ints
from ..wording import quoted
from .columns import Wanted
from .files import Source, atomic_output, compressed, format_of, name_of

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a formula, or the way to one, begins with

if TYPE_CHECKING:
    import polars

    from .frames import Frame


def read_log(
    source: str | os.PathLike[str] | Frame,
    *,
    case: str | None = None,
    activity: str | None = None,
    time: str | None = None,
    lifecycle: str | None = None,
    timezone: str | None = None,
    time_format: str | None = None,
    escape: str | None = None,
    allow_line_ends: bool = False,
    format: str | None = None,  # noqa: A002 - the name that the command uses
    progress: Progress | None = None,
) -> EventLog:
    """Read a log from a file (XES, CSV or Parquet; ``-`` is standard input) or from a data frame.

    Args:
        source: a file's name, or a pandas, polars or pyarrow frame.
        case: the column of case ids; by default the XES name, then the usual ones.
        activity: the column of activities, or a combination such as ``concept:name+lifecycle:transition``.
        time: the column of times.
        lifecycle: keep only events of this lifecycle transition, such as ``complete``.
        timezone: the zone of times that are written without one (else UTC), and of the log's clock.
        time_format: how times are written, such as ``%d/%m/%Y %H:%M``; by default it is found out.
        escape: how a CSV file writes a quotation mark inside a cell: ``double`` (the default) or ``backslash``.
        allow_line_ends: take activities with line ends in them; by default they are refused, because rows of a table
            that ran into each other look like that, and activities are published.
        format: ``xes``, ``xes.gz``, ``csv``, ``csv.gz`` or ``parquet``; by default from the file's name.
        progress: told how far it is.

    >>> import polars as pl
    >>> read_log(pl.DataFrame({"case id": [1, 1], "task": ["A", "B"], "time": ["2024-01-01", "2024-01-02"]}))
    EventLog(cases=1, events=2, variants=1, activities=2)

    """
    wanted = Wanted(case, activity, time, lifecycle, timezone, time_format, escape, allow_line_ends)
    progress = progress or Progress()
    progress.step("read")
    if not isinstance(source, str | os.PathLike):
        from .frames import read_frame

        return read_frame(source, wanted)
    name = name_of(source)
    kind = format_of(name, format)
    return _reader(kind)(Source(name, kind, progress), wanted)


def read_persons(source: str | os.PathLike[str] | Frame, person: str, **reading: Any) -> Ints:
    """For each case of `read_log` with the same options a number that tells persons apart.

    The person of a case is what stands in the column at its first event.
    """
    log = read_log(source, **{**reading, "activity": person, "allow_line_ends": True})
    return log.activity[log.case_offsets[:-1]].astype(np.int64)


def read_ids(source: str | os.PathLike[str], log: EventLog, **reading: Any) -> list[str]:
    """The id of each case of a log that was read from this source with the same options."""
    assert log.columns is not None
    named = read_log(source, **{**reading, "activity": log.columns.case, "allow_line_ends": True})
    return [named.labels[number] for number in named.activity[named.case_offsets[:-1]].tolist()]


def attribute_names(source: str | os.PathLike[str], format: str | None = None) -> list[str]:  # noqa: A002
    """The names of all columns of a file, or of XES the keys of events, traces (``case:``) and log (``log:``)."""
    name = name_of(source)
    kind = format_of(name, format)
    if kind.startswith("xes"):
        from .xes_strict import attribute_names as keys_of

        return keys_of(Source(name, kind, Progress()))
    if kind == "parquet":
        from .parquet_reader import column_names
    else:
        from .tables import column_names
    return column_names(Source(name, kind, Progress()))


def read_labels(source: str | os.PathLike[str]) -> tuple[str, ...]:
    """Activity labels from a text file, one in each line; empty lines do not count."""
    name = name_of(source)
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{name}: is not text in UTF-8: write one activity label in each line") from None
    except OSError as error:
        raise FormatError(f"{name}: cannot be read ({error.strerror or error})") from None
    labels = tuple(dict.fromkeys(line for line in text.splitlines() if line.strip()))
    if not labels:
        raise FormatError(f"{name}: has no labels: write one activity label in each line")
    return labels


def write_figures(frame: polars.DataFrame, target: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a table of figures as CSV, whole or not at all."""
    from .tables import write_csv

    with atomic_output(name_of(target), force=force) as stream:
        write_csv([frame], stream)


def write_log(
    log: EventLog,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the name that the command uses
    force: bool = False,
    spreadsheet_safe: bool = False,
    progress: Progress | None = None,
) -> None:
    """Write case, activity and time to a file, whole or not at all; ``-`` is standard output.

    Cases are numbered from 1 in the order of the log. An existing file is overwritten only with `force`, and its rights
    are kept. With `spreadsheet_safe`, CSV has a ``'`` before labels that a spreadsheet would take for a formula.
    """
    if progress is not None:
        progress.step("write")
    with _output(target, format, force) as (kind, stream):
        if kind == "xes":
            from .xes_writer import write_xes

            write_xes(log, stream)
        else:
            from .frames import write_table

            write_table(without_formulas(log) if spreadsheet_safe and kind == "csv" else log, kind, stream)


def without_formulas(log: EventLog) -> EventLog:
    """The log with a ``'`` before labels that a spreadsheet would take for a formula."""
    labels = tuple(f"'{label}" if label.startswith(_FORMULA) else label for label in log.labels)
    for label, other in zip(log.labels, labels, strict=True):
        if label != other and other in log.labels:
            raise OutputError(f"the labels {quoted(label)} and {quoted(other)} would be the same: rename one of them")
    return replace(log, labels=labels)


def write_frame(
    frame: polars.DataFrame,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the name that the command uses
    force: bool = False,
) -> None:
    """Write all columns of a frame that has whole cases one after the other. Not for releases."""
    from .tables import write_csv, write_parquet
    from .xes_frames import write_xes_frame

    with _output(target, format, force) as (kind, stream):
        if kind == "xes":
            write_xes_frame(frame, stream)
        elif kind == "csv":
            write_csv(frame.iter_slices(200_000), stream)
        else:
            write_parquet(frame, stream)


@contextlib.contextmanager
def _output(target: str | os.PathLike[str], format_: str | None, force: bool) -> Iterator[tuple[str, BinaryIO]]:
    """The format without its compression, and the stream to write it to."""
    name = name_of(target)
    kind = format_of(name, format_)
    with atomic_output(name, force=force) as stream:
        if kind.endswith(".gz"):
            with compressed(stream) as packed:
                yield kind.removesuffix(".gz"), packed
        else:
            yield kind, stream


def _reader(kind: str) -> Any:
    if kind.startswith("xes"):
        from .xes_reader import read_xes

        return read_xes
    if kind == "parquet":
        from .parquet_reader import read_parquet

        return read_parquet
    from .tables import read_csv

    return read_csv
