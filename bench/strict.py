"""What `strict` keeps of the real logs, beside plain selection of variants.

    python bench/strict.py --logs FOLDER [--runs 5] [--write]

*Named* is the share of cases whose variant is named by the selection; *similarity* is one less the earth mover's
distance between the paths of both logs, with the normalised edit distance as ground distance; *steps kept* is the
part of the frequencies of the directly-follows graph (with starts and ends) that both have in common.
"""

from __future__ import annotations

import math
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np
import ot
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from document import parser_of, put, table
from machine import machine
from unsingle import EventLog, LogError, anonymize, compare, read_log
from unsingle.methods import selection
from unsingle.methods.spending import Spending
from unsingle.options import Options
from unsingle.randomness import Randomness

DELTA = 0.2
SELECTIONS = 40  # to average over: a selection alone takes no time
TRAVAS_LOG, TRAVAS_EPSILON, TRAVAS_SLACK, TRAVAS_SIMILARITY = "BPIC13_incidents", 1.0, 0.01, 0.885


class Kept(NamedTuple):
    """What is kept of a log."""

    named: float
    similarity: float
    steps: float
    hours: float = math.nan
    share: float = math.nan


def similarity(one: EventLog, other: EventLog) -> float:
    """How alike two logs' paths are: 1 if they are the same, as often."""
    counts = [log.variant_counts() for log in (one, other)]
    letter = {label: chr(0x4E00 + i) for i, label in enumerate(dict.fromkeys(one.labels + other.labels))}
    texts = [["".join(letter[label] for label in path) for path in each] for each in counts]
    shares = [np.array([*each.values()], dtype=float) / sum(each.values()) for each in counts]
    apart = cdist(*texts, scorer=Levenshtein.normalized_distance, workers=-1).astype(float)
    return 1 - float(ot.emd2(*shares, apart, numItermax=2_000_000))


def selected(log: EventLog, epsilon: float, slack: float, seed: int) -> EventLog | None:
    """The log that selection alone would release, without times; nothing if it names no variant."""
    counts = selection.select(log.variants.cases, epsilon, slack, Randomness(seed))
    first = np.unique(log.variants.of_case, return_index=True)[1]
    return log.copies_of(np.repeat(first, counts)) if counts.any() else None


def named(log: EventLog, epsilon: float, slack: float, seed: int) -> float:
    """The share of cases whose variant is named."""
    counts = selection.select(log.variants.cases, epsilon, slack, Randomness(seed))
    return float(log.variants.cases[counts > 0].sum() / log.n_cases)


def by_selection(log: EventLog, epsilon: float, slack: float, runs: int) -> Kept:
    """What selection alone keeps, if all of the budget is spent on it."""
    shares = [named(log, epsilon, slack, seed) for seed in range(SELECTIONS)]
    released = [each for seed in range(runs) if (each := selected(log, epsilon, slack, seed)) is not None]
    if not released:
        return Kept(mean(shares), 0, 0)
    steps = [1 - compare(log, each).edge_change.frequency_distance for each in released]
    return Kept(mean(shares), mean(similarity(log, each) for each in released), mean(steps))


def by_strict(log: EventLog, delta: float, slack: float, runs: int) -> Kept | None:
    """What `strict` keeps."""
    try:
        releases = [anonymize(log, delta, method="strict", slack=slack, seed=seed) for seed in range(runs)]
    except LogError:
        return None
    epsilon, part = Spending(Options(delta=delta, slack=slack)).selection
    selecting = mean(any(cost.slack for cost in release.budget.costs) for release in releases if release.budget)
    found = [compare(log, release) for release in releases]
    return Kept(
        selecting * mean(named(log, epsilon, part, seed) for seed in range(SELECTIONS)),
        mean(similarity(log, release.log) for release in releases),
        mean(1 - each.edge_change.frequency_distance for each in found),
        mean(each.time_distance.hours for each in found),
        mean(each.time_distance.share_of_mean for each in found),
    )


def rows_of(path: Path, delta: float, slack: float, runs: int) -> list[list[str]]:
    log, name = read_log(path), path.name.removesuffix(".xes.gz")
    epsilon = Spending(Options(delta=delta, slack=slack)).budget.epsilon
    rows = []
    for method, kept in (
        ("selection alone", by_selection(log, epsilon, slack, runs)),
        ("strict", by_strict(log, delta, slack, runs)),
    ):
        if kept is None:
            rows.append([name, method, *["too small"] * 4])
            continue
        times = "–" if kept.hours != kept.hours else f"{kept.hours:,.1f} h, {kept.share:.0%}"
        rows.append([name, method, f"{kept.named:.1%}", f"{kept.similarity:.3f}", f"{kept.steps:.1%}", times])
        print("  ".join(rows[-1]), flush=True)
    return rows


def main() -> None:
    arguments = parser_of(__doc__, runs=5).parse_args()
    header = ["log", "by", "cases named", "similarity of paths", "steps kept", "time distance, of the mean"]
    rows = [
        row for path in sorted(arguments.logs.glob("*.xes.gz")) for row in rows_of(path, DELTA, 1e-6, arguments.runs)
    ]
    delta = math.tanh(TRAVAS_EPSILON / 4) + TRAVAS_SLACK
    others = rows_of(arguments.logs / f"{TRAVAS_LOG}.xes.gz", delta, TRAVAS_SLACK, arguments.runs)
    seeds = f"means of {arguments.runs} seeds ({SELECTIONS} for what is named)"
    measured = f"Delta {DELTA:g}, slack 1e-6; {seeds}, measured on {machine()}."
    beside = (
        f"At epsilon {TRAVAS_EPSILON:g} and slack {TRAVAS_SLACK:g}, for which TraVaS (Rafiei et al. 2022) reports a "
        f"similarity of {TRAVAS_SIMILARITY} on BPIC13:"
    )
    text = f"{measured}\n\n{table(header, rows)}\n\n{beside}\n\n{table(header, others)}"
    print(text)
    if arguments.write:
        put("strict", text)


if __name__ == "__main__":
    main()
