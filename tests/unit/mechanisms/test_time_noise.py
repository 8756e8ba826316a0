"""Released times against the exact distribution that the method asks for, worked out here once more."""

import math
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import assert_distributed, event_logs, examples, log_of
from unsingle.core.automaton import build_automaton
from unsingle.core.clock import DAY, HOUR, MINUTE, SECOND
from unsingle.core.log import grid_of
from unsingle.core.precision import Precision
from unsingle.mechanisms.time_noise import noisy_times
from unsingle.methods import chosen
from unsingle.privacy.random import Randomness

N = 40_000
START = int(datetime(2020, 3, 2, 7, 1, tzinfo=UTC).timestamp()) * SECOND  # not on an hour
MIDNIGHT = START - 7 * HOUR - MINUTE


def timed(path, *steps, start=START, unit=MINUTE):
    """A case of this path with these times between its events."""
    return path, (start + np.cumsum([0, *steps]) * unit).tolist()


def release(log, case, copies=1, n=N, seed=1, **options):
    """Times of n released copies of one case, a row each, as if the case had so many copies."""
    method = chosen("amun", **options)
    automaton, shared = build_automaton(log.variants), np.full(log.n_cases, copies)
    cases = np.full(n, case)
    times = noisy_times(method.timeline(log), automaton, cases, shared, method.calibration, Randomness(seed))
    return times.reshape(n, -1)


def steps_of(times, event, unit=MINUTE):
    """Time between an event and the one before it."""
    return (times[:, event] - times[:, event - 1]) // unit


def noise_scale(group, value, delta=0.2, width=None):
    """Equations 1 and 2: the scale of the noise on a value of a group."""
    spread = max(group) - min(group)
    near = spread / 10 + 1e-9 if width is None else width
    prior = sum(abs(other - value) <= near for other in group) / len(group)
    assert prior + delta < 1, "this value needs no noise"
    return spread / math.log((1 - prior) / prior * (prior + delta) / (1 - prior - delta))


def power_of_two(minutes):
    return 2 ** math.ceil(math.log2(minutes))


def folded(value, scale, bound):
    """Chance of 0 ... bound for a value with discrete Laplace noise that is reflected at both ends."""
    noise = np.arange(-math.ceil(50 * scale), math.ceil(50 * scale) + 1)
    place = np.abs((value + noise + bound) % (2 * bound) - bound)
    return np.bincount(place, weights=np.exp(-np.abs(noise) / scale), minlength=bound + 1)


def spread_log():
    """Forty cases A, B after 0 or 1 minute, C after 0, 3, 6 ... 117 minutes."""
    return log_of([timed("ABC", i % 2, 3 * i, start=START + i * MINUTE) for i in range(40)])


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("delta", [0.1, 0.5])
def test_steps_get_exactly_the_noise_of_their_group_folded_into_their_range(copies, delta):
    group = [3 * i for i in range(40)]
    scale = noise_scale(group, 60, delta) * copies
    sample = steps_of(release(spread_log(), 20, copies, delta=delta), 2)
    assert_distributed(sample, folded(60, scale, 128))


def test_times_since_the_start_get_the_noise_of_their_group_too():
    group = [3 * i + i % 2 for i in range(40)]
    times = release(spread_log(), 21, time_from="start")
    sample = (times[:, 2] - times[:, 0]) // MINUTE
    chance = folded(64, noise_scale(group, 64), 128)
    chance[:2] = 0, chance[:2].sum()  # B lies at 0 or 1, and C never before it
    assert_distributed(np.maximum(1, sample), chance)
    assert (times[:, 1] - times[:, 0]).max() == MINUTE


def test_a_precision_in_minutes_is_taken_as_such():
    group = [3 * i for i in range(40)]
    sample = steps_of(release(spread_log(), 20, precision=Precision(milliseconds=3 * MINUTE)), 2)
    assert_distributed(sample, folded(60, noise_scale(group, 60, width=3), 128))


