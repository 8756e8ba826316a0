"""Releases on Spark beside those of one process: whether they agree, how they grow, and what a skewed log costs.

    python bench/spark.py --logs FOLDER [--part agreement|scale|skew] [--runs 5] [--write]

`agreement` runs on Sail (no JVM), `scale` and `skew` on real Spark on this machine (local[*], which needs Java 17).
Every run of these is a process of its own, from Parquet files to Parquet files.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from document import parser_of, put, table
from machine import machine
from unsingle import EventLog, anonymize, read_log, write_log
from unsingle.core.clock import DAY, MINUTE
from unsingle.evaluation.measures import time_distance
from unsingle.formats.schema import XES_ACTIVITY, XES_CASE, XES_TIME
from unsingle.methods import METHODS as ALL
from unsingle.methods.base import TwoStage
from unsingle.synthetic import ZONE, synthetic_frame

METHODS = tuple(name for name, method in ALL.items() if issubclass(method, TwoStage))
EVENTS_PER_CASE = 15.55  # of the synthetic log
AT_ONCE = 2_500_000  # synthetic events in one file
SKEWED = 1_250_000  # cases of the skewed log and of the even one, of two events each
DELTA = 0.2


# ---------------------------------------------------------------------------------------------- agreement


def agreement(logs: Path, folder: Path, runs: int) -> str:
    """All real logs by both engines, means of so many runs each."""
    rows = []
    with sail() as spark:
        for path in sorted(logs.glob("*.xes.gz")):
            log = read_log(path)
            write_log(log, folder / "log.parquet", force=True)
            for method in METHODS:
                there = [on_sail(spark, log, folder, method) for _ in range(runs)]
                here = [figures_of(log, anonymize(log, DELTA, method=method).log) for _ in range(runs)]
                figures = [np.mean([run[i] for run in runs_]) for i in (1, 2) for runs_ in (there, here)]
                spread = [_error([hours for _, _, hours in runs_]) for runs_ in (there, here)]
                rows.append(_agreement_row(path.name.removesuffix(".xes.gz"), method, there, figures, spread))
                print(rows[-1], flush=True)
    header = ["log", "method", "runs", "same variants", "ratio, Spark", "one process", "differ by",
              "time distance, Spark, h", "one process, h", "differ by", "of which chance"]  # fmt: skip
    return table(header, rows)


def _agreement_row(name: str, method: str, there: list[Any], figures: list[Any], spread: list[float]) -> list[str]:
    ratio, ratio_here, hours, hours_here = figures
    chance = 2 * np.hypot(spread[0], spread[1]) / hours_here
    return [
        name, method, str(len(there)), "all" if all(same for same, _, _ in there) else "NO",
        f"{ratio:.3f}", f"{ratio_here:.3f}", f"{ratio / ratio_here - 1:+.1%}",
        f"{hours:,.2f}", f"{hours_here:,.2f}", f"{hours / hours_here - 1:+.1%}", f"±{chance:.1%}",
    ]  # fmt: skip


def _error(values: list[float]) -> float:
    """The standard error of their mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def on_sail(spark: Any, log: Any, folder: Path, method: str) -> tuple[bool, float, float]:
    """Whether a release keeps the variants, its ratio, and its time distance."""
    from unsingle.spark import anonymize as anonymize_frame

    frame = spark.read.parquet(str(folder / "log.parquet"))
    with anonymize_frame(frame, DELTA, method=method, timezone=log.zone, scratch=str(folder)) as release:
        released = read_log(release.frame.toArrow(), timezone=log.zone)
    return figures_of(log, released)


def figures_of(log: EventLog, released: EventLog) -> tuple[bool, float, float]:
    """Whether a release keeps the variants, its ratio, and its time distance."""
    same = released.variant_counts().keys() == log.variant_counts().keys()
    return same, released.n_cases / log.n_cases, time_distance(log, released).hours


@contextlib.contextmanager
def sail() -> Iterator[Any]:
    """A session on a server of our own."""
    os.environ.setdefault("RUST_LOG", "error")
    from pysail.spark import SparkConnectServer

    from unsingle.spark import connect

    server = SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    host, port = server.listening_address
    session = connect(f"sc://{host}:{port}")
    yield session
    session.stop()
    server.stop()


# ---------------------------------------------------------------------------------------------- scale


def scale(folder: Path, millions: list[float]) -> str:
    """Synthetic logs of several sizes on Spark, and the first of them in one process."""
    rows = []
    for method in METHODS:
        each: dict[float, float] = {}
        for size in millions:
            source = synthetic(size, folder)
            found = in_process_of_its_own(source, folder, method)
            each[size] = 1e6 * found["seconds"] / found["events_in"]
            embedded = one_process(source, folder, method) if size == millions[0] else None
            if embedded is not None:
                each[0] = 1e6 * embedded / found["events_in"]
            rows.append([
                f"{found['events_in'] / 1e6:,.1f} M", method, f"{found['events_out'] / 1e6:,.1f} M",
                f"{found['variants']:,}", f"{found['seconds']:,.0f} s", f"{each[size]:.2f} µs",
                f"{each[size] / each[0]:.2f}",
                f"{each[size] / each[millions[0]]:.2f}", f"{found['driver_gb']:.2f} GB",
            ])  # fmt: skip
            print(rows[-1], found, flush=True)
        rows.append([f"{millions[0]:g} M", f"{method}, one process", "", "", "", f"{each[0]:.2f} µs", "1", "", ""])
    header = ["events", "method", "released", "variants", "time", "an event", "times one process at 2.5 M",
              "times Spark at 2.5 M", "driver"]  # fmt: skip
    return table(header, rows)


