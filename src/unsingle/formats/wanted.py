"""What the user says of a log to read: its columns, how times are written, and which other columns are kept.

Whether a column is text or a number, of events or of cases, is declared here or known from the schema of the source. It
is never found out from the values: one person could change the answer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.clock import zone_offsets
from ..core.columns import CASE_ID, PERSON, TRACE_ATTRIBUTE, Field, Kind, Level
from ..core.wording import quoted
from ..errors import ParameterError, argument
from .escapes import checked_escape
from .schema import START_TIME, XES_ACTIVITY, XES_CASE, XES_LIFECYCLE, XES_TIME, level_of

ONE_COLUMN = ("case", "activity", "time", "start", "person")
"""What names one column, or two or more that are joined by a plus sign."""

MANY_COLUMNS = ("keep", "keep_case", "numbers", "domains")
"""What names any number of columns."""

_FLAGS = ("allow_line_ends", "ids", "skip_incomplete", "decimal_comma")


class Further(NamedTuple):
    """A column to read beside case, activity and time.

    It becomes the field `private`, or if that is None a public one: `level` says what has one value of it, `number`
    that it was declared to hold numbers, and `any_values` that its values are public, however many there are.
    """

    name: str
    private: Field | None = None
    level: Level = Level.EVENT
    number: bool = False
    any_values: bool = False

    @property
    def argument(self) -> str:
        """The argument that asks for it."""
        if self.private is not None:
            return "person"
        return "keep_case" if self.level is Level.FIRST else "keep"

    def field(self, kind: Kind) -> Field:
        """Its field, if its values are of this kind in the source."""
        return self.private or Field(self.name.removeprefix(TRACE_ATTRIBUTE), self.level, kind)


@dataclass(frozen=True)
class Wanted:
    """What the user says of the columns and of how to read them; None means: find out.

    `person` and `ids` ask for private columns, whom a case is about and the id that it has in its source. `keep` and
    `keep_case` name more columns to read, of which `numbers` are numbers, written with a `decimal_comma` or a point.
    The values of `domains` are public. With `skip_incomplete`, rows without case, activity or time are left out.
    """

    case: str | None = None
    activity: str | None = None
    time: str | None = None
    lifecycle: str | None = None
    timezone: str | None = None
    time_format: str | None = None
    escape: str | None = None
    allow_line_ends: bool = False
    person: str | None = None
    ids: bool = False
    start: str | None = None
    keep: tuple[str, ...] = ()
    keep_case: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    skip_incomplete: bool = False
    decimal_comma: bool = False

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            for text in value if name in MANY_COLUMNS else (value,):
                if name not in _FLAGS and text is not None:
                    _refuse_no_text(name, text)
        checked_escape(self.escape)
        if self.timezone is not None:
            zone_offsets(self.timezone, np.zeros(1, dtype=np.int64))  # an unknown zone is refused before any work
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        made = (XES_CASE, XES_ACTIVITY, XES_TIME) + ((START_TIME, XES_LIFECYCLE) if self.start is not None else ())
        for name, given in self.kept.items():
            if name in made and name != self.start:
                raise ParameterError(f"{quoted(name)} is there anyway: leave it out of {argument(given.argument)}")
            if name in self.keep and name in self.keep_case:
                raise ParameterError(
                    f"{quoted(name)} is named twice: {argument('keep')} if each event has a value, "
                    f"{argument('keep_case')} if it is one value of the case"
                )
        for name in self.numbers:
            if name not in self.kept:
                raise ParameterError(
                    f"{quoted(name)} is declared to be a number, but not kept: name it with {argument('keep')} or "
                    f"{argument('keep_case')} too"
                )

    @property
    def kept(self) -> dict[str, Further]:
        """The public columns to read, by name."""
        levels = {**dict.fromkeys(self.keep, Level.EVENT), **dict.fromkeys(self.keep_case, Level.FIRST)}
        return {
            name: Further(
                name,
                level=level_of(name) if level_of(name) is Level.CASE else level,
                number=name in self.numbers,
                any_values=name in self.domains,
            )
            for name, level in levels.items()
        }

    def further(self, case: str) -> tuple[Further, ...]:
        """The columns to read beside case, activity and time; `case` is the column of case ids."""
        private = [Further(self.person, PERSON)] if self.person is not None else []
        private += [Further(case, CASE_ID)] if self.ids else []
        return (*private, *self.kept.values())


def names_in(argument_: str, given: object) -> tuple[str, ...]:
    """The names in a list that was given for an argument.

    >>> names_in("keep", ["age", "ward", "age"])
    ('age', 'ward')
    """
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        raise ParameterError(f"{argument_} must be a list of names, not {repr(given)[:40]}")
    return tuple(dict.fromkeys(given))


def _refuse_no_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a text, not {repr(value)[:40]}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ParameterError(f"{name} {quoted(value)} is not valid Unicode text")
