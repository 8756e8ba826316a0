"""What releases are good for: models learnt on the release of one half of a log, tried on the other half.

    python bench/use.py --logs FOLDER [--runs 3] [--write]

Each run splits the cases at random. A learner of the next activity, one of the remaining time, and a process model that
PM4Py discovers are made from one half and from releases of it, and tried on the other half of the original.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from threadpoolctl import threadpool_limits

from document import parser_of, put, table
from machine import machine
from prefixes import LAST, Prefixes
from unsingle import EventLog, anonymize, read_log, write_log

DELTA = 0.2
LOGS = ("Sepsis", "BPIC13_incidents", "BPIC12")
METHODS = {"the half itself": None, "twin": "twin", "twin --paths crowds": "twin-crowds"}
REPLAYED = 80  # cases on which models are tried: precision by replay takes time
PROGRAM = Path(__file__).with_name("pm4py_model.py")


class Use(NamedTuple):
    """How well what was learnt does on the other half."""

    accuracy: float
    hours_off: float
    fitness: float
    precision: float


def halves(log: EventLog, seed: int) -> tuple[EventLog, EventLog]:
    """Two random halves of the cases."""
    order = np.random.default_rng(seed).permutation(log.n_cases)
    return log.subset(np.sort(order[::2])), log.subset(np.sort(order[1::2]))


def learnt(source: EventLog, tried: EventLog, labels: tuple[str, ...]) -> tuple[float, float]:
    """The share of next activities that are guessed right, and by how many hours the remaining time is off."""
    known, asked = (Prefixes.of(log, labels) for log in (source, tried))
    with threadpool_limits(1):  # many small steps: threads would wait for each other
        return _learnt(known, asked)


def _learnt(known: Prefixes, asked: Prefixes) -> tuple[float, float]:
    next_activity = RandomForestClassifier(30, min_samples_leaf=10, random_state=0)
    next_activity.fit(known.features, known.following)
    right = float((next_activity.predict(asked.features) == asked.following).mean())
    remaining = HistGradientBoostingRegressor(loss="absolute_error", categorical_features=range(LAST), random_state=0)
    remaining.fit(known.features, known.hours_left)
    off = float(np.abs(np.maximum(0, remaining.predict(asked.features)) - asked.hours_left).mean())
    return right, off


def discovered(source: EventLog, tried: EventLog) -> tuple[float, float]:
    """Fitness and precision of the model that PM4Py discovers, which runs as a program of its own."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("learnt.csv", "tried.csv")]
        for log, path in zip((source, tried.subset(np.arange(min(REPLAYED, tried.n_cases)))), paths, strict=True):
            write_log(log, path)
        command = [sys.executable, *map(str, (PROGRAM, *paths))]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = json.loads(printed.splitlines()[-1])
    return found["fitness"], found["precision"]


def measured(log: EventLog, method: str | None, runs: int) -> Use:
    """Means over the runs."""
    found = []
    model: tuple[float, ...] = ()
    for seed in range(runs):
        source, tried = halves(log, seed)
        if method is not None:
            source = anonymize(source, DELTA, method=method, seed=seed).log
        found.append(learnt(source, tried, log.labels))
        model = model or discovered(source, tried)  # of the first split alone: replay takes minutes
    return Use(*(mean(column) for column in zip(*found, strict=True)), *model)


def rows_of(path: Path, runs: int) -> Iterator[list[str]]:
    log, name = read_log(path), path.name.removesuffix(".xes.gz")
    best: Use | None = None
    for source, method in METHODS.items():
        use = measured(log, method, runs)
        best = best or use
        row = [
            name, source, f"{use.accuracy:.3f}", f"{use.accuracy - best.accuracy:+.3f}", f"{use.hours_off:,.1f}",
            f"{use.hours_off / best.hours_off - 1:+.1%}", f"{use.fitness:.3f}", f"{use.precision:.3f}",
        ]  # fmt: skip
        print("  ".join(row), flush=True)
        yield row


def main() -> None:
    arguments = parser_of(__doc__, runs=3).parse_args()
    rows = [row for name in LOGS for row in rows_of(arguments.logs / f"{name}.xes.gz", arguments.runs)]
    header = ["log", "learnt by", "next activity", "more than the half itself", "remaining time off by, h",
              "more than the half itself", "fitness", "precision"]  # fmt: skip
    measured_on = (
        f"Delta {DELTA:g}, means of {arguments.runs} splits; fitness and precision on {REPLAYED} cases of the first. "
        f"Measured on {machine()}."
    )
    text = f"{measured_on}\n\n{table(header, rows)}"
    print(f"\n{text}")
    if arguments.write:
        put("use", text)


if __name__ == "__main__":
    main()
