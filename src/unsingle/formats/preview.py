"""The first rows of a file, before anybody said what its columns mean. Private, like the log."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice

from .base import FileKind
from .chooser import column_parts
from .opened import opened
from .selection import guess_columns

SHOWN = 10
"""Rows that are shown."""

_LOOKED_AT = 1000  # rows, for the values of the lifecycle
_MOST_VALUES = 20
_MOST_COLUMNS, _LONGEST = 100, 80  # that are shown, and letters of a cell


@dataclass(frozen=True)
class Preview:
    """The columns of a file, its first rows as text, and which column looks like which role (None if none does).

    `shown` are the columns of the rows, those with a role first. `lifecycles` are the values of the column that looks
    like the lifecycle, as far as the first rows have them. `encoding` is that of the text, as far as it was looked at.
    """

    names: tuple[str, ...]
    shown: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    guess: dict[str, str | None]
    lifecycles: tuple[str, ...]
    encoding: str | None = None


def preview_log(
    source: str | os.PathLike[str],
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
    encoding: str | None = None,
    sheet: str | None = None,
) -> Preview:
    r"""Look at the beginning of a file. That the rest can be read is not sure.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "log.csv")
    ...     _ = path.write_text("Case ID,Task\n7,A\n")
    ...     preview_log(path).guess["case"]
    'Case ID'
    """
    file = opened(source, format, encoding=encoding, sheet=sheet)
    names, rows = file.first_rows(_LOOKED_AT)
    guess = guess_columns(names)
    lifecycle = guess["lifecycle"]
    values = dict.fromkeys(row[lifecycle] for row in rows if row.get(lifecycle)) if lifecycle is not None else {}
    roles = [part for name in guess.values() if name is not None for part in column_parts(name, names)]
    shown = list(dict.fromkeys([*roles, *names]))[:_MOST_COLUMNS]
    return Preview(
        tuple(names),
        tuple(shown),
        tuple(tuple(_short(row.get(name, "")) for name in shown) for row in rows[:SHOWN]),
        guess,
        tuple(_short(value) for value in islice(values, _MOST_VALUES)),
        file.source.encoding,
    )


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
