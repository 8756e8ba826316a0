"""Writing logs as XES (IEEE 1849): case, activity, time and public columns of every event, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import BinaryIO

from ...core.columns import TRACE_ATTRIBUTE, Column
from ...core.log import EventLog
from ...errors import OutputError
from ..facts import PREFIX, FileFacts, as_texts
from ..labels import label_columns
from ..schema import XES_ACTIVITY, XES_CASE, XES_LIFECYCLE, XES_TIME, XES_TYPES, column_name, public_columns
from .words import WrittenColumn, trace_text

Types = Mapping[str, str]
"""The XES type of each attribute."""

XML_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
"""What may not stand in an attribute's value as it is."""

_ESCAPED = str.maketrans(XML_ESCAPES)

RELEASE_TYPES: Types = {XES_CASE: "string", XES_ACTIVITY: "string", XES_TIME: "date"}
"""The attributes that every log has."""

_NAMESPACE = "http://www.xes-standard.org/"
_EXTENSIONS = {"concept": "Concept", "lifecycle": "Lifecycle", "org": "Organizational", "time": "Time"}
_DEFAULTS = {"date": "1970-01-01T00:00:00.000+00:00", "string": ""}
_FACT_TYPES = {bool: "boolean", int: "int", float: "float"}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_xes(log: EventLog, stream: BinaryIO, facts: FileFacts | None = None) -> None:
    """Write the log with its public columns, and facts as attributes of the log; cases are numbered from 1."""
    labels, columns = label_columns(log), public_columns(log)
    types = {**RELEASE_TYPES, **dict.fromkeys(labels, "string")}
    types |= {column_name(column.field): XES_TYPES[column.field.kind] for column in columns}
    refuse_characters((*types, *chain(*labels.values()), *chain(*(column.texts for column in columns))))
    attributes = [_attribute(column) for column in columns]
    stream.write((head(types) + _attributes(facts or {})).rstrip().encode())
    for text in trace_text(log, _of_labels(labels), attributes):
        stream.write(text)
    stream.write(b"\n</log>\n")


def _attributes(facts: FileFacts) -> str:
    """Facts as attributes of the log, one in each line: lists as JSON, anything else with its type."""
    texts = as_texts(facts)
    refuse_characters((*texts, *texts.values()))
    types = {f"{PREFIX}{name}": _FACT_TYPES.get(type(value), "string") for name, value in facts.items()}
    return "".join(f"{_element(name, types[name], text.translate(_ESCAPED))}\n" for name, text in texts.items())


def _of_labels(labels: Mapping[str, Sequence[str]]) -> list[str]:
    """The attributes that follow from each label; they are of events, whatever their names begin with."""
    columns = [[_element(key, "string", text.translate(_ESCAPED)) for text in texts] for key, texts in labels.items()]
    return ["".join(elements) for elements in zip(*columns, strict=True)]


def _attribute(column: Column) -> WrittenColumn:
    """How the values of a column are written."""
    name, type_ = column_name(column.field), XES_TYPES[column.field.kind]
    before, after = attribute_text(name, type_, "\0").split("\0")
    return WrittenColumn(column, before, after, tuple(text.translate(_ESCAPED) for text in column.texts))


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
    if XES_LIFECYCLE in types:
        lines.append(f'<classifier name="Activity and lifecycle" keys="{XES_ACTIVITY} {XES_LIFECYCLE}"/>')
    return "\n".join(lines) + "\n"


def is_of_trace(name: str) -> bool:
    """Whether a column is an attribute of traces."""
    return name.startswith(TRACE_ATTRIBUTE)


def attribute_text(name: str, type_: str, value: str) -> str:
    """The element of an attribute."""
    return _element(name.removeprefix(TRACE_ATTRIBUTE), type_, value)


def _element(key: str, type_: str, value: str) -> str:
    return f'<{type_} key="{key.translate(_ESCAPED)}" value="{value}"/>'


def refuse_characters(texts: Iterable[str]) -> None:
    """Refuse text with characters that XML has no way to write."""
    for text in texts:
        if _NOT_IN_XML.search(text):
            raise OutputError(f"the text {text!r} has a character that XES cannot hold: write CSV or Parquet instead")
