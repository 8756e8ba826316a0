"""From a table of cells to an `EventLog`: every cell that is needed is there, or one line says which is not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...core.arrays import Flags, Ints
from ...core.columns import UTC_OFFSET, Column, Field, Kind, Level
from ...core.log import EventLog, SourceColumns
from ...core.read_as import ReadAs
from ...core.wording import listed, quoted
from ...errors import CellError, ColumnError, LogError, argument
from ..intervals import events_of_rows
from ..kept import number_advice, refuse_unusable, times_kept
from ..labels import Combination, holds_row, joint_labels, of_intervals, parts_of
from ..numbers import numbers_in
from ..selection import Selection, refuse_nobody
from ..wanted import Further, Wanted
from .clocks import date_and_clock
from .columns import NAMELESS, column_of, kind_of
from .incomplete import is_missing, whole_rows, without_false_clock
from .times import Times, beyond_calendar, parse_times

Where = Callable[[int], str]
"""Where row i stands in the source, in words: ``line 17``."""

LINE_ENDS_ADVICE = (
    "see whether rows ran into each other there, and give "
    f"{argument('allow_line_ends', 'True')} if such labels may be published"
)
"""What to do about activities with line ends."""

ROW_ADVICE = (
    "see whether quotation marks or separators went wrong there, and give "
    f"{argument('allow_line_ends', 'True')} if such labels may be published"
)
"""What to do about activities that look like rows."""


def has_line_end(label: str) -> bool:
    """Whether a label has more than one line, as rows that ran into each other have."""
    return "\n" in label or "\r" in label


@dataclass(frozen=True)
class Table:
    """Cells of events: their frame, what messages call their source, and where a row stands in it.

    `kinds` says what the values of a column are where its type does not: in XES, all cells come as text. `read_as` is
    what was found out about the source so far.
    """

    frame: pl.DataFrame
    source: str
    where: Where
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    read_as: ReadAs = field(default_factory=ReadAs)


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
    selection = without_false_clock(frame, selection)
    read_as = table.read_as._replace(rows=frame.height)
    if wanted.skip_incomplete:
        whole, left_out = whole_rows(frame, selection, source)
        frame, rows, read_as = frame.filter(whole), rows[whole.to_numpy()], read_as._replace(left_out=left_out)
    columns = selection.columns
    case = _as_cells(frame[columns.case], "case", source)
    activity = [_as_cells(frame[name], "activity", source) for name in selection.activity]
    problems = _Problems(table, rows, case, decimal_comma=wanted.decimal_comma)
    for role, column in (("case", case), *(("activity", part) for part in activity)):
        problems.refuse_missing(column, role)
    times = _times(frame, selection, wanted, problems)
    codes, combinations = _activities(activity)
    labels = list(combinations)
    if not wanted.allow_line_ends:
        problems.refuse_line_ends(columns.activity, codes, labels)
        problems.refuse_rows(columns.activity, codes, labels)
    further = [_further(frame[each.name], each, table, problems) for each in selection.further]
    events = _Events(_first_row_of_case(case), codes, times, combinations, further)
    if columns.start is not None:
        events = events.with_starts(problems, columns)
    read_as = read_as._replace(time_formats=times.formats, zone="UTC" if times.zone_is_assumed else None)
    log = EventLog.from_events(
        events.case,
        events.activity,
        events.times.milliseconds,
        list(events.combinations),
        zone=times.zone,
        columns=[*_written_offsets(events.times), *events.columns],
        source=columns._replace(read_as=read_as),
        parts=parts_of(selection, events.combinations),
    )
    refuse_nobody(log, wanted, source)
    refuse_unusable(log, selection, source)
    return log


class _Events(NamedTuple):
    """Events in the order of their source; times of starts stand behind those of ends, if there are such."""

    case: Ints
    activity: Ints
    times: Times
    combinations: dict[str, Combination]
    columns: list[Column]

    def with_starts(self, problems: _Problems, source: SourceColumns) -> _Events:
        """Two events of each row, one at its start and one at its end."""
        end, start = np.split(self.times.milliseconds, 2)
        problems.refuse_backwards(start, end, source)
        row, ends = events_of_rows(self.case, self.activity, start, end)
        place = np.where(ends, row, row + len(self.case))
        offset = None if self.times.offset is None else self.times.offset[place]
        return _Events(
            self.case[row],
            2 * self.activity[row] + ends,
            self.times._replace(milliseconds=self.times.milliseconds[place], offset=offset),
            of_intervals(self.combinations),
            [column.take(row) for column in self.columns],
        )


def _times(frame: pl.DataFrame, selection: Selection, wanted: Wanted, problems: _Problems) -> Times:
    """The times of all rows, and behind them their starts, if they have such: what holds for the one does for both."""
    source, cells = problems.source, []
    for role, names in (("time", selection.time), ("start", selection.start)):
        parts = [_as_cells(frame[name], role, source) for name in names]
        for part in parts:
            problems.refuse_missing(part, role)
        if len(parts) > 1:
            parts = [date_and_clock(parts[0], parts[1], "+".join(names), as_written=wanted.time_format is not None)]
        cells += parts
    times = parse_times(_one_below_other(cells, source), wanted.timezone, wanted.time_format, source)
    for column, bad in zip(cells, np.split(times.bad, len(cells)), strict=True):
        problems.refuse_unreadable(column, bad, times.advice)
    return times


def _one_below_other(cells: Sequence[pl.Series], source: str) -> pl.Series:
    if len(cells) == 1:
        return cells[0]
    if all(getattr(each.dtype, "time_zone", None) is not None for each in cells):
        zone = getattr(cells[0].dtype, "time_zone", None)
        cells = [each.dt.convert_time_zone(str(zone)) for each in cells]
    with contextlib.suppress(pl.exceptions.PolarsError):  # types that have nothing in common
        if len({each.dtype.is_temporal() for each in cells}) == 1:
            frames = [each.rename(cells[0].name).to_frame() for each in cells]
            return pl.concat(frames, how="vertical_relaxed").to_series()
    types = " and ".join(f"{quoted(each.name)} holds {each.dtype}" for each in cells)
    raise ColumnError(f"{source}: column {types}: make both dates, or both text")


def _further(cells: pl.Series, further: Further, table: Table, problems: _Problems) -> Column:
    """A column beside case, activity and time, typed as its source says or as it was declared."""
    cells = _as_cells(cells, further.argument, table.source)
    if further.private is not None:
        return column_of(cells, further.private, table.source)
    if cells.dtype.is_temporal():
        raise times_kept(further, table.source)
    kind = table.kinds.get(further.name, kind_of(cells.dtype))
    field = further.field(Kind.NUMBER if kind is Kind.TEXT and further.number else kind)
    if field.kind is Kind.TEXT:
        return column_of(without_blanks(cells) if field.level is Level.FIRST else cells, field, table.source)
    if not cells.dtype.is_numeric():
        return problems.numbers(cells, further, field)
    column = column_of(cells, field, table.source)
    problems.refuse_infinite(cells, column, further)
    return column


def without_blanks(cells: pl.Series) -> pl.Series:
    """Texts, of which those that are empty are not there."""
    text = cells.cast(pl.String)
    return text.set((text == "").fill_null(False), None)


def _written_offsets(times: Times) -> tuple[Column, ...]:
    """How the zone was found, if it was: then it is no public fact."""
    return () if times.offset is None else (Column.of_numbers(UTC_OFFSET, times.offset),)


class _Problems:
    """Says how many cells of a column cannot be used and where the first of them is."""

    def __init__(self, table: Table, rows: Ints, case: pl.Series, *, decimal_comma: bool) -> None:
        self.source, self._where, self._rows, self._case = table.source, table.where, rows, case
        self._decimal_comma = decimal_comma

    def refuse_missing(self, column: pl.Series, role: str) -> None:
        missing = is_missing(column)
        if count := int(missing.sum()):
            problem = f"{count} of {len(column)} events have no {role} (column {quoted(column.name)})"
            skip = argument("skip_incomplete", "True")
            self._raise(missing, problem, f"fill it in, name another column, or give {skip} to leave those rows out")

    def refuse_unreadable(self, column: pl.Series, bad: Flags, advice: str) -> None:
        if count := int(bad.sum()):
            cells = column.to_physical() if column.dtype.is_temporal() else column  # Python's calendar may end before
            first = quoted(cells[int(np.argmax(bad))])
            problem = f"{count} of {len(column)} times cannot be read (column {quoted(column.name)}, such as {first})"
            self._raise(pl.Series(bad), problem, advice)

    def refuse_backwards(self, start: Ints, end: Ints, columns: SourceColumns) -> None:
        """A row cannot end before it starts."""
        if count := int((start > end).sum()):
            problem = (
                f"{count} of {len(start)} rows start after they end (columns {quoted(columns.start)} and "
                f"{quoted(columns.time)})"
            )
            self._raise(pl.Series(start > end), problem, f"correct them, or name another with {argument('start')}")

    def numbers(self, cells: pl.Series, further: Further, field: Field) -> Column:
        """The column of numbers that are written as text."""
        texts = column_of(cells, further.field(Kind.TEXT), self.source)
        numbers, bad = numbers_in(texts.texts, field.kind, decimal_comma=self._decimal_comma)
        wrong = np.append(bad, False)[texts.values]
        if count := int(wrong.sum()):
            first = texts.texts[texts.values[int(np.argmax(wrong))]]
            what = "no numbers" if field.kind is Kind.NUMBER else "no whole numbers of up to 15 digits"
            problem = f"{count} of {len(cells)} cells of {quoted(cells.name)} are {what}, such as {quoted(first)}"
            self._raise(pl.Series(wrong), problem, number_advice(first, further))
        return Column.of_numbers(field, np.append(numbers, np.nan)[texts.values])

    def refuse_infinite(self, cells: pl.Series, column: Column, further: Further) -> None:
        infinite = np.isinf(column.values)
        if count := int(infinite.sum()):
            problem = f"{count} of {len(cells)} cells of {quoted(cells.name)} are infinite numbers"
            self._raise(pl.Series(infinite), problem, number_advice("", further))

    def refuse_line_ends(self, name: str, codes: Ints, labels: Sequence[str]) -> None:
        """Labels are published: one of several lines may be rows of others that ran into each other."""
        what = f"an activity with a line end in it (column {quoted(name)}"
        self._refuse_labels(codes, labels, [has_line_end(label) for label in labels], what, LINE_ENDS_ADVICE)

    def refuse_rows(self, name: str, codes: Ints, labels: Sequence[str]) -> None:
        """Labels are published: one that holds a row of the file tells all that is known of somebody's event."""
        what = f"an activity that looks like a whole row of the file (column {quoted(name)}"
        self._refuse_labels(codes, labels, [holds_row(label) for label in labels], what, ROW_ADVICE)

    def _refuse_labels(self, codes: Ints, labels: Sequence[str], bad: Sequence[bool], what: str, advice: str) -> None:
        broken = np.array(bad)[codes]
        if count := int(broken.sum()):
            first = quoted(labels[codes[int(np.argmax(broken))]])
            self._raise(pl.Series(broken), f"{count} of {len(codes)} events have {what}, such as {first})", advice)

    def _raise(self, mask: pl.Series, problem: str, advice: str) -> None:
        row = int(mask.arg_true()[0])
        value = self._case.slice(row, 1).cast(pl.String)[0]  # of polars, whose calendar is longer than Python's
        case = "" if value is None or value == "NaN" else value.strip()
        named = f", case {quoted(case)}" if case and not case.startswith(NAMELESS) else ""
        place = f"{self._where(int(self._rows[row]))}{named}"
        raise CellError(f"{self.source}: {problem}, the first at {place}: {advice}")


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


def _activities(parts: Sequence[pl.Series]) -> tuple[Ints, dict[str, Combination]]:
    """Number the activities, and say by their labels what they are made of."""
    texts = [part.cast(pl.String).rename(str(number)) for number, part in enumerate(parts)]
    frame = pl.DataFrame(texts)
    distinct = frame.unique(maintain_order=True)
    if len(texts) == 1:
        codes = texts[0].cast(pl.Enum(distinct.to_series())).to_physical()
    else:
        numbered = distinct.with_row_index("activity")
        codes = frame.join(numbered, on=frame.columns, how="left", maintain_order="left")["activity"]
    combinations = list(distinct.iter_rows())
    return codes.to_numpy().astype(np.int64), dict(zip(joint_labels(combinations), combinations, strict=True))


def _first_row_of_case(column: pl.Series) -> Ints:
    """For each row the first row of its case: an integer that tells cases apart and keeps their order."""
    frame = pl.DataFrame({"case": column}).with_row_index("row")
    return frame.select(pl.col("row").min().over("case")).to_series().to_numpy().astype(np.int64)
