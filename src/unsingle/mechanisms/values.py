"""The values of a column as numbered cells: texts that may be published, or bins of numbers on a universal scale.

A column of a release is drawn over these cells, never copied. Cell 0 means that there is no value.

*Texts.* Where the values are not given as public, a value is published only if its noised number of people passes a
threshold (`selection`); all others become `OTHER`, which is cell 1.

*Numbers* are whole multiples of a public step, in octaves on both sides of 0. A first tally of all values shows which
octaves there are; those are cut into finer bins, as far as the noise of the next tally lets them show. What is smaller
or larger than what stands out of the noise falls into the outermost bins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Flags, Floats, Ints
from ..core.columns import MISSING, Column, Field, Kind
from ..privacy.random import Randomness

OTHER = "OTHER"
"""What a release has in place of values that may not be published."""

PSEUDONYM = "value"
"""What pseudonyms begin with."""

_MOST_TICKS = 2**53  # whole numbers up to this one are exact
_OCTAVES = 53
_FINEST = 128  # bins of an octave
_FINENESS = 0.45  # bins of an octave: (this times values per deviation)^(2/3)
_STANDS_OUT = 4.0  # deviations
_NEARLY = 1.5  # deviations, for an octave beside one that stands out


class Domain(ABC):
    """What values there can be, as cells: 0 is for none."""

    size: int
    """How many cells there are."""

    ordered: bool
    """Whether cells that lie side by side are alike."""

    @abstractmethod
    def cells(self, column: Column) -> Ints:
        """The cell of each value of the original."""

    @abstractmethod
    def column(self, field: Field, cell: Ints, place: Floats) -> Column:
        """A column with values in these cells, each at a place between 0 and 1 within its cell."""


@dataclass(frozen=True)
class Texts(Domain):
    """Texts that may be published, in the order of their names; `shown` are what the release has for them."""

    known: tuple[str, ...]
    shown: tuple[str, ...]
    ordered = False

    @classmethod
    def of(cls, known: Sequence[str], pseudonyms: Randomness | None) -> Texts:
        """These texts as they are, or under pseudonyms in random order."""
        names = tuple(sorted(set(known) - {OTHER}))
        if pseudonyms is None:
            return cls(names, names)
        number = pseudonyms.permutation(len(names))
        return cls(names, tuple(f"{PSEUDONYM} {place + 1}" for place in number.tolist()))

    @property
    def size(self) -> int:  # type: ignore[override]
        """None, OTHER, and the texts."""
        return 2 + len(self.known)

    def cells(self, column: Column) -> Ints:
        """Texts that are not known are in the cell of OTHER."""
        number = {text: 2 + place for place, text in enumerate(self.known)}
        cell = np.array([*(number.get(text, 1) for text in column.texts), 0], dtype=np.int64)
        return cell[np.where(column.values == MISSING, len(column.texts), column.values)]

    def column(self, field: Field, cell: Ints, place: Floats) -> Column:  # noqa: ARG002 - a text has no inside
        """The texts in the order of what is shown for them, and only those that occur."""
        texts, number = np.unique(np.array([OTHER, *self.shown], dtype=object), return_inverse=True)
        used = np.zeros(len(texts), dtype=np.bool_)
        used[number[cell[cell > 0] - 1]] = True
        code = np.append(np.where(used, np.cumsum(used) - 1, MISSING)[number], MISSING)
        return Column(field, code[cell - 1].astype(np.int32), tuple(texts[used].tolist()))


@dataclass(frozen=True, eq=False)
class NumberBins(Domain):
    """NumberBins of whole multiples of a step: bin i is from ``lows[i]`` up to, not including, ``lows[i + 1]``."""

    lows: Ints
    step: float
    ordered = True

    @property
    def size(self) -> int:  # type: ignore[override]
        """None, and the bins."""
        return len(self.lows)

    def cells(self, column: Column) -> Ints:
        """Values beyond the outermost bins fall into them."""
        ticks = ticks_of(column.values, self.step)
        bins = np.clip(np.searchsorted(self.lows, ticks, side="right") - 1, 0, len(self.lows) - 2)
        return np.where(column.present, 1 + bins, 0)

    def column(self, field: Field, cell: Ints, place: Floats) -> Column:
        """Numbers within their bins: as likely in each part of an octave, rounded to the step."""
        inner = np.maximum(cell - 1, 0)
        low, high = self.lows[inner].astype(np.float64), self.lows[inner + 1].astype(np.float64) - 1
        small, large = np.minimum(np.abs(low), np.abs(high)), np.maximum(np.abs(low), np.abs(high)) + 1
        ticks = np.where(small > 0, small * (large / np.maximum(small, 1)) ** place, (large - small) * place)
        ticks = np.sign(low + high) * np.minimum(np.floor(ticks), large - 1)
        values = ticks * self.step
        if field.kind is not Kind.INTEGER:
            values = np.round(values, 9)
        return Column(field, np.where(cell > 0, values, np.nan))


def ticks_of(values: Floats, step: float) -> Ints:
    """Values as whole multiples of the step, the nearest; what is not there is 0.

    >>> ticks_of(np.array([0.26, -0.74, np.nan]), 0.5).tolist()
    [1, -1, 0]
    """
    with np.errstate(over="ignore"):
        ticks = np.nan_to_num(values / step, nan=0.0, posinf=_MOST_TICKS, neginf=-_MOST_TICKS)
    return np.clip(np.rint(ticks), 1 - _MOST_TICKS, _MOST_TICKS - 1).astype(np.int64)


def number_octaves(step: float) -> NumberBins:
    """The bins of all columns with this step: 0, and octaves on both sides of it.

    >>> from unsingle.core.columns import Level
    >>> numbers = Column.of_numbers(Field("x", Level.CASE, Kind.NUMBER), np.array([0.0, 1, 3, -3]))
    >>> number_octaves(1.0).cells(numbers).tolist()
    [54, 55, 56, 52]
    """
    powers = 2 ** np.arange(_OCTAVES + 1)
    return NumberBins(np.concatenate((1 - powers[:0:-1], [0], powers)), step)


def finer_bins(coarse: NumberBins, count: Floats, noise: float, next_noise: float, whole: bool) -> NumberBins:
    """Octaves in the span that stands out of the noise, each cut into as many bins as the next noise lets show.

    `count` are the noised numbers of values in each octave, `noise` and `next_noise` the deviations of their noise and
    of that which the bins will get. Whole numbers may be cut down to single ones: they often stand at round figures.
    """
    seen = np.flatnonzero(count > _STANDS_OUT * noise)
    if not len(seen):
        middle = int(np.searchsorted(coarse.lows, 0))
        return NumberBins(coarse.lows[middle : middle + 3], coarse.step)
    first, last = _run(count > _NEARLY * noise, int(seen[0]), int(seen[-1]))
    visible = np.maximum(count[first : last + 1], 0) / next_noise
    wanted = visible if whole else np.maximum(_FINENESS * visible, 0) ** (2 / 3)
    parts = np.clip(wanted, 1, _FINEST).astype(np.int64)
    edges = [
        _cut(int(coarse.lows[place]), int(coarse.lows[place + 1]), number)
        for place, number in zip(range(first, last + 1), parts.tolist(), strict=True)
    ]
    return NumberBins(np.concatenate([*edges, coarse.lows[last + 1 : last + 2]]), coarse.step)


def _run(likely: Flags, first: int, last: int) -> tuple[int, int]:
    """The span with the octaves on both sides that are likely to hold something, too."""
    while first > 0 and likely[first - 1]:
        first -= 1
    while last < len(likely) - 1 and likely[last + 1]:
        last += 1
    return first, last


def _cut(low: int, high: int, parts: int) -> Ints:
    """The lower bounds of so many parts of an octave, or of single numbers if there are no more."""
    if high - low <= parts:
        return np.arange(low, high)
    if low <= 0:  # octaves below 0 are those above it, turned round
        upper = _cut(1 - high, 1 - low, parts)
        return 1 - np.append(upper[1:], 1 - low)[::-1]
    return np.unique(np.round(np.geomspace(low, high, parts + 1)).astype(np.int64))[:-1]
