"""How long steps take: noised tallies of durations, estimated by pair of activities, and drawn from.

Steps are counted in universal bins (`bins`), with weights: a longer step counts more, because an error there costs
more hours. Persons' vectors are clipped (`clipping`).

Three looks at the log, each a noised tally with a noised histogram of lengths before it: all steps by octave; pairs by
octave; and what stood out there once more, in finer bins. All else is made from these, and costs nothing more.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, offsets_of
from ..core.clock import HOUR, MINUTE, Grid
from ..privacy.random import Randomness
from .bins import Scale, octaves, part_edges, part_of, parts_of_octaves, scale_of
from .clipping import Sums, clipped_tally, length_tally, measured_clip, merged, summed_rows
from .draws import pick, spread_evenly
from .measurements import Measurements
from .posterior import Prior, Rows, best_prior, posterior_mean, posterior_median
from .tallies import Vectors, summed

ALL_STEPS, BY_PAIR, FINER = (f"how long steps take, {how}" for how in ("all together", "by pair", "finer"))
SHARES_OF_DURATIONS = {
    **dict.fromkeys(map(length_tally, (ALL_STEPS, BY_PAIR, FINER)), 0.03),
    ALL_STEPS: 0.05,
    BY_PAIR: 0.46,
    FINER: 0.40,
}
"""How the tallies of durations share their part of the budget, by what measured best on public logs."""

_ROOT = 0.28  # a step counts by this power of its duration
_SHORT = 0.1  # of the mean: shorter steps count as if they took so long
_VERY_SHORT = 0.01  # of the mean: below, four octaves make one cell
_RARE = 0.02  # steps for each case: what is rarer does not count more
_COMMON = 0.05  # each pair's expected shape has so much of that of all steps
_UNSURE = 0.1  # of the number of a pair's steps is not known better than by this share
_LOST = 0.6  # where pairs hold less than this share of all hours, they are raised to what all steps show
_SURE, _RAKES = 5.0, 8  # deviations from which all steps are believed, and how often pairs are raised
_FALSE_ALARM = 0.1  # in so many releases noise is taken for the longest durations
_TINY = 1e-9


class Steps(NamedTuple):
    """The steps of the log that are between activities which follow each other in the release: private."""

    row: Ints  # which pair
    ticks: Ints
    person: Ints


class ReleasedSteps(NamedTuple):
    """The steps that are to be released: which pair each is of, the activities of each pair, how many cases."""

    row: Ints
    source: Ints
    target: Ints
    cases: int
    variance: Floats  # of the number of steps of each pair, from the noise of counts

    @property
    def steps(self) -> Floats:
        """How many steps each pair has."""
        return np.bincount(self.row, minlength=len(self.source)).astype(np.float64)


def drawn_durations(
    steps: Steps, wanted: ReleasedSteps, grid: Grid, measurements: Measurements, random: Randomness
) -> Ints:
    """How long each released step takes, in ticks."""
    if not len(wanted.row):
        return wanted.row
    log = _Looks(steps, wanted, grid, measurements)
    scale, everything, mean = log.at_all_steps(random)
    pairs = log.at_pairs(scale, mean)
    shape = _estimated(pairs, everything, wanted, random)
    fine = log.at_what_stood_out(scale, mean, shape)
    pairs = merged(pairs, fine.by_octave)
    shape = _estimated(pairs, everything, wanted, random)
    within = fine.shapes(shape * wanted.steps[:, None], random)
    shape = _raked(_cut(shape, pairs, everything), scale, pairs, everything, wanted)
    return _drawn(shape, within, scale, fine, wanted, random)


_LEAST_HOURS = 0.01  # of the mean duration


class _Looks(NamedTuple):
    """The three looks at the log: all steps, pairs, and what stood out. Nothing else here sees it."""

    steps: Steps
    wanted: ReleasedSteps
    grid: Grid
    measurements: Measurements

    def at_all_steps(self, random: Randomness) -> tuple[Scale, Sums, float]:
        """All steps by octave, the scale with very short octaves put together, and the mean duration in hours."""
        steps, wanted, grid, measurements = self
        scale = octaves(grid)
        weight = np.maximum(scale.hours, 0.02) ** 0.25
        vectors = Vectors(scale.bin_of(steps.ticks), steps.person, scale.bins, weight)
        sums = clipped_tally(ALL_STEPS, vectors, weight, 1.0, wanted.cases, measurements)
        value, variance = (each[None] for each in sums)
        total = wanted.steps.sum(keepdims=True)
        rows = _rows(Sums(value, variance), total, np.zeros(1))
        shape = posterior_median(rows, Prior(_mostly_short(scale.bins), 3.0), random)[0]
        mean = max(_LEAST_HOURS, float(shape @ scale.hours))
        minute = max(1, MINUTE // grid.step)
        low = np.flatnonzero((scale.edges < _VERY_SHORT * mean * HOUR / grid.step) & (scale.edges >= minute))
        kept = np.delete(np.arange(len(scale.edges)), low[np.arange(len(low)) % 4 > 0])
        value, variance = (np.add.reduceat(each, kept[:-1])[None] for each in sums)
        return scale_of(scale.edges[kept], grid), Sums(value, variance), mean

    def at_pairs(self, scale: Scale, mean: float) -> Sums:
        """Steps by pair and octave."""
        steps, wanted, _, measurements = self
        pairs = len(wanted.source)
        weight = np.tile(np.maximum(scale.hours, _SHORT * mean) ** _ROOT, pairs)
        vectors = Vectors(steps.row * scale.bins + scale.bin_of(steps.ticks), steps.person, len(weight), weight)
        sums = clipped_tally(BY_PAIR, vectors, weight, weight.max() / 16, wanted.cases, measurements)
        return Sums(*(each.reshape(pairs, scale.bins) for each in sums))

    def at_what_stood_out(self, scale: Scale, mean: float, shape: Floats) -> _Fine:
        """What stood out once more, in finer bins; rare and long steps count more."""
        steps, wanted, grid, measurements = self
        found = shape * wanted.steps[:, None]
        rarity = np.maximum(found / wanted.cases, _RARE)
        weight = (np.maximum(scale.hours, _SHORT * mean) / rarity) ** _ROOT
        weight = np.minimum(weight / weight[found > 0].max(initial=_TINY), 1)
        octave = scale.bin_of(steps.ticks)
        flat = weight.ravel()
        vectors = Vectors(steps.row * scale.bins + octave, steps.person, len(flat), flat)
        clip = measured_clip(vectors, weight.max() / 16, FINER, wanted.cases, measurements)
        factor = clip.length / weight / clip.left(flat).reshape(weight.shape)
        deviation = measurements.deviation(FINER) * factor
        parts = parts_of_octaves(found / deviation, scale, grid)
        first = offsets_of(parts.ravel())[:-1].reshape(parts.shape)
        cell = first[steps.row, octave] + part_of(steps.ticks, octave, parts[steps.row, octave], scale)
        cells = Vectors(cell, steps.person, int(parts.sum()), np.repeat(flat, parts.ravel()))
        value = measurements.tally(FINER, cells, clip.length).values * np.repeat(factor.ravel(), parts.ravel())
        sums = np.add.reduceat(value, first.ravel()).reshape(parts.shape)
        return _Fine(parts, first, value, deviation, Sums(sums, deviation**2 * parts))


def _rows(sums: Sums, total: Floats, variance: Floats) -> Rows:
    return Rows(sums.value, np.sqrt(sums.variance), total, np.sqrt((_UNSURE * total) ** 2 + variance))


def _estimated(pairs: Sums, everything: Sums, wanted: ReleasedSteps, random: Randomness) -> Floats:
    """The distribution of each pair's durations over the octaves.

    A pair is expected to be like its target activity, its source, or both; which of these, the noised sums tell.
    """
    common = _common(pairs, everything, wanted)
    by_target, by_source = (_by_activity(pairs, each, common, wanted) for each in (wanted.target, wanted.source))
    mixtures = (by_target, by_source, by_target + by_source, (by_target + _TINY) * (by_source + _TINY) / common)
    shapes = [
        (1 - _COMMON) * each / np.maximum(each.sum(axis=1, keepdims=True), _TINY) + _COMMON * common
        for each in mixtures
    ]
    rows = _rows(pairs, wanted.steps, wanted.variance)
    return posterior_median(rows, best_prior(rows, shapes), random)


def _whole(pairs: Sums, everything: Sums) -> Sums:
    """All steps, by both tallies."""
    return merged(summed_rows(pairs, np.zeros(len(pairs.value), dtype=np.int64), 1), everything)


def _common(pairs: Sums, everything: Sums, wanted: ReleasedSteps) -> Floats:
    """The distribution of all steps."""
    whole = _whole(pairs, everything)
    total = wanted.steps.sum(keepdims=True)
    shape = posterior_mean(_rows(whole, total, np.zeros(1)), Prior(_mostly_short(whole.value.shape[1]), 3.0)) + _TINY
    return shape / shape.sum()


def _mostly_short(bins: int) -> Floats:
    """What is expected where nothing is known: short times are likelier, and each octave less than the one before."""
    shape = 0.65 ** np.arange(bins)[None]
    return shape / shape.sum()


def _by_activity(pairs: Sums, activity: Ints, common: Floats, wanted: ReleasedSteps) -> Floats:
    """The distribution of each pair's activity, source or target."""
    _, group = np.unique(activity, return_inverse=True)
    groups = int(group.max()) + 1
    total, variance = (summed(each, group, groups) for each in (wanted.steps, wanted.variance))
    rows = _rows(summed_rows(pairs, group, groups), total, variance)
    return posterior_mean(rows, best_prior(rows, [np.repeat(common, groups, axis=0)]))[group]


