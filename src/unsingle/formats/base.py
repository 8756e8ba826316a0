"""What a format is, which formats there are, and which one a file has.

A format is one object in one module (or package) of this folder, which adds it to `FORMATS`. Modules of this folder
import polars only when they need it: to load it takes longer than to read a small XES log.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, ClassVar, cast

from ..core.registry import Registry
from ..errors import ParameterError, argument
from .schema import Row
from .source import STANDARD, Source

if TYPE_CHECKING:
    import polars

    from ..core.log import EventLog
    from .facts import FileFacts
    from .selection import Selection
    from .tables.assemble import Table
    from .wanted import Wanted

DEFAULT = "xes.gz"
"""The kind of file in which a release is offered if nobody chooses."""

_PACKED = ".gz"


@dataclass(frozen=True)
class Signature:
    """How files of some sort begin, and what people call such a file; a byte order mark may stand before."""

    what: str
    begins: bytes

    def fits(self, head: bytes) -> bool:
        """Whether a file that begins with these bytes is of this sort."""
        return re.match(rb"(?:\xef\xbb\xbf)?" + self.begins, head, re.DOTALL) is not None


class Format(ABC):
    """A format of files: how to read and write logs in it.

    One that holds a table needs only `rows` and `write_rows`: all else follows from them. Others say what its `table`
    and its `first_rows` are.
    """

    name: ClassVar[str]
    """The ending of files' names, and what users call it."""

    title: ClassVar[str]
    """What messages call it."""

    rank: ClassVar[int] = 100
    """Where it stands in lists: lower ranks first."""

    may_be_packed: ClassVar[bool] = False
    """Whether files may be compressed by gzip, with ``.gz`` behind the ending."""

    columns_may_differ: ClassVar[bool] = False
    """Whether files of one log may have different columns, of which those that are read must be in all."""

    is_written: ClassVar[bool] = True
    """Whether logs can be written in it, too."""

    has_sheets: ClassVar[bool] = False
    """Whether a file has several tables, of which one is the log."""

    is_text: ClassVar[bool] = False
    """Whether files are text in some encoding that they do not name themselves."""

    for_spreadsheets: ClassVar[bool] = False
    """Whether spreadsheets open such files, and take some cells for formulas."""

    rows_have_two_times: ClassVar[bool] = True
    """Whether a start and its end are written as one row with two times, and not as two events."""

    signature: ClassVar[Signature | None] = None
    """How its files begin; None if they can begin with anything."""

    def rows(self, source: Source) -> polars.DataFrame:
        """All events of a file as a table, with its types."""
        raise NotImplementedError(f"{type(self).__name__} says neither how to read a log nor what its rows are")

    @abstractmethod
    def write_rows(self, frame: polars.DataFrame, stream: BinaryIO) -> None:
        """Write a table of events with all its columns; the events of a case stand together."""

    def table(self, source: Source, wanted: Wanted) -> tuple[Table, Selection]:
        """The cells of the columns that are wanted, and which these are."""
        from .tables.frames import table_of

        return table_of(self.rows(source), wanted, source.shown)

    def read(self, source: Source, wanted: Wanted) -> EventLog:
        """Read the columns that are wanted, and no others."""
        from .tables.assemble import assemble

        return assemble(*self.table(source, wanted), wanted)

    def write(self, log: EventLog, stream: BinaryIO) -> None:
        """Write case, activity, time and all public columns; cases are numbered from 1."""
        from .tables.frames import to_polars

        self.write_rows(to_polars(log), stream)

    def write_release(self, log: EventLog, stream: BinaryIO, facts: FileFacts) -> None:  # noqa: ARG002 - for those with a place
        """The same, and what the file says of how it was made, if the format has a place for that."""
        self.write(log, stream)

    def facts(self, source: Source) -> dict[str, str] | None:  # noqa: ARG002 - for those with a place
        """What the file itself says of how it was made, as texts; None if nothing."""
        return None

    def column_names(self, source: Source) -> list[str]:
        """The names of all columns."""
        return self.first_rows(source, 0)[0]

    def first_rows(self, source: Source, most: int) -> tuple[list[str], list[Row]]:
        """The names of all columns, and the first rows as text."""
        from .tables.frames import text_rows

        return text_rows(self.rows(source).head(most))


FORMATS: Registry[Format] = Registry("format", "unsingle.formats")
"""All formats by name."""


@dataclass(frozen=True)
class FileKind:
    """A format, and whether it is compressed by gzip.

    >>> str(FileKind(FORMATS["xes"], packed=True))
    'xes.gz'
    """

    format: Format
    packed: bool = False

    def __str__(self) -> str:
        return self.format.name + (_PACKED if self.packed else "")


def file_kinds(*, written: bool = False) -> dict[str, FileKind]:
    """All kinds of files by the ending of their names; those that can be written, too, if that is asked for.

    >>> list(file_kinds()), list(file_kinds(written=True))
    (['xes', 'xes.gz', 'csv', 'csv.gz', 'parquet', 'xlsx'], ['xes', 'xes.gz', 'csv', 'csv.gz', 'parquet'])
    """
    formats = [each for each in FORMATS.values() if each.is_written or not written]
    kinds = [FileKind(each, packed) for each in formats for packed in (False, True)[: 1 + each.may_be_packed]]
    return {str(kind): kind for kind in kinds}


def format_of(name: str, given: str | FileKind | None = None) -> FileKind:
    """The kind of file that is given, or else that the name stands for.

    >>> str(format_of("log.XES.gz")), str(format_of("-", "csv"))
    ('xes.gz', 'csv')
    """
    if isinstance(given, FileKind):
        return given
    kinds = file_kinds()
    known = ", ".join(kinds)
    if given is not None:
        if not isinstance(cast(object, given), str) or given.lower() not in kinds:
            raise ParameterError(f"unknown format {given!r}: choose one of {known}")
        return kinds[given.lower()]
    if (found := format_by_name(name)) is not None:
        return found
    if name == STANDARD:
        raise ParameterError(f"standard input and output have no name: give {argument('format')} ({known})")
    endings = known.replace(", ", ", .")
    raise ParameterError(
        f"{name}: the format is not clear from the name: end it in .{endings} or give {argument('format')}"
    )


def format_by_name(name: str) -> FileKind | None:
    """The kind of file that a name stands for; None if it stands for none.

    >>> format_by_name("log.txt")
    """
    kinds = file_kinds()
    endings = sorted(kinds, key=len, reverse=True)
    return next((kinds[ending] for ending in endings if name.lower().endswith("." + ending)), None)
