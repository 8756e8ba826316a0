"""Everything that unsingle raises on purpose, in one tree.

::

    UnsingleError                 the root: catch this to catch them all
    ├── LogError                  the log that was given cannot be used
    │   ├── FormatError           the file is not what it should be (truncated, not XES, not UTF-8 ...)
    │   ├── ColumnError           a column is missing, ambiguous or of the wrong kind
    │   ├── SizeError             the log, or its release, does not fit the memory of this machine
    │   └── CellError             a cell is missing or cannot be read (a time, an activity, a case)
    ├── ParameterError            an argument is out of range (delta, precision, seed ...)
    └── OutputError               the result cannot be written (exists, unwritable, disk full)

Each message is one line that says what is wrong, where, and what to do about it.
The command prints it and ends with exit code 2.

Advice often names an argument. Python, the command and the page have different words for it (``case=``, ``--case``,
a field's title), so a message holds a placeholder, made by `argument`, and each front end puts in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Words = Callable[[str, str], str]
"""How a front end writes an argument: a function of its name in Python and of an example value, which may be empty."""

ENGINE = "engine"
"""The one option of the command that is neither an argument in Python nor a field of the page."""

_PLACEHOLDER = re.compile(
    "\0([^\0]+)\0([^\0]*)\0"
)  # no file's name has a character of code 0, and quoted texts show it


_ONE_OF = {"numbers": "number"}


def argument(name: str, example: str = "") -> str:
    """A placeholder for an argument, and for a value that it may have, to be put into a message.

    >>> error = ParameterError(f"the format is not clear: give {argument('format', 'xes')}")
    >>> str(error), error.in_words(as_option)
    ("the format is not clear: give format='xes'", 'the format is not clear: give --format xes')
    """
    return f"\0{name}\0{example}\0"


def as_python(name: str, example: str) -> str:
    """An argument as Python has it; flags are given as True. Spark has functions of its own there.

    >>> as_python("case", ""), as_python("escape", "backslash"), as_python("force", "True")
    ('case=', "escape='backslash'", 'force=True')
    """
    if name == ENGINE:
        return "unsingle.spark.anonymize"
    return f"{name}={example if example in ('', 'True') else repr(example)}"


def as_option(name: str, example: str) -> str:
    """An argument as an option of the command; one for a list is given once for each of its values.

    >>> as_option("time_format", "%d/%m/%Y %H:%M"), as_option("allow_line_ends", "True"), as_option("numbers", "")
    ("--time-format '%d/%m/%Y %H:%M'", '--allow-line-ends', '--number')
    """
    option = "--" + _ONE_OF.get(name, name).replace("_", "-")
    if example in ("", "True"):
        return option
    return f"{option} '{example}'" if " " in example or "%" in example else f"{option} {example}"


class UnsingleError(Exception):
    """The root of all errors that unsingle raises on purpose. As a text, it speaks of Python's arguments."""

    def __init__(self, message: str = "") -> None:
        super().__init__(_PLACEHOLDER.sub(lambda found: as_python(*found.groups()), message))
        self._message = message

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that its advice names: with another value for one of them it may work.

        >>> ParameterError(f"the format is not clear: give {argument('format', 'xes')}").arguments
        ('format',)
        """
        return tuple(found[1] for found in _PLACEHOLDER.finditer(self._message))

    def in_words(self, words: Words) -> str:
        """The message, with arguments as this front end writes them."""
        return _PLACEHOLDER.sub(lambda found: words(*found.groups()), self._message)


class LogError(UnsingleError):
    """The log that was given cannot be used."""


class FormatError(LogError):
    """The file is not what its name or its first bytes promise."""


class ColumnError(LogError):
    """A column is missing, ambiguous or of the wrong kind.

    `missing` are the arguments that would name missing columns, each with a column that may be meant, or nothing.
    """

    def __init__(self, message: str = "", missing: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.missing = dict(missing or {})


class SizeError(LogError):
    """The log, or its release, does not fit the memory of this machine."""


class CellError(LogError):
    """A cell is missing or cannot be read."""


class ParameterError(UnsingleError):
    """An argument is out of range."""


class OutputError(UnsingleError):
    """The result cannot be written."""
