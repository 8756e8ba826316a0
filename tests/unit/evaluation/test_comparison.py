"""A log and its release side by side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from support.distances import stretched
from support.helpers import event_logs, examples, log_of, log_of_paths, paper_log
from unsingle import EventLog, anonymize, compare, synthesize
from unsingle.core.clock import DAY, HOUR, MINUTE
from unsingle.evaluation.comparison import END, START, STEP, Comparison


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
    assert "lost, and not to be relied on" in published.verdict
    assert "not to be relied on" not in ours.verdict


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