def test_released_steps_fill_0_to_the_next_power_of_two_minutes():
    sample = steps_of(release(spread_log(), 39), 2)
    assert (sample.min(), sample.max()) == (0, 128)


def test_the_bound_is_a_whole_number_of_days_in_a_log_of_days():
    days = list(range(1, 41))
    log = log_of([timed("AB", d, start=0, unit=DAY) for d in days])
    bound = math.ceil(power_of_two(40 * 1440) / 1440)
    sample = steps_of(release(log, 20), 1, unit=DAY)
    assert_distributed(sample, folded(21, noise_scale(days, 21), bound))


def widening_log(rare_steps):
    """Cases XABY whose step to B is in a transition of its own, and what lies around it."""
    return log_of(
        [
            *(timed("XABY", 7, step, 7) for step in rare_steps),
            *(timed("AB", 3 * i) for i in range(30)),
            *(timed("CB", 20 * i) for i in range(30)),
            *(timed("PQ", 100 * i) for i in range(30)),
            timed("XDBZ", 300, 200, 300),
        ]
    )


PAIR = [3 * i for i in range(30)]
TO_B = [20 * i for i in range(30)] + PAIR
TO_Q = [100 * i for i in range(30)]


@pytest.mark.parametrize(
    ("rare_steps", "own_group"),
    [
        ([40], False),
        ([40, 10, 30, 12], False),
        ([40] * 6, False),
        ([40, 10, 30, 12, 50], True),
    ],
)
def test_a_group_of_fewer_than_five_or_without_a_range_uses_its_pair(rare_steps, own_group):
    group = rare_steps if own_group else rare_steps + PAIR
    chance = folded(40, noise_scale(group, 40), power_of_two(max(group)))
    sample = steps_of(release(widening_log(rare_steps), 0), 2)
    assert_distributed(sample, chance)
    assert (sample == 40).mean() < 0.05


def test_a_pair_of_one_uses_its_activity():
    group = [40, 200, *TO_B]
    sample = steps_of(release(widening_log([40]), 91), 2)
    assert_distributed(sample, folded(200, noise_scale(group, 200), power_of_two(580)))


def test_an_activity_that_comes_once_uses_the_whole_log():
    group = [7, 40, 7, 300, 200, 300, *TO_B, *TO_Q]
    sample = steps_of(release(widening_log([40]), 91), 1)
    assert_distributed(sample, folded(300, noise_scale(group, 300), power_of_two(2900)))
    assert (sample == 300).mean() < 0.01


@pytest.mark.parametrize("cases", [1, 4, 19])
def test_a_log_without_a_range_gets_worst_case_noise(cases):
    log = log_of([timed("AB", 100)] * cases)
    scale = 128 / (2 * math.log(1.2 / 0.8))
    assert_distributed(steps_of(release(log, 0), 1), folded(100, scale, 128))


def test_a_value_that_twenty_share_and_nobody_misses_is_kept():
    log = log_of([timed("AB", 100)] * 20)
    assert (steps_of(release(log, 0), 1) == 100).all()


CROWDED = [*range(57), 100_000, 110_000, 120_000]


@pytest.mark.parametrize(("value", "low", "high"), [(0, 0, 19), (19, 0, 19), (20, 20, 39), (45, 40, 120_000)])
def test_a_value_that_is_easily_guessed_is_drawn_from_its_bin(value, low, high):
    log = log_of([timed("AB", step) for step in CROWDED])
    sample = steps_of(release(log, value), 1)
    mean = np.mean([step for step in CROWDED if low <= step <= high])
    assert low <= sample.min() < low + 2
    assert 0.95 * high < sample.max() <= high
    assert (sample == value).mean() < 0.1
    assert abs(sample.mean() - mean) < 6 * sample.std() / math.sqrt(N)


