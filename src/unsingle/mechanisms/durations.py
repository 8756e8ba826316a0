"""How long steps take: noised tallies of durations, estimated by pair of activities, and drawn from.

*Bins* are the same for every log: 0, one tick, one minute, and then doubling up to a century (octaves). *Weights*: a
longer step counts more, because an error there costs more hours. *Clipping*: the length at which cases' vectors are
clipped is read off a noised histogram of lengths; sums are divided by the share that clipping leaves.

Four looks at the log, each a noised tally (with a histogram of lengths before three of them):
all steps by octave; pairs by octave; and what stood out there once more, in finer bins. All else works on these.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..clock import DAY, HOUR, MINUTE, Grid
from ..ragged import Ints, offsets_of
from ..randomness import Randomness
from .measurements import Measurements, Noisy
from .posterior import Prior, Rows, best_prior, posterior_mean, posterior_median
from .tallies import Vectors, summed

Floats = NDArray[np.float64]

ALL_STEPS, BY_PAIR, FINER = (f"how long steps take, {how}" for how in ("all together", "by pair", "finer"))
LENGTHS = {name: f"how much there is in one case: {name}" for name in (ALL_STEPS, BY_PAIR, FINER)}
SHARES = {**dict.fromkeys(LENGTHS.values(), 0.03), ALL_STEPS: 0.05, BY_PAIR: 0.46, FINER: 0.40}
"""How the tallies of durations share their part of the budget, by what measured best on public logs."""

_CENTURY = 36_525 * DAY
_ROOT = 0.28  # a step counts by this power of its duration
_SHORT = 0.1  # of the mean: shorter steps count as if they took so long
_VERY_SHORT = 0.01  # of the mean: below, four octaves make one cell
_RARE = 0.02  # steps for each case: what is rarer does not count more
_FINENESS = 0.45  # finer cells in an octave: (this times steps per deviation)^(2/3)
_FINEST = 128
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
    case: Ints


class Wanted(NamedTuple):
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


class Scale(NamedTuple):
    """The bounds of bins, in ticks, and a duration in each, in hours."""

    edges: Ints
    hours: Floats

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return len(self.hours)

    def bin_of(self, ticks: Ints) -> Ints:
        """The bin of each duration."""
        return np.searchsorted(self.edges, np.minimum(ticks, self.edges[-1] - 1), side="right") - 1


def octaves(grid: Grid) -> Scale:
    """The bins of all logs on this grid: 0, one tick, one minute, doubling up to a century.

    >>> octaves(Grid(DAY, "UTC")).edges[:6].tolist()
    [0, 1, 2, 4, 8, 16]
    """
    minute = max(1, MINUTE // grid.step)
    doublings = math.ceil(math.log2(_CENTURY / grid.step / minute))
    return _scale(np.unique(np.concatenate(([0, 1], minute * 2 ** np.arange(doublings + 1)))), grid)


def _scale(edges: Ints, grid: Grid) -> Scale:
    hours = np.sqrt(edges[:-1].astype(np.float64) * edges[1:]) * (grid.step / HOUR)
    return Scale(edges, hours)


def drawn_durations(steps: Steps, wanted: Wanted, grid: Grid, measurements: Measurements, random: Randomness) -> Ints:
    """How long each released step takes, in ticks."""
    if not len(wanted.row):
        return wanted.row
    scale, everything, mean = _all_steps(steps, octaves(grid), wanted, grid, measurements, random)
    pairs = _by_pair(steps, scale, mean, wanted, measurements)
    shape = _estimated(pairs, everything, wanted, random)
    fine = _finer(steps, scale, mean, shape, wanted, grid, measurements)
    pairs = _merged(pairs, fine.by_octave)
    shape = _estimated(pairs, everything, wanted, random)
    within = fine.shapes(shape * wanted.steps[:, None], random)
    shape = _raked(_cut(shape, pairs, everything), scale, pairs, everything, wanted)
    return _drawn(shape, within, scale, fine, wanted, random)


class _Sums(NamedTuple):
    """Noised numbers of steps (group by bin), and the variance of their noise."""

    value: Floats
    variance: Floats


def _clip(vectors: Vectors, unit: float, name: str, cases: int, measurements: Measurements) -> _Clip:
    """The length at which to clip, from a noised histogram of how long the cases' vectors are."""
    level = np.clip(np.floor(2 * np.log2(np.maximum(vectors.length / unit, 2.0**-12))), -24, 39).astype(np.int64) + 24
    noisy = measurements.tally(LENGTHS[name], Vectors(level, np.arange(len(level)), _LEVELS))
    return _Clip.of(noisy, unit, cases, measurements.budget.terms.rho)