class _Fine(NamedTuple):
    """Finer bins within octaves: how many each pair's octave has, their noised sums, and the octaves' sums."""

    parts: Ints  # pair by octave: a power of two
    first: Ints  # pair by octave: where its cells begin
    value: Floats  # of all cells, one after the other
    deviation: Floats  # pair by octave
    by_octave: Sums

    def shapes(self, steps: Floats, random: Randomness) -> dict[int, tuple[Ints, Floats]]:
        """For each number of parts, where it is used (pair by octave, flat), and the distributions over the parts."""
        found = {}
        for parts in np.unique(self.parts[self.parts > 1]).tolist():
            where = np.flatnonzero(self.parts.ravel() == parts)
            cells = self.value[self.first.ravel()[where][:, None] + np.arange(parts)]
            deviation = np.repeat(self.deviation.ravel()[where][:, None], parts, axis=1)
            total = np.maximum(steps.ravel()[where], 1e-3)
            rows = Rows(cells, deviation, total, np.zeros(len(total)))
            even = np.full((len(where), parts), 1 / parts)
            strengths = tuple(each * max(1.0, parts / 4) for each in (0.5, 1, 2, 5, 15, 50))
            found[parts] = where, posterior_median(rows, best_prior(rows, [even], strengths), random)
        return found


