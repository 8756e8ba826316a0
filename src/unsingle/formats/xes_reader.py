"""Reading XES (IEEE 1849), strictly, taking only what is asked for."""

from __future__ import annotations

from xml.parsers import expat

import polars as pl

from ..errors import ColumnError, FormatError
from ..log import Columns, EventLog
from .assemble import assemble
from .columns import XES_ACTIVITY, XES_CASE, XES_LIFECYCLE, XES_TIME, Selection, Wanted, activity_parts
from .files import Source

_TRACE_ATTRIBUTE = "case:"  # how tables of XES logs name the attributes of traces
_OCEL = {"object-types", "event-types", "objects", "events"}
_ENDS_EARLY = {"no element found", "unclosed token", "unclosed CDATA section", "partial character"}


def read_xes(source: Source, wanted: Wanted) -> EventLog:
    """Read the chosen attributes of all events of an XES document."""
    selection = _selection(wanted)
    document = _Document(source.shown, selection)
    for chunk in source.chunks():
        document.feed(chunk)
    document.feed(b"", final=True)
    return assemble(document.frame(), selection, wanted, source.shown, document.where)


def _selection(wanted: Wanted) -> Selection:
    activity = wanted.activity or XES_ACTIVITY
    columns = Columns(wanted.case or XES_CASE, activity, wanted.time or XES_TIME)
    parts = (activity,) if activity == XES_ACTIVITY else activity_parts(activity, ())
    return Selection(columns, parts, XES_LIFECYCLE if wanted.lifecycle is not None else None)


class _Document:
    """Follows the elements of a document and notes one row per event.

    An XES log is log/trace/event/attribute; what is nested deeper belongs to an attribute and is not ours.
    """

    def __init__(self, shown: str, selection: Selection) -> None:
        self._shown = shown
        self._case = selection.columns.case
        self._case_key = self._case.removeprefix(_TRACE_ATTRIBUTE)
        self._names = [name for name in selection.names if name != self._case]
        self._cells: dict[str, list[str | None]] = {name: [] for name in selection.names}
        self._lines: list[int] = []
        self._seen: set[str] = set()  # the keys of events, for messages
        self._consumed = 0
        self._depth = 0
        self._traces = 0
        self._in_trace = self._in_event = False
        self._trace_id: str | None = None
        self._trace_begin = 0
        self._event: dict[str, str] = {}
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype

    def feed(self, chunk: bytes, *, final: bool = False) -> None:
        """Take the next bytes; with `final`, the document must be whole."""
        try:
            self._parser.Parse(chunk, final)
        except expat.ExpatError as error:
            raise FormatError(f"{self._shown}: {self._why(error, chunk)}") from None
        self._consumed += len(chunk)

    def frame(self) -> pl.DataFrame:
        """One row per event."""
        if self._lines:
            for name in self._names:
                if name not in self._seen:
                    there = ", ".join(repr(key) for key in sorted(self._seen)) or "none"
                    raise ColumnError(f"{self._shown}: no event has an attribute {name!r}; there are: {there}")
        return pl.DataFrame(self._cells, schema=dict.fromkeys(self._cells, pl.String))

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
        elif self._depth == 3:
            if self._in_trace and _local(name) == "event":
                self._in_event = True
                self._lines.append(self._parser.CurrentLineNumber)
            elif self._in_trace and attributes.get("key") == self._case_key:
                self._trace_id = attributes.get("value")
        elif self._depth == 2:
            self._in_trace = _local(name) == "trace"
            self._refuse_strange(_local(name), attributes)
        elif self._depth == 1 and _local(name) != "log":
            kind = "an HTML page" if _local(name).lower() == "html" else f"XML with the root <{name}>"
            raise FormatError(f"{self._shown}: is {kind}, not XES, whose root is <log>: download or export it again")

    def _end(self, _name: str) -> None:
        if self._depth == 3 and self._in_event:
            for name in self._names:
                self._cells[name].append(self._event.get(name))
            self._cells[self._case].append(self._event.get(self._case))
            self._event = {}
            self._in_event = False
        elif self._depth == 2 and self._in_trace:
            self._end_trace()
        self._depth -= 1

    def _end_trace(self) -> None:
        """Give the events of the trace its id; without one, a trace is still a case of its own."""
        case, begin = self._cells[self._case], self._trace_begin
        if self._trace_id is None and self._case == XES_CASE:
            self._trace_id = f"\0{self._traces}"
        if self._trace_id is not None:
            case[begin:] = [self._trace_id] * (len(case) - begin)
        self._trace_begin = len(case)
        self._traces += 1
        self._trace_id = None

    def _refuse_strange(self, name: str, attributes: dict[str, str]) -> None:
        if name in _OCEL or (name == "global" and attributes.get("scope") == "object"):
            raise FormatError(f"{self._shown}: is an object-centric log (OCEL): flatten it to one kind of case first")
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
        if reason in _ENDS_EARLY and self._depth > 0:
            return f"the file ends early, at {at}, so it is truncated: get a whole copy"
        place = self._parser.ErrorByteIndex - self._consumed
        not_text = 0 <= place < len(chunk) and chunk[place] >= 0x80
        if "encoding" in reason or ("invalid token" in reason and not_text):
            return f"{at}: the text is not in the encoding that it declares (UTF-8 if none): save it as UTF-8"
        if self._depth == 0 and self._traces == 0:
            return f"is not XML ({reason} at {at}): an XES file begins with <?xml or <log"
        return f"is not well-formed XML at {at} ({reason}): correct it or export it again"


def _local(name: str) -> str:
    return name.rpartition(":")[2]