def synthetic(millions: float, folder: Path) -> Path:
    """A folder of Parquet files with so many million synthetic events."""
    target = folder / f"synthetic-{millions:g}.parquet"
    if target.is_dir():
        return target
    target.mkdir()
    for number in range(round(millions * 1e6 / AT_ONCE)):
        frame = synthetic_frame(round(AT_ONCE / EVENTS_PER_CASE), number)
        frame = frame.with_columns((pl.lit(f"{number}-") + pl.col(XES_CASE)).alias(XES_CASE))
        frame.write_parquet(target / f"part-{number:03}.parquet")
    return target


def one_process(source: Path, folder: Path, method: str) -> float:
    """Seconds of the whole command on the one file of a folder, the median of three."""
    (file,) = source.iterdir()
    words = ["anonymize", file, "-o", folder / "release.parquet", "--method", method, "--force", "-q"]
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-m", "unsingle", *map(str, words)], check=True)
        seconds.append(time.perf_counter() - begin)
    return sorted(seconds)[1]


def in_process_of_its_own(source: Path, folder: Path, method: str, zone: str = ZONE) -> dict[str, Any]:
    """What a run on Spark took, from files to files."""
    words = [sys.executable, __file__, "--one", str(source), str(folder), method, zone]
    ended = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return found


def one(source: str, folder: str, method: str, zone: str) -> None:
    """One run on real Spark on this machine, in this process; prints what it took."""
    from unsingle.spark import anonymize as anonymize_frame
    from unsingle.spark import connect, write_release

    spark = connect()
    warm_up(spark)
    peak = Peak()
    begin = time.perf_counter()
    with anonymize_frame(spark.read.parquet(source), DELTA, method=method, timezone=zone, scratch=folder) as release:
        write_release(release, f"{folder}/release-on-spark.parquet", force=True)
    found = {
        "seconds": time.perf_counter() - begin, "driver_gb": peak.bytes() / 1e9,
        "events_in": release.private["events_in"],
        "events_out": release.size.events, "variants": release.size.variants, "steps": release.private["seconds"],
    }  # fmt: skip
    spark.stop()
    print(json.dumps(found))


def warm_up(spark: Any) -> None:
    """Start the workers and let them load what they need, as on a cluster that is up."""
    spark.range(8).repartition(4).mapInArrow(_load, "id long").count()


def _load(batches: Any) -> Any:
    import unsingle.spark.output  # noqa: F401

    yield from batches


class Peak:
    """The most memory that this process has had: the driver's own, where paths, automaton and groups are."""

    def __init__(self) -> None:
        from unsingle.core.machine import used

        self._most, self._used = 0, used
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            self._most = max(self._most, self._used())
            time.sleep(0.05)

    def bytes(self) -> int:
        """So far."""
        return self._most


# ---------------------------------------------------------------------------------------------- skew


def skew(folder: Path, runs: int) -> str:
    """The same number of events, evenly over 20 paths or nine tenths on one of them."""
    sources = {name: two_step_log(folder, share) for name, share in (("even", 1 / 20), ("skewed", 0.9))}
    rows = []
    for method in METHODS:
        seconds: dict[str, list[float]] = {name: [] for name in sources}
        for _ in range(runs):  # in turns, so that both meet the same machine
            for name, source in sources.items():
                seconds[name].append(in_process_of_its_own(source, folder, method, "UTC")["seconds"])
        even, skewed = (sorted(seconds[name])[runs // 2] for name in ("even", "skewed"))
        rows.append([method, f"{even:.1f} s", f"{skewed:.1f} s", f"{skewed / even:.2f}"])
        print(rows[-1], flush=True)
    return table(["method", "even", "90 % on one path", "times as long"], rows)


def two_step_log(folder: Path, share: float) -> Path:
    """Cases of two events, this share of them on the first of 20 paths that have no step in common."""
    target = folder / f"two-steps-{share:g}.parquet"
    random = np.random.default_rng(1)
    path = np.where(random.random(SKEWED) < share, 0, random.integers(1, 20, SKEWED))
    start = random.integers(0, 365, SKEWED) * DAY + random.integers(0, DAY // MINUTE, SKEWED) * MINUTE
    later = start + (random.pareto(1.5, SKEWED) * 60).astype(np.int64) * MINUTE
    case = np.tile(np.arange(SKEWED), 2)
    activity = np.concatenate((2 * path, 2 * path + 1))
    labels = pl.Series([f"step {i}" for i in range(40)])
    pl.DataFrame({
        XES_CASE: pl.Series(case).cast(pl.String),
        XES_ACTIVITY: labels.gather(activity),
        XES_TIME: pl.Series(np.concatenate((start, later)), dtype=pl.Datetime("ms", "UTC")),
    }).write_parquet(target)  # fmt: skip
    return target


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        one(*sys.argv[2:])
        return
    parser = parser_of(__doc__, 5, needs_logs=False)
    parser.add_argument("--part", choices=["agreement", "scale", "skew"], action="append", help="only this part")
    parser.add_argument("--millions", type=float, nargs="+", default=[2.5, 25.0], help="sizes of synthetic logs")
    arguments = parser.parse_args()
    parts = arguments.part or ["agreement", "scale", "skew"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = {
            "scale": lambda: scale(folder, arguments.millions),
            "skew": lambda: skew(folder, 3),
            "agreement": lambda: agreement(arguments.logs, folder, arguments.runs),
        }
        for part in parts:
            text = f"Measured on {machine()}.\n\n{made[part]()}"
            print(text)
            if arguments.write:
                put(f"spark {part}", text)


if __name__ == "__main__":
    main()
