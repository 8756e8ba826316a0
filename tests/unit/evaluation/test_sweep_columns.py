"""What kept columns cost, and methods that cannot release them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.helpers import log_of
from support.kept import with_cells
from support.toy_columns import copies_columns
from unsingle import EventLog, Progress, sweep
from unsingle.cli.text import sweep_text
from unsingle.core.clock import HOUR
from unsingle.core.columns import PERSON, Column
from unsingle.evaluation.sweep import Sweep, tradeoffs
from unsingle.report import page_of, render


@pytest.fixture
def toy() -> Iterator[str]:
    with copies_columns() as name:
        yield name


def plain_log() -> EventLog:
    return log_of([("AB", [0, 10 * HOUR])] * 10)


def log_with_columns() -> EventLog:
    return with_cells(plain_log(), role=["x", "y"] * 10, channel=["web"] * 10, age=list(range(10)))


def swept(name: str, log: EventLog, **settings: object) -> Sweep:
    return sweep(log, methods=["amun", name], **{"deltas": [0.1, 0.2], "runs": 2, "seed": 1, **settings})


def test_each_column_is_left_out_in_turn(toy: str) -> None:
    costs = swept(toy, log_with_columns()).column_costs
    assert [(cost.method, cost.delta, cost.kept, cost.left_out) for cost in costs] == [
        (toy, 0.2, ("role", "case:channel"), ()),
        (toy, 0.2, ("case:channel",), ("role",)),
        (toy, 0.2, ("role",), ("case:channel",)),
        (toy, 0.2, (), ("role", "case:channel")),
    ]
    # an hour more for each column that is kept, of ten
    assert [cost.time_distance_share for cost in costs] == pytest.approx([0.2, 0.1, 0.1, 0])
    assert [cost.time_distance_hours for cost in costs] == pytest.approx([2, 1, 1, 0])
    assert [dict(cost.columns) for cost in costs] == [
        {"role": pytest.approx(2 / 20), "case:channel": pytest.approx(2 / 10)},
        {"case:channel": pytest.approx(1 / 10)},
        {"role": pytest.approx(1 / 20)},
        {},
    ]


def test_methods_that_cannot_release_columns_are_measured_without_them_and_it_is_said(toy: str) -> None:
    found = swept(toy, log_with_columns())
    assert [(point.method, point.delta) for point in found.points] == [
        ("amun", 0.1), ("amun", 0.2), (toy, 0.1), (toy, 0.2),
    ]  # fmt: skip
    assert not any(point.is_empty for point in found.points)
    assert found.columns_left_out == {"amun": ("role", "case:channel", "age"), toy: ("age",)}
    assert found.columns_note == (
        "amun cannot release role, case:channel, age: measured without. "
        "copies-columns cannot release age: measured without."
    )
    assert [point.time_distance_share for point in found.points[2:]] == pytest.approx([0.2, 0.2])


def test_one_column_is_kept_or_not(toy: str) -> None:
    costs = swept(toy, with_cells(plain_log(), role=["x", "y"] * 10)).column_costs
    assert [(cost.name, cost.time_distance_share) for cost in costs] == [
        ("all columns", pytest.approx(0.1)),
        ("no columns", 0),
    ]


def test_a_log_without_columns_has_no_costs(toy: str) -> None:
    persons = Column.of_texts(PERSON, [f"{i}" for i in range(10)])
    for log in (plain_log(), plain_log().with_columns([persons])):
        found = swept(toy, log)
        assert found.column_costs == ()
        assert found.columns_note == ""
        assert "Cost of columns" not in sweep_text(found)
        assert "costs the others" not in render(page_of(found))
    nobody = sweep(log_with_columns(), [0.2], ["amun"], runs=1)
    assert nobody.column_costs == ()
    assert nobody.columns_note == "amun cannot release role, case:channel, age: measured without."


def test_private_columns_reach_the_method(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    log = log_with_columns()
    log = log.with_columns([*log.columns, Column.of_texts(PERSON, [f"{i}" for i in range(10)])])
    monkeypatch.setattr("unsingle.evaluation.trials.made", lambda given, *_: seen.append(given.fields) or given)
    monkeypatch.setattr("unsingle.evaluation.trials.context_of", lambda *_: None)
    list(tradeoffs(log, [("amun", 0.2), (toy, 0.2)]))
    names = sorted([field.name for field in fields] for fields in seen)
    assert names == [["person"], ["role", "channel", "person"]]


def test_costs_are_in_text_page_and_data(toy: str) -> None:
    found = swept(toy, log_with_columns())
    lines = sweep_text(found).splitlines()
    start = lines.index("Cost of columns (copies-columns, delta 0.2): how far times and each column are off")
    assert [line.split() for line in lines[start + 1 : start + 6]] == [
        ["kept", "time", "distance", "of", "mean", "role", "case:channel"],
        ["all", "columns", "2.0", "h", "20%", "10%", "20%"],
        ["without", "role", "1.0", "h", "10%", "–", "10%"],
        ["without", "case:channel", "1.0", "h", "10%", "5.0%", "–"],
        ["no", "columns", "0", "s", "0%", "–", "–"],
    ]  # fmt: skip
    assert "amun cannot release role" in sweep_text(found)
    page = render(page_of(found))
    assert "What each kept column costs the others" in page
    assert "amun cannot release role, case:channel, age" in page
    rows = found.plain()["column_costs"]
    assert rows[1]["left_out"] == ["role"]
    assert rows[1]["columns"] == {"case:channel": pytest.approx(0.1)}
    assert found.to_polars("column_costs").height == 4


def test_progress_never_runs_backwards(toy: str) -> None:
    class Watched(Progress):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[float] = []

        def show(self, step: str, fraction: float) -> None:  # noqa: ARG002
            self.seen.append(fraction)

    watched = Watched()
    swept(toy, log_with_columns(), progress=watched)
    assert watched.seen == sorted(watched.seen)
    assert watched.seen[-1] == 1
