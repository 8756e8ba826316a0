"""Fuzz the readers from the command line: ``python -m fuzzing --help`` in the folder of the tests."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from .base import ALONE, BOTH, RULE, SAME
from .runner import Run, run

_COUNTS = {"csv": 20_000, "xes": 20_000, "parquet": 2_000}


def main() -> int:
    """Run it, and say with the exit code whether anything was found."""
    given = _arguments()
    os.environ["POLARS_MAX_THREADS"] = "1"  # small files are read faster by one thread
    runs = []
    for name in given.formats:
        count = given.inputs or _COUNTS[name]
        runs.append(
            run(name, count, given.seed, given.findings, given.seconds, lambda each, n=count: _progress(each, n))
        )
        print(f"\r{'':70}\r", end="", file=sys.stderr)
    _print_table(runs)
    for each in runs:
        for finding in each.findings:
            print(f"{each.format} {finding.number}: {finding.what}")
    if any(each.findings for each in runs):
        print(f"the inputs are in {given.findings}")
        return 1
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="fuzzing", description="Read odd files by our readers and by others, and compare."
    )
    parser.add_argument("formats", nargs="*", help="csv, xes, parquet; all by default")
    parser.add_argument("--inputs", type=int, help="of each format; by default 20,000 (2,000 of parquet)")
    parser.add_argument("--seconds", type=float, default=300.0, help="at most so long for each format (300)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same inputs (1)")
    parser.add_argument(
        "--findings", type=Path, default=Path("fuzz-findings"), help="folder for inputs that are read wrong"
    )
    given = parser.parse_args()
    given.formats = given.formats or list(_COUNTS)
    if unknown := set(given.formats) - set(_COUNTS):
        parser.error(f"unknown format {', '.join(sorted(unknown))}: choose from {', '.join(_COUNTS)}")
    return given


def _progress(each: Run, count: int) -> None:
    line = f"{each.format}: {each.inputs:,} of {count:,} inputs, {each.seconds:.0f} s, {len(each.findings)} findings"
    print(f"\r{line:70}", end="", file=sys.stderr, flush=True)


def _print_table(runs: list[Run]) -> None:
    print("format      inputs   same  both refuse  we alone  by a rule  findings  seconds")
    for each in runs:
        ruled = sum(n for what, n in each.verdicts.items() if what.startswith(RULE))
        counts = [*(each.verdicts[what] for what in (SAME, BOTH, ALONE)), ruled]
        same, both, alone, by_rule = (f"{count / max(1, each.inputs):.1%}" for count in counts)
        figures = f"{same:>6} {both:>12} {alone:>9} {by_rule:>10} {len(each.findings):>9} {each.seconds:>8.0f}"
        print(f"{each.format:8} {each.inputs:9,} {figures}")
    for each in runs:
        for what, n in sorted(each.verdicts.items()):
            if what.startswith(RULE):
                print(f"{each.format}, {what}: {n:,}")


if __name__ == "__main__":
    sys.exit(main())
