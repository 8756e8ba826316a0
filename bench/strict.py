"""What paths taken by many keep of the real logs: `strict` and `twin --paths crowds`, beside plain selection.

    python bench/strict.py --logs FOLDER [--runs 5] [--write]

*Named* is the share of cases whose variant is published by its count; *similarity* is one less the earth mover's
distance between the paths of both logs, with the normalised edit distance as ground distance; *steps kept* is the
part of the frequencies of the directly-follows graph (with starts and ends) that both have in common. *Plain selection*
spends all of strict's budget on which variants may be published, and has no times.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
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
from unsingle.evaluation.figures import measure
from unsingle.privacy.budget import SLACK
from unsingle.privacy.terms import epsilon_for

DELTAS = (0.05, 0.1, 0.2, 0.4)
SELECTION, STRICT, CROWDS = "plain selection", "strict", "twin --paths crowds"
MOST_PATHS = 2000  # of a log, for the earth mover's distance: of larger ones a random sample of cases is compared
TRAVAS_LOG, TRAVAS_EPSILON, TRAVAS_SLACK, TRAVAS_SIMILARITY = "BPIC13_incidents", 1.0, 0.01, 0.885


class Kept(NamedTuple):
    """What a release keeps of a log."""

    similarity: float
    steps: float
    events: float
    share: float = math.nan

    def cells(self) -> list[str]:
        """The figures as cells of a table."""
        times = "–" if math.isnan(self.share) else f"{self.share:.0%}"
        return [f"{self.similarity:.3f}", f"{self.steps:.1%}", f"{self.events:.2f}", times]


def similarity(one: EventLog, other: EventLog) -> float:
    """How alike two logs' paths are: 1 if they are the same, as often."""
    counts = [_sampled(log).variant_counts() for log in (one, other)]
    letter = {label: chr(0x4E00 + i) for i, label in enumerate(dict.fromkeys(one.labels + other.labels))}
    texts = [["".join(letter[label] for label in path) for path in each] for each in counts]
    shares = [np.array([*each.values()], dtype=float) / sum(each.values()) for each in counts]
    apart = cdist(*texts, scorer=Levenshtein.normalized_distance, workers=-1).astype(float)
    return 1 - float(ot.emd2(*shares, apart, numItermax=2_000_000))


def _sampled(log: EventLog) -> EventLog:
    if log.variants.count <= MOST_PATHS:
        return log
    return log.subset(np.random.default_rng(0).permutation(log.n_cases)[:MOST_PATHS])


def selected(log: EventLog, epsilon: float, slack: float, seed: int) -> EventLog | None:
    """The log that selection alone would release, without times; nothing if it publishes no variant.

    Noise from -K to K with chances ~ e^(-epsilon |z|); a variant is published if its noised count is above K, the least
    number that the noise takes with a chance of at most the slack (Desfontaines, Voss and others 2022).
    """
    values = np.arange(2_000)
    weight = np.exp(-epsilon * values)
    total = 2 * np.cumsum(weight) - 1
    most = int(np.argmax(weight / total <= slack))
    noise = np.arange(-most, most + 1)
    chance = np.exp(-epsilon * np.abs(noise))
    cases = log.variants.cases
    noised = cases + np.random.default_rng(seed).choice(noise, size=len(cases), p=chance / chance.sum())
    first = np.unique(log.variants.of_case, return_index=True)[1]
    return log.subset(np.repeat(first, np.where(noised > most, noised, 0))) if (noised > most).any() else None


def by_selection(log: EventLog, delta: float, slack: float, runs: int) -> Kept | None:
    """What selection alone keeps, if all of the budget is spent on it."""
    released = [selected(log, epsilon_for(delta, slack), slack, seed) for seed in range(runs)]
    return _mean([_kept(log, each) for each in released if each is not None])


def by_method(log: EventLog, delta: float, slack: float, runs: int, **method: str) -> Kept | None:
    """What a method keeps."""
    kept = []
    for seed in range(runs):
        try:
            release = anonymize(log, delta, slack=slack, seed=seed, **method)  # type: ignore[arg-type]
        except LogError:  # nothing stands out of the noise
            continue
        kept.append(_kept(log, release.log)._replace(share=measure(log, release).time_distance.share_of_mean))
    return _mean(kept)


def _kept(log: EventLog, release: EventLog) -> Kept:
    steps = 1 - compare(log, release).edge_change.frequency_distance
    return Kept(similarity(log, release), steps, release.n_events / log.n_events)


def _mean(kept: list[Kept]) -> Kept | None:
    return Kept(*(mean(column) for column in zip(*kept, strict=True))) if kept else None


def rows_of(path: Path, delta: float, slack: float, runs: int) -> Iterator[list[str]]:
    log, name = read_log(path), path.name.removesuffix(".xes.gz")
    found = {
        SELECTION: by_selection(log, delta, slack, runs),
        STRICT: by_method(log, delta, slack, runs, method="strict"),
        CROWDS: by_method(log, delta, slack, runs, paths="crowds"),
    }
    for method, kept in found.items():
        row = [name, f"{delta:.3g}", method, *(["nothing"] * 4 if kept is None else kept.cells())]
        print("  ".join(row), flush=True)
        yield row


def main() -> None:
    arguments = parser_of(__doc__, runs=5).parse_args()
    header = [
        "log",
        "delta",
        "by",
        "similarity of paths",
        "steps kept",
        "events, times the original's",
        "time distance",
    ]
    logs = sorted(arguments.logs.glob("*.xes.gz"))
    rows = [row for path in logs for delta in DELTAS for row in rows_of(path, delta, SLACK, arguments.runs)]
    delta = math.tanh(TRAVAS_EPSILON / 4) + TRAVAS_SLACK
    others = list(rows_of(arguments.logs / f"{TRAVAS_LOG}.xes.gz", delta, TRAVAS_SLACK, arguments.runs))
    measured = f"Slack {SLACK:g}; means of {arguments.runs} seeds, measured on {machine()}."
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
