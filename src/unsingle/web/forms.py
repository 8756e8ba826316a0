"""Checked requests: the fields of a form, or of a JSON object, become one object that is handed on as it is.

`ReadingRequest.parse` and `ReleaseRequest.parse` check; the server, the queue and the worker rely on that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ENGINE, ParameterError, as_option
from ..formats.base import format_of
from ..formats.escapes import checked_escape
from ..methods import chosen as chosen_method
from .catalogue import DEFAULT_DELTA, DEFAULT_FORMAT, DEFAULT_METHOD, methods
from .results import release_file

if TYPE_CHECKING:
    from ..methods import Method

COLUMNS = ("case", "activity", "time")
READING_LABELS = {
    "case": "Case",
    "activity": "Activity",
    "time": "Time",
    "lifecycle": "Only this lifecycle",
    "timezone": "Time zone",
    "time_format": "Time format",
    "escape": "Quotation marks in cells",
    "allow_line_ends": "Line ends in activities",
}
"""What the page calls the fields that say how to read a log."""

READING_CHOICES = {
    "escape": {"": "doubled", "backslash": "after a backslash"},
    "allow_line_ends": {"": "refuse", "true": "accept"},
}
"""What can be chosen in those fields that are lists, by what the form sends, and what the page calls it."""

_SECOND_ACTIVITY = "activity_and"
_TEXTS = tuple(name for name in READING_LABELS if name != "allow_line_ends")
_TRUE = (True, "true", "on", "yes")  # in JSON and in forms
_LABELS = {
    **READING_LABELS,
    "delta": "Delta",
    "method": "Method",
    "grid": "Round times to whole",
    "format": "Format of the release",
}

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class ReadingRequest:
    """How to read a log. What is None is detected."""

    case: str | None = None
    activity: str | None = None
    time: str | None = None
    lifecycle: str | None = None
    timezone: str | None = None
    time_format: str | None = None
    escape: str | None = None
    allow_line_ends: bool = False

    @classmethod
    def parse(cls, given: Fields) -> ReadingRequest:
        """Check the fields of a form; raises `ParameterError`.

        >>> ReadingRequest.parse({"case": "id", "time": "", "allow_line_ends": True}).arguments()
        {'case': 'id', 'allow_line_ends': True}
        """
        _refuse_unknown(given, (*cls.__dataclass_fields__, _SECOND_ACTIVITY))
        chosen = {name: _verbatim(given, name) if name in COLUMNS else _text(given, name) for name in _TEXTS}
        second = _verbatim(given, _SECOND_ACTIVITY)
        if chosen["case"] and chosen["case"] in (chosen["activity"], second):
            raise ParameterError(
                "case and activity are the same column, so all case ids would be published: choose others"
            )
        if chosen["activity"] and second:
            chosen["activity"] += f"+{second}"
        if chosen["escape"]:
            checked_escape(chosen["escape"])
        return cls(
            **{name: value or None for name, value in chosen.items()},
            allow_line_ends=given.get("allow_line_ends") in _TRUE,
        )

    def arguments(self) -> dict[str, Any]:
        """What was chosen, as arguments of `read_log` and as options of the command."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True)
class ReleaseRequest:
    """How to make a release."""

    method: str
    delta: float
    format: str
    grid: str | None = None

    @classmethod
    def parse(cls, given: Fields) -> ReleaseRequest:
        """Check the fields of a form; raises `ParameterError`."""
        _refuse_unknown(given, (*cls.__dataclass_fields__, "paths"))
        delta = parse_delta(_text(given, "delta") or str(DEFAULT_DELTA))
        if delta is None:
            raise ParameterError(DELTA_MESSAGE)
        name, paths = _text(given, "method") or DEFAULT_METHOD, _text(given, "paths") or None
        grid = _text(given, "grid") or None
        parameters: dict[str, Any] = {"grid": grid} if grid else {}
        method = chosen_method(name, paths=paths, delta=delta, **parameters)
        _refuse_unpublishable(method.name)
        return cls(method.name, delta, str(format_of("", _text(given, "format") or DEFAULT_FORMAT)), grid)

    def chosen(self) -> Method:
        """The method with its parameters."""
        return chosen_method(self.method, delta=self.delta, **self.parameters())

    def parameters(self) -> dict[str, Any]:
        """The parameters of the method beside delta, as far as they were chosen."""
        return {} if self.grid is None else {"grid": self.grid}

    @property
    def file(self) -> str:
        """The name of the released file."""
        return release_file(self.format)


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
    return f"{label}: “{choices[example.lower()]}”" if choices else f"{label}: {example}"


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


def _text(given: Fields, name: str) -> str:
    """A field without the spaces around it."""
    return _verbatim(given, name).strip()


def _verbatim(given: Fields, name: str) -> str:
    """A field as it was sent: the name of a column may begin or end with a space."""
    value = given.get(name)
    if value is None:
        return ""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ParameterError(f"{name} must be a text or a number")
    text = str(value)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ParameterError(f"{name} is not valid Unicode text")
    return text
