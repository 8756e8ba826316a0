"""What a release promises, in words that its publisher can stand behind, and as bounds that an auditor can test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from ..core.html import display
from ..core.wording import at_most

ONE_RELEASE = "one release of these people: information from several releases adds up"
OTHER_TRIES = "several releases of the same people, including attempts that were not published"
OTHER_RELEASES = "several releases of the same people"
"""How a guarantee says, among what it assumes, does not protect and does not cover, that it is for one release."""

NO_NAMES = "they contain no personal names (the publisher has to check this)"
"""What is assumed of names and values that are published as they are."""


class Secret(Enum):
    """What an attacker may want to know about one person: an attack goes for one of these, and a promise bounds it."""

    PRESENCE = "whether a person on a path that others take too is in the log"
    LONE_PRESENCE = "whether a person whose path nobody else took is in the log"
    STEP = "whether a person took one particular step"
    PATH = "which of two paths, taken by others too, a person took"
    PATH_BY_COUNTS = "the same, from noised counts alone"
    PATH_BY_TIMES = "the same, from noised tallies of times alone"
    UNUSUAL_TIME = "whether a person took unusually long for a step, all else known"
    WHOSE_TIME = "which of two people took unusually long for a step"
    USUAL_TIME = "how long a person took for a step that many took"
    START = "at which moment a case began"
    ANY_TIME = "anything else about how long a person took, or when"
    VALUE = "which of two values a person had in a kept column, all else known"
    ANY_VALUE = "anything else about a person's values in kept columns"
    DESCENT = "which released cases descend from the same person"
    BEYOND_NOISE = "more than noise of the stated size would reveal"


@dataclass(frozen=True)
class Promise:
    """One promise: what is protected, against whom, how much a guess about it can gain, and in which sense.

    >>> print(Promise("the path of a person", "someone who knows every other case", 0.2, "on average"))
    Someone who knows every other case gains at most 0.2 in the chance of guessing the path of a person (on average).
    """

    protects: str
    against: str
    gain: float
    sense: str

    def __str__(self) -> str:
        who = self.against[0].upper() + self.against[1:]
        return f"{who} gains at most {at_most(self.gain, 3)} in the chance of guessing {self.protects} ({self.sense})."


@dataclass(frozen=True)
class Guarantee:
    """The promises of one release, made from its parameters alone, so they may themselves be published.

    `limits` says in one sentence where they end; `assumes` and `not_protected` say it in full. `bounds` says of each
    secret that the promises cover what a guess about it may gain. `warnings` forbid publication; `cautions` do not, but
    the publisher should read them first.
    """

    promises: tuple[Promise, ...]
    limits: str
    assumes: tuple[str, ...]
    not_protected: tuple[str, ...]
    bounds: Mapping[Secret, float] = field(default_factory=dict, repr=False, hash=False)
    warnings: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    def bound(self, secret: Secret) -> float | None:
        """What a guess about this secret may gain; None where nothing is promised."""
        return self.bounds.get(secret)

    @property
    def statement(self) -> str:
        """All promises, one after the other."""
        return " ".join(map(str, self.promises)) or "None."

    @property
    def publishable(self) -> bool:
        """Whether nothing forbids publication."""
        return not self.warnings

    def __str__(self) -> str:
        return f"{self.statement} {self.limits}"

    @property
    def details(self) -> dict[str, tuple[str, ...]]:
        """Everything that it says, by heading."""
        return {
            "Promises": tuple(map(str, self.promises)),
            "Limits": (self.limits,),
            "Not protected": self.not_protected,
            "Assumes": self.assumes,
            "Warnings": self.warnings,
            "Cautions": self.cautions,
        }

    def _repr_html_(self) -> str:
        figures = [("Limits", self.limits), ("Not protected", "; ".join(self.not_protected))]
        return display(self.statement, figures, self.details, private=False)
