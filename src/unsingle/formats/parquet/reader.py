"""Reading Parquet: columns and rows are known before, and what breaks over damaged data is another process."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ...core.log import EventLog
from ...core.machine import FOR_ROW, available, refuse_too_large
from ...errors import FormatError
from ..schema import Row
from ..selection import select_columns
from ..source import Source
from ..wanted import Wanted
from . import child as parquet_child
from .outline import Damaged, Outline, check_pages, metadata_of, outline_of

if TYPE_CHECKING:
    import polars

_TURN = 0.2  # seconds
_BASE = 1 << 30  # bytes that the reader itself may take, for its code and its threads


def read_parquet(source: Source, wanted: Wanted) -> EventLog:
    """Read the chosen columns of a Parquet file."""
    with _opened(source) as (content, outline):
        selection = select_columns(outline.names, wanted, source.shown)
        refuse_too_large(FOR_ROW * outline.rows, f"{source.shown}: reading all of it")
        frame = _columns(content, outline, selection.names)
    from ..tables.assemble import Table, assemble

    return assemble(Table(frame, source.shown, lambda row: f"row {row + 1}"), selection, wanted)


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
    with _private_file() as content:
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
    with _private_file() as result:
        apart = _read_apart(content, result, names, most)
        frame = _read_here(content, result, names, most, apart=apart)
    if frame.height != rows:
        raise Damaged(f"it has {frame.height:,} rows where it says {rows:,}")
    return frame


def _read_apart(content: BinaryIO, result: BinaryIO, names: Sequence[str], most: int | None) -> bool:
    """Let another process read the columns; whether it could be started. What it does not survive is damage."""
    left = available()
    order = {"path": sys.path, "columns": list(names), "rows": most, "memory": None if left is None else left + _BASE}
    command = [sys.executable, "-P", str(Path(parquet_child.__file__)), json.dumps(order)]
    content.seek(0)
    try:
        child = subprocess.Popen(command, stdin=content, stdout=result, stderr=subprocess.PIPE)
    except OSError:  # there is no Python of that name
        return False
    with child:
        try:
            import polars  # noqa: F401 - takes as long as in the other process, so both do it at once

            said = _said_by(child).decode(errors="replace").splitlines()
        except BaseException:
            child.kill()
            child.wait()
            raise
    if parquet_child.DONE in said:
        return True
    if parquet_child.BEGUN not in said:
        return False
    problems = [line.removeprefix(parquet_child.DAMAGED) for line in said if line.startswith(parquet_child.DAMAGED)]
    if not problems and any(line.startswith("memory allocation") for line in said):
        problems = ["its reader asks for more memory than there is"]
    raise Damaged(problems[0] if problems else "its reader broke down over it")


def _said_by(child: subprocess.Popen[bytes]) -> bytes:
    """What the process wrote before it ended. Waits in short turns: polars' handler of signals does not end a wait."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_TURN)[1]


def _read_here(
    content: BinaryIO, result: BinaryIO, names: Sequence[str], most: int | None, *, apart: bool
) -> polars.DataFrame:
    """What the other process has read, or else what this one reads."""
    import polars as pl

    content.seek(0)
    result.seek(0)
    try:
        return pl.read_ipc(result) if apart else pl.read_parquet(content, columns=list(names), n_rows=most)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise Damaged(parquet_child.reason(error)) from None


def _private_file() -> BinaryIO:
    """A file without a name, in memory where the system has such."""
    if hasattr(os, "memfd_create"):
        with contextlib.suppress(OSError):
            return os.fdopen(os.memfd_create("unsingle"), "w+b")
    return tempfile.TemporaryFile()
