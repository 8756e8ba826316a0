"""All methods side by side on the real logs: what the same delta costs and keeps.

    python bench/methods.py --logs FOLDER [--runs 5] [--deltas 0.2] [--methods twin] [--only flow] [--write]

All figures are means over seeds. Time distance and case-duration distance are in hours and in multiples of the mean.
With `--write`, rows that are not measured again stay as they are.
"""

from __future__ import annotations

import argparse
import contextlib
import math
from collections.abc import Sequence
from itertools import product
from statistics import mean
from typing import NamedTuple

from document import DOCUMENT, parser_of, put, table
from flow import HALVES, HEADER, Flow
from machine import machine
from results import kept_rows
from unsingle import EventLog, LogError, Release, anonymize, read_log
from unsingle.evaluation.figures import measure
from unsingle.evaluation.measures import case_duration_distance, set_change

DELTAS = (0.1, 0.2, 0.4)
METHODS = {
    "as published": {"method": "amun", "as_published": True},
    "amun": {"method": "amun"},
    "sample": {"method": "sample"},
    "filter": {"method": "filter"},
    "twin": {"method": "twin"},
    "twin --paths crowds": {"method": "twin", "paths": "crowds"},
    "strict": {"method": "strict"},
}
NOTHING_LEFT = float("nan")
COSTS = ["log", "delta", "method", "ratio", "frequencies moved", "SMAPE %", "time distance h", "x mean",
         "case duration distance h", "x mean", "mean duration, times the original's", "variants lost"]  # fmt: skip
_RATIO, _SHARE = 3, 7  # columns of the plotted figures
Rows = list[list[str]]


class Figures(NamedTuple):
    """Means of one method at one delta on one log."""

    log: str
    method: str
    delta: float
    ratio: float = NOTHING_LEFT
    variants: float = NOTHING_LEFT
    smape: float = NOTHING_LEFT
    hours: float = NOTHING_LEFT
    share: float = NOTHING_LEFT
    case_hours: float = NOTHING_LEFT
    case_share: float = NOTHING_LEFT
    stretch: float = NOTHING_LEFT
    variants_lost: float = NOTHING_LEFT

    def row(self) -> list[str]:
        """The figures as cells of a table."""
        if self.ratio != self.ratio:
            return [self.log, f"{self.delta:g}", self.method, *["nothing left"] * 9]
        smape = "–" if math.isnan(self.smape) else f"{100 * self.smape:.1f}"
        numbers = (f"{self.hours:,.1f}", f"{self.share:.2f}", f"{self.case_hours:,.0f}", f"{self.case_share:.2f}")
        return [
            self.log, f"{self.delta:g}", self.method, f"{self.ratio:.3f}", f"{self.variants:.3f}", smape, *numbers,
            f"{self.stretch:.2f}", f"{self.variants_lost:,.0f}",
        ]  # fmt: skip


def mean_step(log: EventLog) -> float:
    """Mean time between two events of a case."""
    return float((log.case_ends - log.case_starts).sum() / max(1, log.n_events - log.n_cases))


def released(log: EventLog, delta: float, method: str, runs: int) -> list[Release]:
    """A release for each seed; fewer where nothing is left: filter would drop every case, or all drowns in noise."""
    releases: list[Release] = []
    for seed in range(runs):
        with contextlib.suppress(LogError):
            releases.append(anonymize(log, delta, seed=seed, **METHODS[method]))  # type: ignore[arg-type]
    return releases


def figures(name: str, log: EventLog, delta: float, method: str, releases: Sequence[Release]) -> Figures:
    """Means over these releases."""
    if not releases:
        return Figures(name, method, delta)
    counts = log.variant_counts()
    private = [measure(log, release) for release in releases]
    case = [case_duration_distance(log, release.log) for release in releases]
    return Figures(
        name, method, delta,
        mean(p.oversampling_ratio for p in private),
        mean(set_change(counts, release.log.variant_counts()).frequency_distance for release in releases),
        mean(p.smape for p in private),
        mean(p.time_distance.hours for p in private),
        mean(p.time_distance.share_of_mean for p in private),
        mean(c.hours for c in case),
        mean(c.share_of_mean for c in case),
        mean(mean_step(release.log) / mean_step(log) for release in releases),
        mean(len(p.lost_variants) for p in private),
    )  # fmt: skip


