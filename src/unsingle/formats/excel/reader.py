"""Reading a sheet of a workbook: its first row names the columns, and all cells are read as texts."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import polars as pl

from ...core.machine import FOR_ROW, refuse_too_large
from ...core.read_as import ReadAs
from ...core.wording import listed, quoted
from ...errors import FormatError, ParameterError, argument
from ..apart import Damaged, private_file, read_apart
from ..schema import Row
from ..selection import Selection, select_columns
from ..source import HARMLESS, MOST_UNPACKED, Source
from ..tables.assemble import Table, without_blanks

if TYPE_CHECKING:
    from ..wanted import Wanted

_ABOUT = "about"  # the column that says which sheet it is
_BEFORE = 50  # rows that may stand above the one that names the columns


class _Sheet(NamedTuple):
    """A sheet: its name, and those of others, its columns, its rows as texts, and how many stand above them."""

    name: str
    others: list[str]
    names: list[str]
    frame: pl.DataFrame
    above: int


def excel_table(source: Source, wanted: Wanted) -> tuple[Table, Selection]:
    """The cells of the columns that are wanted."""
    sheet = _sheet(source)
    others = f", beside {listed(sheet.others)} for {argument('sheet')}" if sheet.others and source.sheet is None else ""
    selection = select_columns(sheet.names, wanted, f"{source.shown}, sheet {quoted(sheet.name)}{others}")
    filled = ~blank_rows(sheet.frame)
    frame = sheet.frame.select(pl.nth(sheet.names.index(name)).alias(name) for name in selection.names).filter(filled)
    frame = frame.with_columns(without_blanks(frame[name]) for name in selection.kept)
    rows = filled.arg_true()
    read_as = ReadAs(sheet=sheet.name, sheets=1 + len(sheet.others))
    return Table(frame, source.shown, lambda row: f"row {rows[row] + sheet.above + 1}", read_as=read_as), selection


def blank_rows(frame: pl.DataFrame) -> pl.Series:
    """Which rows have nothing in any cell."""
    return frame.select(pl.all_horizontal(pl.all().fill_null("").str.strip_chars() == "")).to_series()


def first_rows(source: Source, most: int) -> tuple[list[str], list[Row]]:
    """The names of all columns, and the first rows."""
    sheet = _sheet(source, most + _BEFORE)
    rows = sheet.frame.filter(~blank_rows(sheet.frame)).head(most).rows()
    return sheet.names, [
        {name: cell or "" for name, cell in zip(sheet.names, row, strict=True) if name} for row in rows
    ]


def _sheet(source: Source, most: int | None = None) -> _Sheet:
    with private_file() as content:
        for chunk in source.chunks():
            content.write(chunk)
        content.flush()
        try:
            _refuse_bombs(content, source.shown)
            cells = read_apart(content, {"reader": "workbook", "sheet": source.sheet, "rows": most})
        except (Damaged, zipfile.BadZipFile, OSError) as problem:
            raise FormatError(
                f"{source.shown}: is not a whole Excel workbook ({_in_one_line(problem)}): get a whole copy, or save "
                "it again as .xlsx without a password"
            ) from None
    if cells.height == 0:
        raise FormatError(f"{source.shown}: its sheet has no rows: name another with {argument('sheet')}")
    about = json.loads(cells[_ABOUT][0])
    if "number" not in about:
        raise ParameterError(
            f"{source.shown}: there is no sheet {quoted(source.sheet)}: give {argument('sheet')} one of "
            f"{listed(about['names'])}"
        )
    refuse_too_large(FOR_ROW * cells.height, f"{source.shown}: reading all of it")
    others = about["names"]
    return _with_header(cells.drop(_ABOUT), others.pop(about["number"]), others, source)


def _with_header(cells: pl.DataFrame, name: str, others: list[str], source: Source) -> _Sheet:
    """The sheet below its first row with something in it, without columns that have neither a name nor a cell."""
    filled = (~blank_rows(cells)).arg_true()
    if not len(filled):
        raise FormatError(f"{source.shown}: sheet {quoted(name)} is empty: name another with {argument('sheet')}")
    first = filled[0]
    names, frame = [cell or "" for cell in cells.row(first)], cells[first + 1 :]
    used = [place for place, each in enumerate(names) if each or frame[:, place].is_not_null().any()]
    return _Sheet(name, others, [names[place] for place in used], frame[:, used], first + 1)


def _refuse_bombs(content: BinaryIO, shown: str) -> None:
    """Refuse a workbook that unpacks to far more than its size; what lies about that meets the limit of memory."""
    content.seek(0)
    with zipfile.ZipFile(content) as packed:
        size = sum(each.file_size for each in packed.infolist())
    if size > max(HARMLESS, MOST_UNPACKED * content.seek(0, 2)):
        raise FormatError(
            f"{shown}: unpacks to more than {MOST_UNPACKED} times its size, which no log does: save it again"
        )
    refuse_too_large(size, f"{shown}: reading all of it")


def _in_one_line(problem: Exception) -> str:
    return " ".join(str(problem).split())[:100] or type(problem).__name__
