"""Method `twin`: exactly the paths of the log, as many cases, and times like those of the log, all of them made up."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.helpers import cases_of, event_logs, examples, log_of, paper_log, run_command
from unsingle import EventLog, ParameterError, anonymize, read_log, synthesize, write_log
from unsingle.core.clock import DAY, GRIDS, HOUR, MINUTE, SECOND, Grid
from unsingle.core.columns import UTC_OFFSET, Column
from unsingle.core.log import grid_of
from unsingle.evaluation.figures import measure, summary
from unsingle.evaluation.measures import pair_distances, set_change
from unsingle.mechanisms.bins import octaves
from unsingle.mechanisms.cases import Cases
from unsingle.mechanisms.flow import measured_flow
from unsingle.mechanisms.measurements import Measurements
from unsingle.mechanisms.shares import shares
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import same_paths

END_OF_CALENDAR = 253_402_300_799_999
YEAR = 365 * DAY


def read_back(log: EventLog, folder: Path) -> EventLog:
    """The log as a reader has it who sorts each case by time."""
    path = folder / "release.xes.gz"
    path.unlink(missing_ok=True)
    write_log(log, path)
    read = read_log(path)
    cases = [
        (tuple(path[i] for i in np.argsort(times, kind="stable")), tuple(sorted(times)))
        for path, times in cases_of(read)
    ]
    return log_of(cases, read.zone)


def assert_same_paths(log: EventLog, released: EventLog, folder: Path) -> None:
    paths = set(log.variant_counts())
    assert set(released.variant_counts()) == paths
    assert set(read_back(released, folder).variant_counts()) == paths


# ---------------------------------------------------------------------------------------- the same paths


@pytest.mark.parametrize("delta", [0.05, 0.2, 0.45])
def test_a_release_read_back_has_exactly_the_paths_of_its_original(delta: float, tmp_path: Path) -> None:
    log = synthesize(cases=400, seed=2)
    release = anonymize(log, delta, seed=3)
    assert_same_paths(log, release.log, tmp_path)
    assert measure(log, release).lost_variants == {}


@settings(examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(event_logs(), st.sampled_from([0.01, 0.2, 0.6, 0.99]), st.integers(0, 1000))
def test_any_log_keeps_its_paths_when_it_is_written_and_read(
    tmp_path: Path, log: EventLog, delta: float, seed: int
) -> None:
    release = anonymize(log, delta, seed=seed)
    assert_same_paths(log, release.log, tmp_path)
    assert release.budget is not None
    assert release.budget.spent <= release.budget.terms.limit


EDGES = {
    "one event": [("A", [5])],
    "one case": [("ABA", [5, 70_000, 80_000])],
    "cases of one event": [("A", [i * HOUR]) for i in range(50)] + [("B", [0])],
    "all times equal": [("AB", [7, 7])] * 30 + [("AC", [7, 7])],
    "one variant": [("ABC", [i, i + 1000 * i, i + 90_000 * i]) for i in range(40)],
    "every case another path": [("ABCD"[i % 4] * (i + 1), range(i + 1)) for i in range(25)],
    "a path of 900 events": [("ABC" * 300, range(0, 900 * MINUTE, MINUTE))],
    "steps of thousands of years": [("AB", [0, 3000 * YEAR])] * 300,
    "long before 1970": [("ABC", [-50_000_000_000_000 + i, -40_000_000_000_000, -1]) for i in range(300)],
    "at the end of 9999": [("ABC", [END_OF_CALENDAR - DAY, END_OF_CALENDAR - 1, END_OF_CALENDAR])] * 300,
    "from the beginning to the end": [("AB", [-62_135_510_400_000, END_OF_CALENDAR])] * 200,
}


@pytest.mark.parametrize("name", EDGES)
def test_odd_logs_keep_their_paths(name: str, tmp_path: Path) -> None:
    log = log_of(EDGES[name])
    for seed in range(2):
        release = anonymize(log, 0.2, seed=seed).log
        assert_same_paths(log, release, tmp_path)
        assert release.time.max() <= END_OF_CALENDAR


def test_two_paths_of_many_cases_keep_their_numbers() -> None:
    log = log_of([("AB", [0, DAY]), ("AC", [0, DAY])]).subset(np.repeat([0, 1], 10**5))
    counts = anonymize(log, 0.2, seed=1).log.variant_counts()
    assert counts.keys() == log.variant_counts().keys()
    assert all(abs(count - 10**5) < 100 for count in counts.values())


# ---------------------------------------------------------------------------------------- as many cases


@pytest.mark.parametrize("delta", [0.1, 0.2])
def test_a_release_has_as_many_cases_as_its_original(delta: float) -> None:
    log = synthesize(cases=1000, seed=5)
    for seed in range(3):
        release = anonymize(log, delta, seed=seed)
        assert 0.97 <= measure(log, release).oversampling_ratio <= 1.03
        assert 0.9 <= release.log.n_events / log.n_events <= 1.2


def test_variants_are_as_frequent_as_they_were() -> None:
    log = synthesize(cases=1500, seed=5)
    moved = [
        set_change(log.variant_counts(), anonymize(log, delta, seed=1).log.variant_counts()).frequency_distance
        for delta in (0.4, 0.2, 0.1)
    ]
    assert moved == sorted(moved)
    assert 0 < moved[1] < 0.14


def test_no_released_case_descends_from_a_person() -> None:
    log = synthesize(cases=300, seed=2)
    release = anonymize(log, seed=1)
    assert release.ancestors is None
    assert measure(log, release).cases_lost is None
    assert "ancestors" not in json.dumps(summary(release, measure(log, release)))


def test_cases_of_one_path_do_not_stand_together() -> None:
    """Cases are synthesised path by path; their order in the release is random."""
    log = log_of([("AB", [0, DAY])] * 500 + [("AC", [0, DAY])] * 500)
    last = [path[-1] for path, _ in cases_of(anonymize(log, seed=1).log)]
    changes = sum(one != other for one, other in pairwise(last))
    assert 400 < changes < 600


# ---------------------------------------------------------------------------------------- durations

TOOK = {"AB": (0.5, 0.6), "BC": (5, 1.0), "BD": (72, 0.5), "CD": (24, 1.2)}
"""The median of each step in hours, and the deviation of its logarithm."""


def known_durations(cases: int) -> EventLog:
    """Durations by known log-normal laws, in whole seconds; starts within 2021."""
    rng = np.random.default_rng(5)
    made = []
    for i in range(cases):
        path = ("ABC", "ABD", "ABCD")[i % 3]
        laws = [TOOK[a + b] for a, b in pairwise(path)]
        hours = [median * np.exp(rng.normal(0, deviation)) for median, deviation in laws]
        start = 1_609_459_200 + int(rng.integers(0, 365 * 86_400))
        made.append((path, ((start + np.cumsum([0, *hours]) * 3600).astype(np.int64) * SECOND).tolist()))
    return log_of(made)


@pytest.fixture(scope="module")
def known() -> EventLog:
    return known_durations(6000)


@pytest.mark.parametrize(("paths", "apart"), [("same", 0.15), ("crowds", 0.2)])
def test_steps_take_as_long_as_they_did(known: EventLog, paths: str, apart: float) -> None:
    for seed in range(3):
        for pair in pair_distances(known, anonymize(known, 0.2, paths=paths, seed=seed).log):
            name = f"{pair.source}{pair.target}, seed {seed}"
            assert pair.mean_after == pytest.approx(pair.mean_before, rel=apart), name
            assert pair.distance <= apart * pair.mean_before, name


def test_a_larger_delta_shows_truer_durations() -> None:
    log = known_durations(1500)
    found = [
        np.mean([measure(log, anonymize(log, delta, seed=seed)).time_distance.share_of_mean for seed in range(3)])
        for delta in (0.05, 0.2, 0.45)
    ]
    assert found[0] > found[1] > found[2]


def test_no_duration_of_the_original_is_released_more_often_than_by_chance(known: EventLog) -> None:
    """In a log of seconds, few steps of hours meet another of the same length by chance."""

    def steps(log: EventLog) -> np.ndarray:
        took = np.diff(log.time)[~log.is_first[1:]]
        return took[took > 10 * HOUR]

    true, released = steps(known), steps(anonymize(known, 0.2, seed=1).log)
    met = np.isin(released, true).mean()
    by_chance = np.mean([np.isin(released + shift * SECOND, true).mean() for shift in (-91, -17, 23, 77)])
    assert met < by_chance + 0.02


@pytest.mark.parametrize("step", GRIDS.values())
def test_octaves_cover_all_durations_up_to_a_century(step: int) -> None:
    scale = octaves(Grid(step, "UTC"))
    assert scale.edges[:2].tolist() == [0, 1]
    assert (np.diff(scale.edges) > 0).all()
    assert scale.edges[-1] * step >= 100 * YEAR
    assert scale.bins < 40
    ticks = np.array([0, 1, scale.edges[-1] - 1, scale.edges[-1], 2**60])
    assert scale.bin_of(ticks).tolist() == [0, 1, scale.bins - 1, scale.bins - 1, scale.bins - 1]
    assert (scale.bin_of(scale.edges[:-1]) == np.arange(scale.bins)).all()


# ---------------------------------------------------------------------------------------- the clock


def log_on_grid(step: int, zone: str, cases: int = 500, shift: int = 0) -> EventLog:
    """Steps of up to 20 days, on this grid of this zone's clock."""
    rng = np.random.default_rng(3)
    ticks = rng.integers(18_262 * DAY // step, 18_600 * DAY // step, cases)
    return log_of(
        [
            ("ABC", (Grid(step, zone).times(tick + np.cumsum([0, *rng.integers(0, 20 * DAY // step, 2)])) + shift))
            for tick in ticks
        ],
        zone,
    )


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+05:30"])
@pytest.mark.parametrize("name", GRIDS)
def test_times_stay_on_the_grid_and_in_the_zone_of_the_log(name: str, zone: str) -> None:
    log = log_on_grid(GRIDS[name], zone)
    release = anonymize(log, 0.2, seed=1).log
    assert release.zone == zone
    assert grid_of(release).name == grid_of(log).name == name


def test_days_that_are_kept_at_one_moment_of_utc_stay_there() -> None:
    """Through the summer's clock: always at 19:00 UTC."""
    log = log_on_grid(DAY, "UTC", shift=19 * HOUR)
    release = anonymize(log, 0.2, seed=1).log
    assert set((release.time % DAY).tolist()) == {19 * HOUR}


def test_what_does_not_fit_the_grid_is_rounded_where_few_have_it() -> None:
    log = log_on_grid(MINUTE, "UTC")
    few = log_of([*cases_of(log), ("ABC", (1_600_000_000_001, 1_600_000_000_002, 1_600_000_000_003))])
    many = log_of([*cases_of(log), *cases_of(log_on_grid(SECOND, "UTC", 200))])
    assert grid_of(anonymize(few, seed=1).log).name == "minute"
    assert grid_of(anonymize(many, seed=1).log).name == "second"


def test_a_grid_that_was_chosen_holds_for_all_times() -> None:
    log = log_on_grid(SECOND, "Europe/Berlin")
    for paths in ("same", "crowds"):
        release = anonymize(log, 0.2, paths=paths, grid="hour", seed=1)
        assert grid_of(release.log).name == "hour"
        assert "which grid times lie on" not in [cost.name for cost in release.budget.costs]


def test_a_log_too_small_to_show_its_grid_is_released_in_seconds() -> None:
    log = log_of([("AB", [0, DAY])] * 3)
    assert {grid_of(anonymize(log, 0.05, seed=seed).log).name for seed in range(3)} == {"second"}


def with_offsets(log: EventLog, minutes: np.ndarray) -> EventLog:
    return EventLog(
        log.labels, log.activity, log.time, log.case_offsets, columns=(Column.of_numbers(UTC_OFFSET, minutes),)
    )


@pytest.mark.parametrize(
    ("minutes", "zone"), [([120], "+02:00"), ([0], "UTC"), ([-300], "-05:00"), ([60, 120], "Europe/Berlin")]
)
def test_the_zone_is_that_of_the_offsets_which_many_cases_were_written_with(minutes: list[int], zone: str) -> None:
    log = log_on_grid(MINUTE, "UTC", 900)
    written = np.resize(minutes, log.n_cases)
    assert anonymize(with_offsets(log, written), 0.2, seed=1).log.zone == zone
    written[0] = 345  # one person abroad changes nothing
    assert anonymize(with_offsets(log, written), 0.2, seed=1).log.zone == zone


# ---------------------------------------------------------------------------------------- starts


def starting(days: np.ndarray) -> EventLog:
    return log_of([("AB", (int(day) * DAY + 9 * HOUR, int(day) * DAY + 10 * HOUR)) for day in days])


def begun(log: EventLog, seed: int) -> np.ndarray:
    """When cases of a release begin, in days; nothing else of it is made."""
    terms = same_paths(0.2)
    noised = Measurements(terms, shares(terms), Randomness(seed))
    cases = Cases.of(log)
    flow = measured_flow(cases, cases.count, Grid(DAY, "UTC"), noised)
    return flow.begun(np.zeros(cases.count), Randomness(seed)) // 24


@pytest.fixture(scope="module")
def two_years() -> EventLog:
    """Cases that begin in 2020 and 2021."""
    return starting(np.random.default_rng(1).integers(18_262, 18_992, 2000))


def test_cases_begin_when_cases_began(two_years: EventLog) -> None:
    first, last = two_years.case_starts.min() // DAY, two_years.case_starts.max() // DAY
    spans = [begun(two_years, seed) for seed in range(40)]
    inside = [first - 182 <= each.min() and each.max() <= last + 182 for each in spans]
    assert np.mean(inside) > 0.75
    near = [np.abs(np.sort(each) - np.sort(two_years.case_starts // DAY)).mean() for each in spans]
    assert np.median(near) < 15


def test_noise_far_off_does_not_stretch_the_span(two_years: EventLog) -> None:
    for seed in range(40):
        found = begun(two_years, seed)
        assert np.abs(np.sort(found) - np.sort(two_years.case_starts // DAY)).mean() < 60


def test_busy_weeks_stay_busy() -> None:
    """Half of the cases in one week, the others spread over a year."""
    rng = np.random.default_rng(1)
    log = starting(np.concatenate((rng.integers(18_620, 18_627, 1500), rng.integers(18_400, 18_765, 1500))))
    weeks = (log.case_starts // DAY // 7, anonymize(log, 0.2, seed=1).log.case_starts // DAY // 7)
    busy = [np.bincount(each, minlength=2700)[2600:2700] / len(each) for each in weeks]
    assert np.abs(busy[0] - busy[1]).sum() / 2 < 0.15
    assert busy[1].argmax() == busy[0].argmax()


# ---------------------------------------------------------------------------------------- options


def test_blend_is_gone_and_twin_is_named_in_its_place(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"blend is gone: .* Take twin"):
        anonymize(paper_log(), method="blend")
    write_log(paper_log(), tmp_path / "log.csv")
    command = ("anonymize", tmp_path / "log.csv", "-o", tmp_path / "out.csv", "--method", "blend")
    assert "twin" in run_command(*command, ok=False).output
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("method", ["amun", "sample", "filter", "strict"])
def test_paths_of_crowds_go_with_twin_alone(method: str) -> None:
    with pytest.raises(ParameterError, match=f"paths='crowds' works only with twin, not with {method}"):
        anonymize(paper_log(), method=method, paths="crowds")


def test_paths_are_the_same_or_those_of_crowds() -> None:
    with pytest.raises(ParameterError, match="paths= must be 'same' or 'crowds'"):
        anonymize(paper_log(), paths="some")  # type: ignore[arg-type]
    assert anonymize(synthesize(cases=900), paths="crowds", seed=1).method.name == "twin-crowds"
