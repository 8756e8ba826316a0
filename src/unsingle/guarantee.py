"""What a release promises, in words that its publisher can stand behind."""

from __future__ import annotations

from dataclasses import dataclass

from .wording import at_most


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

    `limits` says in one sentence where they end; `assumes` and `not_protected` say it in full. `warnings` forbid
    publication; `cautions` do not, but whoever publishes should have read them.
    """

    promises: tuple[Promise, ...]
    limits: str
    assumes: tuple[str, ...]
    not_protected: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

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
