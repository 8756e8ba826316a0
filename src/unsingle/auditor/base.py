"""What an attack is. All attacks stand in `attacks`, each registered where it is defined and nowhere else.

An attack asks one question about a person. `plan` chooses whom to attack; what it gives is called in every run and
says what that run showed; `judge` turns what all runs showed into guesses. `given` tries it on one given release.
A new attack is an instance of one of three classes:

- `ReleaseAttack` looks at one release at a time, and so can also be tried on a given one;
- `Distinguishing` (`distinguishing.py`) tells releases of neighbouring logs apart by what can be learnt;
- any other subclass of `Attack`, which may ask a run for whatever releases it needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.registry import Registry
from ..errors import ParameterError
from ..privacy.guarantee import Guarantee, Secret
from .setting import Run, Setting, Shown


class Tried(NamedTuple):
    """How many guesses were right, how many of them chance alone would get right, and how many there were."""

    right: float
    by_chance: float
    guesses: float


class Guesses(NamedTuple):
    """The guesses of each run; `gains` are what exact likelihoods say that guesses gain, where those are known."""

    tried: Sequence[Tried]
    gains: Sequence[float] = ()


class Limit(NamedTuple):
    """What an attack may gain, and whether that was promised."""

    allowed: float
    promised: bool


Look = Callable[[Run], Any]
"""Looks at the releases of one run; None if they show nothing that can be used."""

Attempt = Callable[[Shown], Tried | None]
"""Guesses from one release; None if that cannot be tried on it."""


@dataclass(frozen=True)
class Attack(ABC):
    """One attack.

    `rank` is its place in reports, `kind` the word by which users ask for it and its like, `secret` what it goes for.
    `at_most` is for what must reveal nothing, whatever delta is: then that is the limit. `given` tries the attack on
    one given release, if it can be. `of_columns` is for attacks on kept columns, which are tried only where there are
    any.
    """

    name: str
    _: KW_ONLY
    rank: int
    kind: str
    question: str
    secret: Secret | None = None
    at_most: float | None = None
    given: Attempt | None = None
    of_columns: bool = False
    two_sided: ClassVar[bool] = False
    """Whether fewer right guesses than by chance reveal as much as more: then the attack turns them round."""

    @abstractmethod
    def plan(self, setting: Setting) -> Look | None:
        """How to look at each run; None where the log or the method gives no occasion."""

    @abstractmethod
    def judge(self, seen: list[Any]) -> Guesses:
        """The guesses by what was seen in the runs, of which there is at least one."""

    def limit(self, guarantee: Guarantee, delta: float) -> Limit:
        """What the attack may gain: what the guarantee says of its secret, else delta, which is then not promised."""
        if self.at_most is not None:
            return Limit(self.at_most, bool(guarantee.promises))
        bound = None if self.secret is None else guarantee.bound(self.secret)
        return Limit(delta, False) if bound is None else Limit(bound, True)


@dataclass(frozen=True)
class ReleaseAttack(Attack):
    """An attack on one release at a time: `attempt` guesses from it. It is tried on a given one in the same way."""

    attempt: Attempt

    def __post_init__(self) -> None:
        if self.given is None:
            object.__setattr__(self, "given", self.attempt)

    def plan(self, setting: Setting) -> Look:  # noqa: ARG002 - there always is an occasion
        """Look at the release of the original."""
        return lambda run: None if run.shown is None else self.attempt(run.shown)

    def judge(self, seen: list[Tried]) -> Guesses:
        """The guesses themselves."""
        return Guesses(seen)


ATTACKS: Registry[Attack] = Registry("attack", f"{__package__}.attacks")
"""All attacks by name, in the order of reports."""


def kinds() -> tuple[str, ...]:
    """The kinds of attacks that users can ask for."""
    return tuple(dict.fromkeys(attack.kind for attack in ATTACKS.values()))


def attacks_of(asked: Collection[str] | None) -> list[Attack]:
    """All attacks of these kinds or names, or simply all; raises `ParameterError` for what there is not.

    >>> [attack.name for attack in attacks_of(["linkage", "order"])]
    ['linkage', 'order', 'repeated noise', 'ids and attributes']
    """
    if asked is None:
        return list(ATTACKS.values())
    unknown = set(asked) - set(kinds()) - set(ATTACKS)
    if unknown or not asked:
        what = f"unknown attacks {', '.join(sorted(unknown))!r}" if unknown else "no attacks"
        raise ParameterError(f"{what}: choose from {', '.join(kinds())}")
    return [attack for attack in ATTACKS.values() if {attack.name, attack.kind} & set(asked)]


def counted(right: NDArray[np.generic], chance: NDArray[np.generic]) -> Tried:
    """Whether each guess was right, and how likely one would be that does not look at the person."""
    return Tried(float(np.sum(right)), float(np.sum(chance)), float(len(right)))
