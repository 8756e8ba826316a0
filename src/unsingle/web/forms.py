"""Checked requests: the fields of a form, or of a JSON object, become one object that is handed on as it is.

`ReadingRequest.parse` and `ReleaseRequest.parse` check; the server, the queue and the worker rely on that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..core.log import SourceColumns
from ..errors import ENGINE, ParameterError, argument, as_option
from ..formats import written_kind
from ..formats.encodings import OFFERED, checked_encoding
from ..formats.escapes import checked_escape
from ..formats.selection import selection_of
from ..formats.wanted import Wanted
from ..methods import chosen as chosen_method
from ..report.record import BLANKS, DECISION, DECISIONS
from .catalogue import CHOICES, DEFAULT_DELTA, DEFAULT_FORMAT, DEFAULT_METHOD, methods, parameters
from .columns import KnownColumns
from .fields import READING_LISTS, Fields, text, texts, value_of, verbatim
from .results import release_file

if TYPE_CHECKING:
    from ..methods import Method

COLUMNS = ("case", "activity", "time")
ROLES = (*COLUMNS, "start", "person")
"""The roles that a column can have; the first three every log must have."""

READING_LABELS = {
    "case": "Case",
    "activity": "Activity",
    "time": "Time",
    "start": "Start time",
    "person": "Person",
    "keep": "keep",
    "keep_case": "keep as one value of the case",
    "numbers": "number",
    "lifecycle": "Only this lifecycle",
    "timezone": "Time zone",
    "time_format": "Time format",
    "encoding": "Encoding of the text",
    "sheet": "Sheet of the workbook",
    "escape": "Quotation marks in cells",
    "allow_line_ends": "Line ends in activities",
    "skip_incomplete": "Rows without case, activity or time",
    "decimal_comma": "Decimals in numbers",
}
"""What the page calls the fields that say how to read a log."""

READING_CHOICES = {
    "escape": {"": "doubled", "backslash": "after a backslash"},
    "allow_line_ends": {"": "refuse", "true": "accept"},
    "skip_incomplete": {"": "refuse", "true": "leave out"},
    "decimal_comma": {"": "after a point", "true": "after a comma"},
    "encoding": {"": "found out", **{name: name for name in OFFERED}},
}
"""What can be chosen in those fields that are lists, by what the form sends, and what the page calls it."""

SECOND_COLUMNS = {"activity": "activity_and", "time": "time_and"}
"""Fields with a second column, by the role of the first: together they are the activity, or the time."""

_OF_PERSONS = "cases_per_person"
_FLAGS = ("allow_line_ends", "skip_incomplete", "decimal_comma")
_TEXTS = tuple(name for name in READING_LABELS if name not in (*_FLAGS, *READING_LISTS))
_MOST_LETTERS = 2000  # of a field of a record
_TRUE = (True, "true", "on", "yes")  # in JSON and in forms
_LABELS = {
    **READING_LABELS,
    "delta": "Delta",
    "method": "Method",
    "grid": "Round times to whole",
    "format": "Format of the release",
    "cases_per_person": "Cases per person",
    "pseudonyms": "pseudonyms",
    "round": "Round to multiples of",
    "calendar": "Calendar",
}


@dataclass(frozen=True)
class ReadingRequest:
    """How to read a log. What is None is detected."""

    case: str | None = None
    activity: str | None = None
    time: str | None = None
    start: str | None = None
    person: str | None = None
    keep: tuple[str, ...] = ()
    keep_case: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    lifecycle: str | None = None
    timezone: str | None = None
    time_format: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    escape: str | None = None
    allow_line_ends: bool = False
    skip_incomplete: bool = False
    decimal_comma: bool = False

    def __post_init__(self) -> None:
        for name in READING_LISTS:  # which are lists in JSON
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @classmethod
    def parse(cls, given: Fields) -> ReadingRequest:
        """Check the fields of a form; raises `ParameterError`.

        >>> ReadingRequest.parse({"case": "id", "time": "", "keep": ["age"], "allow_line_ends": True}).arguments()
        {'case': 'id', 'keep': ('age',), 'allow_line_ends': True}
        """
        _refuse_unknown(given, (*cls.__dataclass_fields__, *SECOND_COLUMNS.values()))
        chosen = {name: verbatim(given, name) if name in ROLES else text(given, name) for name in _TEXTS}
        second = {role: verbatim(given, name) for role, name in SECOND_COLUMNS.items()}
        if chosen["case"] and chosen["case"] in (chosen["activity"], second["activity"]):
            raise ParameterError(
                "case and activity are the same column, so all case ids would be published: choose others"
            )
        for role, name in second.items():
            if chosen[role] and name:
                chosen[role] += f"+{name}"
        if chosen["escape"]:
            checked_escape(chosen["escape"])
        checked_encoding(chosen["encoding"] or None)
        found: dict[str, Any] = {name: value or None for name, value in chosen.items()}
        found |= {name: tuple(texts(given, name)) for name in READING_LISTS}
        found |= {name: given.get(name) in _TRUE for name in _FLAGS}
        request = cls(**found)
        request._refuse_contradictions()
        return request

    def _refuse_contradictions(self) -> None:
        """Refuse what cannot be, whatever the file has: two roles of one column, numbers that are not kept."""
        wanted = Wanted(
            start=self.start, person=self.person, keep=self.keep, keep_case=self.keep_case, numbers=self.numbers
        )
        selection_of(SourceColumns(self.case or "", self.activity or "", self.time or ""), wanted)

    def arguments(self) -> dict[str, Any]:
        """What was chosen, as arguments of `read_log` and as options of the command."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True)
