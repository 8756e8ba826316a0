"""Paths that nobody took: random walks over noised steps, for cases whose own path may not be published.

The model knows how often one activity follows another early in a path, a little later and from then on (`STAGES`),
which activities cases begin and end with, and how long they are, all as noised tallies. Everything here works on those
alone, so it costs nothing more. The place in the path tells more about what comes next than the activity before the
last one does, and there are far fewer places than activities to be noised.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..privacy.random import Randomness
from .measurements import Noisy
from .posterior import Rows, best_prior, posterior_median

PATH_LENGTHS = np.round(np.geomspace(1, 4097, 17)).astype(np.int64)
"""Bounds of the bins of path lengths, 1 to 4096: public, and the same for every log."""

STAGES = np.array([0, 4, 9])
"""The places in a path, counted from 0, from which on its steps are tallied apart: the same for every log."""

_FALSE_STEPS, _FALSE_ENDS = 0.3, 0.1  # of the believed steps and ends so many may be noise
_MANY_LABELS = 100  # of fewer activities each is taken more often, and a false step leads more paths astray
_LIKE_ANY_STAGE = 1.0  # deviations: steps of a stage that are fewer are taken to be like those of all stages
_JUMP = 1.0  # deviations: each activity has so many steps to any other, so that no path is caught in what noise left
_SURE = 0.5  # deviations by which an activity must lack steps to be led on
_SHOWN = 3.0  # deviations: fewer cases than that do not show how they go
_WIDTHS = (0.4, 0.8, 1.5, 3.0)  # of bells over the bins of lengths
_LONGER = 0.7  # by so much the logarithm of what a longer bell is believed falls, from bin to bin
_CELLS_AT_ONCE = 4_000_000


class Ends(NamedTuple):
    """Noised cases by their first activity, by their last, and by the bin of their length."""

    first: Floats
    last: Floats
    lengths: Floats  # a distribution over the bins of `PATH_LENGTHS`
    shown: bool
    """Whether there are enough cases to show any of it."""

    @property
    def typical(self) -> float:
        """A length that half of the cases do not reach."""
        return float(PATH_LENGTHS[int(np.searchsorted(np.cumsum(self.lengths), 0.5)) + 1])


def length_bin(lengths: Ints) -> Ints:
    """The bin of each length."""
    return np.searchsorted(PATH_LENGTHS, np.minimum(lengths, PATH_LENGTHS[-1] - 1), side="right") - 1


def stage_of(place: Ints) -> Ints:
    """The stage of the step that leaves each place of a path.

    >>> stage_of(np.array([0, 3, 4, 100])).tolist()
    [0, 0, 1, 2]
    """
    return np.searchsorted(STAGES, place, side="right") - 1


def ends_of(noisy: Noisy, n_labels: int, cases: int, random: Randomness) -> Ends:
    """Read the three parts of the noised ends of so many cases."""
    values, deviation = noisy
    first, last = (believable(Noisy(values[part : part + n_labels], deviation), _FALSE_ENDS) for part in (0, n_labels))
    lengths = _lengths(values[2 * n_labels :], deviation, max(1, cases), random)
    return Ends(first, last, lengths, bool(first.any()) and cases > _SHOWN * deviation)


def _lengths(noised: Floats, deviation: float, cases: int, random: Randomness) -> Floats:
    """The distribution of lengths: expected to be a bell on the scale of the bins, and as the noised counts say.

    Where they do not say much, it is a bell of short lengths: a few paths of thousands of steps would be most of the
    release.
    """
    bins = np.arange(len(PATH_LENGTHS) - 1)
    bells = {
        (middle, width): np.exp(-0.5 * ((bins - middle) / width) ** 2)[None] for middle in bins for width in _WIDTHS
    }
    rows = Rows(noised[None], np.full((1, len(bins)), deviation), np.array([float(cases)]), np.array([deviation]))
    longer = [-_LONGER * middle for middle, _ in bells]
    prior = best_prior(rows, [bell / bell.sum() for bell in bells.values()], beliefs=longer)
    return posterior_median(rows, prior, random)[0]


class Model(NamedTuple):
    """Chances to go from activity to activity in each stage, to end there, and to begin there."""

    step: Floats  # stage by source by target
    end: Floats
    begin: Floats


def model_of(noisy: Noisy, ends: Ends) -> Model:
    """Put believed steps and ends together."""
    labels, stages = len(ends.first), len(STAGES)
    cells = noisy.values.reshape(stages, labels, labels)
    false_share = min(_FALSE_STEPS, labels / _MANY_LABELS)
    apart = believable(noisy, false_share).reshape(cells.shape)
    together = believable(Noisy(cells.sum(axis=0).ravel(), noisy.deviation * math.sqrt(stages)), false_share)
    whole = np.maximum(together.reshape(labels, labels), apart.sum(axis=0))
    popular = _shares(whole.sum(axis=0) + ends.first + _TINY)
    begin = ends.first if ends.first.any() else popular
    ending = _ending(whole, begin, ends.last)
    whole = _led_on(whole, begin, ending, noisy.deviation * math.sqrt(stages))
    end = ending / (whole.sum(axis=1) + ending + _TINY)
    whole = _shares(whole + _JUMP * noisy.deviation * popular)
    step = _shares(apart + _LIKE_ANY_STAGE * noisy.deviation * whole) * (1 - end[:, None])
    return Model(step, end + _TINY, _shares(begin))


def _ending(steps: Floats, begin: Floats, last: Floats) -> Floats:
    """How often cases end with each activity, in the unit of steps.

    Steps are in other units than ends, because long cases share their one unit among many steps. What flows into
    an activity flows out of it or ends there; that tells how the units compare.
    """
    if not last.any():
        return np.full(len(last), _TINY)
    ending = last / last.sum() * begin.sum()
    surplus, balance = steps.sum(axis=0) - steps.sum(axis=1), ending - begin
    unit = float(surplus @ balance) / max(_TINY, float(balance @ balance))
    return min(1.0, max(0.02, unit)) * ending


def _led_on(steps: Floats, begin: Floats, ending: Floats, deviation: float) -> Floats:
    """Lead paths on where steps were lost in the noise.

    An activity into which clearly more flows than out of it lost its way on; one with clearly more out than in lost its
    way there. The former go on to the latter, by how much each lacks.
    """
    unit = ending.sum() / max(_TINY, begin.sum())
    flow_in, flow_out = steps.sum(axis=0) + unit * begin, steps.sum(axis=1) + ending
    unsure = _SURE * deviation * np.sqrt((steps > 0).sum(axis=0) + (steps > 0).sum(axis=1))
    gives, needs = np.maximum(0, flow_in - flow_out - unsure), np.maximum(0, flow_out - flow_in - unsure)
    return steps + np.outer(gives, _shares(needs)) if needs.any() else steps


def _shares(rows: Floats) -> Floats:
    """Each row divided by its sum."""
    return rows / rows.sum(axis=-1, keepdims=True)


_TINY = 1e-9


def walk(model: Model, ends: Ends, n: int, random: Randomness) -> tuple[Ints, Ints]:
    """N walks: their activities one after the other, and their lengths.

    Each walk is drawn among those of its length, by their chances.
    """
    lengths = _drawn_lengths(ends, n, random)
    onward = _Onward(model, lengths)
    activity, owner = [], []
    at_once = max(1, _CELLS_AT_ONCE // len(model.begin))
    for first in range(0, n, at_once):
        for chosen, who in _walk_some(model, onward, lengths[first : first + at_once], random):
            activity.append(chosen)
            owner.append(who + first)
    order = np.argsort(np.concatenate(owner), kind="stable")
    return np.concatenate(activity)[order], lengths


def _drawn_lengths(ends: Ends, n: int, random: Randomness) -> Ints:
    """A length for each walk, evenly spread over the distribution of lengths."""
    share = np.cumsum(ends.lengths)
    place = (random.permutation(n) + random.uniform(n)) / max(1, n)
    bins = np.minimum(np.searchsorted(share / share[-1], place, side="right"), len(share) - 1)
    return PATH_LENGTHS[bins] + random.below(PATH_LENGTHS[bins + 1] - PATH_LENGTHS[bins])


class _Onward:
    """How likely a walk that is at an activity goes on to its end at exactly its length; each up to a factor.

    In the last stage that depends only on how many steps are left; before, on the place and on the length.
    """

    def __init__(self, model: Model, lengths: Ints) -> None:
        longest, labels = int(lengths.max(initial=1)), len(model.end)
        left = np.empty((longest, labels))
        left[0] = model.end
        for steps in range(1, longest):
            left[steps] = _scaled(model.step[-1] @ left[steps - 1])
        self._left, self._last = left, int(STAGES[-1])
        self._by_length: list[Floats] = [np.empty(0)] * self._last
        following = left[np.maximum(np.arange(longest) - self._last, 0)]  # by length less one, at the last stage
        for place in reversed(range(self._last)):
            following = _scaled(following @ model.step[int(stage_of(np.array(place)))].T)
            following[: place + 1] = left[0]  # walks that end here or before
            self._by_length[place] = following

    def at(self, place: int, lengths: Ints) -> Floats:
        """For walks of these lengths that come to this place, by the activity that they come to."""
        return self._by_length[place][lengths - 1] if place < self._last else self._left[lengths - 1 - place]


def _scaled(rows: Floats) -> Floats:
    """The same up to a factor for each row, so that nothing becomes too small."""
    return rows / rows.max(axis=-1, keepdims=True)


def _walk_some(model: Model, onward: _Onward, lengths: Ints, random: Randomness) -> Iterator[tuple[Ints, Ints]]:
    """The activity of each walk that comes to a place, place by place, and which walks those are."""
    at = np.zeros(len(lengths), dtype=np.int64)
    for place in range(int(lengths.max(initial=0))):
        alive = np.flatnonzero(lengths > place)
        chance = model.begin if place == 0 else model.step[stage_of(np.array(place - 1)), at[alive]]
        total = np.cumsum(chance * onward.at(place, lengths[alive]), axis=1)
        at[alive] = (total[:, :-1] <= random.uniform(len(alive))[:, None] * total[:, -1:]).sum(axis=1)
        yield at[alive], alive


def believable(noisy: Noisy, false_share: float) -> Floats:
    """The noised counts with 0 for those that may be noise: among the others at most this share is, on average.

    >>> believable(Noisy(np.array([0.5, 9.0, -1.0]), 1.0), 0.1).tolist()
    [0.0, 9.0, 0.0]
    """
    standing = np.sort(noisy.values / noisy.deviation)
    n = len(standing)
    for sigmas in np.arange(1.5, 9, 0.02).tolist():
        above = n - np.searchsorted(standing, sigmas)
        if n * math.erfc(sigmas / math.sqrt(2)) / 2 <= false_share * above:
            return np.where(noisy.values >= sigmas * noisy.deviation, noisy.values, 0)
    return np.zeros(n)
