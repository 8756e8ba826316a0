"""A file that is to be read: its bytes, and the format that says what they mean."""

from __future__ import annotations

import os
from typing import NamedTuple

from ..core.log import EventLog
from ..progress import Progress
from .base import FileKind, Format, format_of
from .facts import read_beside
from .sniff import refuse_others
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


def opened(
    source: str | os.PathLike[str] | OpenedFile,
    given: str | FileKind | None = None,
    progress: Progress | None = None,
) -> OpenedFile:
    """A file of the given format, else of that which its name stands for; its first bytes must not tell of another.

    One that is open already stays as it is.
    """
    if isinstance(source, OpenedFile):
        return source
    name = name_of(source)
    format_ = format_of(name, given).format
    return OpenedFile(Source(name, lambda head, shown: refuse_others(head, format_, shown), progress), format_)
