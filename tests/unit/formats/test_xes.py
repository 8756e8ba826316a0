"""XES: what we write is valid and comes back cell for cell; what others write is read, however unusual."""

from __future__ import annotations

import gzip
import io
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, examples, log_of
from unsingle import EventLog, FormatError, LogError, OutputError, UnsingleError, read_log, write_log
from unsingle.core.clock import EARLIEST, LATEST, SECOND

NAMESPACE = "{http://www.xes-standard.org/}"
ODD = [
    "a,b",
    'say "hi"',
    "<&>'",
    "two\nlines",
    "tab\tcr\r",
    "🏥 é 中",
    " spaces ",
    "&amp;",
    "]]>",
    "a\u2028b\x85c",
    "+",
]

# Any text that XML can hold and that is not blank.
LABELS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff", min_codepoint=32)
    | st.sampled_from("\n\r\t"),
    min_size=1,
    max_size=8,
).filter(lambda text: text.strip() != "")
TIMES = st.integers(EARLIEST + 10**14, LATEST) | st.integers(0, 2 * 10**12) | st.sampled_from([0, -1, 999])
ZONES = st.sampled_from(["UTC", "+05:30", "-11:00", "Europe/Berlin", "America/New_York"])


@st.composite
def odd_logs(draw: st.DrawFn) -> EventLog:
    """Logs with any labels at any times in any zone."""
    labels = draw(st.lists(LABELS | st.sampled_from(ODD), min_size=1, max_size=4, unique=True))
    paths = draw(st.lists(st.lists(st.sampled_from(labels), min_size=1, max_size=4), min_size=1, max_size=4))
    times = [sorted(draw(st.lists(TIMES, min_size=len(path), max_size=len(path)))) for path in paths]
    return log_of(list(zip(paths, times, strict=True)), draw(ZONES))


def written(log: EventLog, folder: Path, name: str = "log.xes") -> bytes:
    write_log(log, folder / name, force=True)
    return (folder / name).read_bytes()


@examples(150)
@given(odd_logs(), st.sampled_from(["log.xes", "log.xes.gz"]))
def test_every_log_comes_back_cell_for_cell(tmp_path_factory: pytest.TempPathFactory, log: EventLog, name: str) -> None:
    folder = tmp_path_factory.mktemp("round")
    written(log, folder, name)
    assert read_log(folder / name, allow_line_ends=True) == log


@examples(100)
@given(odd_logs())
def test_a_strict_parser_reads_what_is_written(tmp_path_factory: pytest.TempPathFactory, log: EventLog) -> None:
    root = ElementTree.fromstring(written(log, tmp_path_factory.mktemp("strict")))
    cases = []
    for trace in root.iter(f"{NAMESPACE}trace"):
        events = [{each.get("key"): each.get("value") for each in event} for event in trace.iter(f"{NAMESPACE}event")]
        times = [datetime.fromisoformat(str(event["time:timestamp"])) for event in events]
        since = [(time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1) for time in times]
        cases.append((tuple(event["concept:name"] for event in events), tuple(since)))
    assert cases == cases_of(log)


def test_the_document_is_valid_xes(tmp_path: Path) -> None:
    """The order and the attributes that the schema of IEEE 1849-2016 asks for, and nothing but case, activity, time."""
    root = ElementTree.fromstring(written(log_of([(ODD, range(len(ODD))), (["B"], [5])], "+02:00"), tmp_path))
    assert root.tag == f"{NAMESPACE}log"
    assert re.fullmatch(r"\d+\.\d+", root.attrib.pop("xes.version"))
    assert set(root.attrib) <= {"xes.features"}
    tags = [child.tag.removeprefix(NAMESPACE) for child in root]
    assert tags == ["extension", "extension", "global", "global", "classifier", "trace", "trace"]
    for extension in root.iter(f"{NAMESPACE}extension"):
        prefix = extension.attrib["prefix"]
        assert extension.attrib == {
            "name": prefix.title(),
            "prefix": prefix,
            "uri": f"http://www.xes-standard.org/{prefix}.xesext",
        }
    scopes = {each.get("scope"): [child.get("key") for child in each] for each in root.iter(f"{NAMESPACE}global")}
    assert scopes == {"trace": ["concept:name"], "event": ["concept:name", "time:timestamp"]}
    [classifier] = root.iter(f"{NAMESPACE}classifier")
    assert classifier.attrib == {"name": "Activity", "keys": "concept:name"}
    for number, trace in enumerate(root.iter(f"{NAMESPACE}trace"), start=1):
        name, *events = trace
        assert name.attrib == {"key": "concept:name", "value": str(number)}
        for event in events:
            assert [(each.tag.removeprefix(NAMESPACE), each.get("key")) for each in event] == [
                ("string", "concept:name"),
                ("date", "time:timestamp"),
            ]
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+02:00", event[1].attrib["value"])


