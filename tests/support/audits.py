"""Logs for audits, and what an audit says of each attack."""

from __future__ import annotations

import numpy as np

from support.helpers import log_of, log_of_paths
from unsingle import EventLog, audit
from unsingle.auditor.findings import Audit
from unsingle.core.clock import DAY, MINUTE


def crowds() -> EventLog:
    """Paths of one step each, so that the count of a path is the count of a step."""
    return log_of_paths(*["A"] * 12, *["B"] * 9, *["C"] * 7)


def large_crowds() -> EventLog:
    """Enough cases for strict."""
    rng = np.random.default_rng(0)
    cases = []
    for path, n in {"ABC": 400, "ABD": 300, "AE": 200}.items():
        for _ in range(n):
            start = int(rng.integers(0, 300)) * DAY + int(rng.integers(0, DAY))
            cases.append((path, (start + np.cumsum([0, *rng.integers(0, DAY, len(path) - 1)])).tolist()))
    return log_of(cases)


def weighty() -> EventLog:
    """Three paths of one step each. Whoever is first on one took forty days, all others minutes."""
    rng = np.random.default_rng(0)
    cases = []
    for path, n in {"AB": 60, "AC": 40, "AD": 12}.items():
        for i in range(n):
            start = int(rng.integers(0, 300)) * DAY
            cases.append((path, [start, start + (int(rng.integers(1, 60)) * MINUTE if i else 40 * DAY)]))
    return log_of(cases)


def standing_out() -> EventLog:
    """Everybody alone on a path; half of the people took 100 minutes for the second step, half none."""
    cases = []
    for i in range(60):
        path = "SA" + "".join("xy"[(i >> bit) & 1] for bit in range(6))
        step = 100 * MINUTE if i % 2 == 0 and i < 58 else 0
        start = i * 7919 * MINUTE
        cases.append((path, [start] + [start + step + MINUTE * place for place in range(len(path) - 1)]))
    return log_of(cases)


def verdicts(found: Audit) -> dict[str, str]:
    return {each.attack: each.verdict for each in found.findings}


def attacked(log: EventLog, method: str, *attacks: str, runs: int = 300, delta: float = 0.2) -> Audit:
    return audit(log, delta, method=method, attacks=attacks, runs=runs, seed=3)
