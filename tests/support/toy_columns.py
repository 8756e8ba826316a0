"""A method that releases kept columns badly in a known way, for tests of what evaluates them. It protects nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unsingle.core.clock import HOUR
from unsingle.core.columns import Field, Kind
from unsingle.core.log import EventLog
from unsingle.errors import ParameterError
from unsingle.formats.schema import public_columns
from unsingle.methods.base import METHODS, Method, Outcome
from unsingle.privacy.guarantee import Guarantee
from unsingle.privacy.random import Randomness
from unsingle.progress import Progress


@dataclass(frozen=True)
class CopiesColumns(Method):
    """Copies the log and all columns of texts; every kept column makes each step an hour longer, and loses a value.

    With n kept columns, the first n values of each are gone.
    """

    name = "copies-columns"
    rank = 95
    title = "copies of everything"
    heading = about = "Copies"
    stages: ClassVar[Mapping[str, str]] = {"times": "copying"}

    def accepts(self, column: Field) -> bool:
        return column.kind is Kind.TEXT

    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:  # noqa: ARG002
        kept = public_columns(log)
        if not all(self.accepts(column.field) for column in kept):
            raise ParameterError("only texts can be kept")
        place = np.arange(log.n_events) - np.repeat(log.case_offsets[:-1], np.diff(log.case_offsets))
        columns = [column.only(np.arange(len(kept), len(column))) for column in kept]
        return Outcome(log.released(np.arange(log.n_cases), log.time + len(kept) * HOUR * place, columns, log.parts))

    def guarantee(self) -> Guarantee:
        return Guarantee(promises=(), limits="nothing is promised", assumes=(), not_protected=(), bounds={})


@contextmanager
def copies_columns() -> Iterator[str]:
    """The name of the method, which is there meanwhile."""
    METHODS.add(CopiesColumns)
    try:
        yield CopiesColumns.name
    finally:
        del METHODS._items[CopiesColumns.name]
