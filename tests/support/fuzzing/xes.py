"""XES, against lxml."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from lxml import etree

from unsingle.formats import read_log
from unsingle.formats.opened import opened
from unsingle.formats.schema import XES_ACTIVITY, XES_CASE, XES_TIME
from unsingle.formats.wanted import Wanted
from unsingle.formats.xes import plain as xes_plain
from unsingle.formats.xes import strict as xes_strict
from unsingle.formats.xes.reader import usual_selection

from .base import Events, Input, Refused, Row, damaged, events_in
from .times import a_time

_NAMES = (
    "1",
    "2",
    "1",
    "a&gt;b",
    "a>b",
    "x y",
    "x\ty",
    "x&#9;y",
    "&#160;",
    "\u00a0",
    "ü",
    "&amp;lt;",
    "a'b",
    "&#x31;",
    "",
)
_LABELS = ("A", "B", "Triage", "a &amp; b", "a&lt;b", "&quot;", "two&#10;lines", "two\nlines", " s ", "é",
           "日本", "&#65;", "'", ">", "x" * 40, "\u3000", "")  # fmt: skip
_TOKENS = (b"<", b">", b"/>", b'"', b"'", b"&", b"&gt;", b"&#10;", b"&#xA0;", b"&#0;", b"&nbsp;",
           b"<!-- c -->", b"<!--", b"-->", b"<![CDATA[x]]>", b"]]>", b"<?p i?>", b"<trace>", b"</trace>",
           b"<event>", b"</event>", b"<trace/>", b"<event/>", b"</log>", b"<log>",
           b'<string key="concept:name" value="X"/>',
           b'<date key="time:timestamp" value="2024-01-01T00:00:00Z"/>', b'<string key="concept:name"/>',
           b'<list key="l"><values>', b"</values></list>", b"<!DOCTYPE log>", b' value="v"', b" key='k'",
           b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xef\xbb\xbf", b"\xc2\xa0", b"\xff", b"\0", b"\x0b", b"\r",
           b"\n", b"\t", b" ", b"xes:", b' xmlns:xes="u"', b' xmlns="u"', b"concept:name", b"time:timestamp",
           b"+01:99", b"x</string>", b"<string", b"<!ENTITY a 'b'>")  # fmt: skip
_KINDS = ("string", "string", "string", "date", "int", "float", "boolean", "id")
_ENCODINGS = ("UTF-8", "UTF-8", "UTF-8", "utf-8", "UTF8", "utf8", "ISO-8859-1", "US-ASCII")
_OPTIONS = {"case": XES_CASE, "activity": XES_ACTIVITY, "time": XES_TIME, "allow_line_ends": True}
_PARSER = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
}
_PREFIXES = "prefixes need no declaration: elements are known by their local names"
_RULES = {
    "amespace": _PREFIXES,
    "xmlns": _PREFIXES,
    "QName": _PREFIXES,
    "colons are forbidden": _PREFIXES,
    "Malformed declaration expecting version": "the version of XML does not matter",
    "String not closed expecting": "the version of XML does not matter",
    "Unsupported encoding": "UTF-8 may be spelled otherwise, and encodings may have Python's names",
}


class Xes:
    """XES of a few traces: plain ones, and such with all that XML allows."""

    name, suffix = "xes", ".xes"

    def make(self, random: Random) -> Input:
        plain = random.random() < 0.6
        content = _document(random, plain=plain)
        if random.random() < 0.7:
            content = damaged(random, content, _TOKENS)
        return Input(content, piece=random.choice((100, 300, 1 << 20)))

    def ours(self, path: Path, _given: Input, *, whole: bool) -> list[Row] | Events:
        if whole:
            return events_in(read_log(path, **_OPTIONS))
        wanted = Wanted(**_OPTIONS)
        source, selection = opened(path, "xes").source, usual_selection(wanted)
        if (log := xes_plain.read_plain(source, selection, wanted)) is not None:
            return events_in(log)
        return _cells(xes_strict._parsed(source, selection))

    def oracle(self, given: Input) -> Sequence[list[Row]]:
        try:
            root = etree.fromstring(given.content, etree.XMLParser(**_PARSER))
        except (etree.XMLSyntaxError, ValueError) as error:
            raise Refused(str(error)) from None
        if _local(root) != "log":
            raise Refused("no log")
        rows: list[Row] = []
        for number, trace in enumerate(each for each in root if _local(each) == "trace"):
            of_trace = _attributes(trace)
            name = of_trace.get("concept:name", ("nameless", number))
            for event in trace:
                if _local(event) == "event":
                    attributes = _attributes(event)
                    rows.append((name, attributes.get("concept:name"), attributes.get("time:timestamp")))
        return [rows]

    def rule(self, given: Input, refused: str) -> str | None:
        if "parsing attribute name" in refused and set(given.content) & {0xAA, 0xBA}:
            return "a name of an element, which does not matter, may have the letters ª and º"
        return next((rule for words, rule in _RULES.items() if words in refused), None)


def _cells(document: Any) -> list[Row]:
    """The cells that our strict reader found; a trace without a name has one that nobody can write."""
    rows = document.frame().rows()
    return [(_nameless(case), activity, time) for case, activity, time in rows]


def _nameless(case: str | None) -> Any:
    return ("nameless", int(case[1:])) if case is not None and case.startswith("\0") else case


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2].rpartition(":")[2]


def _attributes(parent: Any) -> dict[str, str]:
    """Key and value of the elements right below; what is deeper is not the parent's."""
    below = (each for each in parent if not (_local(parent) == "trace" and _local(each) == "event"))
    return {each.get("key"): each.get("value") for each in below if each.get("key") and each.get("value") is not None}


