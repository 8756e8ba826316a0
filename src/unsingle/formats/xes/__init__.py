"""XES (IEEE 1849): the standard of event logs, in XML."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from ..base import FORMATS, Format, Signature
from ..facts import FileFacts, from_texts
from ..schema import Row

if TYPE_CHECKING:
    import polars

    from ...core.log import EventLog
    from ..selection import Selection
    from ..source import Source
    from ..tables.assemble import Table
    from ..wanted import Wanted


class Xes(Format):
    """XES; every attribute says what its value is."""

    name, title, rank = "xes", "XES", 10
    may_be_packed = True
    rows_have_two_times = False
    columns_may_differ = True
    signature = Signature("XML", rb"\s*<")

    def read(self, source: Source, wanted: Wanted) -> EventLog:
        """Read the attributes that are wanted: fast where the document is plain, else strictly."""
        from .reader import read_xes

        return read_xes(source, wanted)

    def table(self, source: Source, wanted: Wanted) -> tuple[Table, Selection]:
        """Read the attributes that are wanted strictly, as the cells of events."""
        from .reader import usual_selection
        from .strict import strict_table

        return strict_table(source, usual_selection(wanted), wanted)

    def column_names(self, source: Source) -> list[str]:
        """The keys of all attributes: of events, of traces (after ``case:``) and of the log (after ``log:``)."""
        from .strict import attribute_names

        return attribute_names(source)

    def first_rows(self, source: Source, most: int) -> tuple[list[str], list[Row]]:
        """The keys that the beginning of a document has, and its first events with the attributes of their traces."""
        from .strict import first_events

        return first_events(source, most)

    def write(self, log: EventLog, stream: BinaryIO) -> None:
        """Write traces, numbered from 1, and events with their public attributes."""
        from .writer import write_xes

        write_xes(log, stream)

    def write_release(self, log: EventLog, stream: BinaryIO, facts: FileFacts) -> None:
        """The same, with attributes of the log that say how it was made."""
        from .writer import write_xes

        write_xes(log, stream, facts)

    def facts(self, source: Source) -> dict[str, str] | None:
        """Attributes of the log that say how it was made."""
        from .strict import log_attributes

        return from_texts(log_attributes(source))

    def write_rows(self, frame: polars.DataFrame, stream: BinaryIO) -> None:
        """Write a table of events; columns whose names begin with ``case:`` become attributes of traces."""
        from .frames import write_xes_frame

        write_xes_frame(frame, stream)


XES = FORMATS.add(Xes())
