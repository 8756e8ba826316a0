"""Reading XES with a real XML parser: slower, but whatever is in it is understood, or said to be wrong and where."""

from __future__ import annotations

from dataclasses import replace
from xml.parsers import expat

import polars as pl

from ...core.columns import TRACE_ATTRIBUTE, Kind
from ...core.log import SourceColumns
from ...errors import FormatError
from ..kept import kind_by_types
from ..schema import XES_CASE, Row
from ..selection import Selection, select_columns
from ..sniff import OBJECT_CENTRIC
from ..source import Source
from ..tables.assemble import Table
from ..tables.columns import NAMELESS
from ..wanted import Wanted
from .document import NOT_IN_XML, is_object_centric, local_name, parser_of

_ENDS_EARLY = {"no element found", "unclosed token", "unclosed CDATA section", "partial character"}


def strict_table(source: Source, selection: Selection, wanted: Wanted) -> tuple[Table, Selection]:
    """The selected attributes, or those with usual names if these are not there."""
    document = _parsed(source, selection)
    if not document.has(selection):
        wanted = _naming_trace(wanted, document.names)
        selection = select_columns(document.names, wanted, source.shown)
        document = _parsed(source, selection)
    table = Table(document.frame(), source.shown, document.where, document.kinds(selection, source.shown))
    return table, selection.among(document.names, wanted)


def attribute_names(source: Source) -> list[str]:
    """The keys of all attributes: of events, of traces (after ``case:``) and of the log (after ``log:``)."""
    document = _parsed(source, Selection(SourceColumns(XES_CASE, XES_CASE, XES_CASE), (), None))
    return [*document.names, *sorted(f"log:{key}" for key in document.seen_of_log)]


def log_attributes(source: Source) -> dict[str, str]:
    """The attributes of the log that stand before its first trace; of nothing else anything is kept."""
    document = _Head(source.shown, Selection(SourceColumns(XES_CASE, XES_CASE, XES_CASE), (), None))
    for chunk in source.chunks():
        document.feed(chunk)
        if document.begun:
            break
    return document.of_log


def first_events(source: Source, most: int) -> tuple[list[str], list[Row]]:
    """The keys that the first pieces of a document have, and its first events with the attributes of their traces."""
    document = _Head(source.shown, Selection(SourceColumns(XES_CASE, XES_CASE, XES_CASE), (), None))
    for chunk in source.chunks():
        document.feed(chunk)
        if document.events:
            break
    else:
        document.feed(b"", final=True)
    return document.names, [{**trace, **event} for trace, event in document.events[:most]]


def _parsed(source: Source, selection: Selection) -> _Document:
    document = _Document(source.shown, selection)
    for chunk in source.chunks():
        document.feed(chunk)
    document.feed(b"", final=True)
    return document


def _naming_trace(wanted: Wanted, names: list[str]) -> Wanted:
    """The same, with ``case:`` before the case or the person where only traces have such an attribute."""

    def named(name: str | None) -> str | None:
        of_trace = f"{TRACE_ATTRIBUTE}{name}"
        return of_trace if name not in names and of_trace in names else name

    return replace(wanted, case=named(wanted.case), person=named(wanted.person))