def _document(random: Random, *, plain: bool) -> bytes:
    encoding = "UTF-8" if plain else random.choice(_ENCODINGS)
    head = f'<?xml version="1.0" encoding="{encoding}"?>\n' if random.random() < 0.8 else ""
    gap = random.choice(("", "\n", "\n  ", "\r\n"))
    root = random.choice(("<log>", '<log xes.version="1.0" xmlns="http://www.xes-standard.org/">'))
    before = random.choice(
        (
            "",
            '<string key="concept:name" value="log"/>',
            '<global scope="event"><string key="concept:name" value="d"/></global>',
        )
    )
    traces = [_trace(random, gap, plain=plain) for _ in range(random.choice((1, 1, 2, 2, 3, 4)))]
    behind = random.choice(("", "", '<string key="concept:name" value="behind"/>'))
    if behind and random.random() < 0.5:
        traces.insert(random.randrange(len(traces) + 1), behind)
        behind = ""
    text = f"{head}{root}{gap}{before}{gap}{gap.join(traces)}{gap}{behind}</log>{random.choice(('', gap))}"
    return text.encode("utf-8" if encoding.lower() in ("utf-8", "utf8") else encoding, errors="xmlcharrefreplace")


def _trace(random: Random, gap: str, *, plain: bool) -> str:
    name = random.choice(_NAMES[:2] if plain and random.random() < 0.5 else _NAMES)
    parts = [_attribute(random, "string", "concept:name", name, plain=plain)]
    parts += [_event(random, gap, plain=plain) for _ in range(random.choice((0, 1, 1, 2, 3)))]
    if not plain and random.random() < 0.2:
        random.shuffle(parts)
    if random.random() < 0.05:
        parts = parts[1:]
    return _element(random, "trace", gap.join(parts), plain=plain)


def _event(random: Random, gap: str, *, plain: bool) -> str:
    parts = [
        _attribute(random, "string", "concept:name", random.choice(_LABELS), plain=plain),
        _attribute(random, "date", "time:timestamp", a_time(random, plain=plain or random.random() < 0.7), plain=plain),
    ]
    for _ in range(random.choice((0, 0, 0, 1, 2))):
        key = random.choice(("org:resource", "cost", "concept:nam", "concept:names", "k&amp;", "Concept:name"))
        parts.append(_attribute(random, random.choice(_KINDS), key, random.choice(_LABELS), plain=plain))
    random.shuffle(parts)
    return _element(random, "event", gap.join(parts), plain=plain)


def _element(random: Random, name: str, inside: str, *, plain: bool) -> str:
    if plain or random.random() < 0.7:
        return f"<{name}>{inside}</{name}>"
    extra = random.choice(("", " ", ' id="7"', ' xmlns:p="u"'))
    noise = random.choice(("", "text", "<!-- <event> -->", "<![CDATA[<trace>]]>", "<?p <event> ?>"))
    return f"<{name}{extra}>{noise}{inside}</{name} >"


def _attribute(random: Random, kind: str, key: str, value: str, *, plain: bool) -> str:
    if plain or random.random() < 0.5:
        return f'<{kind} key="{key}" value="{value}"/>'
    quote = '"' if "'" in value else random.choice("\"'")
    gap = random.choice((" ", "  ", "\n"))
    pairs = [f"key={quote}{key}{quote}", f"value={quote}{value}{quote}"]
    random.shuffle(pairs)
    if random.random() < 0.2:
        nested = '<string key="concept:name" value="nested"/>'
        return f"<{kind}{gap}{gap.join(pairs)}>{nested}</{kind}>"
    return f"<{kind}{gap}{gap.join(pairs)}{random.choice(('', ' '))}/>"
