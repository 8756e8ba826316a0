"""How many variants the release does not have."""

from __future__ import annotations

from ...core.log import EventLog
from ..context import Context
from ..units import COUNT
from .base import MEASURES, Measure


class LostVariants(Measure[float]):
    """The number of variants that the release does not have."""

    name = "variants_lost"
    rank = 65
    title = "variants lost"
    meaning = "Variants of the original that no released case takes."
    unit = COUNT
    in_comparison = False  # which tells lost and new ones
    in_figures = True

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Count them."""
        return float(len(context.lost_variants))


LOST_VARIANTS = LostVariants()
MEASURES.add(LOST_VARIANTS)