def test_a_strict_parser_of_another_make_reads_it_too(tmp_path: Path) -> None:
    etree = pytest.importorskip("lxml.etree")
    root = etree.fromstring(written(log_of([(ODD, range(len(ODD)))]), tmp_path))
    assert root.xpath("//*[local-name()='event']/*[@key='concept:name']/@value") == ODD


@pytest.mark.parametrize("bad", ["\0", "\x1b[31m", "\ufffe"])
def test_characters_that_xml_cannot_hold_are_refused_and_nothing_is_written(bad: str, tmp_path: Path) -> None:
    log = log_of([([f"A{bad}"], [0])])
    with pytest.raises(OutputError, match="cannot hold: write CSV or Parquet instead"):
        write_log(log, tmp_path / "log.xes")
    assert list(tmp_path.iterdir()) == []
    for other in ("log.csv", "log.parquet"):
        write_log(log, tmp_path / other)
        assert read_log(tmp_path / other) == log


# --- what others write -------------------------------------------------------------------------------------------

DECLARED = '<?xml version="1.0" encoding="UTF-8"?>'


def attribute(key: str, value: str, kind: str = "string", inside: str = "") -> str:
    return (
        f'<{kind} key="{key}" value="{value}">{inside}</{kind}>' if inside else f'<{kind} key="{key}" value="{value}"/>'
    )


def event(label: str = "A", second: int = 0, more: str = "") -> str:
    time = attribute("time:timestamp", f"1970-01-01T00:00:{second:02}.000+00:00", "date")
    return f"<event>{attribute('concept:name', label)}{time}{more}</event>\n"


def trace(*events: str, name: str | None = "1") -> str:
    named = attribute("concept:name", name) if name is not None else ""
    return f"<trace>{named}\n{''.join(events)}</trace>\n"


def document(*traces: str, head: str = DECLARED) -> str:
    return f'{head}\n<log xes.version="1.0" xmlns="http://www.xes-standard.org/">\n{"".join(traces)}</log>\n'


def read_text(text: str | bytes, tmp_path: Path, **options: Any) -> EventLog:
    path = tmp_path / "log.xes"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_log(path, **options)


def paths(log: EventLog) -> list[str]:
    return ["".join(path) for path, _ in cases_of(log)]


PLAIN = document(trace(event("A"), event("B", 1)), trace(event("C"), name="2"))

