"""Writing releases as XES (IEEE 1849): case, activity and time of every event, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import BinaryIO

from ..errors import OutputError
from ..log import EventLog
from .columns import TRACE_ATTRIBUTE, XES_ACTIVITY, XES_CASE, XES_TIME
from .xes_words import trace_text

Kinds = Mapping[str, str]
"""The XES type of each attribute."""

ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
"""What may not stand in an attribute's value as it is."""

_RELEASE: Kinds = {XES_CASE: "string", XES_ACTIVITY: "string", XES_TIME: "date"}
_NAMESPACE = "http://www.xes-standard.org/"
_EXTENSIONS = {"concept": "Concept", "lifecycle": "Lifecycle", "org": "Organizational", "time": "Time"}
_DEFAULTS = {"date": "1970-01-01T00:00:00.000+00:00", "string": ""}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_xes(log: EventLog, stream: BinaryIO) -> None:
    """Write the log; cases are numbered from 1."""
    refuse_characters(log.labels)
    escapes = str.maketrans(ESCAPES)
    stream.write(head(_RELEASE).rstrip().encode())
    for text in trace_text(log, [label.translate(escapes) for label in log.labels]):
        stream.write(text)
    stream.write(b"\n</log>\n")


def head(kinds: Kinds) -> str:
    """What stands before the first trace: the extensions that are used, globals and a classifier."""
    prefixes = sorted({name.removeprefix(TRACE_ATTRIBUTE).split(":")[0] for name in kinds} & set(_EXTENSIONS))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<log xes.version="1849.2016" xmlns="{_NAMESPACE}">']
    lines += [
        f'<extension name="{_EXTENSIONS[prefix]}" prefix="{prefix}" uri="{_NAMESPACE}{prefix}.xesext"/>'
        for prefix in prefixes
    ]
    for scope, of_trace in (("trace", True), ("event", False)):
        names = [name for name in _RELEASE if is_of_trace(name) == of_trace]
        values = "".join(attribute_text(name, _RELEASE[name], _DEFAULTS[_RELEASE[name]]) for name in names)
        lines.append(f'<global scope="{scope}">{values}</global>')
    lines.append(f'<classifier name="Activity" keys="{XES_ACTIVITY}"/>')
    return "\n".join(lines) + "\n"


def is_of_trace(name: str) -> bool:
    """Whether a column is an attribute of traces."""
    return name.startswith(TRACE_ATTRIBUTE)


def attribute_text(name: str, kind: str, value: str) -> str:
    """The element of an attribute."""
    return f'<{kind} key="{name.removeprefix(TRACE_ATTRIBUTE)}" value="{value}"/>'


def refuse_characters(texts: Iterable[str]) -> None:
    """Refuse text with characters that XML has no way to write."""
    for text in texts:
        if _NOT_IN_XML.search(text):
            raise OutputError(f"the label {text!r} has a character that XES cannot hold: write CSV or Parquet instead")
