"""Files: which format a name stands for, reading bytes that may be compressed, and writing all or nothing."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from isal import igzip, isal_zlib

from ..errors import FormatError, OutputError, ParameterError
from ..progress import Progress

FORMATS = ("xes", "xes.gz", "csv", "csv.gz", "parquet")
"""The formats by the ending of a file's name."""

STANDARD = "-"
"""The name of standard input or output."""

_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"


def format_of(name: str, given: str | None = None) -> str:
    """The format that is given, or else that the file's name stands for.

    >>> format_of("log.XES.gz"), format_of("-", "csv")
    ('xes.gz', 'csv')
    """
    known = ", ".join(FORMATS)
    if given is not None:
        if given.lower() not in FORMATS:
            raise ParameterError(f"unknown format {given!r}: choose one of {known}")
        return given.lower()
    if name == STANDARD:
        raise ParameterError(f"standard input and output have no name: give --format ({known})")
    for ending in sorted(FORMATS, key=len, reverse=True):
        if name.lower().endswith("." + ending):
            return ending
    raise ParameterError(
        f"{name}: the format is not clear from the name: end it in .{known.replace(', ', ', .')} or give --format"
    )


class Source:
    """The bytes of a log: a file or standard input, decompressed if they are gzip, whatever the name says."""

    def __init__(self, name: str, progress: Progress | None = None) -> None:
        self.name = name
        self.shown = "standard input" if name == STANDARD else name
        self._progress = progress or Progress()

    def chunks(self) -> Iterator[bytes]:
        """The content, piece by piece; raises `FormatError` if it is empty or its gzip is damaged."""
        empty = True
        with self._open() as raw:
            size = self._size()
            stream = igzip.IGzipFile(fileobj=raw) if raw.peek(2).startswith(_GZIP) else raw
            try:
                while chunk := stream.read(_CHUNK):
                    empty = False
                    yield chunk
                    if size:
                        self._progress.at(min(1.0, raw.tell() / size))
            except EOFError:
                raise FormatError(
                    f"{self.shown}: the gzip data ends early, so the file is truncated: get a whole copy"
                ) from None
            except (igzip.BadGzipFile, isal_zlib.error) as error:  # type: ignore[misc] # its stub calls the class a function
                raise FormatError(f"{self.shown}: the gzip data is damaged ({error}): get a whole copy") from None
        if empty:
            raise FormatError(f"{self.shown}: the file is empty")

    def read(self) -> bytes:
        """The whole content."""
        return b"".join(self.chunks())

    def _open(self) -> contextlib.AbstractContextManager[io.BufferedReader]:
        if self.name == STANDARD:
            return contextlib.nullcontext(cast(io.BufferedReader, sys.stdin.buffer))
        try:
            if Path(self.name).is_dir():
                raise FormatError(f"{self.name}: is a folder: name a file in it")
            return Path(self.name).open("rb")
        except FileNotFoundError:
            raise FormatError(f"{self.name}: there is no such file: check the name and the folder") from None
        except OSError as error:
            raise FormatError(f"{self.name}: cannot be read ({error.strerror})") from None

    def _size(self) -> int:
        return 0 if self.name == STANDARD else Path(self.name).stat().st_size


@contextlib.contextmanager
def atomic_output(name: str, *, force: bool = False) -> Iterator[BinaryIO]:
    """A stream to a file that appears whole at the end or not at all.

    Where the system allows, the bytes go to a file without a name, so that even a killed run leaves nothing.
    """
    if name == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    check_target(name, force=force)
    with _told_plainly(path):
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):  # a device or a pipe: nothing to replace
            with path.open("wb") as stream:
                yield stream
            return
        with _Unfinished(path) as stream:
            yield stream
            stream.finish(force=force)


def check_target(name: str, *, force: bool = False, source: str | None = None) -> None:
    """Refuse a target that exists, that is the input, or whose folder does not exist, before any work."""
    if name == STANDARD:
        return
    path = Path(name)
    others = source is not None and source != STANDARD and path.exists() and Path(source).exists()
    if others and path.samefile(str(source)):
        raise OutputError(f"{name}: is the input itself, which is never overwritten: choose another name")
    if path.is_dir():
        raise OutputError(f"{name}: is a folder: name a file in it")
    if not path.parent.is_dir():
        raise OutputError(f"{name}: there is no folder {path.parent}: make it first")
    if path.exists() and stat.S_ISREG(path.stat().st_mode) and not force:
        raise OutputError(f"{name}: exists already: choose another name, or --force to overwrite it")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise OutputError(f"{name}: cannot be written (permission denied): choose another folder")


class _Unfinished(io.FileIO):
    """A new file beside its target, nameless if possible, which `finish` puts in place."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._beside: Path | None = None
        try:
            Path("/proc/self/fd").stat()  # the way to name it later
            descriptor = os.open(target.parent, os.O_TMPFILE | os.O_WRONLY, 0o666)
        except (AttributeError, OSError):  # not Linux, or a file system without nameless files
            self._beside = self._new_name()
            descriptor = os.open(self._beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        super().__init__(descriptor, "wb")

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
        return self._target.with_name(f".{self._target.name}.{secrets.token_hex(4)}.part")


@contextlib.contextmanager
def _told_plainly(path: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        raise OutputError(f"{path}: appeared while we worked: choose another name, or --force") from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(f"{path}: the disk is full, nothing was written: free some space") from None
        raise OutputError(f"{path}: cannot be written ({error.strerror or error})") from None


def compressed(stream: BinaryIO) -> igzip.IGzipFile:
    """A gzip stream whose header names no file and no time."""
    return igzip.IGzipFile(filename="", fileobj=stream, mode="wb", compresslevel=1, mtime=0)
