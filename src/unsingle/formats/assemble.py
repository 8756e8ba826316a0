"""From three columns of cells to an `EventLog`: every cell is there, or one line says which is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..errors import LogError, ValueProblem
from ..log import EventLog
from ..ragged import Ints
from .columns import Selection, Wanted
from .times import parse_times

Where = Callable[[int], str]
"""Where row i stands in the source, in words: ``line 17``."""


def assemble(frame: pl.DataFrame, selection: Selection, wanted: Wanted, source: str, where: Where) -> EventLog:
    """Build the log from a frame that holds the chosen columns; `source` and `where` are for messages."""
    if frame.height == 0:
        raise LogError(f"{source}: there are no events in it")
    rows = np.arange(frame.height)
    columns = selection.columns
    if selection.lifecycle is not None:
        kept = _with_lifecycle(frame[selection.lifecycle], str(wanted.lifecycle), source)
        frame, rows = frame.filter(pl.Series(kept)), rows[kept]
    problems = _Problems(source, where, rows)
    for role, names in (
        ("case", (columns.case,)),
        ("activity", selection.activity),
        ("time", (columns.time,)),
    ):
        for name in names:
            problems.refuse_missing(frame[name], role)
    times = parse_times(frame[columns.time], wanted.timezone, wanted.time_format)
    problems.refuse_unreadable(frame[columns.time], times.bad)
    codes, labels = _activities([frame[name] for name in selection.activity])
    return EventLog.from_events(
        _first_row_of_case(frame[columns.case]),
        codes,
        times.milliseconds,
        labels,
        zone=times.zone,
        columns=columns,
    )


class _Problems:
    """Says how many cells of a column cannot be used and where the first of them is."""

    def __init__(self, source: str, where: Where, rows: Ints) -> None:
        self._source, self._where, self._rows = source, where, rows

    def refuse_missing(self, column: pl.Series, role: str) -> None:
        missing = column.is_null()
        if column.dtype == pl.String:
            missing |= column.str.strip_chars() == ""
        elif column.dtype.is_float():
            missing |= column.is_nan()
        if count := int(missing.fill_null(True).sum()):
            self._raise(
                missing.fill_null(True),
                f"{count} of {len(column)} events have no {role} (column {column.name!r})",
                "fill it in, leave those events out, or name another column",
            )

    def refuse_unreadable(self, column: pl.Series, bad: NDArray[np.bool_]) -> None:
        if count := int(bad.sum()):
            first = column[int(np.argmax(bad))]
            self._raise(
                pl.Series(bad),
                f"{count} of {len(column)} times cannot be read (column {column.name!r}, such as {str(first)!r})",
                "correct them, or say how they are written with --time-format",
            )

    def _raise(self, mask: pl.Series, problem: str, advice: str) -> None:
        row = int(mask.arg_true()[0])
        raise ValueProblem(f"{self._source}: {problem}, the first at {self._where(int(self._rows[row]))}: {advice}")


def _with_lifecycle(column: pl.Series, chosen: str, source: str) -> NDArray[np.bool_]:
    lower = column.cast(pl.String).str.to_lowercase()
    kept = (lower == chosen.lower()).fill_null(False)
    if not kept.any():
        there = ", ".join(repr(value) for value in column.cast(pl.String).drop_nulls().unique().sort().head(12))
        raise LogError(f"{source}: no event has the lifecycle {chosen!r}; there are: {there or 'none'}")
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
