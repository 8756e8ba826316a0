"""SMAPE."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, examples, log_of, log_of_paths, paper_log
from unsingle.core.clock import HOUR
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.relative_error import SMAPE, cases_on_same_path, smape

numbers = st.integers(-5, 20) | st.sampled_from([0, 10**12, 2**60])


@given(st.lists(st.tuples(numbers, numbers)))
@examples(200)
def test_smape_is_the_mean_of_relative_errors(pairs):
    errors = [abs(t - a) / (abs(t) + abs(a)) if t or a else 0 for t, a in pairs]
    true, released = np.array(pairs, np.int64).reshape(-1, 2).T
    assert smape(true, released) == pytest.approx(sum(errors) / len(errors) if errors else 0)


def of(original, release, **known):
    return SMAPE.of(original, release, Context(original, release, **known))


def test_released_cases_stand_beside_their_ancestors():
    original = log_of([("AB", [0, HOUR]), ("AB", [0, 3 * HOUR])])
    release = log_of([("AB", [0, 3 * HOUR])])
    assert of(original, release, ancestors=np.array([1])) == 0
    assert of(original, release, ancestors=np.array([0])) == pytest.approx(2 / 4)
    assert of(original, release, ancestors=np.array([0]), keeps_variants=True) == pytest.approx(2 / 4)


def test_without_ancestors_they_stand_beside_a_case_on_the_same_path():
    original = log_of([("AC", [0, HOUR]), ("AB", [0, 5 * HOUR])])
    release = log_of([("AB", [0, 5 * HOUR]), ("AC", [0, HOUR]), ("AB", [7, 7 + 5 * HOUR])])
    assert of(original, release, keeps_variants=True) == 0
    log = paper_log()
    paths = [path for path, _ in cases_of(log)]
    assert [paths[case] for case in cases_on_same_path(log, log).tolist()] == paths


def test_it_is_not_a_number_where_released_cases_stand_for_nobody():
    assert np.isnan(of(paper_log(), paper_log()))
    assert not SMAPE.in_comparison
    assert SMAPE.text(float("nan")) == "–"


def test_logs_without_steps_have_no_error():
    log = log_of_paths("A", "B")
    assert of(log, log, keeps_variants=True) == 0