_LEAST_HOURS = 0.01  # of the mean duration
_LEVELS = 64  # half octaves
_USUAL_LENGTH = 32.0  # units, where cases do not show theirs
_CLIPPED = 0.1  # of the cases, in logs of up to _MANY cases at the rho below; fewer in larger logs
_MANY = 10_000
_USUAL_RHO = 0.17


class _Clip(NamedTuple):
    """Where vectors are clipped, and the noised histogram of their lengths."""

    length: float
    cases: Floats
    lengths: Floats

    @classmethod
    def of(cls, noisy: Noisy, unit: float, cases: int, rho: float) -> _Clip:
        """The length that leaves a small share of the cases clipped."""
        counts, noise = noisy
        place = np.arange(_LEVELS)
        if counts.max() < _SURE * noise:  # too few cases to show how long they are
            return cls(unit * _USUAL_LENGTH, np.zeros(_LEVELS), unit * 2 ** ((place - 23.5) / 2))
        many = min(1.0, _MANY / max(cases, 1))
        enough = max(0.03 * cases * math.sqrt(many), 4 * noise)
        top = int(np.argmax(counts))
        while top < _LEVELS - 1 and counts[top + 1 : top + 5].sum() > enough:
            top += 1  # climb while the next two octaves hold more than noise
        counts = np.where(counts > np.where(place > top, 2.5, 1.0) * noise, counts, 0)
        counts[top + 5 :] = 0
        clipped = min(0.25, _CLIPPED * math.sqrt(_USUAL_RHO / rho)) * many * counts.sum()
        above = np.append(np.cumsum(counts[::-1])[::-1], 0)
        last = int(np.flatnonzero(above > clipped).max(initial=0)) if (above > clipped).any() else top
        part = (above[last] - clipped) / max(above[last] - above[last + 1], _TINY)
        return cls(unit * 2 ** ((last + part - 24) / 2), counts, unit * 2 ** ((place - 23.5) / 2))

    def left(self, weight: Floats) -> Floats:
        """What clipping leaves of a cell of this weight: its cases are at least as long, and longer ones have more."""
        kept, whole = (
            np.cumsum((self.cases * self.lengths * part)[::-1])[::-1]
            for part in (np.minimum(1, self.length / self.lengths), np.ones(_LEVELS))
        )
        level = np.minimum(np.searchsorted(self.lengths, 0.9 * weight), _LEVELS - 1)
        share = np.divide(kept[level], whole[level], out=np.zeros_like(weight), where=whole[level] > 0)
        known = share[share > 0]
        return np.clip(np.where(share > 0, share, known.min() if len(known) else 1.0), 0.4, 1)


def _tallied(name: str, vectors: Vectors, weight: Floats, unit: float, cases: int, measurements: Measurements) -> _Sums:
    """Noised numbers of steps in each cell: by their weights, clipped, and turned back."""
    clip = _clip(vectors, unit, name, cases, measurements)
    noisy = measurements.tally(name, vectors, clip.length)
    factor = clip.length / weight / clip.left(weight)
    return _Sums(noisy.values * factor, (noisy.deviation * factor) ** 2)


