"""Attacks on the noised figures themselves, by their exact likelihood: no attack on a release can gain more.

See `insider` for why. They work on methods that make everything from noised figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...privacy.guarantee import Secret
from ..base import ATTACKS, Attack, Guesses, Look, Tried
from ..insider import Odds
from ..learning import guesses_right
from ..neighbours import Neighbour, with_frequent_path, with_usual_weighty_time, without_frequent, without_lone
from ..setting import Run, Setting

_CERTAIN = "something besides the noised figures"

Spoken = tuple[float, float]
"""By how much figures of the neighbour, and of the original, speak for the log they are of: logarithms of odds."""


@dataclass(frozen=True)
class Likelihood(Attack):
    """An attack on noised figures of the original and of a neighbouring log; `part` says which figures are used."""

    neighbour: Neighbour
    part: Callable[[Odds], float] = lambda odds: odds.everything

    def plan(self, setting: Setting) -> Look | None:
        """Look at the odds that figures of either log give."""
        return self.spoken if setting.insider and setting.neighbour(self.neighbour) is not None else None

    def spoken(self, run: Run) -> Spoken | None:
        """The odds by the figures of one release of each log."""
        odds = run.odds(self.neighbour)
        return None if odds is None else (self.part(odds.neighbour), self.part(odds.original))

    def judge(self, seen: list[Spoken]) -> Guesses:
        """The guesses by these odds, and what they gain if the odds are true."""
        tried = [Tried(_right(first) + _right(second), 1.0, 2.0) for first, second in seen]
        return Guesses(tried, [gain(odds) for pair in seen for odds in pair])


@dataclass(frozen=True)
class FigureByFigure(Attack):
    """An attack on the same figures, each by itself, by rules that are learnt.

    An attacker who does not trust what is stated of the noise sees which figures tell more than they should: one whose
    noise was forgotten tells the logs apart with certainty, though others hide that in their sum.
    """

    neighbour: Neighbour

    def plan(self, setting: Setting) -> Look | None:
        """Look at the odds that each figure of either log gives."""
        return self._spoken if setting.insider and setting.neighbour(self.neighbour) is not None else None

    def _spoken(self, run: Run) -> tuple[Mapping[str, float], Mapping[str, float]] | None:
        odds = run.odds(self.neighbour)
        return None if odds is None else (_by_figure(odds.neighbour), _by_figure(odds.original))

    def judge(self, seen: list[tuple[Mapping[str, float], Mapping[str, float]]]) -> Guesses:
        """The guesses by rules that were learnt on the other half of the runs."""
        names = sorted({name for pair in seen for figures in pair for name in figures})
        data = np.array([[[each.get(name, 0.0) for name in names] for each in pair] for pair in seen])
        data[:, 0] *= -1  # these speak for the neighbour
        return Guesses([Tried(right, 1.0, 2.0) for right in guesses_right(data)])


def _by_figure(odds: Odds) -> dict[str, float]:
    """The odds of each figure, and whether something else tells the logs apart."""
    return {_CERTAIN: 0.0 if math.isfinite(odds.everything) else 1.0, **odds.figures}


@dataclass(frozen=True)
class NoiseAsStated(Attack):
    """The guesses of several attacks at once; chance is how often they would be right by their own odds.

    If noise is smaller than it is said to be, guesses are right more often than their odds say.
    """

    attacks: tuple[Attack, ...]

    def plan(self, setting: Setting) -> Look | None:
        """Look at the odds of all attacks that have an occasion."""
        looks = [look for attack in self.attacks if (look := attack.plan(setting)) is not None]
        return (lambda run: [look(run) for look in looks]) if looks else None

    def judge(self, seen: list[list[Spoken]]) -> Guesses:
        """How many guesses were right, and how many would be by their odds."""
        return Guesses([as_stated(each) for each in seen])


def as_stated(spoken: Iterable[Spoken]) -> Tried:
    """How many guesses by exact odds are right, and how many would be by those odds themselves."""
    odds = [each for pair in spoken for each in pair]
    return Tried(math.fsum(map(_right, odds)), math.fsum(0.5 + gain(each) for each in odds), float(len(odds)))


def gain(odds: float) -> float:
    """What a guess by these odds gains over one half, if they are true.

    >>> round(gain(math.log(9)), 3), gain(-math.inf)
    (0.4, 0.5)
    """
    return math.tanh(abs(odds) / 2) / 2


def _right(odds: float) -> float:
    """Whether odds point the right way; a toss-up is right half of the time."""
    return 0.5 if odds == 0 else float(odds > 0)


FREQUENT_PATH = ATTACKS.add(
    Likelihood(
        "frequent path, noised figures",
        rank=200,
        kind="noise",
        question="is a particular person, who took the most frequent path, in the log, judging by the noised figures?",
        secret=Secret.PRESENCE,
        neighbour=without_frequent,
    )
)
WHICH_PATH = ATTACKS.add(
    Likelihood(
        "which path, noised figures",
        rank=210,
        kind="noise",
        question="which of two paths, a rare one or the most frequent, did a particular person take, judging by the "
        "noised figures?",
        secret=Secret.PATH,
        neighbour=with_frequent_path,
    )
)
WHICH_PATH_BY_COUNTS = ATTACKS.add(
    Likelihood(
        "which path, by counts, noised figures",
        rank=220,
        kind="noise",
        question="which of those two paths did they take, judging by the noised numbers of cases alone?",
        secret=Secret.PATH_BY_COUNTS,
        neighbour=with_frequent_path,
        part=lambda odds: odds.counts,
    )
)
WHICH_PATH_BY_TIMES = ATTACKS.add(
    Likelihood(
        "which path, by times, noised figures",
        rank=230,
        kind="noise",
        question="which of those two paths did they take, judging by the noised tallies of times alone?",
        secret=Secret.PATH_BY_TIMES,
        neighbour=with_frequent_path,
        part=lambda odds: odds.tallies,
    )
)
LONE_PATH = ATTACKS.add(
    Likelihood(
        "lone path, noised figures",
        rank=240,
        kind="noise",
        question="is a particular person, who was alone on their path, in the log, judging by the noised figures?",
        secret=Secret.LONE_PRESENCE,
        neighbour=without_lone,
    )
)
UNUSUAL_TIME = ATTACKS.add(
    Likelihood(
        "unusual time, rest known, noised figures",
        rank=250,
        kind="noise",
        question="did a particular person take unusually long for a step, if all else is known, judging by the noised "
        "figures?",
        secret=Secret.UNUSUAL_TIME,
        neighbour=with_usual_weighty_time,
    )
)
AS_STATED = ATTACKS.add(
    NoiseAsStated(
        "noise as stated",
        rank=260,
        kind="noise",
        question="do the noised figures reveal more than noise of the stated size would allow?",
        secret=Secret.BEYOND_NOISE,
        attacks=(FREQUENT_PATH, WHICH_PATH, LONE_PATH, UNUSUAL_TIME),
    )
)
