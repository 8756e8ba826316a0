"""Finding the column for each role among the names there are; all that are missing are said at once."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..core.wording import joined_by, listed, quoted
from ..errors import ColumnError, argument
from .schema import XES_ACTIVITY, XES_CASE, XES_LIFECYCLE, XES_TIME
from .usual_names import CLOCKS, USUAL_NAMES, plain
from .wanted import MANY_COLUMNS, ONE_COLUMN, Further, Wanted

_XES = {"case": XES_CASE, "activity": XES_ACTIVITY, "time": XES_TIME, "lifecycle": XES_LIFECYCLE}
_ALIKE = 0.7  # of the letters of two names, where one may be meant by the other
_LOOKED_AT = 500  # names, for those that are alike


def column_parts(name: str, names: Sequence[str]) -> tuple[str, ...]:
    """The columns of a combination, or the one column that has that very name."""
    if name in names:
        return (name,)
    return tuple(part if part in names else part.strip() for part in name.split("+"))


class _Missing(NamedTuple):
    """A column that is not there: for which argument, the name that was given if any, and one that is alike."""

    argument: str
    given: str | None
    alike: str | None


class Chooser:
    """Finds the column for a role among the names there are; `where` is for messages.

    What is not there is noted, and said by `refuse_missing`.
    """

    def __init__(self, names: Sequence[str], where: str) -> None:
        self._names, self._where = list(names), where
        self._plain = [plain(name) for name in names]
        self._missing: list[_Missing] = []

    def spelled(self, wanted: Wanted) -> Wanted:
        """The same with names as they are spelled here, whatever case their letters were given in.

        >>> Chooser(["Order", "order2"], "").spelled(Wanted(case="ORDER", keep=("Order2",))).keep
        ('order2',)
        """
        found: dict[str, Any] = {}
        for role, name in vars(wanted).items():
            if role in ONE_COLUMN and name is not None:
                found[role] = self._spelled_parts(name)
            elif role in MANY_COLUMNS:
                found[role] = tuple(map(self._spelled, name))
        return replace(wanted, **found)

    def _spelled(self, name: str) -> str:
        if name in self._names:
            return name
        same = {each for each in self._names if each.casefold() == name.casefold()}
        return same.pop() if len(same) == 1 else name

    def _spelled_parts(self, name: str) -> str:
        if (whole := self._spelled(name)) in self._names:
            return whole
        parts = column_parts(name, self._names)
        spelled = tuple(map(self._spelled, parts))
        return name if spelled == parts else "+".join(spelled)

    def choose(self, role: str, wanted: str | None = None) -> str:
        """The column that is wanted, else the one with the XES name, else with the first usual name."""
        if wanted is not None:
            return self._only(role, [wanted] * self._names.count(wanted), wanted)
        usual = (self._having(key) for key in USUAL_NAMES[role])
        return self._only(role, [_XES[role]] * self._names.count(_XES[role]) or next(filter(None, usual), []), None)

    def choose_time(self) -> str:
        """The column of times, or ``DATE+CLOCK`` if a date and a clock time stand in two columns."""
        time = self.choose("time")
        for date, clocks in CLOCKS.items():
            if plain(time) in (date, *clocks):
                pairs = [(*self._having(date), *self._having(clock)) for clock in clocks if self._having(clock)]
                if pairs and len(pairs[0]) == 2 and "+" not in "".join(pairs[0]):
                    return "+".join(pairs[0])
        return time

    def keep(self, kept: Further) -> None:
        """Check that there is a column of this name, and only one."""
        self._only(kept.argument, [kept.name] * self._names.count(kept.name), kept.name)

    def refuse_missing(self) -> None:
        """Say in one message which columns are not there, what may be meant, and what to do."""
        if not self._missing:
            return
        asked = list(dict.fromkeys(each.argument for each in self._missing))
        name = "name one with" if len(asked) == 1 else "name them with"
        advice = f"{name} {joined_by('and', [argument(each) for each in asked])}"
        if asked == ["lifecycle"]:
            advice = f"leave {argument('lifecycle')} out"
        raise ColumnError(
            f"{self._where}: there is {' and '.join(self._what())}: {advice}; there are: {listed(self._names)}",
            {each.argument: each.alike or "" for each in self._missing if each.argument != "lifecycle"},
        )

    def _what(self) -> list[str]:
        """What is missing, in words: roles that no name tells, then names that were given."""
        roles = [f"the {each.argument}" for each in self._missing if each.given is None]
        parts = [f"no column that looks like {joined_by('or', roles)}"] if roles else []
        for each in self._missing:
            if each.given is not None:
                use = "to keep" if each.argument.startswith("keep") else f"for the {each.argument}"
                meant = f" (did you mean {quoted(each.alike)}?)" if each.alike else ""
                parts.append(f"no column {quoted(each.given)} {use}{meant}")
        return parts

    def _having(self, key: str) -> list[str]:
        return [name for name, plain in zip(self._names, self._plain, strict=True) if plain == key]

    def _only(self, role: str, found: list[str], given: str | None) -> str:
        if not found:
            self._missing.append(_Missing(role, given, self._alike(role, given)))
            return given or ""
        advice = f"leave {argument(role)} out" if role == "lifecycle" else f"name one with {argument(role)}"
        if len(set(found)) > 1:
            raise ColumnError(f"{self._where}: the {role} could be any of {listed(found)}: {advice}")
        if len(found) > 1:
            raise ColumnError(f"{self._where}: there are {len(found)} columns {quoted(found[0])}: rename all but one")
        return found[0]

    def _alike(self, role: str, given: str | None) -> str | None:
        """The column whose name is most like the one that was given, or like a usual one for the role."""
        meant = (plain(given),) if given is not None else USUAL_NAMES.get(role, ())
        names = {key: name for key, name in zip(self._plain[:_LOOKED_AT], self._names, strict=False) if key}
        best = max(((_likeness(key, each), name) for key, name in names.items() for each in meant), default=(0.0, ""))
        return best[1] if best[0] >= _ALIKE else None


def _likeness(one: str, other: str) -> float:
    """How alike two names are, from 0 to 1; 0 where their lengths alone rule it out, which is quicker.

    >>> _likeness("timestamp", "times tamp") > 0.8, _likeness("a" * 50, "case")
    (True, 0.0)
    """
    matcher = difflib.SequenceMatcher(None, one, other)
    return matcher.ratio() if matcher.real_quick_ratio() >= _ALIKE else 0.0
