"""Reading by another process, which damaged data may end; this one then says in one line what is wrong."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..core.machine import available
from . import child as reading_child

if TYPE_CHECKING:
    import polars

_TURN = 0.2  # seconds
_BASE = 1 << 30  # bytes that the reader itself may take, for its code and its threads


class Damaged(Exception):  # noqa: N818 - it becomes another error, with the file
    """Why a file is not whole."""


def read_apart(content: BinaryIO, order: dict[str, Any]) -> polars.DataFrame:
    """The table that the order asks for, read by another process; by this one where no other can be started."""
    with private_file() as result:
        apart = _read_by_child(content, result, order)
        return _read_here(content, result, order, apart=apart)


def _read_by_child(content: BinaryIO, result: BinaryIO, order: dict[str, Any]) -> bool:
    """Let another process read it; whether it could be started. What it does not survive is damage."""
    left = available()
    about = {"path": sys.path, "memory": None if left is None else left + _BASE}
    command = [sys.executable, "-P", str(Path(reading_child.__file__)), json.dumps({**order, **about})]
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
    if reading_child.DONE in said:
        return True
    if reading_child.BEGUN not in said:
        return False
    problems = [line.removeprefix(reading_child.DAMAGED) for line in said if line.startswith(reading_child.DAMAGED)]
    if not problems and any(line.startswith("memory allocation") for line in said):
        problems = ["its reader asks for more memory than there is"]
    raise Damaged(problems[0] if problems else "its reader broke down over it")


def _said_by(child: subprocess.Popen[bytes]) -> bytes:
    """What the process wrote before it ended. Waits in short turns: polars' handler of signals does not end a wait."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=_TURN)[1]


def _read_here(content: BinaryIO, result: BinaryIO, order: dict[str, Any], *, apart: bool) -> polars.DataFrame:
    """What the other process has read, or else what this one reads."""
    import polars as pl

    content.seek(0)
    result.seek(0)
    try:
        return pl.read_ipc(result) if apart else reading_child.READERS[order["reader"]](content.read(), order)
    except Exception as error:  # of whichever library reads it
        raise Damaged(reading_child.reason(error)) from None
    except pl.exceptions.PanicException as error:
        raise Damaged(reading_child.reason(error)) from None


def private_file() -> BinaryIO:
    """A file without a name, in memory where the system has such."""
    if hasattr(os, "memfd_create"):
        with contextlib.suppress(OSError):
            return os.fdopen(os.memfd_create("unsingle"), "w+b")
    return tempfile.TemporaryFile()
