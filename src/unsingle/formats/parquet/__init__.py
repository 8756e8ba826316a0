"""Parquet: a table with types, read safely."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

from ..base import FORMATS, Format, Signature
from ..facts import FileFacts, as_texts, from_texts
from ..schema import Row

if TYPE_CHECKING:
    import polars

    from ...core.log import EventLog
    from ..selection import Selection
    from ..source import Source
    from ..tables.assemble import Table
    from ..wanted import Wanted


class Parquet(Format):
    """Parquet; what its values are, its schema says."""

    name, title, rank = "parquet", "Parquet", 30
    signature = Signature("Parquet", rb"PAR1\x15")

    def table(self, source: Source, wanted: Wanted) -> tuple[Table, Selection]:
        """Read the columns that are wanted."""
        from .reader import parquet_table

        return parquet_table(source, wanted)

    def column_names(self, source: Source) -> list[str]:
        """The names of all columns."""
        from .reader import column_names

        return column_names(source)

    def first_rows(self, source: Source, most: int) -> tuple[list[str], list[Row]]:
        """The names of all columns, and the first rows as text."""
        from .reader import first_rows

        return first_rows(source, most)

    def write_release(self, log: EventLog, stream: BinaryIO, facts: FileFacts) -> None:
        """The same, with metadata that say how it was made."""
        from ..tables.frames import to_polars

        _write(to_polars(log), stream, as_texts(facts) or None)

    def facts(self, source: Source) -> dict[str, str] | None:
        """The metadata that say how it was made."""
        from .reader import metadata

        return from_texts(metadata(source))

    def write_rows(self, frame: polars.DataFrame, stream: BinaryIO) -> None:
        """Write a table of events."""
        _write(frame, stream)


def _write(frame: polars.DataFrame, stream: BinaryIO, metadata: dict[str, str] | None = None) -> None:
    """Write a table. Through memory: polars would pass by the stream and write to the file below it."""
    content = io.BytesIO()
    frame.write_parquet(content, metadata=metadata)
    stream.write(content.getbuffer())


PARQUET = FORMATS.add(Parquet())