def measured(arguments: argparse.Namespace) -> tuple[Rows, Rows]:
    """The rows of both tables that were asked for."""
    costs: Rows = []
    flows: Rows = []
    for path in sorted(arguments.logs.glob("*.xes.gz")):
        log, name = read_log(path), path.name.removesuffix(".xes.gz")
        flow = Flow(name, log)
        flows.append(flow.halves())
        for delta, method in product(arguments.deltas, arguments.methods):
            releases = released(log, delta, method, arguments.runs)
            flows.append(flow.row(delta, method, releases))
            print("  ".join(flows[-1]), flush=True)
            if arguments.only != "flow":
                costs.append(figures(name, log, delta, method, releases).row())
                print("  ".join(costs[-1]), flush=True)
    return costs, flows


def merged(section: str, rows: Rows) -> Rows:
    """The rows that are kept of a section, with these in their places; by log, delta and method."""
    found = {tuple(row[:3]): row for row in [*kept_rows("methods", section), *rows]}
    order = [HALVES, *METHODS]
    return [found[key] for key in sorted(found, key=lambda key: (key[0], _number(key[1]), order.index(key[2])))]


def _number(delta: str) -> float:
    return 0.0 if delta == "–" else float(delta)


def chart(rows: Rows) -> None:
    """Time distance and ratio against delta: a column for each log, a line for each method."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "unsingle", "font.family": "sans-serif", "font.size": 8})
    import matplotlib.pyplot as plt

    logs = list(dict.fromkeys(row[0] for row in rows))
    chart, axes = plt.subplots(2, len(logs), figsize=(1.9 * len(logs), 4.6), sharex=True, sharey="row")
    for column, log in enumerate(logs):
        for (method, _), mark in zip(METHODS.items(), "xos^Dv*", strict=True):
            line = [row for row in rows if (row[0], row[2]) == (log, method)]
            for part, place in enumerate((_SHARE, _RATIO)):
                axes[part][column].plot(
                    [float(row[1]) for row in line], [_plotted(row[place]) for row in line],
                    marker=mark, markersize=3.5, linewidth=1, label=method,
                )  # fmt: skip
        axes[0][column].set_title(log.split("_")[0])
        axes[1][column].set_xlabel("delta")
    axes[0][0].set(yscale="log", ylabel="time distance, in mean durations")
    axes[1][0].set(yscale="log", ylabel="cases out / cases in")
    for axis in axes.flat:
        axis.grid(visible=True, alpha=0.3)
    chart.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncols=len(METHODS), frameon=False)
    chart.tight_layout(rect=(0, 0.05, 1, 1))
    chart.savefig(DOCUMENT.parents[1] / "pictures" / "methods.svg", metadata={"Date": None})


def _plotted(cell: str) -> float:
    return NOTHING_LEFT if cell == "nothing left" else float(cell)


def parsed() -> argparse.Namespace:
    parser = parser_of(__doc__, runs=5)
    parser.add_argument("--deltas", type=float, nargs="+", default=DELTAS, help="deltas to measure")
    parser.add_argument("--methods", nargs="+", default=[*METHODS], choices=[*METHODS], help="methods to measure")
    parser.add_argument("--only", choices=["flow"], help="measure the week and the flow of cases alone")
    parser.add_argument("--note", default="", help="a sentence about what was measured otherwise")
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    costs, flows = measured(arguments)
    on = f"Measured on {machine()}; means of {arguments.runs} runs, seeds 0 to {arguments.runs - 1}."
    on = f"{on} {arguments.note}".rstrip()
    tables = {"methods": (COSTS, costs), "flow": (HEADER, flows)}
    for section, (header, rows) in tables.items():
        if not rows:
            continue
        shown = merged(section, rows) if arguments.write else rows
        text = f"{on}\n\n{table(header, shown)}"
        print(f"\n{text}")
        if arguments.write:
            put(section, text)
        if arguments.write and section == "methods":
            chart(shown)


if __name__ == "__main__":
    main()
