"""How far the values moved that whole cases have: age, channel, amount."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.wording import percent
from ..context import Context
from ..kept import Alike, Kept
from ..numbers import NumberChange, number_change
from ..total_variation import mean_total_variation
from .base import MEASURES
from .of_columns import ColumnMeasure


@dataclass(frozen=True)
class CaseValueChange:
    """How far the values of cases moved: total variation, and of numbers their quartiles and distance too.

    Numbers that need not be whole are told apart by the tenth of the original's values that they lie in.
    """

    total_variation: float
    numbers: NumberChange | None = None

    def __str__(self) -> str:
        numbers = "" if self.numbers is None else f" (numbers {self.numbers})"
        return f"{percent(self.total_variation)} of cases would have to change{numbers}"


class CaseValues(ColumnMeasure[CaseValueChange]):
    """Total variation of the values of cases; no value counts as a value."""

    name = "case_values"
    rank = 102
    title = "values of cases"
    meaning = "The share of cases that would have to change their value to match the original's distribution."
    in_figures = True
    main = True

    def fits(self, kept: Kept) -> bool:
        """Columns of which a case has one value."""
        return kept.of_cases

    def of_column(self, kept: Kept, context: Context) -> CaseValueChange:
        """Compare the distributions of all cases."""
        one = together(kept.values)
        moved = mean_total_variation(one.before, kept.values.before, one.after, kept.values.after, 1)
        return CaseValueChange(moved, None if kept.is_text else number_change(kept, one))

    def loss(self, value: CaseValueChange) -> float:
        """The total variation."""
        return value.total_variation

    def words(self, value: CaseValueChange) -> str:
        """The change in words."""
        return str(value)


def together(values: Alike) -> Alike:
    """All of both logs as one group."""
    before, after = (np.zeros(len(side), dtype=np.int64) for side in (values.before, values.after))
    return Alike(("",), before, after)


CASE_VALUES = CaseValues()
MEASURES.add(CASE_VALUES)
