"""Reading and writing logs: the only place that knows files and frames."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..core.columns import Column, Field, Kind, Level
from ..core.digest import FORMULA
from ..core.log import ActivityParts, EventLog
from ..core.wording import quoted
from ..errors import ENGINE, ColumnError, FormatError, OutputError, ParameterError, UnsingleError, argument, as_python
from ..progress import READ, WRITE, Progress
from .base import DEFAULT, FileKind, Format, file_kinds, format_of
from .facts import FileFacts, beside_output
from .files import Names, are_names
from .labels import written_as
from .opened import OpenedFile, OpenedFiles, opened, opened_all
from .output import atomic_output, compressed
from .schema import column_name, public_columns
from .source import name_of
from .wanted import Wanted, names_in

if TYPE_CHECKING:
    import polars

    from .tables.frames import Frame


def read_log(
    source: Names | Frame,
    *,
    case: str | None = None,
    activity: str | None = None,
    time: str | None = None,
    lifecycle: str | None = None,
    timezone: str | None = None,
    time_format: str | None = None,
    escape: str | None = None,
    allow_line_ends: bool = False,
    person: str | None = None,
    ids: bool = False,
    start: str | None = None,
    keep: Collection[str] = (),
    keep_case: Collection[str] = (),
    numbers: Collection[str] = (),
    domains: Collection[str] = (),
    skip_incomplete: bool = False,
    decimal_comma: bool = False,
    encoding: str | None = None,
    sheet: str | None = None,
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
    progress: Progress | None = None,
) -> EventLog:
    """Read a log from files (``-`` is standard input), a data frame or a log of PM4Py.

    Args:
        source: the name of a file, or of a folder of files of one format, or a list of such; a pandas, polars or
            pyarrow frame, or an event log object of PM4Py.
        case: the column of case ids; by default the XES name, then the usual ones.
        activity: the column of activities, or a combination such as ``concept:name+lifecycle:transition``.
        time: the column of times, or ``DATE+CLOCK`` for two columns of dates and of clock times.
        lifecycle: keep only events of this lifecycle transition, such as ``complete``.
        timezone: the zone of times that are written without one (else UTC), and of the log's clock.
        time_format: how times are written, such as ``%d/%m/%Y %H:%M``; by default it is found out.
        escape: how a CSV file writes a quotation mark inside a cell: ``double`` (the default) or ``backslash``.
        allow_line_ends: take activities with line ends in them, or that look like a row of a table; by default they are
            refused, because rows that ran into each other look like that, and activities are published.
        person: the column that says whom a case is about, where one person can have several cases. It becomes the
            private column `PERSON` of the log.
        ids: whether to read the ids that cases have in their source, as the private column `CASE_ID`.
        start: the column of start times, where a row has two times. Each row becomes two events, of the activities
            ``X+start`` and ``X+complete``.
        keep: further columns to read, of events or, as ``case:NAME``, of cases. Whether they are texts or numbers is
            what their source says; in CSV, all are texts.
        keep_case: further columns to read that stand on events, but are one value of the case: the first is taken.
        numbers: those of the kept columns that are numbers, whatever their source says.
        domains: those of the kept columns whose values are public, so that they may be many.
        skip_incomplete: leave out rows without case, activity or time; by default they are refused.
        decimal_comma: numbers that are written as text have a decimal comma, and points between thousands.
        encoding: the encoding of a CSV file, such as ``cp1252``; by default it is found out.
        sheet: the name of a sheet of an Excel workbook, or its number; by default the first.
        format: ``xes``, ``xes.gz``, ``csv``, ``csv.gz``, ``parquet`` or ``xlsx``; by default from the file's name.
        progress: is called with how far the reading is.

    >>> import polars as pl
    >>> read_log(pl.DataFrame({"case id": [1, 1], "task": ["A", "B"], "time": ["2024-01-01", "2024-01-02"]}))
    EventLog(cases=1, events=2, variants=1, activities=2)

    """
    wanted = Wanted(
        case=case, activity=activity, time=time, start=start, person=person, lifecycle=lifecycle, timezone=timezone,
        time_format=time_format, escape=escape, allow_line_ends=allow_line_ends, ids=ids,
        keep=names_in("keep", keep), keep_case=names_in("keep_case", keep_case), numbers=names_in("numbers", numbers),
        domains=names_in("domains", domains), skip_incomplete=skip_incomplete, decimal_comma=decimal_comma,
    )  # fmt: skip
    progress = progress or Progress()
    progress.step(READ)
    if are_names(source):
        source = opened_all(source, format, progress, encoding, sheet)
    elif not isinstance(source, OpenedFile | OpenedFiles):
        for name in [name for name, given in (("encoding", encoding), ("sheet", sheet)) if given is not None]:
            raise ParameterError(f"{argument(name)} is for files: leave it out")
    if isinstance(source, OpenedFile | OpenedFiles):
        return source.read(wanted)
    return _read_object(source, wanted)


def _read_object(source: Frame, wanted: Wanted) -> EventLog:
    from .tables.frames import read_frame
    from .tables.traces import is_traces, read_traces

    return read_traces(source, wanted) if is_traces(source) else read_frame(source, wanted)


def as_log(source: EventLog | Names | Frame, progress: Progress | None = None, *, ids: bool = False) -> EventLog:
    """The log that a function was given: as it is, or read from a file, a data frame or a log of PM4Py.

    For columns that cannot be found by their names, and for all else that `read_log` can do, call that: so does the
    advice of errors, because the function that was given the log does not take arguments for that.
    """
    if isinstance(source, EventLog):
        return source
    try:
        return read_log(source, ids=ids, progress=progress)
    except UnsingleError as error:
        raise type(error)(error.in_words(_as_call)) from None


def _as_call(name: str, example: str) -> str:
    written = as_python(name, example)
    return written if name == ENGINE else f"read_log(source, {written}{'' if example else '...'})"


def read_release_of(
    source: str | os.PathLike[str] | OpenedFile,
    original: EventLog,
    *,
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
    progress: Progress | None = None,
    **reading: Any,
) -> EventLog:
    """Read a release of a log: its columns have the names under which those of the log are written."""
    return _release_in(opened(source, format, progress), original, progress, reading)


def read_release_with_names(
    source: str | os.PathLike[str] | OpenedFile,
    original: EventLog,
    *,
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
    progress: Progress | None = None,
    **reading: Any,
) -> tuple[EventLog, list[str]]:
    """The same, and the names of all columns of the file; standard input is read only once.

    Of XES, these are the keys of events, of traces (``case:``) and of the log (``log:``).
    """
    file = opened(source, format, progress)
    return _release_in(file, original, progress, reading), file.column_names()


def _release_in(file: OpenedFile, original: EventLog, progress: Progress | None, reading: dict[str, Any]) -> EventLog:
    return _read_written(file, original.parts, [each.field for each in public_columns(original)], progress, reading)


def read_written(
    source: str | os.PathLike[str] | OpenedFile,
    parts: ActivityParts | None,
    fields: Sequence[Field],
    *,
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
    progress: Progress | None = None,
    **reading: Any,
) -> EventLog:
    """Read a log that was written with labels of these parts and with columns of these fields."""
    return _read_written(opened(source, format, progress), parts, fields, progress, reading)


def _read_written(
    file: OpenedFile,
    parts: ActivityParts | None,
    fields: Sequence[Field],
    progress: Progress | None,
    reading: dict[str, Any],
) -> EventLog:
    asked = reading | columns_asked(fields)
    written: dict[str, Any] = written_as(parts, two_times=file.format.rows_have_two_times)
    try:
        found = read_log(file, progress=progress, **asked, **written)
    except ColumnError as error:
        if not written.keys() & set(error.arguments):
            raise
        found = read_log(file, **asked)  # made by another tool, with joined labels
    return found.with_columns([_like(each, fields) for each in found.columns])


def columns_asked(fields: Iterable[Field]) -> dict[str, Any]:
    """Arguments of `read_log` for columns of these fields."""
    kept = tuple(fields)
    return {
        "keep": [column_name(each) for each in kept if each.level is not Level.FIRST],
        "keep_case": [each.name for each in kept if each.level is Level.FIRST],
        "numbers": [column_name(each) for each in kept if each.kind is not Kind.TEXT],
        "domains": [column_name(each) for each in kept],
    }


def as_rows_tell(log: EventLog) -> EventLog:
    """A log with intervals as it is read again from a table, in which each row is a start and its end.

    There an event without its other half becomes both, and both have the same values.
    """
    from .tables.frames import to_polars

    fields = [each.field for each in public_columns(log)]
    found = read_log(to_polars(log), **columns_asked(fields), **written_as(log.parts, two_times=True))
    return found.with_columns([_like(each, fields) for each in found.columns])


def _like(column: Column, originals: Iterable[Field]) -> Column:
    """A column of numbers that are whole if those of the original are: a text does not say so."""
    same = [each for each in originals if replace(each, kind=column.field.kind) == column.field]
    return replace(column, field=same[0]) if same else column


def facts_in(
    source: str | os.PathLike[str] | OpenedFile,
    *,
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
) -> dict[str, str] | None:
    """What a file says of how it was made, in itself or else beside it, by name, as texts; None if nothing."""
    return opened(source, format).facts()


def read_labels(source: str | os.PathLike[str]) -> tuple[str, ...]:
    """Activity labels from a text file, one in each line; empty lines do not count."""
    return _lines(source, "labels", "one activity label")


def read_values(source: str | os.PathLike[str]) -> tuple[str, ...]:
    """The values of a column from a text file, one in each line; empty lines do not count."""
    return _lines(source, "values", "one value")


def read_calendar(source: str | os.PathLike[str]) -> dict[str, list[str]]:
    """The days, hours and holidays of a calendar from a TOML file, as `anonymize` takes them."""
    import tomllib

    name, write = name_of(source), 'write days = ["Monday", ...], hours = ["08:00-17:00"], and holidays'
    try:
        found = tomllib.loads(_text(name, write))
    except (tomllib.TOMLDecodeError, RecursionError):
        raise FormatError(f"{name}: is not TOML: {write}") from None
    if not found:
        raise FormatError(f"{name}: is empty: {write}")
    if wrong := [key for key, value in found.items() if not isinstance(value, list)]:
        raise FormatError(f"{name}: {quoted(wrong[0])} is no list: {write}")
    return {key: [str(each) for each in value] for key, value in found.items()}


def _lines(source: str | os.PathLike[str], what: str, one: str) -> tuple[str, ...]:
    name = name_of(source)
    text = _text(name, f"write {one} in each line")
    lines = tuple(dict.fromkeys(line for line in text.splitlines() if line.strip()))
    if not lines:
        raise FormatError(f"{name}: has no {what}: write {one} in each line")
    return lines


def _text(name: str, advice: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(f"{name}: is not text in UTF-8: {advice}") from None
    except OSError as error:
        raise FormatError(f"{name}: cannot be read ({error.strerror or error})") from None


def write_figures(frame: polars.DataFrame, target: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a table of figures as CSV, whole or not at all."""
    from .csv.writer import write_csv

    with atomic_output(name_of(target), force=force) as stream:
        write_csv([frame], stream)


