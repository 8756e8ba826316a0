"""Distances beside their floors, and sentences that follow from the figures that are shown."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import event_logs, examples, log_of, log_of_paths, paper_log
from support.kept import with_made_up_columns
from unsingle import EventLog, assess_risk, compare, sweep, synthesize
from unsingle.cli.text import comparison_text, sweep_text
from unsingle.core.wording import shown_share
from unsingle.evaluation import floors as floors_module
from unsingle.evaluation.floors import floors, splits_of
from unsingle.evaluation.measures import MEASURES, Context
from unsingle.evaluation.measures.base import DistanceMeasure
from unsingle.evaluation.yardsticks import HALVES, Grade, Yardstick, summed_up
from unsingle.report import page_of, render

DISTANCES = [each for each in MEASURES.values() if isinstance(each, DistanceMeasure)]


def yardstick(distance: float, floor: float, share: float, aspect: str = "case starts") -> Yardstick:
    return Yardstick("start_distance_hours", aspect, distance, floor, share)


numbers = st.floats(0, 1e6, allow_subnormal=False)
YARDSTICKS = st.builds(
    yardstick,
    numbers,
    st.just(math.nan) | numbers,
    st.floats(0, 12) | st.just(math.inf),
    st.sampled_from(["starts", "hours", "days"]),
)


def test_the_floor_is_what_two_halves_of_the_cases_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    log = synthesize(cases=60, seed=2)
    seen: list[Context] = []

    class Watched(DistanceMeasure[float]):
        name, title, meaning = "watched", "watched", "Seen."

        def of(self, original: EventLog, release: EventLog, context: Context) -> float:  # noqa: ARG002
            seen.append(context)
            return float(len(seen))

    monkeypatch.setattr(floors_module, "chosen", lambda _: iter([Watched()]))
    assert floors(log, lambda _: True) == {"watched": 1.5}
    assert len(seen) == splits_of(log) == 2
    for context in seen:
        halves = context.original, context.release
        assert [half.n_cases for half in halves] == [30, 30]
        together = np.sort(np.concatenate([half.time for half in halves]))
        assert together.tolist() == np.sort(log.time).tolist()
        assert not set(halves[0].fields + halves[1].fields)
    assert seen[0].original.time.tolist() != seen[1].original.time.tolist()


def test_a_log_of_one_case_has_no_floor_and_a_large_one_a_cheaper_one(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = log_of([("AB", [0, 10**9])])
    assert floors(alone, lambda _: True) == {}
    found = compare(alone, log_of([("AB", [0, 2 * 10**9])]))
    assert all(math.isnan(each.times) for each in found.yardsticks)
    assert found.yardsticks[0].beside == "the log is too small to be halved"
    assert "too small to be halved" in render(page_of(found))
    monkeypatch.setattr(floors_module, "_LARGE", 10)
    assert splits_of(paper_log()) == 1


def test_floors_are_the_same_for_the_same_log() -> None:
    log = with_made_up_columns(synthesize(cases=50, seed=1))
    assert floors(log, lambda _: True) == floors(log, lambda _: True)


@pytest.mark.parametrize("measure", DISTANCES, ids=lambda measure: measure.name)
def test_a_distance_is_0_for_a_copy_and_a_share_of_something(measure: DistanceMeasure) -> None:
    log = synthesize(cases=40, seed=1)
    assert measure.distance(measure.of(log, log, Context(log, log))) == 0
    assert measure.scale(log) > 0


@given(event_logs(), event_logs())
@examples(25)
def test_yardsticks_are_those_of_the_measures(a: EventLog, b: EventLog) -> None:
    found = compare(a, b)
    assert [each.name for each in found.yardsticks] == [each.name for each in DISTANCES if each.name in found.measures]
    for each in found.yardsticks:
        measure = MEASURES[each.name]
        assert each.distance == measure.distance(found.measures[each.name]) >= 0
        assert measure.unit.text(each.distance) in each.cells()
    share = found.yardstick(MEASURES["time_distance"]).share
    assert share == pytest.approx(found.time_distance.share_of_mean, nan_ok=True)


@given(st.lists(YARDSTICKS, max_size=6))
@examples(300)
def test_the_sentence_follows_from_the_figures_that_are_shown(found: list[Yardstick]) -> None:
    """Whatever is shown alike is said alike, and each aspect is said under the grade that stands in the table."""
    said = summed_up(found)
    for each in found:
        (sentence,) = (part for part in re.split(r"(?<=\.) (?=[CRN])", said) if part.lower().startswith(each.grade))
        assert each.aspect in sentence
        if each.grade is not Grade.CLOSE:
            assert f"off by {each.share_text}" in sentence
            assert math.isnan(each.times) or math.isinf(each.times) or each.times_text in sentence
    rounded = [replace(each, share=shown_share(each.share)) for each in found if each.share < 10]
    assert summed_up(rounded) == summed_up([each for each in found if each.share < 10])
    assert said.count(HALVES) <= 1 + sum(math.isinf(each.times) for each in found)


@given(YARDSTICKS, YARDSTICKS)
@examples(300)
def test_what_is_further_off_never_gets_a_better_word(one: Yardstick, other: Yardstick) -> None:
    if math.isnan(one.times) or math.isnan(other.times):
        return
    if one.times <= other.times and one.share <= other.share:
        assert [*Grade].index(one.grade) <= [*Grade].index(other.grade)


def test_grades_by_hand() -> None:
    assert yardstick(30, 10, 0.3).grade is Grade.CLOSE  # three times
    assert yardstick(31, 10, 0.3).grade is Grade.ROUGH
    assert yardstick(31, 10, 0.02).grade is Grade.CLOSE  # but slight
    assert yardstick(101, 10, 0.11).grade is Grade.ROUGH  # ten times, as it is shown
    assert yardstick(110, 10, 0.11).grade is Grade.LOST
    assert yardstick(5, 10, 0.51).grade is Grade.LOST  # halves differ more: the log is too small to show it
    assert yardstick(5, math.nan, 0.1).grade is Grade.CLOSE
    assert yardstick(5, 0, 0.1).grade is Grade.ROUGH
    assert yardstick(5, 0, 0.1).beside == "two halves of your log do not differ in it"
    assert yardstick(0, 0, 0).beside == "no difference"
    assert yardstick(31, 10, 0.3).beside == f"3.1 times {HALVES}"
    assert yardstick(1, 1000, 0.3).beside == f"less than 0.1 times {HALVES}"
    assert [yardstick(x, 1, 0.3).times for x in (9.96, 10.4, 123.4)] == [10, 10, 123]
    shown = [yardstick(x, 1, 0.3).times for x in np.linspace(0, 200, 2001)]
    assert all(a <= b for a, b in pairwise(shown))


def test_the_verdict_of_a_comparison_by_hand() -> None:
    log = log_of_paths("AB", "AC", "AB", "AC")
    assert compare(log, log).verdict.startswith(
        "All 2 variants are there and none is new. There are 1.00 times as many cases. Close to the original: durations"
    )
    assert "Not to be relied on" not in compare(log, log).verdict
    lost = compare(synthesize(cases=60, seed=1), synthesize(cases=60, seed=1).subset(np.arange(5)))
    assert "Not to be relied on: " in lost.verdict
    assert "durations between events" in lost.verdict
    assert "times" in comparison_text(lost)
    assert {"floor", "times", "grade", "share"} <= lost.plain()["yardsticks"][0].keys()
    assert lost.to_polars("yardsticks").height == len(lost.yardsticks)


def test_a_sweep_has_a_row_of_floors() -> None:
    log = synthesize(cases=80, seed=1)
    found = sweep(log, [0.2], ["twin"], runs=1, seed=1)
    text = sweep_text(found)
    assert len(re.findall(r"^  two halves +– ", text, re.MULTILINE)) == 2  # one in each table
    assert found.halves["circadian_hours"] > 0
    assert "smape" not in found.halves
    assert HALVES in found.verdict
    page = page_of(found)
    assert page.sections[-1].rows[0][0] == "two halves of your log"
    plotted = next(section for section in page.sections if section.name == "circadian_hours")
    assert plotted.figure is not None
    assert plotted.figure["data"][-1]["y"] == [found.halves["circadian_hours"]]


@given(event_logs())
@examples(30)
def test_what_is_said_of_risk_follows_from_the_shares_that_are_named(log: EventLog) -> None:
    risk = assess_risk(log)
    *named, last = risk.verdict.split(". ")
    shares = [float(each) for each in re.findall(r"([\d.]+)%", ". ".join(named))]
    most = max(shares)
    if most == 0 and "under" not in risk.verdict:
        assert last == "None of this singles anybody out."
        return
    people = "most people" if most >= 50 else "some people" if most >= 1 else "few people"
    assert f"lets {people} be singled out: {most:g}% of cases" in last
