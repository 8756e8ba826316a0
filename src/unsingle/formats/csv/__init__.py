"""CSV: a table as text, with a header."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from ..base import FORMATS, Format
from ..schema import Row

if TYPE_CHECKING:
    import polars

    from ...core.log import EventLog
    from ..selection import Selection
    from ..source import Source
    from ..tables.assemble import Table
    from ..wanted import Wanted


class Csv(Format):
    """CSV; all cells are texts, also those that look like numbers."""

    name, title, rank = "csv", "CSV", 20
    may_be_packed = True
    is_text = True
    for_spreadsheets = True

    def table(self, source: Source, wanted: Wanted) -> tuple[Table, Selection]:
        """Read CSV with a header; the separator is found in it."""
        from .reader import csv_table

        return csv_table(source, wanted)

    def column_names(self, source: Source) -> list[str]:
        """The names in the header."""
        from .reader import column_names

        return column_names(source)

    def first_rows(self, source: Source, most: int) -> tuple[list[str], list[Row]]:
        """The names in the header, and the first rows; the rest of a large file is not read."""
        from .reader import first_rows

        return first_rows(source, most)

    def write(self, log: EventLog, stream: BinaryIO) -> None:
        """Write times in ISO 8601 with the offset of the log's zone."""
        from ..tables.frames import text_chunks
        from .writer import write_csv

        write_csv(text_chunks(log), stream)

    def write_rows(self, frame: polars.DataFrame, stream: BinaryIO) -> None:
        """Write a table of events."""
        from .writer import write_csv

        write_csv(frame.iter_slices(200_000), stream)


CSV = FORMATS.add(Csv())
