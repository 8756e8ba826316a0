"""What an attacker looks at in the released column: how often the values in question are there, and where.

They are looked for on the person's path, at the activities at which the person has them, and in the whole release. A
column of pseudonyms does not show which value is which, so how many there are, and how often the rarest, counts too.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Ints, take_rows
from ..core.columns import Column, Kind
from .features import Features
from .observed import Observed
from .targets import Targets
from .values import Standing

_NEAR = 0.02  # of a number


def value_features(targets: Targets, standing: Standing | None) -> Features | None:
    """What a release shows of the value by which a person stands out; None if nobody does."""
    if standing is None:
        return None
    log, path = targets.log, targets.path_of(standing.case)
    of_cases = standing.field.of_cases
    labels = () if of_cases else tuple(log.labels[code] for code in np.unique(log.activity[standing.rows]).tolist())
    look = _of_texts if standing.field.kind is Kind.TEXT else _of_numbers

    def features(release: Observed) -> list[float]:
        column = release.log.column(standing.field)
        return [] if column is None else look(column, standing, _groups(release, of_cases, path, labels))

    return features


def _groups(release: Observed, of_cases: bool, path: int, labels: tuple[str, ...]) -> list[Ints]:
    """The released rows on the person's path, at the activities in question, and all."""
    log, cases = release.log, release.cases_on(path)
    if of_cases:
        return [cases, np.arange(log.n_cases)]
    there = np.isin(np.array(log.labels, dtype=object), np.array(labels, dtype=object))
    return [take_rows(log.case_offsets, cases)[0], np.flatnonzero(there[log.activity]), np.arange(log.n_events)]


def _of_texts(column: Column, standing: Standing, groups: list[Ints]) -> list[float]:
    number = {text: code for code, text in enumerate(column.texts)}
    wanted = [number.get(str(text), len(number)) for text in (standing.value, standing.usual)]
    times = np.bincount(column.values[column.present], minlength=1)
    found = [float(len(column.texts)), float(times.min()), float(column.present.sum())]
    for rows in groups:
        counts = [float((column.values[rows] == code).sum()) for code in wanted]
        found += [*counts, *(count / max(1, len(rows)) for count in counts), float(counts[0] > 0)]
    return found


def _of_numbers(column: Column, standing: Standing, groups: list[Ints]) -> list[float]:
    wanted = [float(cell) for cell in (standing.value, standing.usual) if cell is not None]
    return [figure for rows in groups for figure in _shape(column.values[rows], wanted)]


def _shape(values: Floats, wanted: list[float]) -> list[float]:
    """Where numbers lie, and how many are exactly each wanted one, near it, and at most it."""
    values = values[~np.isnan(values)]
    if not len(values):
        return [0.0, *[-1.0] * (5 + 4 * len(wanted))]
    level = np.arcsinh(values)
    found = [len(values), values.min(), values.max(), np.median(values), level.mean(), level.std()]
    for value in wanted:
        apart = np.abs(values - value)
        near = apart <= _NEAR * abs(value)
        found += [(apart == 0).sum(), near.sum(), (values <= value).mean(), apart.min()]
    return [float(each) for each in found]
