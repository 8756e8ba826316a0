"""An attacker who learns rules that tell releases of two logs apart, on some runs, and tries them on others.

Several kinds of rule are learnt: a threshold on the one best feature; how likely the best few features are under either
log, each by itself (naive Bayes on histograms); and a linear discriminant of all features. The kind is chosen within
the runs that are learnt from, by cross-validation, so that no guess is by a rule that has seen it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.arrays import Floats

Score = Callable[[Floats], Floats]
"""By how much the features of releases (run by feature) speak for the second log."""
Rule = Callable[[Floats, Floats], Score]
"""Learns a score from releases of the first and of the second log."""

_BINS = 8
_FEW = 12  # runs: with fewer only a threshold is learnt
_FOLDS = 4


def guesses_right(data: Floats) -> list[float]:
    """How many of the two guesses of each run are right, by rules learnt on the other half of the runs.

    `data` has the features of a release of the first log and of one of the second for each run.

    >>> data = np.zeros((20, 2, 1))
    >>> data[:, 1] = 1
    >>> set(guesses_right(data))
    {2.0}
    """
    half = len(data) // 2
    data = _comparable(data)
    return [*_tried(data[half:], data[:half]), *_tried(data[:half], data[half:])]


def _tried(learn: Floats, use: Floats) -> list[float]:
    score = _best_rule(learn)(learn[:, 0], learn[:, 1])
    return (_right(-score(use[:, 0])) + _right(score(use[:, 1]))).tolist()


def _right(score: Floats) -> Floats:
    """Whether scores point the right way; a toss-up is right half of the time."""
    return np.where(score == 0, 0.5, (score > 0).astype(np.float64))


def _best_rule(learn: Floats) -> Rule:
    """The kind of rule that is right most often on runs that it did not see."""
    if len(learn) < _FEW:
        return threshold
    fold = np.arange(len(learn)) % _FOLDS
    rules = [threshold, naive_bayes(1), naive_bayes(4), naive_bayes(16), discriminant(0.1), discriminant(1.0)]
    right = np.zeros(len(rules))
    for number, rule in enumerate(rules):
        for left_out in range(_FOLDS):
            seen, unseen = learn[fold != left_out], learn[fold == left_out]
            score = rule(seen[:, 0], seen[:, 1])
            right[number] += _right(-score(unseen[:, 0])).sum() + _right(score(unseen[:, 1])).sum()
    return rules[int(np.argmax(right))]


def _comparable(data: Floats) -> Floats:
    """Features on one scale, without those that are always the same: durations and counts differ by powers of ten."""
    scale = np.arcsinh(np.nan_to_num(data))
    spread = scale.reshape(-1, data.shape[2]).std(axis=0)
    some = spread > 0
    if not some.any():
        return np.zeros((*data.shape[:2], 1))
    centred: Floats = (scale - scale.reshape(-1, data.shape[2]).mean(axis=0))[:, :, some] / spread[some]
    return centred


def threshold(first: Floats, second: Floats) -> Score:
    """The one feature, and the threshold on it, that tells most releases apart."""
    rules = [_best_cut(first[:, i], second[:, i]) for i in range(first.shape[1])]
    feature = int(np.argmax([rule[0] for rule in rules]))
    _, cut, sign = rules[feature]
    return lambda seen: sign * (seen[:, feature] - cut)


def _best_cut(first: Floats, second: Floats) -> tuple[float, float, float]:
    """The share that is told apart, the threshold, and the sign: above (or below) it lies the second log."""
    values = np.unique(np.concatenate((first, second)))
    cuts = np.concatenate(([values[0] - 1], (values[1:] + values[:-1]) / 2, [values[-1] + 1]))
    below = [np.searchsorted(np.sort(log), cuts, side="left") / len(log) for log in (first, second)]
    apart = below[0] - below[1]
    place = int(np.argmax(np.abs(apart)))
    return float(abs(apart[place])), float(cuts[place]), 1.0 if apart[place] >= 0 else -1.0


def naive_bayes(most: int) -> Rule:
    """How likely the best few features are under either log, by histograms, each feature by itself."""

    def learnt(first: Floats, second: Floats) -> Score:
        both = np.concatenate((first, second))
        edges = [np.unique(np.quantile(both[:, i], np.arange(1, _BINS) / _BINS)) for i in range(both.shape[1])]
        tables = [_log_ratio(first[:, i], second[:, i], edges[i]) for i in range(both.shape[1])]
        telling = [float(abs(p - q).sum()) for _, p, q in tables]
        best = np.argsort(telling, kind="stable")[::-1][:most].tolist()

        def score(seen: Floats) -> Floats:
            return np.sum([tables[i][0][np.searchsorted(edges[i], seen[:, i])] for i in best], axis=0)

        return score

    return learnt


def _log_ratio(first: Floats, second: Floats, edges: Floats) -> tuple[Floats, Floats, Floats]:
    """The logarithm of the likelihood ratio in each bin, and the chances of the bins under both logs."""
    p, q = (_chances(log, edges) for log in (first, second))
    ratio: Floats = np.log(q / p)
    return ratio, p, q


def _chances(values: Floats, edges: Floats) -> Floats:
    """The share of the values in each bin, none of them nothing."""
    times = np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1) + 0.5
    return times / times.sum()


def discriminant(ridge: float) -> Rule:
    """The linear discriminant of all features, regularised to avoid overfitting."""

    def learnt(first: Floats, second: Floats) -> Score:
        middle = (first.mean(axis=0) + second.mean(axis=0)) / 2
        apart = second.mean(axis=0) - first.mean(axis=0)
        rest = np.concatenate((first - first.mean(axis=0), second - second.mean(axis=0)))
        spread = rest.T @ rest / len(rest) + ridge * np.eye(rest.shape[1])
        weight = np.linalg.solve(spread, apart)
        return lambda seen: (seen - middle) @ weight

    return learnt
