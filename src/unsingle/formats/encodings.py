"""Encodings of text: recognised while it is read, and turned into UTF-8 before anything else looks at it.

Without a mark at its beginning, a text is taken for UTF-8, or for cp1252 (what Windows calls ANSI in western Europe) if
it is not. It is never both: a text in which some letters beyond ASCII are valid UTF-8 and others are not is refused. So
whatever one cell holds, it cannot change how the others are read: they are read in the same way, or not at all.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from itertools import chain

from ..core.wording import quoted
from ..errors import FormatError, ParameterError, argument

UTF8, UTF16, CP1252 = "UTF-8", "UTF-16", "cp1252"

OFFERED = (UTF8, CP1252, UTF16, "iso8859-15", "cp1250", "cp1251", "cp850", "mac-roman", "shift_jis", "gb18030")
"""Encodings that are offered to choose from; the command and Python take all that Python knows."""

_MARKS = ((codecs.BOM_UTF8, UTF8), (codecs.BOM_UTF16_LE, UTF16), (codecs.BOM_UTF16_BE, UTF16))
_MARK = "\ufeff"
_NO_TEXT = ("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape")  # which Python counts as text
_LETTER_OF_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_LONGEST = 4  # bytes of a letter


def checked_encoding(name: str | None) -> str | None:
    """The encoding of this name, as Python calls it; None if nobody named one.

    >>> checked_encoding("Latin1"), checked_encoding(None)
    ('iso8859-1', None)
    """
    if name is None:
        return None
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    if found is None or not found._is_text_encoding or found.name in _NO_TEXT:
        raise ParameterError(
            f"unknown encoding {quoted(name)}: give {argument('encoding')} a name such as {', '.join(OFFERED[:4])}"
        )
    return {"utf-8": UTF8, "utf-8-sig": UTF8, "utf-16": UTF16}.get(found.name, found.name)


class Utf8:
    r"""A text in UTF-8, piece by piece. `encoding` is that of its source, as far as that was read.

    >>> text = Utf8([b"Pr\xfcfung"], "it")
    >>> b"".join(text).decode(), text.encoding
    ('Prüfung', 'cp1252')
    """

    def __init__(self, pieces: Iterable[bytes], shown: str, encoding: str | None = None) -> None:
        self._pieces, self._shown, self._given = iter(pieces), shown, encoding
        self.encoding = encoding or UTF8
        self.line_ends = 0
        """Line ends in all pieces so far."""

    def __iter__(self) -> Iterator[bytes]:
        first = next(self._pieces, b"")
        self._pieces = chain([first], self._pieces)
        codec = self._given or _marked(first)
        if codec is not None:
            self.encoding = UTF16 if codec.startswith("utf-16") else codec
        text = self._recognised() if codec in (None, UTF8) else self._decoded(str(codec))
        for piece in text:
            self.line_ends += piece.count(b"\n")
            yield piece

    def _recognised(self) -> Iterator[bytes]:
        """UTF-8 as it is, up to where the text turns out to be something else; then no letter was beyond ASCII."""
        held, beyond_ascii = b"", False  # the beginning of a letter whose rest is to come
        for piece in chain(self._pieces, [b""]):
            some = held + piece
            if some.isascii():
                held = b""
                yield some
                continue
            try:
                used = codecs.utf_8_decode(some, "strict", not piece)[1]
            except UnicodeDecodeError as error:
                if self._given or beyond_ascii or not some[: error.start].isascii():
                    raise self._not_in(UTF8, some, error) from None
                yield from self._as_cp1252(some)
                return
            held, some = some[used:], some[:used]
            beyond_ascii = beyond_ascii or not some.isascii()
            yield some

    def _as_cp1252(self, begun: bytes) -> Iterator[bytes]:
        self.encoding, before = CP1252, b""
        for piece in chain([begun], self._pieces):
            if (found := _LETTER_OF_UTF8.search(before + piece)) is not None:
                line = self.line_ends + piece.count(b"\n", 0, max(0, found.start() - len(before))) + 1
                raise FormatError(
                    f"{self._shown}: line {line} has letters in UTF-8, and other lines have some that are not: save "
                    f"all of it as UTF-8, or give {argument('encoding', CP1252)} if that is what it is"
                )
            before = (before + piece)[1 - _LONGEST :]
            try:
                yield piece.decode(CP1252).encode()
            except UnicodeDecodeError as error:
                raise self._not_in(f"{UTF8} or {CP1252}", piece, error) from None

    def _decoded(self, codec: str) -> Iterator[bytes]:
        """The text of an encoding that is known."""
        decoder = codecs.getincrementaldecoder(codec)()
        begins = True
        for piece in chain(self._pieces, [b""]):
            try:
                text = decoder.decode(piece, not piece)
            except UnicodeError as error:
                raise self._not_in(self.encoding, piece, error) from None
            if begins and text:
                text, begins = text.removeprefix(_MARK), False
            try:
                yield text.encode()
            except UnicodeEncodeError as error:  # half a letter
                raise self._not_in(self.encoding, piece, error) from None

    def _not_in(self, what: str, piece: bytes, error: UnicodeError) -> FormatError:
        """Where the text stops being what it is taken for; in a text of several bytes a letter, about where."""
        line, byte = self.line_ends + 1, ""
        if isinstance(error, UnicodeDecodeError) and self.encoding in (UTF8, CP1252):
            line += piece.count(b"\n", 0, error.start)
            byte = f" (byte {piece[error.start]:#04x})"
        about = f"line {line} is" if byte else "is"
        advice = (
            f"give another {argument('encoding')}"
            if self._given
            else f"save the file as UTF-8 (in Excel: CSV UTF-8), or name what it is with {argument('encoding')}"
        )
        return FormatError(f"{self._shown}: {about} not {what}{byte}: {advice}")


def _marked(head: bytes) -> str | None:
    """The encoding that the first bytes tell: by a mark, or because every second byte of two letters is zero."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name if name == UTF8 else "utf-16"
    letters = "".join("0" if byte == 0 else "x" for byte in head[:4])
    return {"x0x0": "utf-16-le", "0x0x": "utf-16-be"}.get(letters)
