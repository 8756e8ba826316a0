"""Uploads: straight from the network to the job's folder, piece by piece, within limits."""

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

from .refusing import Refused, no_room
from .settings import Settings

FIELD = "log"
"""The name of the field that has the file."""

_PIECE = 1 << 20  # bytes that are written at once
_OVERHEAD = 1 << 16  # bytes that a form needs beside its file
_LONGEST_NAME = 80


class Upload:
    """The file in a form. First `named` says what it is called, then `save` writes it."""

    def __init__(self, request: Request, settings: Settings) -> None:
        self._request, self._settings = request, settings
        kind, options = parse_options_header(request.headers.get("content-type"))
        if kind != b"multipart/form-data" or b"boundary" not in options:
            raise Refused(400, f"Send the log as a file in a form (multipart/form-data, field {FIELD!r}).")
        if _declared(request) > settings.max_upload + _OVERHEAD:
            raise self._too_large()
        with _readable():
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
        self._in_file = self._whole = False
        self._name: str | None = None
        self._found = bytearray()
        self._received = 0
        self._pieces = self._within_time()

    async def named(self) -> str:
        """The name that the file has for its owner, without folders."""
        while self._name is None:
            await self._feed()
        return self._name

    async def save(self, path: Path) -> None:
        """Write the file, whole or with an error; who calls removes what is there after one."""
        with _room(), path.open("wb") as target:
            with contextlib.suppress(StopAsyncIteration):
                while True:
                    await self._write(target, _PIECE)
                    await self._feed()
            await self._write(target, 1)
        if not self._whole:
            raise _broken_off()

    async def _write(self, target: BinaryIO, at_least: int) -> None:
        if len(self._found) >= at_least:
            content, self._found = self._found, bytearray()
            await asyncio.to_thread(target.write, content)

    async def _feed(self) -> None:
        """Take the next piece from the network."""
        try:
            piece = await anext(self._pieces)
        except StopAsyncIteration:
            if self._name is None:
                raise Refused(400, "No file was chosen: choose a log first.") from None
            raise
        self._received += len(piece)
        if self._received > self._settings.max_upload + _OVERHEAD:
            raise self._too_large()
        with _readable():
            self._parser.write(piece)

    async def _within_time(self) -> AsyncIterator[bytes]:
        """The pieces, as long as they come often enough."""
        stream = self._request.stream()
        try:
            while True:
                async with asyncio.timeout(self._settings.idle_time):
                    piece = await anext(stream, None)
                if piece is None:
                    return
                yield piece
        except TimeoutError:
            raise too_slow() from None
        except ClientDisconnect:
            raise _broken_off() from None

    def _too_large(self) -> Refused:
        limit = self._settings.max_upload
        size = f"{limit / 1e9:g} GB" if limit >= 1e9 else f"{limit / 1e6:g} MB"
        return Refused(
            413,
            f"The file is larger than the {size} that are allowed here: pack it with gzip, start unsingle with a "
            "larger --max-upload, or use the command `unsingle anonymize`.",
        )

    # ------------------------------------------------------------------------- what the parser tells

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
            self._found += data[start:end]

    def _part_end(self) -> None:
        self._whole = self._whole or self._in_file


def too_slow() -> Refused:
    """The upload stood still, or would not end."""
    return Refused(408, "The upload took too long: try it again, or use the command `unsingle`.")


def _broken_off() -> Refused:
    return Refused(400, "The upload was broken off: try it again.")


def shown_name(name: str) -> str:
    r"""A file's name without folders and without what could not be shown.

    >>> shown_name("../../etc/passwd.xes"), shown_name("C:\\logs\\a\x00b.csv")
    ('passwd.xes', 'ab.csv')
    """
    last = re.split(r"[/\\]", name)[-1]
    plain = "".join(letter for letter in last if letter.isprintable()).strip()
    return plain if len(plain) <= _LONGEST_NAME else "…" + plain[-_LONGEST_NAME:]


def _declared(request: Request) -> int:
    """The length that the request says it has; 0 if it does not say."""
    text = request.headers.get("content-length", "0")
    return int(text) if text.isascii() and text.isdigit() else 0


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Tells that a form is none."""
    try:
        yield
    except FormParserError:
        raise Refused(400, "The upload is not a form that can be read: try it again.") from None


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Tells that the disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise no_room() from None
        raise
