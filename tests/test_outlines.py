"""Outlines of groups say what the groups themselves say, exactly or nearly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import examples
from unsingle.groups import Coded, Population
from unsingle.outlines import MOST_RUNS, Outline, OutlinedPopulation
from unsingle.ragged import dense, runs

VALUES = st.lists(
    st.tuples(st.integers(0, 4), st.one_of(st.integers(0, 3), st.integers(0, 10**9))), min_size=1, max_size=150
)


def both(pairs: list[tuple[int, int]], cut: int, most: int = MOST_RUNS) -> tuple[Population, OutlinedPopulation]:
    """The values as they are, and as merged outlines of two parts of them."""
    key, value = np.array(pairs, dtype=np.int64).T
    key = 8 * key
    parts = [Outline.of(key[some], value[some]).shortened(most) for some in (slice(cut), slice(cut, None))]
    exact = Population(Coded(value), dense(key))
    return exact, OutlinedPopulation(Outline.merged(parts).shortened(most), key, value)


@given(VALUES, st.integers(0, 150), st.integers(1, 25))
@examples(150)
def test_an_outline_of_single_values_says_what_the_values_say(pairs, cut, at_least):
    exact, outlined = both(pairs, cut)
    everyone, width = np.arange(len(pairs)), np.arange(len(pairs)) % 7
    assert outlined.group.tolist() == exact.group.tolist()
    for name in ("size", "highest", "range"):
        assert getattr(outlined, name)[:-1].tolist() == getattr(exact, name).tolist()
    assert outlined.share_within(everyone, width) == pytest.approx(exact.share_within(everyone, width))
    assert outlined.bin_counts(at_least)[:-1].tolist() == exact.bin_counts(at_least).tolist()
    for ours, theirs in zip(outlined.bins(at_least), exact.bins(at_least), strict=True):
        assert ours == pytest.approx(theirs)
    # equal values may stand in another order, but as many of them are in each bin
    ours, theirs = outlined.bin_of(everyone, at_least), exact.bin_of(everyone, at_least)
    assert sorted(ours.tolist()) == sorted(theirs.tolist())
    assert exact.group[np.argsort(ours, kind="stable")].tolist() == sorted(exact.group.tolist())


@given(VALUES, st.integers(0, 150), st.integers(2, 30))
@examples(150)
def test_a_shortened_outline_keeps_numbers_sums_and_ends_and_bins_of_enough_values(pairs, cut, most):
    exact, outlined = both(pairs, cut, most)
    everyone = np.arange(len(pairs))
    assert outlined.size[:-1].tolist() == exact.size.tolist()
    assert outlined.highest[:-1].tolist() == exact.highest.tolist()
    edges, counts = outlined._edges(20), outlined.bin_counts(20)
    in_bin = np.diff(edges, append=len(pairs))
    assert (in_bin >= np.minimum(20, np.repeat(outlined.size, counts))).all()
    bins = outlined.bins(20)
    assert ((bins.low <= bins.mean) & (bins.mean <= bins.high)).all()
    assert np.repeat(np.arange(len(counts)), counts)[outlined.bin_of(everyone, 20)].tolist() == exact.group.tolist()


def test_no_group_is_longer_than_asked_and_no_run_heavier() -> None:
    value = (np.random.default_rng(1).pareto(1.3, 50_000) * 1e6).astype(np.int64)
    outline = Outline.of(np.zeros(len(value), dtype=np.int64), value).shortened(256)
    assert len(outline.key) <= 257
    assert outline.count.sum() == len(value)
    assert outline.total.sum() == pytest.approx(value.sum())
    several = outline.low < outline.high
    assert outline.count[several].max() <= 2 / 256 * len(value) + 1
    assert outline.total[several].max() <= 2 / 256 * value.sum() + value.max() / 2
    assert (np.diff(outline.low) >= 0).all()
    assert (np.diff(outline.high) >= 0).all()


def test_priors_read_off_a_long_outline_are_nearly_right() -> None:
    value = (np.random.default_rng(2).pareto(1.3, 50_000) * 1e6).astype(np.int64)
    key = np.zeros(len(value), dtype=np.int64)
    cuts = np.array_split(np.arange(len(value)), 9)
    outline = Outline.merged([Outline.of(key[some], value[some]).shortened() for some in cuts]).shortened()
    everyone, width = np.arange(len(value)), value // 10
    exact = Population(Coded(value), key).share_within(everyone, width)
    ours = OutlinedPopulation(outline, key, value).share_within(everyone, width)
    assert np.abs(ours - exact).max() < 2 / MOST_RUNS


def test_the_ends_of_a_group_are_not_lost_where_runs_of_several_parts_overlap() -> None:
    value = (np.random.default_rng(5).exponential(1e5, 200_000)).astype(np.int64)
    key = np.zeros(len(value), dtype=np.int64)
    parts = [Outline.of(key[i::10], value[i::10]).shortened(256) for i in range(10)]
    outline = Outline.merged(parts).shortened(256)
    assert (outline.low.min(), outline.high.max()) == (value.min(), value.max())
    mean = outline.total / outline.count
    assert ((outline.low <= mean) & (mean <= outline.high)).all()


def test_values_whose_group_is_not_outlined_belong_to_a_group_of_nobody() -> None:
    outline = Outline.of(np.array([8, 8, 24]), np.array([1, 2, 3]))
    outlined = OutlinedPopulation(outline, np.array([16, 8]), np.array([5, 2]))
    assert outlined.size[outlined.group].tolist() == [0, 2]


def test_very_long_times_of_many_groups_are_sorted_all_the_same() -> None:
    key, value = np.arange(5), np.full(5, 2**61)
    assert Outline.of(key, value).low.tolist() == [2**61] * 5
    assert runs(Outline.of(key, value).key).tolist() == [0, 1, 2, 3, 4, 5]
