"""What else the paper measured: the digits behind its SMAPE, and the precision of a guess.

    python -m bench reproduction --logs FOLDER [--runs 5] [--write]

The authors' code took the minutes' digits (0 to 59) of the time since the previous event. Here both are measured on the
same releases as published, at delta 0.2: the error of durations by the paper's formula, and that of their digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import mean

import numpy as np

from document import parser_of, put, table
from machine import machine
from paper_table import DELTAS, PAPER, USUAL
from unsingle import EventLog, Release, anonymize, read_log
from unsingle.core.arrays import Ints, take_rows
from unsingle.core.clock import MINUTE
from unsingle.evaluation.figures import measure
from unsingle.evaluation.measures.relative_error import smape

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "reproduction.md"

PRECISIONS = (0.01, 0.05, 0.1, 0.2, 0.3)
LOGS_OF_PRECISION = ("Sepsis", "BPIC13", "Unrineweginfectie")


def since_previous(log: EventLog, release: Release) -> tuple[Ints, Ints]:
    """The time since the previous event of each released event that has one: of its ancestor, and its own."""
    assert release.ancestors is not None
    flat, _ = take_rows(log.case_offsets, release.ancestors)
    later = ~release.log.is_first
    return np.diff(log.time[flat], prepend=0)[later], np.diff(release.log.time, prepend=0)[later]


def digits_row(name: str, log: EventLog, runs: int) -> list[str]:
    """SMAPE as the paper prints it, by its formula, and of minutes' digits: of all, and where one is not 0."""
    found = []
    for seed in range(runs):
        true, noisy = since_previous(log, anonymize(log, USUAL, method="as-published", seed=seed))
        digits = true // MINUTE % 60, noisy // MINUTE % 60
        some = (digits[0] > 0) | (digits[1] > 0)
        found.append((smape(true, noisy), smape(*digits), smape(digits[0][some], digits[1][some])))
    printed = PAPER[name].smape[DELTAS.index(USUAL)]
    return [name, f"{printed:.1f}", *(f"{100 * mean(each):.1f}" for each in zip(*found, strict=True))]


def precision_rows(name: str, log: EventLog, runs: int) -> Iterable[list[str]]:
    """What the precision of a guess changes."""
    for precision in PRECISIONS:
        cells = [name, f"{precision:g}"]
        for method in ("as-published", "amun"):
            made = [anonymize(log, USUAL, method=method, precision=precision, seed=seed) for seed in range(runs)]
            figures = [measure(log, release) for release in made]
            cells += [f"{100 * mean(each.smape for each in figures):.1f}"]
            cells += [f"{mean(each.time_distance.share_of_mean for each in figures):.1f}"]
        yield cells


def main() -> None:
    arguments = parser_of(__doc__, runs=5).parse_args()
    digits: list[list[str]] = []
    precision: list[list[str]] = []
    for name, paper in PAPER.items():
        log = read_log(arguments.logs / f"{paper.file}.xes.gz", lifecycle=paper.lifecycle)
        digits.append(digits_row(name, log, arguments.runs))
        if name in LOGS_OF_PRECISION:
            precision += precision_rows(name, log, arguments.runs)
    measured = f"Measured on {machine()}; means of {arguments.runs} runs, delta {USUAL:g}, seeds from 0."
    header = ["log", "SMAPE %, paper's", "by its formula", "of minutes' digits", "of those that are not both 0"]
    texts = {"digits": table(header, digits)}
    header = ["log", "precision", "SMAPE %, as published", "time distance, x mean", "SMAPE %, amun", "x mean"]
    texts["precision"] = table(header, precision)
    for section, text in texts.items():
        print(f"\n{text}")
        if arguments.write:
            put(section, f"{measured}\n\n{text}", PAGE)


if __name__ == "__main__":
    main()
