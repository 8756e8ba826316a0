"""What an attacker could find before any release."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from support.helpers import cases_of, event_logs, examples, log_of, log_of_paths, paper_log, real_log_path
from unsingle import EventLog, ParameterError, assess_risk, read_log
from unsingle.core.automaton import build_automaton
from unsingle.core.clock import DAY, HOUR, MINUTE
from unsingle.core.columns import PERSON, Column
from unsingle.core.log import grid_of
from unsingle.core.precision import Precision
from unsingle.evaluation.risk import Risk, delta_for_persons, gain_of_person
from unsingle.evaluation.risk.persons import person_figures
from unsingle.mechanisms.timeline import Timeline
from unsingle.methods.amun import Amun
from unsingle.methods.twin import Twin
from unsingle.privacy.laws import Pair
from unsingle.privacy.terms import same_paths


def unique(risk: Risk, known: str) -> float:
    return next(each.unique_share for each in risk.uniqueness if each.known == known)


def test_the_papers_example_by_hand() -> None:
    """Table I: paths ABC twice, DAEC, DABC and AEC once each."""
    risk = assess_risk(paper_log())
    assert (risk.cases, risk.events, risk.variants, risk.activities) == (5, 17, 4, 5)
    assert risk.unique_paths == 3
    assert unique(risk, "the whole path") == 3 / 5
    assert unique(risk, "the first 2 activities") == 1 / 5  # AE; AB and DA are two each
    assert unique(risk, "the last 2 activities") == 0  # BC three times, EC twice
    assert unique(risk, "how many events") == 0  # 3, 4, 3, 4, 3
    assert unique(risk, "the day it began") == 0
    assert unique(risk, "how long it took, to the hour") == 2 / 5  # 5, 7, 7, 8, 7 hours
    assert unique(risk, "the whole path and all times") == 1
    assert unique(risk, "1 event picked at random, with its day") == 0  # all on one day
    by_name = {row.activity: row for row in risk.by_activity}
    assert (by_name["D"].cases, by_name["D"].events) == (2, 2)
    assert by_name["D"].unique_path_share == 1  # DAEC and DABC
    assert by_name["A"].cases == 5


@given(event_logs())
@examples(100)
def test_uniqueness_is_what_counting_gives(log: EventLog) -> None:
    risk = assess_risk(log)
    cases = cases_of(log)

    def share(key) -> float:
        keys = [key(*case) for case in cases]
        return sum(keys.count(each) == 1 for each in keys) / len(keys)

    assert unique(risk, "the whole path") == pytest.approx(share(lambda path, _: path))
    assert unique(risk, "the first 2 activities") == pytest.approx(share(lambda path, _: path[:2]))
    assert unique(risk, "the last 5 activities") == pytest.approx(share(lambda path, _: path[-5:]))
    assert unique(risk, "how many events") == pytest.approx(share(lambda path, _: len(path)))
    assert unique(risk, "how long it took, to the hour") == pytest.approx(
        share(lambda _, times: (times[-1] - times[0]) // HOUR)
    )
    assert unique(risk, "the whole path and all times") == pytest.approx(share(lambda path, times: (path, times)))
    for each in risk.uniqueness:
        assert 0 <= each.unique_share <= each.few_share <= 1


def test_any_activities_find_the_case_that_alone_has_them() -> None:
    risk = assess_risk(log_of_paths(*["AB"] * 9, "ABX"))
    assert unique(risk, "3 activities picked at random, without order") == pytest.approx(1 / 10)  # all of the last one
    many = assess_risk(log_of_paths(*["AAAB"] * 5, "AABB"))
    # two of A and one of B fit both; only three of A, or two of B, tell
    assert 0 < unique(many, "3 activities picked at random, without order") < 1 / 6 + 1e-9


def test_any_dated_events_find_the_case_that_alone_has_them() -> None:
    log = log_of([("AB", [0, DAY]), ("AB", [0, 2 * DAY]), ("AB", [0, 2 * DAY])])
    risk = assess_risk(log)
    # the first case is told by its B, which is picked half of the time, or in pairs always
    assert 0 < unique(risk, "1 event picked at random, with its day") < 1 / 3
    assert unique(risk, "2 events picked at random, with their days") == pytest.approx(1 / 3)


def test_the_day_is_that_of_the_logs_own_zone() -> None:
    """23:00 UTC on one day and 01:00 UTC on the next are one day in Berlin's summer."""
    summer = 1_720_000_000_000 // DAY * DAY
    log = log_of([("A", [summer + 23 * HOUR]), ("A", [summer + 25 * HOUR])], zone="Europe/Berlin")
    assert unique(assess_risk(log), "the day it began") == 0
    utc = log_of([("A", [summer + 23 * HOUR]), ("A", [summer + 25 * HOUR])])
    assert unique(assess_risk(utc), "the day it began") == 1


