"""Kept columns of two logs, side by side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from support.helpers import examples, log_of_paths
from support.kept import AGE, AMOUNT, COST, ROLE, column_of, logs_with_columns, with_cells
from unsingle import EventLog
from unsingle.core.columns import CASE_ID, Column, Field, Kind, Level
from unsingle.evaluation.kept import NO_VALUE, OTHERS, Alike, Kept, NotCompared, kept_columns


def names(values: Alike) -> tuple[list[str], list[str]]:
    before, after = ([values.names[place] for place in side.tolist()] for side in (values.before, values.after))
    return before, after


def test_only_what_both_have_is_compared_and_the_rest_is_said() -> None:
    log = with_cells(log_of_paths("AB"), role=["x", None], cost=[1, 2], age=[40])
    ids = Column.of_texts(CASE_ID, ["7"])
    original = log.with_columns([*log.columns, ids])
    texts = Column.of_texts(Field("cost", Level.EVENT, Kind.TEXT), ["1", "2"])
    release = log.with_columns([log.column(ROLE), texts])
    kept, missing = kept_columns(original, release)
    assert [each.name for each in kept] == ["role"]
    assert missing == (
        NotCompared("cost", "it holds numbers in the original and texts in the release"),
        NotCompared("age", "the release does not have it"),
    )


def test_a_value_of_a_case_is_the_same_wherever_it_stands() -> None:
    log = log_of_paths("AB")
    in_trace = column_of(Field("age", Level.CASE, Kind.NUMBER), [41])
    kept, missing = kept_columns(with_cells(log, age=[40]), log.with_columns([in_trace]))
    assert [(each.name, each.is_whole) for each in kept] == [("age", False)]
    assert not missing


@given(logs_with_columns())
@examples(60)
def test_values_are_numbered_alike(log: EventLog) -> None:
    for column in log.columns:
        kept = Kept(column, column.take(np.arange(len(column))[::-1]))
        before, after = names(kept.values)
        assert before == after[::-1]
        assert [name == NO_VALUE for name in before] == (~column.present).tolist()
        if column.field.kind is not Kind.NUMBER:
            assert [name for name in before if name != NO_VALUE] == [str(c) for c in column.cells() if c is not None]


def test_any_numbers_lie_in_tenths_of_the_original() -> None:
    kept = Kept(column_of(AMOUNT, [*range(1, 101), None]), column_of(AMOUNT, [-5, 1000, 55]))
    before, after = names(kept.values)
    assert [before.count(name) for name in kept.values.names] == [1, *[10] * 10]
    assert after == ["under 10.9", "90.1 and more", "50.5 to 60.4"]
    empty = Kept(column_of(COST, [None]), column_of(COST, [3]))
    assert names(empty.values) == ([NO_VALUE], ["any number"])
    same = Kept(column_of(COST, [5, 5, 5]), column_of(COST, [4, 5]))
    assert names(same.values) == (["5 and more"] * 3, ["under 5", "5 and more"])


def test_pseudonyms_stand_beside_values_that_are_as_frequent() -> None:
    before = column_of(ROLE, ["nurse"] * 5 + ["doctor"] * 3 + ["clerk"] + [None])
    after = column_of(ROLE, ["value 2"] * 6 + ["value 1"] * 2 + ["OTHER", None])
    kept = Kept(before, after)
    assert kept.has_pseudonyms
    assert names(kept.values)[1] == ["nurse"] * 6 + ["doctor"] * 2 + ["OTHER", NO_VALUE]
    assert not Kept(after, after).has_pseudonyms
    assert names(Kept(after, after).values)[0] == names(Kept(after, after).values)[1]


@pytest.mark.parametrize(("most", "expected"), [(1, ["b", OTHERS]), (2, ["b", "a", OTHERS]), (9, ["b", "a", "c"])])
def test_all_but_the_most_frequent_are_pooled(most: int, expected: list[str]) -> None:
    values = Alike(("a", "b", "c", "unused"), np.array([1, 1, 0, 2]), np.array([2, 0]))
    pooled = values.pooled(most)
    assert list(pooled.names) == expected
    shown = [name if name in expected else OTHERS for name in names(values)[0]]
    assert names(pooled)[0] == shown


def test_ages_of_cases_that_stand_on_their_first_event_have_a_plain_name() -> None:
    kept = Kept(column_of(AGE, [4]), column_of(AGE, [5]))
    assert (kept.name, kept.of_cases, kept.is_text, kept.is_whole) == ("age", True, False, True)
