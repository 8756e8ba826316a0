from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import unsingle.core.log
from support.helpers import cases_of, event_logs, examples, log_of, log_of_paths, paper_log
from unsingle.core.log import EventLog, SourceColumns
from unsingle.errors import LogError


def build(labels=("A", "B"), activity=(0, 1, 0), time=(1, 2, 3), offsets=(0, 2, 3)):
    return EventLog(labels, np.array(activity, np.int32), np.array(time, np.int64), np.array(offsets, np.int64))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"activity": (), "time": (), "offsets": (0,)}, "no events"),
        ({"labels": ("A", "A")}, "distinct"),
        ({"time": (1, 2)}, "fit"),
        ({"time": (1, 2, 3, 4)}, "fit"),
        ({"offsets": (1, 2, 3)}, "fit"),
        ({"offsets": (0, 2)}, "fit"),
        ({"offsets": (0, 2, 4)}, "fit"),
        ({"offsets": (0, 2, 2, 3)}, "fit"),
        ({"offsets": (0, 2, 1, 3)}, "fit"),
        ({"offsets": (0,)}, "no events"),
        ({"activity": (0, -1, 0)}, "label"),
        ({"activity": (0, 2, 0)}, "label"),
        ({"time": (2, 1, 3)}, "order of time"),
        ({"time": (1, 3, 2), "offsets": (0, 3)}, "order of time"),
    ],
)
def test_a_log_that_contradicts_itself_is_refused(broken, message):
    with pytest.raises(LogError, match=message):
        build(**broken)


def test_a_log_without_offsets_is_refused():
    with pytest.raises(LogError):
        build(offsets=())


def test_time_may_go_back_from_one_case_to_the_next():
    assert build(time=(5, 6, 1)).n_cases == 2


def test_no_events_at_all_are_refused():
    nothing = np.array([], dtype=np.int64)
    with pytest.raises(LogError, match="no events"):
        EventLog.from_events(nothing, nothing, nothing, [])


def test_equal_times_keep_the_order_of_their_source():
    log = EventLog.from_events(
        case=np.array([2, 1, 2, 1, 2]),
        activity=np.array([2, 1, 0, 0, 1]),
        time=np.array([7, 7, 7, 7, 5]),
        labels=["A", "B", "C"],
    )
    assert cases_of(log) == [(("B", "A"), (7, 7)), (("B", "C", "A"), (5, 7, 7))]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3), st.integers(-2, 2)), min_size=1))
@examples(200)
def test_events_in_any_order_are_sorted_stably(events):
    case, activity, time = np.array(events).T
    log = EventLog.from_events(case, activity, time, "ABCD")
    ordered = sorted(events, key=lambda event: (event[0], event[2]))
    cases = sorted({event[0] for event in events})
    expected = [tuple(zip(*[("ABCD"[a], t) for c, a, t in ordered if c == wanted], strict=True)) for wanted in cases]
    assert cases_of(log) == expected


@given(event_logs())
@examples(150)
def test_variants_are_the_distinct_paths_numbered_by_their_first_case(log):
    oracle = {}
    of_case = [oracle.setdefault(path, len(oracle)) for path, _ in cases_of(log)]
    variants, names = log.variants, np.array(log.labels, dtype=object)
    edges = variants.offsets
    paths = [tuple(names[variants.path[a:b]]) for a, b in pairwise(edges)]
    assert paths == list(oracle)
    assert variants.of_case.tolist() == of_case
    assert variants.cases.tolist() == [of_case.count(v) for v in range(len(oracle))]


@given(event_logs())
@example(log_of_paths("AB", "BA", "AB", "BB"))
@examples(100)
def test_colliding_hashes_do_not_mix_variants_up(log):
    right = log.variants
    honest, salts = unsingle.core.log.mix_pair, []

    def colliding(first, second, salt):
        salts.append(salt)
        return np.zeros(len(first), np.uint64) if salt < 2 else honest(first, second, salt)

    again = EventLog(log.labels, log.activity, log.time, log.case_offsets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unsingle.core.log, "mix_pair", colliding)
        assert again.variants.of_case.tolist() == right.of_case.tolist()
        assert again.variants.path.tolist() == right.path.tolist()
        assert again.variants.offsets.tolist() == right.offsets.tolist()
    assert max(salts) == (2 if right.count > 1 else 0)


def test_variants_that_differ_in_length_only_are_told_apart():
    assert log_of_paths("A", "AA", "AAA", "AA").variants.of_case.tolist() == [0, 1, 2, 1]


def test_variant_counts_of_the_paper():
    assert paper_log().variant_counts() == {
        ("A", "B", "C"): 2,
        ("D", "A", "E", "C"): 1,
        ("D", "A", "B", "C"): 1,
        ("A", "E", "C"): 1,
    }


@given(event_logs())
@examples(100)
def test_starts_ends_and_first_events_of_cases(log):
    cases = cases_of(log)
    assert log.n_cases == len(cases)
    assert log.n_events == sum(len(path) for path, _ in cases)
    assert log.case_starts.tolist() == [times[0] for _, times in cases]
    assert log.case_ends.tolist() == [times[-1] for _, times in cases]
    assert log.is_first.tolist() == [i == 0 for path, _ in cases for i in range(len(path))]


def test_logs_are_equal_by_events_and_names_not_by_numbers_zone_or_origin():
    log = build()
    assert log == build(labels=("B", "A", "unused"), activity=(1, 0, 1))
    assert log == EventLog(
        log.labels, log.activity, log.time, log.case_offsets, "Europe/Berlin", source=SourceColumns("c", "a", "t")
    )


@pytest.mark.parametrize(
    "change", [{"time": (1, 2, 4)}, {"activity": (0, 1, 1)}, {"labels": ("A", "C")}, {"offsets": (0, 1, 3)}]
)
def test_logs_with_other_events_differ(change):
    assert build() != build(**change)


def test_a_log_equals_nothing_else_and_has_no_hash():
    assert build() != "log"
    with pytest.raises(TypeError):
        hash(build())


def test_a_tie_in_another_order_is_another_log():
    assert log_of([("AB", [1, 1])]) != log_of([("BA", [1, 1])])
