"""What attacks work with: the setting that all runs share, one run with fresh releases, and one release to look at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from ..core.arrays import Ints
from ..core.columns import PERSON, Field
from ..core.log import EventLog
from ..errors import LogError
from ..methods import Method
from ..methods.synthetic import Synthetic
from ..privacy.budget import Budget
from ..privacy.random import Randomness
from ..progress import Progress
from .insider import Insider, Odds
from .neighbours import Neighbour
from .observed import Observed
from .targets import Targets

T = TypeVar("T")

_PEOPLE = 40  # whose cases are looked for in a release, in each run
_PAIRS = 200  # of released cases whose order is compared, in each run


@dataclass(frozen=True)
class Shown:
    """One release, and on whom it is to be tried: so many people, so many pairs of released cases.

    `public_values` are columns whose values are public, so that a release may have them whoever does.
    """

    original: EventLog
    release: Observed
    people: Ints
    pairs: int
    random: Randomness
    public_values: frozenset[Field] = frozenset()


class OddsOfBoth(NamedTuple):
    """What noised figures of the neighbouring log, and of the original, say for the log that they are of."""

    neighbour: Odds
    original: Odds


def columns_with_public_values(method: Method) -> frozenset[Field]:
    """The columns whose values were given as public."""
    attributes = method.attributes if isinstance(method, Synthetic) else ()
    return frozenset(each.field for each in attributes if each.public is not None)


class Setting:
    """A log, a method, the people worth attacking, and the neighbouring logs, each made once.

    `budget` is what one release by the method spent, if the method has a budget. With `ignore_persons` releases are
    made as if the log did not say whose each case is; the same people are attacked.
    """

    def __init__(self, log: EventLog, method: Method, budget: Budget | None, *, ignore_persons: bool = False) -> None:
        self.log, self.method = without_persons(log) if ignore_persons else log, method
        self.targets = Targets(log, method.cases_per_person if isinstance(method, Synthetic) else None)
        self._ignore_persons = ignore_persons
        self.insider = Insider(method, budget) if isinstance(method, Synthetic) and budget is not None else None
        self._neighbours: dict[Neighbour, EventLog | None] = {}

    def neighbour(self, make: Neighbour) -> EventLog | None:
        """The neighbouring log that this makes; None where the log has no such person."""
        if make not in self._neighbours:
            made = make(self.targets)
            self._neighbours[make] = without_persons(made) if made is not None and self._ignore_persons else made
        return self._neighbours[make]


def without_persons(log: EventLog) -> EventLog:
    """The log as if it did not say whose each case is."""
    return replace(log, columns=tuple(column for column in log.columns if column.field != PERSON))


class Run:
    """One run: releases are made when an attack first asks for them, each with noise of its own.

    `random` is for choices of the attacker. `streams` gives the noise of one release after the other.
    """

    def __init__(self, setting: Setting, streams: Iterator[Randomness]) -> None:
        self.setting, self._streams = setting, streams
        self.random = next(streams)
        self._kept: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, kept for other attacks of this run that ask by the same key."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    def release_of(self, log: EventLog) -> Observed | None:
        """A fresh release of a log; None if nothing is left of it."""
        try:
            made = self.setting.method.release(log, next(self._streams), Progress())
        except LogError:
            return None
        return Observed(self.setting.log, made.log, made.ancestors)

    @cached_property
    def release(self) -> Observed | None:
        """A release of the original."""
        return self.release_of(self.setting.log)

    @cached_property
    def other_release(self) -> Observed | None:
        """Another release of the original."""
        return self.release_of(self.setting.log)

    @cached_property
    def shown(self) -> Shown | None:
        """The release of the original, and the people on whom attacks try it."""
        if self.release is None:
            return None
        log = self.setting.log
        people = self.setting.targets.some_cases(_PEOPLE, self.random.permutation(log.n_cases))
        return Shown(log, self.release, people, _PAIRS, self.random, columns_with_public_values(self.setting.method))

    def neighbour(self, make: Neighbour) -> Observed | None:
        """A release of a neighbouring log."""
        log = self.setting.neighbour(make)
        return None if log is None else self.once(("release", make), lambda: self.release_of(log))

    def odds(self, make: Neighbour) -> OddsOfBoth | None:
        """What the noised figures of both logs say, if the log has such a neighbour and the method such figures."""
        insider, log, other = self.setting.insider, self.setting.log, self.setting.neighbour(make)
        if insider is None or other is None:
            return None
        here = self.once("figures", lambda: insider.watch(log, next(self._streams)))

        def odds() -> OddsOfBoth:
            there = insider.watch(other, next(self._streams))
            return OddsOfBoth(insider.odds(there, log), insider.odds(here, other))

        return self.once(("odds", make), odds)