def priors(log: EventLog) -> np.ndarray:
    return Timeline(log, grid_of(log), "start").priors(build_automaton(log.variants), Precision.parse(0.1))


def test_priors_are_shares_within_the_precision() -> None:
    log = log_of([("AB", [0, m * MINUTE]) for m in (0, 5, 10, 100)])
    assert priors(log).tolist() == [0.75, 0.75, 0.75, 0.25]
    alone = log_of_paths("AB", "AC")
    assert priors(alone).tolist() == [1, 1]


def test_outliers_are_told_by_their_length() -> None:
    usual = [("AB", [i * DAY, i * DAY + (60 + i) * MINUTE]) for i in range(20)]
    log = log_of([*usual, ("AB", [0, 90 * HOUR])])
    outlier = assess_risk(log).outliers[0]
    assert (outlier.after, outlier.activity) == ("A", "B")
    assert outlier.hours == 90
    assert outlier.next_longest_hours == pytest.approx(79 / 60)
    assert outlier.usual_hours == pytest.approx(70 / 60)


def test_rare_variants_are_the_rare_ones_shortest_first() -> None:
    log = log_of_paths(*["AB"] * 6, "ACD", "AD", "AD")
    assert [(row.path, row.cases) for row in assess_risk(log).rare_variants] == [
        (("A", "C", "D"), 1),
        (("A", "D"), 2),
    ]


# ----------------------------------------------------------------------------- several cases of one person


def of_persons(log: EventLog, *persons: str | None) -> EventLog:
    """The log with the person of each case."""
    return replace(log, columns=(Column.of_texts(PERSON, persons),))


def test_a_case_without_a_person_counts_as_one_of_its_own() -> None:
    risk = assess_risk(of_persons(log_of_paths("AB", "AC", "AB", "AB"), "x", None, "x", None))
    assert [(row.cases, row.persons) for row in risk.by_person] == [(1, 2), (2, 1)]


def test_a_person_with_several_cases_is_promised_less() -> None:
    risk = assess_risk(of_persons(log_of_paths("AB", "AC", "AB", "AB"), "x", "x", "x", "y"))
    assert [(row.cases, row.persons) for row in risk.by_person] == [(1, 1), (3, 1)]
    terms = same_paths(0.2)
    ratio, mu = float(terms.ratio), 2 * math.sqrt(terms.rho)
    assert risk.by_person[0].gain == pytest.approx(Pair((ratio, ratio), mu).gain) == pytest.approx(0.2, abs=1e-5)
    assert risk.by_person[1].gain == pytest.approx(Pair((ratio**3, ratio**3), 3 * mu).gain)
    assert 0.4 < risk.by_person[1].gain < 0.5
    assert risk.persons_verdict.startswith("One person has 3 cases: at delta 0.2 a guess about them gains up to 0.4")
    assert "Release it by person, with up to 3 cases per person" in risk.persons_verdict
    assert f"nobody's risk grows by more than 0.2; else it takes delta {delta_for_persons(0.2, 3):g}." in (
        risk.persons_verdict
    )


