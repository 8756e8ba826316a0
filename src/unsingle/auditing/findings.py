"""What the attacks found: shares of right guesses, their bounds, and a verdict for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..options import Options
from ..tabular import Tabular
from ..wording import listed
from . import promises
from .bounds import CONFIDENCE, clopper_pearson, effective_size
from .guesses import Tried

HOLDS, BROKEN, UNDECIDED, NOT_TESTED = "HOLDS", "BROKEN", "UNDECIDED", "NOT TESTED"

EXCESS = 0.05
"""An attack holds if its gain is surely not this much above what is allowed."""

QUESTIONS = {
    promises.PRESENT: "is a certain person in the log, one on the most frequent path?",
    promises.RARE_PRESENT: "is a certain person in the log, one on the rarest path that others took too?",
    promises.STEP: "is a certain person in the log, from how often one of their steps is released?",
    promises.OTHER_PATH: "which of two paths did a certain person take, a rare one or the most frequent?",
    promises.ALONE: "is a certain person in the log, one alone on their path?",
    promises.EXCHANGED: "did a certain person take unusually long for a step, or another one?",
    promises.REPLACED: "did a certain person take unusually long for a step, if all else is known?",
    promises.LINKED: "whose path is this, knowing someone's first three activities and their times?",
    promises.START: "which path did a person take, knowing when their case began?",
    promises.COPIES: "which released cases are copies of the same person?",
    promises.ORDER: "which of two people came first, from the order of the file?",
    promises.AGAIN: "does another release of the same log have the same noise?",
    promises.IDS: "does the file tell more than numbered cases, activities and times?",
    promises.EXACT_STARTS: "did someone on this path begin at exactly this moment?",
    promises.EXACT_VALUES: "did a person alone on their path take exactly this long for a step?",
}


@dataclass(frozen=True)
class Finding:
    """One attack: how often it was right, how often chance is, and what it gained.

    `low` and `high` bound the gain with 95 % confidence; `allowed` is what the method promised, or else delta.
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
        """Whether no attack gained more than was promised."""
        return not self._broken(promised=True)

    @property
    def verdict(self) -> str:
        """The answer in a sentence or two."""
        kept, broken = self._broken(promised=True), self._broken(promised=False)
        tested = [each for each in self.findings if each.promised and each.verdict != NOT_TESTED]
        undecided = [each.attack for each in tested if each.verdict == UNDECIDED]
        if kept:
            text = f"BROKEN: more than was promised is found out by {listed(kept)}."
        elif not tested:
            text = "Nothing was promised, so there is nothing to hold." if not broken else ""
        elif undecided:
            text = f"Nothing promised is broken, but more runs are needed to be sure of {listed(undecided)}."
        elif self.method == promises.GIVEN:
            text = (
                f"HOLDS: none of the {len(tested)} attacks that one release allows gains more than delta "
                f"{self.delta:g}. What needs many releases is not tested."
            )
        else:
            text = f"HOLDS: all {len(tested)} attacks on what is promised stay within it."
        beyond = f"{'' if text else 'BROKEN: '}more than delta {self.delta:g} is found out by {listed(broken)}"
        if broken:
            text += f" {beyond[0].upper()}{beyond[1:]}{', which is not promised' if tested else ''}."
        if self.extra_attributes:
            text += (
                f" The file carries attributes that nothing protects: {listed(self.extra_attributes)}; remove them or "
                "make sure that they tell nothing of anybody."
            )
        return text.strip()

    def _broken(self, *, promised: bool) -> list[str]:
        return [each.attack for each in self.findings if each.verdict == BROKEN and each.promised == promised]


def finding(
    attack: str,
    question: str,
    tried: Sequence[Tried],
    method: str,
    options: Options,
    at_once: int,
) -> Finding:
    """Put the runs of an attack together; `at_once` attacks are judged together, so each must be the surer."""
    allowed, promised = promises.limit(attack.partition(":")[0], method, options)
    guesses = sum(each.guesses for each in tried)
    if not guesses:
        return not_tested(attack, question, method, options)
    right, chance = sum(each.right for each in tried), sum(each.by_chance for each in tried) / guesses
    size = effective_size([each.right for each in tried], [each.guesses for each in tried])
    share = right / guesses
    low, high = (bound - chance for bound in clopper_pearson(share * size, size))
    surely = clopper_pearson(share * size, size, 1 - 2 * (1 - CONFIDENCE) / at_once)[0] - chance
    verdict = BROKEN if surely > allowed else HOLDS if high <= allowed + EXCESS else UNDECIDED
    return Finding(
        attack, question, round(guesses), share, chance, share - chance, low, high, allowed, promised, verdict
    )


def not_tested(attack: str, question: str, method: str, options: Options) -> Finding:
    """An attack that could not be tried on this log or method."""
    allowed, promised = promises.limit(attack.partition(":")[0], method, options)
    nan = math.nan
    return Finding(attack, question, 0, nan, nan, nan, nan, nan, allowed, promised, NOT_TESTED)
