"""Files to write: whole or not at all, never over the input, and readable by others only if they may be."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from isal import igzip

from ..errors import OutputError, argument
from .source import STANDARD


@contextlib.contextmanager
def atomic_output(name: str, *, force: bool = False) -> Iterator[BinaryIO]:
    """A stream to a file that appears whole at the end or not at all.

    Where the system allows, the bytes go to a file without a name, so that even a killed run leaves nothing.
    """
    check_target(name, force=force)
    with one_line_errors("standard output" if name == STANDARD else name):
        if name == STANDARD:
            yield cast(BinaryIO, _Standard())
            sys.stdout.buffer.flush()
        elif is_stream(name):
            with Path(name).open("wb") as stream:  # a device or a pipe: there is nothing to replace
                yield stream
        else:
            with _Unfinished(Path(name).resolve(), _mode_for(name)) as file:
                yield file
                file.finish(force=force)


def check_target(name: str, *, force: bool = False, source: str | None = None) -> None:
    """Refuse a target that is the input, that exists, or that cannot be written, before any work."""
    with one_line_errors(name):
        there = _status(name, sys.stdout)
        if source is not None and _same_file(there, _status(source, sys.stdin)):
            raise OutputError(f"{name}: is the input itself, which is never overwritten: choose another name")
        if name == STANDARD:
            if sys.stdout is None:
                raise OutputError("standard output: is closed: name a file instead of -")
            return
        path = Path(name)
        if there is None:
            path = path.resolve()  # through a link, to where the file will be
        if path.is_dir():
            raise OutputError(f"{name}: is a folder: name a file in it")
        if not path.parent.is_dir():
            raise OutputError(f"{name}: there is no folder {path.parent}: make it first")
        if there is not None and not _is_stream(there) and not force:
            raise OutputError(
                f"{name}: exists already: choose another name, or {argument('force', 'True')} to overwrite it"
            )
        writable = [] if there is None else [path]
        if not _is_stream(there):
            writable.append(path.resolve().parent)  # where the new file is put in place of an old one
        if not all(_may_write(each) for each in writable):
            raise OutputError(f"{name}: cannot be written (permission denied): choose another folder")


def is_stream(name: str) -> bool:
    """Whether a name stands for a device or a pipe, beside which nothing is written."""
    return _is_stream(_status(name, sys.stdout))


def is_private(name: str) -> bool:
    """Whether a file's name says that it is private.

    >>> is_private("risk.PRIVATE.html"), is_private("privateer.csv")
    (True, False)
    """
    return re.search(r"(?<![a-z])private(?![a-z])", Path(name).name.lower()) is not None


def _mode_for(name: str) -> int | None:
    """The rights of a file to come: if it is private, for its owner alone, else those of what it replaces, if any."""
    if is_private(name):
        return 0o600
    there = _status(name, sys.stdout)
    return None if there is None else stat.S_IMODE(there.st_mode) & 0o777


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _status(name: str, standard: TextIO) -> os.stat_result | None:
    """What the system says of a file, or of what standard input or output is connected to; None if nothing."""
    try:
        return os.fstat(standard.fileno()) if name == STANDARD else Path(name).stat()
    except (OSError, AttributeError):  # it is not there, or nothing is connected
        return None


def _same_file(one: os.stat_result | None, other: os.stat_result | None) -> bool:
    """Whether both are one file, whatever the names; a terminal or a pipe may well be both input and output."""
    return one is not None and other is not None and not _is_stream(one) and os.path.samestat(one, other)


def _is_stream(status: os.stat_result | None) -> bool:
    """Whether it is a device or a pipe."""
    return status is not None and not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode)


def _write_all(write: Callable[[Any], int], data: Any) -> int:
    """Write all of it: a system that runs out of space takes a part, and complains only the next time."""
    rest = memoryview(data).cast("B")
    total = len(rest)
    while len(rest):
        rest = rest[write(rest) :]
    return total


class _Standard(io.RawIOBase):
    """Standard output, which may have a buffer or not."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return _write_all(sys.stdout.buffer.write, data)


class _Unfinished(io.FileIO):
    """A new file beside its target, nameless if possible, which `finish` puts in place."""

    def __init__(self, target: Path, mode: int | None = None) -> None:
        self._target = target
        self._beside: Path | None = None
        first = 0o666 if mode is None else mode & 0o600
        try:
            Path("/proc/self/fd").stat()  # the way to name it later
            descriptor = os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, first)
        except (AttributeError, OSError):  # not Linux, or a file system without nameless files
            self._beside = self._new_name()
            descriptor = os.open(self._beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, first)
        super().__init__(descriptor, "wb")
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)  # whatever the usual rights are

    def write(self, data: Any) -> int:
        return _write_all(super().write, data)

    def finish(self, *, force: bool) -> None:
        """Put the file in place in one step."""
        os.fsync(self.fileno())
        if self._beside is None and not force:
            self._link(self._target)  # fails if the target has appeared meanwhile
            return
        if self._beside is None:
            self._beside = self._new_name()
            self._link(self._beside)
        if self._target.exists() and not force:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        self._beside.replace(self._target)
        self._beside = None

    def close(self) -> None:
        super().close()
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)
            self._beside = None

    def _link(self, path: Path) -> None:
        descriptors = os.open("/proc/self/fd", os.O_RDONLY)
        try:  # with a folder given, Python follows the link to the nameless file
            os.link(str(self.fileno()), path, src_dir_fd=descriptors, follow_symlinks=True)
        finally:
            os.close(descriptors)

    def _new_name(self) -> Path:
        return self._target.with_name(f".unsingle-{os.getpid()}-{id(self):x}.part")


@contextlib.contextmanager
def one_line_errors(shown: str) -> Iterator[None]:
    """Say in one line why something cannot be written; a pipe that nobody reads any more is left to the caller."""
    try:
        yield
    except BrokenPipeError:
        raise
    except FileExistsError:
        raise OutputError(
            f"{shown}: appeared while we worked: choose another name, or {argument('force', 'True')}"
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(f"{shown}: the disk is full: free some space and run it again") from None
        raise OutputError(f"{shown}: cannot be written ({error.strerror or error}): choose another place") from None


def compressed(stream: BinaryIO) -> igzip.IGzipFile:
    """A gzip stream whose header names no file and no time."""
    return igzip.IGzipFile(filename="", fileobj=stream, mode="wb", compresslevel=1, mtime=0)