def _cut(shape: Floats, pairs: Sums, everything: Sums) -> Floats:
    """No pair has durations twice as long as any pair, or all steps together, clearly show: noise can show years."""
    value, variance = (
        np.cumsum(np.concatenate(each)[:, ::-1], axis=1)[:, ::-1]
        for each in zip(pairs, _whole(pairs, everything), strict=True)
    )
    sure = -NormalDist().inv_cdf(_FALSE_ALARM / value.size)
    seen = np.flatnonzero((value > sure * np.sqrt(variance)).any(axis=0))
    beyond = min(int(seen[-1]) + 2, shape.shape[1]) if len(seen) else 1
    kept = shape.copy()
    kept[:, beyond:] = 0
    kept[kept.sum(axis=1) <= 0, beyond - 1] = 1
    return kept / kept.sum(axis=1, keepdims=True)


def _raked(shape: Floats, scale: Scale, pairs: Sums, everything: Sums, wanted: ReleasedSteps) -> Floats:
    """Where most pairs are too thin, medians lose the hours: raise the pairs' octaves to what all steps show."""
    whole = _whole(pairs, everything)
    want = np.where(whole.value > _SURE * np.sqrt(whole.variance), whole.value, 0)[0]
    steps = wanted.steps[:, None]
    found = ((shape * steps).sum(axis=0) * scale.hours).sum() / max((want * scale.hours).sum(), _TINY)
    if found >= _LOST:
        return shape
    for _ in range(_RAKES):
        there = (shape * steps).sum(axis=0)
        shape = shape * np.clip(np.where(there > 0, want / np.maximum(there, _TINY), 1), 1, 5)
        shape /= shape.sum(axis=1, keepdims=True)
    return shape


def _drawn(
    shape: Floats,
    within: dict[int, tuple[Ints, Floats]],
    scale: Scale,
    fine: _Fine,
    wanted: ReleasedSteps,
    random: Randomness,
) -> Ints:
    """A duration for each released step: evenly spread over its pair's distribution, in random order."""
    octave, place = pick(shape, wanted.row, spread_evenly(wanted.row, len(shape), random))
    low, high = (scale.edges[octave + end].astype(np.float64) for end in (0, 1))
    cell = wanted.row * scale.bins + octave
    for parts, (where, shapes) in within.items():
        number = np.full(fine.parts.size, -1)
        number[where] = np.arange(len(where))
        some = np.flatnonzero(number[cell] >= 0)
        part, place[some] = pick(shapes, number[cell[some]], place[some])
        edges = np.zeros((scale.bins, parts + 1))
        for each in np.unique(where % scale.bins).tolist():
            edges[each] = part_edges(scale, each, parts)
        low[some], high[some] = edges[octave[some], part], edges[octave[some], part + 1]
    log_uniform = low * (high / np.maximum(low, 1)) ** place
    return np.floor(np.where(low > 0, log_uniform, low + (high - low) * place)).astype(np.int64)
