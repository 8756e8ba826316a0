import pickle
import time
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unsingle.core.automaton
from support.helpers import cases_of, event_logs, examples, log_of_paths, paper_log
from unsingle.core.automaton import build_automaton
from unsingle.core.log import EventLog, Paths
from unsingle.errors import LogError

SECONDS = 20

words = st.sets(st.text("AB", min_size=1, max_size=6) | st.text("ABC", min_size=1, max_size=4), min_size=1)


def branches(automaton):
    """For each state its transitions as {activity: target}; fails if one activity leads two ways."""
    result = [{} for _ in range(automaton.n_states)]
    for source, activity, target in zip(
        automaton.source.tolist(), automaton.activity.tolist(), automaton.target.tolist(), strict=True
    ):
        assert activity not in result[source], "not deterministic"
        result[source][activity] = target
    return result


def accepted(automaton, labels):
    """All words that the automaton accepts."""
    ways = branches(automaton)
    found, open_ = [], [(0, "")]
    while open_:
        state, word = open_.pop()
        if automaton.final[state]:
            found.append(word)
        open_ += [(target, word + labels[activity]) for activity, target in ways[state].items()]
    return found


def right_languages(paths):
    """For each prefix the set of ways to go on: the states of the minimal automaton are its distinct values."""
    prefixes = {path[:i] for path in paths for i in range(len(path) + 1)}
    return {prefix: frozenset(path[len(prefix) :] for path in paths if path.startswith(prefix)) for prefix in prefixes}


def random_variants(n, seed):
    random = np.random.default_rng(seed)
    lengths = random.integers(5, 16, n)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    activity = random.integers(0, 10, offsets[-1]).astype(np.int32)
    time_ = np.zeros(len(activity), np.int64)
    return EventLog(tuple("ABCDEFGHIJ"), activity, time_, offsets).variants


def one_variant(activity):
    n = len(activity)
    return Paths(np.asarray(activity, np.int32), np.array([0, n], np.int64), np.ones(1, np.int64))


def assert_paths_are_walked(automaton, variants):
    """Every variant is a walk from the initial to a final state by its own activities."""
    step = automaton.of_path
    first, last = variants.offsets[:-1], variants.offsets[1:] - 1
    assert (automaton.activity[step] == variants.path).all()
    assert (automaton.source[step[first]] == 0).all()
    assert automaton.final[automaton.target[step[last]]].all()
    goes_on = np.delete(np.arange(len(step)), last)
    assert (automaton.target[step[goes_on]] == automaton.source[step[goes_on + 1]]).all()


def assert_minimal(automaton):
    """No two states can be continued alike, given that no two of their targets can."""
    seen = {
        (bool(final), *sorted(ways.items())) for final, ways in zip(automaton.final, branches(automaton), strict=True)
    }
    assert len(seen) == automaton.n_states


def count_accepted(automaton):
    """Number of accepted words, counted from the last states to the first."""
    ways = branches(automaton)
    count = {}
    open_ = [0]
    while open_:
        state = open_[-1]
        missing = [target for target in ways[state].values() if target not in count]
        if missing:
            open_ += missing
        else:
            count[open_.pop()] = int(automaton.final[state]) + sum(count[t] for t in ways[state].values())
    assert len(count) == automaton.n_states
    return count[0]


def test_the_papers_log_has_the_automaton_of_tables_1_and_2():
    log = paper_log()
    automaton = build_automaton(log.variants)
    assert (automaton.n_states, automaton.n_transitions) == (5, 6)
    (after_a, after_d) = (branches(automaton)[0][log.labels.index(label)] for label in "AD")
    (after_b,) = (branches(automaton)[after_a][log.labels.index(label)] for label in "B")
    (end,) = (branches(automaton)[after_b][log.labels.index(label)] for label in "C")
    assert len({0, after_a, after_d, after_b, end}) == 5
    assert np.flatnonzero(automaton.final).tolist() == [end]
    events = automaton.of_events(log)
    counts = Counter(
        (int(automaton.source[t]), log.labels[automaton.activity[t]], int(automaton.target[t])) for t in events
    )
    assert counts == {
        (0, "A", after_a): 3,
        (after_a, "B", after_b): 3,
        (after_b, "C", end): 5,
        (0, "D", after_d): 2,
        (after_d, "A", after_a): 2,
        (after_a, "E", after_b): 2,
    }


@given(words)
@examples(300)
def test_accepts_exactly_the_variants(paths):
    log = log_of_paths(*paths)
    found = accepted(build_automaton(log.variants), log.labels)
    assert sorted(found) == sorted(paths)


@given(words)
@examples(300)
def test_has_no_more_states_and_transitions_than_it_must(paths):
    automaton = build_automaton(log_of_paths(*paths).variants)
    languages = right_languages(paths)
    assert automaton.n_states == len(set(languages.values()))
    steps = {(languages[path[:i]], path[i]) for path in paths for i in range(len(path))}
    assert automaton.n_transitions == len(steps)


