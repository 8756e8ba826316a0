"""Files: which format a name stands for, reading bytes that may be compressed, and writing all or nothing."""

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
from typing import Any, BinaryIO, NamedTuple, TextIO, cast

from isal import igzip, isal_zlib

from ..errors import FormatError, OutputError, ParameterError
from ..memory import refuse_too_large, used
from ..progress import Progress

FORMATS = ("xes", "xes.gz", "csv", "csv.gz", "parquet")
"""The formats by the ending of a file's name."""

STANDARD = "-"
"""The name of standard input or output."""

_CHUNK = 1 << 20
_MOST_UNPACKED = 500  # times the size of a packed file; real logs stay below 50, bombs reach 1,000
_HARMLESS = 256 << 20  # bytes that anything may unpack to
_TELLING = 0.05  # of a file tells how much memory all of it takes
_GZIP = b"\x1f"  # nothing else that we read begins with this byte
_TITLES = {"xes": "XES", "csv": "CSV", "parquet": "Parquet"}


class _Kind(NamedTuple):
    """What a file may turn out to be, how it begins, the format that it is right for, and what to do else."""

    what: str
    begins: re.Pattern[bytes]
    right_for: str | None
    advice: str


def _kind(what: str, begins: bytes, advice: str, right_for: str | None = None) -> _Kind:
    return _Kind(what, re.compile(rb"(?:\xef\xbb\xbf)?" + begins, re.DOTALL), right_for, advice)


_KINDS = (
    _kind("an HTML page", rb"\s*<(?i:!doctype\s+html|html)\b", "download the log itself"),
    _kind("XML", rb"\s*<", "let its name end in .xes (for -, give --format xes)", "xes"),
    _kind(
        "an object-centric log (OCEL)",
        rb'\s*\{.{0,99999}?"(ocel:[a-z-]+|objectTypes|eventTypes)"',
        "flatten it to one kind of case first",
    ),
    _kind("JSON", rb'\s*[{[]\s*["{[]', "export it as XES, CSV or Parquet"),
    _kind("Parquet", rb"PAR1\x15", "let its name end in .parquet (for -, give --format parquet)", "parquet"),
    _kind("a zip file or an Excel workbook", rb"PK\x03\x04", "unpack it, or save it as CSV"),
    _kind("an Excel workbook", rb"\xd0\xcf\x11\xe0", "save it as CSV"),
    _kind("a picture or a PDF", rb"\x89PNG|\xff\xd8\xff|GIF8|%PDF-", "export the log as XES, CSV or Parquet"),
    _kind("an SQLite database", rb"SQLite format 3", "export a table of events as CSV"),
    _kind("compressed, but not with gzip", rb"BZh\d|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf", "unpack it first"),
    _kind("compressed twice", rb"\x1f\x8b", "unpack it once"),
)