def _all_steps(
    steps: Steps, scale: Scale, wanted: Wanted, grid: Grid, measurements: Measurements, random: Randomness
) -> tuple[Scale, _Sums, float]:
    """All steps by octave, the scale with very short octaves put together, and the mean duration in hours."""
    weight = np.maximum(scale.hours, 0.02) ** 0.25
    vectors = Vectors(scale.bin_of(steps.ticks), steps.case, scale.bins, weight)
    sums = _tallied(ALL_STEPS, vectors, weight, 1.0, wanted.cases, measurements)
    value, variance = (each[None] for each in sums)
    total = wanted.steps.sum(keepdims=True)
    rows = _rows(_Sums(value, variance), total, np.zeros(1))
    shape = posterior_median(rows, Prior(_mostly_short(scale.bins), 3.0), random)[0]
    mean = max(_LEAST_HOURS, float(shape @ scale.hours))
    minute = max(1, MINUTE // grid.step)
    low = np.flatnonzero((scale.edges < _VERY_SHORT * mean * HOUR / grid.step) & (scale.edges >= minute))
    kept = np.delete(np.arange(len(scale.edges)), low[np.arange(len(low)) % 4 > 0])
    value, variance = (np.add.reduceat(each, kept[:-1])[None] for each in sums)
    return _scale(scale.edges[kept], grid), _Sums(value, variance), mean


def _by_pair(steps: Steps, scale: Scale, mean: float, wanted: Wanted, measurements: Measurements) -> _Sums:
    """Steps by pair and octave."""
    pairs = len(wanted.source)
    weight = np.tile(np.maximum(scale.hours, _SHORT * mean) ** _ROOT, pairs)
    vectors = Vectors(steps.row * scale.bins + scale.bin_of(steps.ticks), steps.case, len(weight), weight)
    sums = _tallied(BY_PAIR, vectors, weight, weight.max() / 16, wanted.cases, measurements)
    return _Sums(*(each.reshape(pairs, scale.bins) for each in sums))


def _merged(one: _Sums, other: _Sums) -> _Sums:
    """Both, by how well each is known."""
    variance = 1 / (1 / one.variance + 1 / other.variance)
    return _Sums((one.value / one.variance + other.value / other.variance) * variance, variance)


def _summed(sums: _Sums, group: Ints, groups: int) -> _Sums:
    """The rows of each group added up."""
    value, variance = np.zeros((2, groups, sums.value.shape[1]))
    np.add.at(value, group, sums.value)
    np.add.at(variance, group, sums.variance)
    return _Sums(value, np.maximum(variance, 1e-12))


def _rows(sums: _Sums, total: Floats, variance: Floats) -> Rows:
    return Rows(sums.value, np.sqrt(sums.variance), total, np.sqrt((_UNSURE * total) ** 2 + variance))


def _estimated(pairs: _Sums, everything: _Sums, wanted: Wanted, random: Randomness) -> Floats:
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


def _whole(pairs: _Sums, everything: _Sums) -> _Sums:
    """All steps, by both tallies."""
    return _merged(_summed(pairs, np.zeros(len(pairs.value), dtype=np.int64), 1), everything)


def _common(pairs: _Sums, everything: _Sums, wanted: Wanted) -> Floats:
    """The distribution of all steps."""
    whole = _whole(pairs, everything)
    total = wanted.steps.sum(keepdims=True)
    shape = posterior_mean(_rows(whole, total, np.zeros(1)), Prior(_mostly_short(whole.value.shape[1]), 3.0)) + _TINY
    return shape / shape.sum()


def _mostly_short(bins: int) -> Floats:
    """What is expected where nothing is known: short times are likelier, and each octave less than the one before."""
    shape = 0.65 ** np.arange(bins)[None]
    return shape / shape.sum()


def _by_activity(pairs: _Sums, activity: Ints, common: Floats, wanted: Wanted) -> Floats:
    """The distribution of each pair's activity, source or target."""
    _, group = np.unique(activity, return_inverse=True)
    groups = int(group.max()) + 1
    total, variance = (summed(each, group, groups) for each in (wanted.steps, wanted.variance))
    rows = _rows(_summed(pairs, group, groups), total, variance)
    return posterior_mean(rows, best_prior(rows, [np.repeat(common, groups, axis=0)]))[group]


class _Fine(NamedTuple):
    """Finer bins within octaves: how many each pair's octave has, their noised sums, and the octaves' sums."""

    parts: Ints  # pair by octave: a power of two
    first: Ints  # pair by octave: where its cells begin
    value: Floats  # of all cells, one after the other
    deviation: Floats  # pair by octave
    by_octave: _Sums

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


def _finer(
    steps: Steps, scale: Scale, mean: float, shape: Floats, wanted: Wanted, grid: Grid, measurements: Measurements
) -> _Fine:
    """What stood out once more, in finer bins; rare and long steps count more."""
    found = shape * wanted.steps[:, None]
    rarity = np.maximum(found / wanted.cases, _RARE)
    weight = (np.maximum(scale.hours, _SHORT * mean) / rarity) ** _ROOT
    weight = np.minimum(weight / weight[found > 0].max(initial=_TINY), 1)
    octave = scale.bin_of(steps.ticks)
    flat = weight.ravel()
    vectors = Vectors(steps.row * scale.bins + octave, steps.case, len(flat), flat)
    clip = _clip(vectors, weight.max() / 16, FINER, wanted.cases, measurements)
    factor = clip.length / weight / clip.left(flat).reshape(weight.shape)
    deviation = measurements.deviation(FINER) * factor
    parts = _parts(found / deviation, scale, grid)
    first = offsets_of(parts.ravel())[:-1].reshape(parts.shape)
    cell = first[steps.row, octave] + _part_of(steps, octave, scale, parts)
    cells = Vectors(cell, steps.case, int(parts.sum()), np.repeat(flat, parts.ravel()))
    value = measurements.tally(FINER, cells, clip.length).values * np.repeat(factor.ravel(), parts.ravel())
    sums = np.add.reduceat(value, first.ravel()).reshape(parts.shape)
    return _Fine(parts, first, value, deviation, _Sums(sums, deviation**2 * parts))


def _parts(visible: Floats, scale: Scale, grid: Grid) -> Ints:
    """Into how many parts to cut each octave, by how many deviations its steps are: a power of two."""
    wanted = np.clip(np.maximum(_FINENESS * visible, _TINY) ** (2 / 3), 1, _FINEST)
    parts = 2 ** np.round(np.log2(wanted)).astype(np.int64)
    parts[:, scale.edges[:-1] < max(1, MINUTE // grid.step)] = 1
    return np.minimum(parts, 2 ** np.floor(np.log2(np.diff(scale.edges))).astype(np.int64))


def _part_edges(scale: Scale, octave: int, parts: int) -> Ints:
    """The bounds of the parts of an octave, in ticks."""
    return np.round(np.geomspace(scale.edges[octave], scale.edges[octave + 1], parts + 1)).astype(np.int64)


def _part_of(steps: Steps, octave: Ints, scale: Scale, parts: Ints) -> Ints:
    """Which part of its octave each step is in."""
    part, of_step = np.zeros(len(octave), dtype=np.int64), parts[steps.row, octave]
    code = octave * 1024 + of_step
    for key in np.unique(code[of_step > 1]).tolist():
        some = np.flatnonzero(code == key)
        edges = _part_edges(scale, *divmod(key, 1024))
        part[some] = np.searchsorted(edges, np.minimum(steps.ticks[some], edges[-1] - 1), side="right") - 1
    return part


def _cut(shape: Floats, pairs: _Sums, everything: _Sums) -> Floats:
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


def _raked(shape: Floats, scale: Scale, pairs: _Sums, everything: _Sums, wanted: Wanted) -> Floats:
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
    wanted: Wanted,
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
            edges[each] = _part_edges(scale, each, parts)
        low[some], high[some] = edges[octave[some], part], edges[octave[some], part + 1]
    log_uniform = low * (high / np.maximum(low, 1)) ** place
    return np.floor(np.where(low > 0, log_uniform, low + (high - low) * place)).astype(np.int64)


def spread_evenly(row: Ints, rows: int, random: Randomness) -> Floats:
    """A place in (0, 1) for each entry, so that those of a row cover it evenly, in random order.

    >>> places = spread_evenly(np.array([0, 0, 1, 0]), 2, Randomness(1))
    >>> np.sort((places[[0, 1, 3]] * 3).astype(int)).tolist()
    [0, 1, 2]
    """
    times = np.bincount(row, minlength=rows)
    shuffled = random.permutation(len(row))
    rank = np.empty(len(row), dtype=np.int64)
    rank[shuffled[np.argsort(row[shuffled], kind="stable")]] = np.arange(len(row))
    rank -= offsets_of(times)[row]
    return (rank + random.uniform(rows)[row]) / times[row]


def pick(shape: Floats, row: Ints, place: Floats) -> tuple[Ints, Floats]:
    """The cell at each place of a row's distribution, and the place within that cell."""
    cells = shape.shape[1]
    below = np.cumsum(shape, axis=1)
    below /= np.maximum(below[:, -1:], 1e-12)
    apart = 2.0 * np.arange(len(shape))  # rows lie 2 apart, one after the other
    cell = np.searchsorted((below + apart[:, None]).ravel(), place + apart[row], side="right") - row * cells
    first, last = np.argmax(shape > 0, axis=1), cells - 1 - np.argmax(shape[:, ::-1] > 0, axis=1)
    cell = np.clip(cell, first[row], last[row])  # never beyond what is possible, whatever was rounded
    start = np.where(cell > 0, below[row, np.maximum(cell - 1, 0)], 0)
    return cell, np.clip((place - start) / np.maximum(below[row, cell] - start, 1e-12), 0, 1 - 1e-12)
