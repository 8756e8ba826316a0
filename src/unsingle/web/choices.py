"""What people choose on the page or through the API, checked; and the command that does the same."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..errors import ParameterError, UnsingleError
from ..formats.files import FORMATS
from ..formats.marks import checked_escape
from ..guarantee import Guarantee
from ..methods import DEFAULT, METHODS, method_named, with_paths
from ..release import checked_options

READING = {
    "case": "Case",
    "activity": "Activity",
    "time": "Time",
    "lifecycle": "Only this lifecycle",
    "timezone": "Zone of times",
    "time_format": "How times are written",
}
"""The options of reading, and what the page calls them."""

COLUMNS = ("case", "activity", "time")
SUGGESTED = tuple(METHODS)
"""The methods in the order in which they are offered."""

LADDER = tuple(name for name, method in METHODS.items() if method.has_slack)
"""Those with a budget, each promising more than the one before."""

DELTAS = (0.2, 0.1, 0.3, 0.05, 0.4, 0.5)
"""For which predictions are made, the usual one first."""

_YES = ("true", "on", "yes")  # how forms say it
_OPTION_NAMES = {"--" + name.replace("_", "-"): title for name, title in READING.items()}


def checked_reading(given: Mapping[str, Any]) -> dict[str, Any]:
    """How to read the log; what is empty is found out.

    >>> checked_reading({"case": "id", "time": "", "escape": "backslash", "allow_line_ends": True})
    {'case': 'id', 'escape': 'backslash', 'allow_line_ends': True}
    """
    chosen = {name: _exactly(given, name) if name in COLUMNS else _text(given, name) for name in READING}
    second = _exactly(given, "activity_and")
    if chosen["activity"] and second:
        chosen["activity"] += f"+{second}"
    if chosen["case"] and chosen["case"] in (chosen["activity"], second):
        raise ParameterError("case and activity are the same column, so all case ids would be published: choose others")
    if escape := _text(given, "escape"):
        chosen["escape"] = checked_escape(escape)
    reading: dict[str, Any] = {name: value for name, value in chosen.items() if value}
    return reading | ({"allow_line_ends": True} if given.get("allow_line_ends") in (True, *_YES) else {})


def checked_choice(given: Mapping[str, Any]) -> dict[str, Any]:
    """How to make the release."""
    try:
        delta = float(_text(given, "delta") or 0.2)
    except ValueError:
        raise ParameterError("delta must be a number between 0 and 1, such as 0.2") from None
    method = with_paths(_text(given, "method") or DEFAULT, _text(given, "paths") or "same")
    grid = _text(given, "grid") or None
    format_ = _text(given, "format") or "xes.gz"
    if format_ not in FORMATS:
        raise ParameterError(f"unknown format {format_!r}: choose one of {', '.join(FORMATS)}")
    checked_options(delta, method, grid=grid)
    return {"delta": delta, "method": method, "grid": grid, "format": format_}


def spelled_out(method: str) -> dict[str, str]:
    """The options that mean this method; what paths it publishes is an option of its own.

    >>> spelled_out("twin-crowds"), spelled_out("amun")
    ({'method': 'twin', 'paths': 'crowds'}, {'method': 'amun'})
    """
    name, _, paths = method.partition("-")
    return {"method": name, "paths": paths} if paths else {"method": name}


def delta_in(text: str) -> float | None:
    """The delta that somebody wrote; None if it cannot be one.

    >>> delta_in("0.2"), delta_in("2"), delta_in("much")
    (0.2, None, None)
    """
    try:
        delta = float(text)
    except ValueError:
        return None
    return delta if 0 < delta < 1 else None


@lru_cache(maxsize=64)
def guarantees(delta: float) -> dict[str, Guarantee]:
    """What each method promises at this delta; a method that cannot give it is left out."""
    found = {}
    for method in SUGGESTED:
        try:
            found[method] = method_named(method).guarantee(checked_options(delta, method))
        except UnsingleError:
            continue
    return found


def synthesizing(name: str, cases: int) -> str:
    """The command that makes the demo log."""
    return shlex.join(["unsingle", "synthesize", "-o", name, "--cases", str(cases), "--seed", "0"])


def command_line(name: str, reading: Mapping[str, Any], choice: Mapping[str, Any]) -> str:
    """The command that does what was done on the page."""
    options = {option: value for option, value in reading.items() if value}
    options |= spelled_out(choice["method"]) | {"delta": f"{choice['delta']:g}"}
    options |= {"grid": choice["grid"]} if choice["grid"] else {}
    words = ["unsingle", "anonymize", name if not name.startswith("-") else f"./{name}"]
    words += ["-o", f"release.{choice['format']}"]
    for option, value in options.items():
        words += ["--" + option.replace("_", "-"), *([] if value is True else [value])]
    return shlex.join([*words, "--report", "comparison.html"])


def in_words_of_the_page(message: str, file: str, name: str) -> str:
    """A message of the library for people who see a page: the name that they know, and fields instead of options.

    >>> in_words_of_the_page("original.csv: no column: name one with --case", "original.csv", "a.csv")
    'a.csv: no column: name one with “Case”'
    """
    text = message.replace(file, name)
    return re.sub(r"(--[a-z-]+)( ')?", _field, text)


def _field(option: re.Match[str]) -> str:
    """What the page calls an option, and a colon before an example of it."""
    title = _OPTION_NAMES.get(option[1])
    return f"“{title}”{':' if option[2] else ''}{option[2] or ''}" if title else option[0]


def _text(given: Mapping[str, Any], name: str) -> str:
    """What was given, without the spaces around it."""
    return _exactly(given, name).strip()


def _exactly(given: Mapping[str, Any], name: str) -> str:
    """What was given, letter by letter: names of columns may begin and end with spaces."""
    value = given.get(name)
    if value is None:
        return ""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ParameterError(f"{name} must be a text or a number")
    text = str(value)
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ParameterError(f"{name} is no text that can be written")
    return text