UNUSUAL = {
    "single quotes": PLAIN.replace('"', "'"),
    "a prefix for the namespace": re.sub(r"<(/?)(?=[a-z])", r"<\1x:", PLAIN).replace("xmlns=", "xmlns:x="),
    "no declaration": PLAIN.removeprefix(DECLARED),
    "a mark of the byte order": "\ufeff" + PLAIN,
    "windows lines": PLAIN.replace("\n", "\r\n"),
    "old mac lines": PLAIN.replace("\n", "\r"),
    "one line": PLAIN.replace("\n", ""),
    "much space": PLAIN.replace("<", "\n \t<").replace("/>", " \n />").lstrip(),
    "space in tags": PLAIN.replace("<event>", "<event\n>").replace("</trace>", "</trace >").replace("=", " = "),
    "value before key": re.sub(r'(key="[^"]*") (value="[^"]*")', r"\2 \1", PLAIN),
    "comments": PLAIN.replace("<event>", "<!-- <event></event></trace> --><event>"),
    "sections of text": PLAIN.replace("<event>", "<![CDATA[<event></trace>]]><event>"),
    "text between": PLAIN.replace("<event>", "some text<event>"),
    "instructions": PLAIN.replace("<event>", "<?do </trace> ?><event>"),
    "open tags": re.sub(r"<(string|date)([^>]*)/>", r"<\1\2></\1>", PLAIN),
    "attributes in attributes": PLAIN.replace(
        "<event>", "<event>" + attribute("x", "1", inside=attribute("concept:name", "deep", inside=attribute("y", "2")))
    ),
    "lists": PLAIN.replace(
        "<event>", f'<event><list key="l"><values>{attribute("concept:name", "in a list")}</values></list>'
    ),
    "events in a list": PLAIN.replace("<trace>", f'<trace><list key="l"><values>{event("no")}</values></list>'),
    "globals": PLAIN.replace("<trace>", f'<global scope="event">{attribute("concept:name", "no")}</global><trace>', 1),
    "attributes of the log": PLAIN.replace("</log>", attribute("concept:name", "the log") + "</log>"),
    "attributes of traces behind events": document(
        f"<trace>{event('A')}{event('B', 1)}{attribute('concept:name', '1')}</trace>", trace(event("C"), name="2")
    ),
    "attributes without a value": PLAIN.replace("<event>", '<event><string key="x"/><other/>'),
    "unknown types": PLAIN.replace("<string", "<text").replace("</string", "</text"),
    "references": PLAIN.replace('value="A"', 'value="&#65;"').replace('key="concept:name"', 'key="concept&#x3A;name"'),
    "empty traces": PLAIN.replace("<trace>", "<trace></trace><trace/><trace>", 1),
    "more attributes": PLAIN.replace("<event>", "<event>" + attribute("who", "Ann") + attribute("cost", "1", "int")),
    "all on the classifier": PLAIN.replace("<trace>", '<classifier name="c" keys="concept:name"/><trace>', 1),
    "events out of order": document(trace(event("B", 1), event("A")), trace(event("C"), name="2")),
    "traces without names": document(trace(event("A"), event("B", 1), name=None), trace(event("C"), name=None)),
    "traces of one name": document(trace(event("A")), trace(event("C"), name="2"), trace(event("B", 1))),
    "a name that is not text": PLAIN.replace('<trace><string', '<trace><int'),
    "the last of two": PLAIN.replace("<event>", "<event>" + attribute("concept:name", "first")),
    "no namespace": PLAIN.replace(' xmlns="http://www.xes-standard.org/"', ""),
    "version 1.1": PLAIN.replace('version="1.0" enc', 'version="1.1" enc'),
}  # fmt: skip


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_unusual_documents_mean_the_same(text: str, tmp_path: Path) -> None:
    expected = [(("A", "B"), (0, SECOND)), (("C",), (0,))]
    assert cases_of(read_text(text, tmp_path)) == expected


ENCODINGS = {
    "ISO-8859-1": "ISO-8859-1", "windows-1252": "windows-1252", "UTF-16": "utf-16", "utf-16le with mark": "utf-16",
    "UTF-8": "utf-8", "iso-8859-15": "iso-8859-15",
}  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_declared_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    declared = encoding.split()[0].replace("utf-16le", "UTF-16")
    text = document(trace(event("Café"), event("B", 1)), head=f'<?xml version="1.0" encoding="{declared}"?>')
    assert read_text(text.encode(ENCODINGS[encoding]), tmp_path).labels == ("Café", "B")


def test_white_space_in_values_is_what_xml_says(tmp_path: Path) -> None:
    events = event("a\nb\tc\r\nd"), event("a&#10;b&#9;c&#13;", 1), event("&lt;&amp;lt;", 2)
    log = read_text(document(trace(*events)), tmp_path, allow_line_ends=True)
    assert log.labels == ("a b c d", "a\nb\tc\r", "<&lt;")


def test_ties_keep_the_order_of_the_file(tmp_path: Path) -> None:
    assert paths(read_text(document(trace(*map(event, "DBCA"))), tmp_path)) == ["DBCA"]


