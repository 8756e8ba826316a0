"""Profiles: how to read one kind of log, said once in a TOML file, for all commands and functions.

The keys of a profile are the arguments of `read_log` that say how a log is read, under the same names.
"""

from __future__ import annotations

import difflib
import inspect
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..core.log import EventLog
from ..core.read_as import ReadAs
from ..core.wording import listed, quoted
from ..errors import ColumnError, FormatError, LogError, UnsingleError, argument
from ..progress import Progress
from . import read_log
from .base import format_by_name, format_of
from .encodings import UTF8
from .opened import opened
from .selection import activity_parts
from .source import STANDARD, name_of
from .wanted import Wanted

_NOT_IN_PROFILES = ("source", "ids", "domains", "progress")  # what to read, and what other arguments decide
_OF_COLUMNS = ("case", "activity", "time", "start", "person", "keep", "keep_case")
_FORMAT = "format"
_LARGEST = 1_000_000  # bytes
_KINDS: dict[type, tuple[str, Callable[[Any], bool]]] = {
    type(None): ("a text in quotation marks", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    tuple: (
        "a list of texts, such as ['age', 'ward']",
        lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
    ),
}
"""What a value must be, in words and as a test, by the type of the argument's default."""


def profile_keys() -> dict[str, Any]:
    """The keys that a profile may have, with what holds if one is left out.

    >>> profile_keys()["keep"], profile_keys()["allow_line_ends"], "progress" in profile_keys()
    ((), False, False)
    """
    arguments = inspect.signature(read_log).parameters.values()
    return {each.name: each.default for each in arguments if each.name not in _NOT_IN_PROFILES}


@dataclass(frozen=True)
class Profile:
    """How to read one kind of log: `reading` are arguments of `read_log`, `name` is the file's, for messages.

    `left_out` are columns that the log had which the profile was made from: a comment, nothing more.
    """

    reading: Mapping[str, Any]
    name: str = "the profile"
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        reading = {key: tuple(each) if isinstance(each, list) else each for key, each in self.reading.items()}
        object.__setattr__(self, "reading", reading)

    @classmethod
    def parse(cls, text: str, name: str = "the profile") -> Profile:
        """Read the text of a profile; raises `FormatError` in one line.

        >>> Profile.parse('case = "Order"').reading
        {'case': 'Order'}
        """
        try:
            given = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise FormatError(f"{name}: is not TOML ({_first_line(error)}): correct it, or make it again") from None
        keys = profile_keys()
        if not given:
            raise FormatError(f"{name}: is empty: make a profile of a log with unsingle profile LOG")
        for key, value in given.items():
            if key not in keys:
                known = ", ".join(keys)
                raise FormatError(f"{name}: unknown key {quoted(key)}{_meant(key, keys)}: choose among {known}")
            what, fits = _KINDS[type(keys[key])]
            if not fits(value):
                raise FormatError(f"{name}: {key} must be {what}, not {repr(value)[:40]}")
        profile = cls(given, name)
        _refuse_contradictions(profile.reading, name)
        return profile

    @classmethod
    def of_log(cls, log: EventLog, reading: Mapping[str, Any], format: str | None = None) -> Profile:  # noqa: A002
        """The profile of a log that was read so: with the columns that were found by their names."""
        found: dict[str, Any] = {} if log.source is None else {**log.source.roles, **_found_in(log.source.read_as)}
        said = {name: value for name, value in reading.items() if value}
        formats = {_FORMAT: format} if format is not None else {}
        return cls({**formats, **found, **said}, left_out=log.source.left_out if log.source is not None else ())

    def to_toml(self) -> str:
        """The profile as a file has it.

        >>> print(Profile({"case": "Order", "keep": ("ward",)}).to_toml().splitlines()[-2])
        case = "Order"
        """
        keys = profile_keys()
        lines = [f"{key} = {_toml(self.reading[key])}" for key in keys if self.reading.get(key)]
        unsaid = ", ".join(key for key in keys if not self.reading.get(key))
        heading = ["# How to read such logs: --profile FILE for all commands."]
        heading += [f"# Left out: {', '.join(map(_toml, self.left_out))}"] if self.left_out else []
        return "\n".join([*heading, f"# Found out, or as usual: {unsaid}", "", *lines, ""])

    def read_log(self, source: Any, *, progress: Progress | None = None, **overriding: Any) -> EventLog:
        """Read a log as the profile says; further arguments are those of `read_log`, and go before it."""
        reading = {**self.reading, **overriding}
        if _FORMAT not in overriding and not _needs_format(source):
            reading.pop(_FORMAT, None)
        try:
            return read_log(source, progress=progress, **reading)
        except LogError as error:
            raise self.explained(error, source, reading) from None

    def explained(self, error: LogError, source: Any, reading: Mapping[str, Any]) -> LogError:
        """What to say of a source that could not be read so: if the profile is not for it, what differs."""
        names = _names_of(source, *(reading.get(key) for key in (_FORMAT, "encoding", "sheet")))
        missing = [] if names is None else list(self._missing(names, reading))
        if names is None or not missing:
            if str(error).startswith(_shown(source)):
                error.add_note(f"read as {self.name} says")
            return error
        what = ", ".join(f"{quoted(name)} ({role})" for role, name in missing)
        return ColumnError(
            f"{_shown(source)}: does not fit {self.name}: there is no column {what}; there are: {listed(names)}: name "
            f"others, such as with {argument(missing[0][0])}, which goes before the profile, or make one of this log"
        )

    def _missing(self, names: list[str], reading: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The columns that the profile names and the source does not have, each with its key."""
        there = {name.lower() for name in names}
        for key in _OF_COLUMNS:
            value = reading.get(key)
            columns = (value,) if isinstance(value, str) else tuple(value or ())
            if columns and self.reading.get(key) in (value, columns):
                columns = activity_parts(value, names) if isinstance(value, str) else columns
                yield from ((key, each) for each in columns if each.lower() not in there)


def read_profile(file: str | os.PathLike[str]) -> Profile:
    """Read a profile from a TOML file; raises `FormatError` in one line for what is no profile.

    Use it as ``read_profile("orders.toml").read_log("orders.csv")``.
    """
    name = name_of(file)
    try:
        with Path(name).open("rb") as stream:
            content = stream.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise FormatError(f"{name}: is too large for a profile: name a TOML file that unsingle profile made")
        return Profile.parse(content.decode("utf-8-sig"), name)
    except UnicodeDecodeError:
        raise FormatError(f"{name}: is not text in UTF-8: name a TOML file that unsingle profile made") from None
    except OSError as error:
        raise FormatError(
            f"{name}: cannot be read ({error.strerror or error}): check the name and its rights"
        ) from None


def profile_log(source: Any, *, progress: Progress | None = None, **reading: Any) -> Profile:
    """Read a log as `read_log` does, and give the profile for others of its kind.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"Case ID": [1], "task": ["A"], "time": ["2024-01-01"], "cost": [5]})
    >>> profile_log(frame, timezone="+01:00").reading
    {'case': 'Case ID', 'activity': 'task', 'time': 'time', 'timezone': '+01:00'}
    """
    log = read_log(source, progress=progress, **reading)
    kind = format_by_name(name_of(source)) if isinstance(source, str | os.PathLike) else None
    said = {name: value for name, value in reading.items() if name in profile_keys()}
    return Profile.of_log(log, said, None if kind is None else kind.format.name)


def _found_in(read_as: ReadAs) -> dict[str, str]:
    """What was found out about a file and holds for others of its kind: an encoding, and a sheet of several."""
    found: dict[str, str] = {}
    if read_as.files == 1 and read_as.encoding not in (None, UTF8):
        found["encoding"] = str(read_as.encoding)
    if read_as.files == 1 and read_as.sheets > 1:
        found["sheet"] = str(read_as.sheet)
    return found


def _refuse_contradictions(reading: Mapping[str, Any], name: str) -> None:
    """Refuse what cannot be, whatever the log: an unknown zone, or a column that is named twice."""
    known = {each.name for each in fields(Wanted)}
    said: dict[str, Any] = {key: value for key, value in reading.items() if key in known}
    try:
        Wanted(**said)
        if _FORMAT in reading:
            format_of("", reading[_FORMAT])
    except UnsingleError as error:
        raise FormatError(f"{name}: {error.in_words(argument)}") from None


def _needs_format(source: Any) -> bool:
    """Whether the name of a source does not tell its format."""
    source = _first(source)
    return isinstance(source, str | os.PathLike) and format_by_name(name_of(source)) is None


def _first(source: Any) -> Any:
    """The source, or the first file of several."""
    return source[0] if isinstance(source, list | tuple) and source else source


def _names_of(
    source: Any, format_: Any = None, encoding: str | None = None, sheet: str | None = None
) -> list[str] | None:
    """The columns of a source; None if it cannot be looked at."""
    source = _first(source)
    try:
        if isinstance(source, str | os.PathLike):
            if name_of(source) == STANDARD:  # read already
                return None
            given = format_ if _needs_format(source) else None
            return opened(source, given, encoding=encoding, sheet=sheet).column_names()
    except UnsingleError:
        return None
    names = getattr(source, "column_names", getattr(source, "columns", None))  # of pyarrow, and of others
    return None if names is None else list(map(str, names))


def _shown(source: Any) -> str:
    """What messages call a source."""
    source = _first(source)
    if not isinstance(source, str | os.PathLike):
        return "the frame"
    return "standard input" if name_of(source) == STANDARD else name_of(source)


def _meant(key: str, keys: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(key.replace("-", "_").lower(), keys, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or ["it is nested too deeply"])[0].rstrip(".")


def _toml(value: Any) -> str:
    r"""A value as TOML writes it: texts are quoted as in JSON, but for one more control character.

    >>> print(_toml(("a", 'b"')), _toml(True), _toml("\x7f"))
    ["a", "b\""] true "\u007f"
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(map(_toml, value))}]"
