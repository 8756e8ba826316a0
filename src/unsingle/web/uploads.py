"""Uploads: streamed from the network to the job's folder, within limits of size and time."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request

from .errors import HTTPError, disk_full
from .settings import Settings

FIELD = "log"
"""The form field that holds the file."""

_CHUNK = 1 << 20  # bytes that are written at once
_OVERHEAD = 1 << 16  # bytes of a form beside its file
_MAX_NAME = 80


class Upload:
    """The file in a form: first wait for its `file_name`, then `save` it."""

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
        self._in_file = self._complete = False
        self._name: str | None = None
        self._buffer = bytearray()
        self._received = 0
        self._chunks = self._incoming()

    async def file_name(self) -> str:
        """The user's name for the file, without folders."""
        while self._name is None:
            await self._feed()
        return self._name

    async def save(self, path: Path) -> None:
        """Write the file; after an error the caller removes what was written."""
        with _disk_errors(), path.open("wb") as target:
            with contextlib.suppress(StopAsyncIteration):
                while True:
                    await self._write(target, _CHUNK)
                    await self._feed()
            await self._write(target, 1)
        if not self._complete:
            raise _incomplete()

    async def _write(self, target: BinaryIO, at_least: int) -> None:
        if len(self._buffer) >= at_least:
            content, self._buffer = self._buffer, bytearray()
            await asyncio.to_thread(target.write, content)

    async def _feed(self) -> None:
        """Parse the next chunk from the network."""
        try:
            chunk = await anext(self._chunks)
        except StopAsyncIteration:
            if self._name is None:
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
        if options.get(b"name") == FIELD.encode() and name and self._name is None:
            self._in_file, self._name = True, shown_name(name.decode("utf-8", errors="replace"))

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._in_file:
            self._buffer += data[start:end]

    def _part_end(self) -> None:
        self._complete = self._complete or self._in_file


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
