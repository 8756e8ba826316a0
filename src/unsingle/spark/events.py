"""From a Spark frame with any columns to events: which columns are used, and what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from ..core.log import SourceColumns
from ..core.wording import listed, quoted
from ..errors import CellError, ColumnError, LogError, ParameterError, argument
from ..formats.labels import holds_row
from ..formats.selection import Selection, select_columns
from ..formats.tables.assemble import LINE_ENDS_ADVICE, ROW_ADVICE, has_line_end
from ..formats.tables.columns import NAMELESS
from ..formats.wanted import Wanted
from .partitions import ACTIVITY, CASE, FILE, ROW, TIME
from .session import call, functions, rows_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

MOST_LABELS = 100_000
"""Distinct activities that a log may have; more are not names of activities but free text."""

_SOURCE = "the frame"
_BLANK = r"^\s*$|^NaN$"  # blank, or not a number in a column of numbers
_EITHER_ORDER = r"^\s*\d{1,2}[/-]\d{1,2}[/-]\d{4}"  # a day and a month, or a month and a day


class Events(NamedTuple):
    """Events with the columns that `partitions` packs, and what was found in them."""

    frame: DataFrame
    columns: SourceColumns
    labels: tuple[str, ...]
    total: int


def events_of(frame: DataFrame, wanted: Wanted, order: str | None) -> Events:
    """Select the columns of a log from a frame, and refuse a frame that is no log before any work is done."""
    names = call(lambda: list(frame.columns))
    selection = select_columns(names, wanted, _SOURCE)
    if len(selection.time) > 1:
        raise ColumnError(
            f"{_SOURCE}: on Spark the time is one column, not {quoted(selection.columns.time)}: put both together, or "
            f"name another with {argument('time')}"
        )
    if order is not None and order not in names:
        raise ColumnError(f"{_SOURCE}: there is no column {quoted(order)} to order by; there are: {listed(names)}")
    _refuse_types(frame, selection, wanted)
    events = _selected(frame, selection, wanted, order)
    labels, count = _looked_over(events, selection, wanted)
    return Events(events, selection.columns, labels, count)


def _selected(frame: DataFrame, selection: Selection, wanted: Wanted, order: str | None) -> DataFrame:
    f = functions()
    parts = [_column(name).cast("string") for name in selection.activity]
    lifecycle = [] if selection.lifecycle is None else [_column(selection.lifecycle).alias("lifecycle")]
    events = frame.select(
        _column(selection.columns.case).cast("string").alias(CASE),
        (parts[0] if len(parts) == 1 else f.concat(parts[0], *(x for p in parts[1:] for x in (f.lit("+"), p)))).alias(
            ACTIVITY
        ),
        _column(selection.columns.time).alias(TIME),
        *_order_columns(frame, order),
        *lifecycle,
    )
    if lifecycle:
        events = events.where(f.lower(f.col("lifecycle").cast("string")) == str(wanted.lifecycle).lower())
        events = events.drop("lifecycle")
    return events


def _order_columns(frame: DataFrame, order: str | None) -> list[Column]:
    """The columns that order events of a case at the same time: the chosen one, else file and row.

    Row numbers increase through a file in every run: Spark numbers the rows within each partition of a file, and the
    partitions in the order of the file.
    """
    f = functions()
    if order is not None:
        place = f.coalesce(_column(order).cast("long"), f.lit(0).cast("long"))
        return [f.lit(0).cast("long").alias(FILE), place.alias(ROW)]
    file = f.xxhash64(f.input_file_name())
    try:
        frame.select(file).schema  # noqa: B018 - asks Spark whether it knows files
    except Exception:  # which error it is depends on the server
        file = f.lit(0).cast("long")
    return [file.alias(FILE), f.monotonically_increasing_id().alias(ROW)]


def _looked_over(events: DataFrame, selection: Selection, wanted: Wanted) -> tuple[tuple[str, ...], int]:
    """The labels and the number of events, from one pass over the log that also finds missing cells."""
    f = functions()
    time = f.col(TIME)
    is_text = dict(events.dtypes)[TIME] == "string"
    undecided = time.rlike(_EITHER_ORDER) if is_text and wanted.time_format is None else f.lit(False)
    no_time = (time.isNull() | time.rlike(_BLANK)) if is_text else time.isNull()
    no_case = f.col(CASE).isNull() | f.col(CASE).rlike(_BLANK)
    found = rows_of(
        events.groupBy(ACTIVITY)
        .agg(
            f.count(f.lit(1)).alias("events"),
            *(f.sum(each.cast("long")).alias(name) for name, each in
              (("no_case", no_case), ("no_time", no_time), ("undecided", undecided))),
        )
        .limit(MOST_LABELS + 1)
    )  # fmt: skip
    total = {name: sum(x or 0 for x in found[name].to_pylist()) for name in found.column_names if name != ACTIVITY}
    _refuse_cells(found, total, selection)
    if not wanted.allow_line_ends:
        _refuse_merged_rows(found, selection)
    return tuple(sorted(found[ACTIVITY].to_pylist())), total["events"]


def _refuse_cells(found: pa.Table, total: dict[str, int], selection: Selection) -> None:
    events, columns = total.get("events", 0), selection.columns
    if not events:
        raise LogError(f"{_SOURCE}: there are no events in it: check the name and the choice of events")
    if found.num_rows > MOST_LABELS:
        raise ColumnError(
            f"{_SOURCE}: column {quoted(columns.activity)} has more than {MOST_LABELS:,} different activities, as if "
            f"it were free text: name another with {argument('activity')}"
        )
    labels = found[ACTIVITY].to_pylist()
    nameless = [label is None or not label.strip() for label in labels]
    no_activity = sum(n for n, missing in zip(found["events"].to_pylist(), nameless, strict=True) if missing)
    missing = {"case": total["no_case"], "activity": no_activity, "time": total["no_time"]}
    for role, count in missing.items():
        if count:
            name = quoted(getattr(columns, role))
            raise CellError(
                f"{_SOURCE}: {count:,} of {events:,} events have no {role} (column {name}): fill it in, leave those "
                "events out, or name another column"
            )
    if total["undecided"]:
        raise CellError(
            f"{_SOURCE}: in {total['undecided']:,} of {events:,} times (column {quoted(columns.time)}) the order of "
            f"day and month is ambiguous: give it, such as {argument('time_format', '%d/%m/%Y %H:%M')}"
        )
    if any(label.startswith(NAMELESS) for label in labels):
        raise CellError(f"{_SOURCE}: an activity begins with a character of code 0: rename it")


def _refuse_merged_rows(found: pa.Table, selection: Selection) -> None:
    """Refuse labels of several lines, or like a row: they are published, and may be rows that ran into each other."""
    of_column = f"(column {quoted(selection.columns.activity)}"
    for test, what, advice in (
        (has_line_end, "have a line end in them", LINE_ENDS_ADVICE),
        (holds_row, "look like a whole row of the table", ROW_ADVICE),
    ):
        if broken := sorted(filter(test, found[ACTIVITY].to_pylist())):
            raise CellError(
                f"{_SOURCE}: {len(broken):,} activities {what} {of_column}, such as {quoted(broken[0])}): {advice}"
            )


def _refuse_types(frame: DataFrame, selection: Selection, wanted: Wanted) -> None:
    kinds = dict(frame.dtypes)
    simple = ("string", "int", "bigint", "smallint", "tinyint", "timestamp", "date", "boolean", "decimal", "char")
    for role, name in (("case", selection.columns.case), *(("activity", part) for part in selection.activity)):
        if not kinds[name].startswith((*simple, "varchar", "double", "float")):
            raise ColumnError(
                f"{_SOURCE}: column {quoted(name)} holds {kinds[name]}, not text or numbers: convert it, or name "
                f"another with {argument(role)}"
            )
    kind = kinds[selection.columns.time]
    if not kind.startswith(("timestamp", "date", "string", "bigint", "int")):
        raise ColumnError(
            f"{_SOURCE}: column {quoted(selection.columns.time)} holds {kind}, not times: convert it to timestamps or "
            f"text, or name another with {argument('time')}"
        )
    if wanted.time_format is not None and kind != "string":
        raise ParameterError(f"{_SOURCE}: a time format is for text, but the times are {kind}: leave it out")


def _column(name: str) -> Column:
    """The column of this name, whatever characters are in it."""
    return functions().col("`" + name.replace("`", "``") + "`")