def write_log(
    log: EventLog | Frame,
    target: str | os.PathLike[str],
    *,
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
    force: bool = False,
    spreadsheet_safe: bool = False,
    facts: FileFacts | None = None,
    progress: Progress | None = None,
) -> None:
    """Write case, activity, time and all public columns to a file, whole or not at all; ``-`` is standard output.

    The log may be a data frame, which is read first, as by `read_log`.
    Cases are numbered from 1 in the order of the log. Private columns are never written. An existing file is
    overwritten only with `force`, and its rights are kept. With `spreadsheet_safe`, CSV has a ``'`` before texts that a
    spreadsheet would take for a formula. `facts` say how a release was made: they are written into the file where its
    format has a place for them, and always beside it, as ``NAME.release.json``; see `Release.write`.
    """
    log, name = as_log(log, progress), name_of(target)
    if progress is not None:
        progress.step(WRITE)
    with beside_output(name, facts, force=force) as write_facts, _output(name, format, force) as (format_, stream):
        format_.write_release(
            without_formulas(log) if spreadsheet_safe and format_.for_spreadsheets else log, stream, facts or {}
        )
        write_facts()


def without_formulas(log: EventLog) -> EventLog:
    """The log with a ``'`` before labels and other texts that a spreadsheet would take for a formula."""
    columns = tuple(replace(column, texts=_harmless(column.texts)) for column in public_columns(log))
    labels = _harmless(log.labels)
    if log.parts is None:
        return replace(log, labels=labels, columns=columns)
    values = [_harmless(of_column) for of_column in zip(*map(log.parts.of_label.get, log.labels), strict=True)]
    parts = replace(log.parts, of_label=dict(zip(labels, zip(*values, strict=True), strict=True)))
    return replace(log, labels=labels, columns=columns, parts=parts)


