"""What a check is, and the registry of all checks. Each is one object; none of them changes a release.

A check looks at what would be published, or at the shape of the log, and says in one sentence what its publisher should
look at. It knows forms, not meanings: what it marks may be harmless, and what it does not mark may not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import Flags, Ints, distinct
from ...core.columns import Column, Kind
from ...core.log import EventLog
from ...core.registry import Registry
from ...core.wording import quoted
from ...formats.schema import column_name, public_columns
from ...methods import DEFAULT, Method, chosen

OF_LABELS = "activity"
"""What a concern calls the labels of activities."""

_MOST_SHOWN = 5


@dataclass(frozen=True)
class Concern:
    """What a check found: a sentence, and the texts that it is about, each as it would be published. Private.

    `of` is ``activity``, the name of a kept column, or empty if the shape of the log is in question. `personal`
    concerns are about texts that may name somebody.
    """

    check: str
    of: str
    sentence: str
    looks_like: str = ""
    texts: tuple[str, ...] = ()
    personal: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The same as plain texts and lists."""
        return {**asdict(self), "texts": list(self.texts)}


@dataclass(frozen=True)
class PublishedTexts:
    """The labels of a log, or the texts of a kept column: what they are, and how many cases have each.

    `parts` are the values that a label is made of where the activity is several columns.
    """

    of: str
    texts: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    cases: Ints
    n_cases: int
    n_events: int

    @property
    def are_labels(self) -> bool:
        """Whether these are the labels of activities."""
        return self.of == OF_LABELS

    @property
    def name(self) -> str:
        """What they are called, in words."""
        return "activities" if self.are_labels else f"values of {quoted(self.of)}"

    @property
    def once(self) -> Flags:
        """Whether a text is in one case only."""
        return self.cases == 1


@dataclass(frozen=True)
class Facts:
    """What checks may look at: the log, and what its method publishes of it."""

    log: EventLog
    method: Method

    @cached_property
    def published(self) -> tuple[PublishedTexts, ...]:
        """All texts that a release may publish: the labels first."""
        kept = [each for each in public_columns(self.log) if each.field.kind is Kind.TEXT]
        return (self.labels, *(self._values(each) for each in kept if self.method.publishes(each.field)))

    @cached_property
    def labels(self) -> PublishedTexts:
        """The labels of activities, as far as the method publishes them."""
        log, published = self.log, set(self.method.published_labels(self.log.labels))
        places = [place for place, label in enumerate(log.labels) if label in published]
        labels = tuple(log.labels[place] for place in places)
        parts = tuple(log.parts.of_label[each] if log.parts is not None else (each,) for each in labels)
        return PublishedTexts(OF_LABELS, labels, parts, cases_with_label(log)[places], log.n_cases, log.n_events)

    def _values(self, column: Column) -> PublishedTexts:
        log, texts = self.log, column.texts
        of_case = np.repeat(np.arange(log.n_cases), np.diff(log.case_offsets))
        owner = np.arange(log.n_cases) if column.field.of_cases else of_case
        there = column.present
        pairs = distinct(owner[there] * len(texts) + column.values[there])
        cases = np.bincount(pairs % len(texts), minlength=len(texts)) if len(texts) else pairs
        return PublishedTexts(
            column_name(column.field), texts, tuple((each,) for each in texts), cases, log.n_cases, log.n_events
        )

    def column_of(self, role: str) -> str:
        """The column of the source that has a role; empty if that is not known."""
        return "" if self.log.source is None else self.log.source.roles.get(role, "")


def cases_with_label(log: EventLog) -> Ints:
    """How many cases have each activity."""
    variants, n = log.variants, len(log.labels)
    variant = np.repeat(np.arange(variants.count), np.diff(variants.offsets))
    pairs = distinct(variant * n + variants.path)
    return np.bincount(pairs % n, weights=variants.cases[pairs // n], minlength=n).astype(np.int64)


class Check(ABC):
    """One thing to look at. What it says is advice to the publisher, and private."""

    name: str
    rank: int

    @abstractmethod
    def concerns(self, facts: Facts) -> Iterator[Concern]:
        """What it has to say about this log; nothing, most of the time."""


class TextCheck(Check):
    """Marks texts that may name somebody.

    `looks_like` says what they look like; `of_values` whether values of kept columns are looked at too: there, codes
    and dates are ordinary, and those that few people have are not published.
    """

    looks_like: str
    of_values = False

    @abstractmethod
    def marks(self, texts: PublishedTexts) -> Flags:
        """Which of the texts are marked."""

    def concerns(self, facts: Facts) -> Iterator[Concern]:
        """One sentence about labels, and one about each kept column."""
        for texts in facts.published:
            if texts.are_labels or self.of_values:
                marks = self.marks(texts)
                found = tuple(text for text, marked in zip(texts.texts, marks, strict=True) if marked)
                if found:
                    yield Concern(self.name, texts.of, self.sentence(texts, found), self.looks_like, found, True)

    def sentence(self, texts: PublishedTexts, found: Sequence[str]) -> str:
        """What was found, with the first of them."""
        shown = ", ".join(map(quoted, found[:_MOST_SHOWN])) + (", ..." if len(found) > _MOST_SHOWN else "")
        many = f"{len(found):,} of {len(texts.texts):,} {texts.name}"
        return f"What looks like {self.looks_like} is in {many}: {shown}."


CHECKS: Registry[Check] = Registry("check", __package__)
"""All checks."""


def checked(log: EventLog, method: Method | None = None) -> tuple[Concern, ...]:
    """What all checks have to say about a log that a method is to release, the default one if none is named.

    >>> from unsingle import synthesize
    >>> checked(synthesize(cases=200))
    ()
    """
    facts = Facts(log, method or chosen(DEFAULT).keeping([field for field in log.fields if not field.private]))
    return tuple(concern for check in CHECKS.values() for concern in check.concerns(facts))


def personal(found: Sequence[Concern]) -> bool:
    """Whether anything that would be published looks personal."""
    return any(each.personal for each in found)


def each_text(texts: PublishedTexts, test: Callable[[str], object]) -> Flags:
    """Which texts have a part of which this is true."""
    return np.array([any(test(part) for part in parts) for parts in texts.parts], dtype=np.bool_)
