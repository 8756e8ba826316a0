"""What a file really is, by its first bytes, whatever its name says."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import FormatError, argument
from .base import FORMATS, Format, Signature


class _Other(NamedTuple):
    """A sort of files that are no logs, and what to do with one."""

    signature: Signature
    advice: str


_PAGE = _Other(Signature("an HTML page", rb"\s*<(?i:!doctype\s+html|html)\b"), "download the log itself")
_OTHERS = (
    _Other(
        Signature("an object-centric log (OCEL)", rb'\s*\{.{0,99999}?"(ocel:[a-z-]+|objectTypes|eventTypes)"'),
        "flatten it to one kind of case first",
    ),
    _Other(Signature("JSON", rb'\s*[{[]\s*["{[]'), "export it as XES, CSV or Parquet"),
    _Other(Signature("a zip file or an Excel workbook", rb"PK\x03\x04"), "unpack it, or save it as CSV"),
    _Other(Signature("an Excel workbook", rb"\xd0\xcf\x11\xe0"), "save it as CSV"),
    _Other(
        Signature("a picture or a PDF", rb"\x89PNG|\xff\xd8\xff|GIF8|%PDF-"), "export the log as XES, CSV or Parquet"
    ),
    _Other(Signature("an SQLite database", rb"SQLite format 3"), "export a table of events as CSV"),
    _Other(
        Signature("compressed, but not with gzip", rb"BZh\d|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf"), "unpack it first"
    ),
    _Other(Signature("compressed twice", rb"\x1f\x8b"), "unpack it once"),
)


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
