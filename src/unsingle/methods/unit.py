"""Whom a promise is for: someone with one case, or a person with up to so many cases, in the words of a guarantee."""

from __future__ import annotations

from typing import NamedTuple

from ..core.columns import PERSON
from ..core.log import EventLog
from ..core.wording import at_most
from ..errors import ParameterError, argument
from ..privacy.budget import Terms
from ..privacy.guarantee import ONE_RELEASE, OTHER_RELEASES

MOST_CASES = 1000
"""More cases of one person cannot be covered: the noise on counts would be wider than any count."""

_ONE_CASE = "one case per person: of people with several, each case is protected by itself, not all of them together"
_NAMES = "the column of persons tells people apart: nobody goes by two names in it"


class ProtectedUnit(NamedTuple):
    """What is protected as a whole: a case, or all `cases` that one person may have, if a log says whose each is.

    >>> ProtectedUnit().person, ProtectedUnit(1).person, ProtectedUnit(5).person
    ('a person', 'one person with one case', 'one person with up to 5 cases')
    """

    cases: int | None = None

    @classmethod
    def of(cls, cases: int | None) -> ProtectedUnit:
        """Checked: raises `ParameterError` unless it is a whole number that noise can be made for."""
        whole = isinstance(cases, int) and not isinstance(cases, bool)
        if cases is not None and not (whole and 1 <= cases <= MOST_CASES):
            raise ParameterError(
                f"{argument('cases_per_person')} must be a whole number from 1 to {MOST_CASES} (not {cases!r}): the "
                "most cases that one person has, or nearly everybody"
            )
        return cls(cases)

    def check(self, log: EventLog) -> None:
        """Refuse a log that does not say whose each case is, if persons are the unit."""
        if self.cases is not None and log.column(PERSON) is None:
            raise ParameterError(
                f"{argument('cases_per_person')} needs a log that says whose each case is: name that column with "
                f"{argument('person')} when the log is read, or leave {argument('cases_per_person')} out"
            )

    @property
    def most(self) -> int:
        """How many cases a person has at most: k."""
        return self.cases or 1

    @property
    def person(self) -> str:
        """Whom a question is about."""
        if self.cases is None:
            return "a person"
        return "one person with one case" if self.cases == 1 else f"one person with up to {self.cases} cases"

    @property
    def others(self) -> str:
        """What the attacker knows."""
        return "every other case" if self.cases is None else "every case of all other people"

    @property
    def together(self) -> str:
        """That a question is about all cases of a person, if there may be several."""
        return "" if self.most == 1 else ", all of them together,"

    @property
    def theirs(self) -> str:
        """What a person had."""
        return "the case was" if self.most == 1 else "the cases were"

    @property
    def assumes(self) -> tuple[str, ...]:
        """What is assumed of people."""
        return (_ONE_CASE if self.cases is None else _NAMES, ONE_RELEASE)

    @property
    def not_covered(self) -> str:
        """Where a promise ends, in a sentence."""
        if self.cases is None:
            return f"Not covered: all cases together of people with several cases, {OTHER_RELEASES}"
        more = "several cases" if self.cases == 1 else f"more than {self.cases} cases"
        return f"Covered less: people with {more}. Not covered: {OTHER_RELEASES}"

    def not_protected(self, terms: Terms) -> str:
        """What people with more cases are promised, in words; from the parameters alone."""
        if self.cases is None:
            return (
                "people with several cases as a whole: each case is protected by itself, but all of them together less"
            )
        gain = terms.gain_of_person(2 * self.most)
        more = "several cases" if self.cases == 1 else f"more than {self.cases} cases"
        return (
            f"people with {more} to the same degree: a guess about someone with {2 * self.most} can gain up to "
            f"{at_most(gain)}"
        )
