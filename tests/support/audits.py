"""Logs for audits, and what an audit says of each attack."""

from __future__ import annotations

import numpy as np

from support.helpers import log_of, log_of_paths
from unsingle import EventLog, audit
from unsingle.auditor.findings import Audit
from unsingle.core.clock import DAY, MINUTE
from unsingle.core.columns import Column, Field, Kind, Level

ROLE = Field("org:role", Level.EVENT, Kind.TEXT)
COST = Field("cost", Level.EVENT, Kind.NUMBER)
AGE = Field("age", Level.CASE, Kind.INTEGER)
CHANNEL = Field("channel", Level.FIRST, Kind.TEXT)


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


def ward(cases: int = 90) -> EventLog:
    """Columns in which the last person stands out: alone on a path, with a role, a cost and an age of their own."""
    paths = [*["rtl"] * (2 * cases // 3), *["rl"] * (cases - 1 - 2 * cases // 3), "rttl"]
    rng = np.random.default_rng(0)
    log = log_of([(path, [i * DAY + place * MINUTE for place in range(len(path))]) for i, path in enumerate(paths)])
    treats = log.activity_names() == "t"
    last = np.arange(log.n_events) >= log.case_offsets[-2]
    roles = np.where(treats, np.where(last, "the mayor's doctor", "doctor"), "nurse").tolist()
    costs = np.where(treats, np.where(last, 90_000, rng.integers(90, 110, log.n_events)), np.nan)
    young = rng.random(cases) < 0.5
    ages = np.where(np.arange(cases) == cases - 1, 111, np.where(young, 20, 60) + rng.integers(0, 20, cases))
    channels = ["phone" if each else "desk" for each in young]
    return log.with_columns(
        [
            Column.of_texts(ROLE, roles),
            Column.of_numbers(COST, costs),
            Column.of_numbers(AGE, ages),
            Column.of_texts(CHANNEL, channels),
        ]
    )


def verdicts(found: Audit) -> dict[str, str]:
    return {each.attack: each.verdict for each in found.findings}


def attacked(log: EventLog, method: str, *attacks: str, runs: int = 300, delta: float = 0.2) -> Audit:
    return audit(log, delta, method=method, attacks=attacks, runs=runs, seed=3)
