"""The attacker who sees the noised figures."""

from __future__ import annotations

import math

import numpy as np

from support.audits import weighty
from support.helpers import cases_of, log_of
from unsingle.auditor.insider import Insider
from unsingle.auditor.neighbours import without
from unsingle.methods.twin import Twin
from unsingle.privacy.random import Randomness
from unsingle.progress import Progress


def test_an_insider_computes_the_exact_odds() -> None:
    """One case less on the path with the most: odds of the counts are as the law of two-sided geometric noise says."""
    log, method = weighty(), Twin(0.2)
    made = method.release(log, Randomness(1), Progress())
    assert made.budget is not None
    insider = Insider(method, made.budget)
    figures = insider.watch(log, Randomness(2))
    same = insider.odds(figures, log)
    assert same.counts == same.tallies == 0
    assert set(same.figures.values()) == {0}
    odds = insider.odds(figures, without(log, np.array([0])))
    step = {name: -math.log(float(getattr(made.budget.terms, name))) for name in ("ratio", "total_ratio")}
    assert min(abs(abs(odds.counts) - abs(step["ratio"] + sign * step["total_ratio"])) for sign in (-1, 1)) < 1e-6
    assert 0 < abs(odds.tallies) < 5
    alone = log_of([*cases_of(log), ("AAA", [0, 0, 0])])
    assert insider.odds(figures, alone).everything == math.inf  # the set of variants is public