def test_long_documents_with_characters_of_several_bytes(tmp_path: Path) -> None:
    """Longer than any piece that is read at once, so that pieces end inside of tags and of characters."""
    labels = [f"{'é🏥' * (i % 7)}{i % 50}" for i in range(90_000)]
    traces = [trace(*map(event, labels[i : i + 60]), name=f"Ü{i}") for i in range(0, len(labels), 60)]
    text = document(*traces)
    assert len(text.encode()) > 10 << 20
    log = read_text(text, tmp_path)
    assert log.activity_names().tolist() == labels
    assert log.n_cases == 1500


def test_gzip_is_recognised_whatever_the_name(tmp_path: Path) -> None:
    assert paths(read_text(gzip.compress(PLAIN.encode()), tmp_path)) == ["AB", "C"]
    (tmp_path / "log.xes.gz").write_text(PLAIN)
    assert paths(read_log(tmp_path / "log.xes.gz")) == ["AB", "C"]
    half = len(PLAIN) // 2
    members = gzip.compress(PLAIN[:half].encode()) + gzip.compress(PLAIN[half:].encode())
    assert paths(read_text(members, tmp_path)) == ["AB", "C"]
    assert paths(read_text(members + bytes(100), tmp_path)) == ["AB", "C"]


# --- what is written in several ways, or nearly right ------------------------------------------------------------

SAME_NAMES = [
    ("a>b", "a&gt;b"), ("it's", "it&apos;s"), ("x &amp; y", "x &amp; y"), ("a b", "a\tb"), ("a b", "a\r\nb"),
    ("\u3000x &gt;", "\u3000x >"), ("long" * 9 + "&lt;", "long" * 9 + "&lt;"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "other"), SAME_NAMES)
def test_names_of_traces_are_compared_as_they_are_meant(name: str, other: str, tmp_path: Path) -> None:
    text = document(trace(event("A"), name=name), trace(event("C"), name="2"), trace(event("B", 1), name=other))
    assert paths(read_text(text, tmp_path)) == ["AB", "C"]


@pytest.mark.parametrize(("name", "other"), [("a&amp;gt;b", "a&gt;b"), ("a", "a "), ("\u3000a", "a")])
def test_names_that_look_alike_are_two(name: str, other: str, tmp_path: Path) -> None:
    text = document(trace(event("A"), name=name), trace(event("B"), name=other))
    assert paths(read_text(text, tmp_path)) == ["A", "B"]


def test_what_stands_behind_a_trace_is_not_its_name(tmp_path: Path) -> None:
    of_log = attribute("concept:name", "2")
    text = document(trace(event("A"), name=None), of_log, trace(event("B"), name="2"), trace(event("C"), name="3"))
    assert paths(read_text(text, tmp_path)) == ["A", "B", "C"]
    text = document(trace(event("A")), of_log, trace(event("B"), name="3"))
    assert paths(read_text(text, tmp_path)) == ["A", "B"]


def with_time(time: str) -> str:
    return PLAIN.replace("1970-01-01T00:00:01.000+00:00", time)


