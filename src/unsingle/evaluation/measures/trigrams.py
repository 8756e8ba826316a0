"""Which three activities follow each other, and how often."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Ints, dense, row_of
from ...core.log import EventLog
from ..context import Context
from ..kept import Alike
from ..units import SHARE
from .base import MEASURES, DistanceMeasure, Number, SweepTable


class Trigrams(DistanceMeasure[float]):
    """Total variation between the shares of all sequences of three activities, with starts and ends of cases."""

    name = "trigram_distance"
    rank = 72
    title = "3-grams"
    aspect = "sequences of three activities"
    meaning = "The share of sequences of three activities that would have to change (with starts and ends of cases)."
    unit = SHARE
    numbers = (Number(name, title, SHARE, table=SweepTable.FLOW),)

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Compare their shares."""
        grams = _trigrams(context.activities, original.case_offsets, release.case_offsets)
        place = original.n_events + 2 * original.n_cases
        shares = (np.bincount(side, minlength=int(grams.max()) + 1) / len(side) for side in np.split(grams, [place]))
        return float(np.abs(np.subtract(*shares)).sum() / 2)


def _trigrams(activities: Alike, before: Ints, after: Ints) -> Ints:
    """A number for each three neighbours of both logs, where two blanks stand before and after each case.

    A case of n events has n + 2 of them, and none reaches from one case to the next.
    """
    offsets = np.concatenate((before, before[-1] + after[1:]))
    case = row_of(offsets)
    spread = np.zeros(offsets[-1] + 2 * len(offsets), dtype=np.int64)
    spread[np.arange(offsets[-1]) + 2 * (case + 1)] = np.concatenate((activities.before, activities.after)) + 1
    base = len(activities.names) + 1
    pair = dense(spread[:-1] * base + spread[1:])
    return dense(pair[:-1] * base + spread[2:])


TRIGRAMS = Trigrams()
MEASURES.add(TRIGRAMS)
