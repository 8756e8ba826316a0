"""What a user may choose for a release, checked in one place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np

from .clock import DAY, GRIDS, HOUR, MINUTE, SECOND
from .errors import ParameterError
from .guessing import checked_delta
from .privacy.budget import SLACK
from .ragged import Ints

TimeFrom = Literal["previous", "start"]

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


@dataclass(frozen=True)
class Options:
    """The choices for one release; raises `ParameterError` if one is out of range.

    >>> Options(delta=0.2).exact_delta
    Fraction(1, 5)
    """

    delta: float = 0.2
    time_from: TimeFrom | None = None
    precision: Precision = field(default=Precision(share=0.1))
    as_published: bool = False
    grid: str | None = None
    slack: float = SLACK
    labels: tuple[str, ...] | None = None
    """The activity labels that everybody may know, for methods that do not take those of the log as public."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", float(checked_delta(self.delta)))
        if self.time_from not in (None, "previous", "start"):
            raise ParameterError(f"time_from must be 'previous' or 'start' (not {self.time_from!r})")
        if not 0 < self.slack < 1:
            raise ParameterError(
                f"slack must lie between 0 and delta (not {self.slack:g}); {SLACK:g} is a usual choice"
            )
        if self.labels is not None and not (self.labels and len(set(self.labels)) == len(self.labels)):
            raise ParameterError("public labels must be distinct, and there must be at least one")
        if self.grid is not None and self.grid not in GRIDS:
            raise ParameterError(f"unknown grid {self.grid!r}: choose one of {', '.join(GRIDS)}")

    @property
    def exact_delta(self) -> Fraction:
        """Delta as a fraction."""
        return checked_delta(self.delta)

    @property
    def base(self) -> TimeFrom:
        """What times are measured from: the choice, else as the paper's text or as its authors' code does."""
        return self.time_from or ("start" if self.as_published else "previous")