class _Document:
    """Follows the elements of a document and notes one row per event.

    An XES log is log/trace/event/attribute; what is nested deeper belongs to an attribute and is not ours.
    """

    def __init__(self, shown: str, selection: Selection) -> None:
        self._shown = shown
        self._of_trace = [name for name in selection.names if name.startswith(TRACE_ATTRIBUTE)]
        self._of_event = [name for name in selection.names if not name.startswith(TRACE_ATTRIBUTE)]
        self._cells: dict[str, list[str | None]] = {name: [] for name in selection.names}
        self._own: dict[str, list[str | None]] = {name: [] for name in self._of_trace}
        self._lines: list[int] = []
        self._seen: set[str] = set()  # the keys of events
        self._types: dict[str, set[str]] = {name: set() for name in selection.kept}
        self._seen_of_traces: set[str] = set()
        self.seen_of_log: set[str] = set()
        self._consumed = 0
        self._depth = 0
        self._traces = 0
        self._in_trace = self._in_event = False
        self._trace: dict[str, str] = {}
        self._event: dict[str, str] = {}
        self._parser = self._new_parser(b"")

    def _new_parser(self, head: bytes) -> expat.XMLParserType:
        parser = parser_of(head)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        return parser

    def feed(self, chunk: bytes, *, final: bool = False) -> None:
        """Take the next bytes; with `final`, the document must be whole."""
        if self._consumed == 0:
            self._parser = self._new_parser(chunk)
        try:
            self._parser.Parse(chunk, final)
        except expat.ExpatError as error:
            raise FormatError(f"{self._shown}: {self._why(error, chunk)}") from None
        except (LookupError, ValueError) as error:  # of Python, which helps the parser with encodings
            raise FormatError(f"{self._shown}: its encoding cannot be read ({error}): save it as UTF-8") from None
        self._consumed += len(chunk)

    @property
    def names(self) -> list[str]:
        """The columns of the log as a table: keys of events, and ``case:`` before those of traces."""
        of_traces = {XES_CASE, *(f"{TRACE_ATTRIBUTE}{key}" for key in self._seen_of_traces)}
        return [*sorted(of_traces), *sorted(self._seen)]

    def has(self, selection: Selection) -> bool:
        """Whether every chosen column was seen; a log without events lacks none."""
        return not self._lines or set(selection.names) <= set(self.names)

    def frame(self) -> pl.DataFrame:
        """One row per event."""
        return pl.DataFrame(self._cells, schema=dict.fromkeys(self._cells, pl.String))

    def kinds(self, selection: Selection, source: str) -> dict[str, Kind]:
        """What the values of the further columns are, as their elements say."""
        return {name: kind_by_types(self._types[name], kept, source) for name, kept in selection.kept.items()}

    def where(self, row: int) -> str:
        """Where an event stands."""
        return f"line {self._lines[row]}"

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth == 4:
            if self._in_event and (key := attributes.get("key")) is not None:
                self._seen.add(key)
                if (value := attributes.get("value")) is not None:
                    self._event[key] = value
                    if key in self._types:
                        self._types[key].add(local_name(name))
        elif self._depth == 3:
            if self._in_trace and local_name(name) == "event":
                self._in_event = True
                self._lines.append(self._parser.CurrentLineNumber)
            elif self._in_trace and (key := attributes.get("key")) is not None:
                self._seen_of_traces.add(key)
                if (value := attributes.get("value")) is not None:
                    column = f"{TRACE_ATTRIBUTE}{key}"
                    self._trace[column] = value
                    if column in self._types:
                        self._types[column].add(local_name(name))
        elif self._depth == 2:
            self._in_trace = local_name(name) == "trace"
            if (key := attributes.get("key")) is not None:
                self.seen_of_log.add(key)
            self._refuse_strange(local_name(name), attributes)
        elif self._depth == 1 and local_name(name) != "log":
            kind = "an HTML page" if local_name(name).lower() == "html" else f"XML with the root <{name}>"
            raise FormatError(f"{self._shown}: is {kind}, not XES, whose root is <log>: download or export it again")

    def _end(self, _name: str) -> None:
        if self._depth == 3 and self._in_event:
            for name in self._of_event:
                self._cells[name].append(self._event.get(name))
            for name in self._of_trace:
                self._own[name].append(self._event.get(name))
            self._event = {}
            self._in_event = False
        elif self._depth == 2 and self._in_trace:
            self._end_trace()
        self._depth -= 1

    def _end_trace(self) -> None:
        """Give the events of the trace what it has; without a name, a trace is still a case of its own."""
        self._trace.setdefault(XES_CASE, f"{NAMELESS}{self._traces}")
        for name in self._of_trace:  # an event's own attribute may have such a name too
            value = self._trace.get(name)
            self._cells[name] += [value if value is not None else own for own in self._own[name]]
            self._own[name] = []
        self._traces += 1
        self._trace = {}

    def _refuse_strange(self, name: str, attributes: dict[str, str]) -> None:
        if is_object_centric(name, attributes):
            raise FormatError(f"{self._shown}: is an object-centric log (OCEL): {OBJECT_CENTRIC}")
        if name == "event":
            raise FormatError(
                f"{self._shown}: line {self._parser.CurrentLineNumber} has an event outside of any trace: "
                "put every event into the <trace> of its case"
            )

    def _doctype(self, name: str, *_: object) -> None:
        if name.lower() == "html":
            raise FormatError(f"{self._shown}: is an HTML page, not XES: download the log itself")
        raise FormatError(
            f"{self._shown}: has a document type (DTD), which XES does not need and which may be an attack: "
            "remove the <!DOCTYPE ...> part"
        )

    def _why(self, error: expat.ExpatError, chunk: bytes) -> str:
        reason = expat.errors.messages.get(error.code, str(error))
        at = f"line {error.lineno}, column {error.offset + 1}"
        if reason in _ENDS_EARLY:
            return f"the file ends early, at {at}, so it is truncated: get a whole copy"
        place = self._parser.ErrorByteIndex - self._consumed
        if place >= 0 and chunk[place : place + 3] in NOT_IN_XML:
            return f"{at}: the character there (U+FFFE or U+FFFF) is one that XML does not allow: take it out"
        not_text = 0 <= place < len(chunk) and chunk[place] >= 0x80
        if "encoding" in reason or ("invalid token" in reason and not_text):
            return f"{at}: the text is not in the encoding that it declares (UTF-8 if none): save it as UTF-8"
        if self._depth == 0 and self._traces == 0:
            return f"is not XML ({reason} at {at}): an XES file begins with <?xml or <log"
        return f"is not well-formed XML at {at} ({reason}): correct it or export it again"


class _Head(_Document):
    """Keeps all attributes of every event that it has seen, with those of its trace, and those of the log before."""

    def __init__(self, shown: str, selection: Selection) -> None:
        super().__init__(shown, selection)
        self.events: list[tuple[dict[str, str], dict[str, str]]] = []
        self.of_log: dict[str, str] = {}
        self.begun = False

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        super()._start(name, attributes)
        self.begun |= self._in_trace
        if self._depth == 2 and not self.begun and (key := attributes.get("key")) is not None:
            self.of_log[key] = attributes.get("value", "")

    def _end(self, name: str) -> None:
        if self._depth == 3 and self._in_event:
            self.events.append((self._trace, self._event))  # attributes of the trace may still come
        super()._end(name)
