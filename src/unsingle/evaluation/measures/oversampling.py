"""How many cases the release has for each original one."""

from __future__ import annotations

from ...core.log import EventLog
from ..context import Context
from .base import MEASURES, Measure, Number, Plot


class Oversampling(Measure[float]):
    """Released cases for each original case (the paper's oversampling ratio)."""

    name = "ratio"
    rank = 10
    title = "ratio"
    meaning = "Released cases for each original case; 1 would be as many."
    numbers = (
        Number(
            name,
            title,
            plot=Plot(
                "How many cases there are",
                "Released cases for each original case (logarithmic). The paper's methods pay for a small delta with "
                "added cases.",
                "released / original cases",
                logarithmic=True,
            ),
        ),
    )
    in_figures = True

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Divide the numbers of cases."""
        return release.n_cases / original.n_cases

    def text(self, value: float) -> str:
        """The ratio in words."""
        return f"{value:.2f} times as many cases"


OVERSAMPLING = Oversampling()
MEASURES.add(OVERSAMPLING)
