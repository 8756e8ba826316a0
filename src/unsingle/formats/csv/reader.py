"""Reading CSV: nothing is guessed where it is not clear what a cell is."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ...core.arrays import Ints
from ...core.machine import FOR_ROW, refuse_too_large
from ...core.read_as import ReadAs
from ...errors import FormatError, argument
from ..encodings import Utf8
from ..escapes import checked_escape
from ..selection import Selection, select_columns
from ..source import Source
from ..tables.assemble import Table, without_blanks
from ..wanted import Wanted
from .quotes import (
    Misplaced,
    has_empty_cells,
    refuse_lone_returns,
    refuse_longer,
    refuse_misplaced,
    with_doubled_marks,
    with_line_feeds,
)

_SEPARATORS = ",;\t|"
_BOM = b"\xef\xbb\xbf"
_MOST_COLUMNS = 50_000
_QUOTES = "check its quotation marks"
_TROUBLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)  # of a reader with damaged data


def csv_table(source: Source, wanted: Wanted) -> tuple[Table, Selection]:
    """Read CSV with a header; the separator is found in it."""
    text = source.text()
    table = CsvText(_content(source, text), source.shown, checked_escape(wanted.escape))
    selection = select_columns(table.names, wanted, source.shown)
    frame, rows = table.read(selection.names)
    frame = frame.with_columns(without_blanks(frame[name]) for name in selection.kept)  # in quotation marks or not
    read_as = ReadAs(encoding=text.encoding, separator=table.separator)
    return Table(frame, source.shown, lambda row: table.where(int(rows[row])), read_as=read_as), selection


def _content(source: Source, text: Utf8) -> bytes:
    """The whole text; reading ends as soon as it is clear that its lines will not fit the memory."""
    pieces, read = [], 0
    for piece in text:
        pieces.append(piece)
        read += len(piece)
        source.still_needed = read + FOR_ROW * text.line_ends  # the text is copied once
    refuse_too_large(source.still_needed, f"{source.shown}: reading all of it")
    return b"".join(pieces)


def whole_text(source: Source) -> bytes:
    """All of a text, in UTF-8."""
    return b"".join(source.text())


def column_names(source: Source) -> list[str]:
    """The names of all columns of CSV."""
    return CsvText(whole_text(source), source.shown).names


def first_rows(source: Source, most: int) -> tuple[list[str], list[dict[str, str]]]:
    """The names of all columns of CSV, and the first rows as text."""
    text = source.text()
    table = CsvText(_first_lines(text), source.shown)
    return table.names, table.head(most)


def separator_of(first_lines: bytes, shown: str, escape: str = "double") -> str:
    """The separator of a CSV file that begins with these lines."""
    return CsvText(first_lines, shown, escape).separator


def _first_lines(text: Utf8) -> bytes:
    """The whole lines of the first piece of a file, or all of a small one."""
    pieces = iter(text)
    first = next(pieces)
    return first[: first.rfind(b"\n") + 1] or first if next(pieces, b"") else first


class _Header(NamedTuple):
    """The names in the first record, by which separator, where it ends, and whether the next record is as wide."""

    names: list[str]
    separator: str
    end: int
    like_next: bool

    @classmethod
    def of(cls, body: bytes, separator: str) -> _Header:
        lines = io.BytesIO(body)
        records = csv.reader((line.decode("utf-8") for line in lines), delimiter=separator)
        names, end = next(records, []), lines.tell()
        following: list[str] = []
        with contextlib.suppress(csv.Error):  # a cell longer than Python's reader takes
            following = next(records, [])
        return cls(names, separator, end, 1 < len(names) == len(following))


class CsvText:
    """The text of a CSV file, in UTF-8, behind a header of our own, which has one column more.

    Ours are numbers, so they are distinct, and a line with too many cells shows itself in the last column.
    """

    def __init__(self, content: bytes, shown: str, escape: str = "double") -> None:
        self._shown = shown
        content = content.removeprefix(_BOM)
        if b"\n" not in content:
            content = with_line_feeds(content, escape)
        body = content.lstrip(b"\r\n")
        marked = _marked_separator(body)
        if marked is not None:
            body = body[body.find(b"\n") + 1 :]
        self._lines_before = content.count(b"\n", 0, len(content) - len(body))
        if escape == "backslash":
            with self._line_errors(body):
                body = with_doubled_marks(body)
        self.names, self.separator, end, _ = self._header(body, marked or _SEPARATORS)
        self._refuse_misplaced_marks(body[:end])
        self._lines_before += body.count(b"\n", 0, end) - 1  # our header has one line
        ours = self.separator.join(map(str, range(len(self.names) + 1)))
        stop = len(body)
        while stop > end and body[stop - 1] in b"\r\n":  # blank lines at the end, without a copy of all before
            stop -= 1
        self._text = b"".join((ours.encode(), b"\n", memoryview(body)[end:stop]))

    def read(self, names: list[str]) -> tuple[pl.DataFrame, Ints]:
        """These columns as text, without blank lines, and the number of each row among all rows."""
        self._refuse_misplaced_marks(self._text)
        if has_empty_cells(self._text, self.separator):  # the first cell too many may be one, and others follow
            self._refuse_longer()
        surplus = str(len(self.names))
        chosen = {str(self.names.index(name)): name for name in names}
        frame = self._polars([*chosen, surplus])
        if len(longer := frame[surplus].is_not_null().arg_true()):
            raise FormatError(
                f"{self._shown}: {len(longer)} of {frame.height} lines have more cells than the header ({surplus}), "
                f"the first at {self.where(longer[0])}: put cells that hold a {self.separator!r} in quotation marks"
            )
        blank = _blank_rows(frame)
        if blank.any():  # in the chosen columns; a line is blank if all others are too
            blank &= _blank_rows(self._polars([str(i) for i in range(len(self.names))]))
        rows = np.flatnonzero(~blank)
        return frame.select(pl.col(ours).alias(name) for ours, name in chosen.items())[rows], rows

    def head(self, most: int) -> list[dict[str, str]]:
        """The first rows; what goes beyond the header is left out, and what cannot be read ends them."""
        rows = self._reader()
        next(rows)  # our header
        found: list[dict[str, str]] = []
        with contextlib.suppress(csv.Error):
            found.extend(dict(zip(self.names, row, strict=False)) for row in islice(filter(any, rows), most))
        return found

    def where(self, row: int) -> str:
        """The line of the file on which a row begins: cells in quotation marks may span several lines."""
        reader = self._reader()
        try:
            for _ in islice(reader, row + 1):
                pass
        except csv.Error:  # a cell longer than Python's reader takes
            return f"row {row + 1}"
        return f"line {self._lines_before + reader.line_num + 1}"

    def _refuse_misplaced_marks(self, text: bytes) -> None:
        with self._line_errors(text):
            refuse_misplaced(text, self.separator)
            refuse_lone_returns(text)

    def _refuse_longer(self) -> None:
        with self._line_errors(self._text):
            refuse_longer(self._text, self.separator, len(self.names))

    @contextlib.contextmanager
    def _line_errors(self, text: bytes) -> Iterator[None]:
        """Say on which line of the file it is not clear what a cell is."""
        try:
            yield
        except Misplaced as problem:
            line, cell = (
                self._lines_before + text.count(b"\n", 0, place) + 1 for place in (problem.place, problem.cell)
            )
            of_cell = f" that begins on line {cell}" if cell != line else ""
            raise FormatError(
                f"{self._shown}: line {line} cannot be read, it has {problem.what}{of_cell}: {problem.advice}"
            ) from None

    def _polars(self, columns: list[str]) -> pl.DataFrame:
        try:
            return pl.read_csv(
                self._text, columns=columns, separator=self.separator, infer_schema=False, raise_if_empty=False
            )
        except _TROUBLE as error:
            self._refuse_longer()
            raise FormatError(f"{self._shown}: {self._why_not(error)}") from None

    def _header(self, body: bytes, separators: str) -> _Header:
        """The first record, split by the separator that splits the first two best."""
        end = body.find(b"\n") if b"\n" in body else len(body)
        self._refuse_too_wide(max(body.count(separator.encode(), 0, end) for separator in separators) + 1)
        with self._line_errors(body):
            refuse_lone_returns(body[: end + 1])
        headers = []
        for separator in separators:
            try:
                headers.append(_Header.of(body, separator))
            except csv.Error as error:
                problem = error
        if not headers:
            raise FormatError(f"{self._shown}: the header cannot be read ({problem}): {_QUOTES}")
        best = max(headers, key=lambda header: (header.like_next, len(header.names)))
        if any("\0" in name for name in best.names):
            raise FormatError(f"{self._shown}: is no text: name another file, or give {argument('encoding')}")
        self._refuse_too_wide(len(best.names))
        return best

    def _refuse_too_wide(self, columns: int) -> None:
        if columns > _MOST_COLUMNS:
            raise FormatError(
                f"{self._shown}: its first line has {columns:,} cells, and a table of events has at most "
                f"{_MOST_COLUMNS:,} columns: export only those that are needed"
            )

    def _reader(self, *, strict: bool = False) -> Any:
        lines = (line.decode("utf-8", errors="replace") for line in io.BytesIO(self._text))
        return csv.reader(lines, delimiter=self.separator, strict=strict)

    def _why_not(self, error: BaseException) -> str:
        """What is wrong and where, found by a slow second look."""
        reader, line = self._reader(strict=True), 0
        try:
            for _ in reader:
                line = reader.line_num
        except csv.Error as problem:
            return f"line {self._lines_before + line + 1} cannot be read ({problem}): {_QUOTES}"
        return f"is not CSV that can be read ({_reason(error)}): export it again"


def _marked_separator(body: bytes) -> str | None:
    """The separator that Excel names in a first line of its own: ``sep=;``."""
    first = body[: body.find(b"\n") + 1].strip(b"\r\n")
    return first[4:].decode("latin-1") if first[:4].lower() == b"sep=" and len(first) == 5 else None


def _blank_rows(frame: pl.DataFrame) -> NDArray[np.bool_]:
    blank = pl.all().str.strip_chars().fill_null("") == ""
    return frame.select(pl.all_horizontal(blank)).to_series().to_numpy().copy()


def _reason(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