class PreviewRequest:
    """How the first rows are looked at. What is None is detected."""

    encoding: str | None = None
    sheet: str | None = None

    @classmethod
    def parse(cls, given: Fields) -> PreviewRequest:
        """Check the fields of a form; raises `ParameterError`."""
        _refuse_unknown(given, cls.__dataclass_fields__)
        encoding = checked_encoding(text(given, "encoding") or None)
        return cls(encoding, text(given, "sheet") or None)


@dataclass(frozen=True)
class ReleaseRequest:
    """How to make a release. `parameters` are those of the method beside delta, as far as they were chosen."""

    method: str
    delta: float
    format: str
    parameters: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, given: Fields) -> ReleaseRequest:
        """Check the fields of a form; raises `ParameterError`."""
        settable = parameters()
        _refuse_unknown(given, (*CHOICES, *settable))
        delta = parse_delta(text(given, "delta") or str(DEFAULT_DELTA))
        if delta is None:
            raise ParameterError(DELTA_MESSAGE)
        name, paths = text(given, "method") or DEFAULT_METHOD, text(given, "paths") or None
        found = {each: value_of(parameter, given) for each, parameter in settable.items()}
        found = {each: value for each, value in found.items() if value is not None}
        method = chosen_method(name, paths=paths, delta=delta, **found)
        _refuse_unpublishable(method.name)
        return cls(method.name, delta, str(written_kind("", text(given, "format") or DEFAULT_FORMAT)), found)

    def chosen(self) -> Method:
        """The method with its parameters."""
        return chosen_method(self.method, delta=self.delta, **self.parameters)

    def refuse_other_columns(self, columns: KnownColumns) -> None:
        """Refuse what does not fit the columns of the log: kept ones that the method cannot release, and so on."""
        self.chosen().keeping(columns.kept)
        if _OF_PERSONS in self.parameters and not columns.has_persons:
            raise ParameterError(
                f"{argument(_OF_PERSONS)} needs a log that says whose each case is: choose {argument('person')} in the "
                "first step and read the log again, or leave it empty"
            )

    @property
    def file(self) -> str:
        """The name of the released file."""
        return release_file(self.format)


def parse_record(given: Fields) -> dict[str, str]:
    """Check what was filled in of a record: who, why, to whom, and what was decided.

    >>> parse_record({"purpose": " research ", "decision": ""})
    {'purpose': 'research'}
    """
    _refuse_unknown(given, (*(blank.name for blank in BLANKS), DECISION))
    filled = {name: value for name in given if (value := text(given, name))}
    for name, value in filled.items():
        if len(value) > _MOST_LETTERS:
            raise ParameterError(f"{name} has {len(value):,} letters: write at most {_MOST_LETTERS:,}")
    if filled.get(DECISION, next(iter(DECISIONS))) not in DECISIONS:
        raise ParameterError(f"decision must be one of {', '.join(DECISIONS)}")
    return filled


DELTA_MESSAGE = f"delta must be a number between 0 and 1, such as {DEFAULT_DELTA}"


def parse_delta(text: str) -> float | None:
    """Delta as it was typed; None if it is not a number between 0 and 1.

    >>> parse_delta("0.2"), parse_delta("2"), parse_delta("much")
    (0.2, None, None)
    """
    try:
        delta = float(text)
    except ValueError:
        return None
    return delta if 0 < delta < 1 else None


def as_field(name: str, example: str) -> str:
    """An argument as a field of the page, with an example if there is one.

    >>> as_field("case", ""), as_field("time_format", "%d/%m/%Y"), as_field("allow_line_ends", "True")
    ('“Case”', '“Time format”: %d/%m/%Y', '“Line ends in activities”: “accept”')
    >>> as_field("engine", "spark")
    'the command with --engine spark'
    """
    if name == ENGINE:
        return f"the command with {as_option(name, example)}"
    label = f"“{_LABELS.get(name, name)}”"
    if not example:
        return label
    choices = READING_CHOICES.get(name)
    return f"{label}: “{choices[example.lower()]}”" if choices and example.lower() in choices else f"{label}: {example}"


def _refuse_unpublishable(method: str) -> None:
    if method not in methods():
        offered = ", ".join(methods())
        raise ParameterError(
            f"releases of {method} must not be published, so it is not offered here: choose one of {offered}"
        )


def _refuse_unknown(given: Fields, known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise ParameterError(f"unknown field {name!r}: choose among {', '.join(known)}")
