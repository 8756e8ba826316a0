"""Floors: how far two random halves of a log are apart, by each measure. Private, like all that shows the original."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any

import numpy as np

from ..core.log import EventLog
from ..privacy.random import Randomness
from .context import Context
from .measures.base import DistanceMeasure, Measure, chosen

SPLITS = 2
_LARGE = 500_000  # events, beyond which one split must do

HalvesFound = list[tuple[DistanceMeasure[Any], list[Any]]]
"""Measures of distance, each with what it found between the halves of each split."""


def between_halves(log: EventLog, wanted: Callable[[Measure[Any]], bool]) -> HalvesFound:
    """What the wanted measures of distance find between random halves of the cases; nothing of a log of one case.

    The halves are the same whenever the same log is asked about. Columns beside case, activity and time are left out.
    """
    measures = [each for each in chosen(wanted) if isinstance(each, DistanceMeasure)]
    found: HalvesFound = [(measure, []) for measure in measures]
    for context in _splits(log):
        for measure, values in found:
            if measure.applies(context):
                values.append(measure.of(context.original, context.release, context))
    return [(measure, values) for measure, values in found if values]


def splits_of(log: EventLog) -> int:
    """Into how many pairs of halves a log is split: fewer if it is large, none if it has one case."""
    return 0 if log.n_cases < 2 else SPLITS if log.n_events <= _LARGE else 1


def _splits(log: EventLog) -> Iterator[Context]:
    plain = log.with_columns([])
    for random in Randomness(0).spawn(splits_of(log)):
        cases = random.permutation(log.n_cases)
        half = log.n_cases // 2
        one, other = (plain.subset(np.sort(some)) for some in (cases[:half], cases[half:]))
        yield Context(one, other)


def floors(log: EventLog, wanted: Callable[[Measure[Any]], bool]) -> dict[str, float]:
    """The mean distance between two halves, by the name of each measure."""
    return {
        measure.name: fmean(measure.distance(value) for value in values)
        for measure, values in between_halves(log, wanted)
    }


def floor_figures(log: EventLog, wanted: Callable[[Measure[Any]], bool]) -> dict[str, float]:
    """The mean of each number of the measures between two halves, by its name."""
    return {
        number.name: fmean(number.of(value) for value in values)
        for measure, values in between_halves(log, wanted)
        for number in measure.columns()
    }
