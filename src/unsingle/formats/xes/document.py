"""What both readers of XES must see alike in a document: its encoding, and the elements that are no plain log."""

from __future__ import annotations

import re
from xml.parsers import expat

BOM = b"\xef\xbb\xbf"
NOT_IN_XML = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")
"""U+FFFE and U+FFFF in UTF-8: characters of Unicode that XML does not allow."""

_OBJECT_CENTRIC = {"object-types", "event-types", "objects", "events"}
_DECLARED = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']*)")


def parser_of(head: bytes) -> expat.XMLParserType:
    """A parser for a document that begins with these bytes; it reads ``UTF8`` as what people mean by it."""
    meant = is_utf8(head) and _DECLARED.match(head.removeprefix(BOM)) is not None
    return expat.ParserCreate("UTF-8" if meant else None)


def is_utf8(head: bytes) -> bool:
    """Whether a document that begins with these bytes declares UTF-8, however it is spelled, or nothing.

    >>> is_utf8(b"<log>"), is_utf8(b'<?xml version="1.0" encoding="utf8"?>'), is_utf8(b'<?xml encoding="ascii"?>')
    (True, True, False)
    """
    declared = _DECLARED.match(head.removeprefix(BOM))
    return declared is None or re.sub(rb"[-_]", b"", declared[1]).lower() == b"utf8"


def is_object_centric(name: str, attributes: dict[str, str]) -> bool:
    """Whether an element of the log says that it is about several kinds of objects (OCEL)."""
    return name in _OBJECT_CENTRIC or (name == "global" and attributes.get("scope") == "object")


def local_name(name: str) -> str:
    """The name of an element without its prefix.

    >>> local_name("xes:trace")
    'trace'
    """
    return name.rpartition(":")[2]
