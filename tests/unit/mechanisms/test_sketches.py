"""Sketches of groups say what the groups themselves say, exactly or nearly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples
from unsingle.core.arrays import dense, runs
from unsingle.mechanisms.groups import Coded, Population
from unsingle.mechanisms.sketches import MOST_RUNS, Sketch, SketchedPopulation

VALUES = st.lists(
    st.tuples(st.integers(0, 4), st.one_of(st.integers(0, 3), st.integers(0, 10**9))), min_size=1, max_size=150
)


def both(pairs: list[tuple[int, int]], cut: int, most: int = MOST_RUNS) -> tuple[Population, SketchedPopulation]:
    """The values as they are, and as merged sketches of two parts of them."""
    key, value = np.array(pairs, dtype=np.int64).T
    key = 8 * key
    parts = [Sketch.of(key[some], value[some]).shortened(most) for some in (slice(cut), slice(cut, None))]
    exact = Population(Coded(value), dense(key))
    return exact, SketchedPopulation(Sketch.merged(parts).shortened(most), key, value)


@given(VALUES, st.integers(0, 150), st.integers(1, 25))
@examples(150)
def test_a_sketch_of_single_values_says_what_the_values_say(pairs, cut, at_least):
    exact, sketched = both(pairs, cut)
    everyone, width = np.arange(len(pairs)), np.arange(len(pairs)) % 7
    assert sketched.group.tolist() == exact.group.tolist()
    for name in ("size", "highest", "range"):
        assert getattr(sketched, name)[:-1].tolist() == getattr(exact, name).tolist()
    assert sketched.share_within(everyone, width) == pytest.approx(exact.share_within(everyone, width))
    assert sketched.bin_counts(at_least)[:-1].tolist() == exact.bin_counts(at_least).tolist()
    for ours, theirs in zip(sketched.bins(at_least), exact.bins(at_least), strict=True):
        assert ours == pytest.approx(theirs)
    # equal values may stand in another order, but as many of them are in each bin
    ours, theirs = sketched.bin_of(everyone, at_least), exact.bin_of(everyone, at_least)
    assert sorted(ours.tolist()) == sorted(theirs.tolist())
    assert exact.group[np.argsort(ours, kind="stable")].tolist() == sorted(exact.group.tolist())


@given(VALUES, st.integers(0, 150), st.integers(2, 30))
@examples(150)
def test_a_shortened_sketch_keeps_numbers_sums_and_ends_and_bins_of_enough_values(pairs, cut, most):
    exact, sketched = both(pairs, cut, most)
    everyone = np.arange(len(pairs))
    assert sketched.size[:-1].tolist() == exact.size.tolist()
    assert sketched.highest[:-1].tolist() == exact.highest.tolist()
    edges, counts = sketched._edges(20), sketched.bin_counts(20)
    in_bin = np.diff(edges, append=len(pairs))
    assert (in_bin >= np.minimum(20, np.repeat(sketched.size, counts))).all()
    bins = sketched.bins(20)
    assert ((bins.low <= bins.mean) & (bins.mean <= bins.high)).all()
    assert np.repeat(np.arange(len(counts)), counts)[sketched.bin_of(everyone, 20)].tolist() == exact.group.tolist()


def test_no_group_is_longer_than_asked_and_no_run_heavier() -> None:
    value = (np.random.default_rng(1).pareto(1.3, 50_000) * 1e6).astype(np.int64)
    sketch = Sketch.of(np.zeros(len(value), dtype=np.int64), value).shortened(256)
    assert len(sketch.key) <= 257
    assert sketch.count.sum() == len(value)
    assert sketch.total.sum() == pytest.approx(value.sum())
    several = sketch.low < sketch.high
    assert sketch.count[several].max() <= 2 / 256 * len(value) + 1
    assert sketch.total[several].max() <= 2 / 256 * value.sum() + value.max() / 2
    assert (np.diff(sketch.low) >= 0).all()
    assert (np.diff(sketch.high) >= 0).all()


def test_priors_read_off_a_long_sketch_are_nearly_right() -> None:
    value = (np.random.default_rng(2).pareto(1.3, 50_000) * 1e6).astype(np.int64)
    key = np.zeros(len(value), dtype=np.int64)
    cuts = np.array_split(np.arange(len(value)), 9)
    sketch = Sketch.merged([Sketch.of(key[some], value[some]).shortened() for some in cuts]).shortened()
    everyone, width = np.arange(len(value)), value // 10
    exact = Population(Coded(value), key).share_within(everyone, width)
    ours = SketchedPopulation(sketch, key, value).share_within(everyone, width)
    assert np.abs(ours - exact).max() < 2 / MOST_RUNS


def test_the_ends_of_a_group_are_not_lost_where_runs_of_several_parts_overlap() -> None:
    value = (np.random.default_rng(5).exponential(1e5, 200_000)).astype(np.int64)
    key = np.zeros(len(value), dtype=np.int64)
    parts = [Sketch.of(key[i::10], value[i::10]).shortened(256) for i in range(10)]
    sketch = Sketch.merged(parts).shortened(256)
    assert (sketch.low.min(), sketch.high.max()) == (value.min(), value.max())
    mean = sketch.total / sketch.count
    assert ((sketch.low <= mean) & (mean <= sketch.high)).all()


def test_values_whose_group_is_not_sketched_belong_to_a_group_of_nobody() -> None:
    sketch = Sketch.of(np.array([8, 8, 24]), np.array([1, 2, 3]))
    sketched = SketchedPopulation(sketch, np.array([16, 8]), np.array([5, 2]))
    assert sketched.size[sketched.group].tolist() == [0, 2]


def test_very_long_times_of_many_groups_are_sorted_all_the_same() -> None:
    key, value = np.arange(5), np.full(5, 2**61)
    assert Sketch.of(key, value).low.tolist() == [2**61] * 5
    assert runs(Sketch.of(key, value).key).tolist() == [0, 1, 2, 3, 4, 5]
