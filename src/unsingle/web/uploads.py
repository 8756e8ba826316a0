"""Uploads: streamed from the network to the job's folder, within limits of size and time."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import re
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from .errors import HTTPError, disk_full
from .settings import Settings

FIELD = "log"
"""The form field that holds the files."""

MOST_FILES = 500
"""Files of one log."""

_CHUNK = 1 << 20  # bytes that are written at once
_OVERHEAD = 1 << 18  # bytes of a form beside its files
_MAX_NAME = 80


class Upload:
    """The files in a form: first wait for the `first_name`, then `save` all."""

    def __init__(self, request: Request, settings: Settings) -> None:
        self._request, self._settings = request, settings
        kind, options = parse_options_header(request.headers.get("content-type"))
        if kind != b"multipart/form-data" or b"boundary" not in options:
            raise HTTPError(400, f"Send the log as a file in a form (multipart/form-data, field {FIELD!r}).")
        if _content_length(request) > settings.max_upload + _OVERHEAD:
            raise self._too_large()
        with _form_errors():
            self._parser = MultipartParser(
                options[b"boundary"],
                {
                    "on_part_begin": self._begin,
                    "on_header_field": self._header_name,
                    "on_header_value": self._header_value,
                    "on_header_end": self._header_end,
                    "on_headers_finished": self._headers_finished,
                    "on_part_data": self._data,
                    "on_part_end": self._part_end,
                },
            )
        self._field = self._value = b""
        self._disposition = b""
        self._in_file = False
        self._names: list[str] = []
        self._paths: list[Path] = []
        self._complete = 0  # files
        self._buffers: list[tuple[int, bytearray]] = []  # what is to be written, by the number of the file
        self._received = 0
        self._chunks = self._incoming()

    async def first_name(self) -> str:
        """The user's name for the first file, without folders."""
        while not self._names:
            await self._feed()
        return self._names[0]

    async def save(self, path_for: Callable[[int, str], Path]) -> tuple[str, ...]:
        """Write the files where they are to go, by number and name; after an error the caller removes what was written.

        Gives their names.
        """
        with _disk_errors():
            with contextlib.suppress(StopAsyncIteration):
                while True:
                    for number in range(len(self._paths), len(self._names)):
                        self._paths.append(path_for(number, self._names[number]))
                        self._paths[number].touch(exist_ok=False)
                    await self._write(_CHUNK)
                    await self._feed()
            await self._write(0)
        if self._complete < len(self._names):
            raise _incomplete()
        return tuple(self._names)

    async def _write(self, at_least: int) -> None:
        if sum(len(content) for _, content in self._buffers) >= at_least:
            buffers = [(self._paths[number], content) for number, content in self._buffers]
            self._buffers = [(len(self._names) - 1, bytearray())] if self._in_file else []
            await asyncio.to_thread(_append, buffers)

    async def _feed(self) -> None:
        """Parse the next chunk from the network."""
        try:
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            if not self._names:
                raise HTTPError(400, "No file was chosen: choose a log first.") from None
            raise
        self._received += len(chunk)
        if self._received > self._settings.max_upload + _OVERHEAD:
            raise self._too_large()
        with _form_errors():
            self._parser.write(chunk)

    async def _incoming(self) -> AsyncIterator[bytes]:
        """The chunks; an error if the next one takes too long."""
        stream = self._request.stream()
        try:
            while True:
                async with asyncio.timeout(self._settings.idle_time):
                    chunk = await anext(stream, None)
                if chunk is None:
                    return
                yield chunk
        except TimeoutError:
            raise upload_timeout() from None
        except ClientDisconnect:
            raise _incomplete() from None

    def _too_large(self) -> HTTPError:
        limit = self._settings.max_upload
        size = f"{limit / 1e9:g} GB" if limit >= 1e9 else f"{limit / 1e6:g} MB"
        return HTTPError(
            413,
            f"The file is larger than the limit of {size}: compress it with gzip, start unsingle with a larger "
            "--max-upload, or use the command `unsingle anonymize`.",
        )

    # ------------------------------------------------------------------------- callbacks of the parser

    def _begin(self) -> None:
        self._field = self._value = self._disposition = b""
        self._in_file = False

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        if self._field.lower() == b"content-disposition":
            self._disposition = self._value
        self._field = self._value = b""

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        name = options.get(b"filename", b"")
        if options.get(b"name") == FIELD.encode() and name:
            if len(self._names) >= MOST_FILES:
                raise HTTPError(413, f"There are more than {MOST_FILES} files: put them together, or use the command.")
            self._names.append(shown_name(name.decode("utf-8", errors="replace")))
            self._in_file = True
            self._buffers.append((len(self._names) - 1, bytearray()))

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file:
            self._buffers[-1][1].extend(data[start:end])

    def _part_end(self) -> None:
        self._complete += self._in_file
        self._in_file = False


def _append(buffers: list[tuple[Path, bytearray]]) -> None:
    for path, content in buffers:
        with path.open("ab") as target:
            target.write(content)


def upload_timeout() -> HTTPError:
    """The upload took longer than allowed, or paused for too long."""
    return HTTPError(408, "The upload took too long: try again, or use the command `unsingle`.")


def _incomplete() -> HTTPError:
    return HTTPError(400, "The upload was interrupted: try again.")


def shown_name(name: str) -> str:
    r"""A file name without folders and without characters that cannot be displayed.

    >>> shown_name("../../etc/passwd.xes"), shown_name("C:\\logs\\a\x00b.csv")
    ('passwd.xes', 'ab.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(letter for letter in last if letter.isprintable()).strip()
    return plain if len(plain) <= _MAX_NAME else "…" + plain[-_MAX_NAME:]


def _content_length(request: Request) -> int:
    """The content length of the request; 0 if it has none."""
    text = request.headers.get("content-length", "0")
    return int(text) if text.isascii() and text.isdigit() else 0


@contextlib.contextmanager
def _form_errors() -> Iterator[None]:
    """Turn errors of the form parser into a response."""
    try:
        yield
    except FormParserError:
        raise HTTPError(400, "The upload is not a valid form: try again.") from None


@contextlib.contextmanager
def _disk_errors() -> Iterator[None]:
    """Turn the error of a full disk into a response."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full() from None
        raise
