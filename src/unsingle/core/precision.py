"""How near a guess of a time must come to count as right."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ..errors import ParameterError
from .arrays import Ints
from .clock import DAY, HOUR, MINUTE, SECOND

_UNITS = {"ms": 1, "s": SECOND, "sec": SECOND, "min": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY}


@dataclass(frozen=True)
class Precision:
    """How near a guess must come to count as right: a share of the group's range, or a duration.

    >>> Precision.parse("0.1"), Precision.parse("10min")
    (Precision(share=0.1, milliseconds=None), Precision(share=None, milliseconds=600000))
    """

    share: float | None = None
    milliseconds: int | None = None

    @classmethod
    def parse(cls, text: str | float) -> Precision:
        """Read ``0.1`` (a share of the range) or ``10min`` (a duration)."""
        match = re.fullmatch(r"\s*(\d*\.?\d+(?:e-?\d+)?|\d+\.)\s*([a-z]*)\s*", str(text).lower())
        if match and not match[2] and 0 < float(match[1]) < 1:
            return cls(share=float(match[1]))
        if match and match[2] in _UNITS and float(match[1]) > 0:
            return cls(milliseconds=round(float(match[1]) * _UNITS[match[2]]))
        raise ParameterError(
            f"precision {text!r} is neither a share between 0 and 1 (0.1) "
            f"nor a duration (10min; units {', '.join(_UNITS)})"
        )

    def width(self, range_: Ints, step: int) -> Ints:
        """Half the width of a right guess, in whole ticks, for groups of these ranges."""
        if self.milliseconds is not None:
            return np.full(len(range_), self.milliseconds // step, dtype=np.int64)
        assert self.share is not None
        return np.floor(self.share * range_ * (1 + 1e-12)).astype(np.int64)

    def __str__(self) -> str:
        if self.milliseconds is None:
            return f"{100 * (self.share or 0):g}% of the range of its group"
        unit = next(unit for unit in ("d", "h", "min", "s", "ms") if self.milliseconds % _UNITS[unit] == 0)
        return f"{self.milliseconds // _UNITS[unit]} {unit}"
