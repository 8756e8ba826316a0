"""Bounds on shares of right guesses."""

from __future__ import annotations

import math

import pytest

from unsingle.auditor.confidence import clopper_pearson, effective_size, fewer_for_few_runs


def test_bounds_cover_the_truth_as_often_as_they_say() -> None:
    """For a known chance, sum the probabilities of all outcomes whose bounds leave it out: exactly, no sampling."""
    for n, p in ((20, 0.5), (50, 0.7), (100, 0.05)):
        missed = sum(
            math.comb(n, k) * p**k * (1 - p) ** (n - k)
            for k in range(n + 1)
            if not clopper_pearson(k, n)[0] <= p <= clopper_pearson(k, n)[1]
        )
        assert missed <= 0.05


@pytest.mark.parametrize(("k", "n"), [(1, 10), (9, 10), (200, 400)])
def test_bounds_are_where_the_tails_are_a_fortieth(k: int, n: int) -> None:
    low, high = clopper_pearson(k, n)
    above = sum(math.comb(n, i) * low**i * (1 - low) ** (n - i) for i in range(k, n + 1))
    below = sum(math.comb(n, i) * high**i * (1 - high) ** (n - i) for i in range(k + 1))
    assert above == pytest.approx(0.025)
    assert below == pytest.approx(0.025)


def test_guesses_that_hang_together_count_for_less() -> None:
    assert effective_size([5, 5, 5, 5], [10] * 4) == 40
    assert effective_size([10, 0] * 20, [10] * 40) == pytest.approx(39, abs=1)
    assert effective_size([3], [7]) == 7


def test_few_runs_make_less_sure() -> None:
    assert fewer_for_few_runs(100, 2, 0.95) < 10
    assert 95 < fewer_for_few_runs(100, 200, 0.95) < 100
    assert fewer_for_few_runs(100, 1, 0.95) == 100  # one release: nothing to compare
