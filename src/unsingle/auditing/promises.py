"""Which attack may gain how much: computed from the method's own budget or guarantee, never stated twice.

An attack that a method promised nothing about is measured all the same, against delta; its finding says so.
"""

from __future__ import annotations

from ..guarantee import Guarantee
from ..privacy.budget import Budget, Terms
from ..privacy.laws import Pair

# Attacks, by the names that stand in findings.
PRESENT, RARE_PRESENT, OTHER_PATH, ALONE, STEP = "frequent path", "rare path", "which path", "lone path", "one step"
OTHER_PATH_TIMES, OTHER_PATH_COUNTS = "which path, by times", "which path, by counts"
EXCHANGED, REPLACED = "unusual time", "unusual time, rest known"
VALUE, VALUE_FINE, VALUE_EXACT = "time to 10 %", "time to 1 %", "time exactly"
COMMON, RARE = " (common)", " (rare)"
LINKED, START = "linkage", "start"
COPIES, COPIES_TIMES = "copies by start", "copies by durations"
ORDER, AGAIN, IDS = "order", "repeated noise", "ids and attributes"
EXACT_STARTS, EXACT_VALUES, EXACT_CASES = "true starts", "true times", "true cases"
REPEATED = "true repeated times"
STATED = "noise as stated"


def noised(attack: str) -> str:
    """The name of the same attack by someone who sees the noised figures themselves."""
    return f"{attack}, noised figures"


GIVEN = "given"
"""A release of which only the delta is known that it should keep."""

GAMES = (PRESENT, RARE_PRESENT, STEP, OTHER_PATH, OTHER_PATH_TIMES, ALONE, EXCHANGED, REPLACED)
INSIDER = (PRESENT, OTHER_PATH, OTHER_PATH_COUNTS, OTHER_PATH_TIMES, ALONE, REPLACED)
"""What is decided by the exact likelihood of the noised figures, where a method has such."""
VALUES = {each + group for each in (VALUE, VALUE_FINE, VALUE_EXACT) for group in (COMMON, RARE)}
WHOLE = {
    LINKED, START, COPIES, COPIES_TIMES, ORDER, AGAIN, IDS, EXACT_STARTS, EXACT_VALUES, EXACT_CASES, REPEATED,
}  # fmt: skip

KINDS = {
    "path": GAMES[:6],
    "time": (EXCHANGED, REPLACED, *sorted(VALUES), EXACT_VALUES, EXACT_CASES, REPEATED),
    "noise": (*map(noised, INSIDER), STATED),
    "linkage": (LINKED,),
    "start": (START, EXACT_STARTS),
    "copies": (COPIES, COPIES_TIMES),
    "order": (ORDER, AGAIN, IDS),
}
"""The attacks by kind, as a user asks for them."""

_HYGIENE = {ORDER: 0.0, AGAIN: 0.05, IDS: 0.0}
"""What must tell nothing at all, whatever delta is; the chance of the same case twice is only estimated."""


class Limits:
    """What each attack may gain; those that something was promised about are in `promised`."""

    def __init__(self, delta: float, promised: dict[str, float]) -> None:
        self._delta, self.promised = delta, promised

    def of(self, attack: str) -> tuple[float, bool]:
        """What an attack may gain, and whether that was promised; else delta, or nothing where nothing may be told."""
        if attack in self.promised:
            return self.promised[attack], True
        return _HYGIENE.get(attack, self._delta), False


def limits(delta: float, guarantee: Guarantee, terms: Terms | None) -> Limits:
    """The limits of a method that gave this guarantee, and spends by these terms if it has a budget."""
    if not guarantee.promises:
        return Limits(delta, {})
    if terms is None:
        return Limits(delta, _one_by_one(guarantee) | _HYGIENE)
    ways = [_within(each.all_spent(), delta) for each in terms.ways or (terms,)]
    return Limits(delta, {attack: max(way[attack] for way in ways) for attack in ways[0]} | _HYGIENE)


def limits_of_given(delta: float) -> Limits:
    """The limits of a release of whatever tool: delta, but for lone paths, which a method may publish on purpose."""
    return Limits(delta, dict.fromkeys(WHOLE, delta) | _HYGIENE)


def _within(spent: Budget, delta: float) -> dict[str, float]:
    """What a budget allows: a yes/no guess gains half of a total variation, and never more than delta.

    The chance of any other event changes by up to the whole total variation.
    """
    times = spent.lone_times
    yes_no = {
        **dict.fromkeys((PRESENT, RARE_PRESENT, STEP), spent.presence.gain),
        **dict.fromkeys((OTHER_PATH, OTHER_PATH_TIMES), spent.exchange.gain),
        REPLACED: times.gain,
    }
    if not spent.terms.publishes_all_paths:
        yes_no[ALONE] = spent.lone_presence.gain
    seen = {noised(attack): yes_no[attack] for attack in INSIDER if attack in yes_no}
    seen |= {noised(OTHER_PATH_COUNTS): Pair(spent.exchange.ratios).gain, noised(OTHER_PATH_TIMES): times.gain}
    others = (*VALUES, LINKED, START, EXACT_STARTS, EXACT_VALUES, EXACT_CASES, REPEATED)
    return (
        {attack: min(delta, gain) for attack, gain in (yes_no | seen).items()}
        | dict.fromkeys(others, min(1.0, times.total_variation, 2 * delta))
        | {EXCHANGED: min(0.5, times.total_variation, 2 * delta), STATED: 0.0}  # two people are changed
    )


def _one_by_one(guarantee: Guarantee) -> dict[str, float]:
    """What the paper's methods promise: for one usual time, and for one step by itself."""
    of_times, of_steps = (promise.gain for promise in guarantee.promises)
    return {STEP: of_steps, VALUE + COMMON: of_times, EXACT_STARTS: of_times}
