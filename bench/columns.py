"""Columns beside case, activity and time on the real logs: what `twin` keeps of them, and what they cost the times.

    python bench/columns.py --logs FOLDER [--runs 5] [--write]

All figures are means over seeds at delta 0.2. A time distance is in multiples of the mean duration.
"""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from document import parser_of, put, table
from machine import machine
from unsingle import EventLog, anonymize, read_log
from unsingle.evaluation.making import context_of
from unsingle.evaluation.measures.base import MEASURES

DELTA = 0.2
LIFECYCLES = "concept:name+lifecycle:transition"
LOGS: dict[str, dict[str, Any]] = {
    "Sepsis": {"keep": ["org:group", "CRP"], "keep_case": ["Age", "Diagnose"]},
    "BPIC13_incidents": {"keep": ["org:role", "org:group"]},
    "BPIC12": {"activity": LIFECYCLES, "keep": ["org:resource", "case:AMOUNT_REQ"], "numbers": ["case:AMOUNT_REQ"]},
    "Traffic_fines": {"keep": ["amount"]},
}
MEASURED = ("values_by_activity", "numbers_by_activity", "case_values", "handovers", "service_time")


class Row(NamedTuple):
    """One figure of one column."""

    log: str
    what: str
    figures: list[float]

    def cells(self) -> list[str]:
        """The mean and the range, in percent."""
        low, middle, high = (100 * each(self.figures) for each in (min, mean, max))
        return [self.log, self.what, f"{middle:.1f}", f"{low:.1f} to {high:.1f}"]


def figures_of(original: EventLog, seed: int) -> dict[str, float]:
    """All figures of one release, by what they are about."""
    release = anonymize(original, DELTA, seed=seed)
    context = context_of(original, release)
    found: dict[str, float] = {}
    for name in MEASURED:
        chosen = MEASURES[name]
        if chosen.applies(context):
            value = chosen.of(original, release.log, context)
            found |= {f"{chosen.title}: {what}": figure for what, figure in numbers_in(value).items()}
    found["time distance"] = MEASURES["time_distance"].of(original, release.log, context).share_of_mean
    return found


def numbers_in(value: Any, name: str = "") -> dict[str, float]:
    """All shares of a figure, by name; counts and hours are left out."""
    if isinstance(value, dict):
        return {k: v for key, each in value.items() for k, v in numbers_in(each, f"{name} {key}".strip()).items()}
    if hasattr(value, "__dataclass_fields__"):
        return numbers_in({key.replace("_", " "): getattr(value, key) for key in value.__dataclass_fields__}, name)
    return {name: value} if isinstance(value, float) and not name.endswith("hours") else {}


def rows_of(name: str, path: Path, runs: int) -> list[Row]:
    """The figures of one log with its columns, and its time distance without them."""
    log = read_log(path, **LOGS[name])
    private = [column for column in log.columns if column.field.private]
    found = [figures_of(log, seed) for seed in range(runs)]
    rows = [Row(name, what, [each[what] for each in found]) for what in found[0]]
    bare = [figures_of(log.with_columns(private), seed)["time distance"] for seed in range(runs)]
    return [*rows, Row(name, "time distance without the columns", bare)]


def main() -> None:
    arguments = parser_of(__doc__, runs=5).parse_args()
    rows: list[list[str]] = []
    for name in LOGS:
        for row in rows_of(name, arguments.logs / f"{name}.xes.gz", arguments.runs):
            rows.append(row.cells())
            print("  ".join(rows[-1]), flush=True)
    measured = (
        f"Measured on {machine()}; means of {arguments.runs} runs, seeds 0 to {arguments.runs - 1}, delta {DELTA}."
    )
    text = f"{measured}\n\n{table(['log', 'what moved', 'mean, %', 'range, %'], rows)}"
    if arguments.write:
        put("columns", text)


if __name__ == "__main__":
    main()