def format_of(name: str, given: str | None = None) -> str:
    """The format that is given, or else that the file's name stands for.

    >>> format_of("log.XES.gz"), format_of("-", "csv")
    ('xes.gz', 'csv')
    """
    known = ", ".join(FORMATS)
    if given is not None:
        if not isinstance(given, str) or given.lower() not in FORMATS:
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


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a file, if it can be one."""
    name = os.fsdecode(path)
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise ParameterError(f"{name!r} is no name that a file can have: check it") from None
    if "\0" in name:
        raise ParameterError(f"{name!r} is no name that a file can have: check it")
    return name


class Source:
    """The bytes of a log: a file or standard input, decompressed if they are gzip, whatever the name says."""

    def __init__(self, name: str, format_: str, progress: Progress | None = None) -> None:
        self.name = name
        self.shown = "standard input" if name == STANDARD else name
        self._format = format_.removesuffix(".gz")
        self._progress = progress or Progress()
        self._piped: bytes | None = None
        self.still_needed = 0
        """Bytes that it will take to make a log of what was read so far; whoever reads says so."""

    def chunks(self, size: int = _CHUNK) -> Iterator[bytes]:
        """The content, piece by piece; raises `FormatError` if it is empty, damaged or something else."""
        begun = False
        with _reading(self.shown), self._open() as raw:
            total = self._size()
            packed = raw.peek(1).startswith(_GZIP)
            stream = igzip.IGzipFile(fileobj=raw) if packed else raw
            unpacked, before = 0, used()
            while chunk := stream.read(size):
                unpacked += len(chunk)
                if packed and unpacked > max(_HARMLESS, _MOST_UNPACKED * raw.tell()):
                    raise FormatError(
                        f"{self.shown}: unpacks to more than {_MOST_UNPACKED} times its size, which no log does: "
                        "get or export it again"
                    )
                if not begun:
                    self._refuse_others(chunk)
                begun = begun or not chunk.isspace()
                yield chunk
                if total:
                    share = min(1.0, raw.tell() / total)
                    self._refuse_too_large(share, used() - before)
                    self._progress.at(share)
        if not begun:
            raise FormatError(f"{self.shown}: the file is empty: get or export it again")

    def _refuse_too_large(self, share: float, taken: int) -> None:
        """Say so when what is read already shows that the rest will not fit."""
        if share > _TELLING:
            refuse_too_large((taken + self.still_needed) / share - taken, f"{self.shown}: reading all of it")

    def read(self) -> bytes:
        """The whole content."""
        return b"".join(self.chunks())

    def _refuse_others(self, head: bytes) -> None:
        """Refuse what is recognised as something else than the format that the log should have."""
        kind = next((kind for kind in _KINDS if kind.begins.match(head)), None)
        if kind is not None and kind.right_for != self._format:
            raise FormatError(f"{self.shown}: is {kind.what}, not {_TITLES[self._format]}: {kind.advice}")

    @contextlib.contextmanager
    def _open(self) -> Iterator[io.BufferedReader]:
        if self.name != STANDARD and Path(self.name).is_file():
            with Path(self.name).open("rb") as file:
                yield file
        else:
            if self._piped is None:
                self._piped = self._read_pipe()
            yield io.BufferedReader(io.BytesIO(self._piped))

    def _read_pipe(self) -> bytes:
        """All bytes of a pipe, kept, because a log may have to be read twice."""
        if self.name != STANDARD:
            return Path(self.name).read_bytes()
        if sys.stdin is None:  # closed by whoever started us
            raise FormatError("standard input: is closed: give the log through a pipe, or name a file")
        return sys.stdin.buffer.read()

    def _size(self) -> int:
        return 0 if self.name == STANDARD else Path(self.name).stat().st_size


@contextlib.contextmanager
def _reading(shown: str) -> Iterator[None]:
    """Tells in one line why a file cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise FormatError(f"{shown}: there is no such file: check the name and the folder") from None
    except IsADirectoryError:
        raise FormatError(f"{shown}: is a folder: name a file in it") from None
    except (EOFError, igzip.BadGzipFile, isal_zlib.error) as error:  # type: ignore[misc] # its stub calls the class a function
        reason = str(error).rstrip(".") or "it ends early"
        raise FormatError(f"{shown}: the gzip data is truncated or damaged ({reason}): get a whole copy") from None
    except OSError as error:
        raise FormatError(
            f"{shown}: cannot be read ({error.strerror or error}): check the name and its rights"
        ) from None


@contextlib.contextmanager
def atomic_output(name: str, *, force: bool = False) -> Iterator[BinaryIO]:
    """A stream to a file that appears whole at the end or not at all.

    Where the system allows, the bytes go to a file without a name, so that even a killed run leaves nothing.
    """
    check_target(name, force=force)
    with told_plainly("standard output" if name == STANDARD else name):
        if name == STANDARD:
            yield cast(BinaryIO, _Standard())
            sys.stdout.buffer.flush()
        elif _is_stream(_status(name, sys.stdout)):
            with Path(name).open("wb") as stream:  # a device or a pipe: there is nothing to replace
                yield stream
        else:
            with _Unfinished(Path(name).resolve(), _mode_for(name)) as file:
                yield file
                file.finish(force=force)


def check_target(name: str, *, force: bool = False, source: str | None = None) -> None:
    """Refuse a target that is the input, that exists, or that cannot be written, before any work."""
    with told_plainly(name):
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
            raise OutputError(f"{name}: exists already: choose another name, or --force to overwrite it")
        writable = [] if there is None else [path]
        if not _is_stream(there):
            writable.append(path.resolve().parent)  # where the new file is put in place of an old one
        if not all(_may_write(each) for each in writable):
            raise OutputError(f"{name}: cannot be written (permission denied): choose another folder")


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
def told_plainly(shown: str) -> Iterator[None]:
    """Tells in one line why something cannot be written; that nobody reads any more is not for us to tell."""
    try:
        yield
    except BrokenPipeError:
        raise
    except FileExistsError:
        raise OutputError(f"{shown}: appeared while we worked: choose another name, or --force") from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise OutputError(f"{shown}: the disk is full: free some space and run it again") from None
        raise OutputError(f"{shown}: cannot be written ({error.strerror or error}): choose another place") from None


def compressed(stream: BinaryIO) -> igzip.IGzipFile:
    """A gzip stream whose header names no file and no time."""
    return igzip.IGzipFile(filename="", fileobj=stream, mode="wb", compresslevel=1, mtime=0)
