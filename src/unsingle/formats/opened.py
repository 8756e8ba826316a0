"""A file that is to be read: its bytes, and the format that says what they mean."""

from __future__ import annotations

import os
from typing import NamedTuple

from ..core.log import EventLog
from ..errors import ParameterError, argument
from ..progress import Progress
from .base import FileKind, Format
from .encodings import checked_encoding
from .facts import read_beside
from .files import Names, files_of, kind_of_all
from .sniff import readable_kind, refuse_others
from .source import Source, name_of
from .wanted import Wanted


class OpenedFile(NamedTuple):
    """The bytes of a file and its format; standard input is kept, so that it can be read more than once."""

    source: Source
    format: Format

    def read(self, wanted: Wanted) -> EventLog:
        """Read the columns that are wanted, and no others."""
        return self.format.read(self.source, wanted)

    def facts(self) -> dict[str, str] | None:
        """What the file says of how it was made, in itself or else beside it, as texts; None if nothing."""
        return self.format.facts(self.source) or read_beside(self.source.name)

    def column_names(self) -> list[str]:
        """The names of all columns; of XES, the keys of events, of traces (``case:``) and of the log (``log:``)."""
        return self.format.column_names(self.source)

    def first_rows(self, most: int) -> tuple[list[str], list[dict[str, str]]]:
        """The names of all columns, and the first rows as text."""
        return self.format.first_rows(self.source, most)


class OpenedFiles(NamedTuple):
    """Several files of one format, which are one log."""

    files: tuple[OpenedFile, ...]

    @property
    def format(self) -> Format:
        """The format of all."""
        return self.files[0].format

    def column_names(self) -> list[str]:
        """The names of all columns that any file has."""
        return list(dict.fromkeys(name for file in self.files for name in file.column_names()))

    def read(self, wanted: Wanted) -> EventLog:
        """Read the columns that are wanted, and no others."""
        from .tables.assemble import assemble
        from .tables.several import one_table

        tables, selections = zip(*(file.format.table(file.source, wanted) for file in self.files), strict=True)
        same = not self.format.columns_may_differ
        return assemble(*one_table(tables, selections, same_columns=same), wanted)


class _Part(Progress):
    """The progress of one file of several."""

    def __init__(self, whole: Progress, number: int, of: int) -> None:
        super().__init__()
        self._whole, self._number, self._of = whole, number, of

    def at(self, fraction: float) -> None:
        """Tell how much of all files is done."""
        self._whole.at((self._number + fraction) / self._of)


def opened_all(
    source: Names,
    given: str | FileKind | None = None,
    progress: Progress | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> OpenedFile | OpenedFiles:
    """The files of a log, of which all have one format."""
    names = files_of(source)
    if len(names) == 1:
        return opened(names[0], given, progress, encoding, sheet)
    kind, whole = kind_of_all(names, given), progress or Progress()
    parts = (_Part(whole, number, len(names)) for number in range(len(names)))
    return OpenedFiles(
        tuple(opened(name, kind, part, encoding, sheet) for name, part in zip(names, parts, strict=True))
    )


def opened(
    source: str | os.PathLike[str] | OpenedFile,
    given: str | FileKind | None = None,
    progress: Progress | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> OpenedFile:
    """A file of the given format, else of that which its name stands for; its first bytes must not tell of another.

    Text is in the given encoding, or else in one that is found out. Of a workbook, it is the given sheet, or the first.
    One that is open already stays as it is.
    """
    if isinstance(source, OpenedFile):
        return source
    name, encoding = name_of(source), checked_encoding(encoding)
    format_ = readable_kind(name, given).format
    if encoding is not None and not format_.is_text:
        raise ParameterError(
            f"{name}: {format_.title} says itself how its text is written: leave {argument('encoding')} out"
        )
    if sheet is not None and not format_.has_sheets:
        raise ParameterError(f"{name}: {format_.title} has no sheets: leave {argument('sheet')} out")

    def refuse(head: bytes, shown: str) -> None:
        refuse_others(head, format_, shown)

    return OpenedFile(Source(name, refuse, progress, encoding, sheet), format_)
