"""Releases on Apache Spark itself, which needs Java: in one process, and on two executors of which one is lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from support.helpers import ROOT, real_log_path
from unsingle import read_log, synthesize, write_log
from unsingle.formats.tables.frames import to_polars

pytestmark = [
    pytest.mark.jvm,
    pytest.mark.skipif(shutil.which("java") is None, reason="real Spark needs Java 17, which is not here: skipped"),
]


def test_the_command_makes_a_release_on_spark(tmp_path: Path) -> None:
    """Half of the Sepsis events share their time with another: the order of the file must be kept."""
    log = read_log(real_log_path("Sepsis"))
    folder = tmp_path / "sepsis.parquet"
    folder.mkdir()
    frame = to_polars(log)
    for part in range(4):  # whole cases, in several files
        chosen = frame.filter(pl.col("case:concept:name").cast(pl.Int64) % 4 == part)
        chosen.write_parquet(folder / f"{part}.parquet", row_group_size=1000)
    words = ["anonymize", folder, "-o", tmp_path / "release.parquet", "--engine", "spark", "--method", "amun", "--json"]
    command = [sys.executable, "-m", "unsingle", *map(str, words)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    summary = json.loads(ended.stdout)
    released = read_log(pl.read_parquet(tmp_path / "release.parquet" / "*.parquet"))
    assert released.variant_counts().keys() == log.variant_counts().keys()
    assert (summary["cases_out"], summary["cases_in"]) == (released.n_cases, log.n_cases)
    assert summary["publishable"]


def test_a_release_is_whole_when_an_executor_is_lost(tmp_path: Path) -> None:
    """Two executors, one of them killed while partitions are released: what it had is computed again, as before."""
    log = synthesize(cases=2000, seed=9)
    write_log(log, tmp_path / "log.parquet")
    script = ROOT / "tests" / "support" / "lost_executor.py"
    environment = {**os.environ, "PYTHONPATH": os.fspath(ROOT / "src")}
    command = [sys.executable, script, tmp_path / "log.parquet", tmp_path / "release.parquet", log.zone]
    ended = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=280, env=environment
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    told = json.loads(ended.stdout.splitlines()[-1])
    assert told["killed"] > 0
    assert told["lost_during"] == "write"
    assert told["failed_tasks"] > 0  # it was really missed
    released = read_log(pl.read_parquet(tmp_path / "release.parquet" / "*.parquet"))
    assert released.variant_counts().keys() == log.variant_counts().keys()
    assert (released.n_cases, released.n_events) == (told["cases"], told["events"])
    again = read_log(pl.read_parquet(tmp_path / "release.parquet.again" / "*.parquet"))  # with nobody lost
    for frame in (released, again):
        assert frame.n_events == told["events"]
    one, other = (
        pl.read_parquet(tmp_path / name / "*.parquet").sort("case:concept:name", maintain_order=True)
        for name in ("release.parquet", "release.parquet.again")
    )
    assert one.equals(other)
