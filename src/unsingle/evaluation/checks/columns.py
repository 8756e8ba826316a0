"""Columns that were taken for something else: clerks as activity or as case, and texts that no other event has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...core.arrays import Flags
from ...core.wording import quoted
from ...formats.schema import XES_CASE
from ...methods.columns import looks_like_staff
from .base import CHECKS, Check, Concern, Facts, PublishedTexts, TextCheck

_MANY = 20  # labels; fewer say nothing


class _StaffAsActivity(Check):
    """All labels are marked if the column of activities is called like one of those who work there."""

    name, rank = "staff as activity", 50

    def concerns(self, facts: Facts) -> Iterator[Concern]:
        column = facts.column_of("activity")
        parts = facts.log.parts.names if facts.log.parts is not None else (column,)
        for staff in (each for each in parts if looks_like_staff(each) and "task" not in each.lower()):
            labels = facts.log.labels
            yield Concern(
                self.name, facts.labels.of,
                f"The activities are made of the column {quoted(staff)}, which by its name says who did it: each of "
                f"{len(labels):,} activities would name somebody.",
                "somebody who works there", labels, True,
            )  # fmt: skip


class _Unrepeated(TextCheck):
    """All labels are marked if there are nearly as many as events, or if nearly each is in one case only."""

    name, rank = "unrepeated labels", 60
    looks_like = "an id or free text"

    def marks(self, texts: PublishedTexts) -> Flags:
        n, once = len(texts.texts), float(texts.once.mean())
        of_events = n > texts.n_events / 2
        of_cases = n >= texts.n_cases / 2 and once >= 0.8
        return np.full(n, n >= _MANY and (of_events or of_cases))

    def sentence(self, texts: PublishedTexts, found: Sequence[str]) -> str:
        """How many there are."""
        return (
            f"There are {len(found):,} different activities in {texts.n_events:,} events of {texts.n_cases:,} cases, "
            f"as if they were ids or free text: {quoted(found[0])}, for example."
        )


class _StaffAsCase(Check):
    """Whoever works there is no case."""

    name, rank = "staff as case", 100

    def concerns(self, facts: Facts) -> Iterator[Concern]:
        column = facts.column_of("case")
        if looks_like_staff(column):
            yield Concern(
                self.name, "",
                f"The cases are the column {quoted(column)}, which by its name says who did it: is a case not what "
                "goes through the process, such as an order or a patient's stay?",
            )  # fmt: skip


class _OtherCase(Check):
    """In XES, a case is a trace; in tables with its names, the column of that name."""

    name, rank = "other case", 105

    def concerns(self, facts: Facts) -> Iterator[Concern]:
        source = facts.log.source
        if source is not None and XES_CASE in source.left_out:
            yield Concern(
                self.name, "",
                f"The cases are the column {quoted(source.case)}, and {quoted(XES_CASE)}, the id of a case by its "
                "name, is left out: is that what you mean?",
            )  # fmt: skip


STAFF_AS_ACTIVITY, UNREPEATED = CHECKS.add(_StaffAsActivity()), CHECKS.add(_Unrepeated())
STAFF_AS_CASE, OTHER_CASE = CHECKS.add(_StaffAsCase()), CHECKS.add(_OtherCase())
