"""What is made of noised figures: counts of variants, and distributions over cells. None of it sees the log."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples
from unsingle.mechanisms import posterior
from unsingle.mechanisms.counts import estimated_counts
from unsingle.mechanisms.draws import pick, spread_evenly
from unsingle.mechanisms.posterior import Prior, Rows, best_prior, log_gamma, posterior_mean, posterior_median
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import same_paths

RATIO = float(same_paths(0.2).ratio)


def noise_on_counts(n: int, ratio: float, rng: np.random.Generator) -> np.ndarray:
    """Two-sided geometric noise."""
    return rng.geometric(1 - ratio, n) - rng.geometric(1 - ratio, n)


# ---------------------------------------------------------------------------------------- counts


@examples(80)
@given(
    st.lists(st.integers(-30, 90) | st.integers(-5, 5) | st.integers(0, 10**6), min_size=1, max_size=25),
    st.sampled_from([0.05, 0.5, RATIO, 0.95]),
    st.integers(0, 3000) | st.integers(0, 10**7),
)
def test_every_variant_is_there_and_all_together_are_the_noised_number_of_cases(
    noised: list[int], ratio: float, total: int
) -> None:
    counts = estimated_counts(np.array(noised), ratio, total, Randomness(1))
    assert len(counts) == len(noised)
    assert counts.min() >= 1
    assert counts.sum() == max(total, len(noised))


def test_counts_without_noise_are_the_counts() -> None:
    true = np.array([1, 1, 2, 3, 3, 17, 60, 61, 100_000])
    assert estimated_counts(true, 1e-9, int(true.sum()), Randomness(1)).tolist() == true.tolist()


DISTRIBUTIONS = {
    "nearly all alone": (0.5, lambda rng: np.where(rng.random(900) < 0.9, 1, rng.integers(2, 40, 900))),
    "a few share each": (0.92, lambda rng: rng.geometric(0.4, 900)),
    "heavy tail": (0.95, lambda rng: np.floor(rng.pareto(1.1, 900) + 1).astype(np.int64)),
    "all alike": (0.1, lambda _: np.full(900, 7)),
}


@pytest.mark.parametrize("ratio", [RATIO, float(same_paths(0.1).ratio)])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_estimated_counts_are_nearer_to_the_truth_than_noised_ones(name: str, ratio: float) -> None:
    rng = np.random.default_rng(1)
    share, distribution = DISTRIBUTIONS[name]
    true = distribution(rng)
    for seed in range(3):
        noised = true + noise_on_counts(len(true), ratio, rng)
        estimated = estimated_counts(noised, ratio, int(true.sum()), Randomness(seed))
        raw = np.abs(np.maximum(noised, 1) - true).sum()
        assert np.abs(estimated - true).sum() < share * raw


def test_variants_that_nobody_but_one_takes_are_known_to_be_such() -> None:
    """Where nearly all are alone, a noised count of 3 is most likely noise; where nobody is, it is not."""
    rng = np.random.default_rng(2)
    noise = noise_on_counts(2000, RATIO, rng)
    lone, shared = (
        estimated_counts(np.append(true + noise, 3), RATIO, 2001 * true, Randomness(1))[-1] for true in (1, 4)
    )
    assert lone == 1
    assert shared == 4


def test_large_counts_are_kept_but_for_what_the_total_asks() -> None:
    noised = np.array([100_000, 50_000, 2, 0])
    counts = estimated_counts(noised, RATIO, 150_040, Randomness(1))
    assert np.abs(counts - noised).max() <= 40
    assert counts[0] + counts[1] == pytest.approx(150_020, abs=20)


def test_counts_do_not_hang_on_the_order_of_equals_alone() -> None:
    """Among variants of one noised count it is drawn which have one more: not always the first ones."""
    noised = np.full(100, 2)
    drawn = [tuple(estimated_counts(noised, RATIO, 150, Randomness(seed))) for seed in range(4)]
    assert len(set(drawn)) == 4
    assert all(sorted(set(each)) in ([1, 2], [1, 2, 3], [1, 3]) for each in drawn)


# ---------------------------------------------------------------------------------------- posteriors


def rows_of(noised: np.ndarray, deviation: float, total: np.ndarray | None = None, spread: float = 1.0) -> Rows:
    noised = np.atleast_2d(np.asarray(noised, dtype=np.float64))
    total = noised.sum(axis=1) if total is None else total
    return Rows(noised, np.full(noised.shape, deviation), total, np.full(len(noised), spread))


def both(rows: Rows, prior: Prior) -> dict[str, np.ndarray]:
    return {"mean": posterior_mean(rows, prior), "median": posterior_median(rows, prior, Randomness(1))}


EVEN = np.full((1, 4), 1 / 4)


def test_without_noise_the_data_come_out() -> None:
    data = np.array([[500.0, 0, 20, 1480], [3, 3, 30, 0]])
    for strength in (1.0, 100.0):
        for found in both(rows_of(data, 0.01), Prior(np.repeat(EVEN, 2, axis=0), strength)).values():
            assert np.allclose(found, data / data.sum(axis=1, keepdims=True), atol=0.005)


def test_where_all_is_noise_what_was_expected_comes_out() -> None:
    expected = np.array([[0.6, 0.3, 0.1, 0.0]])
    rng = np.random.default_rng(1)
    for _ in range(3):
        rows = rows_of(rng.normal(0, 3000, (1, 4)), 3000, np.array([1000.0]), spread=10)
        for found in both(rows, Prior(expected, 1000.0)).values():
            assert np.allclose(found, expected, atol=0.06)


def test_the_more_noise_there_is_the_more_counts_what_was_expected() -> None:
    noised = np.array([[0.0, 0.0, 0.0, 1000.0]])
    found = [
        posterior_mean(rows_of(noised, deviation, np.array([1000.0])), Prior(EVEN, 10.0))[0, 3]
        for deviation in (1, 300, 10_000)
    ]
    assert found[0] > 0.99
    assert found[0] > found[1] > found[2]
    assert found[2] == pytest.approx(0.25, abs=0.1)


@examples(60)
@given(
    st.integers(1, 5),
    st.integers(2, 20),
    st.sampled_from([0.5, 3.0, 50.0, 1e4]),
    st.sampled_from([1, 30, 10**6]),
    st.sampled_from([1.0, 100.0]),
    st.integers(0, 10**6),
)
def test_any_row_becomes_a_distribution(
    rows: int, cells: int, deviation: float, total: int, strength: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    shape = rng.random((rows, cells)) * (rng.random((rows, cells)) < 0.7) + 1e-6
    noised = rng.multinomial(total, rng.dirichlet(np.ones(cells)), rows) + rng.normal(0, deviation, (rows, cells))
    each = rows_of(noised, deviation, np.full(rows, float(total)), spread=total / 10)
    for name, found in both(each, Prior(shape / shape.sum(axis=1, keepdims=True), strength)).items():
        assert (found >= 0).all(), name
        assert np.allclose(found.sum(axis=1), 1), name


def test_a_long_tail_that_may_be_noise_is_in_the_mean_and_not_in_the_median() -> None:
    """A little of a year is much."""
    noised, expected = np.zeros((1, 12)), np.full((1, 12), 0.001)
    noised[0, 0], expected[0, 0] = 1000, 0.989
    rows = rows_of(noised, 8.0, np.array([1000.0]), spread=50)
    found = both(rows, Prior(expected, 30.0))
    assert found["mean"][0, 6:].sum() > 1e-4
    assert found["median"][0, 6:].sum() == 0


def test_a_long_thin_tail_is_seen_though_no_cell_of_it_is() -> None:
    noised = np.zeros((1, 16))
    noised[0, 0], noised[0, 8:] = 500, 10
    rows = rows_of(noised, 5.0, np.array([580.0]))
    for found in both(rows, Prior(np.full((1, 16), 1 / 16), 3.0)).values():
        assert 0.1 < found[0, 8:].sum() < 0.2


def test_a_known_total_says_what_noised_cells_leave_open() -> None:
    """All cells are noised upwards by chance; that there are only 100 is known."""
    noised = np.array([[90.0, 60.0, 50.0]])
    rows = rows_of(noised, 30.0, np.array([100.0]), spread=1.0)
    cells = posterior._Cells(rows)
    chance = cells.posterior(Prior(np.full((1, 3), 1 / 3), 3.0))
    assert (chance * cells.value).sum() == pytest.approx(100, abs=3)
    free = posterior._Cells(rows._replace(spread=np.array([1e4])))
    chance = free.posterior(Prior(np.full((1, 3), 1 / 3), 3.0))
    assert (chance * free.value).sum() > 120


def test_the_prior_is_chosen_under_which_the_cells_are_likeliest() -> None:
    rng = np.random.default_rng(1)
    falling, rising = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.05, 0.15, 0.3, 0.5])
    shapes = [np.repeat(each[None], 40, axis=0) for each in (falling, rising)]
    alike = rng.multinomial(200, rising, 40) + rng.normal(0, 3, (40, 4))
    prior = best_prior(rows_of(alike, 3.0, np.full(40, 200.0)), shapes)
    assert prior.shape is shapes[1]
    assert prior.strength == 100
    unlike = 200 * rng.dirichlet(0.8 * rising, 40) + rng.normal(0, 3, (40, 4))
    prior = best_prior(rows_of(unlike, 3.0, np.full(40, 200.0)), shapes)
    assert prior.shape is shapes[1]
    assert prior.strength == 1


def test_what_was_believed_before_decides_where_the_cells_say_little() -> None:
    rows = rows_of(np.zeros((1, 4)), 1000.0, np.array([10.0]))
    shapes = [np.array([[0.7, 0.1, 0.1, 0.1]]), np.array([[0.1, 0.1, 0.1, 0.7]])]
    for likelier in (0, 1):
        beliefs = [3.0 * (i == likelier) for i in range(2)]
        assert best_prior(rows, shapes, beliefs=beliefs).shape is shapes[likelier]


def test_rows_are_worked_out_in_parts_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    noised = rng.normal(20, 10, (50, 6))
    prior = Prior(np.full((50, 6), 1 / 6), 3.0)
    rows = rows_of(noised, 4.0, np.full(50, 120.0))
    whole, choice = posterior_mean(rows, prior), best_prior(rows, [prior.shape])
    monkeypatch.setattr(posterior, "_AT_ONCE", 7 * 6 * 64)
    assert np.array_equal(posterior_mean(rows, prior), whole)
    assert best_prior(rows, [prior.shape]).strength == choice.strength
    assert posterior_median(rows, prior, Randomness(1)).shape == (50, 6)
    assert np.allclose(posterior_median(rows, prior, Randomness(1)), whole, atol=0.1)


@examples(200)
@given(st.floats(1e-6, 1e7))
def test_the_gamma_function(x: float) -> None:
    assert log_gamma(np.array([x]))[0] == pytest.approx(math.lgamma(x), rel=1e-8, abs=1e-8)


# ---------------------------------------------------------------------------------------- draws


def test_draws_cover_their_row_evenly() -> None:
    shape = np.array([[0.0, 1.0, 0.0, 0.0], [0.25, 0.0, 0.75, 0.0]])
    row = np.random.default_rng(1).permutation(np.repeat([0, 1], 4000))
    cell, place = pick(shape, row, spread_evenly(row, 2, Randomness(1)))
    assert set(cell[row == 0].tolist()) == {1}
    assert np.bincount(cell[row == 1], minlength=4).tolist() == [
        pytest.approx(1000, abs=1), 0, pytest.approx(3000, abs=1), 0,
    ]  # fmt: skip
    assert (place >= 0).all()
    assert (place < 1).all()
    inside = np.sort(place[(row == 1) & (cell == 2)])
    assert np.allclose(inside, (np.arange(len(inside)) + 0.5) / len(inside), atol=2 / len(inside))


@examples(60)
@given(st.integers(1, 4), st.integers(1, 9), st.integers(0, 200), st.integers(0, 10**6))
def test_no_draw_is_of_a_cell_that_cannot_be(rows: int, cells: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = rng.random((rows, cells)) * (rng.random((rows, cells)) < 0.5)
    shape[:, rng.integers(cells)] = 1e-12  # at least this one can be
    row = rng.integers(0, rows, n)
    cell, _ = pick(shape, row, spread_evenly(row, rows, Randomness(seed)))
    possible = [np.flatnonzero(each) for each in shape]
    assert all(possible[r][0] <= c <= possible[r][-1] for r, c in zip(row, cell, strict=True))
