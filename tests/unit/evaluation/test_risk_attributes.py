"""What kept columns add to what an attacker knows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from support.helpers import cases_of, examples, log_of, log_of_paths
from support.kept import logs_with_columns, with_cells, with_made_up_columns
from unsingle import EventLog, assess_risk, synthesize
from unsingle.cli.text import risk_text
from unsingle.core.clock import DAY, zone_offsets
from unsingle.core.columns import CASE_ID, Column
from unsingle.evaluation.risk.attributes import ALL, BESIDES, NOTHING, attribute_uniqueness
from unsingle.evaluation.risk.uniqueness import DATED, DAY_OF_START, WHOLE_PATH


def found(log: EventLog, known: str, besides: str = NOTHING) -> tuple[float, float]:
    (row,) = [each for each in attribute_uniqueness(log) if (each.known, each.besides) == (known, besides)]
    return row.unique_share, row.unique_share_without


def test_a_value_of_the_case_by_hand() -> None:
    log = log_of([("AB", [0, DAY]), ("AB", [0, DAY]), ("AC", [0, DAY]), ("A", [DAY])])
    log = with_cells(log, age=[20, 30, 30, None])
    assert found(log, "age") == (2 / 4, 0)  # 20, and the one without
    assert found(log, "age", DAY_OF_START) == (2 / 4, 1 / 4)
    assert found(log, "age", WHOLE_PATH) == (1, 2 / 4)


def test_a_value_of_one_event_by_hand() -> None:
    log = with_cells(log_of_paths("AB", "AB", "AB"), role=["x", "y", "x", "z", "x", "z"])
    # the first case is found by its B, which is known half of the time
    assert found(log, "role") == (pytest.approx(1 / 6), 0)
    with_age = with_cells(log, age=[1, 1, 2])
    # with its age, the third is found by any event, the first by its B and the second by its B
    assert found(with_age, ALL) == (pytest.approx((1 / 2 + 1 / 2 + 1) / 3), 0)


@given(logs_with_columns())
@examples(40)
def test_it_is_what_counting_gives(log: EventLog) -> None:
    paths = [path for path, _ in cases_of(log)]
    days = ((log.time + zone_offsets(log.zone, log.time)) // DAY).tolist()
    first, after = log.case_offsets[:-1].tolist(), log.case_offsets[1:].tolist()
    names, cells = log.activity_names().tolist(), {each.field.name: each.cells() for each in log.columns}
    cases = range(log.n_cases)
    whole = {
        NOTHING: [0] * log.n_cases,
        DAY_OF_START: [days[i] for i in first],
        DATED[0]: [0] * log.n_cases,
        WHOLE_PATH: paths,
    }

    def expected(known: list[str], besides: str) -> float:
        of_events = [cells[name] for name in known if name in ("role", "cost")]
        of_cases = [cells[name] for name in known if name not in ("role", "cost")]
        dated = besides == DATED[0]
        case_key = [(whole[besides][c], *(each[c] for each in of_cases)) for c in cases]
        if not (of_events or dated):
            return np.mean([case_key.count(key) == 1 for key in case_key])
        key = [(names[e], days[e] if dated else 0, *(each[e] for each in of_events)) for e in range(log.n_events)]
        held = [set(key[first[c] : after[c]]) for c in cases]
        left = [[sum(case_key[o] == case_key[c] and key[e] in held[o] for o in cases)
                 for e in range(first[c], after[c])] for c in cases]  # fmt: skip
        return np.mean([np.mean([each == 1 for each in row]) for row in left])

    shown = {"role": "role", "cost": "cost", "case:channel": "channel", "age": "age", "case:amount": "amount"}
    for each in attribute_uniqueness(log):
        known = list(shown.values()) if each.known == ALL else [shown[each.known]]
        assert each.unique_share == pytest.approx(expected(known, each.besides))
        assert each.unique_share_without <= each.unique_share + 1e-9
        assert each.unique_share <= each.few_share <= 1


def test_one_column_is_not_listed_twice_and_private_ones_not_at_all() -> None:
    log = with_cells(log_of_paths("AB"), role=["x", "y"])
    log = log.with_columns([*log.columns, Column.of_texts(CASE_ID, ["7"])])
    assert [(each.known, each.besides) for each in attribute_uniqueness(log)] == [("role", each) for each in BESIDES]
    assert attribute_uniqueness(log_of_paths("AB")) == ()


def test_risk_says_what_kept_columns_add() -> None:
    log = synthesize(cases=100, seed=1)
    plain, risk = assess_risk(log), assess_risk(with_made_up_columns(log))
    assert "kept columns" not in plain.verdict + risk_text(plain)
    assert "The day and the values of all kept columns single out 100%." in risk.verdict
    lines = risk_text(risk).splitlines()
    (start,) = [i for i, line in enumerate(lines) if line.startswith("  known, and besides:")]
    assert [line.split()[0] for line in lines[start + 1 : start + 8]] == [
        "(no", "role", "cost", "case:channel", "age", "case:amount", "all",
    ]  # fmt: skip
    assert max(map(len, lines[start - 1 : start + 8])) <= 80
    assert len(risk.plain()["attributes"]) == 6 * len(BESIDES)
    one = assess_risk(with_cells(log_of_paths("AB", "AC"), age=[1, 2]))
    assert "The day and its age single out 100%." in one.verdict
