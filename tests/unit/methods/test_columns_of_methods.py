"""Columns that are kept: which methods release them, and what users say of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pytest

from support.helpers import log_of
from unsingle import EventLog, ParameterError, anonymize, read_log
from unsingle.core.columns import Column, Field, Kind, Level
from unsingle.core.intervals import starts_and_ends
from unsingle.methods.columns import looks_like_staff
from unsingle.methods.twin import Twin

ROLE = Field("org:role", Level.EVENT, Kind.TEXT)
RESOURCE = Field("org:resource", Level.EVENT, Kind.TEXT)
COST = Field("cost", Level.EVENT, Kind.NUMBER)
AGE = Field("age", Level.CASE, Kind.INTEGER)
CHANNEL = Field("channel", Level.FIRST, Kind.TEXT)


def clinic(cases: int = 400) -> EventLog:
    """Nurses register and doctors treat, at a cost; young people come by phone."""
    log = log_of([(("register", "treat", "leave"), (0, 60_000, 120_000))] * cases)
    young = np.arange(cases) % 2 == 0
    role = ["nurse", "doctor", "nurse"] * cases
    cost = np.tile([np.nan, 100.0, np.nan], cases)
    return log.with_columns(
        [
            Column.of_texts(ROLE, role),
            Column.of_texts(RESOURCE, [f"{each} {i % 2}" for i, each in enumerate(role)]),
            Column.of_numbers(COST, cost),
            Column.of_numbers(AGE, np.where(young, 20, 80)),
            Column.of_texts(CHANNEL, ["phone" if each else "desk" for each in young]),
        ]
    )


def kept(log: EventLog, field: Field) -> list[Any]:
    column = log.column(field)
    assert column is not None
    return column.cells()


def test_released_columns_have_the_fields_of_the_original() -> None:
    log = clinic()
    release = anonymize(log, seed=1)
    assert release.log.fields == log.fields
    assert [len(column) for column in release.log.columns] == [
        release.log.n_events if field.level is Level.EVENT else release.log.n_cases for field in log.fields
    ]


def test_who_does_what_at_which_cost_is_kept() -> None:
    release = anonymize(clinic(2000), seed=1).log
    names = release.activity_names()
    doctors = np.array(kept(release, ROLE)) == "doctor"
    assert doctors[names == "treat"].mean() > 0.97
    assert doctors[names != "treat"].mean() < 0.03
    costs = np.array(kept(release, COST), dtype=float)
    assert np.isnan(costs[names != "treat"]).all()
    assert 90 < np.nanmedian(costs) < 110


def test_a_start_and_its_end_have_the_values_of_one_row() -> None:
    chance = np.random.default_rng(1)
    tasks, minutes = ["A", "B", "A"], [0, 5, 20]  # the second A begins before the first one ends
    times = [1_700_000_000_000 + 60_000 * (1000 * case + minute) for case in range(400) for minute in minutes]
    begun = pl.Series(times)
    rows = {"case": np.repeat(np.arange(400), 3), "task": tasks * 400, "begun": begun}
    rows |= {"ended": begun + 1_800_000, "cost": chance.lognormal(3, 1, 1200)}
    rows |= {"role": chance.choice(["x", "y", "z"], 1200)}
    frame = pl.DataFrame(rows).with_columns(pl.col("begun", "ended").cast(pl.Datetime("ms", "UTC")))
    log = read_log(frame, time="ended", start="begun", keep=["cost", "role"])
    release = anonymize(log, seed=1).log
    first, last = starts_and_ends(release)
    assert (first != last).mean() > 0.9
    for field in log.fields:
        values = np.array(kept(release, field), dtype=object)
        assert (values[first] == values[last]).all()
        assert len(set(values)) > 2


def test_staff_are_pseudonyms_unless_their_names_are_asked_for() -> None:
    log = clinic()
    assert set(kept(anonymize(log, seed=1).log, RESOURCE)) <= {f"value {i}" for i in range(1, 5)} | {"OTHER"}
    shown = anonymize(log, seed=1, names=["org:resource"]).log
    assert set(kept(shown, RESOURCE)) <= {"nurse 0", "nurse 1", "doctor 0", "doctor 1", "OTHER"}
    hidden = anonymize(log, seed=1, pseudonyms=["org:role"]).log
    assert {"value 1", "value 2"} <= set(kept(hidden, ROLE)) <= {"value 1", "value 2", "OTHER"}


def test_public_values_are_taken_as_they_are_and_leak_nothing() -> None:
    release = anonymize(clinic(), seed=1, values={"org:role": ["nurse"], "channel": ["phone"], "org:resource": ["x"]})
    assert set(kept(release.log, ROLE)) == {"nurse", "OTHER"}
    assert release.method.terms.value_leak == 0  # type: ignore[attr-defined]
    assert anonymize(clinic(), seed=1).method.terms.value_leak > 0  # type: ignore[attr-defined]


def test_numbers_are_rounded_to_the_step() -> None:
    release = anonymize(clinic(), seed=1, round={"cost": 25, "case:age": 10}).log
    costs = [cost for cost in kept(release, COST) if cost is not None]
    assert all(cost % 25 == 0 for cost in costs)
    assert all(age % 10 == 0 for age in kept(release, AGE))
    assert np.isin(kept(release, AGE), [20, 80]).mean() > 0.9


def test_a_value_of_one_person_is_not_published() -> None:
    log = clinic()
    cells = kept(log, CHANNEL)
    cells[7] = "the mayor's own line"
    log = log.with_columns([*log.columns[:-1], Column.of_texts(CHANNEL, cells)])
    for method in ("twin", "twin-crowds", "strict"):
        for seed in range(5):
            assert "the mayor's own line" not in kept(anonymize(log, 0.4, method=method, seed=seed).log, CHANNEL)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"values": {"role": ["nurse"]}},
            "values= names 'role', which is not kept: name it with keep= too (kept: 'org:",
        ),
        ({"values": {"org:role": "nurse"}}, "values= for 'org:role' must be a list of texts"),
        ({"values": {"cost": ["7"]}}, "values= is for columns of text, and 'cost' holds numbers"),
        ({"round": {"org:role": 5}}, "round= is for columns of numbers, and 'org:role' holds text"),
        ({"round": {"cost": 0}}, "round= for 'cost' must be a number above 0 (not 0)"),
        ({"round": {"cost": "five"}}, "round= for 'cost' must be a number above 0 (not 'five')"),
        ({"pseudonyms": ["age"]}, "pseudonyms= names 'age', which is not kept"),
        (
            {"pseudonyms": ["org:role"], "names": ["org:role"]},
            "'org:role' cannot be published both by pseudonyms= and by names=",
        ),
    ],
)
def test_what_is_said_of_columns_must_fit_them(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        anonymize(clinic(20), **given)


def test_what_is_said_of_a_column_that_nobody_keeps_is_refused() -> None:
    with pytest.raises(ParameterError, match="which is not kept"):
        anonymize(clinic(20).with_columns([]), round={"cost": 5})


@pytest.mark.parametrize("method", ["amun", "sample", "filter", "as-published"])
def test_methods_that_copy_cases_refuse_columns(method: str) -> None:
    message = (
        f"the method {method} cannot release 'org:role': leave it out of keep=, or take twin or twin-crowds or strict"
    )
    with pytest.raises(ParameterError, match=re.escape(message)):
        anonymize(clinic(20), method=method)


def test_the_promise_names_the_columns_and_pays_for_them() -> None:
    release = anonymize(clinic(), seed=1)
    assert "whether they had this or that in 'org:role', 'org:resource', 'cost', 'case:age', 'channel'" in str(
        release.guarantee
    )
    assert release.budget is not None
    assert release.budget.spent <= 0.4
    names = {cost.name for cost in release.budget.costs}
    assert {"how often each value is: case:age", "what values go with: org:role"} <= names
    assert Twin(0.2).attributes == ()


@pytest.mark.parametrize(("name", "staff"), [("Resource", True), ("assigned user", True), ("role", False)])
def test_columns_of_staff_are_known_by_their_names(name: str, staff: bool) -> None:
    assert looks_like_staff(name) is staff


@pytest.mark.parametrize("method", ["twin", "twin-crowds", "strict"])
@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("kind", Kind)
def test_a_column_that_nobody_has_is_released_as_well(method: str, level: Level, kind: Kind) -> None:
    """Were it refused, a release would show that somebody has a value."""
    log, field = clinic(300).with_columns([]), Field("hiv", level, kind)
    n = log.n_events if level is Level.EVENT else log.n_cases
    column = Column.of_texts(field, [None] * n) if kind is Kind.TEXT else Column.of_numbers(field, np.full(n, np.nan))
    release = anonymize(log.with_columns([column]), method=method, seed=1).log
    assert set(kept(release, field)) <= {None, "OTHER", 0, 1, 0.01}  # by noise, what is nearest to nothing


@pytest.mark.parametrize("method", ["twin", "twin-crowds", "strict"])
@pytest.mark.parametrize("odd", ["A", "AA"])
def test_paths_of_one_event_have_columns_too(method: str, odd: str) -> None:
    log = log_of([(("A",), (0,))] * 999 + [(tuple(odd), tuple(range(len(odd))))])
    log = log.with_columns([Column.of_texts(ROLE, ["nurse"] * log.n_events)])
    release = anonymize(log, method=method, seed=1).log
    assert set(kept(release, ROLE)) <= {"nurse", "OTHER", None}
    assert "nurse" in kept(release, ROLE) or method == "strict"


def test_pseudonyms_stand_in_an_order_that_says_nothing() -> None:
    names = [f"clerk {letter}" for letter in "abcdefgh"]
    log = log_of([(("A",), (0,))] * 4000)
    log = log.with_columns([Column.of_texts(RESOURCE, names * 500)])
    column = anonymize(log, seed=1).log.column(RESOURCE)
    assert column is not None
    assert list(column.texts) == sorted(column.texts)


def test_two_columns_of_one_name_are_refused() -> None:
    log = clinic(20).with_columns([])
    one = Column.of_texts(Field("case:n", Level.EVENT, Kind.TEXT), ["x"] * log.n_events)
    other = Column.of_texts(Field("n", Level.CASE, Kind.TEXT), ["x"] * log.n_cases)
    with pytest.raises(ParameterError, match="there are two columns 'case:n'"):
        anonymize(log.with_columns([one, other]))


def test_huge_numbers_are_numbers() -> None:
    log = clinic(300).with_columns([])
    values = np.full(log.n_cases, 5.0)
    values[0] = 1e308
    release = anonymize(log.with_columns([Column.of_numbers(AGE, values)]), seed=1).log
    assert np.nanmax(kept(release, AGE)) < 1000


def test_memory_is_looked_at_before_noise_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused afterwards may not depend on the log itself."""
    asked = []
    monkeypatch.setattr(
        "unsingle.methods.synthetic.refuse_too_many_events", lambda events, released: asked.append((events, released))
    )
    release = anonymize(clinic(100), seed=1).log
    assert set(asked[:-1]) == {(300, 300)}
    assert asked[-1] == (release.n_events, release.n_events)
