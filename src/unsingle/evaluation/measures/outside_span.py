"""How many released events lie before the first or after the last event of the original."""

from __future__ import annotations

import numpy as np

from ...core.log import EventLog
from ..context import Context
from ..units import SHARE
from .base import MEASURES, Measure, Number, SweepTable


class OutsideSpan(Measure[float]):
    """The share of released events outside the span of the original."""

    name = "outside_span_share"
    rank = 49
    title = "events outside the span"
    meaning = "Share of released events before the first or after the last event of the original."
    unit = SHARE
    numbers = (Number(name, "outside span", SHARE, table=SweepTable.NONE),)

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Count them."""
        outside = (release.time < original.time.min()) | (release.time > original.time.max())
        return float(np.mean(outside))


OUTSIDE_SPAN = OutsideSpan()
MEASURES.add(OUTSIDE_SPAN)
