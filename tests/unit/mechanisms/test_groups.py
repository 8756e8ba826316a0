from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import event_logs, examples
from unsingle.core.arrays import dense
from unsingle.core.automaton import build_automaton
from unsingle.mechanisms.groups import Bins, Coded, Population, Steps, fold, group_keys, widen
from unsingle.privacy.random import Randomness

# up to what is too large to share 64 bits with a group
values = st.integers(0, 30) | st.sampled_from([0, 10**6, 10**12, 10**12 + 1, 2**60])
members = st.lists(st.tuples(st.integers(0, 3), values), min_size=1, max_size=120)


def population_of(pairs):
    group, value = np.array(pairs).T
    return Population(Coded(value), dense(group))


def by_group(population):
    groups = [[] for _ in range(population.group.max() + 1)]
    for group, value in zip(population.group.tolist(), population.values.tolist(), strict=True):
        groups[group].append(value)
    return groups


@given(st.lists(st.integers(0, 9) | st.sampled_from([10**7, 10**15])))
@examples(100)
def test_dense_numbers_keep_keys_apart_and_in_order(keys):
    order = sorted(set(keys))
    assert dense(np.array(keys, dtype=np.int64)).tolist() == [order.index(key) for key in keys]


@given(members)
@examples(200)
def test_sizes_ranges_and_largest_values_of_groups(pairs):
    population = population_of(pairs)
    groups = by_group(population)
    assert population.size.tolist() == [len(group) for group in groups]
    assert population.highest.tolist() == [max(group) for group in groups]
    assert population.range.tolist() == [max(group) - min(group) for group in groups]
    assert population.sorted_values.tolist() == [value for group in groups for value in sorted(group)]


@given(members, st.data())
@examples(200)
def test_share_within_counts_the_groups_values_near_its_own(pairs, data):
    population = population_of(pairs)
    entries = data.draw(st.lists(st.integers(0, len(pairs) - 1), max_size=20, unique=True))
    widths = data.draw(st.lists(values, min_size=len(entries), max_size=len(entries)))
    groups = by_group(population)
    shares = population.share_within(np.array(entries, np.int64), np.array(widths, np.int64))
    for entry, width, share in zip(entries, widths, shares.tolist(), strict=True):
        group, own = groups[population.group[entry]], pairs[entry][1]
        assert share == sum(abs(value - own) <= width for value in group) / len(group)


@given(members, st.integers(1, 25))
@examples(200)
def test_bins_are_equal_runs_of_at_least_so_many(pairs, at_least):
    population = population_of(pairs)
    group_of = population.group.tolist()
    bin_of = population.bin_of(np.arange(len(pairs)), at_least).tolist()
    bins = population.bins(at_least)
    content = [[] for _ in bins.low]
    owners = [set() for _ in bins.low]
    for group, bin_, (_, value) in zip(group_of, bin_of, pairs, strict=True):
        content[bin_].append(value)
        owners[bin_].add(group)
    assert all(len(owner) == 1 for owner in owners)
    for group, members_ in enumerate(by_group(population)):
        runs = [sorted(run) for run, owner in zip(content, owners, strict=True) if owner == {group}]
        sizes = [len(run) for run in runs]
        assert len(runs) == max(1, len(members_) // at_least)
        assert max(sizes) - min(sizes) <= 1
        assert min(sizes) >= min(at_least, len(members_))
        assert [value for run in runs for value in run] == sorted(members_)


@given(members, st.integers(1, 25))
@examples(200)
def test_a_bin_knows_its_least_its_largest_and_its_mean(pairs, at_least):
    population = population_of(pairs)
    bin_of = population.bin_of(np.arange(len(pairs)), at_least)
    bins = population.bins(at_least)
    for number, (low, high, mean) in enumerate(zip(*bins, strict=True)):
        content = population.values[bin_of == number].tolist()
        assert (low, high) == (min(content), max(content))
        assert mean == pytest.approx(float(Fraction(sum(content), len(content))), rel=1e-12)


def test_bin_of_answers_for_the_entries_that_were_asked_in_their_order():
    population = population_of([(0, value) for value in (9, 1, 8, 2, 7, 3)])
    everything = population.bin_of(np.arange(6), 2).tolist()
    assert everything == [2, 0, 2, 0, 1, 1]
    assert population.bin_of(np.array([4, 0, 4, 1]), 2).tolist() == [1, 2, 1, 0]


@given(members, st.integers(1, 25), st.floats(2**-54, 1 - 2**-53), st.floats(2**-54, 1 - 2**-53))
@examples(200)
def test_draws_stay_in_their_bin(pairs, at_least, uniform, rounding):
    bins = population_of(pairs).bins(at_least)
    drawn = bins.draw(np.arange(len(bins.low)), np.full(len(bins.low), uniform), np.full(len(bins.low), rounding))
    assert (bins.low <= drawn).all()
    assert (drawn <= bins.high).all()


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.8, 0.95])
def test_draws_keep_the_mean_of_their_bin(share):
    low, high = 5000.0, 105_000.0
    bins = Bins(np.array([low]), np.array([high]), np.array([low + share * (high - low)]))
    drawn = bins.draw(np.zeros(100_000, np.int64), *Randomness(seed=1).uniform(200_000).reshape(2, -1))
    assert len(np.unique(drawn)) > 1000
    assert abs(drawn.mean() - bins.mean[0]) < 6 * drawn.std() / np.sqrt(len(drawn))


