"""How fast: each step of the command beside other readers of the same file, in one run on one machine.

    python bench/speed.py --logs FOLDER [--sizes 0.25 1 2.5 10] [--runs 3] [--write]
    python bench/speed.py --check          # one log only; fails if the ratio has become worse than we say

Only ratios mean something elsewhere: seconds depend on the machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from document import DOCUMENT, parser_of, put, table
from machine import machine
from paper_table import PAPER
from worst_cases import WORST

STEPS = ("read", "paths", "times", "measure", "write")
EVENTS_PER_CASE = 15.55  # of the synthetic log
PM4PY_AT_MOST = 600_000  # events: beyond that it takes minutes. Its own reader, not rustxes behind it

# cost of the whole command on the log of 1 million events, as a multiple of rustxes reading the file
MOST_TIMES_RUSTXES = 0.8  # 0.6 is what we say; other work on the machine may disturb a single run

# minutes that the paper gives for a log of this size, at delta 0.2
PAPER_MINUTES = {paper.file: paper.minutes for paper in PAPER.values()} | {"synthetic 2.5 M": 542.5}  # BPIC18

# Each runs in a process of its own, so that memory and imports are counted fairly.
PROGRAMS = {
    "rustxes": "import rustxes, sys; rustxes.import_xes(sys.argv[1])",
    "pm4py": "import pm4py, sys; pm4py.read_xes(sys.argv[1], variant=pm4py.util.constants.DEFAULT_XES_PARSER)",
    "gunzip": "import gzip, sys, shutil; shutil.copyfileobj(gzip.open(sys.argv[1]), open('/dev/null', 'wb'), 1 << 20)",
    "unsingle": """
import json, resource, sys, time
from unsingle.core.machine import keep_memory
keep_memory()
from unsingle import Progress, anonymize, read_log, write_log
from unsingle.evaluation.figures import measure
class Meter(Progress):
    def __init__(self):
        super().__init__()
        self.marks = []
    def mark(self, name):
        use = resource.getrusage(resource.RUSAGE_SELF)
        self.marks.append((name, time.perf_counter(), use.ru_utime + use.ru_stime, use.ru_maxrss / 1024))
    def step(self, name):
        self.mark(name)
        super().step(name)
