"""Rules that are learnt."""

from __future__ import annotations

import numpy as np
import pytest

from unsingle.auditor.learning import discriminant, guesses_right, naive_bayes, threshold


@pytest.mark.parametrize("rule", [threshold, naive_bayes(4), discriminant(0.1)])
def test_rules_learn_what_there_is_to_learn(rule) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 300, 6))
    second[:, 2] += 3
    score = rule(first[:200], second[:200])
    right = ((score(first[200:]) < 0).mean() + (score(second[200:]) > 0).mean()) / 2
    assert right > 0.85


def test_rules_do_not_learn_noise_by_heart() -> None:
    data = np.random.default_rng(1).normal(size=(200, 2, 60))
    assert abs(np.mean(guesses_right(data)) / 2 - 0.5) < 0.1


def test_many_weak_features_are_put_together() -> None:
    """Each is hardly worth anything by itself."""
    data = np.random.default_rng(1).normal(size=(200, 2, 30))
    data[:, 1] += 0.5
    assert np.mean(guesses_right(data)) / 2 > 0.85