REFUSED = {
    "U+FFFE in a label": (PLAIN.replace('"B"', '"B\ufffe"'), r"line 5, column 43: the character there \(U\+FFFE or"),
    "U+FFFF in another cell": (document(trace(event(more=attribute("x", "\uffff")))), "that XML does not allow"),
    "a name of no-break spaces": (document(trace(event(), name="\xa0\xa0")), "1 of 1 events have no case .* line 4"),
    "a name of wide spaces": (document(trace(event(), name="\u3000\u2003")), "1 of 1 events have no case"),
    "99 minutes": (with_time("2024-01-01T00:00:00+01:99"), r"1 of 3 times .* such as '2024.*\+01:99'\), .* line 5"),
    "60 minutes": (with_time("2024-01-01T00:00:00.000-01:60"), "1 of 3 times cannot be read"),
    "objects": (document("<objects/>", trace(event())), r"is an object-centric log \(OCEL\)"),
    "an event with a prefix": (document("<x:event/>", trace(event())), "line 3 has an event outside of any trace"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_a_real_parser_refuses_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=message):
        read_text(text, tmp_path)


@pytest.mark.parametrize("spelled", ["UTF8", "utf8", "utf_8"])
@pytest.mark.parametrize("quotes", ['"', "'"])
def test_utf_8_may_be_spelled_otherwise(spelled: str, quotes: str, tmp_path: Path) -> None:
    text = document(trace(event("Café")), head=f'<?xml version="1.0" encoding="{spelled}"?>').replace('"', quotes)
    assert read_text(text, tmp_path).labels == ("Café",)
    with pytest.raises(FormatError, match="line 4, column 45: the text is not in the encoding that it declares"):
        read_text(text.encode("latin-1"), tmp_path)


@pytest.mark.parametrize(
    ("more", "activity", "label"),
    [
        (attribute("a>b", "X") + attribute("a&gt;b", "Y"), "a>b", "Y"),
        (attribute("a b", "X") + attribute("a\tb", "Y"), "a b", "Y"),
        (attribute("a&amp;b", "X"), "a&b", "X"),
        (attribute("a&amp;b", "X") + attribute("a&amp;amp;b", "Y"), "a&amp;b", "Y"),
        (attribute("case:concept:name", "X"), "case:concept:name", "1"),
        (attribute("case:ward", "X"), "case:ward", "north"),
    ],
)
def test_keys_are_compared_as_they_are_meant(more: str, activity: str, label: str, tmp_path: Path) -> None:
    text = document(trace(event("A", more=more))).replace("<trace>", "<trace>" + attribute("ward", "north"))
    assert read_text(text, tmp_path, activity=activity).labels == (label,)


# --- columns -----------------------------------------------------------------------------------------------------

WARD = document(
    *(
        f"<trace>{attribute('concept:name', name)}{attribute('patient', patient)}"
        + event("A", 0, attribute("ward", ward) + attribute("lifecycle:transition", "start"))
        + event("B", 1, attribute("ward", ward) + attribute("lifecycle:transition", "COMPLETE"))
        + "</trace>"
        for name, patient, ward in (("1", "Ann", "x"), ("2", "Bob", "y"), ("3", "Ann", "x"))
    )
)


@pytest.mark.parametrize(
    ("case", "cases"),
    [
        (None, 3),
        ("case:concept:name", 3),
        ("case:patient", 2),
        ("patient", 2),
        ("ward", 2),
        ("lifecycle:transition", 2),
    ],
)
def test_a_case_may_be_told_by_traces_or_by_events(case: str | None, cases: int, tmp_path: Path) -> None:
    assert read_text(WARD, tmp_path, **({"case": case} if case else {})).n_cases == cases


def test_other_columns_of_events(tmp_path: Path) -> None:
    assert read_text(WARD, tmp_path, activity="ward").labels == ("x", "y")
    assert read_text(WARD, tmp_path, activity="ward+concept:name").labels == ("x+A", "x+B", "y+A", "y+B")
    assert paths(read_text(WARD, tmp_path, lifecycle="complete")) == ["B", "B", "B"]


def test_names_that_are_not_those_of_xes_are_found(tmp_path: Path) -> None:
    other = PLAIN.replace("time:timestamp", "Complete Timestamp").replace(
        '<event><string key="concept:name"', '<event><string key="Task"'
    )
    log = read_text(other, tmp_path)
    assert log.source[:3] == ("case:concept:name", "Task", "Complete Timestamp")
    assert paths(log) == ["AB", "C"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"activity": "x"}, "no column 'x' for the activity: .*: 'case:concept:name', 'case:patient', 'concept:name'"),
        ({"time": "x"}, "no column 'x' for the time"),
        ({"case": "x"}, "no column 'x' for the case"),
        ({"activity": "ward+x"}, "no column 'x' for the activity"),
        ({"lifecycle": "resume"}, "no event has the lifecycle 'resume'; there are: 'COMPLETE', 'start'"),
    ],
)  # fmt: skip
def test_columns_that_are_not_there_list_those_that_are(options: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=message):
        read_text(WARD, tmp_path, **options)


@pytest.mark.parametrize("options", [{}, {"activity": "Task"}])
def test_a_pipe_may_have_other_names_too(options: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    other = PLAIN.replace('<event><string key="concept:name"', '<event><string key="Task"')
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(other.encode())))
    assert paths(read_log("-", format="xes", **options)) == ["AB", "C"]


