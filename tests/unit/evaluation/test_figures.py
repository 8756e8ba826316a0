"""The figures of a release, measured apart from making it."""

from __future__ import annotations

import numpy as np
import pytest

from support.helpers import paper_log
from unsingle import anonymize, synthesize
from unsingle.evaluation.figures import measure, summary
from unsingle.evaluation.measures import time_distance
from unsingle.methods import METHODS
from unsingle.progress import Progress

KEYS = {
    "cases_in", "events_in", "cases_lost", "variants_lost", "lost_variants", "oversampling_ratio", "smape",
    "time_distance_hours", "time_distance_share", "alone", "outside", "seconds",
}  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_the_figures_are_those_of_the_release(method: str) -> None:
    log = synthesize(cases=300, seed=2)
    release = anonymize(log, 0.3, method=method, seed=1)
    figures = measure(log, release)
    assert set(figures.to_dict()) == KEYS
    assert figures.oversampling_ratio == release.log.n_cases / log.n_cases
    assert figures.time_distance == time_distance(log, release.log)
    assert set(figures.lost_variants) == log.variant_counts().keys() - release.log.variant_counts().keys()
    assert figures.to_dict()["variants_lost"] == len(figures.lost_variants)
    assert (figures.cases_lost is None) == (release.ancestors is None)
    assert np.isnan(figures.smape) == (release.ancestors is None and not METHODS[method].keeps_variants)
    assert figures.rows()[0][0] == "ratio"
    assert ("SMAPE" in dict(figures.rows())) == (not np.isnan(figures.smape))


def test_all_figures_are_private_and_timed() -> None:
    log, progress = paper_log(), Progress()
    release = anonymize(log, 0.2, seed=1, progress=progress)
    figures = measure(log, release, progress)
    assert "measure" in figures.seconds
    assert figures.alone == 3
    written = summary(release, figures)
    assert set(written["private_keys"]) == KEYS
    assert written["guarantee"] == str(release.guarantee)
    assert figures.with_seconds({"total": 1.0}).to_dict()["seconds"] == {"total": 1.0}
