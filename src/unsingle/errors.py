"""Everything that unsingle raises on purpose, in one tree.

::

    UnsingleError                 the root: catch this to catch them all
    ├── LogError                  the log that was given cannot be used
    │   ├── FormatError           the file is not what it should be (truncated, not XES, not UTF-8 ...)
    │   ├── ColumnError           a column is missing, ambiguous or of the wrong kind
    │   ├── SizeError             the log, or its release, does not fit the memory of this machine
    │   └── ValueProblem          a cell is missing or cannot be read (a time, an activity, a case)
    ├── ParameterError            an option is out of range (delta, precision, seed ...)
    └── OutputError               the result cannot be written (exists, unwritable, disk full)

Each message is one line that says what is wrong, where, and what to do about it.
The command prints it and ends with exit code 2.
"""


class UnsingleError(Exception):
    """The root of all errors that unsingle raises on purpose."""


class LogError(UnsingleError):
    """The log that was given cannot be used."""


class FormatError(LogError):
    """The file is not what its name or its first bytes promise."""


class ColumnError(LogError):
    """A column is missing, ambiguous or of the wrong kind."""


class SizeError(LogError):
    """The log, or its release, does not fit the memory of this machine."""


class ValueProblem(LogError):  # noqa: N818 - reads better than ValueErrorError
    """A cell is missing or cannot be read."""


class ParameterError(UnsingleError):
    """An option is out of range."""


class OutputError(UnsingleError):
    """The result cannot be written."""
