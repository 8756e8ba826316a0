"""A log that does not fit the memory of this machine is told so before it is too late, and what to do."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from support.helpers import run_command
from unsingle import SizeError, anonymize, read_log, synthesize
from unsingle.core import machine
from unsingle.errors import ParameterError

SPARK = "run it on Spark (pip install 'unsingle[spark]', then {}; docs/guide/scale.md says more)"
IN_COMMAND = SPARK.format("--engine spark --method amun")


def run_with(limit: str, *words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unsingle", *map(str, words)]
    environment = {**os.environ, machine.SETTING: limit}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300,000 events, which need more than 100 MB."""
    path = tmp_path_factory.mktemp("large") / "large.csv"
    run_command("synthesize", "-o", path, "--cases", 20_000)
    return path


def test_a_release_that_does_not_fit_is_refused_before_it_is_made(large: Path, tmp_path: Path) -> None:
    target = tmp_path / "release.xes.gz"
    ended = run_with("280MB", "anonymize", large, "-o", target)
    assert ended.returncode == 2
    assert ended.stderr.startswith("unsingle: a release of ")
    assert IN_COMMAND in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
    assert run_with("2GB", "anonymize", large, "-o", target, "-q").returncode == 0


def test_a_file_that_does_not_fit_is_refused_while_it_is_read(large: Path) -> None:
    ended = run_with("60MB", "inspect", large)
    assert ended.returncode == 2
    assert "reading all of it takes about" in ended.stderr
    assert IN_COMMAND in ended.stderr


def test_a_table_whose_rows_do_not_fit_is_refused_before_it_is_parsed(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file itself would fit, but not the log in it."""
    parquet = tmp_path / "large.parquet"
    pl.read_csv(large, infer_schema=False).write_parquet(parquet)
    packed = tmp_path / "large.csv.gz"
    packed.write_bytes(gzip.compress(large.read_bytes(), 1))
    monkeypatch.setattr(machine, "available", lambda: 45_000_000)
    monkeypatch.setattr("polars.read_csv", None)
    monkeypatch.setattr("subprocess.Popen", None)
    for path in (large, packed, parquet):
        with pytest.raises(
            SizeError, match=rf"{path.name}: reading all of it takes about \d+ MB more .*run it on Spark"
        ):
            read_log(path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(large.read_bytes())))
    with pytest.raises(SizeError, match="standard input: reading all of it"):
        read_log("-", format="csv")


def test_the_setting_holds_for_rows_that_take_no_room_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    rows = pl.select(case=pl.repeat("1", 3_000_000), activity=pl.lit("A"), time=pl.lit("2024-01-01"))
    rows.write_parquet(path)
    assert path.stat().st_size < 1_000_000
    ended = run_with("400MB", "inspect", path)
    assert ended.returncode == 2
    assert f"{path}: reading all of it takes about 0.6 GB more memory, and 0." in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_python_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available", lambda: 1_000_000)
    large = tmp_path / "large.csv"
    large.write_text("case,activity,time\n" + "1,A,2024-01-01\n" * 100_000)
    for log in (synthesize(cases=1000), large):
        with pytest.raises(SizeError, match="and 1 MB are free: ") as refused:
            anonymize(log)
        assert SPARK.format("unsingle.spark.anonymize") in str(refused.value)


def test_where_the_system_does_not_tell_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available", lambda: None)
    machine.refuse_too_large(1e15, "everything")


def test_what_is_left_is_the_least_of_all_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = machine.available()
    assert free is not None
    (tmp_path / "max").write_text("5000000\n")
    (tmp_path / "current").write_text("4000000\n")
    monkeypatch.setattr(machine, "_GROUPS", ((str(tmp_path / "max"), str(tmp_path / "current")),))
    assert machine.available() == 1_000_000
    (tmp_path / "memory.stat").write_text("active_file 7\ninactive_file 2000000\n")  # given back when it is needed
    assert machine.available() == 3_000_000
    (tmp_path / "max").write_text("max\n")  # no limit
    assert machine.available() > 1_000_000  # type: ignore[operator]
    monkeypatch.setenv(machine.SETTING, "1KB")
    assert machine.available() == 0
    monkeypatch.setenv(machine.SETTING, "much")
    with pytest.raises(ParameterError, match="'much' is not a size such as 2GB"):
        machine.available()
