"""How exposed people are before any release: what an attacker who has the log could find. Private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.log import EventLog
from ...core.precision import Precision
from ...core.wording import percent, shown_share
from ...methods import DEFAULT
from ...methods.unit import MOST_CASES
from ...privacy.advantage import checked_delta
from ..sources import LogSource, as_log
from ..tables import Tabular
from .attributes import ALL, AttributeUniqueness, attribute_uniqueness
from .exposure import ActivityRisk, Outlier, RareVariant, activity_risks, outliers, priors_of, rare_variants
from .persons import PersonCases, cases_by_person, delta_for_persons
from .uniqueness import DATED, DAY_OF_START, PATH_AND_TIMES, Uniqueness, uniqueness_of

_MOST, _SOME = 0.5, 0.01  # shares of cases from which on most, or some, people can be singled out


@dataclass(frozen=True)
class Risk(Tabular):
    """What an attacker could find in the log itself. Private, like the log."""

    cases: int
    events: int
    variants: int
    activities: int
    unique_paths: int
    unique_path_share: float
    precision: str
    certain_time_share: float
    uniqueness: tuple[Uniqueness, ...]
    by_activity: tuple[ActivityRisk, ...]
    rare_variants: tuple[RareVariant, ...]
    outliers: tuple[Outlier, ...]
    delta: float
    by_person: tuple[PersonCases, ...] = ()
    delta_needed: float | None = None
    attributes: tuple[AttributeUniqueness, ...] = ()

    def singled_out(self, known: str) -> float:
        """The share of cases that this piece of knowledge singles out."""
        return next(each.unique_share for each in self.uniqueness if each.known == known)

    @property
    def verdict(self) -> str:
        """The answer: ways in which people are found, and how many the most telling of them singles out.

        Nothing but the shares that are named is used, as they are shown.
        """
        day, two_events = self.singled_out(DAY_OF_START), self.singled_out(DATED[1])
        conclusion = _concluded((self.unique_path_share, day, two_events, self._with_day))
        return (
            f"{self._paths_verdict} The day a case began singles out {percent(day)} of cases, two of its events with "
            f"their days {percent(two_events)}.{self._attributes_verdict} {conclusion}"
        )

    @property
    def _with_day(self) -> float:
        """The share of cases that the day and the values of all kept columns single out; 0 if none is kept."""
        found = [each.unique_share for each in self.attributes if each.besides == DAY_OF_START]
        return found[-1] if found else 0.0

    @property
    def _attributes_verdict(self) -> str:
        if not self.attributes:
            return ""
        known = self.attributes[-1].known
        values = "the values of all kept columns" if known == ALL else f"its {known}"
        return f" The day and {values} single out {percent(self._with_day)}."

    @property
    def _paths_verdict(self) -> str:
        if not self.unique_paths:
            return "Nobody is alone on a path."
        return (
            f"{self.unique_paths:,} of {self.cases:,} cases ({percent(self.unique_path_share)}) took a path nobody "
            "else took: anyone who knows that person's path can find everything else."
        )

    @property
    def persons_verdict(self) -> str:
        """What it means that people have several cases; empty if persons are not told apart."""
        if not self.by_person:
            return ""
        most = self.by_person[-1]
        if most.cases == 1:
            return "Every person has one case, as is assumed."
        one = "them" if most.persons == 1 else "one of them"
        worth = (
            f"{_who(most)}: at delta {self.delta:g} a guess about {one} gains up to {most.gain:.2f} from "
            f"a release by {DEFAULT} that takes each case for a person."
        )
        if most.cases > MOST_CASES:
            return f"{worth} So many cases of one person cannot be covered: leave some of them out."
        needed = self.delta_needed
        otherwise = "no delta is small enough else" if needed is None else f"else it takes delta {needed:g}"
        return (
            f"{worth} Release it by person, with up to {most.cases:,} cases per person, so that nobody's risk grows by "
            f"more than {self.delta:g}; {otherwise}."
        )

    @property
    def key_figures(self) -> list[tuple[str, Any]]:
        """Sizes, and the shares that the verdict is made from."""
        known = (DAY_OF_START, DATED[1], PATH_AND_TIMES)
        return [
            ("cases", self.cases),
            ("events", self.events),
            ("variants", self.variants),
            ("cases alone on their path", f"{self.unique_paths:,} ({percent(self.unique_path_share)})"),
            *((f"singled out by {each}", percent(self.singled_out(each))) for each in known),
            (f"times that can be guessed for sure, to within {self.precision}", percent(self.certain_time_share)),
        ]


def _who(most: PersonCases) -> str:
    """How many people have so many cases, in words."""
    if most.persons == 1:
        return f"One person has {most.cases:,} cases"
    return f"{most.persons:,} people have {most.cases:,} cases each"


def _concluded(shares: Sequence[float]) -> str:
    """How many people can be singled out: by the largest of these shares, as it is shown."""
    found = max(shares)
    if found == 0:
        return "None of this singles anybody out."
    shown = shown_share(found)
    people = "most people" if shown >= _MOST else "some people" if shown >= _SOME else "few people"
    return (
        f"Published as it is, this log lets {people} be singled out: {percent(found)} of cases by one of these alone."
    )


def assess_risk(log: LogSource, *, delta: float = 0.2, precision: float | str = 0.1) -> Risk:
    """Find out how exposed people are in a log, a data frame or a log of PM4Py.

    A log that has a column of persons is also assessed for people with several cases.

    Args:
        log: the original.
        delta: what each person should be promised, also one with several cases.
        precision: how near a guess of a time must come to count.

    >>> from unsingle import synthesize
    >>> risk = assess_risk(synthesize(cases=300, seed=1))
    >>> 0 < risk.unique_path_share < 1
    True

    """
    return _assessed(as_log(log), float(checked_delta(delta)), Precision.parse(precision))


def _assessed(log: EventLog, delta: float, precision: Precision) -> Risk:
    alone = (log.variants.cases == 1)[log.variants.of_case]
    priors = priors_of(log, precision)
    by_person = cases_by_person(log, delta)
    return Risk(
        cases=log.n_cases,
        events=log.n_events,
        variants=log.variants.count,
        activities=len(log.labels),
        unique_paths=int(alone.sum()),
        unique_path_share=float(alone.mean()),
        precision=str(precision),
        certain_time_share=float((priors == 1).mean()) if len(priors) else 0.0,
        uniqueness=uniqueness_of(log),
        by_activity=activity_risks(log, alone, priors),
        rare_variants=rare_variants(log),
        outliers=outliers(log),
        delta=delta,
        by_person=by_person,
        delta_needed=delta_for_persons(delta, by_person[-1].cases) if by_person else None,
        attributes=attribute_uniqueness(log),
    )
