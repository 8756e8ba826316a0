"""Other tools read what we write, and we read what they read: cell for cell, each in a process of its own.

rustxes converts times to UTC and then drops the zone; so its times are compared as UTC.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from unsingle import EventLog, anonymize, read_log, synthesize, write_log

LOGS = Path(os.environ.get("UNSINGLE_LOGS", Path(__file__).resolve().parents[4] / "shared" / "logs"))
NAMES = ("BPIC12", "BPIC13_incidents", "BPIC15_1", "CCC19", "Hospital", "Sepsis", "Traffic_fines", "Unrineweginfectie")
COLUMNS = ["case:concept:name", "concept:name", "time:timestamp"]
ODD = ["a,b", 'say "hi"', "<&>'", "two\nlines", "tab\tand\rreturn", "🏥 é 中", " spaces ", "&amp;", "]]>", "x" * 5000]

# Each script reads a log with a tool and writes case, activity and time as Parquet.
TOOLS = {
    "rustxes": """
        import rustxes
        frame = rustxes.import_xes(sys.argv[1])[0].select(columns)
        frame.with_columns(frame[columns[2]].dt.replace_time_zone("UTC").dt.cast_time_unit("ms")).write_parquet(sys.argv[2])
    """,
    "pm4py": """
        import pm4py
        frame = pm4py.read_xes(sys.argv[1], variant="iterparse")
        frame[columns[2]] = frame[columns[2]].dt.tz_convert("UTC").astype("datetime64[ms, UTC]")
        frame[columns].to_parquet(sys.argv[2], index=False)
    """,
}


def read_with(tool: str, path: Path, tmp_path: Path) -> pl.DataFrame:
    """The three columns of a log as another tool reads them, in the order of the file."""
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed: pip install -r tests/interoperability/requirements.txt")
    lines = [line.strip() for line in TOOLS[tool].strip().splitlines()]
    script = "\n".join(["import sys", f"columns = {COLUMNS!r}", *lines])
    result = tmp_path / f"{path.name}.parquet"
    subprocess.run([sys.executable, "-c", script, str(path), str(result)], check=True, capture_output=True, timeout=200)
    return pl.read_parquet(result).with_columns(pl.col(COLUMNS[2]).dt.cast_time_unit("ms").dt.replace_time_zone(None))


def cells(log: EventLog) -> pl.DataFrame:
    """The cells of a log as they are written, times in UTC."""
    case = np.repeat(np.arange(log.n_cases) + 1, np.diff(log.case_offsets)).astype(str)
    time = pl.Series(log.time).cast(pl.Datetime("ms"))
    return pl.DataFrame({COLUMNS[0]: case, COLUMNS[1]: log.activity_names().tolist(), COLUMNS[2]: time})


def odd_log(zone: str) -> EventLog:
    """Every odd label twice, around the hours where clocks change, to the millisecond."""
    size = 2 * len(ODD)
    return EventLog.from_events(
        case=np.repeat([0, 1], len(ODD)),
        activity=np.arange(size) % len(ODD),
        time=1_711_843_200_123 + np.arange(size) * 1_799_999,
        labels=ODD,
        zone=zone,
    )


@pytest.mark.parametrize("ending", ["xes", "xes.gz"])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+05:30", "-03:30"])
def test_rustxes_reads_what_we_write(zone: str, ending: str, tmp_path: Path) -> None:
    log = odd_log(zone)
    write_log(log, tmp_path / f"log.{ending}")
    assert read_with("rustxes", tmp_path / f"log.{ending}", tmp_path).rows() == cells(log).rows()


@pytest.mark.parametrize(("zone", "ending"), [("Europe/Berlin", "xes"), ("-03:30", "xes.gz")])
def test_pm4py_reads_what_we_write(zone: str, ending: str, tmp_path: Path) -> None:
    log = odd_log(zone)
    write_log(log, tmp_path / f"log.{ending}")
    assert read_with("pm4py", tmp_path / f"log.{ending}", tmp_path).rows() == cells(log).rows()


def test_rustxes_reads_a_release_of_many_events(tmp_path: Path) -> None:
    release = anonymize(synthesize(cases=3000, seed=2), seed=3).log
    write_log(release, tmp_path / "release.xes.gz")
    assert read_with("rustxes", tmp_path / "release.xes.gz", tmp_path).equals(cells(release))


@pytest.mark.parametrize("name", NAMES)
def test_we_read_real_logs_as_rustxes_does(name: str, tmp_path: Path) -> None:
    path = LOGS / f"{name}.xes.gz"
    if not path.is_file():
        pytest.skip(f"the real log {path} is not there: set UNSINGLE_LOGS to its folder")
    theirs = read_with("rustxes", path, tmp_path).with_row_index("row")
    theirs = theirs.with_columns(first=pl.col("row").min().over(COLUMNS[0])).sort("first", COLUMNS[2], "row")
    sizes = theirs.group_by("first", maintain_order=True).len()["len"]
    log = read_log(path)
    assert np.diff(log.case_offsets).tolist() == sizes.to_list()
    assert log.time.tolist() == theirs[COLUMNS[2]].to_physical().to_list()
    assert log.activity_names().tolist() == theirs[COLUMNS[1]].to_list()
