"""Which attack which method has promised to withstand, and how far.

An attack that a method promised nothing about is measured all the same, against delta; its finding says so.
"""

from __future__ import annotations

from ..guessing import count_advantage
from ..methods import strict
from ..options import Options

# Attacks, by the names that stand in findings.
PRESENT, RARE_PRESENT, OTHER_PATH, ALONE, STEP = "frequent path", "rare path", "which path", "lone path", "one step"
EXCHANGED, REPLACED = "unusual time", "unusual time, rest known"
VALUE, VALUE_FINE, VALUE_EXACT = "time to 10 %", "time to 1 %", "time exactly"
COMMON, RARE = " (common)", " (rare)"
LINKED, START = "linkage", "start"
COPIES, COPIES_TIMES = "copies by start", "copies by durations"
ORDER, AGAIN, IDS = "order", "repeated noise", "ids and attributes"
EXACT_STARTS, EXACT_VALUES, EXACT_CASES = "true starts", "true times", "true cases"

GIVEN = "given"
"""A release of which only the delta is known that it should keep."""

GAMES = (PRESENT, RARE_PRESENT, STEP, OTHER_PATH, ALONE, EXCHANGED, REPLACED)
VALUES = {each + group for each in (VALUE, VALUE_FINE, VALUE_EXACT) for group in (COMMON, RARE)}
WHOLE = {LINKED, START, COPIES, COPIES_TIMES, ORDER, AGAIN, IDS, EXACT_STARTS, EXACT_VALUES, EXACT_CASES}

KINDS = {
    "path": GAMES[:5],
    "time": (EXCHANGED, REPLACED, *sorted(VALUES), EXACT_VALUES, EXACT_CASES),
    "linkage": (LINKED,),
    "start": (START, EXACT_STARTS),
    "copies": (COPIES, COPIES_TIMES),
    "order": (ORDER, AGAIN, IDS),
}
"""The attacks by kind, as a user asks for them."""

_HYGIENE = {ORDER: 0.0, AGAIN: 0.05, IDS: 0.0}
"""What must tell nothing at all, whatever delta is; the chance of the same case twice is only estimated."""

_TIMES = {*VALUES, LINKED, START, COPIES, COPIES_TIMES, EXACT_STARTS, EXACT_VALUES, EXACT_CASES}
"""What can only be found out from a person's times."""

_PATHS = {PRESENT, RARE_PRESENT, OTHER_PATH, STEP}


def promised(method: str, options: Options) -> dict[str, float]:
    """The most that each attack may gain, for those that the method promised something about (docs/guarantees.md)."""
    delta = options.delta
    if options.as_published:
        return {}
    if method == GIVEN:
        return dict.fromkeys(WHOLE, delta) | _HYGIENE
    if method == "blend":
        # a person's own times are shown with a chance of delta; a yes/no guess gains half of that
        return dict.fromkeys(_PATHS | _TIMES, delta) | {EXCHANGED: delta / 2} | _HYGIENE
    if method == "strict":
        budgets = list(strict.budgets(options))
        present, swapped = max(b.present_gain for b in budgets), max(b.swapped_gain for b in budgets)
        return (
            dict.fromkeys((PRESENT, RARE_PRESENT, ALONE, STEP), present)
            | dict.fromkeys((OTHER_PATH, REPLACED), swapped)
            # a yes/no guess gains half the total variation, the chance of any other event changes by all of it
            | dict.fromkeys((LINKED, START, EXACT_STARTS, EXACT_VALUES, EXACT_CASES), min(1.0, 2 * present))
            | dict.fromkeys(VALUES, min(1.0, 2 * swapped))
            | {EXCHANGED: min(0.5, 2 * swapped)}  # two people are changed
            | _HYGIENE
        )
    step = count_advantage(options.exact_delta) if method == "amun" else delta
    return {STEP: step, VALUE + COMMON: delta, EXACT_STARTS: delta} | _HYGIENE


def limit(attack: str, method: str, options: Options) -> tuple[float, bool]:
    """What an attack may gain, and whether the method promised it; else delta, or nothing where nothing may be told."""
    by_method = promised(method, options)
    if attack in by_method:
        return by_method[attack], True
    return _HYGIENE.get(attack, options.delta), False
