"""What methods and deltas cost, measured."""

from __future__ import annotations

import numpy as np
import pytest

from support.helpers import log_of_paths, paper_log
from unsingle import anonymize, sweep, synthesize
from unsingle.errors import ParameterError
from unsingle.evaluation.figures import measure
from unsingle.evaluation.sweep import Sweep


def test_a_sweep_tries_every_method_at_every_delta() -> None:
    found: Sweep = sweep(synthesize(cases=150), [0.1, 0.4], ["amun", "twin"], runs=2, seed=1)
    assert [(point.method, point.delta) for point in found.points] == [
        ("amun", 0.1), ("amun", 0.4), ("twin", 0.1), ("twin", 0.4),
    ]  # fmt: skip
    by_key = {(point.method, point.delta): point for point in found.points}
    assert by_key["amun", 0.1].ratio > by_key["amun", 0.4].ratio > 1
    assert by_key["twin", 0.4].ratio == pytest.approx(1, abs=0.2)  # no case is added
    assert by_key["twin", 0.4].time_distance_hours < by_key["amun", 0.4].time_distance_hours
    assert by_key["amun", 0.1].megabytes > by_key["amun", 0.4].megabytes > 0
    assert found.to_polars("points").height == 4


def test_a_sweep_is_the_mean_of_its_runs() -> None:
    log = synthesize(cases=80)
    releases = [anonymize(log, 0.2, method="amun", seed=seed) for seed in (5, 6, 7)]
    ratios = [measure(log, release).oversampling_ratio for release in releases]
    assert sweep(log, [0.2], ["amun"], runs=3, seed=5).points[0].ratio == pytest.approx(np.mean(ratios))


def test_a_method_that_leaves_nothing_is_told_as_such() -> None:
    point = sweep(log_of_paths("AB", "AC", "AD"), [0.2], ["filter"], runs=1).points[0]
    assert np.isnan(point.ratio)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"deltas": [0.2, 1.5]}, "delta must be a number between 0 and 1"),
        ({"methods": ["twin", "twain"]}, "unknown method 'twain'"),
        ({"methods": ["blend"]}, "blend is gone"),
        ({"runs": 0}, "runs must be 1 or more"),
        ({"cases_per_person": 0}, "cases_per_person= must be a whole number from 1 to 1000"),
        ({"cases_per_person": 2}, "cases_per_person= needs a log that says whose each case is"),
        ({"cases_per_person": 2, "methods": ["amun"]}, "cases_per_person= does not go with the method amun"),
    ],
)
def test_settings_are_checked_before_any_work(settings: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        sweep(paper_log(), **settings)


def test_a_sweep_can_be_for_people_with_several_cases() -> None:
    log = synthesize(cases=300, several=0.1)
    found = sweep(log, [0.2], ["twin"], runs=1, seed=5, cases_per_person=5)
    release = anonymize(log, 0.2, cases_per_person=5, seed=5)
    assert found.points[0].time_distance_hours == measure(log, release).time_distance.hours
    assert (
        found.points[0].time_distance_hours != sweep(log, [0.2], ["twin"], runs=1, seed=5).points[0].time_distance_hours
    )
    assert found.unit_note == "Made for people with up to 5 cases, all of them together."


def test_the_verdict_names_the_method_with_the_truest_times() -> None:
    found = sweep(synthesize(cases=150), [0.2], ["amun", "twin"], runs=1, seed=1)
    best = min(found.points, key=lambda point: point.time_distance_share)
    assert found.verdict.startswith(f"At delta 0.2, {best.method} keeps times nearest to the truth: they are off by ")
    nothing = sweep(log_of_paths("AB", "AC", "AD"), [0.2], ["filter"], runs=1)
    assert nothing.verdict == "No method left anything of this log."


def test_a_trade_off_has_the_figures_of_the_measures_and_no_others() -> None:
    point = sweep(paper_log(), [0.2], ["twin"], runs=1).points[0]
    assert list(point.to_dict()) == [
        "method", "delta", "ratio", "smape", "time_distance_hours", "time_distance_share",
        "case_duration_distance_hours", "outside_span_share", "circadian_hours", "weekday_distance",
        "office_hours_before", "office_hours_after", "variants_lost", "trigram_distance", "work_in_progress_error",
        "megabytes",
    ]  # fmt: skip
    with pytest.raises(AttributeError, match="a trade-off has no figure 'beauty'; it has: ratio, smape"):
        point.beauty  # noqa: B018