def _harmless(texts: Iterable[str]) -> tuple[str, ...]:
    given = tuple(texts)
    harmless = tuple(f"'{text}" if text.startswith(FORMULA) else text for text in given)
    for text, other in zip(given, harmless, strict=True):
        if text != other and other in given:
            raise OutputError(f"the texts {quoted(text)} and {quoted(other)} would be the same: rename one of them")
    return harmless


def write_rows(
    frame: polars.DataFrame,
    target: str | os.PathLike[str],
    *,
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
    force: bool = False,
) -> None:
    """Write a table of events as it stands, whole or not at all: all its columns, and the case ids that it has.

    For tables in which nothing is private: synthetic logs, and parts of a release that was made elsewhere, whose cases
    have random ids already. A log is written by `write_log`, which numbers cases and leaves out private columns.
    The events of a case must stand together.
    """
    with _output(target, format, force) as (format_, stream):
        format_.write_rows(frame, stream)


def written_size(log: EventLog, format: str | FileKind = DEFAULT) -> int:  # noqa: A002
    """How many bytes a file of this log has."""
    kind, content = format_of("", format), io.BytesIO()
    with _packed(content, kind) as stream:
        kind.format.write(log, stream)
    return len(content.getvalue())


def written_kind(name: str, given: str | FileKind | None = None) -> FileKind:
    """The kind of a file to write; raises `ParameterError` for one that is only read."""
    kind = format_of(name, given)
    if not kind.format.is_written:
        raise ParameterError(
            f"{name}: {kind.format.title} is only read: end the name in .{', .'.join(file_kinds(written=True))}"
        )
    return kind


@contextlib.contextmanager
def _output(
    target: str | os.PathLike[str], given: str | FileKind | None, force: bool
) -> Iterator[tuple[Format, BinaryIO]]:
    """The format of a file to write, and the stream to write it to."""
    name = name_of(target)
    kind = written_kind(name, given)
    with atomic_output(name, force=force) as stream, _packed(stream, kind) as packed:
        yield kind.format, packed


def _packed(stream: BinaryIO, kind: FileKind) -> Any:
    """The stream, or one that compresses what goes to it."""
    return compressed(stream) if kind.packed else contextlib.nullcontext(stream)
