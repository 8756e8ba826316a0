"""A log and its release side by side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from support.distances import stretched
from support.helpers import event_logs, examples, log_of, log_of_paths, paper_log
from support.kept import COST, ROLE, column_of, logs_with_columns, with_cells, with_lifecycles, with_made_up_columns
from unsingle import EventLog, anonymize, compare, synthesize
from unsingle.cli.text import comparison_text
from unsingle.core.clock import DAY, HOUR, MINUTE
from unsingle.evaluation.comparison import Comparison
from unsingle.evaluation.comparison_tables import END, START, STEP


@given(event_logs())
@examples(80)
def test_a_log_compared_with_itself_has_not_changed(log: EventLog) -> None:
    same = compare(log, log)
    assert same.time_distance.hours == same.case_duration_distance.hours == same.start_distance_hours == 0
    assert same.variant_change.lost == same.variant_change.added == same.edge_change.lost == same.edge_change.added == 0
    assert same.variant_change.frequency_distance == 0
    assert same.ratio == same.replay_share == same.variant_change.jaccard == 1
    assert all(edge.before == edge.after for edge in same.edges)
    assert all(edge.distance_hours == 0 for edge in same.edges if edge.kind == STEP)
    assert all(row.hours_before == row.hours_after for row in same.case_durations)
    assert all(row.before == row.after for row in same.arrivals + same.active)
    assert sum(row.before for row in same.arrivals) == log.n_cases


def test_cropped_and_shuffled_logs_have_changed() -> None:
    log = synthesize(cases=200, seed=3)
    cropped = log.subset(np.arange(100))
    found = compare(log, cropped)
    assert found.variant_change.lost > 0
    assert found.start_distance_hours > 0
    assert found.replay_share == 1
    activity = np.random.default_rng(1).permutation(log.activity)
    shuffled = compare(log, EventLog(log.labels, activity, log.time, log.case_offsets, log.zone))
    assert shuffled.variant_change.added > 0
    assert shuffled.edge_change.added > 0
    assert shuffled.replay_share < 1
    assert shuffled.time_distance.hours > 0


def test_the_papers_example_by_hand() -> None:
    """Table I, every step 30 minutes slower."""
    log = paper_log()
    found = compare(log, stretched(log, 30 * MINUTE))
    assert found.time_distance.hours == pytest.approx(0.5)
    # the cases last 5:55, 7:00, 7:25, 8:45 and 7:15 and have 12 steps
    assert found.mean_step_hours == pytest.approx((355 + 420 + 445 + 525 + 435) / 60 / 12)
    assert found.case_duration_distance.hours == pytest.approx((2 + 3 + 2 + 3 + 2) / 5 / 2)
    edges = {(edge.kind, edge.source, edge.target): edge for edge in found.edges}
    assert (edges[STEP, "A", "B"].before, edges[STEP, "A", "B"].after) == (3, 3)
    assert edges[STEP, "A", "B"].hours_before == pytest.approx((30 + 25 + 40) / 3 / 60)
    assert edges[STEP, "A", "B"].hours_after == pytest.approx((30 + 25 + 40) / 3 / 60 + 0.5)
    assert edges[STEP, "A", "B"].distance_hours == pytest.approx(0.5)
    assert edges[START, "", "A"].before == 3
    assert edges[START, "", "D"].before == 2
    assert edges[END, "C", ""].before == 5
    top = found.variants[0]
    assert (top.path, top.before, top.share_before) == (("A", "B", "C"), 2, 0.4)
    durations = {row.activity: row for row in found.durations}
    assert durations["E"].median_before == pytest.approx((30 + 75) / 2 / 60)
    assert durations["E"].mean_after == pytest.approx((30 + 75) / 2 / 60 + 0.5)
    assert "All 4 variants are there and none is new." in found.verdict


def test_the_verdict_says_how_far_durations_can_be_relied_on() -> None:
    log = synthesize(cases=400, seed=2)
    ours = compare(log, anonymize(log, 0.2, seed=1).log)
    published = compare(log, anonymize(log, 0.2, method="amun", as_published=True, seed=1).log)
    assert "Not to be relied on: durations between events (off by " in published.verdict
    assert "durations between events" in ours.verdict.partition("Not to be relied on")[0]


def test_logs_with_nothing_in_common_can_be_compared() -> None:
    found = compare(log_of_paths("AB", "AC"), log_of_paths("XY", "X"))
    assert found.replay_share == 0
    assert found.variant_change.jaccard == 0
    assert "cannot be compared" in found.verdict


def test_active_cases_and_arrivals_are_counted_over_time() -> None:
    log = log_of([("AB", [0, 48 * HOUR]), ("AB", [24 * HOUR, 72 * HOUR])])
    found = compare(log, log)
    assert [(row.time[:10], row.before) for row in found.active] == [
        ("1970-01-01", 1), ("1970-01-02", 2), ("1970-01-03", 2), ("1970-01-04", 1), ("1970-01-05", 0),
    ]  # fmt: skip
    assert [row.before for row in found.arrivals][:2] == [1, 1]


def test_activities_may_be_named_like_anything() -> None:
    log = log_of([(["start", "end", "step"], [0, HOUR, 2 * HOUR])] * 3)
    edges = {(edge.kind, edge.source, edge.target): edge.before for edge in compare(log, log).edges}
    assert edges == {
        (STEP, "start", "end"): 3, (STEP, "end", "step"): 3, (START, "", "start"): 3, (END, "step", ""): 3,
    }  # fmt: skip


def test_periods_begin_at_midnight_of_the_log_s_own_zone_and_end_with_it() -> None:
    log = log_of([("A", [i * DAY + 23 * HOUR]) for i in range(10)], zone="Europe/Berlin")
    later = log_of([("A", [i * DAY + 23 * HOUR]) for i in range(100, 110)], zone="Europe/Berlin")
    found = compare(log, later)
    assert {row.time[10:] for row in found.arrivals} == {"T00:00:00.000+01:00"}
    assert sum(row.before for row in found.arrivals) == 10
    assert sum(row.after for row in found.arrivals) == 0  # far beyond: in no period


def test_a_release_brings_its_guarantee_along() -> None:
    log = paper_log()
    found = compare(log, anonymize(log, 0.2, seed=1))
    assert found.guarantee.startswith("twin, delta 0.2. Someone who knows every other case, with all its times, gains")
    assert found.one_person_paths == 3
    assert found.people_alone == (
        "The paths of 3 of 5 people, which nobody else took, are published: anyone who knows enough of such a path can "
        "read the rest. Their times are protected."
    )
    assert compare(log, log).guarantee == ""


def test_tables_and_frames() -> None:
    found: Comparison = compare(paper_log(), paper_log())
    assert {"edges", "variants", "durations", "case_durations", "arrivals", "active"} <= set(found.tables)
    assert found.to_polars("edges").height == len(found.edges)
    assert "PRIVATE" in found._repr_html_()


@given(logs_with_columns())
@examples(40)
def test_kept_columns_compared_with_themselves_have_not_changed(log: EventLog) -> None:
    same = compare(log, log)
    assert same.column_losses == {"role": 0, "cost": 0, "case:channel": 0, "age": 0, "case:amount": 0}
    assert not same.not_compared
    for rows in (same.activity_values, same.handover_values, same.case_shares, same.end_shares):
        assert all((row.before, row.share_before) == (row.after, row.share_after) for row in rows)
    groups: dict = {}
    for row in (*same.activity_values, *same.end_shares):
        groups[row.column, row.given] = groups.get((row.column, row.given), 0) + row.share_before
    assert list(groups.values()) == pytest.approx([1] * len(groups))
    assert all(row.values_before == row.values_after for row in same.kept_columns)
    assert sum(row.before for row in same.activity_values) == log.n_events
    assert sum(row.before for row in same.handover_values) == log.n_events - log.n_cases
    assert sum(row.before for row in same.case_shares) == 3 * log.n_cases


def test_tables_of_columns_by_hand() -> None:
    log = log_of([("AB", [0, HOUR]), ("AB", [0, HOUR]), ("A", [0])])
    original = with_cells(log, role=["x", "y", "x", None, "y"], cost=[1, 5, 3, 7, None], age=[40, 50, None])
    release = with_cells(log, role=["x", "x", "x", "x", "x"], cost=[1, 5, 3, None, None], age=[40, 40, 40])
    found = compare(original, release)
    rows = {(row.given, row.value): (row.before, row.after, row.share_before) for row in found.activity_values}
    assert rows == {
        ("A", "x"): (2, 3, pytest.approx(2 / 3)), ("A", "y"): (1, 0, pytest.approx(1 / 3)),
        ("B", "x"): (0, 2, 0), ("B", "y"): (1, 0, 0.5), ("B", "(no value)"): (1, 0, 0.5),
    }  # fmt: skip
    steps = {(row.given, row.value): (row.before, row.after) for row in found.handover_values}
    assert steps == {("x", "y"): (1, 0), ("x", "(no value)"): (1, 0), ("x", "x"): (0, 2)}
    numbers = {row.activity: row for row in found.activity_numbers}
    assert (numbers["A"].numbers_before, numbers["A"].median_before, numbers["A"].mean_before) == (2, 2, 2)
    assert numbers["A"].share_before == pytest.approx(2 / 3)
    assert (numbers["B"].numbers_after, numbers["B"].median_after) == (1, 5)
    assert [(row.value, row.before, row.after) for row in found.case_shares] == [
        ("(no value)", 1, 0), ("40", 1, 3), ("50", 1, 0),
    ]  # fmt: skip
    assert {(row.given, row.value): row.before for row in found.end_shares if row.before} == {
        ("A", "(no value)"): 1, ("B", "40"): 1, ("B", "50"): 1,
    }  # fmt: skip
    assert [row.before for row in found.case_numbers][::5] == [40, 45, 50]
    role = found.kept_columns[0]
    assert (role.level, role.kind, role.values_before, role.values_after, role.missing_before) == (
        "event", "text", 2, 1, pytest.approx(0.2),
    )  # fmt: skip


def test_columns_are_in_the_text_and_in_data() -> None:
    log = with_made_up_columns(synthesize(cases=60, seed=1))
    lacking = log.with_columns([column for column in log.columns if column.field != COST])
    found = compare(log, lacking)
    text = " ".join(comparison_text(found).split())
    assert "values by activity role off by 0%" in text
    assert "not compared cost: the release does not have it" in text
    plain = found.plain()
    assert plain["values_by_activity"] == {"role": 0.0}
    assert plain["handovers"] == {"role": {"all_values": 0.0, "most_frequent": 0.0}}
    assert plain["not_compared"] == [{"column": "cost", "reason": "the release does not have it"}]
    assert found.to_polars("activity_values").height == len(found.activity_values)
    assert found.verdict.endswith(
        "Of the kept columns, values are off: role by 0%, case:channel by 0%, age by 0%, case:amount by 0%. cost is "
        "not compared: the release does not have it."
    )


def test_pseudonyms_are_said() -> None:
    log = log_of_paths("AB", "AB")
    found = compare(with_cells(log, role=["x", "y", "x", "x"]), with_cells(log, role=["value 1", "value 2"] * 2))
    assert found.notes == [("pseudonyms", "role: compared with the values that are as frequent")]
    assert found.column_losses == {"role": pytest.approx(1 / 4)}


def test_names_of_columns_cannot_play_with_the_terminal() -> None:
    log = log_of_paths("AB").with_columns([column_of(ROLE, ["x", "y"])])
    odd = log.with_columns([column_of(type(ROLE)("a\x1b[31m\nb", ROLE.level, ROLE.kind), ["x", "y"])])
    text = comparison_text(compare(odd, odd))
    assert "\x1b" not in text
    assert r"a\x1b[31m\nb off by 0%" in text


def test_service_times_are_compared_where_labels_tell_starts() -> None:
    log = with_lifecycles(log_of([("AB", [0, 2 * HOUR]), ("AB", [0, 4 * HOUR]), ("A", [0])]))
    found = compare(log, stretched(log, HOUR))
    (row,) = found.service_durations
    assert (row.activity, row.pairs_before, row.pairs_after) == ("task 0", 2, 2)
    assert (row.mean_before, row.mean_after, row.distance_hours) == (3, 4, 1)
    assert (row.unfinished_before, row.unfinished_after) == (1, 1)
    assert "service times" in comparison_text(found)
    assert not compare(log_of_paths("AB"), log_of_paths("AB")).service_durations
