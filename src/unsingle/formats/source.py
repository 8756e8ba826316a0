"""The bytes of a log: a file or standard input, unpacked, and read only as far as the memory allows."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from isal import igzip, isal_zlib

from ..core.machine import refuse_too_large, used
from ..errors import FormatError, ParameterError
from ..progress import Progress
from .encodings import Utf8

STANDARD = "-"
"""The name of standard input or output."""

_CHUNK = 1 << 20
MOST_UNPACKED = 500  # times the size of a packed file; real logs stay below 50, bombs reach 1,000
HARMLESS = 256 << 20  # bytes that anything may unpack to
_ENOUGH = 0.05  # of a file shows how much memory all of it takes
_GZIP = b"\x1f"  # nothing else that we read begins with this byte


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a file, if it can be one."""
    name = os.fsdecode(path)
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise ParameterError(f"{name!r} is not a valid file name: check it") from None
    if "\0" in name:
        raise ParameterError(f"{name!r} is not a valid file name: check it")
    return name


class Source:
    """The bytes of a log: a file or standard input, decompressed if they are gzip, whatever the name says.

    `refuse` is called with the first of them, and with the name for messages. `encoding` says what text they are; if
    it is None, that is found out. `sheet` is the sheet of a workbook to read; if it is None, that is the first.
    """

    def __init__(
        self,
        name: str,
        refuse: Callable[[bytes, str], None],
        progress: Progress | None = None,
        encoding: str | None = None,
        sheet: str | None = None,
    ) -> None:
        self.name = name
        self.sheet = sheet
        self._given_encoding = encoding
        self._text: Utf8 | None = None
        self.shown = "standard input" if name == STANDARD else name
        self._refuse = refuse
        self._progress = progress or Progress()
        self._piped: bytes | None = None
        self.still_needed = 0
        """Bytes that it takes to make a log of what was read so far; the reader of a format sets it."""

    def chunks(self, size: int = _CHUNK) -> Iterator[bytes]:
        """The content, piece by piece; raises `FormatError` if it is empty, damaged or something else."""
        begun = False
        with _one_line_errors(self.shown), self._open() as raw:
            total = self._size()
            packed = raw.peek(1).startswith(_GZIP)
            stream = igzip.IGzipFile(fileobj=raw) if packed else raw
            unpacked, before = 0, used()
            while chunk := stream.read(size):
                unpacked += len(chunk)
                if packed and unpacked > max(HARMLESS, MOST_UNPACKED * raw.tell()):
                    raise FormatError(
                        f"{self.shown}: unpacks to more than {MOST_UNPACKED} times its size, which no log does: "
                        "get or export it again"
                    )
                if not begun:
                    self._refuse(chunk, self.shown)
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
        if share > _ENOUGH:
            refuse_too_large((taken + self.still_needed) / share - taken, f"{self.shown}: reading all of it")

    def text(self) -> Utf8:
        """The content as text in UTF-8, piece by piece."""
        self._text = Utf8(self.chunks(), self.shown, self._given_encoding)
        return self._text

    @property
    def encoding(self) -> str | None:
        """The encoding of the content, as far as it was read; None if it was not read as text."""
        return None if self._text is None else self._text.encoding

    def read(self) -> bytes:
        """The whole content."""
        return b"".join(self.chunks())

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
def _one_line_errors(shown: str) -> Iterator[None]:
    """Say in one line why a file cannot be read."""
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