# --- damage ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", range(1, len(PLAIN) - 7, 7))
def test_a_document_cut_anywhere_is_refused(end: int, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"truncated|not XML|empty"):
        read_text(PLAIN[:end], tmp_path)


def seen_by_a_strict_parser(text: bytes) -> list[tuple[tuple[str, ...], tuple[str, ...]]] | None:
    """The labels and times of all traces as Python's own parser sees them; None if the text is not XML."""
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError, LookupError):
        return None
    cases: dict[object, list[tuple[str, str]]] = {}
    for number, element in enumerate(child for child in root if local(child) == "trace"):
        named = [each.get("value") for each in element if each.get("key") == "concept:name" and local(each) != "event"]
        events = cases.setdefault(named[-1] if named else number, [])
        for each in element:
            if local(each) == "event":
                values = {child.get("key"): child.get("value") for child in each if child.get("value") is not None}
                events.append((str(values.get("time:timestamp")), str(values.get("concept:name"))))
    ordered = [sorted(events, key=lambda pair: pair[0]) for events in cases.values() if events]
    return [(tuple(label for _, label in events), tuple(time for time, _ in events)) for events in ordered]


def local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


PIECES = [
    b"<", b">", b"/", b'"', b"'", b"&", b"&amp;", b"<!--", b"-->", b"<event>", b"</event>", b"<trace>", b"</trace>",
    b"<string ", b"/>", b'key="', b'value="', b"\xc3\xa9", b"\xff", b"\0", b"\n", b" ", b"=", b"]]>", b"<![CDATA[",
]  # fmt: skip


def damaged(rng: random.Random) -> bytes:
    """The plain document with something cut out, put in or doubled."""
    text = bytearray(PLAIN.replace("\n", "\n  ").encode())
    for _ in range(rng.choice([1, 1, 2, 3])):
        at, length = rng.randrange(len(text)), rng.choice([0, 1, 1, 5, 40])
        text[at : at + length] = rng.choice([*PIECES, bytes(text[at : at + length]) * 2, b""])
    return bytes(text)


@pytest.mark.parametrize("seed", range(20))
def test_damaged_documents_are_read_as_a_strict_parser_reads_them_or_not_at_all(seed: int, tmp_path: Path) -> None:
    """Never a wrong event, never an error that is not ours."""
    rng = random.Random(seed)
    for _ in range(50):
        text = damaged(rng)
        log = read_or_message(text, tmp_path)
        if isinstance(log, str):
            assert len(log.splitlines()) == 1
            continue
        expected = seen_by_a_strict_parser(text)
        assert expected is not None, text
        moments = [(labels, tuple(map(milliseconds, times))) for labels, times in expected]
        assert cases_of(log) == moments, text


def read_or_message(text: bytes, tmp_path: Path) -> EventLog | str:
    try:
        return read_text(text, tmp_path)
    except UnsingleError as error:
        return str(error)


