"""What a file really is, by its first bytes, whatever its name says."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..errors import FormatError, ParameterError, argument
from .base import FORMATS, FileKind, Format, Signature, format_of

_LOOKED_AT = 1 << 20  # bytes


class _Other(NamedTuple):
    """A sort of files that are no logs, and what to do with one."""

    signature: Signature
    advice: str


_PAGE = _Other(Signature("an HTML page", rb"\s*<(?i:!doctype\s+html|html)\b"), "download the log itself")
OBJECT_CENTRIC = "object-centric logs are not supported, flatten it to one kind of case first"
"""What to do with an object-centric log."""

_OCEL = "an object-centric log (OCEL)"
_WITH_PASSWORD = rb"\xd0\xcf\x11\xe0.*E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e"
_TABLES_OF_OCEL = rb"SQLite format 3.*(?:event_object|object_object|event_map_type|object_map_type)"
_OTHERS = (
    _Other(Signature(_OCEL, rb'\s*\{.{0,99999}?"(ocel:[a-z-]+|objectTypes|eventTypes)"'), OBJECT_CENTRIC),
    _Other(Signature("JSON", rb'\s*[{[]\s*["{[]'), "export it as XES, CSV or Parquet"),
    _Other(Signature("a zip file", rb"PK\x03\x04"), "unpack it"),
    _Other(Signature("an Excel workbook with a password", _WITH_PASSWORD), "save it as .xlsx without one"),
    _Other(
        Signature("an Excel workbook of the old format, or one with a password", rb"\xd0\xcf\x11\xe0"),
        "save it as .xlsx without a password",
    ),
    _Other(
        Signature("a picture or a PDF", rb"\x89PNG|\xff\xd8\xff|GIF8|%PDF-"), "export the log as XES, CSV or Parquet"
    ),
    _Other(Signature(f"{_OCEL} in an SQLite database", _TABLES_OF_OCEL), OBJECT_CENTRIC),
    _Other(Signature("an SQLite database", rb"SQLite format 3"), "export a table of events as CSV"),
    _Other(
        Signature("compressed, but not with gzip", rb"BZh\d|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf"), "unpack it first"
    ),
    _Other(Signature("compressed twice", rb"\x1f\x8b"), "unpack it once"),
)


_BY_NAME = {
    ".jsonocel": (_OCEL, OBJECT_CENTRIC),
    ".xmlocel": (_OCEL, OBJECT_CENTRIC),
    ".sqlite": (
        "an SQLite database, as some object-centric logs (OCEL) are",
        "these are not supported, export a table of events as CSV",
    ),
    ".xls": ("an Excel workbook of the old format", "save it as .xlsx"),
    ".xlsm": ("an Excel workbook with macros", "save it as .xlsx"),
    ".mxml": ("a log in MXML, which came before XES", "convert it to XES"),
}
"""What files with other endings are, and what to do with them."""


def readable_kind(name: str, given: str | FileKind | None = None) -> FileKind:
    """The kind of a file to read, by its name or as given; of one of no format of ours, it is said what it is."""
    try:
        return format_of(name, given)
    except ParameterError:
        ending = Path(name).suffix.lower()
        if given is None and ending in _BY_NAME:
            what, advice = _BY_NAME[ending]
            raise FormatError(f"{name}: is {what}: {advice}") from None
        if given is None and (found := _other_at(name)) is not None:
            raise FormatError(f"{name}: is {found.signature.what}: {found.advice}") from None
        raise


def _other_at(name: str) -> _Other | None:
    """What a file is by its content, if that is known."""
    try:
        with Path(name).open("rb") as file:
            return _found(file.read(_LOOKED_AT))
    except (OSError, ValueError):
        return None


def refuse_others(head: bytes, expected: Format, shown: str) -> None:
    """Refuse a file whose first bytes are known to be something else than the format that it should have."""
    found = _found(head)
    if found is not None and found.signature is not expected.signature:
        raise FormatError(f"{shown}: is {found.signature.what}, not {expected.title}: {found.advice}")


def _found(head: bytes) -> _Other | None:
    known = (_PAGE, *(_named(each) for each in FORMATS.values() if each.signature is not None), *_OTHERS)
    return next((each for each in known if each.signature.fits(head)), None)


def _named(format_: Format) -> _Other:
    """A format that we read, under a name that stands for another."""
    assert format_.signature is not None
    name = format_.name
    return _Other(format_.signature, f"let its name end in .{name} (for -, give {argument('format', name)})")