meter = Meter()
log = read_log(sys.argv[1], progress=meter)
release = anonymize(log, float(sys.argv[3]), progress=meter)
measure(log, release, meter)
write_log(release.log, sys.argv[2], force=True, progress=meter)
meter.mark("end")
steps = {a[0]: {"wall": b[1] - a[1], "cpu": b[2] - a[2], "peak": b[3]} for a, b in zip(meter.marks, meter.marks[1:])}
print(json.dumps({"events_in": log.n_events, "events_out": release.log.n_events, "steps": steps}))
""",
}


def measured(program: str, *arguments: str) -> dict[str, Any]:
    """Wall and CPU seconds and peak megabytes of a whole process, and what it printed."""
    with tempfile.TemporaryFile() as output:
        begin = os.times().elapsed
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAMS[program], *arguments], stdout=output, stderr=subprocess.DEVNULL
        )
        _, status, use = os.wait4(process.pid, 0)
        wall = os.times().elapsed - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{program} failed on {arguments[0]}")
        output.seek(0)
        printed = output.read()
    result = {"wall": wall, "cpu": use.ru_utime + use.ru_stime, "peak": use.ru_maxrss / 1024}
    return {**result, **(json.loads(printed) if program == "unsingle" else {})}


def middle(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The run with the median wall time."""
    return sorted(results, key=lambda result: float(result["wall"]))[len(results) // 2]


def anonymized(path: Path, ending: str = "xes.gz", delta: float = 0.2) -> dict[str, Any]:
    """The whole of our work on one file, written beside it."""
    return measured("unsingle", str(path), str(path.parent / f"release.{ending}"), str(delta))


def compare(files: dict[str, Path], runs: int) -> list[dict[str, Any]]:
    """All programs on all files, round after round: a machine that slows down does so for all of them."""
    programs: dict[str, Callable[[Path], dict[str, Any]]] = {
        "unsingle": anonymized,
        "rustxes": lambda path: measured("rustxes", str(path)),
        "gunzip": lambda path: measured("gunzip", str(path)),
    }
    found: dict[str, dict[str, list[dict[str, Any]]]] = {name: {p: [] for p in programs} for name in files}
    for round_ in range(runs):
        for name, path in files.items():
            for program, run in programs.items():
                found[name][program].append(run(path))
            print(f"round {round_ + 1} of {runs}: {name}", file=sys.stderr, flush=True)
    results = []
    for name, path in files.items():
        result: dict[str, Any] = {"name": name, **{p: middle(each) for p, each in found[name].items()}}
        if result["unsingle"]["events_in"] <= PM4PY_AT_MOST:
            result["pm4py"] = measured("pm4py", str(path))
        print(json.dumps(result), flush=True)
        results.append(result)
    return results


def by_format(folder: Path, runs: int) -> list[dict[str, Any]]:
    """One log with all its columns, in each format."""
    results = []
    for ending in ("xes.gz", "csv", "csv.gz", "parquet"):
        path = synthetic(1, folder, ending)
        results.append({"name": ending, "unsingle": middle([anonymized(path, ending) for _ in range(runs)])})
    return results


def worst_cases(logs: Path | None, folder: Path) -> list[dict[str, Any]]:
    """What is hard for the method, once each."""
    results = []
    for name in WORST:
        path = folder / f"{name}.xes.gz"
        # in a process of its own: what a parent holds would count as its child's peak
        subprocess.run([sys.executable, Path(__file__).with_name("worst_cases.py"), name, path], check=True)
        results.append({"name": name, "unsingle": anonymized(path)})
        path.unlink()
    if logs:
        path = Path(shutil.copy(logs / "Hospital.xes.gz", folder))
        results.append({"name": "Hospital, delta 0.05", "unsingle": anonymized(path, delta=0.05)})
    return results


def synthetic(millions: float, folder: Path, ending: str = "xes.gz") -> Path:
    """A synthetic log of about so many million events."""
    path = folder / f"synthetic-{millions:g}.{ending}"
    cases = round(millions * 1e6 / EVENTS_PER_CASE)
    command = [sys.executable, "-m", "unsingle", "synthesize", "--cases", str(cases), "-o", str(path), "--force"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return path


def summary_table(results: list[dict[str, Any]]) -> str:
    rows = []
    for result in results:
        ours, rustxes, pm4py = result["unsingle"], result["rustxes"], result.get("pm4py")
        minutes = PAPER_MINUTES.get(result["name"])
        rows.append(
            [
                result["name"],
                f"{ours['events_in']:,}",
                f"{ours['events_out']:,}",
                f"{ours['wall']:.2f}",
                f"{ours['peak']:,.0f}",
                f"{rustxes['wall']:.2f}",
                f"{rustxes['peak']:,.0f}",
                f"{pm4py['wall']:.1f}" if pm4py else "",
                f"{result['gunzip']['wall']:.2f}",
                f"**{ours['wall'] / rustxes['wall']:.2f}**",
                f"{pm4py['wall'] / ours['wall']:.1f}" if pm4py else "",
                f"{ours['wall'] / ours['events_in'] * 1e6:.2f}",
                f"{60 * minutes / ours['wall']:,.0f}" if minutes else "",
            ]
        )
    return table(
        ["log", "events in", "events out", "unsingle s", "MB", "rustxes reading s", "MB", "PM4Py reading s",
         "gunzip s", "unsingle / rustxes", "PM4Py / unsingle", "µs per event", "times faster than the paper"],
        rows,
    )  # fmt: skip


def step_table(results: list[dict[str, Any]]) -> str:
    rows = []
    for result in results:
        steps = result["unsingle"]["steps"]
        cells = [f"{steps[s]['wall']:.2f} / {steps[s]['cpu']:.2f} / {steps[s]['peak']:,.0f}" for s in STEPS]
        rows.append([result["name"], *cells])
    return table(["log: wall s / CPU s / peak MB so far", *STEPS], rows)


def plain_table(what: str, results: list[dict[str, Any]]) -> str:
    rows = [
        [
            result["name"],
            f"{result['unsingle']['events_in']:,}",
            f"{result['unsingle']['events_out']:,}",
            f"{result['unsingle']['wall']:.2f}",
            f"{result['unsingle']['peak']:,.0f}",
            f"{result['unsingle']['wall'] / result['unsingle']['events_out'] * 1e6:.2f}",
        ]
        for result in results
    ]
    return table([what, "events in", "events out", "s", "MB", "µs per event out"], rows)


def chart(results: list[dict[str, Any]]) -> None:
    """Cost against events, both axes logarithmic."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "unsingle", "font.family": "sans-serif"})
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2))
    lines = {
        "unsingle": "unsingle: read, anonymise, write",
        "rustxes": "rustxes: read only",
        "pm4py": "PM4Py: read only",
    }
    for (program, label), mark in zip(lines.items(), "os^", strict=True):
        points = sorted((r["unsingle"]["events_in"], r[program]["wall"]) for r in results if program in r)
        axes.plot(*zip(*points, strict=True), marker=mark, linestyle="none", label=label)
    axes.set(xscale="log", yscale="log", xlabel="events in the log", ylabel="seconds, whole process")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(DOCUMENT.parents[1] / "pictures" / "speed.svg", metadata={"Date": None})


def main() -> None:
    parser = parser_of(__doc__, runs=3, needs_logs=False)
    parser.add_argument("--sizes", type=float, nargs="*", default=[0.25, 1, 2.5, 10], help="millions of events")
    parser.add_argument("--check", action="store_true", help="compare the ratios of a small log with their limit")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.check:
            (result,) = compare({"check": synthetic(1, folder)}, arguments.runs)
            ratio = result["unsingle"]["wall"] / result["rustxes"]["wall"]
            sys.exit(f"{ratio:.2f} times rustxes: over {MOST_TIMES_RUSTXES}" if ratio > MOST_TIMES_RUSTXES else 0)
        files = {f"synthetic {size:g} M": synthetic(size, folder) for size in arguments.sizes}
        for path in sorted(arguments.logs.glob("*.xes.gz")) if arguments.logs else []:
            files[path.name.removesuffix(".xes.gz")] = Path(shutil.copy(path, folder))
        results = compare(files, arguments.runs)
        formats = plain_table("1 M events as", by_format(folder, arguments.runs))
        worst = plain_table("worst cases", worst_cases(arguments.logs, folder))
    measured_on = f"Measured on {machine()}; median of {arguments.runs} runs, delta 0.2, `.xes.gz` to `.xes.gz`."
    print(f"\n{summary_table(results)}\n\n{step_table(results)}\n\n{formats}\n\n{worst}\n\n{measured_on}")
    if arguments.write:
        put("speed", f"{measured_on}\n\n{summary_table(results)}")
        put("speed by step", step_table(results))
        put("speed by format", formats)
        put("worst cases", worst)
        chart(results)


if __name__ == "__main__":
    main()
