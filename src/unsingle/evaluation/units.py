"""Units of figures: how a number is written in a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..core.wording import percent


@dataclass(frozen=True)
class Unit:
    """How a number is written; one that is not a number becomes a dash.

    >>> SHARE.text(0.5), SHARE.text(float("nan")), COUNT.text(1200.0)
    ('50%', '–', '1,200')
    """

    written: Callable[[float], str]
    is_share: bool = False

    def text(self, value: float) -> str:
        """The number in this unit."""
        return "–" if value != value else self.written(value)


def hours_text(hours: float) -> str:
    """A duration in the unit that suits it.

    >>> hours_text(100), hours_text(1.5), hours_text(0.5), hours_text(0.01), hours_text(float("nan"))
    ('4.2 d', '1.5 h', '30.0 min', '36 s', '–')
    """
    if hours != hours:
        return "–"
    for unit, size in (("d", 24.0), ("h", 1.0), ("min", 1 / 60)):
        if hours >= 2 * size or (unit == "h" and hours >= 1):
            return f"{hours / size:,.1f} {unit}"
    return f"{hours * 3600:,.0f} s"


HOURS = Unit(hours_text)
SHARE = Unit(percent, is_share=True)
COUNT = Unit("{:,.0f}".format)
NUMBER = Unit("{:,.2f}".format)
