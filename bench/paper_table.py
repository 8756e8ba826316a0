"""The paper's table (its Sect. V) measured again: oversampling ratio, SMAPE, time distance and run time.

    python bench/paper_table.py --logs FOLDER [--runs 10] [--readme] [--write]

For each real log and each delta it prints our ratio beside the paper's, and SMAPE and time distance of the method
as published beside `amun`; and for delta 0.2 those of `twin`. With --readme only that delta is measured, and only the
table of the README is written. The SMAPE printed in the paper is for information only: the authors' code measured
the minutes' digits of the time since the previous event, not the duration.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from document import README, parser_of, put, table
from machine import machine
from unsingle import EventLog, Release, anonymize, read_log
from unsingle.evaluation.figures import measure
from unsingle.methods import DEFAULT

DELTAS, USUAL = (0.1, 0.2, 0.3, 0.4, 0.5), 0.2


class Paper(NamedTuple):
    """What the paper prints for a log: SMAPE and ratio by delta, minutes at delta 0.2."""

    file: str
    lifecycle: str | None
    smape: tuple[float, ...]
    ratio: tuple[float, ...]
    minutes: float


PAPER = {
    "BPIC12 (complete)": Paper("BPIC12", "complete", (72.5, 67.7, 64.2, 61.3, 59.1), (2.5, 1.8, 1.6, 1.5, 1.4), 12.5),
    "BPIC13": Paper("BPIC13_incidents", None, (74.7, 70.4, 67.6, 65.5, 63.9), (1.9, 1.5, 1.3, 1.3, 1.2), 3.9),
    "BPIC15": Paper("BPIC15_1", None, (63.2, 60.6, 58.2, 56.2, 56.1), (13.9, 7.6, 5.4, 4.3, 3.7), 8.4),
    "Hospital": Paper("Hospital", None, (37.0, 36.6, 36.2, 35.8, 35.7), (14.4, 7.7, 5.5, 4.4, 3.6), 34.1),
    "Sepsis": Paper("Sepsis", None, (70.2, 66.4, 63.2, 60.6, 59.4), (5.2, 3.2, 2.6, 2.3, 2.1), 1.9),
    "Traffic": Paper("Traffic_fines", None, (57.9, 57.8, 57.8, 57.8, 57.8), (1.0, 1.0, 1.0, 1.0, 1.0), 8.2),
    "CCC19": Paper("CCC19", None, (47.5, 46.3, 43.8, 44.2, 45.0), (14.7, 8.0, 5.7, 4.4, 3.9), 0.1),
    "Unrineweginfectie": Paper(
        "Unrineweginfectie", None, (55.2, 51.8, 50.9, 50.1, 49.9), (1.1, 1.1, 1.0, 1.0, 1.0), 0.2
    ),
}  # fmt: skip


def releases(log: EventLog, delta: float, runs: int, method: str = "amun", **options: bool) -> list[Release]:
    return [anonymize(log, delta, method=method, seed=seed, **options) for seed in range(runs)]  # type: ignore[arg-type]


def utility_rows(name: str, paper: Paper, log: EventLog, runs: int, chosen: tuple[float, ...]) -> list[list[str]]:
    rows = []
    for delta, paper_ratio, paper_smape in zip(DELTAS, paper.ratio, paper.smape, strict=True):
        if delta not in chosen:
            continue
        default = [measure(log, release) for release in releases(log, delta, runs)]
        published = [measure(log, release) for release in releases(log, delta, runs, as_published=True)]
        rows.append(
            [
                name,
                f"{delta:g}",
                f"{paper_ratio:.1f}",
                f"{mean(r.oversampling_ratio for r in default + published):.3f}",
                f"{paper_smape:.1f}",
                f"{100 * mean(r.smape for r in published):.1f}",
                f"{100 * mean(r.smape for r in default):.1f}",
                f"{mean(r.time_distance.hours for r in published):,.1f}",
                f"{mean(r.time_distance.hours for r in default):,.1f}",
                f"{mean(r.time_distance.share_of_mean for r in published):.1f}",
                f"{mean(r.time_distance.share_of_mean for r in default):.1f}",
            ]
        )
        print("  ".join(rows[-1]), flush=True)
    return rows


def seconds_of_command(path: Path, lifecycle: str | None) -> float:
    """Median wall time of the whole command by the paper's method, interpreter included, .xes.gz to .xes.gz."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for run in range(3):
            command = [sys.executable, "-m", "unsingle", "anonymize", str(path), "--method", "amun", "--quiet"]
            command += ["--lifecycle", lifecycle] if lifecycle else []
            begin = time.perf_counter()
            subprocess.run([*command, "-o", f"{folder}/{run}.xes.gz"], check=True)
            seconds.append(time.perf_counter() - begin)
    return median(seconds)


