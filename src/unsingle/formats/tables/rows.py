"""A log as rows of a table, before they become cells of a frame: one for each event, or for a start and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from ...core.arrays import Ints, row_of
from ...core.columns import MISSING, Column, Kind, Level
from ...core.log import Activities, EventLog
from ..case_numbers import case_numbers
from ..intervals import rows_of_events
from ..labels import label_columns
from ..schema import START_TIME, XES_CASE, XES_TIME, column_name, public_columns


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a log. `labels` are the columns that follow from the activity, with the cell of each label."""

    labels: Mapping[str, Sequence[str]]
    activity: Activities
    times: Mapping[str, Ints]
    columns: Sequence[Column]
    case_offsets: Ints
    zone: str

    @classmethod
    def of(cls, log: EventLog) -> TableRows:
        """The rows of a log with its public columns."""
        labels, columns = label_columns(log, lifecycle=False), public_columns(log)
        if log.parts is None or not log.parts.intervals:
            return cls(labels, log.activity, {XES_TIME: log.time}, columns, log.case_offsets, log.zone)
        rows = rows_of_events(log)
        columns = [column if column.field.of_cases else column.take(rows.first) for column in columns]
        times = {START_TIME: rows.start, XES_TIME: rows.end}
        return cls(labels, log.activity[rows.first], times, columns, rows.case_offsets, log.zone)

    def part(self, cases: slice) -> TableRows:
        """The rows of these cases alone."""
        offsets = self.case_offsets[cases.start : cases.stop + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        columns = [replace(each, values=each.values[cases if each.field.of_cases else rows]) for each in self.columns]
        times = {name: time[rows] for name, time in self.times.items()}
        return TableRows(self.labels, self.activity[rows], times, columns, offsets - offsets[0], self.zone)

    def case_ids(self, first: int = 0) -> Ints:
        """The number of the case of each row; `first` is the place of the first case in the log."""
        return case_numbers(first, first + len(self.case_offsets) - 1)[row_of(self.case_offsets)]

    def cells(self) -> dict[str, Column]:
        """The public columns by name, with a value for each row; that of a case stands on all rows, or on the first."""
        return {column_name(column.field): self._on_rows(column) for column in self.columns}

    def _on_rows(self, column: Column) -> Column:
        if not column.field.of_cases:
            return column
        repeated = column.take(row_of(self.case_offsets))
        return repeated.only(self.case_offsets[:-1]) if column.field.level is Level.FIRST else repeated

    def text_series(self, first: int = 0) -> dict[str, pl.Series]:
        """The case and the columns of the activity."""
        labels = {name: pl.Series(texts, dtype=pl.String).gather(self.activity) for name, texts in self.labels.items()}
        return {XES_CASE: pl.Series(self.case_ids(first)).cast(pl.String), **labels}

    def public_series(self) -> dict[str, pl.Series]:
        """The public columns, typed."""
        return {name: series_of(column) for name, column in self.cells().items()}


def series_of(column: Column) -> pl.Series:
    """The cells of a column, typed."""
    values = column.values
    if column.field.kind is Kind.TEXT:
        texts = pl.Series([*column.texts, None], dtype=pl.String)
        return texts.gather(np.where(values == MISSING, len(column.texts), values))
    numbers = pl.Series(values, dtype=pl.Float64).fill_nan(None)
    return numbers.cast(pl.Int64) if column.field.kind is Kind.INTEGER else numbers
