"""Attacks on the values of kept columns: whom they are about, what they look at, and where they are tried."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.audits import AGE, CHANNEL, COST, ROLE, attacked, crowds, verdicts, ward
from support.helpers import event_logs, examples, log_of, log_of_paths, real_log_path
from unsingle import EventLog, ParameterError, audit, read_log
from unsingle.auditor import values
from unsingle.auditor.attacks import metadata, true_values
from unsingle.auditor.attacks import values as attacks
from unsingle.auditor.base import ATTACKS
from unsingle.auditor.findings import BROKEN, HOLDS, NOT_TESTED
from unsingle.auditor.insider import Insider
from unsingle.auditor.observed import Observed
from unsingle.auditor.targets import Targets
from unsingle.auditor.value_features import value_features
from unsingle.core.clock import MINUTE
from unsingle.core.columns import PERSON, Column, Field
from unsingle.core.log import ActivityParts
from unsingle.methods import METHODS, ladder
from unsingle.methods.synthetic import Synthetic
from unsingle.methods.twin import Twin
from unsingle.privacy.random import Randomness
from unsingle.progress import Progress

NEIGHBOURS = (values.with_usual_text, values.with_usual_number, values.with_other_values)


def cells(log: EventLog, field: Field) -> list[Any]:
    column = log.column(field)
    assert column is not None
    return column.cells()


def differing(log: EventLog, other: EventLog, field: Field) -> list[int]:
    """The rows in which a column of two logs differs."""
    both = zip(cells(log, field), cells(other, field), strict=True)
    return [row for row, (one, two) in enumerate(both) if one != two]


def test_the_rarest_text_is_exchanged_for_a_usual_one() -> None:
    log = ward()
    standing = values.rare_text(Targets(log))
    assert standing is not None
    assert (standing.field, standing.value, standing.usual) == (ROLE, "the mayor's doctor", "doctor")
    assert standing.case == log.n_cases - 1
    other = values.with_usual_text(Targets(log))
    assert other is not None
    assert differing(log, other, ROLE) == standing.rows.tolist() == [log.n_events - 3, log.n_events - 2]
    column = other.column(ROLE)
    assert column is not None
    assert "the mayor's doctor" not in column.texts  # as if it had never been there
    assert not any(differing(log, other, field) for field in (COST, AGE, CHANNEL))


def test_the_most_unusual_number_is_exchanged_for_the_median() -> None:
    log = ward()
    standing = values.unusual_number(Targets(log))
    assert standing is not None
    assert (standing.field, standing.value) == (COST, 90_000)
    assert isinstance(standing.usual, float)
    assert 90 <= standing.usual < 110
    other = values.with_usual_number(Targets(log))
    assert other is not None
    assert differing(log, other, COST) == standing.rows.tolist()
    assert len(standing.rows) == 2


def test_a_number_that_many_have_does_not_stand_out() -> None:
    log = log_of_paths(*["A"] * 20)
    ages = np.array([*[1000] * 5, *[20] * 14, 90])
    standing = values.unusual_number(Targets(log.with_columns([Column.of_numbers(AGE, ages)])))
    assert standing is not None
    assert (standing.value, standing.usual) == (90, 20)


def test_all_values_of_one_person_are_exchanged() -> None:
    log = ward()
    other = values.with_other_values(Targets(log))
    assert other is not None
    for field in (AGE, CHANNEL):
        assert len(differing(log, other, field)) == 1
    (case,) = differing(log, other, AGE)
    rows = differing(log, other, ROLE)
    assert rows == list(range(*log.case_offsets[case : case + 2].tolist()))
    assert len({cells(other, ROLE)[row] for row in rows}) == 1
    assert [cells(log, COST)[row] is not None for row in differing(log, other, COST)] == [True] * (len(rows) - 2)


def test_all_cases_of_a_person_are_exchanged_together() -> None:
    whose = Column.of_texts(PERSON, ["Ann", "Bob", "Bob", "Cid"])
    channel = Column.of_texts(CHANNEL, ["desk", "phone", "phone", "desk"])
    log = log_of_paths("A", "A", "A", "A").with_columns([whose, channel])
    for make in (values.with_usual_text, values.with_other_values):
        other = make(Targets(log))
        assert other is not None
        assert differing(log, other, CHANNEL) == [1, 2]
        assert cells(other, CHANNEL) == ["desk"] * 4


@pytest.mark.parametrize("make", NEIGHBOURS)
def test_without_columns_there_is_nobody_to_attack(make: Any) -> None:
    assert make(Targets(crowds())) is None
    empty = [Column.of_texts(CHANNEL, [None] * 28), Column.of_numbers(AGE, np.full(28, np.nan))]
    assert make(Targets(crowds().with_columns(empty))) is None


def test_columns_in_which_all_are_alike_hide_everybody_but_who_has_none() -> None:
    alike = [Column.of_texts(CHANNEL, ["desk"] * 28), Column.of_numbers(AGE, np.full(28, 7))]
    targets = Targets(crowds().with_columns(alike))
    assert values.rare_text(targets) is values.unusual_number(targets) is None
    other = values.with_other_values(targets)
    assert other is not None
    assert cells(other, CHANNEL).count(None) == cells(other, AGE).count(None) == 1


@st.composite
def logs_with_columns(draw: st.DrawFn) -> EventLog:
    """Arbitrary logs with arbitrary columns, also of whose each case is."""
    log = draw(event_logs())

    def texts(size: int) -> list[str | None]:
        return draw(st.lists(st.sampled_from([None, "a", "b", "c", "d"]), min_size=size, max_size=size))

    def numbers(size: int) -> np.ndarray:
        number = st.sampled_from([math.nan, 0.0, -7.5, 0.25, 3.0, 1e9])
        return np.array(draw(st.lists(number, min_size=size, max_size=size)))

    columns = [
        Column.of_texts(ROLE, texts(log.n_events)),
        Column.of_numbers(COST, numbers(log.n_events)),
        Column.of_texts(CHANNEL, texts(log.n_cases)),
        Column.of_numbers(AGE, np.round(numbers(log.n_cases))),
        Column.of_texts(PERSON, texts(log.n_cases)),
    ]
    return log.with_columns([column for column in columns if draw(st.booleans())])


@examples(60)
@given(log=logs_with_columns())
def test_neighbours_differ_in_the_values_of_one_person_and_in_nothing_else(log: EventLog) -> None:
    people = values.persons_of(log)
    for make in NEIGHBOURS:
        other = make(Targets(log))
        if other is None:
            continue
        assert other == log
        assert other.fields == log.fields
        case = np.repeat(np.arange(log.n_cases), np.diff(log.case_offsets))
        rows = {field: np.array(differing(log, other, field), dtype=int) for field in log.fields}
        whose = [people[rows[field] if field.of_cases else case[rows[field]]] for field in rows]
        assert len(set(np.concatenate(whose).tolist())) == 1


@examples(25)
@given(log=logs_with_columns())
def test_other_values_move_no_count_and_ask_for_the_same_tallies(log: EventLog) -> None:
    log = log.with_columns([column for column in log.columns if column.field != PERSON])
    given = {"org:role": ["a", "b"], "channel": ["c"]}
    public = {
        each.field.table_name: given[each.field.table_name] for each in log.columns if each.field in (ROLE, CHANNEL)
    }
    method = Twin(0.3, values=public).keeping(log.fields)
    assert isinstance(method, Twin)
    budget = method.release(log, Randomness(1), Progress()).budget
    assert budget is not None
    insider = Insider(method, budget)
    figures = insider.watch(log, Randomness(2))
    for make in NEIGHBOURS:
        if (other := make(Targets(log))) is None:
            continue
        odds = insider.odds(figures, other)
        assert odds.counts == 0
        assert math.isfinite(odds.tallies)
        assert set(odds.figures) == {cost.name for cost in budget.costs}


def test_released_texts_are_looked_for_on_the_path_at_the_activity_and_anywhere() -> None:
    log = ward()
    targets = Targets(log)
    features = value_features(targets, values.rare_text(targets))
    assert features is not None
    distinct, least, present, *rest = features(Observed(log, log))
    assert (distinct, least, present) == (3, 2, log.n_events)
    assert rest[:2] == [2, 0]  # on the path: twice theirs, no other doctor
    treats = int((log.activity_names() == "t").sum())
    assert rest[5:7] == rest[10:12] == [2, treats - 2]
    nobody = features(Observed(log, log.subset(np.arange(log.n_cases - 1))))
    assert len(nobody) == 3 + len(rest)
    assert nobody[3] == nobody[8] == nobody[13] == 0
    assert features(Observed(log, log.with_columns([]))) == []


def test_released_numbers_are_looked_for_in_the_same_places() -> None:
    log = ward()
    targets = Targets(log)
    features = value_features(targets, values.unusual_number(targets))
    assert features is not None
    found = features(Observed(log, log))
    assert found[0] == 2  # on the path
    assert found[6:8] == [2, 2]  # exactly, and nearly
    without = features(Observed(log, log.subset(np.arange(log.n_cases - 1))))
    assert without[0] == 0
    assert len(without) == len(found)
    assert np.isfinite(without).all()
    assert value_features(targets, None) is None


def test_attacks_on_values_are_tried_only_where_columns_are_kept() -> None:
    of_values = {name for name, attack in ATTACKS.items() if attack.of_columns}
    assert of_values == {name for name, attack in ATTACKS.items() if attack.kind == "value"}
    assert not of_values & set(verdicts(audit(crowds(), runs=2, seed=1)))
    found = verdicts(audit(ward(), runs=2, seed=1))
    assert of_values <= set(found)
    assert NOT_TESTED not in {found[name] for name in of_values}
    with pytest.raises(ParameterError, match="attacks are on kept columns, and there are none: name one with keep="):
        audit(crowds(), attacks=["value"])


def test_a_method_that_releases_no_columns_is_refused_as_by_anonymize() -> None:
    with pytest.raises(ParameterError, match="the method amun cannot release 'org:role'"):
        audit(ward(), method="amun")


@pytest.mark.parametrize("method", ladder())
def test_what_is_allowed_is_what_other_values_cost_in_the_budget(method: str) -> None:
    found = attacked(ward(600), method, "value", runs=2, delta=0.4)
    assert found.holds, found.verdict
    how = METHODS[method](0.4).keeping(ward().fields)
    assert isinstance(how, Synthetic)
    ways = [each.all_spent() for each in how.terms.ways or (how.terms,)]
    allowed = {each.attack: each.allowed for each in found.findings}
    assert allowed[attacks.RARE_VALUE.name] == max(way.lone_times.gain for way in ways) < 0.4
    assert allowed[true_values.LONE_VALUES.name] == max(way.lone_times.total_variation for way in ways)


@pytest.mark.slow
def test_all_attacks_hold_on_a_log_with_columns() -> None:
    found = audit(ward(), runs=12, seed=2)
    assert found.holds, found.verdict
    assert verdicts(found)[metadata.IDS.name] == HOLDS


def test_a_file_with_kept_columns_and_parts_of_activities_says_no_more_than_it_may() -> None:
    parts = {label: (label, "done") for label in "rtl"}
    log = replace(ward(), parts=ActivityParts(("concept:name", "lifecycle:transition"), parts))
    assert attacked(log, "twin", metadata.IDS.name, runs=2).findings[0].right == 0


def test_a_column_that_nobody_asked_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Twin.release

    def release(self, log, random, progress):
        made = sound(self, log, random, progress)
        origin = Field("origin", CHANNEL.level, CHANNEL.kind)
        more = Column.of_texts(origin, ["/home/hospital/log.xes"] * made.log.n_cases)
        return made._replace(log=made.log.with_columns([*made.log.columns, more]))

    monkeypatch.setattr(Twin, "release", release)
    assert verdicts(attacked(ward(), "twin", metadata.IDS.name, runs=2))[metadata.IDS.name] == BROKEN


def test_values_that_were_given_as_public_reveal_nobody() -> None:
    """One of twenty public values is the only person's; a release may have it all the same."""
    cases = [("AB", [i * MINUTE, (i + 1) * MINUTE]) for i in range(200)]
    channel = Column.of_texts(CHANNEL, [f"desk {i}" if i < 20 else "phone" for i in range(200)])
    log = log_of(cases).with_columns([channel])
    values_ = {"channel": list(channel.texts)}
    found = audit(log, 0.2, attacks=["true rare values"], runs=4, seed=1, values=values_)
    assert verdicts(found) == {"true rare values": NOT_TESTED}
    assert verdicts(audit(log, 0.2, attacks=["true rare values"], runs=4, seed=1)) == {"true rare values": HOLDS}


@pytest.mark.slow
def test_values_of_sepsis_are_found_out_no_better_than_promised() -> None:
    log = read_log(real_log_path("Sepsis"), keep=["org:group", "CRP"], keep_case=["Age"])
    found = attacked(log, "twin", attacks.ALL_VALUES_NOISED.name, runs=12).findings[0]
    assert found.verdict != BROKEN
    assert 0.03 < found.exact_gain < found.exact_high < found.allowed < 0.2