def twin_cells(log: EventLog, runs: int) -> list[str]:
    """Ratio and time distance of our own method at delta 0.2."""
    twins = [measure(log, release) for release in releases(log, USUAL, runs, DEFAULT)]
    ratio, distance = mean(r.oversampling_ratio for r in twins), mean(r.time_distance.share_of_mean for r in twins)
    return [f"{ratio:.2f}", f"{distance:.3f}" if distance < 0.01 else f"{distance:.2f}"]


def _best(cell: str, *others: str) -> str:
    """In bold type if none of the others is less."""
    return f"**{cell}**" if float(cell) <= min(map(float, others)) else cell


def comparison(utility: list[list[str]], twin: dict[str, list[str]], runtime: list[list[str]]) -> str:
    """What the README shows of it: delta 0.2 only."""
    seconds = {row[0]: row for row in runtime}
    rows = []
    for name, delta, paper_ratio, ratio, *_, published, default in utility:
        if delta == f"{USUAL:g}":
            _, minutes, ours, _ = seconds[name]
            (twin_ratio, twin_distance), amun_ratio = twin[name], f"{float(ratio):.2f}"
            rows.append(
                [name, paper_ratio, amun_ratio, f"**{twin_ratio}**", published, default,
                 _best(twin_distance, default, published), minutes, ours]
            )  # fmt: skip
    return table(
        [f"log, delta {USUAL:g}", "ratio, paper", "`amun`", f"`{DEFAULT}`", "time distance, as published", "`amun`",
         f"`{DEFAULT}`", "paper, minutes", "`amun`, seconds"],
        rows,
    )  # fmt: skip


def main() -> None:
    parser = parser_of(__doc__, runs=10)
    parser.add_argument("--readme", action="store_true")
    arguments = parser.parse_args()
    deltas = (USUAL,) if arguments.readme else DELTAS

    utility, runtime, twin = [], [], {}
    for name, paper in PAPER.items():
        path = arguments.logs / f"{paper.file}.xes.gz"
        log = read_log(path, lifecycle=paper.lifecycle)
        utility += utility_rows(name, paper, log, arguments.runs, deltas)
        twin[name] = twin_cells(log, arguments.runs)
        seconds = seconds_of_command(path, paper.lifecycle)
        runtime.append([name, f"{paper.minutes:g}", f"{seconds:.2f}", f"{60 * paper.minutes / seconds:,.0f}"])
    utility_table = table(
        ["log", "delta", "ratio, paper", "ratio", "SMAPE %, paper's", "SMAPE %, as published", "SMAPE %, amun",
         "time distance h, as published", "h, amun", "x mean, as published", "x mean, amun"],
        utility,
    )  # fmt: skip
    runtime_table = table(["log", "paper, minutes", "amun, seconds", "times faster"], runtime)
    measured = f"Measured on {machine()}; means of {arguments.runs} runs, seeds 0 to {arguments.runs - 1}."
    print(f"\n{utility_table}\n\n{runtime_table}\n\n{measured}")
    compared = comparison(utility, twin, runtime)
    print(f"\n{compared}")
    if arguments.write:
        put("comparison", compared, README)
    if arguments.write and not arguments.readme:
        put("paper table", f"{measured}\n\n{utility_table}")
        put("paper run times", f"Measured on {machine()}; median of 3 runs.\n\n{runtime_table}")


if __name__ == "__main__":
    main()
