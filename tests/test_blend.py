"""Method blend: same variants, counts with geometric noise, times redrawn from groups."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import assert_distributed, cases_of, event_logs, examples, log_of, log_of_paths, paper_log
from unsingle import EventLog, ParameterError, anonymize
from unsingle.automaton import build_automaton
from unsingle.clock import DAY, HOUR, MINUTE, grid_of
from unsingle.methods import blend, redraw
from unsingle.methods.redraw import group_values, redrawn_times, spread_evenly
from unsingle.methods.timeline import Timeline
from unsingle.randomness import Randomness

N = 20_000


def steps(log: EventLog) -> np.ndarray:
    """Minutes between the two events of every case."""
    return np.array([times[1] - times[0] for _, times in cases_of(log)]) / MINUTE


def two_events(minutes: list[int], path: str = "AB") -> EventLog:
    """One case of two events for each duration."""
    return log_of([(path, [i * DAY, i * DAY + m * MINUTE]) for i, m in enumerate(minutes)])


# ------------------------------------------------------------------------------------------------ variants


@given(
    log=event_logs(),
    delta=st.sampled_from([0.05, 0.2, 0.5, 0.6, 0.9]),
    time_from=st.sampled_from(["previous", "start"]),
    seed=st.integers(0, 1000),
)
@examples(200)
def test_a_release_has_exactly_the_variants_of_its_original(
    log: EventLog, delta: float, time_from: str, seed: int
) -> None:
    release = anonymize(log, delta, method="blend", time_from=time_from, seed=seed)
    released = cases_of(release.log)
    assert release.log.variant_counts().keys() == log.variant_counts().keys()
    assert all((np.diff(times) >= 0).all() for _, times in released)
    originals = cases_of(log)
    paths = [originals[case][0] for case in release.ancestors.tolist()]
    assert [path for path, _ in released] == paths
    assert set(release.ancestors.tolist()) == set(range(len(originals)))
    assert release.log.zone == log.zone


@pytest.mark.parametrize("delta", [0.5, 0.6, 0.9])
def test_from_one_half_on_no_case_is_added(delta: float) -> None:
    assert anonymize(paper_log(), delta, method="blend", seed=1).log.n_cases == 5


def test_every_variant_gets_a_geometric_number_whatever_its_size() -> None:
    log = log_of_paths(*["AB"] * 50, *["AC"] * 2, "AD")
    added = np.array(
        [
            [counts[path] - true for path, true in log.variant_counts().items()]
            for seed in range(2000)
            for counts in [anonymize(log, 0.2, method="blend", seed=seed).log.variant_counts()]
        ]
    )
    q = 0.6
    for column in added.T:
        assert_distributed(column, (1 - q) * q ** np.arange(column.max() + 1))


def test_added_cases_descend_from_all_cases_of_their_variant_alike() -> None:
    log = log_of_paths(*["AB"] * 4, "AC")
    ancestors = np.concatenate([anonymize(log, 0.05, method="blend", seed=s).ancestors for s in range(800)])
    copies = np.bincount(ancestors)[:4] - 800
    assert_distributed(np.repeat(np.arange(4), copies), np.full(4, 0.25))


def test_frequencies_are_estimated_without_the_added_cases() -> None:
    log = log_of_paths(*["AB"] * 40, *["AC"] * 7, "AD")
    estimates = [anonymize(log, 0.2, method="blend", seed=seed).variant_frequencies() for seed in range(3000)]
    for path, true in log.variant_counts().items():
        ours = np.array([estimate[path] for estimate in estimates])
        assert (ours >= 0).all()
        if true > 1:  # too small counts are cut off at 0, which lifts the mean
            assert ours.mean() == pytest.approx(true, abs=0.2)  # the noise has a deviation of 1.9: 5.5 sigma
    release = anonymize(log, 0.2, method="blend")
    assert release.added_per_variant == 1.5
    assert release.public()["added_per_variant"] == 1.5


def test_frequencies_without_a_known_correction_are_the_counts() -> None:
    release = anonymize(paper_log(), 0.2, seed=3)
    assert release.added_per_variant is None
    assert release.variant_frequencies() == release.log.variant_counts()


@pytest.mark.parametrize("method", ["amun", "blend"])
def test_a_delta_that_would_add_cases_without_end_is_refused(method: str) -> None:
    with pytest.raises(ParameterError, match=r"delta is too small: each count would need about \d+e\+08 added cases"):
        anonymize(paper_log(), 0.000_000_001, method=method)


# --------------------------------------------------------------------------------------------------- times


def test_a_share_delta_of_the_cases_is_kept() -> None:
    kept = np.array([blend.kept_cases(50, Fraction(1, 5), Randomness(seed)).sum() for seed in range(2000)])
    assert kept.mean() == pytest.approx(10, abs=6 * np.sqrt(50 * 0.16 / 2000))


def far_apart() -> EventLog:
    """Three bins of twenty cases each: about 10, 1,000 and 100,000 minutes."""
    return two_events([base + i for base in (10, 1_000, 100_000) for i in range(20)])


def bins_released(case: int, kept: bool, n: int = 6000) -> np.ndarray:
    log = far_apart()
    timeline = Timeline(log, grid_of(log), "previous")
    automaton = build_automaton(log.variants)
    times = redrawn_times(timeline, automaton, np.full(n, case), np.full(n, kept), Randomness(3))
    minutes = np.diff(times.reshape(-1, 2))[:, 0] / MINUTE
    return np.searchsorted([500, 50_000], minutes)


@pytest.mark.parametrize("case", [0, 25, 59])
def test_a_kept_case_shows_its_own_bin(case: int) -> None:
    assert set(bins_released(case, kept=True)) == {case // 20}


@pytest.mark.parametrize("case", [0, 25, 59])
def test_a_redrawn_case_shows_all_bins_alike_and_evenly(case: int) -> None:
    assert np.bincount(bins_released(case, kept=False)).tolist() == pytest.approx([2000] * 3, abs=1)


def test_draws_lie_in_their_bin_and_keep_its_mean() -> None:
    log = far_apart()
    released = np.concatenate([steps(anonymize(log, 0.5, method="blend", seed=s).log) for s in range(200)])
    for base in (10, 1_000, 100_000):
        inside = released[(released >= base) & (released <= base + 19)]
        assert len(inside) == pytest.approx(len(released) / 3, rel=0.1)
        assert inside.mean() == pytest.approx(base + 9.5, abs=0.3)
    assert ((released % 1) == 0).all()  # the grid of minutes


def test_a_rare_step_uses_the_next_wider_group() -> None:
    """AB has 20 cases, CB two: a CB redrawn comes from all B, which are 10 or 5,000 minutes."""
    common = [("AB", [i * DAY, i * DAY + 10 * MINUTE]) for i in range(38)]
    rare = [("CB", [i * DAY, i * DAY + 5_000 * MINUTE]) for i in range(2)]
    released = [
        step
        for seed in range(300)
        for path, times in cases_of(anonymize(log_of(common + rare), 0.05, method="blend", seed=seed).log)
        if path == ("C", "B")
        for step in [(times[1] - times[0]) / MINUTE]
    ]
    assert min(released) == 10
    # the upper bin of all B is 18 values of 10 and two of 5,000 minutes
    assert np.mean(released) == pytest.approx((38 * 10 + 2 * 5_000) / 40, rel=0.15)


def test_starts_are_redrawn_between_the_first_and_the_last() -> None:
    log = log_of([("A", [i * DAY + 7 * HOUR]) for i in range(100)])
    released = np.concatenate([anonymize(log, 0.2, method="blend", seed=s).log.case_starts for s in range(100)])
    days = (released - 7 * HOUR) / DAY
    assert days.min() >= 0
    assert days.max() <= 99
    assert np.histogram(days, bins=5, range=(0, 100))[0] == pytest.approx([len(days) / 5] * 5, rel=0.1)


def test_too_few_values_for_a_distribution_say_nothing_but_their_magnitude() -> None:
    released = np.concatenate(
        [steps(anonymize(two_events([33, 47, 60]), 0.2, method="blend", seed=s).log) for s in range(1500)]
    )
    assert released.min() == 0
    assert released.max() == 64  # the next power of two
    assert np.mean(released) == pytest.approx(32, abs=1.5)


def test_values_that_twenty_share_may_be_published() -> None:
    assert set(steps(anonymize(two_events([30] * 25), 0.2, method="blend", seed=1).log)) == {30}


def test_times_from_the_start_never_go_back() -> None:
    log = log_of([("ABC", [i * DAY, i * DAY + i * HOUR, i * DAY + 2 * i * HOUR]) for i in range(60)])
    released = anonymize(log, 0.2, method="blend", time_from="start", seed=1).log
    assert all(times == tuple(sorted(times)) for _, times in cases_of(released))


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=60),
    st.lists(st.integers(1, 50), min_size=5, max_size=5),
    st.integers(0, 1000),
)
@examples(200)
def test_places_are_spread_evenly(groups: list[int], sizes: list[int], seed: int) -> None:
    group, size = np.array(groups), np.array(sizes)
    place = spread_evenly(group, size, Randomness(seed))
    for each in set(groups):
        ours, n = place[group == each], size[each]
        assert ((ours >= 0) & (ours < n)).all()
        for part in range(1, n):  # below any place there are as many as there should be, but for one
            assert abs((ours < part).sum() - len(ours) * part / n) < 1 + 1e-9


def test_groups_are_those_of_the_method() -> None:
    log = log_of([("AB", [0, 1])] * 20 + [("CB", [0, 2])] * 5 + [("CBC", [0, 2, 5])] * 19)
    timeline = Timeline(log, grid_of(log), "previous")
    draws = group_values(timeline.values, timeline.populations(build_automaton(log.variants)), grid_of(log))
    sizes = draws.size[draws.group]
    by_event = dict(zip(["AB", "CB", "CBC first", "CBC last"], sizes[[0, 20, 25, 26]].tolist(), strict=True))
    # CB and CBC share no transition into B but the pair, of 24; BC has 19 and so has C: the whole log
    assert by_event == {"AB": 20, "CB": 24, "CBC first": 24, "CBC last": 63}


def test_many_values_of_one_person_are_no_group() -> None:
    """One patient repeats a step 25 times that nobody else has: no bin may be made of it."""
    repeated = np.concatenate(([0], np.cumsum(np.arange(500, 525)))) * MINUTE
    others = [("AB", [i * DAY, i * DAY + (i % 3) * MINUTE]) for i in range(60)]
    log = log_of([*others, ("X" * 26, repeated.tolist())])
    for seed in range(20):
        released = anonymize(log, 0.01, method="blend", seed=seed)
        for (path, times), ancestor in zip(cases_of(released.log), released.ancestors.tolist(), strict=True):
            if ancestor == 60 and path == ("X",) * 26:
                assert min(np.diff(times)) < 100 * MINUTE  # drawn from everybody's, most of which are short


def test_the_smallest_group_is_the_documented_one() -> None:
    assert redraw.SMALLEST_GROUP == 20