def test_all_people_with_most_cases_are_counted() -> None:
    risk = assess_risk(of_persons(log_of_paths("AB", "AC", "AB", "AB", "AB"), "x", "x", "y", "y", "z"))
    assert risk.persons_verdict.startswith(
        "2 people have 2 cases each: at delta 0.2 a guess about one of them gains up to"
    )


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.45])
@pytest.mark.parametrize("cases", [1, 2, 3, 10, 400])
def test_the_delta_to_ask_for_is_enough_for_everybody_and_hardly_less(delta: float, cases: int) -> None:
    needed = delta_for_persons(delta, cases)
    assert needed is not None
    assert gain_of_person(needed, cases) <= delta
    assert needed == delta if cases == 1 else gain_of_person(1.15 * needed, cases) > delta


@pytest.mark.parametrize("cases", [1, 2, 5])
def test_the_gain_about_a_person_bounds_that_of_the_noise_on_counts(cases: int) -> None:
    """All cases of a person on one path or on another: total variation by enumeration of both counts."""
    a, reach = float(same_paths(0.2).ratio), 60
    law = np.array([(1 - a) / (1 + a) * a ** abs(z) for z in range(-reach, reach + 1)])
    moved = np.append(np.zeros(cases), law[:-cases])
    apart = np.maximum(0, np.outer(law, moved) - np.outer(moved, law)).sum()
    assert apart / 2 <= Pair((a**cases, a**cases)).gain + 1e-9
    assert Pair((a**cases, a**cases)).gain <= gain_of_person(0.2, cases)


def test_a_person_with_very_many_cases_cannot_be_protected() -> None:
    assert delta_for_persons(0.1, 10**6) is None
    risk = assess_risk(of_persons(log_of_paths(*["AB"] * 3), "x", "x", "x"))
    assert "no delta is small enough" in replace(risk, delta_needed=None).persons_verdict
    many = assess_risk(of_persons(log_of_paths(*["AB"] * 1001), *["x"] * 1001))
    assert "So many cases of one person cannot be covered" in many.persons_verdict


def test_the_table_of_cases_per_person_says_who_is_covered_and_at_which_cost() -> None:
    log = of_persons(log_of_paths(*["AB"] * 9, "AC", "AC"), *"aaaabbbcd", *"cd")
    figures = person_figures(log, Twin(0.2, cases_per_person=2))
    assert figures is not None
    assert (figures.cases_per_person, figures.people, figures.with_more) == (2, 4, 2)
    assert [(row.cases, row.persons) for row in figures.by_cases] == [(2, 2), (3, 1), (4, 1)]
    gains = [row.gain for row in figures.by_cases]
    assert gains[0] == pytest.approx(0.2, abs=1e-5)
    assert gains == sorted(gains)
    assert [(row.cases_per_person, row.with_more) for row in figures.choices] == [(2, 2), (3, 1), (4, 0)]
    assert [row.gain <= 0.2 for row in figures.choices] == [False, False, True]
    noise = [row.count_noise for row in figures.choices]
    assert noise == sorted(noise)
    law = same_paths(0.2, cases_per_person=4)
    a = float(law.ratio)
    assert noise[-1] ** 2 == pytest.approx(2 * sum((1 - a) / (1 + a) * z * z * a**z for z in range(1, 2000)))
    assert person_figures(log_of_paths("AB"), Twin(0.2)) is None
    assert person_figures(log, Amun(0.2)) is None


def test_people_with_many_different_numbers_of_cases_give_a_short_table() -> None:
    names = [str(n) for n in range(1, 30) for _ in range(n)]
    figures = person_figures(of_persons(log_of_paths(*["AB"] * len(names)), *names), Twin(0.2))
    assert figures is not None
    assert len(figures.choices) == 8
    assert (figures.choices[0].cases_per_person, figures.choices[-1].cases_per_person) == (1, 29)
    assert {each.cases_per_person for each in figures.choices} <= set(range(1, 30))
    asked = person_figures(of_persons(log_of_paths(*["AB"] * len(names)), *names), Twin(0.2, cases_per_person=6))
    assert asked is not None
    assert 6 in [each.cases_per_person for each in asked.choices]
    many = of_persons(log_of_paths(*["AB"] * 900, "AB"), *["x"] * 900, "y")
    little = person_figures(many, Twin(0.0001))
    assert little is not None
    assert [each.cases_per_person for each in little.choices] == [1]  # noise for 900 cases is not drawn


