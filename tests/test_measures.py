from datetime import UTC, datetime
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import cases_of, event_logs, examples, log_of, log_of_paths, paper_log
from unsingle import compare
from unsingle.clock import HOUR, MINUTE, SECOND
from unsingle.log import EventLog
from unsingle.measures import (
    SetChange,
    active_cases,
    case_duration_distance,
    pair_distances,
    smape,
    start_distance,
    time_distance,
    wasserstein,
)


def variant_changes(original, release):
    return compare(original, release).variant_change


def edge_changes(original, release):
    return compare(original, release).edge_change


numbers = st.integers(-5, 20) | st.sampled_from([0, 10**12, 2**60])
grouped = st.lists(st.tuples(st.integers(0, 3), numbers), max_size=30)


@given(st.lists(st.tuples(numbers, numbers)))
@examples(200)
def test_smape_is_the_mean_of_relative_errors(pairs):
    errors = [abs(t - a) / (abs(t) + abs(a)) if t or a else 0 for t, a in pairs]
    true, released = np.array(pairs, np.int64).reshape(-1, 2).T
    assert smape(true, released) == pytest.approx(sum(errors) / len(errors) if errors else 0)


def slow_wasserstein(a, b):
    """The area between the distribution functions."""
    points = sorted(set(a) | set(b))
    area = Fraction(0)
    for left, right in pairwise(points):
        below_a, below_b = (Fraction(sum(x <= left for x in xs), len(xs)) for xs in (a, b))
        area += abs(below_a - below_b) * (right - left)
    return area


@given(grouped, grouped)
@examples(200)
def test_wasserstein_is_the_area_between_the_distributions_of_each_group(a, b):
    (group_a, values_a), (group_b, values_b) = (np.array(x, np.int64).reshape(-1, 2).T for x in (a, b))
    distances = wasserstein(group_a, values_a, group_b, values_b, 4)
    for group, distance in enumerate(distances.tolist()):
        ours, theirs = ([value for g, value in x if g == group] for x in (a, b))
        if ours and theirs:
            assert distance == pytest.approx(float(slow_wasserstein(ours, theirs)), rel=1e-9)
        else:
            assert np.isnan(distance)


def stretched(log, milliseconds):
    """The log with every step longer by so much."""
    place = np.concatenate([np.arange(len(times)) for _, times in cases_of(log)])
    return EventLog(log.labels, log.activity, log.time + place * milliseconds, log.case_offsets)


@given(event_logs())
@examples(100)
def test_a_log_is_at_no_distance_from_itself(log):
    assert time_distance(log, log).hours == time_distance(log, log).share_of_mean == 0
    assert case_duration_distance(log, log).hours == 0
    assert start_distance(log, log) == 0
    assert variant_changes(log, log).frequency_distance == edge_changes(log, log).frequency_distance == 0
    assert variant_changes(log, log).jaccard == edge_changes(log, log).jaccard == 1


def test_a_log_of_slower_steps_is_as_far_away_as_they_are_slower():
    log = paper_log()
    distance = time_distance(log, stretched(log, 2 * HOUR))
    steps = [step for _, times in cases_of(log) for step in np.diff(times)]
    assert distance.hours == pytest.approx(2)
    assert distance.share_of_mean == pytest.approx(2 * HOUR / np.mean(steps))


def test_the_distance_of_steps_is_weighted_by_the_original():
    original = log_of([("AB", [0, HOUR])] * 3 + [("AC", [0, HOUR])])
    release = log_of([("AB", [0, HOUR])] + [("AC", [0, 5 * HOUR])] * 7)
    assert time_distance(original, release).hours == pytest.approx(1)
    assert time_distance(release, original).hours == pytest.approx(4 * 7 / 8)


def test_the_distance_of_steps_goes_by_names_not_by_numbers():
    log = paper_log()
    reverse = EventLog(log.labels[::-1], (len(log.labels) - 1 - log.activity), log.time, log.case_offsets)
    assert log == reverse
    assert time_distance(log, reverse).hours == 0


