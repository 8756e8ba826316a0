"""The evaluation archive: every method on every log at every delta, all measures, in files that programs read.

    python -m bench archive --logs FOLDER [--runs 5] [--write]

`bench/archive/results.csv` has a row for each log, method and delta, with the means of the runs. A row with the method
"two halves" has what two random halves of the log differ by. An empty cell is a figure that there is not: of a release
in which nothing was left, or of a method whose cases stand for no original ones. `bench/archive/about.json` says what
each column means, which files the logs are (SHA-256), and with what it was measured.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl

from document import parser_of
from machine import machine
from unsingle import Sweep, read_log, sweep
from unsingle.evaluation.measures import MEASURES
from unsingle.methods import METHODS
from unsingle.version import VERSION

FOLDER = Path(__file__).resolve().parent / "archive"
DELTAS = (0.1, 0.2, 0.4)
HALVES = "two halves"


def swept(path: Path, runs: int) -> Sweep:
    """All methods at all deltas on one log, with the seeds 0 and up."""
    return sweep(read_log(path), DELTAS, list(METHODS), runs=runs, seed=0)


def rows_of(name: str, found: Sweep) -> list[dict[str, Any]]:
    """A row for each method and delta, and one for the two halves."""
    about = {"log": name, "cases": found.cases, "events": found.events}
    points = [{**about, "method": each.method, "delta": each.delta, **each.figures} for each in found.points]
    return [*points, {**about, "method": HALVES, "delta": None, **found.halves}]


def columns() -> dict[str, str]:
    """What each column of figures means."""
    return {
        number.name: f"{number.title}. {measure.meaning}"
        for measure in MEASURES.values()
        for number in measure.columns()
        if measure.in_sweep
    }


def main() -> None:
    arguments = parser_of(__doc__, runs=5).parse_args()
    rows, files = [], {}
    for path in sorted(arguments.logs.glob("*.xes.gz")):
        name = path.name.removesuffix(".xes.gz")
        rows += rows_of(name, swept(path, arguments.runs))
        files[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        print(name, flush=True)
    table = pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)
    about = {
        "version": VERSION, "machine": machine(), "runs": arguments.runs, "seeds": [0, arguments.runs - 1],
        "logs": files, "columns": columns(),
    }  # fmt: skip
    print(table)
    if arguments.write:
        FOLDER.mkdir(exist_ok=True)
        table.write_csv(FOLDER / "results.csv", float_precision=6)
        (FOLDER / "about.json").write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
