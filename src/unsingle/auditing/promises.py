"""Which attack which method has promised to withstand, and how far.

An attack that a method promised nothing about is measured all the same, against delta; its finding says so.
"""

from __future__ import annotations

from ..guessing import count_advantage
from ..methods import strict
from ..options import Options

# Attacks, by the names that stand in findings.
PRESENT, RARE_PRESENT, OTHER_PATH, ALONE, STEP = "path", "path, rare", "path, other", "path, alone", "step"
EXCHANGED, REPLACED = "time, exchanged", "time, all else known"
VALUE, VALUE_FINE, VALUE_EXACT = "duration", "duration, fine", "duration, exact"
LINKED, START, COPIES = "linkage", "start", "copies"
ORDER, AGAIN, IDS, EXACT_STARTS, EXACT_VALUES = (
    "order",
    "repeated noise",
    "ids and attributes",
    "exact starts",
    "exact times",
)

GIVEN = "given"
"""A release of which only the delta is known that it should keep."""

GAMES = (PRESENT, RARE_PRESENT, STEP, OTHER_PATH, ALONE, EXCHANGED, REPLACED)
VALUES = {VALUE, VALUE_FINE, VALUE_EXACT}
WHOLE = {LINKED, START, COPIES, ORDER, AGAIN, IDS, EXACT_STARTS, EXACT_VALUES}

KINDS = {
    "path": GAMES[:5],
    "time": (EXCHANGED, REPLACED, VALUE, VALUE_FINE, VALUE_EXACT, EXACT_VALUES),
    "linkage": (LINKED,),
    "start": (START, EXACT_STARTS),
    "copies": (COPIES,),
    "order": (ORDER, AGAIN, IDS),
}
"""The attacks by kind, as a user asks for them."""

_HYGIENE = {ORDER: 0.0, AGAIN: 0.0, IDS: 0.0}
"""What must tell nothing at all, whatever delta is."""

_BLEND = {PRESENT, RARE_PRESENT, OTHER_PATH, STEP, EXCHANGED, VALUE, VALUE_FINE, VALUE_EXACT, LINKED, START, COPIES}
_ONE_TIME = {EXCHANGED, VALUE}


def promised(method: str, options: Options) -> dict[str, float]:
    """The most that each attack may gain, for those that the method promised something about."""
    delta = options.delta
    if options.as_published:
        return {}
    if method == GIVEN:
        return dict.fromkeys(WHOLE, delta) | _HYGIENE
    clean = {**_HYGIENE, EXACT_STARTS: delta, EXACT_VALUES: delta}
    if method == "blend":
        # times of one person are shown with a chance of delta, so a yes/no guess about them gains half of that
        return dict.fromkeys(_BLEND, delta) | {EXCHANGED: delta / 2} | clean
    if method == "strict":
        budgets = list(strict.budgets(options))
        present, swapped = max(b.present_gain for b in budgets), max(b.swapped_gain for b in budgets)
        return (
            dict.fromkeys(_BLEND, delta)
            | dict.fromkeys((PRESENT, RARE_PRESENT, ALONE, STEP), present)
            | dict.fromkeys((OTHER_PATH, REPLACED), swapped)
            | clean
        )
    step = count_advantage(options.exact_delta) if method == "amun" else delta
    return dict.fromkeys(_ONE_TIME, delta) | {STEP: step} | clean


def limit(attack: str, method: str, options: Options) -> tuple[float, bool]:
    """What an attack may gain, and whether the method promised it; else delta, or nothing where nothing may be told."""
    by_method = promised(method, options)
    if attack in by_method:
        return by_method[attack], True
    return _HYGIENE.get(attack, options.delta), False
