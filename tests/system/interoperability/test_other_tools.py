"""Other tools read what we write, and we read what they read: cell for cell, each in a process of its own.

rustxes converts times to UTC and then drops the zone; so its times are compared as UTC.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

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
        pytest.skip(f"{tool} is not installed: pip install --group other-tools")
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


@pytest.mark.slow
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


# Each script reads a log with a tool and prints all its columns with their types, times as text.
ALL_COLUMNS = {
    "rustxes": """
        import rustxes
        frame = rustxes.import_xes(sys.argv[1])[0]
    """,
    "pm4py": """
        import pm4py, polars
        frame = pm4py.read_xes(sys.argv[1], variant="iterparse")
        frame = polars.from_pandas(frame)
    """,
}


def all_columns(tool: str, path: Path) -> dict[str, list[Any]]:
    """All columns of a log but the time as another tool reads them."""
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed: pip install --group other-tools")
    lines = [line.strip() for line in ALL_COLUMNS[tool].strip().splitlines()]
    last = "print(json.dumps(frame.drop('time:timestamp').to_dict(as_series=False)))"
    script = "\n".join(["import json, sys", *lines, last])
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=True, capture_output=True, timeout=200)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("tool", list(ALL_COLUMNS))
def test_others_read_kept_columns_and_lifecycles_with_their_types(tool: str, tmp_path: Path) -> None:
    columns = {
        "case:concept:name": ["1", "1", "2"],
        "concept:name": ["A", "A", "B"],
        "lifecycle:transition": ["start", "complete", "complete"],
        "role": ["<nurse> & 'x'", None, "clerk é"],
        "cost": [1.5, None, -2e20],
        "level": [7, 8, None],
        "case:ward": ["n", "n", "s"],
        "case:age": [40, 40, 50],
        "first": ["f", None, "g"],
    }
    times = [f"2024-01-0{day}T00:00:00+00:00" for day in (1, 2, 3)]
    log = read_log(
        pl.DataFrame({**columns, "time:timestamp": times}), activity="concept:name+lifecycle:transition",
        keep=["role", "cost", "level", "case:ward", "case:age"], keep_case=["first"],
    )  # fmt: skip
    write_log(log, tmp_path / "log.xes")
    theirs = all_columns(tool, tmp_path / "log.xes")
    assert {name: [None if each != each else each for each in cells] for name, cells in theirs.items()} == columns


def test_we_read_columns_of_a_real_log_as_rustxes_does() -> None:
    path = LOGS / "Sepsis.xes.gz"
    if not path.is_file():
        pytest.skip(f"the real log {path} is not there: set UNSINGLE_LOGS to its folder")
    names = ["org:group", "CRP", "Leucocytes", "Age", "Diagnose"]
    theirs = all_columns("rustxes", path)
    log = read_log(path, keep=names[:3], keep_case=names[3:])
    ours = {column.field.name: column for column in log.columns}
    for name in names[:3]:  # in another order within a case
        found = [[value for value in cells if value is not None] for cells in (ours[name].cells(), theirs[name])]
        assert sorted(found[0]) == sorted(found[1])
    for name in names[3:]:
        rows = zip(theirs["case:concept:name"], theirs[name], strict=True)
        first = {case: value for case, value in reversed(list(rows)) if value is not None}
        cases = dict.fromkeys(theirs["case:concept:name"])
        assert ours[name].cells() == [first.get(case) for case in cases]


def test_pm4py_reads_rows_with_two_times(tmp_path: Path) -> None:
    if importlib.util.find_spec("pm4py") is None:
        pytest.skip("pm4py is not installed: pip install --group other-tools")
    path = tmp_path / "log.csv"
    path.write_text("case,task,begin,end\n1,A,2024-01-01T00:00:00Z,2024-01-01T00:01:00Z\n")
    write_log(read_log(path, start="begin", time="end"), tmp_path / "written.csv")
    script = """
        import sys, pandas, pm4py
        frame = pm4py.format_dataframe(pandas.read_csv(sys.argv[1]), start_timestamp_key="start_timestamp")
        frame["start_timestamp"] = pandas.to_datetime(frame["start_timestamp"])
        seconds = (frame["time:timestamp"] - frame["start_timestamp"]).dt.seconds[0]
        print(pm4py.discover_performance_dfg(frame)[1], seconds)
    """
    code = "\n".join(line.strip() for line in script.strip().splitlines())
    command = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "written.csv")]
    done = subprocess.run(command, check=True, capture_output=True, timeout=200)
    assert done.stdout.decode().splitlines()[-1] == "{'A': 1} 60"


# Each script reads a release with a tool and prints what the file says of its method and delta.
SAID = {
    "rustxes": """
        import rustxes
        found = json.loads(rustxes.import_xes(sys.argv[1])[1])["log_attributes"]
        said = {each["key"]: each["value"]["content"] for each in found}
    """,
    "pm4py": """
        import pm4py
        said = pm4py.read_xes(sys.argv[1], variant="iterparse", return_legacy_log_object=True).attributes
    """,
    "polars": """
        import polars
        said = polars.read_parquet_metadata(sys.argv[1])
    """,
    "pyarrow": """
        import pyarrow.parquet
        found = pyarrow.parquet.read_metadata(sys.argv[1]).metadata
        said = {key.decode(): text.decode() for key, text in found.items()}
    """,
}


@pytest.mark.parametrize("tool", list(SAID))
def test_others_find_what_a_release_says_of_itself(tool: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed: pip install --group other-tools")
    path = tmp_path / ("release.parquet" if tool in ("polars", "pyarrow") else "release.xes.gz")
    release = anonymize(synthesize(cases=30, seed=2), 0.1)
    release.write(path)
    lines = [line.strip() for line in SAID[tool].strip().splitlines()]
    names = ("method", "delta", "guarantee", "digest")
    last = f"print(json.dumps([said['unsingle:' + name] for name in {names}]))"
    script = "\n".join(["import json, sys", *lines, last])
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=True, capture_output=True, timeout=200)
    method, delta, guarantee, digest = json.loads(done.stdout.splitlines()[-1])
    assert (method, float(delta), guarantee) == ("twin", 0.1, release.facts.guarantee)
    assert digest == release.facts.digest
