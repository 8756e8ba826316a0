"""Times from start to complete."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.distances import slow_wasserstein
from support.helpers import cases_of, examples, log_of
from unsingle import EventLog
from unsingle.core.clock import HOUR
from unsingle.core.log import ActivityParts
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.service_time import SERVICE_TIME, ServiceTimeChange
from unsingle.evaluation.wasserstein import Distance

NAMES = {"a": ("call", "START"), "A": ("call", "COMPLETE"), "b": ("visit", "START"), "B": ("visit", "COMPLETE"),
         "s": ("call", "SCHEDULE")}  # fmt: skip


def with_parts(log: EventLog) -> EventLog:
    return replace(log, parts=ActivityParts(("task", "lifecycle:transition"), NAMES))


def of(original: EventLog, release: EventLog) -> ServiceTimeChange:
    return SERVICE_TIME.of(original, release, Context(original, release))


def hours(*cases: tuple[str, list[float]]) -> EventLog:
    return with_parts(log_of([(path, [int(time * HOUR) for time in times]) for path, times in cases]))


def test_by_hand() -> None:
    original = hours(("saA", [0, 1, 3]), ("abAB", [0, 1, 4, 5]), ("a", [0]))
    release = hours(("saA", [0, 1, 4]), ("abAB", [0, 1, 5, 6]), ("ab", [0, 1]))
    found = of(original, release)
    # calls took 2 and 4 hours and take 3 and 5; the visit took 4 and takes 5
    assert found == ServiceTimeChange(Distance(pytest.approx(1), pytest.approx(0.3)), pytest.approx(0.3), 3, 3, 1, 2)
    assert found.broken == 1  # of 5 starts, 1.25 would be usual
    assert SERVICE_TIME.text(found) == (
        "1.0 h, 30% of the mean, means off by 30%; starts without complete 1 before, 2 after"
    )
    assert SERVICE_TIME.plain(found)["service_pairs_broken"] == 1


def test_the_first_start_belongs_to_the_first_complete_after_it() -> None:
    crossed = hours(("AaaA", [0, 1, 2, 4]))
    assert of(crossed, crossed).pairs_before == 1
    shifted = hours(("AaaA", [0, 2, 2, 4]))
    assert of(crossed, shifted).distance.hours == pytest.approx(1)  # 1 to 4, not 2 to 4


def slow(log: EventLog) -> tuple[dict[str, list[int]], int]:
    """The times of each activity, and how many starts have no complete."""
    times, unfinished = defaultdict(list), 0
    for path, moments in cases_of(log):
        begun = defaultdict(list)
        for label, moment in zip(path, moments, strict=True):
            activity, state = NAMES[label]
            if state == "START":
                begun[activity].append(moment)
            elif state == "COMPLETE" and begun[activity]:
                times[activity].append(moment - begun[activity].pop(0))
        unfinished += sum(map(len, begun.values()))
    return times, unfinished


case = st.lists(st.tuples(st.sampled_from("aAbBs"), st.integers(0, 50)), min_size=1, max_size=12)
logs = st.lists(case, min_size=1, max_size=5).map(
    lambda cases: with_parts(
        log_of([([label for label, _ in each], sorted(time for _, time in each)) for each in cases])
    )
)


@given(logs, logs)
@examples(150)
def test_it_is_what_going_through_the_log_gives(original: EventLog, release: EventLog) -> None:
    context = Context(original, release)
    before, after = slow(original), slow(release)
    if context.services is None:
        return
    found = of(original, release)
    n = sum(map(len, before[0].values()))
    assert (found.pairs_before, found.unfinished_before) == (n, before[1])
    assert (found.pairs_after, found.unfinished_after) == (sum(map(len, after[0].values())), after[1])
    moved = sum(len(a) * slow_wasserstein(a, after[0].get(name) or [0]) for name, a in before[0].items())
    assert found.distance.hours * HOUR * n == pytest.approx(float(moved))
    assert of(original, original).distance == Distance(0, 0)


def test_labels_that_tell_no_starts_have_no_service_times() -> None:
    log = log_of([("AB", [0, 1])])
    assert not SERVICE_TIME.applies(Context(log, log))
    other = replace(log, parts=ActivityParts(("task", "place"), {"A": ("a", "x"), "B": ("b", "start")}))
    assert not SERVICE_TIME.applies(Context(other, other))


def test_rows_with_a_start_and_an_end_say_so_in_the_last_part() -> None:
    parts = ActivityParts(("task", "state"), {"A": ("start", "start"), "B": ("start", "complete")}, intervals=True)
    log = replace(log_of([("AB", [0, 2 * HOUR])]), parts=parts)
    bare = replace(log, parts=None)  # the labels are those of the original
    assert of(log, bare).pairs_after == 1
