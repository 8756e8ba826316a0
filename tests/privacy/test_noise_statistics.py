"""Noise against its exact distribution, and against OpenDP's as an independent oracle."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import opendp.prelude as dp
import pytest

from support.helpers import assert_distributed, chi_square_limit, laplace_below
from unsingle.privacy import random as randomness
from unsingle.privacy.random import Randomness

N = 50_000

scales = pytest.mark.parametrize("scale", [0.3, 1.0, 7.5, 1000.0, 1e6])


def laplace(scale, n=N, seed=1):
    return Randomness(seed).discrete_laplace(np.full(n, scale))


def edges_of(scale, cells=60):
    """Whole numbers that cut the noise of this scale into cells of about the same chance."""
    tails = np.linspace(0, 1, cells // 2, endpoint=False)[1:]
    magnitude = np.floor(-scale * np.log(tails))
    return np.unique(np.concatenate((-magnitude - 1, magnitude)))


def assert_laplace(sample, scale):
    edges = edges_of(scale)
    chance = np.diff(laplace_below(edges, scale), prepend=0, append=1)
    assert_distributed(np.searchsorted(edges, sample), chance)


@pytest.mark.parametrize("ratio", [Fraction(4, 9), Fraction(1, 100), Fraction(81, 121), Fraction(99, 100)])
def test_geometric_noise_has_its_exact_probabilities(ratio):
    sample = Randomness(seed=2).geometric(ratio, N)
    assert_distributed(sample, float(1 - ratio) * float(ratio) ** np.arange(5000))


def test_the_coin_of_chance_e_to_minus_x_is_exact():
    n = 500_000
    for x in (0, 2**-40, 0.01, 0.5, 0.999, 1):
        numerator = round(x * randomness._UNIT)
        coins = Randomness(seed=11)._bernoulli_exp(np.full(n, numerator, np.uint64))
        chance = math.exp(-numerator / randomness._UNIT)
        assert abs(coins.mean() - chance) <= 6 * math.sqrt(chance * (1 - chance) / n)


def test_the_long_geometric_number_is_exponential():
    share = np.exp(-Randomness(seed=12)._long_geometric(N) / randomness._UNIT)
    assert_distributed((share * 64).astype(int), np.ones(64))


@scales
def test_discrete_laplace_noise_has_its_exact_probabilities(scale):
    assert_laplace(laplace(scale), scale)


def test_small_noise_has_its_exact_probability_at_every_single_number():
    q = math.exp(-1 / 2.6)
    sample = laplace(2.6, n=200_000)
    assert_distributed(sample + 200, q ** np.abs(np.arange(-200, 201)))


@scales
def test_discrete_laplace_noise_is_as_wide_as_asked_and_has_no_side(scale):
    sample = laplace(scale, seed=3)
    q = math.exp(-1 / scale)
    mean, variance = 2 * q / (1 - q * q), 2 * q / (1 - q) ** 2
    assert abs(np.abs(sample).mean() - mean) < 6 * math.sqrt(variance / N)
    assert abs(sample.mean()) < 6 * math.sqrt(variance / N)


def test_wide_noise_has_the_quantiles_of_its_distribution():
    sample = np.sort(np.abs(laplace(1e6, n=200_000, seed=4)))
    for share in (0.1, 0.5, 0.9, 0.99):
        expected = -1e6 * math.log(1 - share)
        error = 6 * math.sqrt(share * (1 - share) / len(sample)) / (1 - share) * 1e6
        assert abs(sample[int(share * len(sample))] - expected) < error


def test_wide_noise_is_fine_grained():
    sample = laplace(1e6, seed=5)
    for modulus in (2, 3, 64, 1000):
        assert_distributed(sample % modulus, np.ones(modulus))


def test_many_scales_in_one_call_each_have_their_own_noise():
    asked = np.array([0.3, 1.0, 7.5, 1000.0, 1e6])
    which = Randomness(seed=6).below(np.full(5 * N, len(asked)))
    sample = Randomness(seed=7).discrete_laplace(asked[which])
    for i, scale in enumerate(asked):
        assert_laplace(sample[which == i], scale)


def test_one_noise_tells_nothing_of_the_next():
    sign = np.sign(laplace(1000.0, seed=8))
    size = np.abs(laplace(1000.0, seed=9)) > 1000 * math.log(2)
    for lag in (1, 2, 7):
        assert abs((sign[lag:] * sign[:-lag]).mean()) < 6 / math.sqrt(N)
        assert abs((size[lag:] == size[:-lag]).mean() - 0.5) < 3 / math.sqrt(N)


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.5, 1000.0])
def test_discrete_laplace_noise_agrees_with_opendp(scale):
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    theirs = np.array(dp.m.make_laplace(*space, scale=scale)([0] * N))
    ours = laplace(scale, seed=10)
    edges = edges_of(scale, cells=30)
    a, b = (np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1) for x in (ours, theirs))
    full = a + b > 50
    a, b = np.append(a[full], a[~full].sum()), np.append(b[full], b[~full].sum())
    statistic = ((a - b) ** 2 / np.maximum(1, a + b)).sum()  # two samples of the same size
    assert statistic < chi_square_limit(len(a), chance=1e-9)


# ---------------------------------------------------------------------------------------- truncated and Gaussian


@pytest.mark.parametrize(("scale", "most"), [(0.5, 3), (2.47, 32), (20.0, 15)])
def test_truncated_noise_has_its_exact_probabilities(scale, most):
    sample = Randomness(seed=13).truncated_laplace(scale, most, N)
    assert_distributed(sample + most, np.exp(-np.abs(np.arange(-most, most + 1)) / scale))


@pytest.mark.parametrize("deviation", [1, 2, 9])
def test_gaussian_noise_has_its_exact_probability_at_every_single_number(deviation):
    sample = Randomness(seed=14).discrete_gaussian(deviation, 4 * N)
    k = np.arange(-12 * deviation, 12 * deviation + 1)
    assert_distributed(sample + 12 * deviation, np.exp(-(k**2) / (2 * deviation**2)))


@pytest.mark.parametrize("deviation", [1000, 600_000, randomness.MAX_DEVIATION])
def test_wide_gaussian_noise_is_normal(deviation):
    sample = Randomness(seed=15).discrete_gaussian(deviation, N)
    edges = np.array([NormalDist().inv_cdf(i / 50) * deviation for i in range(1, 50)])
    assert_distributed(np.searchsorted(edges, sample), np.ones(50))
    for modulus in (2, 3, 64):
        assert_distributed(sample % modulus, np.ones(modulus))


@pytest.mark.parametrize("deviation", [1.0, 7.0, 1000.0])
def test_gaussian_noise_agrees_with_opendp(deviation):
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    theirs = np.array(dp.m.make_gaussian(*space, scale=deviation)([0] * N))
    ours = Randomness(seed=16).discrete_gaussian(int(deviation), N)
    edges = np.unique([round(NormalDist().inv_cdf(i / 30) * deviation) for i in range(1, 30)])
    a, b = (np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1) for x in (ours, theirs))
    assert ((a - b) ** 2 / np.maximum(1, a + b)).sum() < chi_square_limit(len(a), chance=1e-9)


def test_a_whole_scale_has_the_same_laplace_noise_as_any_other():
    assert_laplace(Randomness(seed=17)._laplace(1000, N), 1000)
    assert_laplace(Randomness(seed=18)._laplace(1, N), 1)


@pytest.mark.parametrize("bound", [1, 2, 3, 1000, 2**40 + 1])
def test_numbers_below_a_bound_are_uniform(bound):
    sample = Randomness(seed=19)._below(bound, N)
    cells = min(bound, 64)
    assert sample.max() < bound
    assert bound == 1 or assert_distributed((sample * cells) // bound, np.ones(cells)) is None
