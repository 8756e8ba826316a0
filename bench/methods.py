"""All methods side by side on the real logs: what the same delta costs and keeps.

    python bench/methods.py --logs FOLDER [--runs 5] [--write]

All figures are means over seeds. Time distance and case-duration distance are in hours and in multiples of the mean.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from document import DOCUMENT, parser_of, put, table
from machine import machine
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


def figures(name: str, log: EventLog, delta: float, method: str, runs: int) -> Figures:
    """Means over so many seeds."""
    releases: list[Release] = []
    for seed in range(runs):
        with contextlib.suppress(LogError):  # filter would drop every case, or nothing stands out of the noise
            releases.append(anonymize(log, delta, seed=seed, **METHODS[method]))  # type: ignore[arg-type]
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


def all_figures(logs: Path, runs: int) -> Iterator[Figures]:
    for path in sorted(logs.glob("*.xes.gz")):
        log = read_log(path)
        for delta in DELTAS:
            for method in METHODS:
                result = figures(path.name.removesuffix(".xes.gz"), log, delta, method, runs)
                print("  ".join(result.row()), flush=True)
                yield result


def chart(results: list[Figures]) -> None:
    """Time distance and ratio against delta: a column for each log, a line for each method."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "unsingle", "font.family": "sans-serif", "font.size": 8})
    import matplotlib.pyplot as plt

    logs = list(dict.fromkeys(result.log for result in results))
    chart, axes = plt.subplots(2, len(logs), figsize=(1.9 * len(logs), 4.6), sharex=True, sharey="row")
    for column, log in enumerate(logs):
        for (method, _), mark in zip(METHODS.items(), "xos^Dv*", strict=True):
            line = [result for result in results if (result.log, result.method) == (log, method)]
            for row, values in enumerate(([r.share for r in line], [r.ratio for r in line])):
                axes[row][column].plot(DELTAS, values, marker=mark, markersize=3.5, linewidth=1, label=method)
        axes[0][column].set_title(log.split("_")[0])
        axes[1][column].set_xlabel("delta")
    axes[0][0].set(yscale="log", ylabel="time distance, in mean durations")
    axes[1][0].set(yscale="log", ylabel="cases out / cases in")
    for axis in axes.flat:
        axis.grid(visible=True, alpha=0.3)
    chart.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncols=len(METHODS), frameon=False)
    chart.tight_layout(rect=(0, 0.05, 1, 1))
    chart.savefig(DOCUMENT.parents[1] / "pictures" / "methods.svg", metadata={"Date": None})


def main() -> None:
    arguments = parser_of(__doc__, runs=5).parse_args()
    results = list(all_figures(arguments.logs, arguments.runs))
    header = ["log", "delta", "method", "ratio", "frequencies moved", "SMAPE %", "time distance h", "x mean",
              "case duration distance h", "x mean", "mean duration, times the original's", "variants lost"]  # fmt: skip
    measured = f"Measured on {machine()}; means of {arguments.runs} runs, seeds 0 to {arguments.runs - 1}."
    text = f"{measured}\n\n{table(header, [result.row() for result in results])}"
    print(f"\n{text}")
    if arguments.write:
        put("methods", text)
        chart(results)


if __name__ == "__main__":
    main()
