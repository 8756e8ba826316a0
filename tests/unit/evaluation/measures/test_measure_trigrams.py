"""Sequences of three activities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from support.distances import slow_total_variation
from support.helpers import cases_of, event_logs, examples, log_of_paths
from unsingle.core.log import EventLog
from unsingle.evaluation.kept import Alike
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.trigrams import TRIGRAMS, _trigrams


def distance(a: EventLog, b: EventLog) -> float:
    return TRIGRAMS.of(a, b, Context(a, b))


def grams(log: EventLog) -> list[tuple[str, ...]]:
    found = []
    for path, _ in cases_of(log):
        padded = ("", "", *path, "", "")
        found += [padded[i : i + 3] for i in range(len(path) + 2)]
    return found


@given(event_logs(), event_logs())
@examples(40)
def test_it_is_the_share_that_would_have_to_change(a: EventLog, b: EventLog) -> None:
    assert distance(a, b) == pytest.approx(float(slow_total_variation(grams(a), grams(b))))
    assert distance(a, a) == 0


def test_by_hand() -> None:
    # _ _ A, _ A B, A B _, B _ _ beside _ _ A, _ A C, A C _, C _ _
    assert distance(log_of_paths("AB"), log_of_paths("AC")) == 0.75
    assert distance(log_of_paths("AB"), log_of_paths("AB", "AB", "AB")) == 0
    assert TRIGRAMS.text(0.75) == "75%"


def test_many_labels_do_not_overflow() -> None:
    n = 3_000_000  # labels, whose number to the power of three does not fit 64 bits
    ends = np.array([0, 3])
    alike = Alike(range(n), np.array([0, n - 1, n - 2]), np.array([0, n - 1, n - 3]))  # type: ignore[arg-type]
    before, after = np.split(_trigrams(alike, ends, ends), 2)
    assert len(before) == len(after) == 5
    assert np.isin(before, after).tolist() == [True, True, False, False, False]
