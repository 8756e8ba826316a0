"""The pace of cases: steps change places, no pair loses any, and whole cases take as long as cases do."""

from __future__ import annotations

import numpy as np

from support.helpers import log_of
from unsingle.core.clock import HOUR, SECOND, Grid
from unsingle.mechanisms.cases import Cases
from unsingle.mechanisms.measurements import Measurements
from unsingle.mechanisms.pace import CASE_TALLY, DrawnSteps, at_the_pace_of_cases
from unsingle.mechanisms.paths import ReleasedPaths
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import same_paths

CASES = 1_000


def test_fast_cases_become_fast_throughout() -> None:
    rng = np.random.default_rng(1)
    slow = rng.random(CASES) < 0.5
    true = np.where(slow[:, None], 60, 1) * HOUR * rng.uniform(0.5, 1.5, (CASES, 3))
    times = np.concatenate((np.zeros((CASES, 1)), np.cumsum(true, axis=1)), axis=1).astype(int)
    cases = Cases.of(log_of([("ABCD", tuple(each)) for each in times.tolist()]))
    grid = Grid(SECOND, "UTC")
    apart = np.stack([rng.permutation(column) for column in true.T], axis=1)  # each step drawn by itself
    paths = ReleasedPaths(np.tile(np.arange(4), CASES), np.arange(CASES + 1) * 4)
    steps = DrawnSteps((apart.ravel() / SECOND).astype(np.int64), np.tile(np.arange(3), CASES))
    figures = Measurements(same_paths(0.2), {CASE_TALLY: 0.1}, Randomness(2))
    took = at_the_pace_of_cases(steps, cases, paths, grid, figures, Randomness(3))
    for pair in range(3):
        assert np.sort(took[pair::3]).tolist() == np.sort(steps.took[pair::3]).tolist()

    def distance(found: np.ndarray) -> float:
        whole = [np.sort(each.reshape(CASES, 3).sum(axis=1)) for each in (true.ravel() / SECOND, found)]
        return float(np.abs(whole[0] - whole[1]).mean() / whole[0].mean())

    assert distance(steps.took) > 0.3
    assert distance(took) < 0.1
    pace = took.reshape(CASES, 3) > 10 * HOUR / SECOND
    assert (pace.all(axis=1) | ~pace.any(axis=1)).mean() > 0.9


def test_a_case_during_which_clocks_go_back_takes_no_time() -> None:
    began = 1_257_042_630_000  # 00:00:30 in St. John's, a minute before it was 23:01:30 of the day before
    cases = Cases.of(log_of([("AB", (began, began + 60_000))] * 50))
    grid = Grid(HOUR, "America/St_Johns")
    assert grid.ticks(cases.ends)[0] < grid.ticks(cases.starts)[0]
    paths = ReleasedPaths(np.tile(np.arange(2), 50), np.arange(51) * 2)
    figures = Measurements(same_paths(0.2), {CASE_TALLY: 0.1}, Randomness(2))
    steps = DrawnSteps(np.zeros(50, dtype=np.int64), np.zeros(50, dtype=np.int64))
    assert not at_the_pace_of_cases(steps, cases, paths, grid, figures, Randomness(3)).any()
