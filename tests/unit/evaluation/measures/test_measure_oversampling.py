"""How many cases there are."""

from __future__ import annotations

from support.helpers import log_of_paths
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.oversampling import OVERSAMPLING


def test_the_ratio_counts_cases():
    original, release = log_of_paths("ABC", "A"), log_of_paths("A", "A", "A")
    assert OVERSAMPLING.of(original, release, Context(original, release)) == 1.5
    assert OVERSAMPLING.text(1.5) == "1.50 times as many cases"
