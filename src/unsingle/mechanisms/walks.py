"""Paths that nobody took: random walks over noised steps, for cases whose own path may not be named (strict).

The model knows how often one activity follows another, which activities cases begin and end with, and how long they
are, all as noised tallies. Everything here works on those alone, so it costs nothing more.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..ragged import Ints
from ..randomness import Randomness
from .measurements import Noisy

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LENGTHS = np.round(np.geomspace(1, 4097, 17)).astype(np.int64)
"""Bounds of the bins of path lengths, 1 to 4096: public, and the same for every log."""

_FALSE_STEPS = 0.1  # of the believed steps so many may be noise
_SURE = 3.0  # deviations above which a first or last activity is believed
_SURE_OF_LENGTH = 4.0  # a few walks of thousands of steps would be most of the release
_CELLS_AT_ONCE = 4_000_000


class Paths(NamedTuple):
    """Paths, one after the other."""

    activity: Ints
    offsets: Ints


class Ends(NamedTuple):
    """Noised cases by their first activity, their last activity and the bin of their length."""

    first: Floats
    last: Floats
    lengths: Floats  # a distribution over the bins of `LENGTHS`
    found: bool


def length_bin(lengths: Ints) -> Ints:
    """The bin of each length."""
    return np.searchsorted(LENGTHS, np.minimum(lengths, LENGTHS[-1] - 1), side="right") - 1


def ends_of(noisy: Noisy, n_labels: int) -> Ends:
    """Read the three parts of the noised ends."""
    standing = np.where(noisy.values > _SURE * noisy.deviation, noisy.values, 0)
    cells = 1 << (len(LENGTHS) - 1).bit_length()
    lengths, prior = np.zeros((2, 1, cells))
    lengths[0, : len(LENGTHS) - 1] = noisy.values[2 * n_labels :]
    prior[0, : len(LENGTHS) - 1] = 0.25 ** np.arange(len(LENGTHS) - 1)  # where the noise hides more, short
    shape = shapes(lengths, np.full((1, cells), noisy.deviation), prior, _SURE_OF_LENGTH)[0]
    first, last = standing[:n_labels], standing[n_labels : 2 * n_labels]
    return Ends(first, last, shape, bool(first.any()))


class Model(NamedTuple):
    """Chances to go from activity to activity, to end there, and weights to begin there."""

    step: Floats
    end: Floats
    begin: Floats


def model_of(noisy: Noisy, ends: Ends) -> Model:
    """Put believed steps and ends together.

    Steps are in other units than ends, because long cases share their one unit among many steps. What flows into
    an activity flows out of it or ends there; that tells how the units compare.
    """
    n = len(ends.first)
    step = believable(noisy, _FALSE_STEPS).reshape(n, n)
    surplus = step.sum(axis=0) - step.sum(axis=1)
    share = ends.last.sum()
    ending = ends.last / share * ends.first.sum() if share else ends.last
    balance = ending - ends.first
    unit = min(1.0, max(0.02, float(surplus @ balance) / max(1e-9, float(balance @ balance))))
    begin, ending = unit * ends.first, unit * ending
    step = _stitched(step, begin, ending, noisy.deviation)
    out = step.sum(axis=1) + ending
    chance = np.divide(step, out[:, None], out=np.zeros_like(step), where=out[:, None] > 0)
    return Model(chance, np.divide(ending, out, out=np.zeros_like(out), where=out > 0), begin)


def _stitched(step: Floats, begin: Floats, ending: Floats, deviation: float) -> Floats:
    """Lead paths on where steps were lost in the noise.

    An activity into which clearly more flows than out of it lost its way on; one with clearly more out than in lost its
    way there. The former go on to the latter, by how much each lacks.
    """
    flow_in, flow_out = step.sum(axis=0) + begin, step.sum(axis=1) + ending
    unsure = 2 * deviation * np.sqrt((step > 0).sum(axis=0) + (step > 0).sum(axis=1))
    gives, needs = np.maximum(0, flow_in - flow_out - unsure), np.maximum(0, flow_out - flow_in - unsure)
    return step + np.outer(gives, needs / needs.sum()) if needs.any() else step


def walk(model: Model, ends: Ends, n: int, random: Randomness) -> tuple[Ints, Ints]:
    """N walks: their activities one after the other, and their lengths.

    Each walk is drawn among those of its length, by their chances. A length that no walk has becomes the next shorter
    one that some has.
    """
    bins = draw(ends.lengths[None], np.zeros(n, dtype=np.int64), random)
    lengths = LENGTHS[bins] + random.below(LENGTHS[bins + 1] - LENGTHS[bins])
    onward = _onward(model, int(lengths.max(initial=1)))
    lengths = _possible(lengths, np.any(onward[:, model.begin > 0], axis=1, keepdims=True)[:, 0])
    activity, owner = [], []
    at_once = max(1, _CELLS_AT_ONCE // len(model.begin))
    for first in range(0, n, at_once):
        some = slice(first, min(n, first + at_once))
        chosen, who = _walk_some(model, onward, lengths[some], random)
        activity.append(chosen)
        owner.append(who + first)
    order = np.argsort(np.concatenate(owner), kind="stable")
    return np.concatenate(activity)[order], lengths


def _onward(model: Model, longest: int) -> Floats:
    """How likely a walk that is at an activity ends after exactly so many steps more; each row up to a factor."""
    onward = np.zeros((longest, len(model.begin)))
    onward[0] = model.end if model.end.any() else 1.0
    for left in range(1, longest):
        further = model.step @ onward[left - 1]
        if not further.any():
            break
        onward[left] = further / further.max()
    return onward


def _possible(lengths: Ints, possible: Flags) -> Ints:
    """Each length, or the next shorter one that some walk has, or else the shortest."""
    if not possible.any():
        return np.ones_like(lengths)
    shorter = np.maximum.accumulate(np.where(possible, np.arange(len(possible)), -1))[lengths - 1]
    return np.where(shorter < 0, np.argmax(possible), shorter) + 1


def _walk_some(model: Model, onward: Floats, lengths: Ints, random: Randomness) -> tuple[Ints, Ints]:
    at = np.zeros(len(lengths), dtype=np.int64)
    activity, owner = [], []
    for place in range(int(lengths.max())):
        alive = np.flatnonzero(lengths > place)
        left = onward[lengths[alive] - 1 - place]
        weight = (model.begin if place == 0 else model.step[at[alive]]) * left
        if place == 0 and not weight.any():  # nothing is known of how cases end: anyone who begins may
            weight = np.broadcast_to(model.begin, weight.shape)
        total = np.cumsum(weight, axis=1)
        at[alive] = (total[:, :-1] <= random.uniform(len(alive))[:, None] * total[:, -1:]).sum(axis=1)
        activity.append(at[alive])
        owner.append(alive)
    return np.concatenate(activity), np.concatenate(owner)


def shapes(noisy: Floats, deviation: Floats, prior: Floats, sure: float) -> Floats:
    """A distribution for each row of noised counts: as fine as the noise allows, like the prior where it does not.

    The cells of a row are halved again and again. A half whose sum is above `sure` deviations of its noise is believed,
    and the mass is shared between believed halves; where neither is, it is shared as by the prior. Single cells that
    stand out of the noise by chance get no mass that way, and tails that are thin but long are seen.

    >>> shapes(np.array([[0., 1., 90., 1.]]), np.full((1, 4), 5.), np.full((1, 4), .25), 3).tolist()
    [[0.0, 0.0, 1.0, 0.0]]
    >>> shapes(np.array([[2., 0., 1., 1.]]), np.full((1, 4), 5.), np.array([[.1, .2, .3, .4]]), 3).round(2).tolist()
    [[0.1, 0.2, 0.3, 0.4]]
    """
    rows, cells = noisy.shape
    assert cells & (cells - 1) == 0, "cells can be halved"
    possible = prior > 0
    levels = [(np.where(possible, noisy, 0), np.where(possible, deviation**2, 0), prior)]
    while levels[-1][0].shape[1] > 1:
        levels.append(tuple(each.reshape(rows, -1, 2).sum(axis=2) for each in levels[-1]))
    total, variance, _ = levels.pop()
    mass, believed = np.ones((rows, 1)), total > sure * np.sqrt(variance)
    for values, variance, expected in reversed(levels):
        halves, noise, like = (each.reshape(rows, -1, 2) for each in (values, np.sqrt(variance), expected))
        seen = np.where((halves > sure * noise) & (noise > 0) & believed[:, :, None], halves, 0)
        any_seen = seen.sum(axis=2, keepdims=True) > 0
        mass = (mass[:, :, None] * _shares(np.where(any_seen, seen, like))).reshape(rows, -1)
        believed = (seen > 0).reshape(rows, -1)
    return mass / mass.sum(axis=1, keepdims=True)


def _shares(pairs: Floats) -> Floats:
    whole = pairs.sum(axis=2, keepdims=True)
    return np.divide(pairs, whole, out=np.zeros_like(pairs), where=whole > 0)


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


def draw(shape: Floats, row: Ints, random: Randomness) -> Ints:
    """A cell for each entry, by the shape of its row."""
    cells = shape.shape[1]
    below = np.cumsum(shape, axis=1) + np.arange(len(shape))[:, None] * 2  # rows lie 2 apart, one after the other
    found = np.searchsorted(
        below.ravel(), row * 2 + random.uniform(len(row)) * (below[row, -1] - row * 2), side="right"
    )
    last = cells - 1 - np.argmax(shape[:, ::-1] > 0, axis=1)  # never beyond what is possible, whatever was rounded
    return np.minimum(found - row * cells, last[row])
