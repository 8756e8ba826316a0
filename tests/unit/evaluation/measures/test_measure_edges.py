"""What became of the directly-follows edges."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from support.helpers import cases_of, event_logs, examples, log_of, log_of_paths, paper_log
from unsingle.evaluation.measures import Context, SetChange, pair_distances
from unsingle.evaluation.measures.edges import EDGES


def change(original, release):
    return EDGES.of(original, release, Context(original, release))


def test_a_lost_case_moves_the_frequencies_of_its_edges():
    """The paper's log with X in place of its last case, AEC."""
    changed = log_of([*cases_of(paper_log())[:4], ("X", [0])])
    moved = 2 * abs(3 / 12 - 3 / 10) + 2 * abs(2 / 12 - 1 / 10) + abs(2 / 12 - 2 / 10)
    assert change(paper_log(), changed) == SetChange(5, 5, 0, 0, 1, pytest.approx(moved / 2))


def test_nothing_is_left_or_nothing_ever_was():
    assert change(log_of_paths("AB", "BC"), log_of_paths("AB", "AD", "D")) == SetChange(2, 2, 1, 1, 1 / 3, 0.5)
    assert change(log_of_paths("A"), log_of_paths("B")) == SetChange(0, 0, 0, 0, 1, 0)
    assert EDGES.text(SetChange(2, 2, 1, 1, 1 / 3, 0.5)) == "2 before, 1 lost, 1 new; 50.0% of the frequency moved"


@given(event_logs())
@examples(100)
def test_directly_follows_counts_neighbours_of_a_case(log):
    pairs = [pair for path, _ in cases_of(log) for pair in pairwise(path)]
    counted = {(each.source, each.target): each.before for each in pair_distances(log, log)}
    assert counted == {pair: pairs.count(pair) for pair in pairs}