def test_steps_that_are_lost_count_as_if_they_took_no_time():
    original = log_of([("AB", [0, HOUR]), ("AC", [0, 2 * HOUR])])
    assert time_distance(original, log_of([("AB", [0, 4 * HOUR])])).hours == pytest.approx((3 + 2) / 2)
    assert time_distance(original, log_of([("BA", [0, HOUR])])).hours == pytest.approx(1.5)
    assert time_distance(original, log_of([("A", [0])])).share_of_mean == pytest.approx(1)
    assert time_distance(log_of([("A", [0])]), original).hours == 0


def test_a_share_of_no_time_at_all_is_infinite():
    distance = time_distance(log_of([("AB", [0, 0])]), log_of([("AB", [0, HOUR])]))
    assert (distance.hours, distance.share_of_mean) == (1, np.inf)


def test_distances_of_case_durations_and_starts():
    log = paper_log()
    later = EventLog(log.labels, log.activity, log.time + 3 * HOUR, log.case_offsets)
    assert start_distance(log, later) == pytest.approx(3)
    assert case_duration_distance(log, later).hours == time_distance(log, later).hours == 0
    slower = stretched(log, HOUR)
    durations = [times[-1] - times[0] for _, times in cases_of(log)]
    added = [len(times) - 1 for _, times in cases_of(log)]
    distance = case_duration_distance(log, slower)
    exact = slow_wasserstein(durations, [d + n * HOUR for d, n in zip(durations, added, strict=True)])
    assert distance.hours == pytest.approx(float(exact) / HOUR)
    assert distance.share_of_mean == pytest.approx(float(exact) / np.mean(durations))


def changed_paper_log():
    """The paper's log with X in place of its last case, AEC."""
    return log_of([*cases_of(paper_log())[:4], ("X", [0])])


def test_changes_of_variants_of_the_papers_log():
    change = variant_changes(paper_log(), changed_paper_log())
    assert change == SetChange(4, 4, 1, 1, 3 / 5, pytest.approx(0.2))


def test_changes_of_edges_of_the_papers_log():
    change = edge_changes(paper_log(), changed_paper_log())
    moved = 2 * abs(3 / 12 - 3 / 10) + 2 * abs(2 / 12 - 1 / 10) + abs(2 / 12 - 2 / 10)
    assert change == SetChange(5, 5, 0, 0, 1, pytest.approx(moved / 2))


def test_changes_where_nothing_is_left_or_nothing_ever_was():
    assert variant_changes(log_of_paths("AB", "C"), log_of_paths("D")) == SetChange(2, 1, 2, 1, 0, 1)
    assert edge_changes(log_of_paths("AB", "BC"), log_of_paths("AB", "AD", "D")) == SetChange(2, 2, 1, 1, 1 / 3, 0.5)
    assert edge_changes(log_of_paths("A"), log_of_paths("B")) == SetChange(0, 0, 0, 0, 1, 0)


@given(event_logs())
@examples(100)
def test_directly_follows_counts_neighbours_of_a_case(log):
    pairs = [pair for path, _ in cases_of(log) for pair in pairwise(path)]
    counted = {(each.source, each.target): each.before for each in pair_distances(log, log)}
    assert counted == {pair: pairs.count(pair) for pair in pairs}


def test_active_cases_of_the_papers_log():
    def at(hour, minute):
        return int(datetime(2020, 8, 8, hour, minute, tzinfo=UTC).timestamp()) * SECOND

    moments = [at(10, 19), at(10, 20), at(13, 35), at(16, 15), at(16, 16), at(23, 55), at(23, 56)]
    assert active_cases(paper_log(), np.array(moments)).tolist() == [0, 1, 3, 4, 3, 1, 0]


@given(event_logs(), st.lists(st.integers(0, 4 * MINUTE), max_size=10))
@examples(100)
def test_a_case_is_active_from_its_start_to_its_end(log, moments):
    moments = np.array([*moments, *log.case_starts, *log.case_ends])
    expected = [sum(t[0] <= moment <= t[-1] for _, t in cases_of(log)) for moment in moments]
    assert active_cases(log, moments).tolist() == expected
