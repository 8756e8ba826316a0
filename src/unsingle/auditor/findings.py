"""What the attacks found: shares of right guesses, their bounds, and a verdict for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

from ..core.wording import listed
from ..evaluation.tables import Tabular
from .base import Attack, Guesses, Limit, Tried
from .confidence import CONFIDENCE, clopper_pearson, effective_size, fewer_for_few_runs

HOLDS, BROKEN, UNDECIDED, NOT_TESTED = "HOLDS", "BROKEN", "UNDECIDED", "NOT TESTED"
WITHIN, BEYOND = "WITHIN DELTA", "BEYOND DELTA"
"""What holds, or is broken, where nothing was promised."""

_MANY = 20  # gains whose mean is nearly normal
_INDEPENDENT = 2  # guesses of a run that are surely independent: one for each of two logs

GIVEN = "given"
"""Stands for the method where one given release was attacked: nothing but its delta is known."""

EXCESS = 0.05
"""An attack holds if its gain is surely not this much above what is allowed."""


@dataclass(frozen=True)
class Finding:
    """One attack: how often it was right, how often chance is, and what it gained.

    `low` and `high` bound the gain with 95 % confidence; `allowed` is what the method promised, or else delta. Where
    the likelihood of what is seen is known exactly, `exact_gain` is the gain computed from it, and `exact_high` its
    upper bound: they are far more precise than a count of right guesses, if the noise is what it should be.
    The verdict is HOLDS or BROKEN where something was promised, WITHIN DELTA or BEYOND DELTA where not, else UNDECIDED
    or NOT TESTED.
    """

    attack: str
    question: str
    guesses: int
    right: float
    by_chance: float
    gain: float
    low: float
    high: float
    allowed: float
    promised: bool
    verdict: str
    exact_gain: float = math.nan
    exact_high: float = math.nan

    @property
    def loudly(self) -> str:
        """The verdict, in capitals only where it is bad."""
        return self.verdict if self.verdict in (BROKEN, BEYOND) else self.verdict.lower()


@dataclass(frozen=True)
class Audit(Tabular):
    """What attacks found out from releases of a log. Private: it reveals something of the original.

    `method` is the name of the method that was attacked, or `GIVEN`; `extra_attributes` are what a given file has
    besides case, activity and time, `provenance` is what it says of how it was made, and whether it was altered.
    """

    method: str
    delta: float
    runs: int
    findings: tuple[Finding, ...]
    extra_attributes: tuple[str, ...] = ()
    provenance: str = ""

    @property
    def holds(self) -> bool:
        """Whether no attack gained more than was promised, or, if nothing was promised, more than delta."""
        beyond = not self._tested and self._attacks(BEYOND)
        return not (self._attacks(BROKEN) or self.extra_attributes or beyond)

    @property
    def verdict(self) -> str:
        """The answer in a sentence or two."""
        broken, beyond = self._attacks(BROKEN), self._attacks(BEYOND)
        parts = []
        if self.extra_attributes:
            parts.append(
                f"The file carries attributes that nothing protects: {listed(self.extra_attributes)}; remove them."
            )
        if broken:
            parts.append(f"{listed(broken)} {'reveals' if len(broken) == 1 else 'reveal'} more than was promised.")
        elif self._tested:
            parts.append(self._how_it_holds())
        if beyond:
            promised = ", which is not promised" if self._tested else ": nothing was promised"
            parts.append(f"More than delta {self.delta:g} is found out by {listed(beyond)}{promised}.")
        return " ".join(parts if self.holds else ["BROKEN.", *parts])

    def _how_it_holds(self) -> str:
        undecided = [each.attack for each in self._tested if each.verdict == UNDECIDED]
        given = self.method == GIVEN
        if undecided:
            more = "there are too few cases" if given else "more runs are needed"
            return f"Nothing promised is broken, but {more} to be sure of {listed(undecided)}."
        if given:
            return (
                f"HOLDS as far as one release can show: {len(self._tested)} attacks stay within delta {self.delta:g}."
            )
        return f"HOLDS: all {len(self._tested)} attacks on what is promised stay within it."

    @property
    def _tested(self) -> list[Finding]:
        return [each for each in self.findings if each.promised and each.verdict != NOT_TESTED]

    def _attacks(self, verdict: str) -> list[str]:
        return [each.attack for each in self.findings if each.verdict == verdict]


def finding(attack: Attack, guesses: Guesses, limit: Limit, at_once: int) -> Finding:
    """Put the runs of an attack together; `at_once` attacks are judged together, so each must be the surer."""
    tried = guesses.tried
    if not any(each.guesses for each in tried):  # the log or the method gives no occasion
        nan = math.nan
        return Finding(attack.name, attack.question, 0, nan, nan, nan, nan, nan, *limit, NOT_TESTED)
    total = sum(each.guesses for each in tried)
    share, chance = (sum(figures) / total for figures in ((t.right for t in tried), (t.by_chance for t in tried)))
    low, high = (bound - chance for bound in _bounds(tried, CONFIDENCE))
    sure = 1 - 2 * (1 - CONFIDENCE) / (at_once * (1 + attack.two_sided))
    surely = max(_bounds(tried, sure)[0] - chance, _mean(guesses.gains, sure).low)
    exactly = _mean(guesses.gains, CONFIDENCE)
    return Finding(
        attack.name, attack.question, round(total), share, chance, share - chance, low, high, *limit,
        _verdict(surely, high, limit), exactly.mean, exactly.high,
    )  # fmt: skip


def _verdict(surely: float, high: float, limit: Limit) -> str:
    """What a gain that is surely so much, and at most so high, means."""
    good, bad = (HOLDS, BROKEN) if limit.promised else (WITHIN, BEYOND)
    return bad if surely > limit.allowed else good if high <= limit.allowed + EXCESS else UNDECIDED


def _bounds(tried: Sequence[Tried], confidence: float) -> tuple[float, float]:
    """Bounds for the chance of a right guess."""
    right, guesses = [each.right for each in tried], [each.guesses for each in tried]
    size = effective_size(right, guesses)
    if max(guesses) > _INDEPENDENT:
        size = fewer_for_few_runs(size, len(tried), confidence)
    return clopper_pearson(sum(right) / sum(guesses) * size, size, confidence)


class _Mean(NamedTuple):
    mean: float
    low: float
    high: float


def _mean(gains: Sequence[float], confidence: float) -> _Mean:
    """The mean and its bounds by the normal distribution, for gains of which there are many and none is large."""
    if len(gains) < _MANY:
        return _Mean(math.nan, -math.inf, math.nan)
    mean = fmean(gains)
    error = NormalDist().inv_cdf((1 + confidence) / 2) * stdev(gains) / math.sqrt(len(gains))
    return _Mean(mean, mean - error, mean + error)