def test_draws_keep_the_mean_of_a_bin_of_two_neighbouring_days():
    bins = Bins(np.array([0.0]), np.array([1.0]), np.array([0.05]))
    drawn = bins.draw(np.zeros(100_000, np.int64), *Randomness(seed=1).uniform(200_000).reshape(2, -1))
    assert abs(drawn.mean() - 0.05) < 6 * drawn.std() / np.sqrt(len(drawn))


def test_each_draw_comes_from_its_own_bin():
    bins = Bins(np.array([0.0, 50.0]), np.array([10.0, 50.0]), np.array([4.0, 50.0]))
    drawn = bins.draw(np.array([1, 0, 1]), np.array([0.1, 0.5, 0.9]), np.array([0.9, 0.0, 0.1]))
    assert drawn.tolist() == [50, int(10 * 0.5**1.5), 50]


def slow_fold(value, bound):
    while not 0 <= value <= bound:
        value = -value if value < 0 else 2 * bound - value
    return value


@given(st.lists(st.tuples(st.integers(-3000, 3000), st.integers(1, 300)), min_size=1))
@examples(300)
def test_fold_reflects_until_inside(pairs):
    value, bound = np.array(pairs).T
    assert fold(value, bound).tolist() == [slow_fold(v, b) for v, b in pairs]


@given(st.integers(-(2**61), 2**61), st.integers(1, 2**55))
@examples(300)
def test_fold_takes_the_widest_noise(value, bound):
    (folded,) = fold(np.array([value]), np.array([bound])).tolist()
    assert 0 <= folded <= bound
    assert (value - folded) % (2 * bound) == 0 or (value + folded) % (2 * bound) == 0


@given(st.data(), st.integers(1, 6))
@examples(200)
def test_widen_finds_the_first_group_that_has_enough_values_and_a_range(data, at_least):
    value = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=30))
    n = len(value)
    levels = data.draw(st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=3))
    coded = Coded(np.array(value))
    populations = [Population(coded, dense(np.array(level))) for level in levels]

    def place(entry):
        for level, group in enumerate(levels):
            mates = [v for v, g in zip(value, group, strict=True) if g == group[entry]]
            if len(mates) >= at_least and len(set(mates)) > 1:
                return level, True
        return len(levels) - 1, False

    found = {}
    for population, entries, usable in widen(populations, lambda each: (each.size >= at_least) & (each.range > 0)):
        for entry in entries.tolist():
            assert entry not in found
            found[entry] = (populations.index(population), usable)
    assert found == {entry: place(entry) for entry in range(n)}


def test_widen_builds_no_population_that_nobody_needs():
    coded = Coded(np.arange(6))

    def populations():
        yield Population(coded, np.zeros(6, np.int64))
        raise AssertionError("a wider population was built for nothing")

    ((_, entries, usable),) = widen(populations(), lambda each: (each.size >= 5) & (each.range > 0))
    assert entries.tolist() == list(range(6))
    assert usable


@given(event_logs())
@examples(100)
def test_the_ladder_goes_from_transitions_and_pairs_to_activities_to_the_whole_log(log):
    automaton = build_automaton(log.variants)
    steps = Steps(lambda: automaton.of_events(log), log.activity, len(log.labels), ~log.is_first)
    levels = [keys.tolist() for keys in group_keys(steps)]
    for narrow in levels[:2]:  # each transition and each pair has one activity
        assert len(set(zip(narrow, levels[2], strict=True))) == len(set(narrow))
    later = np.flatnonzero(~log.is_first)
    follows = [(log.activity[i - 1], log.activity[i]) for i in later]
    assert dense(np.array(levels[1], np.int64)).tolist() == [sorted(set(follows)).index(pair) for pair in follows]
    assert levels[2] == log.activity[later].tolist()
    assert levels[3] == [0] * len(later)


def test_levels_that_nobody_asks_for_are_not_computed():
    asked = []

    def transition():
        asked.append(True)
        return np.array([0, 1])

    levels = group_keys(Steps(transition, np.array([0, 1]), 2, np.array([False, True])))
    assert not asked
    assert next(levels).tolist() == [1]
    assert asked == [True]