@given(event_logs())
@examples(200)
def test_events_share_a_transition_if_they_share_past_and_future(log):
    automaton = build_automaton(log.variants)
    assert_paths_are_walked(automaton, log.variants)
    paths = ["".join(path) for path, _ in cases_of(log)]
    languages = right_languages(set(paths))
    keys = [(languages[path[:i]], path[i], languages[path[: i + 1]]) for path in paths for i in range(len(path))]
    transitions = automaton.of_events(log).tolist()
    assert len(set(zip(keys, transitions, strict=True))) == len(set(keys)) == len(set(transitions))


@given(words)
@examples(100)
def test_colliding_hashes_are_noticed_and_survived(paths):
    variants = log_of_paths(*paths).variants
    right = build_automaton(variants)
    honest, salts = unsingle.core.automaton.mix_pair, []

    def colliding(first, second, salt):
        salts.append(salt)
        return np.zeros(len(first), np.uint64) if salt == 0 else honest(first, second, salt)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unsingle.core.automaton, "mix_pair", colliding)
        again = unsingle.core.automaton._built(variants)
    assert again.n_states == right.n_states
    assert again.of_path.tolist() == right.of_path.tolist()
    assert again.final.tolist() == right.final.tolist()
    assert salts in ([0], [0, 1])


@pytest.mark.parametrize(
    ("paths", "broken"),
    [
        (["AB", "CD"], np.zeros_like),  # all states alike
        (["A", "AB", "C", "CD"], np.ones_like),  # A and C, which go on differently
        (["AB", "C", "CB"], np.copy),  # A and C, of which only C may end
    ],
)
def test_a_collision_that_would_merge_different_states_is_retried(monkeypatch, paths, broken):
    honest, calls = unsingle.core.automaton.mix, []

    def colliding(numbers):
        calls.append(len(numbers))
        return broken(numbers) if len(calls) <= 2 else honest(numbers)

    monkeypatch.setattr(unsingle.core.automaton, "mix", colliding)
    automaton = build_automaton(log_of_paths(*paths).variants)
    assert sorted(accepted(automaton, "ABCD")) == paths
    assert len(calls) == 3


def test_an_automaton_is_built_once_for_its_variants():
    variants = log_of_paths("AB", "AC").variants
    assert build_automaton(variants) is build_automaton(variants)
    assert build_automaton(log_of_paths("AB", "AC").variants) is not build_automaton(variants)


def test_one_trace_of_200_000_events_is_quick():
    activity = np.random.default_rng(1).integers(0, 5, 200_000)
    begin = time.perf_counter()
    automaton = build_automaton(one_variant(activity))
    assert time.perf_counter() - begin < SECONDS
    assert automaton.n_states == 200_001
    assert automaton.activity[automaton.of_path].tolist() == activity.tolist()
    assert automaton.final.sum() == 1


def test_one_activity_200_000_times_is_a_chain():
    begin = time.perf_counter()
    automaton = build_automaton(log_of_paths("A" * 200_000, "A" * 100_000).variants)
    assert time.perf_counter() - begin < SECONDS
    assert (automaton.n_states, automaton.n_transitions, automaton.final.sum()) == (200_001, 200_000, 2)


def test_100_000_random_variants_are_quick_and_exact():
    variants = random_variants(100_000, seed=2)
    begin = time.perf_counter()
    automaton = build_automaton(variants)
    assert time.perf_counter() - begin < SECONDS
    assert_paths_are_walked(automaton, variants)
    assert count_accepted(automaton) == variants.count
    assert_minimal(automaton)


def test_labels_beyond_16_bits_are_told_apart():
    path = np.array([0, 1, 65_536, 2, 0, 3], np.int32)
    variants = Paths(path, np.array([0, 2, 4, 6]), np.ones(3, np.int64))
    automaton = build_automaton(variants)
    assert_paths_are_walked(automaton, variants)
    assert count_accepted(automaton) == 3


@given(event_logs())
@examples(100)
def test_reading_paths_finds_their_transitions_and_their_place_among_all(log):
    variants = log.variants
    automaton = build_automaton(variants)
    sent = pickle.loads(pickle.dumps(automaton.without_paths()))
    assert len(sent.of_path) == 0
    read = sent.reading(variants)
    assert read.of_path.tolist() == automaton.of_path.tolist()
    paths = [tuple(variants.path[a:b].tolist()) for a, b in pairwise(variants.offsets)]
    assert read.numbers(variants).tolist() == [sorted(paths).index(path) for path in paths]


@pytest.mark.parametrize("path", ["AC", "A", "ABB", "D"])
def test_a_path_that_is_no_variant_is_refused(path):
    known = log_of_paths("AB", "ABC", "C")
    other = Paths(np.array(["ABCD".index(x) for x in path], np.int32), np.array([0, len(path)]), np.ones(1, np.int64))
    with pytest.raises(LogError, match="the log changed while it was read"):
        build_automaton(known.variants).reading(other)
