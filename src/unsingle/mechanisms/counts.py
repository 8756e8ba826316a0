"""How many cases take each path: what noised counts say, knowing that every published path has a case or more.

All of this is post-processing. The law of the noise is known, so the distribution of counts over 1, 2, 3 ... can be
learnt from all noised counts together (maximum likelihood, by expectation maximisation). The number of all cases was
noised by itself; so many cases are shared out, each to the variant that most likely has one more. That makes the
expected distance to the true counts least.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Ints
from ..privacy.random import Randomness

_LARGE = 60  # a count above is its own best estimate
_ROUNDS = 300


def estimated_counts(noised: Ints, ratio: float, total: int, random: Randomness) -> Ints:
    """How many cases to release of each variant: at least one, and about `total` together.

    >>> int(estimated_counts(np.array([-1, 0, 40, 2]), 0.5, 45, Randomness(1)).sum())
    45
    """
    counts = np.maximum(noised, 1)
    small = np.flatnonzero(noised <= _LARGE)
    left = total - int(counts[noised > _LARGE].sum())
    if len(small):
        counts[small] = _shared_out(noised[small], ratio, max(len(small), left), random)
    return counts + _remainder(counts, total - int(counts.sum()))


def _shared_out(noised: Ints, ratio: float, total: int, random: Randomness) -> Ints:
    """Share out cases among variants of small counts, one each, and then where one more is likeliest."""
    distinct, which, times = np.unique(noised, return_inverse=True, return_counts=True)
    belief = _posterior(distinct, times, ratio)
    one_more = np.cumsum(belief[:, ::-1], axis=1)[:, ::-1][:, 1:]  # the chance that the count is 2, 3 ... or more
    order = np.argsort(-one_more, axis=None, kind="stable")
    order = order[one_more.ravel()[order] > 0]
    cases = np.cumsum(times[order // one_more.shape[1]])
    full = int(np.searchsorted(cases, total - len(noised), side="right"))
    counts = 1 + np.bincount(order[:full] // one_more.shape[1], minlength=len(distinct))[which]
    if full < len(order):  # the last of them goes to some variants only, drawn at random
        left = total - len(noised) - (int(cases[full - 1]) if full else 0)
        some = np.flatnonzero(which == order[full] // one_more.shape[1])
        counts[some[random.permutation(len(some))[:left]]] += 1
    return counts


def _posterior(distinct: Ints, times: Ints, ratio: float) -> Floats:
    """What each noised count says about the count: the chances of 1, 2, 3 ..., learnt from all of them."""
    candidates = np.arange(1, 2 * _LARGE + 1)
    likely = ratio ** np.abs(distinct[:, None] - candidates).astype(np.float64) + 1e-300
    share = np.full(len(candidates), 1 / len(candidates))
    for _ in range(_ROUNDS):
        belief = likely * share
        belief /= belief.sum(axis=1, keepdims=True)
        share = times @ belief / times.sum()
    belief = likely * share
    return belief / belief.sum(axis=1, keepdims=True)


def _remainder(counts: Ints, missing: int) -> Ints:
    """What is missing or too much, taken from the counts above one, by their size."""
    room = counts - 1
    if missing < 0:
        missing = -min(-missing, int(room.sum()))
    weight = room if room.any() else np.ones_like(counts)
    reached = np.round(np.cumsum(weight) * (missing / weight.sum())).astype(np.int64)
    return np.diff(reached, prepend=0)
