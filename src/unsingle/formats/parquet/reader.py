"""Reading Parquet: columns and rows are known before, and what breaks over damaged data is another process."""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from ...core.machine import FOR_ROW, refuse_too_large
from ...errors import FormatError
from ..apart import Damaged, private_file, read_apart
from ..schema import Row
from ..selection import Selection, select_columns
from ..source import Source
from ..wanted import Wanted
from .outline import Outline, check_pages, metadata_of, outline_of

if TYPE_CHECKING:
    import polars

    from ..tables.assemble import Table


def parquet_table(source: Source, wanted: Wanted) -> tuple[Table, Selection]:
    """Read the chosen columns of a Parquet file."""
    with _opened(source) as (content, outline):
        selection = select_columns(outline.names, wanted, source.shown)
        refuse_too_large(FOR_ROW * outline.rows, f"{source.shown}: reading all of it")
        frame = _columns(content, outline, selection.names)
    from ..tables.assemble import Table

    return Table(frame, source.shown, lambda row: f"row {row + 1}"), selection


def column_names(source: Source) -> list[str]:
    """The names of all columns."""
    with _opened(source) as (_, outline):
        return outline.names


def metadata(source: Source) -> dict[str, str]:
    """What the file says of itself, by key."""
    with _opened(source) as (content, outline), mmap.mmap(content.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return metadata_of(data, outline)


def first_rows(source: Source, most: int) -> tuple[list[str], list[Row]]:
    """The names of all columns, and the first rows as text."""
    with _opened(source) as (content, outline):
        frame = _columns(content, outline, outline.names, most)
    from ..tables.frames import text_rows

    return text_rows(frame)


@contextlib.contextmanager
def _opened(source: Source) -> Iterator[tuple[BinaryIO, Outline]]:
    """The content in a private file, and what it says of itself; damage is reported in one line."""
    with private_file() as content:
        for chunk in source.chunks():
            content.write(chunk)
        content.flush()
        try:
            with mmap.mmap(content.fileno(), 0, access=mmap.ACCESS_READ) as data:
                outline = outline_of(data)
            yield content, outline
        except Damaged as problem:
            raise FormatError(f"{source.shown}: is not a whole Parquet file ({problem}): get a whole copy") from None


def _columns(content: BinaryIO, outline: Outline, names: Sequence[str], most: int | None = None) -> polars.DataFrame:
    """These columns, read by another process; by this one where no other can be started."""
    with mmap.mmap(content.fileno(), 0, access=mmap.ACCESS_READ) as data:
        check_pages(data, outline, set(names))
    rows = outline.rows if most is None else min(most, outline.rows)
    frame = read_apart(content, {"reader": "parquet", "columns": list(names), "rows": most})
    if frame.height != rows:
        raise Damaged(f"it has {frame.height:,} rows where it says {rows:,}")
    return frame
