"""Risk after a release: how many people would be found in it by what someone knows of them, beside a control group.

The attack is that of `uniqueness`: someone knows something of a person that fits nobody else, and looks for it in the
release. A case that fits may be there by chance, so the same is tried for people whom the release knows nothing of: it
is made of one half of the people, in the same way, and the other half are the control group. Whatever is found of one
half more often than of the other, the release has told. Private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ...core.arrays import Flags, Ints, offsets_of
from ...core.log import EventLog
from ...core.wording import percent
from ...errors import UnsingleError
from ...mechanisms.cases import persons_of
from ...methods import Method
from ...privacy.random import Randomness
from ...progress import Progress
from .uniqueness import TRIES, asked_cases, crowd, keys_of, picked_at_random

_MOST, _LEAST = 20_000, 40  # people who are tried: more would take long, with fewer the halves differ by chance
_CONFIDENCE = 0.95
_MEMBERS, _CONTROL, _RELEASED = range(3)  # the groups


@dataclass(frozen=True)
class PeopleFound:
    """How many people one piece of knowledge finds, as shares of all who are tried.

    `in_log` are those whom it singles out in the log itself. Of these, `in_release` find a case that fits in a release
    that was made of them, and `in_control` in one that was not. `excess` is the difference, within 95 % bounds of all
    rows together.
    """

    known: str
    in_log: float
    in_release: float
    in_control: float
    low: float
    high: float

    @property
    def excess(self) -> float:
        """How many more people are found because they are in the release."""
        return self.in_release - self.in_control

    @property
    def is_given_away(self) -> bool:
        """Whether it is sure that more people are found than by chance."""
        return self.low > 0


@dataclass(frozen=True)
class RiskAfter:
    """How many people would be found in a release, by each piece of knowledge; why, if that could not be tried."""

    people: int = 0
    rows: tuple[PeopleFound, ...] = ()
    not_tried: str = ""

    @property
    def verdict(self) -> str:
        """The answer: whom being in the release gives away."""
        if self.not_tried:
            return f"Risk after release was not tried: {self.not_tried}."
        given = sorted((row for row in self.rows if row.is_given_away), key=lambda row: -row.excess)
        if not given:
            worst = max(self.rows, key=lambda row: row.high)
            return (
                "Nobody is found because they are in the release: whatever we let an attacker know, people who are in "
                "it are found no more often than people who are not (with 95% confidence, the difference is below "
                f"{percent(max(worst.high, 0.0))} of people)."
            )
        first, *others = given
        more = f" {_kinds(len(others))} too, but less often." if others else ""
        return (
            f"Being in the release gives people away to someone who knows {first.known}: that finds "
            f"{percent(first.in_release)} of the people who are in it, and {percent(first.in_control)} of those who "
            f"are not.{more} {self._safe(len(given))}"
        ).rstrip()

    def _safe(self, given: int) -> str:
        rest = len(self.rows) - given
        return f"By the other {rest} people are found no more often than by chance." if rest else ""


def _kinds(number: int) -> str:
    return "1 other kind of knowledge does so" if number == 1 else f"{number} other kinds of knowledge do so"


def risk_after(log: EventLog, method: Method) -> RiskAfter:
    """Try it: make a release of one half of the people, and look for both halves in it.

    `method` is made for the columns of the log. The noise has a fixed seed, because nothing of that release is shown.

    >>> from unsingle import synthesize
    >>> from unsingle.methods.twin import TwinCrowds
    >>> after = risk_after(synthesize(500, seed=2), TwinCrowds(0.2))
    >>> any(row.is_given_away for row in after.rows)
    False
    """
    random = Randomness(0)
    person = persons_of(log)
    people = random.permutation(int(person.max()) + 1)[:_MOST]
    if len(people) < _LEAST:
        return RiskAfter(
            not_tried=f"there are {len(people)} people, and halves of fewer than {_LEAST} differ by chance"
        )
    group = np.full(int(person.max()) + 1, -1)
    group[people[::2]], group[people[1::2]] = _MEMBERS, _CONTROL
    members, control = (np.flatnonzero(group[person] == each) for each in (_MEMBERS, _CONTROL))
    try:
        made = method.release(log.subset(members), random, Progress()).log
    except UnsingleError:
        return RiskAfter(not_tried="half of this log is too small for a release by this method")
    return RiskAfter(len(people), _found(log.subset(np.concatenate((members, control))), len(members), made))


def _found(people: EventLog, members: int, release: EventLog) -> tuple[PeopleFound, ...]:
    """What each piece of knowledge finds of the people, of whom the first are in the release."""
    n = people.n_cases
    both = joined(people, release)
    group = np.full(both.n_cases, _RELEASED)
    group[:members], group[members:n] = _MEMBERS, _CONTROL
    is_member = np.arange(n) < members
    rows = {name: (_singled_and_there(key, n), is_member, 1) for name, key in keys_of(both).items()}
    asked = np.concatenate((asked_cases(members), members + asked_cases(n - members)))
    for name, fitting in picked_at_random(both, group, asked).items():
        alone = fitting[:, _MEMBERS] + fitting[:, _CONTROL] == 1
        rows[name] = ((alone, alone & (fitting[:, _RELEASED] > 0)), np.repeat(asked < members, TRIES), TRIES)
    z = NormalDist().inv_cdf(1 - (1 - _CONFIDENCE) / 2 / len(rows))
    return tuple(_row(name, *found, of, tries, z) for name, (found, of, tries) in rows.items())


def _singled_and_there(key: Ints, n: int) -> tuple[Flags, Flags]:
    """Which of the first n cases nobody else of them is like, and which of those a later case is like."""
    alone = crowd(key[:n]) == 1
    return alone, alone & np.isin(key[:n], key[n:])


def _row(known: str, alone: Flags, found: Flags, is_member: Flags, tries: int, z: float) -> PeopleFound:
    """The shares of both halves; bounds of their difference hold for few people too (Agresti and Caffo 2000)."""
    inside, outside = (found[is_member], found[~is_member])
    adjusted, spread = [], 0.0
    for group in (inside, outside):
        people = len(group) / tries  # several tries of one person are worth no more than one
        share = (group.mean() * people + 1) / (people + 2)
        adjusted.append(share)
        spread += share * (1 - share) / (people + 2)
    excess, margin = adjusted[0] - adjusted[1], z * math.sqrt(spread)
    return PeopleFound(
        known, float(alone.mean()), float(inside.mean()), float(outside.mean()), excess - margin, excess + margin
    )


def joined(first: EventLog, second: EventLog) -> EventLog:
    """The cases of both logs, those of the first before those of the second, on the first one's clock."""
    number = {label: i for i, label in enumerate(dict.fromkeys((*first.labels, *second.labels)))}
    activity = [
        np.array([number[label] for label in log.labels], dtype=np.int32)[log.activity] for log in (first, second)
    ]
    lengths = np.concatenate([np.diff(log.case_offsets) for log in (first, second)])
    time = np.concatenate((first.time, second.time))
    return EventLog(tuple(number), np.concatenate(activity), time, offsets_of(lengths), first.zone)
