"""What the tests share: logs made by hand, arbitrary logs, and limits for statistics.

Every statistical test here has a fixed seed or a false alarm less likely than one in a million: the
limits are proven bounds (Laurent and Massart 2000 for chi-square), not tables.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import settings
from hypothesis import strategies as st

from unsingle.cli.app import main
from unsingle.core.clock import DAY, HOUR, MINUTE, SECOND
from unsingle.core.log import EventLog

ROOT = Path(__file__).resolve().parents[2]

_PAPER = {
    1: "A 10:20 B 10:50 C 16:15",
    2: "D 12:07 A 13:37 E 14:07 C 19:07",
    3: "A 13:30 B 13:55 C 20:55",
    4: "D 15:00 A 17:00 B 17:40 C 23:45",
    5: "A 16:40 E 17:55 C 23:55",
}


def examples(n: int) -> settings:
    """Settings for a property test: so many examples, the same ones in every run."""
    return settings(max_examples=n, deadline=None, derandomize=True)


def log_of(cases: Sequence[tuple[Sequence[str], Sequence[int]]], zone: str = "UTC") -> EventLog:
    """A log from one (labels, times) pair per case."""
    labels = sorted({label for path, _ in cases for label in path})
    return EventLog.from_events(
        case=np.repeat(np.arange(len(cases)), [len(path) for path, _ in cases]),
        activity=np.array([labels.index(label) for path, _ in cases for label in path]),
        time=np.array([time for _, times in cases for time in times], dtype=np.int64),
        labels=labels,
        zone=zone,
    )


def log_of_paths(*paths: str) -> EventLog:
    """A log with one case per path, a letter per event, all at the same time."""
    return log_of([(path, [0] * len(path)) for path in paths])


def cases_of(log: EventLog) -> list[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The (labels, times) pair of each case."""
    names, times, edges = log.activity_names().tolist(), log.time.tolist(), log.case_offsets.tolist()
    return [(tuple(names[a:b]), tuple(times[a:b])) for a, b in pairwise(edges)]


def paper_log() -> EventLog:
    """Table I of the paper."""
    cases = []
    for text in _PAPER.values():
        words = text.split()
        clocks = [datetime.strptime(f"2020-08-08 {word}", "%Y-%m-%d %H:%M") for word in words[1::2]]
        cases.append((words[::2], [int(clock.replace(tzinfo=UTC).timestamp()) * SECOND for clock in clocks]))
    return log_of(cases)


@st.composite
def event_logs(draw: st.DrawFn) -> EventLog:
    """Arbitrary logs: ties, all times equal, huge gaps; on whole days, hours, minutes or milliseconds."""
    label = st.sampled_from("ABCD"[: draw(st.integers(1, 4))])
    unit = draw(st.sampled_from([1, SECOND, MINUTE, HOUR, DAY]))
    widest = draw(st.sampled_from([0, 3, 1000, 10**12 // unit]))
    step = st.integers(0, widest) | st.sampled_from([0, widest])
    zone = draw(st.sampled_from(["UTC", "+05:30", "Europe/Berlin"]))
    events = st.lists(st.tuples(label, step), min_size=1, max_size=8)
    cases = [tuple(zip(*case, strict=True)) for case in draw(st.lists(events, min_size=1, max_size=12))]
    return log_of([(path, (np.cumsum(steps) * unit).tolist()) for path, steps in cases], zone)


def real_log_path(name: str) -> Path:
    """Path of the real log ``NAME.xes.gz``; skips the test where the real logs are not at hand."""
    folder = Path(os.environ.get("UNSINGLE_LOGS", ROOT.parent / "shared" / "logs"))
    path = folder / f"{name}.xes.gz"
    if not path.is_file():
        pytest.skip(f"real log {path} is not there: set UNSINGLE_LOGS to the folder that has {name}.xes.gz")
    return path


def run_command(*arguments: object, stdin: bytes | None = None, ok: bool = True) -> Result:
    """What the command prints and how it ends, in a terminal of 80 columns."""
    result = CliRunner().invoke(main, [str(each) for each in arguments], input=stdin, env={"COLUMNS": "80"})
    if ok:
        assert result.exit_code == 0, result.output
    return result


def chi_square(observed: np.ndarray, expected: np.ndarray) -> float:
    """Pearson's statistic."""
    return float(((observed - expected) ** 2 / expected).sum())


def chi_square_limit(freedom: int, chance: float = 1e-7) -> float:
    """What a chi-square number of this freedom exceeds with less than this chance."""
    x = -math.log(chance)
    return freedom + 2 * math.sqrt(freedom * x) + 2 * x


def laplace_below(k: np.ndarray, scale: float) -> np.ndarray:
    """Chance that discrete Laplace noise, P(k) ~ exp(-abs(k)/scale), is at most k."""
    k, q = np.asarray(k, dtype=np.float64), math.exp(-1 / scale)
    return np.where(k < 0, np.exp(-np.abs(k) / scale) / (1 + q), 1 - np.exp(-(k + 1) / scale) / (1 + q))


def assert_distributed(sample: np.ndarray, chance: np.ndarray) -> None:
    """Assert that the sample of 0, 1, 2 ... has these chances; rare neighbours are counted together."""
    assert sample.min() >= 0
    assert sample.max() < len(chance)
    expected = chance / chance.sum() * len(sample)
    cell = np.minimum((np.cumsum(expected) - expected / 2) // 25, len(sample) // 25 - 1).astype(int)
    cell = np.unique(cell, return_inverse=True)[1]
    observed = np.bincount(cell[sample], minlength=cell.max() + 1)
    expected = np.bincount(cell, weights=expected)
    assert len(expected) > 1
    assert not observed[expected == 0].any()
    observed, expected = observed[expected > 0], expected[expected > 0]
    assert chi_square(observed, expected) < chi_square_limit(len(expected) - 1)
