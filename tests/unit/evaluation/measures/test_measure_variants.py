"""What became of the variants."""

from __future__ import annotations

import pytest

from support.helpers import cases_of, log_of, log_of_paths, paper_log
from unsingle.evaluation.measures import Context, SetChange
from unsingle.evaluation.measures.variants import VARIANTS


def change(original, release):
    return VARIANTS.of(original, release, Context(original, release))


def test_a_case_with_another_path_is_one_lost_and_one_new_variant():
    """The paper's log with X in place of its last case, AEC."""
    changed = log_of([*cases_of(paper_log())[:4], ("X", [0])])
    assert change(paper_log(), changed) == SetChange(4, 4, 1, 1, 3 / 5, pytest.approx(0.2))


def test_nothing_is_left_or_all_is_the_same():
    assert change(log_of_paths("AB", "C"), log_of_paths("D")) == SetChange(2, 1, 2, 1, 0, 1)
    assert change(paper_log(), paper_log()) == SetChange(4, 4, 0, 0, 1, 0)
    assert VARIANTS.text(SetChange(2, 1, 2, 1, 0, 1)) == "2 before, 2 lost, 1 new; 100.0% of the frequency moved"