def test_a_value_far_off_the_crowd_is_noised():
    log = log_of([timed("AB", step) for step in CROWDED])
    sample = steps_of(release(log, 57), 1)
    bound = power_of_two(120_000)
    chance = folded(100_000, noise_scale(CROWDED, 100_000), bound)
    blocks = np.arange(bound + 1) * 100 // (bound + 1)
    assert_distributed(blocks[sample], np.bincount(blocks, weights=chance))


@pytest.mark.parametrize("copies", [1, 3])
def test_starts_are_noised_to_within_a_day_from_midnight_of_the_first_day(copies):
    hours = [7 + 5 * i for i in range(40)]
    log = log_of([timed("A", start=MIDNIGHT + hour * HOUR) for hour in hours])
    sample = (release(log, 20, copies)[:, 0] - MIDNIGHT) // HOUR
    bound = math.ceil(power_of_two(max(hours) * 60) / 60)
    assert_distributed(sample, folded(hours[20], noise_scale(hours, hours[20], width=24) * copies, bound))


def test_starts_of_one_day_are_drawn_from_their_bin():
    log = log_of([timed("A", start=MIDNIGHT + i * MINUTE) for i in range(1, 401)])
    sample = (release(log, 100)[:, 0] - MIDNIGHT) // MINUTE
    assert (sample.min(), sample.max()) == (101, 120)


def test_the_start_of_a_lone_case_is_not_kept():
    times = release(log_of([timed("AB", 100)]), 0)
    assert (times[:, 0] == START).mean() < 0.01
    assert times[:, 0].min() >= MIDNIGHT


def test_the_time_of_day_of_a_lone_event_is_not_kept():
    times = release(log_of([timed("A")]), 0)
    assert (times % DAY == START % DAY).mean() < 0.01


def test_as_published_keeps_starts():
    assert (release(spread_log(), 20, as_published=True)[:, 0] == START + 20 * MINUTE).all()


def test_as_published_keeps_exact_times_in_groups_without_a_range():
    cases = [timed("ABC", 17, 4), timed("ABC", 17, 4, start=START + MINUTE), timed("AD", 300)]
    log = log_of(cases)
    for case, (_, times) in enumerate(cases):
        assert (release(log, case, as_published=True) == times).all()


def test_as_published_keeps_exact_times_that_are_easily_guessed():
    log = log_of([timed("AB", step) for step in CROWDED])
    assert (steps_of(release(log, 45, as_published=True), 1) == 45).all()
    assert (steps_of(release(log, 57, as_published=True), 1) == 100_000).mean() < 0.01


@pytest.mark.parametrize("copies", [1, 4])
def test_as_published_noise_is_not_folded_and_never_below_zero(copies):
    group = [500 + 3 * i for i in range(40)]
    log = log_of([timed("AB", step) for step in group])
    sample = steps_of(release(log, 20, copies, as_published=True), 1)
    scale = noise_scale(group, 560) * copies
    chance = np.exp(-np.abs(np.arange(-20_000, 20_000) - 560) / scale)
    chance[20_000] = chance[:20_001].sum()
    assert_distributed(sample, chance[20_000:])


def test_as_published_counts_from_the_start_of_the_case():
    log = log_of([timed("ABC", 10 * i, 1000 - 10 * i, start=START + i * MINUTE) for i in range(40)])
    times = release(log, 0, as_published=True)
    offsets = (times - START) // MINUTE
    assert (offsets[:, 2] == np.maximum(1000, offsets[:, 1])).all()  # C has no range: always 1000 after A
    assert len(np.unique(offsets[:, 1])) > 100


def test_the_more_copies_a_case_has_the_wider_is_the_noise_on_each():
    group = [10_000 + 3 * i for i in range(40)]
    log = log_of([timed("AB", step) for step in group])
    width = [np.abs(steps_of(release(log, 20, copies, as_published=True), 1) - 10_060).mean() for copies in (1, 2, 5)]
    assert width[1] / width[0] == pytest.approx(2, rel=0.05)
    assert width[2] / width[0] == pytest.approx(5, rel=0.05)


