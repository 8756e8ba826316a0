"""Logs that are hard for the method, made up: nobody's data is in them.

python bench/worst_cases.py NAME FILE
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from unsingle import EventLog, write_log

_LABELS = tuple(f"Activity {i:02d}" for i in range(20))
_BEGIN = 1_700_000_000_000


def many_variants() -> EventLog:
    """300,000 cases, each on a path of its own, of mean length 50."""
    random = np.random.default_rng(1)
    return _log(random.integers(25, 76, 300_000), random)


def one_long_trace() -> EventLog:
    """A single case of 250,000 events."""
    return _log(np.array([250_000]), np.random.default_rng(2))


def many_short_cases() -> EventLog:
    """A million cases of one event."""
    return _log(np.ones(1_000_000, dtype=np.int64), np.random.default_rng(3))


WORST: dict[str, Callable[[], EventLog]] = {
    "300,000 variants": many_variants,
    "one trace of 250,000": one_long_trace,
    "1 M cases of one event": many_short_cases,
}


def _log(lengths: np.ndarray, random: np.random.Generator) -> EventLog:
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    activity = random.integers(0, len(_LABELS), offsets[-1]).astype(np.int32)
    steps = random.lognormal(14, 1.5, offsets[-1]).astype(np.int64) // 1000 * 1000
    steps[offsets[:-1]] = random.integers(0, 10**7, len(lengths)) * 1000
    total = np.cumsum(steps)
    time = _BEGIN + total - np.repeat(total[offsets[:-1]] - steps[offsets[:-1]], lengths)
    return EventLog(_LABELS, activity, time, offsets)


if __name__ == "__main__":
    write_log(WORST[sys.argv[1]](), sys.argv[2])
