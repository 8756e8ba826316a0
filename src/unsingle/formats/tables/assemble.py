"""From a table of cells to an `EventLog`: every cell that is needed is there, or one line says which is not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...core.arrays import Ints
from ...core.columns import UTC_OFFSET, Column, Kind
from ...core.log import EventLog
from ...core.wording import listed, quoted
from ...errors import CellError, ColumnError, LogError, argument
from ..numbers import with_numbers
from ..schema import Further, Selection, Wanted, refuse_nobody
from .columns import NAMELESS, column_of, kind_of
from .times import Times, beyond_calendar, parse_times

Where = Callable[[int], str]
"""Where row i stands in the source, in words: ``line 17``."""

LINE_ENDS_ADVICE = (
    "see whether rows ran into each other there, and give "
    f"{argument('allow_line_ends', 'True')} if such labels may be published"
)
"""What to do about activities with line ends."""


def has_line_end(label: str) -> bool:
    """Whether a label has more than one line, as rows that ran into each other have."""
    return "\n" in label or "\r" in label


@dataclass(frozen=True)
class Table:
    """Cells of events: their frame, what messages call their source, and where a row stands in it.

    `kinds` says what the values of a column are where its type does not: in XES, all cells come as text.
    """

    frame: pl.DataFrame
    source: str
    where: Where
    kinds: Mapping[str, Kind] = field(default_factory=dict)


def assemble(table: Table, selection: Selection, wanted: Wanted) -> EventLog:
    """Build the log from a table that holds the selected columns."""
    frame, source = table.frame, table.source
    if frame.height == 0:
        raise LogError(f"{source}: there are no events in it: export it again, or name another file")
    rows = np.arange(frame.height)
    columns = selection.columns
    if selection.lifecycle is not None:
        kept = _with_lifecycle(frame[selection.lifecycle], str(wanted.lifecycle), source)
        frame, rows = frame.filter(pl.Series(kept)), rows[kept]
    case = _as_cells(frame[columns.case], "case", source)
    activity = [_as_cells(frame[name], "activity", source) for name in selection.activity]
    problems = _Problems(source, table.where, rows, case)
    time = _as_cells(frame[columns.time], "time", source)
    for role, column in (("case", case), *(("activity", part) for part in activity), ("time", time)):
        problems.refuse_missing(column, role)
    times = parse_times(time, wanted.timezone, wanted.time_format, source)
    problems.refuse_unreadable(time, times)
    codes, labels = _activities(activity)
    if not wanted.allow_line_ends:
        problems.refuse_line_ends(columns.activity, codes, labels)
    log = EventLog.from_events(
        _first_row_of_case(case),
        codes,
        times.milliseconds,
        labels,
        zone=times.zone,
        columns=[*_written_offsets(times), *(_further(frame[each.name], each, table) for each in selection.further)],
        source=columns,
    )
    refuse_nobody(log, wanted, source)
    return log


def _further(cells: pl.Series, further: Further, table: Table) -> Column:
    """A column beside case, activity and time, typed as its source says."""
    cells = _as_cells(cells, "person" if further.private else "keep", table.source)
    if further.name in table.kinds:
        texts = column_of(cells, further.field(Kind.TEXT), table.source)
        return with_numbers(texts, further.field(table.kinds[further.name]), table.source)
    return column_of(cells, further.field(kind_of(cells.dtype)), table.source)


def _written_offsets(times: Times) -> tuple[Column, ...]:
    """How the zone was found, if it was: then it is no public fact."""
    return () if times.offset is None else (Column.of_numbers(UTC_OFFSET, times.offset),)


class _Problems:
    """Says how many cells of a column cannot be used and where the first of them is."""

    def __init__(self, source: str, where: Where, rows: Ints, case: pl.Series) -> None:
        self._source, self._where, self._rows, self._case = source, where, rows, case

    def refuse_missing(self, column: pl.Series, role: str) -> None:
        missing = column.is_null()
        if column.dtype == pl.String:
            missing |= column.str.strip_chars() == ""
        elif column.dtype.is_float():
            missing |= column.is_nan()
        missing = missing.fill_null(True)
        if count := int(missing.sum()):
            problem = f"{count} of {len(column)} events have no {role} (column {quoted(column.name)})"
            self._raise(missing, problem, "fill it in, leave those events out, or name another column")

    def refuse_unreadable(self, column: pl.Series, times: Times) -> None:
        if count := int(times.bad.sum()):
            cells = column.to_physical() if column.dtype.is_temporal() else column  # Python's calendar may end before
            first = quoted(cells[int(np.argmax(times.bad))])
            problem = f"{count} of {len(column)} times cannot be read (column {quoted(column.name)}, such as {first})"
            self._raise(pl.Series(times.bad), problem, times.advice)

    def refuse_line_ends(self, name: str, codes: Ints, labels: Sequence[str]) -> None:
        """Labels are published: one of several lines may be rows of others that ran into each other."""
        broken = np.array([has_line_end(label) for label in labels])[codes]
        if count := int(broken.sum()):
            first = quoted(labels[codes[int(np.argmax(broken))]])
            problem = (
                f"{count} of {len(codes)} events have an activity with a line end in it (column {quoted(name)}, "
                f"such as {first})"
            )
            self._raise(pl.Series(broken), problem, LINE_ENDS_ADVICE)

    def _raise(self, mask: pl.Series, problem: str, advice: str) -> None:
        row = int(mask.arg_true()[0])
        value = self._case.slice(row, 1).cast(pl.String)[0]  # of polars, whose calendar is longer than Python's
        case = "" if value is None or value == "NaN" else value.strip()
        named = f", case {quoted(case)}" if case and not case.startswith(NAMELESS) else ""
        place = f"{self._where(int(self._rows[row]))}{named}"
        raise CellError(f"{self._source}: {problem}, the first at {place}: {advice}")


def _as_cells(column: pl.Series, role: str, source: str) -> pl.Series:
    """The column if it holds text, numbers or the like; bytes become text."""
    cells = column
    if column.dtype == pl.Binary:
        with contextlib.suppress(pl.exceptions.ComputeError):  # not all of it is UTF-8
            cells = column.cast(pl.String)
    if cells.dtype.is_nested() or cells.dtype in (pl.Object, pl.Binary):
        raise ColumnError(
            f"{source}: column {quoted(column.name)} holds {column.dtype}, not text or numbers: "
            f"convert it, or name another with {argument(role)}"
        )
    if role != "time" and beyond_calendar(cells):
        raise ColumnError(
            f"{source}: column {quoted(column.name)} holds dates beyond the years 1 to 9999: convert it to text, "
            f"or name another with {argument(role)}"
        )
    return cells


def _with_lifecycle(column: pl.Series, chosen: str, source: str) -> NDArray[np.bool_]:
    text = _as_cells(column, "lifecycle", source).cast(pl.String)
    kept = (text.str.to_lowercase() == chosen.lower()).fill_null(False)
    if not kept.any():
        there = listed(text.drop_nulls().unique().sort().to_list())
        raise LogError(f"{source}: no event has the lifecycle {quoted(chosen)}; there are: {there}")
    return kept.to_numpy()


def _activities(parts: Sequence[pl.Series]) -> tuple[Ints, list[str]]:
    """Number the labels; a combination is its parts joined by a plus sign."""
    texts = [part.cast(pl.String) for part in parts]
    label = pl.select(pl.concat_str(texts, separator="+")).to_series() if len(texts) > 1 else texts[0]
    labels = label.unique(maintain_order=True)
    codes = label.cast(pl.Enum(labels)).to_physical()
    return codes.to_numpy().astype(np.int64), labels.to_list()


def _first_row_of_case(column: pl.Series) -> Ints:
    """For each row the first row of its case: an integer that tells cases apart and keeps their order."""
    frame = pl.DataFrame({"case": column}).with_row_index("row")
    return frame.select(pl.col("row").min().over("case")).to_series().to_numpy().astype(np.int64)