def test_copies_of_one_case_share_neither_start_nor_steps():
    times = release(spread_log(), 20, n=500, time_from="start")
    assert len({tuple(row) for row in (times - times[:, :1])[:, 1:].tolist()}) > 50
    assert len(np.unique(times[:, 0])) == 20


@given(
    log=event_logs(),
    delta=st.sampled_from([0.01, 0.2, 0.9]),
    copies=st.sampled_from([1, 40]),
    base=st.sampled_from(["previous", "start"]),
    as_published=st.booleans(),
)
@examples(150)
def test_the_order_of_events_is_never_broken(log, delta, copies, base, as_published):
    method = chosen("amun", delta=delta, time_from=base, as_published=as_published)
    everyone = np.arange(log.n_cases)
    shared = np.full(log.n_cases, copies)
    for seed in range(3):
        automaton = build_automaton(log.variants)
        times = noisy_times(method.timeline(log), automaton, everyone, shared, method.calibration, Randomness(seed))
        assert (np.diff(times) >= 0)[~log.is_first[1:]].all()


def local_days(zone, first, n):
    """UTC milliseconds of n midnights of a zone."""
    days = [datetime(*first, tzinfo=ZoneInfo(zone)) + timedelta(days=i) for i in range(n)]
    return [int(day.timestamp()) * SECOND for day in days]


def is_midnight(time, zone):
    local = datetime.fromtimestamp(time / SECOND, ZoneInfo(zone))
    return (local.hour, local.minute, local.second, local.microsecond) == (0, 0, 0, 0)


@pytest.mark.parametrize("zone", ["UTC", "+05:30", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
@pytest.mark.parametrize("base", ["previous", "start"])
def test_whole_local_days_stay_whole_local_days_across_daylight_saving(zone, base):
    name = "Asia/Kolkata" if zone == "+05:30" else zone
    days = local_days(name, (2020, 1, 1), 300)
    log = log_of([("AB", [days[i], days[i + i % 90]]) for i in range(200)], zone)
    times = release(log, 100, n=2000, time_from=base)
    assert all(is_midnight(time, name) for time in times.ravel().tolist())
    assert len(np.unique(times)) > 200


def test_a_day_whose_midnight_is_skipped_is_still_that_day():
    zone = "America/Sao_Paulo"  # 2017-10-15 began at 01:00
    grid = grid_of(log_of([("A", local_days(zone, (2017, 10, 1), 1))], zone))
    tick = grid.ticks(np.array(local_days(zone, (2017, 10, 14), 1))) + 1
    assert grid.ticks(grid.times(tick)) == tick


def test_a_log_of_hours_can_be_released_where_clocks_skip_two_hours():
    from unsingle.release import anonymize

    noon = int(datetime(2025, 3, 29, 12, tzinfo=UTC).timestamp()) * SECOND
    cases = [timed("ABCDEF", 1, 1, 1, 1, 1, start=noon + i * HOUR, unit=HOUR) for i in range(40)]
    assert anonymize(log_of(cases, "Antarctica/Troll"), seed=1).log.n_cases >= 40


@pytest.mark.parametrize("unit", [1, SECOND, MINUTE, HOUR])
def test_times_stay_on_the_grid_of_the_log(unit):
    log = log_of([timed("AB", 37 * i, start=(START // HOUR * HOUR) + i * unit, unit=unit) for i in range(40)])
    times = release(log, 20)
    assert not (times % unit).any()
    coarser = {1: SECOND, SECOND: MINUTE, MINUTE: HOUR, HOUR: DAY}[unit]
    assert (times % coarser).any()


def test_a_grid_that_was_chosen_holds_for_all_times():
    log = log_of([timed("AB", 37 * i, start=START + i * MINUTE) for i in range(40)])
    assert not (release(log, 20, grid="hour") % HOUR).any()
    assert not (release(log, 20, grid="day") % DAY).any()
