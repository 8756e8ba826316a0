"""Kept columns of an original and its release, side by side: which both have, and their values numbered alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..core.arrays import Floats, Ints, distinct
from ..core.columns import Column, Kind
from ..core.log import EventLog
from ..formats.schema import column_name, public_columns

NO_VALUE = "(no value)"
"""What stands for a value that is not there, which is compared like any other."""

OTHERS = "(all others)"
"""What stands for all values that are not among the most frequent ones."""

_POOLED = "OTHER"  # what a release has in place of values that too few people have
_PSEUDONYM = re.compile(r"value [1-9][0-9]*")
_TENTHS = np.arange(1, 10) / 10


@dataclass(frozen=True, eq=False)
class Alike:
    """What two logs have in a column, as places in one list of names."""

    names: tuple[str, ...]
    before: Ints
    after: Ints

    @property
    def counts(self) -> tuple[Ints, Ints]:
        """How often each name occurs, in the original and in the release."""
        before, after = (np.bincount(side, minlength=len(self.names)) for side in (self.before, self.after))
        return before, after

    def at(self, before: Ints, after: Ints) -> Alike:
        """Only these rows of the original and of the release."""
        return Alike(self.names, self.before[before], self.after[after])

    def most_frequent(self, most: int) -> Ints:
        """The places of the names that occur most often in the original, then in the release; equal ones by name.

        >>> Alike(("a", "b", "c"), np.array([1, 1, 0]), np.array([2])).most_frequent(2).tolist()
        [1, 0]
        """
        before, after = (count.tolist() for count in self.counts)
        there = [i for i in range(len(self.names)) if before[i] or after[i]]
        order = sorted(there, key=lambda i: (-before[i], -after[i], self.names[i]))
        return np.array(order[:most], dtype=np.int64)

    def pooled(self, most: int) -> Alike:
        """The same with all but the most frequent names as one.

        >>> Alike(("a", "b", "c"), np.array([1, 1, 0]), np.array([2])).pooled(1).names
        ('b', '(all others)')
        """
        top = self.most_frequent(most)
        if len(top) == len(self.most_frequent(len(self.names))):
            return self._renumbered(top, tuple(self.names[i] for i in top))
        return self._renumbered(top, (*(self.names[i] for i in top), OTHERS))

    def _renumbered(self, top: Ints, names: tuple[str, ...]) -> Alike:
        place = np.full(len(self.names), len(top), dtype=np.int64)
        place[top] = np.arange(len(top))
        return Alike(names, place[self.before], place[self.after])


@dataclass(frozen=True, eq=False)
class Kept:
    """A column of the original, and what it became in the release."""

    before: Column
    after: Column

    @property
    def name(self) -> str:
        """The name of the column in tables."""
        return column_name(self.before.field)

    @property
    def of_cases(self) -> bool:
        """Whether a whole case has one value of it."""
        return self.before.field.of_cases

    @property
    def is_text(self) -> bool:
        """Whether its values are texts, not numbers."""
        return _is_text(self.before)

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        return self.before.field.kind is self.after.field.kind is Kind.INTEGER

    @cached_property
    def has_pseudonyms(self) -> bool:
        """Whether the release calls its values `value 1`, `value 2` and so on, and the original does not."""
        released = [text for text in self.after.texts if text != _POOLED]
        return (
            self.is_text
            and bool(released)
            and all(map(_PSEUDONYM.fullmatch, released))
            and not any(map(_PSEUDONYM.fullmatch, self.before.texts))
        )

    @cached_property
    def values(self) -> Alike:
        """The values of both, of which the first is that there is none.

        Pseudonyms stand beside the original values that are as frequent among all. Numbers that need not be whole are
        told apart by the tenth of the original's values that they lie in.
        """
        if not self.is_text:
            return _of_whole(self) if self.is_whole else _of_tenths(self)
        return _of_texts(_by_frequency(self.before, self.after) if self.has_pseudonyms else self.after, self.before)


@dataclass(frozen=True)
class NotCompared:
    """A kept column of the original that could not be compared, and why."""

    column: str
    reason: str


def kept_columns(original: EventLog, release: EventLog) -> tuple[tuple[Kept, ...], tuple[NotCompared, ...]]:
    """The columns that can be compared, and those of the original that cannot, in its order."""
    there = {_key(column): column for column in public_columns(release)}
    kept: list[Kept] = []
    missing: list[NotCompared] = []
    for column in public_columns(original):
        after = there.get(_key(column))
        if after is None:
            missing.append(NotCompared(column_name(column.field), "the release does not have it"))
        elif _is_text(column) != _is_text(after):
            kinds = ("texts", "numbers") if _is_text(column) else ("numbers", "texts")
            reason = f"it holds {kinds[0]} in the original and {kinds[1]} in the release"
            missing.append(NotCompared(column_name(column.field), reason))
        else:
            kept.append(Kept(column, after))
    return tuple(kept), tuple(missing)


def activities_alike(original: EventLog, release: EventLog) -> Alike:
    """The activities of all events of both logs."""
    names, places = _places(original.labels, release.labels)
    before, after = (place[log.activity] for place, log in zip(places, (original, release), strict=True))
    return Alike(names, before, after)


def _key(column: Column) -> tuple[str, bool]:
    """By what a column of the original is found in the release."""
    return column.field.name, column.field.of_cases


def _is_text(column: Column) -> bool:
    return column.field.kind is Kind.TEXT


def _places(*texts: Sequence[str]) -> tuple[tuple[str, ...], list[Ints]]:
    """All distinct texts, and the places of each list's texts among them."""
    number = {text: place for place, text in enumerate(dict.fromkeys(text for each in texts for text in each))}
    return tuple(number), [np.array([number[text] for text in each], dtype=np.int64) for each in texts]


