"""What `twin`, `twin` with paths of crowds and `strict` keep of real logs at delta 0.2, and that none collapses."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import mean

import pytest

from support.helpers import real_log_path
from unsingle import EventLog, LogError, Release, anonymize, compare, read_log, write_log
from unsingle.evaluation.figures import measure
from unsingle.evaluation.measures import set_change

pytestmark = pytest.mark.slow

SEEDS = {"Hospital": 2, "BPIC15_1": 2, "BPIC12": 2, "Traffic_fines": 1}
"""How many releases of each log: 3 of those that are not named here."""

WAYS: dict[str, dict] = {"twin": {}, "crowds": {"paths": "crowds"}, "strict": {"method": "strict"}}


@cache
def real_log(name: str) -> EventLog:
    return read_log(real_log_path(name))


@cache
def releases(name: str, way: str, delta: float = 0.2) -> list[Release]:
    log = real_log(name)
    return [anonymize(log, delta, seed=seed, **WAYS[way]) for seed in range(SEEDS.get(name, 3))]


def steps_in_common(log: EventLog, release: Release) -> float:
    """The part of the frequencies of the directly-follows graph that both logs have, with starts and ends."""
    return 1 - compare(log, release).edge_change.frequency_distance


def mean_case(log: EventLog) -> float:
    return float((log.case_ends - log.case_starts).mean())


# the most that frequencies of variants and durations may be off, as shares of all and of the mean duration, and between
# which parts of the true one the mean duration of a case lies
TWIN = {
    "Sepsis": (0.12, 0.18, (0.85, 1.15)),
    "BPIC13_incidents": (0.08, 0.11, (0.85, 1.15)),
    "BPIC12": (0.09, 0.055, (0.85, 1.15)),
    "Traffic_fines": (0.002, 0.008, (0.85, 1.15)),
    "Unrineweginfectie": (0.04, 0.26, (0.7, 1.15)),
    "Hospital": (0.11, 0.62, (0.8, 1.15)),
    "BPIC15_1": (0.05, 1.15, (0.6, 1.15)),
}


@pytest.mark.parametrize("name", TWIN)
def test_twin_stays_near_the_truth(name: str) -> None:
    log, (moved, apart, (least, most)) = real_log(name), TWIN[name]
    before, made = log.variant_counts(), releases(name, "twin")
    for release in made:
        assert set(release.log.variant_counts()) == set(before)
        assert 0.97 <= measure(log, release).oversampling_ratio <= 1.03
    assert mean(set_change(before, each.log.variant_counts()).frequency_distance for each in made) <= moved
    assert mean(measure(log, each).time_distance.share_of_mean for each in made) <= apart
    assert least <= mean(mean_case(each.log) for each in made) / mean_case(log) <= most


@pytest.mark.parametrize("name", ["Sepsis", "BPIC13_incidents", "Unrineweginfectie", "CCC19"])
def test_twin_read_back_has_exactly_the_paths_at_any_delta(name: str, tmp_path: Path) -> None:
    log = real_log(name)
    for delta in (0.05, 0.1, 0.45):
        release = anonymize(log, delta, seed=3)
        path = tmp_path / f"{delta}.xes.gz"
        write_log(release.log, path)
        assert set(read_log(path).variant_counts()) == set(log.variant_counts())
        if log.n_cases >= 1000:
            assert 0.97 <= measure(log, release).oversampling_ratio <= 1.03


# at least so much of the directly-follows graph, and the most that durations may be off
CROWDS = {
    "Sepsis": (0.90, 0.40),
    "BPIC13_incidents": (0.98, 0.25),
    "BPIC12": (0.91, 0.12),
    "Hospital": (0.58, 0.80),
    "BPIC15_1": (0.56, 1.05),
    "Unrineweginfectie": (0.92, 0.70),
}


@pytest.mark.parametrize("name", CROWDS)
def test_paths_of_crowds_keep_the_steps(name: str) -> None:
    log, (least, apart), made = real_log(name), CROWDS[name], releases(name, "crowds")
    assert mean(steps_in_common(log, each) for each in made) >= least
    assert mean(measure(log, each).time_distance.share_of_mean for each in made) <= apart
    for release in made:
        assert 0.97 <= measure(log, release).oversampling_ratio <= 1.03
        assert 0.7 <= release.log.n_events / log.n_events <= 1.4


STRICT = {
    ("Sepsis", 0.2): 0.79,
    ("Sepsis", 0.1): 0.64,
    ("BPIC13_incidents", 0.2): 0.93,
    ("BPIC13_incidents", 0.05): 0.92,
    ("BPIC12", 0.2): 0.86,
    ("Traffic_fines", 0.2): 0.99,
    ("Unrineweginfectie", 0.2): 0.90,
    ("Hospital", 0.2): 0.20,
    ("BPIC15_1", 0.2): 0.25,
}


@pytest.mark.parametrize(("name", "delta"), STRICT)
def test_strict_keeps_the_frequent_steps(name: str, delta: float) -> None:
    log, made = real_log(name), releases(name, "strict", delta)
    assert mean(steps_in_common(log, each) for each in made) >= STRICT[name, delta]
    for release in made:
        assert release.budget is not None
        assert release.budget.spent <= release.budget.terms.limit


@pytest.mark.parametrize(("name", "least"), [("Traffic_fines", 0.994), ("BPIC13_incidents", 0.68), ("BPIC12", 0.49)])
def test_strict_names_the_paths_of_crowds(name: str, least: float) -> None:
    log, made = real_log(name), releases(name, "strict")
    assert mean(1 - sum(measure(log, each).lost_variants.values()) / log.n_cases for each in made) >= least


@pytest.mark.parametrize("way", ["crowds", "strict"])
def test_no_release_collapses(way: str) -> None:
    """Where hardly anybody shares a path, most events are of walks: they are as many as they were, run after run."""
    log = real_log("BPIC15_1")
    for seed in range(2, 5):
        release = anonymize(log, 0.2, seed=seed, **WAYS[way]).log
        assert 0.35 <= release.n_events / log.n_events <= 1.6
        assert len(set().union(*release.variant_counts())) > 20


@pytest.mark.parametrize("way", ["crowds", "strict"])
def test_twenty_cases_are_too_few_to_hide_among(way: str) -> None:
    with pytest.raises(LogError, match="no path or step is frequent enough"):
        anonymize(real_log("CCC19"), 0.2, seed=1, **WAYS[way])
