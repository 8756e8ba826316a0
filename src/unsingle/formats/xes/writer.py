"""Writing logs as XES (IEEE 1849): case, activity, time and public columns of every event, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import BinaryIO

from ...core.log import EventLog
from ...errors import OutputError
from ..schema import TRACE_ATTRIBUTE, XES_ACTIVITY, XES_CASE, XES_TIME, public_columns
from .words import trace_text

Types = Mapping[str, str]
"""The XES type of each attribute."""

ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
"""What may not stand in an attribute's value as it is."""

_ESCAPED = str.maketrans(ESCAPES)

RELEASE_TYPES: Types = {XES_CASE: "string", XES_ACTIVITY: "string", XES_TIME: "date"}
"""The attributes that every log has."""

_NAMESPACE = "http://www.xes-standard.org/"
_EXTENSIONS = {"concept": "Concept", "lifecycle": "Lifecycle", "org": "Organizational", "time": "Time"}
_DEFAULTS = {"date": "1970-01-01T00:00:00.000+00:00", "string": ""}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_xes(log: EventLog, stream: BinaryIO) -> None:
    """Write the log; cases are numbered from 1. Public columns go the slower way through frames."""
    if public_columns(log):
        from .frames import write_xes_chunks  # brings polars along

        write_xes_chunks(log, stream)
        return
    refuse_characters(log.labels)
    stream.write(head(RELEASE_TYPES).rstrip().encode())
    for text in trace_text(log, [label.translate(_ESCAPED) for label in log.labels]):
        stream.write(text)
    stream.write(b"\n</log>\n")


def head(types: Types) -> str:
    """What stands before the first trace: the extensions that are used, globals and a classifier."""
    prefixes = sorted({name.removeprefix(TRACE_ATTRIBUTE).split(":")[0] for name in types} & set(_EXTENSIONS))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<log xes.version="1849.2016" xmlns="{_NAMESPACE}">']
    lines += [
        f'<extension name="{_EXTENSIONS[prefix]}" prefix="{prefix}" uri="{_NAMESPACE}{prefix}.xesext"/>'
        for prefix in prefixes
    ]
    for scope, of_trace in (("trace", True), ("event", False)):
        names = [name for name in RELEASE_TYPES if is_of_trace(name) == of_trace]
        values = "".join(attribute_text(name, RELEASE_TYPES[name], _DEFAULTS[RELEASE_TYPES[name]]) for name in names)
        lines.append(f'<global scope="{scope}">{values}</global>')
    lines.append(f'<classifier name="Activity" keys="{XES_ACTIVITY}"/>')
    return "\n".join(lines) + "\n"


def is_of_trace(name: str) -> bool:
    """Whether a column is an attribute of traces."""
    return name.startswith(TRACE_ATTRIBUTE)


def attribute_text(name: str, type_: str, value: str) -> str:
    """The element of an attribute."""
    return f'<{type_} key="{name.removeprefix(TRACE_ATTRIBUTE).translate(_ESCAPED)}" value="{value}"/>'


def refuse_characters(texts: Iterable[str]) -> None:
    """Refuse text with characters that XML has no way to write."""
    for text in texts:
        if _NOT_IN_XML.search(text):
            raise OutputError(f"the text {text!r} has a character that XES cannot hold: write CSV or Parquet instead")
