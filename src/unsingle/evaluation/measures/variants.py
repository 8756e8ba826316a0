"""What became of the variants and of their frequencies."""

from __future__ import annotations

from ...core.log import EventLog
from ..context import Context
from ..sets import SetChange, set_change
from ..units import SHARE
from .base import MEASURES, DistanceMeasure


class VariantSets(DistanceMeasure[SetChange]):
    """Variants that were lost or are new, and how far their frequencies moved."""

    name = "variant_change"
    rank = 60
    title = "variants"
    aspect = "frequencies of variants"
    meaning = "Which variants are lost or new, and the share of cases that would have to change their path."
    unit = SHARE
    in_sweep = False  # which counts lost ones alone: that is faster

    def of(self, original: EventLog, release: EventLog, context: Context) -> SetChange:
        """Compare the sets and their frequencies."""
        return set_change(context.variants_before, context.variants_after)

    def distance(self, value: SetChange) -> float:
        """The share of the frequencies that moved."""
        return value.frequency_distance

    def text(self, value: SetChange) -> str:
        """The change in words."""
        return str(value)


VARIANTS = VariantSets()
MEASURES.add(VARIANTS)
