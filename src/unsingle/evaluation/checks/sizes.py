"""Numbers of cases and of events that make one ask whether the columns are the right ones."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.wording import quoted
from .base import CHECKS, Check, Concern, Facts

_FEW_CASES, _CATEGORIES, _LONG_CASES = 100, 12, 500
_EVENTS_OF_CATEGORY = 10  # for each value; a log of few short cases is only small


class _FewCases(Check):
    name, rank = "few cases", 110

    def concerns(self, facts: Facts) -> Iterator[Concern]:
        cases, events, column = facts.log.n_cases, facts.log.n_events, _case_column(facts)
        if cases >= _FEW_CASES:
            return
        sentence = f"There are only {cases:,} cases: is {column} right? Noise hides nearly all of so small a log."
        if cases <= _CATEGORIES and events >= _EVENTS_OF_CATEGORY * cases:
            sentence = (
                f"{column[0].upper()}{column[1:]} has only {cases:,} different values in {events:,} events: does it "
                "not say of what sort a case is, or who worked on it?"
            )
        yield Concern(self.name, "", sentence)


class _LongCases(Check):
    name, rank = "long cases", 120

    def concerns(self, facts: Facts) -> Iterator[Concern]:
        mean = facts.log.n_events / facts.log.n_cases
        if mean > _LONG_CASES:
            yield Concern(
                self.name, "", f"A case has {mean:,.0f} events on average: is {_case_column(facts)} right?"
            )  # fmt: skip


def _case_column(facts: Facts) -> str:
    column = facts.column_of("case")
    return f"the column of cases, {quoted(column)}," if column else "the column of cases"


FEW_CASES, LONG_CASES = CHECKS.add(_FewCases()), CHECKS.add(_LongCases())
