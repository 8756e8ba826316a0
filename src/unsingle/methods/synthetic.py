"""The pipeline that `twin` and `strict` share: measure, noise, estimate, synthesise. No case descends from a person.

They differ in their terms: whether the set of variants is public, and what the budget means.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..core.calendar import Calendar
from ..core.clock import GRIDS, Grid
from ..core.columns import Field, Kind
from ..core.intervals import with_one_value_each
from ..core.log import EventLog
from ..core.machine import refuse_too_many_events
from ..core.wording import at_most, quoted
from ..errors import LogError, ParameterError, argument
from ..mechanisms import clocks, paths
from ..mechanisms.attributes import Attribute, drawn_columns
from ..mechanisms.cases import Cases
from ..mechanisms.measurements import Measurements, refuse_too_wide
from ..mechanisms.paths import ReleasedPaths
from ..mechanisms.shares import shares
from ..mechanisms.synthesis import ReleasedClock, synthesised
from ..privacy.budget import SLACK, Budget, Terms
from ..privacy.composition import Spent
from ..privacy.guarantee import NO_NAMES, OTHER_TRIES, Secret
from ..privacy.laws import Pair
from ..privacy.random import Randomness
from ..privacy.terms import epsilon_for
from ..progress import Progress
from .base import Method, Outcome, ParameterKind, checked_grid, grid_parameter, parameter
from .columns import Said
from .unit import ProtectedUnit

NOT_PROTECTED = (
    "what is true of everybody: a release shows how things usually go, also for those in it",
    OTHER_TRIES,
    "every single outcome: the promise is an average over the noise, and an unlucky draw can reveal more",
)

_PATHS, _TIMES = "paths", "times"  # the steps

_CROWDED, _LARGE = (0.25, 0.6), 10_000  # of the cases, and cases


@dataclass(frozen=True)
class Synthetic(Method):
    """A method that makes every case up, from figures noised within one budget."""

    stages: ClassVar[Mapping[str, str]] = {_PATHS: "choosing paths", _TIMES: "drawing times from noised figures"}
    has_budget = True

    grid: str | None = grid_parameter("the coarsest that nearly all cases lie on, found with noise")
    slack: float = parameter(
        SLACK,
        ParameterKind.NUMBER,
        "The delta of (epsilon, delta)-differential privacy, called slack here; far less than 1 / number of cases. "
        f"[default: {SLACK:g}]",
    )

    cases_per_person: int | None = parameter(
        None,
        ParameterKind.COUNT,
        "Protect each person with up to so many cases, all of them together, where the log says whose each case is. "
        "More of them make counts less accurate. [default: everybody is taken to have one case]",
    )

    values: Mapping[str, Sequence[str]] | None = parameter(
        None,
        ParameterKind.TEXTS_BY_COLUMN,
        "The values that a kept column may have, one in each line of a file; others become OTHER. May be repeated. "
        "[default: those that many people have, found with noise]",
        metavar="COLUMN=FILE",
    )
    pseudonyms: Sequence[str] | None = parameter(
        None,
        ParameterKind.COLUMNS,
        "Publish 'value 1', 'value 2' and so on in place of the values of a kept column. May be repeated. [default: "
        "columns that look like staff]",
        metavar="COLUMN",
    )
    names: Sequence[str] | None = parameter(
        None,
        ParameterKind.COLUMNS,
        "Publish the values of a kept column as they are, although it looks like staff. May be repeated.",
        metavar="COLUMN",
    )
    round: Mapping[str, float] | None = parameter(
        None,
        ParameterKind.NUMBERS_BY_COLUMN,
        "Round the numbers of a kept column to multiples of STEP. May be repeated. [default: 1 for whole numbers, else "
        "0.01]",
        metavar="COLUMN=STEP",
    )
    calendar: Mapping[str, Sequence[str]] | None = parameter(
        None,
        ParameterKind.CALENDAR,
        "A public calendar, whose days, hours and holidays events are put into. It costs nothing of the budget. "
        "[default: the hours of the week, found with noise]",
        metavar="FILE",
    )
    columns: tuple[Field, ...] = ()
    """The columns that are released beside case, activity and time: see `keeping`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_grid(self.grid)
        _ = self.working_time
        epsilon_for(self.delta, self.slack)
        _ = self.unit
        self._said.check()
        _ = self.attributes

    def accepts(self, column: Field) -> bool:
        """Whatever is not private: its values are drawn from noised figures."""
        return not column.private

    def publishes(self, column: Field) -> bool:
        """Not those that become pseudonyms, and none beside those that were given."""
        return any(each.field == column and each.selects and not each.pseudonyms for each in self.attributes)

    def keeping(self, columns: Sequence[Field]) -> Method:
        """The method for logs of which these columns are released; its budget and promise cover them."""
        super().keeping(columns)
        self._said.attributes(columns)  # refuses what was said of columns that are not there
        return replace(self, columns=tuple(columns))

    @property
    def _said(self) -> Said:
        return Said(
            dict(self.values or {}), tuple(self.pseudonyms or ()), tuple(self.names or ()), dict(self.round or {})
        )

    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The columns with what was said of them; nothing is checked before it is known which columns there are."""
        return self._said.attributes(self.columns) if self.columns else ()

    @cached_property
    def working_time(self) -> Calendar | None:
        """The calendar that was given, if any."""
        return None if self.calendar is None else Calendar.of(self.calendar)

    @property
    def selects(self) -> bool:
        """Whether values of columns are published because many people have them."""
        return any(each.selects for each in self.attributes)

    def measurements(self, random: Randomness) -> Measurements:
        """Nothing measured yet, and the whole budget left; refuses noise that is too wide before any is drawn."""
        self._refuse_too_wide()
        return Measurements(self.terms, shares(self.terms, self.attributes), random)

    def _refuse_too_wide(self) -> None:
        for way in self.terms.ways or (self.terms,):
            refuse_too_wide(way.rho * min(shares(way, self.attributes).values()))

    def check(self, log: EventLog) -> None:
        """Refuse what the log itself decides; after noise is drawn, it must not."""
        self.unit.check(log)
        refuse_too_many_events(log.n_events, log.n_events)
        self._refuse_too_wide()

    def spends(self) -> Spent:
        """All that the terms allow."""
        return Spent.of(self.terms, self.delta)

    @property
    def unit(self) -> ProtectedUnit:
        """Whom the promise is for."""
        return ProtectedUnit.of(self.cases_per_person)

    @property
    @abstractmethod
    def terms(self) -> Terms:
        """How much noise there must be; fixed before anything is drawn."""

    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:
        """Measure the log with noise, and make a log of what was measured."""
        noise, random = random.spawn(2)
        return self.made_from(self.measurements(noise), log, random, progress)

    def made_from(self, measurements: Measurements, log: EventLog, random: Randomness, progress: Progress) -> Outcome:
        """The same, with measurements that are made elsewhere or repeated; `random` is for what is made of them."""
        self.check(log)
        kept = [column for field in self.columns if (column := log.column(field)) is not None]
        assert len(kept) == len(self.columns), "the method was made for the columns of this log"
        progress.step(_PATHS)
        cases = Cases.of(log)
        total = measurements.number_of_cases(cases.count)
        cases, found = self._paths(cases, total, measurements, random)
        if not found.cases:
            raise LogError(_too_small(measurements.budget.began))
        refuse_too_many_events(len(found.activity), len(found.activity))
        progress.step(_TIMES)
        zone = clocks.measured_zone(log, total, measurements)
        grid = (
            clocks.measured_grid(cases, zone, total, measurements)
            if self.grid is None
            else Grid(GRIDS[self.grid], zone)
        )
        clock = ReleasedClock(grid, self.working_time)
        released = synthesised(cases, found, clock, measurements, random)
        columns = drawn_columns(self.attributes, kept, cases, found, measurements, random)
        parts = None if log.parts is None else log.parts.of(released.labels)
        released = with_one_value_each(replace(released, columns=tuple(columns), parts=parts))
        return Outcome(released.subset(random.permutation(released.n_cases)), budget=measurements.budget)

    @abstractmethod
    def _paths(
        self, cases: Cases, total: int, measurements: Measurements, random: Randomness
    ) -> tuple[Cases, ReleasedPaths]:
        """The cases whose times may be measured, and the paths of the release."""

    def of_columns(self) -> str:
        """What a question may also be about, if columns are kept."""
        names = ", ".join(quoted(column.table_name) for column in self.columns)
        return f", whether they had this or that in {names}" if names else ""

    def values_assumed(self) -> tuple[str, ...]:
        """What is assumed of the values of kept columns that are published as they are, and of the calendar."""
        texts = [each for each in self.attributes if each.field.kind is Kind.TEXT]
        shown = [quoted(each.field.table_name) for each in texts if each.public is None and not each.pseudonyms]
        given = [quoted(each.field.table_name) for each in texts if each.public is not None]
        many = f"values of {', '.join(shown)} that many people have are published as they are: {NO_NAMES}"
        public = f"the given values of {', '.join(given)} are public"
        calendar = () if self.calendar is None else ("the calendar is public",)
        return (*((many,) if shown else ()), *((public,) if given else ()), *calendar)

    def not_protected(self) -> tuple[str, ...]:
        """What no method of this kind protects."""
        everybody, *others = NOT_PROTECTED
        more_answers = (
            "guesses among more than two answers are protected less: among three equally likely ones a guess can gain "
            f"up to {at_most(self.among_three)}"
        )
        return (everybody, self.unit.not_protected(self.terms), *others, more_answers)

    @property
    def among_three(self) -> float:
        """What a guess among three equally likely answers may gain (claim T2), whichever way noised figures lead."""
        ways = [each.all_spent() for each in self.terms.ways or (self.terms,)]
        of_choice = self.terms.choice.total_variation

        def most(pairs: list[Pair]) -> float:
            return of_choice + max(pair.total_variation for pair in pairs)

        anybody = not self.terms.publishes_all_paths
        presence = [pair for each in ways for pair in (each.presence, *((each.lone_presence,) if anybody else ()))]
        exchange = [pair for each in ways for pair in (each.exchange, *((each.lone_exchange,) if anybody else ()))]
        return min(most(presence), 2 / 3 * most(exchange))

    def bounds(self) -> dict[Secret, float]:
        """What guesses about each secret may gain, whichever way the noised figures lead."""
        ways = [_bounds(each.all_spent(), self.delta) for each in self.terms.ways or (self.terms,)]
        return {secret: max(way[secret] for way in ways) for secret in ways[0]}


@dataclass(frozen=True)
class PathsOfMany(Synthetic):
    """One that publishes a path only if many took it; all other cases get paths that nobody took."""

    keeps_variants = False

    labels: Sequence[str] | None = parameter(
        None,
        ParameterKind.TEXTS,
        "The activities that may be published, one in each line; events of others are left out. [default: those that "
        "many people have, found with noise]",
        metavar="FILE",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.labels, str):
            raise ParameterError(f"{argument('labels')} is a list of activities, not one text: write [{self.labels!r}]")
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(self.labels))
            if not self.labels or len(set(self.labels)) != len(self.labels):
                raise ParameterError("public labels must be distinct, and there must be at least one")

    @cached_property
    def public_labels(self) -> tuple[str, ...] | None:
        """The labels that everybody may know, in order."""
        return None if self.labels is None else tuple(sorted(self.labels))

    def _paths(
        self, cases: Cases, total: int, measurements: Measurements, random: Randomness
    ) -> tuple[Cases, ReleasedPaths]:
        terms = measurements.budget.terms
        if terms.ways:
            way = _chosen_way(cases, total, measurements)
            measurements.go_on_by(way, shares(way, self.attributes))
        return paths.taken_by_many(cases, total, self.public_labels, measurements, random)

    def published_labels(self, labels: Sequence[str]) -> Sequence[str]:
        """Those that were given as public, if any were."""
        public = self.public_labels
        return labels if public is None else [label for label in labels if label in public]

    def outside(self, log: EventLog) -> dict[str, int]:
        """How many events have labels that were not given as public, and are left out (private)."""
        if self.labels is None:
            return {}
        known = np.isin(np.array(log.labels, dtype=object), np.array(self.labels, dtype=object))
        events = int((~known)[log.activity].sum())
        return {"events of other labels": events} if events else {}

    def labels_assumed(self) -> str:
        """What is assumed of activity labels, because the release does not simply take those of the log."""
        if self.labels is not None:
            return f"the given activity labels are public and published as they are: {NO_NAMES}"
        return f"activity labels that many people have are published as they are: {NO_NAMES}"


def _chosen_way(cases: Cases, total: int, measurements: Measurements) -> Terms:
    """The terms by which to go on: counts of paths are worth what they cost if many cases are on paths of many.

    In a large log counts stand out of any noise, and times need the budget more.
    """
    few, some, most = measurements.budget.terms.ways
    crowded = measurements.cases_on_paths_of_many(cases.paths.cases) / max(1, total)
    return (few, some, most if total < _LARGE else some)[bisect(_CROWDED, crowded)]


def _bounds(spent: Budget, delta: float) -> dict[Secret, float]:
    """What a budget allows: a yes/no guess gains half of a total variation, and never more than delta.

    The chance of any other event changes by up to the whole total variation.
    """
    times = spent.lone_times
    yes_no = {
        Secret.PRESENCE: spent.presence.gain,
        Secret.STEP: spent.presence.gain,
        Secret.PATH: spent.exchange.gain,
        Secret.PATH_BY_COUNTS: Pair(spent.exchange.ratios).gain,
        Secret.PATH_BY_TIMES: times.gain,
        Secret.UNUSUAL_TIME: times.gain,
        Secret.VALUE: times.gain,
    }
    if not spent.terms.publishes_all_paths:
        yes_no[Secret.LONE_PRESENCE] = spent.lone_presence.gain
    whole = min(1.0, times.total_variation, 2 * delta)
    others = dict.fromkeys((Secret.USUAL_TIME, Secret.START, Secret.ANY_TIME, Secret.ANY_VALUE), whole)
    others |= {Secret.WHOSE_TIME: min(0.5, whole), Secret.BEYOND_NOISE: 0.0}
    return {secret: min(delta, gain) for secret, gain in yes_no.items()} | others


def _too_small(terms: Terms) -> str:
    """What would be needed, from the parameters alone: a message may tell no more than a release."""
    return (
        "no path or step is frequent enough to be published at this delta: it takes paths that "
        f"{terms.threshold} cases or more took, or steps that many cases have; take a larger log, all of its paths "
        "(twin), or a larger delta, but every attempt adds to what is revealed"
    )
