"""Fields of a form or of a JSON object: texts, numbers, lists and objects, each checked by what it should be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import ParameterError, argument
from ..methods.base import Parameter, ParameterKind
from .catalogue import parameters

Fields = Mapping[str, Any]

READING_LISTS = ("keep", "keep_case", "numbers")
"""The lists of columns that say how to read a log."""

USE = "use"
"""What the page sends of a column that has no role: ``use:NAME`` is empty, ``keep`` or ``keep_case``."""

_KEPT = ("keep", "keep_case")
_LISTS = (ParameterKind.TEXTS, ParameterKind.COLUMNS)
_OBJECTS = (ParameterKind.TEXTS_BY_COLUMN, ParameterKind.NUMBERS_BY_COLUMN)


def of_form(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The fields of a form as a JSON object has them.

    A form sends a list as several fields of one name, and what is said of a column as ``NAME:COLUMN``. Of columns that
    look like staff, it always sends ``names``: those whose tick for pseudonyms is set are not meant.

    >>> of_form([("case", "id"), ("use:age", "keep_case"), ("use:ward", ""), ("numbers", "age"), ("round:age", "5")])
    {'case': 'id', 'keep_case': ['age'], 'numbers': ['age'], 'round': {'age': '5'}}
    """
    plain: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    objects: dict[str, dict[str, str]] = {}
    several, by_column = {*READING_LISTS, *_named(_LISTS)}, _named(_OBJECTS)
    for name, value in pairs:
        kind, _, column = name.partition(":")
        if name in several:
            lists.setdefault(name, []).append(value)
        elif kind == USE and value in ("", *_KEPT):
            lists.setdefault(value, []).append(column)
        elif kind in by_column and column:
            objects.setdefault(kind, {})[column] = value
        else:
            plain[name] = value
    lists.pop("", None)  # left out
    if "names" in lists:
        lists["names"] = [name for name in lists["names"] if name not in lists.get("pseudonyms", ())]
    return {**plain, **lists, **objects}


def _named(kinds: Iterable[ParameterKind]) -> set[str]:
    return {name for name, each in parameters().items() if each.kind in kinds}


def text(given: Fields, name: str) -> str:
    """A field without the spaces around it."""
    return verbatim(given, name).strip()


def verbatim(given: Fields, name: str) -> str:
    """A field as it was sent: the name of a column may begin or end with a space."""
    value = given.get(name)
    if value is None:
        return ""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ParameterError(f"{name} must be a text or a number")
    return _unicode(str(value), name)


def texts(given: Fields, name: str) -> list[str]:
    """A list of texts, each once.

    >>> texts({"keep": ["age", " ward", "age"]}, "keep")
    ['age', ' ward']
    """
    value = given.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ParameterError(f"{argument(name)} must be a list of texts")
    return list(dict.fromkeys(_unicode(each, name) for each in value))


def value_of(parameter: Parameter, given: Fields) -> Any:
    """What was given for a parameter of a method; None if nothing was."""
    found = _READERS.get(parameter.kind, text)(given, parameter.name)
    return None if found in ("", [], {}) else found


def _number(given: Fields, name: str) -> float | None:
    typed = text(given, name)
    try:
        return float(typed) if typed else None
    except ValueError:
        raise ParameterError(f"{argument(name)} must be a number (not {typed[:40]!r})") from None


def _count(given: Fields, name: str) -> int | None:
    typed = text(given, name)
    try:
        return int(typed[:20]) if typed else None
    except ValueError:
        raise ParameterError(f"{argument(name)} must be a whole number (not {typed[:40]!r})") from None


def _by_name(read: Callable[[Fields, str], Any], names: str) -> Callable[[Fields, str], Any]:
    """How to read an object that has something under each of some names; what is empty does not count."""

    def read_object(given: Fields, name: str) -> dict[str, Any]:
        value = given.get(name)
        if not isinstance(value, dict | None):
            raise ParameterError(f"{argument(name)} must be an object with {names} as its names")
        found = {_unicode(key, name): read({name: each}, name) for key, each in (value or {}).items()}
        return {key: each for key, each in found.items() if each is not None}

    return read_object


_READERS: dict[ParameterKind, Callable[[Fields, str], Any]] = {
    ParameterKind.NUMBER: _number,
    ParameterKind.COUNT: _count,
    ParameterKind.TEXTS: texts,
    ParameterKind.COLUMNS: texts,
    ParameterKind.TEXTS_BY_COLUMN: _by_name(texts, "columns"),
    ParameterKind.NUMBERS_BY_COLUMN: _by_name(_number, "columns"),
    ParameterKind.CALENDAR: _by_name(texts, "days, hours and holidays"),
}


def _unicode(value: str, name: str) -> str:
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ParameterError(f"{name} is not valid Unicode text")
    return value
