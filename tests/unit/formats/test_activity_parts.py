"""Activities of several columns are written back as those columns, and intervals as rows with two times."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, examples, real_log_path
from unsingle import CellError, EventLog, OutputError, UnsingleError, read_log, write_log
from unsingle.cli.app import main
from unsingle.core.log import ActivityParts
from unsingle.formats import read_release_of, without_formulas
from unsingle.formats.base import file_kinds
from unsingle.formats.intervals import unpaired
from unsingle.formats.labels import joint_labels
from unsingle.formats.preview import preview_log
from unsingle.formats.tables.frames import to_arrow, to_pandas, to_polars

KINDS = [kind for kind in file_kinds(written=True) if not kind.endswith(".gz")]
WHEN = [f"2024-01-0{day}T00:00:00+00:00" for day in range(1, 10)]


def combined(first: str, second: str, cells: list[tuple[str, str]], **asked: Any) -> EventLog:
    names = {"case": ["1"] * len(cells), "time": WHEN[: len(cells)]}
    frame = pl.DataFrame({**names, first: [a for a, _ in cells], second: [b for _, b in cells]})
    return read_log(frame, activity=f"{first}+{second}", **asked)


# ---------------------------------------------------------------------------------------------------- parts


def test_a_log_knows_what_its_labels_are_made_of() -> None:
    log = combined("concept:name", "lifecycle:transition", [("A", "start"), ("A", "complete")])
    assert log.parts == ActivityParts(
        ("concept:name", "lifecycle:transition"),
        {"A+start": ("A", "start"), "A+complete": ("A", "complete")},
    )
    frame = pl.DataFrame({"case": ["1"], "task": ["A"], "time": WHEN[:1]})
    assert read_log(frame).parts is None
    assert read_log(frame, activity="task+time").parts is None  # a column of two roles is written once
    assert read_log(frame, activity="task+task").parts is None


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_the_activity_are_written_instead_of_the_label(kind: str, tmp_path: Path) -> None:
    log = combined("concept:name", "lifecycle:transition", [("A", "start"), ("A", "complete"), ("B", "complete")])
    path = tmp_path / f"log.{kind}"
    write_log(log, path)
    names = ["case:concept:name", "concept:name", "lifecycle:transition", "time:timestamp"]
    assert sorted(preview_log(path).names) == names
    assert read_log(path).labels == ("A", "B")
    back = read_release_of(path, log)
    assert back == log
    assert back.parts == log.parts


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_column_of_that_name_the_activity_is_the_label(kind: str, tmp_path: Path) -> None:
    log = combined("what", "phase", [("A", "x"), ("A", "y")])
    path = tmp_path / f"log.{kind}"
    write_log(log, path)
    assert read_log(path).labels == ("A+x", "A+y")
    assert read_release_of(path, log) == log
    back = read_log(path, activity="what+phase")
    assert back == log
    assert back.parts == log.parts


def test_frames_have_the_columns_of_the_activity() -> None:
    log = combined("concept:name", "phase", [("A", "x"), ("A", "y")])
    for frame in (to_polars(log), to_pandas(log), to_arrow(log)):
        back = read_log(frame, activity="concept:name+phase")
        assert back == log
        assert back.parts == log.parts


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_equal_text_stay_apart(kind: str, tmp_path: Path) -> None:
    log = combined("concept:name", "phase", [("A+B", "C"), ("A", "B+C"), ("A", "C")])
    assert log.labels == ("A+B+C", 'A+"B+C"', "A+C")
    path = tmp_path / f"log.{kind}"
    write_log(log, path)
    assert read_release_of(path, log) == log


@given(st.lists(st.tuples(*[st.text("A+\"'", max_size=5)] * 3), unique=True, min_size=1, max_size=6))
@examples(300)
def test_labels_follow_from_their_parts_alone_and_parts_from_their_labels(combinations: list[tuple[str, ...]]) -> None:
    labels = joint_labels(combinations)
    assert labels == [label for each in combinations for label in joint_labels([each])]  # whatever else is there
    parts = ActivityParts(("x", "y", "z"), {}).of(labels)  # none of them is known
    assert [parts.of_label[label] for label in labels] == combinations


def test_an_attribute_of_traces_can_be_part_of_the_activity(tmp_path: Path) -> None:
    log = combined("concept:name", "case:type", [("A", "x"), ("B", "x")])
    write_log(log, tmp_path / "log.xes")
    assert read_release_of(tmp_path / "log.xes", log) == log


def test_a_release_with_joined_labels_is_read_too(tmp_path: Path) -> None:
    log = combined("concept:name", "phase", [("A", "x"), ("A", "y")])
    write_log(replace(log, parts=None), tmp_path / "log.csv")
    assert read_release_of(tmp_path / "log.csv", log) == log


def test_parts_are_made_harmless_for_spreadsheets_too(tmp_path: Path) -> None:
    log = combined("concept:name", "phase", [("=A", "+x"), ("A", "y")])
    write_log(log, tmp_path / "log.csv", spreadsheet_safe=True)
    written = pl.read_csv(tmp_path / "log.csv")
    assert written["concept:name"].to_list() == ["'=A", "A"]
    assert written["phase"].to_list() == ["'+x", "y"]
    with pytest.raises(OutputError, match="would be the same"):
        without_formulas(combined("concept:name", "phase", [("=A", "x"), ("'=A", "y")]))


def test_lifecycles_of_a_real_log_come_back(tmp_path: Path) -> None:
    log = read_log(real_log_path("BPIC13_incidents"), activity="concept:name+lifecycle:transition")
    for kind in KINDS:
        write_log(log, tmp_path / f"log.{kind}")
        back = read_release_of(tmp_path / f"log.{kind}", log)
        assert back == log
        assert back.parts == log.parts


# ---------------------------------------------------------------------------------------------------- intervals

Row = tuple[str, str, int, int]


def table(rows: list[Row], **more: list[Any]) -> pl.DataFrame:
    """Rows of a case, an activity, and milliseconds of a start and an end."""
    case, task, start, end = zip(*rows, strict=True)
    times = {
        name: pl.Series(values, dtype=pl.Int64).cast(pl.Datetime("ms")) for name, values in (("s", start), ("e", end))
    }
    return pl.DataFrame({"case": case, "task": task, **times, **more})


def read_rows(rows: list[Row], **asked: Any) -> EventLog:
    return read_log(table(rows), start="s", time="e", **asked)


def test_a_row_with_two_times_becomes_two_events() -> None:
    frame = table([("1", "A", 1, 3), ("1", "B", 3, 4)], role=["x", "y"], age=["40", None])
    log = read_log(frame, start="s", time="e", keep=["role"], keep_case=["age"])
    assert cases_of(log) == [(("A+start", "A+complete", "B+start", "B+complete"), (1, 3, 3, 4))]
    assert [column.cells() for column in log.columns if not column.field.private] == [["x", "x", "y", "y"], ["40"]]
    assert log.parts is not None
    assert log.parts.intervals
    assert log.parts.names == ("concept:name", "lifecycle:transition")
    assert log.parts.of_label["A+start"] == ("A", "start")
    assert log.source is not None
    assert log.source.start == "s"


@pytest.mark.parametrize(
    ("rows", "path"),
    [
        ([("1", "A", 1, 1), ("1", "B", 1, 1)], "A+start A+complete B+start B+complete"),
        ([("1", "B", 3, 4), ("1", "A", 1, 3)], "A+start A+complete B+start B+complete"),
        ([("1", "A", 1, 4), ("1", "B", 2, 4)], "A+start B+start A+complete B+complete"),
        ([("1", "A", 1, 9), ("1", "B", 2, 5), ("1", "A", 3, 5)],
         "A+start B+start A+start A+complete B+complete A+complete"),
    ],
)  # fmt: skip
def test_events_at_the_same_time_are_in_the_order_in_which_they_began(rows: list[Row], path: str) -> None:
    assert cases_of(read_rows(rows))[0][0] == tuple(path.split())


def test_rows_that_are_no_intervals_are_refused_with_their_number_and_place() -> None:
    backwards = r"1 of 3 rows start after they end \(columns 's' and 'e'\), the first at row 1"
    with pytest.raises(CellError, match=backwards):
        read_rows([("1", "A", 1, 2), ("1", "A", 5, 2), ("1", "A", 1, 2)])
    frame = table([("1", "A", 1, 2), ("2", "A", 5, 6)])
    with pytest.raises(CellError, match=r"1 of 2 events have no start \(column 's'\), the first at row 1, case '2'"):
        read_log(frame.with_columns(s=pl.Series([0, None], dtype=pl.Datetime)), start="s", time="e")
    with pytest.raises(CellError, match=r"2 of 2 times cannot be read \(column 's', such as 'x'\)"):
        read_log(frame.with_columns(s=pl.lit("x"), e=pl.lit("2024-01-01")), start="s", time="e")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"start": "e", "time": "e"}, "'e' is the column of the time: name another with start="),
        ({"start": "task", "time": "e"}, "'task' is the column of the activity: name another with start="),
        ({"start": "no", "time": "e"}, "there is no column 'no' for the start: name one with start="),
        ({"start": "s", "time": "e", "keep": ["s"]}, "'s' is the column of the start: leave it out of keep="),
        ({"start": "s", "time": "e", "keep": ["start_timestamp"]}, "'start_timestamp' is there anyway"),
        ({"start": "s", "time": "e", "activity": "task+lifecycle:transition"}, "start= makes the lifecycles"),
        ({"start": "n", "time": "e"}, "column 'e' holds .* and 'n' holds .*: make both dates, or both text"),
    ],
)  # fmt: skip
def test_what_is_no_start_is_refused_in_one_line(asked: dict[str, Any], message: str) -> None:
    frame = table([("1", "A", 1, 2)]).with_columns(pl.lit("x").alias("lifecycle:transition"), n=pl.lit("2024"))
    with pytest.raises(UnsingleError, match=message):
        read_log(frame, **asked)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_intervals_are_written_as_rows_with_two_times(kind: str, tmp_path: Path) -> None:
    log = read_rows([("1", "A", 1, 3), ("1", "B", 3, 4), ("2", "A", 5, 5)])
    path = tmp_path / f"log.{kind}"
    write_log(log, path)
    preview = preview_log(path)
    assert preview.names == ("case:concept:name", "concept:name", "start_timestamp", "time:timestamp")
    assert len(preview.rows) == 3
    assert read_log(path, start="start_timestamp") == log


def test_intervals_are_written_as_two_events_in_xes(tmp_path: Path) -> None:
    log = read_rows([("1", "A", 1, 3), ("1", "B", 3, 4), ("2", "A", 5, 5)])
    write_log(log, tmp_path / "log.xes")
    assert read_log(tmp_path / "log.xes", activity="concept:name+lifecycle:transition") == log
    assert read_log(tmp_path / "log.xes").labels == ("A", "B")


def test_intervals_of_activities_of_several_columns(tmp_path: Path) -> None:
    frame = table([("1", "A", 1, 3), ("1", "A", 3, 4)], phase=["x", "y"])
    log = read_log(frame, start="s", time="e", activity="task+phase")
    assert log.labels == ("A+x+start", "A+x+complete", "A+y+start", "A+y+complete")
    for kind in KINDS:
        write_log(log, tmp_path / f"log.{kind}")
        assert read_release_of(tmp_path / f"log.{kind}", log) == log
    assert to_polars(log)["concept:name"].to_list() == ["A+x", "A+y"]
    assert to_polars(log)["phase"].to_list() == ["x", "y"]


def test_start_times_of_xes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.xes"
    path.write_text(
        '<log><trace><string key="concept:name" value="1"/><event><string key="concept:name" value="A"/>'
        '<date key="start_timestamp" value="1970-01-01T00:00:00.001Z"/>'
        '<date key="time:timestamp" value="1970-01-01T00:00:00.003Z"/></event></trace></log>'
    )
    assert cases_of(read_log(path, start="start_timestamp")) == [(("A+start", "A+complete"), (1, 3))]


def rows_of(cases: str = "12", most: int = 8) -> st.SearchStrategy[list[Row]]:
    """Rows with many equal times."""
    row = st.tuples(st.sampled_from(cases), st.sampled_from("AB"), st.integers(0, 5), st.integers(0, 3))
    return st.lists(row.map(lambda each: (*each[:3], each[2] + each[3])), min_size=1, max_size=most)


@given(rows=rows_of())
@examples(300)
def test_what_was_read_from_rows_comes_back_from_rows_with_its_values(rows: list[Row]) -> None:
    frame = table(rows, role=[f"r{number}" for number in range(len(rows))])
    log = read_log(frame, start="s", time="e", keep=["role"])
    for back in (
        read_log(to_polars(log), start="start_timestamp", keep=["role"]),
        read_log(to_pandas(log), start="start_timestamp", keep=["role"]),
    ):
        assert back == log
        assert _starts(back) == _starts(log)
    assert unpaired(log) == 0


def _starts(log: EventLog) -> list[Any]:
    """The values of all starts."""
    begins = np.array([label.endswith("+start") for label in log.labels])[log.activity]
    return [cell for cell, is_start in zip(log.columns[-1].cells(), begins, strict=True) if is_start]


@st.composite
def walks(draw: st.DrawFn) -> EventLog:
    """Logs with intervals as a method may make them: any order at the same time, starts and ends without each other."""
    labels = ["A+start", "A+complete", "B+start", "B+complete"]
    events = draw(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(range(4)), st.integers(0, 3)), min_size=1))
    case, activity, time = np.array(events).T
    parts = ActivityParts(
        ("concept:name", "lifecycle:transition"), {label: tuple(label.split("+")) for label in labels}, intervals=True
    )
    return EventLog.from_events(case, activity, time, labels, parts=parts)


@given(log=walks())
@examples(300)
def test_any_intervals_are_written_as_rows_that_can_be_read(log: EventLog) -> None:
    frame = to_polars(log)
    start, end = (frame[name].dt.epoch("ms").to_numpy() for name in ("start_timestamp", "time:timestamp"))
    assert (start <= end).all()
    assert 2 * frame.height - unpaired(log) == log.n_events
    back = read_log(frame, start="start_timestamp")
    if not unpaired(log):
        assert [path for path, _ in cases_of(back)] == [path for path, _ in cases_of(log)]
        moved = back.time - log.time
        assert moved.min() >= 0
        assert moved.max() < log.n_events  # milliseconds


def test_only_what_would_be_read_in_another_order_is_moved() -> None:
    log = read_rows([("1", "A", 1000, 1000), ("1", "B", 1000, 2000)])
    swapped = replace(log, activity=log.activity[[0, 2, 1, 3]])  # B begins before A ends, all at the same time
    frame = to_polars(swapped)
    times = frame.select(pl.col("start_timestamp", "time:timestamp").dt.epoch("ms")).rows()
    assert times == [(1000, 1001), (1000, 2000)]
    assert cases_of(read_log(frame, start="start_timestamp"))[0][0] == cases_of(swapped)[0][0]


def test_a_start_without_an_end_is_a_row_that_takes_no_time() -> None:
    log = read_rows([("1", "A", 1, 3), ("2", "B", 2, 4)])
    alone = log.subset(np.array([0]))
    cut = EventLog(
        alone.labels[:1], alone.activity[:1], alone.time[:1], np.array([0, 1]), parts=alone.parts
    )  # fmt: skip
    assert unpaired(cut) == 1
    assert to_polars(cut).select(pl.col("start_timestamp", "time:timestamp").dt.epoch("ms")).rows() == [(1, 1)]


# ---------------------------------------------------------------------------------------------------- recognising


@pytest.mark.parametrize(
    ("header", "start"),
    [
        ("Case ID,Activity,Start Timestamp,Complete Timestamp", "Start Timestamp"),  # Disco
        ("_CASE_KEY,ACTIVITY_EN,EVENTTIME,ENDTIME", "EVENTTIME"),  # Celonis
        ("case:concept:name,concept:name,start_timestamp,time:timestamp", "start_timestamp"),  # PM4Py
        ("Case ID,Activity,other,Complete Timestamp", None),
        ("Case ID,Activity,EVENTTIME,timestamp", None),
    ],
)
def test_a_start_column_that_is_not_used_is_pointed_out(header: str, start: str | None, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"{header}\n1,A,2024-01-01,2024-01-02\n")
    log = read_log(path)
    assert log.source is not None
    assert log.source.unused_start == start
    assert log.n_events == 1
    assert log.time.tolist() == [1_704_153_600_000]
    told = CliRunner().invoke(main, ["inspect", str(path)]).stderr
    left_out = header.split(",")[2]
    assert f"; left out: {left_out}\n" in told
    note = f'there is also a start column "{start}": give --start to keep both times\n'
    assert (note in told) == (start is not None)
    if start is not None:
        told = CliRunner().invoke(main, ["inspect", str(path), "--start", start]).stderr
        assert f", start = {start}\n" in told
        assert "there is also" not in told
        assert read_log(path, start=start).n_events == 2


def test_whoever_names_the_time_has_chosen(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("Case ID,Activity,Start Timestamp,Complete Timestamp\n1,A,2024-01-01,2024-01-02\n")
    log = read_log(path, time="Complete Timestamp")
    assert log.source is not None
    assert log.source.unused_start is None


def test_times_of_two_zones_of_a_row_are_one_clock(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("case,task,start,time\n1,A,2024-03-31T01:00:00+01:00,2024-03-31T03:30:00+02:00\n")
    log = read_log(path, start="start")
    assert [b - a for a, b in pairwise(log.time.tolist())] == [90 * 60_000]
