"""What the attacks found: shares of right guesses, their bounds, and a verdict for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

from ..tabular import Tabular
from ..wording import listed
from . import promises
from .bounds import CONFIDENCE, clopper_pearson, effective_size, fewer_for_few_runs
from .guesses import Tried

HOLDS, BROKEN, UNDECIDED, NOT_TESTED = "HOLDS", "BROKEN", "UNDECIDED", "NOT TESTED"
WITHIN, BEYOND = "WITHIN DELTA", "BEYOND DELTA"
"""What holds, or is broken, where nothing was promised."""

_MANY = 20  # gains whose mean is nearly normal
_INDEPENDENT = 2  # guesses of a run that surely do not hang together: one for each of two worlds

EXCESS = 0.05
"""An attack holds if its gain is surely not this much above what is allowed."""

QUESTIONS = {
    promises.PRESENT: "is a certain person in the log, one on the most frequent path?",
    promises.RARE_PRESENT: "is a certain person in the log, one on the rarest path that others took too?",
    promises.STEP: "is a certain person in the log, from how often one of their steps is released?",
    promises.OTHER_PATH: "which of two paths did a certain person take, a rare one or the most frequent?",
    promises.OTHER_PATH_TIMES: "which of those two paths did they take, from the times of all steps alone?",
    promises.OTHER_PATH_COUNTS: "which of those two paths did they take, from the numbers of cases alone?",
    promises.ALONE: "is a certain person in the log, one alone on their path?",
    promises.EXCHANGED: "did a certain person take unusually long for a step, or another one?",
    promises.REPLACED: "did a certain person take unusually long for a step, if all else is known?",
    promises.LINKED: "which path did a person take, knowing their first three activities and how long they took?",
    promises.START: "which path did a person take, knowing when their case began?",
    promises.COPIES: "which released cases are copies of the same person, by when they begin?",
    promises.COPIES_TIMES: "which released cases are copies of the same person, by how long their steps take?",
    promises.ORDER: "which of two people came first, from the order of the file?",
    promises.AGAIN: "does another release of the same log have the same noise?",
    promises.IDS: "does the file tell more than numbered cases, activities and times?",
    promises.EXACT_STARTS: "did someone on this path begin at exactly this moment?",
    promises.EXACT_VALUES: "did a person alone on their path take exactly this long for a step?",
    promises.EXACT_CASES: "did someone on this path take exactly this long for every step?",
    promises.REPEATED: "did someone take exactly this long, a time that is released three times or more?",
    promises.STATED: "do the noised figures tell more than noise of the stated size would let them?",
}
QUESTIONS |= {
    promises.noised(attack): f"{QUESTIONS[attack].rstrip('?')}, for someone who sees the noised figures themselves?"
    for attack in promises.INSIDER
}


@dataclass(frozen=True)
class Finding:
    """One attack: how often it was right, how often chance is, and what it gained.

    `low` and `high` bound the gain with 95 % confidence; `allowed` is what the method promised, or else delta. Where
    the likelihood of what is seen is known exactly, `exact_gain` is the gain as those likelihoods give it, and
    `exact_high` its upper bound: they are far surer than a count of right guesses, if the noise is what it should be.
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
    """What the attackers found out from releases of a log. Private: it tells of the original.

    `extra_attributes` are what a given file has besides case, activity and time.
    """

    method: str
    delta: float
    as_published: bool
    runs: int
    findings: tuple[Finding, ...]
    extra_attributes: tuple[str, ...] = ()

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
            parts.append(f"More than was promised is found out by {listed(broken)}.")
        elif self._tested:
            parts.append(self._how_it_holds())
        if beyond:
            promised = ", which is not promised" if self._tested else ": nothing was promised"
            parts.append(f"More than delta {self.delta:g} is found out by {listed(beyond)}{promised}.")
        return " ".join(parts if self.holds else ["BROKEN.", *parts])

    def _how_it_holds(self) -> str:
        undecided = [each.attack for each in self._tested if each.verdict == UNDECIDED]
        given = self.method == promises.GIVEN
        if undecided:
            more = "there are too few cases" if given else "more runs are needed"
            return f"Nothing promised is broken, but {more} to be sure of {listed(undecided)}."
        if given:
            return (
                f"HOLDS as far as one release can tell: {len(self._tested)} attacks stay within delta {self.delta:g}."
            )
        return f"HOLDS: all {len(self._tested)} attacks on what is promised stay within it."

    @property
    def _tested(self) -> list[Finding]:
        return [each for each in self.findings if each.promised and each.verdict != NOT_TESTED]

    def _attacks(self, verdict: str) -> list[str]:
        return [each.attack for each in self.findings if each.verdict == verdict]


def finding(
    attack: str,
    question: str,
    tried: Sequence[Tried],
    limits: promises.Limits,
    at_once: int,
    gains: Sequence[float] = (),
) -> Finding:
    """Put the runs of an attack together; `at_once` attacks are judged together, so each must be the surer.

    `gains` are what the exact likelihoods say that guesses gain, where those are known.
    """
    if attack == promises.ORDER and sum(each.right - each.by_chance for each in tried) < 0:
        tried = [Tried(each.guesses - each.right, each.by_chance, each.guesses) for each in tried]  # it is reversed
    if attack == promises.ORDER:
        at_once *= 2  # either way round would tell
    allowed, promised = limits.of(attack)
    guesses = sum(each.guesses for each in tried)
    if not guesses:  # the log or the method gives no occasion
        nan = math.nan
        return Finding(attack, question, 0, nan, nan, nan, nan, nan, allowed, promised, NOT_TESTED)
    right, chance = sum(each.right for each in tried), sum(each.by_chance for each in tried) / guesses
    share = right / guesses

    def bounds(confidence: float) -> tuple[float, float]:
        size = effective_size([each.right for each in tried], [each.guesses for each in tried])
        if max(each.guesses for each in tried) > _INDEPENDENT:
            size = fewer_for_few_runs(size, len(tried), confidence)
        low, high = clopper_pearson(share * size, size, confidence)
        return low - chance, high - chance

    low, high = bounds(CONFIDENCE)
    sure = 1 - 2 * (1 - CONFIDENCE) / at_once
    surely = max(bounds(sure)[0], _mean(gains, sure)[1])
    good, bad = (HOLDS, BROKEN) if promised else (WITHIN, BEYOND)
    verdict = bad if surely > allowed else good if high <= allowed + EXCESS else UNDECIDED
    return Finding(
        attack, question, round(guesses), share, chance, share - chance, low, high, allowed, promised, verdict,
        *_mean(gains, CONFIDENCE)[::2],
    )  # fmt: skip


def _mean(gains: Sequence[float], confidence: float) -> tuple[float, float, float]:
    """The mean and its bounds by the normal distribution, for gains of which there are many and none is large."""
    if len(gains) < _MANY:
        return math.nan, -math.inf, math.nan
    mean = fmean(gains)
    error = NormalDist().inv_cdf((1 + confidence) / 2) * stdev(gains) / math.sqrt(len(gains))
    return mean, mean - error, mean + error
