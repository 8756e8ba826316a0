"""Released cases that fit the original's directly-follows graph."""

from __future__ import annotations

from support.helpers import log_of_paths
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.replay import REPLAY


def replayed(original, release):
    return REPLAY.of(original, release, Context(original, release))


def test_every_step_from_start_to_end_must_be_known():
    original = log_of_paths("ABC", "BD")
    assert replayed(original, log_of_paths("ABD", "BC")) == 1  # new paths of known steps
    assert replayed(original, log_of_paths("ABC", "AD", "AB", "CB")) == 1 / 4  # no such step, end or start
    assert replayed(original, log_of_paths("X")) == 0
    assert REPLAY.text(0.25) == "25.0% of released cases fit the original's directly-follows graph"
