import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples
from unsingle.errors import ParameterError
from unsingle.methods import chosen
from unsingle.privacy.advantage import (
    checked_delta,
    count_advantage,
    count_ratio,
    epsilon,
    worst_case_epsilon,
    worst_case_prior,
)

deltas = st.integers(1, 999).map(lambda n: n / 1000)
shares = st.floats(1e-6, 1 - 1e-6)


@pytest.mark.parametrize(("delta", "expected"), [(0.1, 0.401), (0.2, 0.811), (0.3, 1.238), (0.4, 1.695), (0.5, 2.197)])
def test_worst_case_epsilon_has_the_known_values(delta, expected):
    assert round(worst_case_epsilon(delta), 3) == expected


@given(deltas)
@examples(100)
def test_the_worst_case_is_equation_1_at_the_worst_prior(delta):
    at_worst = epsilon(np.array([worst_case_prior(delta)]), delta)[0]
    assert at_worst == pytest.approx(worst_case_epsilon(delta), rel=1e-9)


@given(deltas, shares)
@examples(300)
def test_no_prior_asks_for_less_epsilon_than_the_worst(delta, share):
    prior = share * (1 - delta)
    assert epsilon(np.array([prior]), delta)[0] >= worst_case_epsilon(delta) * (1 - 1e-9)


@given(deltas, shares)
@examples(300)
def test_epsilon_lifts_the_prior_by_delta_and_no_more(delta, share):
    prior = share * (1 - delta)
    odds = math.exp(epsilon(np.array([prior]), delta)[0])
    assert prior * odds / (1 - prior + prior * odds) == pytest.approx(prior + delta, rel=1e-9)


@pytest.mark.parametrize(("prior", "delta"), [(0.8, 0.2), (0.7, 0.3), (0.9, 0.1), (0.81, 0.2), (1.0, 0.01)])
def test_no_noise_is_asked_for_where_prior_and_delta_reach_one(prior, delta):
    assert epsilon(np.array([prior]), delta)[0] == math.inf


def test_each_prior_gets_its_own_epsilon_in_order():
    priors = np.array([0.4, 0.9, 0.1, 0.8, 0.79])
    together = epsilon(priors, 0.2)
    assert np.isinf(together).tolist() == [False, True, False, True, False]
    assert together.tolist() == [epsilon(np.array([prior]), 0.2)[0] for prior in priors]


@given(deltas)
@examples(100)
def test_count_ratio_is_e_to_minus_epsilon(delta):
    assert float(count_ratio(checked_delta(delta))) == pytest.approx(math.exp(-worst_case_epsilon(delta)))


@given(deltas)
@examples(50)
def test_count_advantage_is_half_the_total_variation_of_neighbouring_counts(delta):
    q = float(count_ratio(checked_delta(delta)))
    chance = np.append((1 - q) * q ** np.arange(20_000), 0)
    one_more = np.roll(chance, 1)
    variation = np.abs(chance - one_more).sum() / 2
    assert count_advantage(checked_delta(delta)) == pytest.approx(variation / 2, abs=1e-6)


def test_delta_is_taken_as_written_not_as_stored():
    assert checked_delta(0.1) == Fraction(1, 10)
    assert checked_delta(np.float64(0.3)) == Fraction(3, 10)


@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, math.nan, math.inf, -math.inf, "x", None, 1e-12])
def test_a_delta_that_is_no_number_between_0_and_1_is_refused(delta):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        checked_delta(delta)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        chosen(delta=delta)
