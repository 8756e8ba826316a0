"""SMAPE: how far single times moved from those of the case that a released case stands for (paper Sect. V)."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Ints, offsets_of, pieces, stable_order, take_rows
from ...core.log import EventLog
from ...core.machine import in_order
from ...mechanisms.cases import Cases
from ...mechanisms.timeline import case_values
from ...privacy.random import Randomness
from ..context import Context
from ..units import SHARE
from .base import MEASURES, Measure, Number, Plot

_EVENTS_AT_ONCE = 1_000_000
_BASE = "previous"  # times are those since the previous event


class Smape(Measure[float]):
    """SMAPE of the time since the previous event, over all released events that have one.

    A released case is compared with its ancestor; where there is none, with a random original case of the same path;
    where paths are not kept either, the measure is not a number.
    """

    name = "smape"
    rank = 20
    title = "SMAPE"
    meaning = "Relative error of each released time beside that of an original case on the same path."
    numbers = (
        Number(
            name,
            title,
            SHARE,
            plot=Plot(
                "How far single times move",
                "SMAPE of each released time, beside the case it was copied from or else a random case on the same "
                "path. There is none for methods that do not keep all paths and copy no case.",
                "SMAPE",
            ),
        ),
    )
    in_comparison = False  # of a file it is not known what its cases stand for
    in_figures = True

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Compare with the ancestors, or else with cases on the same path."""
        ancestors = context.ancestors
        if ancestors is None and context.keeps_variants:
            ancestors = cases_on_same_path(original, release)
        return float("nan") if ancestors is None else smape_beside(original, release, ancestors)


def smape(true: Ints, released: Ints) -> float:
    """Symmetric mean absolute percentage error, 0 to 1 (paper Sect. V); 0 where both values are 0.

    >>> smape(np.array([10, 0, 5]), np.array([30, 0, 5]))
    0.16666666666666666
    """
    total = np.abs(true) + np.abs(released)
    error = np.divide(np.abs(true - released), total, out=np.zeros(len(true)), where=total > 0)
    return float(error.mean()) if len(error) else 0.0


def smape_beside(original: EventLog, release: EventLog, cases: Ints) -> float:
    """SMAPE of the times since the previous event, where released case i stands beside original case ``cases[i]``."""
    true = case_values(original.time, original.case_offsets, _BASE)

    def of_some(some: slice) -> tuple[float, int]:
        first, last = release.case_offsets[some.start], release.case_offsets[some.stop]
        flat, offsets = take_rows(original.case_offsets, cases[some])
        later = ~release.is_first[first:last]
        noisy = case_values(release.time[first:last], offsets, _BASE)
        return smape(true[flat][later], noisy[later]), int(later.sum())

    parts = pieces(release.case_offsets, _EVENTS_AT_ONCE)  # on all cores, and so that memory stays small
    errors, weights = zip(*in_order(of_some, parts), strict=True)
    return float(np.average(errors, weights=weights)) if any(weights) else 0.0


def cases_on_same_path(original: EventLog, release: EventLog) -> Ints:
    """A random original case on the path of each released one, of logs with the same variants."""
    before, after = Cases.of(original).paths, Cases.of(release).paths  # the same paths, in the same order
    by_path = stable_order(before.of_case)
    place = Randomness(0).below(before.cases[after.of_case])
    return by_path[offsets_of(before.cases)[after.of_case] + place]


SMAPE = Smape()
MEASURES.add(SMAPE)
