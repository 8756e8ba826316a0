"""Distances between distributions, beside a slow and exact way to compute them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.distances import slow_wasserstein
from support.helpers import examples
from unsingle.evaluation.wasserstein import Distance, wasserstein

numbers = st.integers(-5, 20) | st.sampled_from([0, 10**12, 2**60])
grouped = st.lists(st.tuples(st.integers(0, 3), numbers), max_size=30)


@given(grouped, grouped)
@examples(200)
def test_wasserstein_is_the_area_between_the_distributions_of_each_group(a, b):
    (group_a, values_a), (group_b, values_b) = (np.array(x, np.int64).reshape(-1, 2).T for x in (a, b))
    distances = wasserstein(group_a, values_a, group_b, values_b, 4)
    for group, distance in enumerate(distances.tolist()):
        ours, theirs = ([value for g, value in x if g == group] for x in (a, b))
        if ours and theirs:
            assert distance == pytest.approx(float(slow_wasserstein(ours, theirs)), rel=1e-9)
        else:
            assert np.isnan(distance)


def test_a_distance_is_written_in_the_unit_that_suits_it() -> None:
    assert str(Distance(100.0, 0.25)) == "4.2 d, 25% of the mean"
    assert str(Distance(0.5, 0.001)) == "30.0 min, 0.1% of the mean"