def test_one_case_per_person_is_as_assumed() -> None:
    risk = assess_risk(of_persons(log_of_paths("AB", "AC"), "x", "y"))
    assert risk.persons_verdict == "Every person has one case, as is assumed."
    assert risk.delta_needed == 0.2


def test_the_verdict_looks_at_days_too() -> None:
    """One path, but every case on a day of its own."""
    risk = assess_risk(log_of([("AB", [i * DAY, i * DAY + HOUR]) for i in range(6)]))
    assert risk.unique_paths == 0
    assert risk.verdict.startswith("Nobody is alone on a path. The day a case began singles out 100% of cases, ")
    assert "most people" in risk.verdict


def test_the_verdict_is_made_from_the_figures_that_it_names() -> None:
    """Two events with their days single out most people, though paths and starts do not: the verdict says so."""
    log = log_of([("AB", [0, i * DAY]) for i in range(1, 9)])
    risk = assess_risk(log)
    assert risk.verdict == (
        "Nobody is alone on a path. The day a case began singles out 0% of cases, two of its events with their days "
        "100%. Published as it is, this log lets most people be singled out: 100% of cases by one of these alone."
    )


def test_many_repetitions_and_unused_labels() -> None:
    log = log_of([("A" * 300, list(range(300))), ("AB", [0, 1])])
    used = EventLog((*log.labels, "never"), log.activity, log.time, log.case_offsets)
    risk = assess_risk(used)
    assert [row.activity for row in risk.by_activity] == ["B", "A"]
    assert unique(risk, "5 activities picked at random, without order") > 0


def test_a_step_that_is_hardly_longer_is_no_outlier() -> None:
    log = log_of([("AB", [0, (1000 + i) * MINUTE]) for i in range(20)])
    assert assess_risk(log).outliers == ()
    assert assess_risk(log).to_polars("outliers").columns[:2] == ["activity", "after"]


def test_without_persons_nothing_is_said_of_them() -> None:
    risk = assess_risk(paper_log())
    assert risk.by_person == ()
    assert risk.persons_verdict == ""
    assert risk.delta_needed is None


# ---------------------------------------------------------------------------------------------- the result


def test_the_result_is_tables_and_frames_and_a_notebook_display() -> None:
    risk = assess_risk(paper_log())
    assert set(risk.tables) >= {"uniqueness", "by_activity"}
    assert risk.to_polars("by_activity").height == 5
    assert len(risk.to_pandas("uniqueness")) == len(risk.uniqueness)
    shown = risk._repr_html_()
    assert "PRIVATE, DO NOT PUBLISH" in shown
    assert "the whole path" in shown
    with pytest.raises(KeyError, match="there is no table 'nothing'; there are: uniqueness"):
        risk.to_polars("nothing")


def test_labels_are_text_in_the_notebook_display() -> None:
    risk = assess_risk(log_of([(["<b>bold</b>", "B"], [0, 5])]))
    assert "<b>bold" not in risk._repr_html_()
    assert "&lt;b&gt;bold" in risk._repr_html_()


def test_a_wrong_delta_or_precision_is_told() -> None:
    with pytest.raises(ParameterError, match="delta must be"):
        assess_risk(paper_log(), delta=2)
    with pytest.raises(ParameterError, match="precision 'soon'"):
        assess_risk(paper_log(), precision="soon")


def test_what_is_known_of_sepsis() -> None:
    risk = assess_risk(read_log(real_log_path("Sepsis")))
    assert (risk.unique_paths, risk.cases) == (784, 1050)
    assert risk.unique_path_share == pytest.approx(784 / 1050)
    assert "784 of 1,050 cases (75%) took a path nobody else took" in risk.verdict
    assert "most people" in risk.verdict