def milliseconds(time: str) -> int:
    return (datetime.fromisoformat(time) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


# Ways to write a name, a time, and what else stands in events and traces: the first ones as most programs do.
USUAL = 4
NAME = 'key="concept:name"'
LABELLED = [f'<string {NAME} value="{label}"/>' for label in ("A", "B é", "x &gt; &amp;amp; &apos;y", "C > 'y'")] + [
    f'<string {NAME} value="two\nlines\tand\r\nmore"/>', f'<string {NAME} value="&#65;&#x42;"/>',
    f'<string value="D" {NAME}/>',
    "<string key='concept:name' value='C'/>", f'<int {NAME} value="7"/>', f'<string {NAME} value="E" />',
    f'<string  {NAME} value="F"/>', f'<string {NAME} value="G"></string>', f'<string {NAME} value="H" extra="1"/>',
    f'<string {NAME} value="I"><string {NAME} value="J"/></string>', f'<string {NAME} value=""/>',
    f"<string {NAME}/>", "",
]  # fmt: skip
MOMENTS = [
    "2024-02-29T23:59:00.000+01:00", "2024-02-29T23:58:59Z", "2024-02-29T23:59:59.999Z", "1969-12-31T23:59:59-05:30",
    "2024-02-29", "2024-02-29T23:59:59.123456+00:00", "0001-02-03T00:00:00+00:00", "2023-02-29T00:00:00Z",
    "2024-02-29T24:00:00Z", "2024-02-29T00:00:00+25:00", "soon", "",
]  # fmt: skip
TIMED = [f'<date key="time:timestamp" value="{moment}"/>' for moment in MOMENTS]
MORE = [
    "", '<string key="org:resource" value="Ann"/>', '<float key="cost" value="1.50"/>', "\n\t\t", "<!-- a note -->",
    f'<list key="l"><string {NAME} value="no"/></list>', "<other/>", "text", "<![CDATA[<event>]]>",
]  # fmt: skip
NAMED = [f'<string {NAME} value="{name}"/>' for name in ("case 1", "case 2", "case 3", "case 4", "", " ", " x")] + [""]


def composed(rng: random.Random) -> str:
    """A document of random parts: all usual, or some of them unusual or wrong."""
    odd = rng.choice([0, 0.02, 0.1])

    def of(choices: list[str]) -> str:
        return rng.choice(choices if rng.random() < odd else choices[:USUAL])

    traces = []
    for _ in range(rng.randint(1, 4)):
        events = [
            f"<event>{of(MORE)}{of(LABELLED)}{of(MORE)}{of(TIMED)}{of(MORE)}</event>{rng.choice(['', chr(10), ' '])}"
            for _ in range(rng.choice([0, 1, 2, 5]))
        ]
        traces.append(f"<trace>{of(NAMED)}{of(MORE)}{''.join(events)}</trace>\n")
    return document(*traces)


def meant(text: str) -> list[tuple[tuple[str, ...], tuple[int, ...]]] | None:
    """The cases of a document as a strict parser and Python's calendar see them; None if a cell is missing or wrong."""
    cases: dict[object, list[tuple[int, str]]] = {}
    for number, element in enumerate(child for child in ElementTree.fromstring(text) if local(child) == "trace"):
        named = [each.get("value") for each in element if each.get("key") == "concept:name"]
        events = [child for child in element if local(child) == "event"]
        if named and events and not str(named[-1]).strip():
            return None
        for values in ({each.get("key"): each.get("value") for each in event if each.get("value")} for event in events):
            label, time = values.get("concept:name"), values.get("time:timestamp")
            try:
                moment = datetime.fromisoformat(time or "")
            except ValueError:
                return None
            if not label:
                return None
            since = moment.replace(tzinfo=moment.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)
            cases.setdefault(named[-1] if named else number, []).append((since // timedelta(milliseconds=1), label))
    ordered = [sorted(events, key=lambda pair: pair[0]) for events in cases.values()]
    return [(tuple(label for _, label in each), tuple(time for time, _ in each)) for each in ordered] or None


@pytest.mark.parametrize("seed", range(20))
def test_documents_of_all_styles_mean_what_a_strict_parser_sees(seed: int, tmp_path: Path) -> None:
    """Read if and only if every cell is there, and then cell for cell; also where the fast way of reading gives up."""
    rng = random.Random(seed)
    outcomes = set()
    for _ in range(50):
        text = composed(rng)
        expected, log = meant(text), read_or_message(text.encode(), tmp_path)
        outcomes.add(expected is None)
        assert (None if isinstance(log, str) else cases_of(log)) == expected, text
    assert outcomes == {True, False}


def test_writing_many_events_loses_none(tmp_path: Path) -> None:
    """More than are put together at once, in few long and in many short cases."""
    sizes = np.array([150_000, 1, 70_000] + [3] * 30_000)
    rng = np.random.default_rng(1)
    log = EventLog.from_events(
        np.repeat(np.arange(len(sizes)), sizes),
        rng.integers(0, 3, sizes.sum()),
        np.arange(sizes.sum()) * 977,
        ["A", "<", "é"],
    )
    for name in ("log.xes.gz", "log.csv", "log.parquet"):
        write_log(log, tmp_path / name)
        assert read_log(tmp_path / name) == log
