"""Variants that are lost."""

from __future__ import annotations

from support.helpers import log_of_paths
from unsingle.evaluation.measures import Context, lost_variants
from unsingle.evaluation.measures.lost import LOST_VARIANTS


def test_lost_variants_are_counted_the_most_frequent_first():
    original, release = log_of_paths("AB", "C", "D", "D"), log_of_paths("AB", "AB")
    assert list(lost_variants(original, release).items()) == [(("D",), 2), (("C",), 1)]
    assert LOST_VARIANTS.of(original, release, Context(original, release)) == 2
    assert LOST_VARIANTS.text(2.0) == "2"


def test_a_method_that_keeps_variants_loses_none():
    context = Context(log_of_paths("A"), log_of_paths("A"), keeps_variants=True)
    assert LOST_VARIANTS.of(context.original, context.release, context) == 0
    assert "variants_before" not in vars(context)  # nothing was counted
