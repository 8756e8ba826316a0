"""Several files of one log: their tables one below the other. A case may have events in several files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import polars as pl

from ...core.columns import Kind
from ...core.read_as import ReadAs
from ...core.wording import listed, quoted
from ...errors import ColumnError
from ..selection import Selection
from .assemble import Table, Where
from .columns import NAMELESS


def one_table(
    tables: Sequence[Table], selections: Sequence[Selection], *, same_columns: bool
) -> tuple[Table, Selection]:
    """All rows in the order of the files, if these have the same columns; else it is said which differ.

    With `same_columns`, this means also those that are not read.
    """
    first = selections[0]
    for table, selection in zip(tables[1:], selections[1:], strict=True):
        _refuse_others(tables[0].source, first, table.source, selection, same_columns=same_columns)
    source = f"{tables[0].source} and {len(tables) - 1} more"
    frames = [_with_own_names(table.frame.select(first.names), first, number) for number, table in enumerate(tables)]
    try:
        frame = pl.concat(frames, how="vertical_relaxed")
    except pl.exceptions.PolarsError:
        raise ColumnError(f"{source}: {_unlike(tables, first)}: export them alike, or read them one by one") from None
    return Table(frame, source, _where(tables), _kinds(tables, source), _read_as(tables)), first


def _refuse_others(one: str, first: Selection, other: str, selection: Selection, *, same_columns: bool) -> None:
    here, there = set(first.names), set(selection.names)
    if same_columns:
        here, there = here | set(first.columns.left_out), there | set(selection.columns.left_out)
    if here == there and first.names == selection.names:
        return
    differences = (("lacks", here - there), ("also has", there - here))
    what = " and ".join(f"{verb} {listed(sorted(names))}" for verb, names in differences if names)
    raise ColumnError(
        f"{other}: its columns are not those of {one}{': it ' if what else ''}{what}: make them alike, or read the "
        "files one by one"
    )


def _with_own_names(frame: pl.DataFrame, selection: Selection, number: int) -> pl.DataFrame:
    """The same; cases without a name are told apart from those of other files."""
    case = selection.columns.case
    if frame[case].dtype != pl.String:
        return frame
    nameless = pl.col(case).str.starts_with(NAMELESS)
    return frame.with_columns(pl.when(nameless).then(pl.col(case) + f"/{number}").otherwise(pl.col(case)).alias(case))


def _where(tables: Sequence[Table]) -> Where:
    ends = list(accumulate(table.frame.height for table in tables))

    def where(row: int) -> str:
        number = int(np.searchsorted(ends, row, side="right"))
        before = ends[number - 1] if number else 0
        return f"{tables[number].source}, {tables[number].where(row - before)}"

    return where


def _kinds(tables: Sequence[Table], source: str) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for table in tables:
        for name, kind in table.kinds.items():
            if kinds.setdefault(name, kind) is not kind:
                raise ColumnError(
                    f"{source}: column {quoted(name)} holds {kinds[name].value} in one file and {kind.value} in "
                    "another: make them one"
                )
    return kinds


def _read_as(tables: Sequence[Table]) -> ReadAs:
    """What was found out about all of them."""
    every = [table.read_as for table in tables]
    return ReadAs(
        files=len(tables),
        encoding=" or ".join(dict.fromkeys(each.encoding for each in every if each.encoding)) or None,
        separator=every[0].separator if len({each.separator for each in every}) == 1 else None,
        sheet=" or ".join(dict.fromkeys(each.sheet for each in every if each.sheet)) or None,
        sheets=max(each.sheets for each in every),
    )


def _unlike(tables: Sequence[Table], selection: Selection) -> str:
    """The first column that holds different things in different files."""
    for name in selection.names:
        types = list(dict.fromkeys(str(table.frame[name].dtype) for table in tables))
        if len(types) > 1:
            return f"column {quoted(name)} holds {' and '.join(types)}"
    return "their columns hold different things"