def _of_texts(after: Column, before: Column) -> Alike:
    names, places = _places(before.texts, after.texts)
    sides = (np.append(place + 1, 0)[column.values] for place, column in zip(places, (before, after), strict=True))
    return Alike((NO_VALUE, *names), *sides)  # the code of a missing text, -1, picks the 0 at the end


def _by_frequency(before: Column, after: Column) -> Column:
    """The released column with each pseudonym replaced by the original value of the same rank of frequency."""
    given = [text for text in _ranked(after) if text != _POOLED]
    true = dict(zip(given, _ranked(before), strict=False))
    return Column(after.field, after.values, tuple(true.get(text, text) for text in after.texts))


def _ranked(column: Column) -> list[str]:
    """The texts of a column, the most frequent first; equally frequent ones by name."""
    count = np.bincount(column.values + 1, minlength=len(column.texts) + 1)[1:].tolist()
    return [text for _, text in sorted((-n, text) for n, text in zip(count, column.texts, strict=True))]


def _of_whole(kept: Kept) -> Alike:
    """Whole numbers, told apart one by one."""
    sides = [column.values[column.present] for column in (kept.before, kept.after)]
    numbers = distinct(np.concatenate(sides))
    names = tuple(f"{value:.0f}" for value in numbers.tolist())
    before, after = (_placed(column, np.searchsorted(numbers, column.values)) for column in (kept.before, kept.after))
    return Alike((NO_VALUE, *names), before, after)


def _of_tenths(kept: Kept) -> Alike:
    """Numbers, told apart by the tenth of the original's values that they lie in."""
    present = kept.before.values[kept.before.present]
    edges = np.unique(np.quantile(present, _TENTHS)) if len(present) else np.empty(0)
    before, after = (
        _placed(column, np.searchsorted(edges, column.values, side="right")) for column in (kept.before, kept.after)
    )
    return Alike((NO_VALUE, *_ranges(edges)), before, after)


def _placed(column: Column, place: Ints) -> Ints:
    """Places among the names, of which the first stands for no value."""
    return np.where(column.present, place + 1, 0)


def _ranges(edges: Floats) -> tuple[str, ...]:
    """The names of the ranges between these edges.

    >>> _ranges(np.array([5.0, 2500.0]))
    ('under 5', '5 to 2,500', '2,500 and more')
    """
    texts = [f"{edge:,.6g}" for edge in edges.tolist()]
    if not texts:
        return ("any number",)
    inner = (f"{a} to {b}" for a, b in pairwise(texts))
    return (f"under {texts[0]}", *inner, f"{texts[-1]} and more")
