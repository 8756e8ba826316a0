"""Which columns are taken: those that are named, else XES names, else the usual ones, and it is said which."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, examples
from unsingle import ColumnError, EventLog, LogError, read_log
from unsingle.cli.app import main
from unsingle.formats.selection import activity_parts, select_columns
from unsingle.formats.wanted import Wanted


def table(*names: str) -> pl.DataFrame:
    """One event; a cell is its column's number, and times are years."""
    return pl.DataFrame({name: [str(2000 + i)] for i, name in enumerate(names)})


def taken(*names: str, **wanted: str) -> tuple[str, str, str]:
    return tuple(select_columns(names, Wanted(**wanted), "here").columns[:3])


@pytest.mark.parametrize("case", ["case id", "caseid", "case_id", "Case ID", "CaseID", "CASE", "case:concept:name"])
@pytest.mark.parametrize("activity", ["activity", "Event", "task", "Activity Name", "concept:name"])
@pytest.mark.parametrize("time", ["timestamp", "time", "End Time", "complete timestamp", "Date", "time:timestamp"])
def test_usual_names_are_found(case: str, activity: str, time: str) -> None:
    assert taken("cost", time, activity, "resource", case) == (case, activity, time)


def test_xes_names_come_first_then_the_most_telling() -> None:
    usual = ("case id", "activity", "timestamp")
    xes = ("case:concept:name", "concept:name", "time:timestamp")
    assert taken(*usual, *xes) == xes
    assert taken("case", "event", "task", "activity", "start time", "end time") == ("case", "activity", "end time")


def test_named_columns_win_over_all() -> None:
    names = ("case:concept:name", "concept:name", "time:timestamp", "patient", "ward", "left")
    assert taken(*names, case="patient", activity="ward", time="left") == ("patient", "ward", "left")


def test_what_no_name_tells_is_asked_for_with_the_names_there_are() -> None:
    with pytest.raises(ColumnError, match=r"no column that looks like the case: name one with case=; .*'time', 'a'"):
        taken("task", "time", "a")
    with pytest.raises(
        ColumnError,
        match=r"no column that looks like the case, the activity or the time: name them with case=, activity= and "
        r"time=; there are: 'a', 'b'",
    ) as raised:
        taken("a", "b")
    assert raised.value.missing == {"case": "", "activity": "", "time": ""}
    with pytest.raises(ColumnError, match=r"no column 'x' for the time: name one with time=; .*'case', 'task', 'time'"):
        taken("case", "task", "time", time="x")


def test_two_columns_that_could_be_it_are_not_guessed_between() -> None:
    with pytest.raises(ColumnError, match=r"the case could be any of 'case id', 'case_id': name one with case="):
        taken("case id", "case_id", "activity", "time")
    assert taken("case id", "case_id", "activity", "time", case="case_id")[0] == "case_id"


@pytest.mark.parametrize("options", [{}, {"activity": "activity"}])
def test_two_columns_of_one_name_cannot_be_told_apart(options: dict[str, str]) -> None:
    with pytest.raises(ColumnError, match="there are 2 columns 'activity': rename all but one"):
        taken("case", "activity", "time", "activity", **options)
    assert taken("case", "x", "activity", "x", "time") == ("case", "activity", "time")


def test_long_lists_and_names_are_cut_and_stay_on_one_line() -> None:
    with pytest.raises(ColumnError) as raised:
        taken(*(f"column\n{i}\u2028" * 50 for i in range(500)))
    message = str(raised.value)
    assert message.endswith(" and 480 more")
    assert len(message) < 2000
    assert len(message.splitlines()) == 1


@examples(200)
@given(st.lists(st.text(max_size=5) | st.sampled_from(["Case", "case id", "task", "time", "concept:name"]), max_size=6))
def test_any_header_gives_columns_that_are_there_or_a_reason(names: list[str]) -> None:
    chosen = taken_or_message(names)
    one_line = isinstance(chosen, str) and len(chosen.splitlines()) == 1
    assert one_line or all(names.count(name) == 1 for name in chosen)


def taken_or_message(names: list[str]) -> tuple[str, str, str] | str:
    try:
        return taken(*names)
    except ColumnError as error:
        return str(error)


def combined(activity: str, **columns: list[str]) -> EventLog:
    size = len(next(iter(columns.values())))
    frame = pl.DataFrame({"case": ["1"] * size, **columns, "time": [f"2024-01-0{i + 1}" for i in range(size)]})
    return read_log(frame, activity=activity)


def test_an_activity_may_be_a_combination() -> None:
    log = combined("concept:name + lifecycle", **{"concept:name": ["A", "A"], "lifecycle": ["start", "complete"]})
    assert log.activity_names().tolist() == ["A+start", "A+complete"]
    assert log.source is not None
    assert log.source.activity == "concept:name + lifecycle"


def test_a_column_whose_name_has_a_plus_is_itself() -> None:
    assert combined("a+b", **{"a+b": ["X"], "a": ["Y"], "b": ["Z"]}).labels == ("X",)


def test_a_combination_needs_all_its_parts() -> None:
    with pytest.raises(ColumnError, match="no column 'b' for the activity"):
        combined("a+b", a=["X"])
    with pytest.raises(LogError, match=r"1 of 2 events have no activity \(column 'b'\), the first at row 1, case '1'"):
        combined("a+b", a=["X", "Y"], b=["Z", ""])


LIFECYCLE = pl.DataFrame(
    {
        "case": ["1", "1", "2"],
        "activity": ["A", "A", "B"],
        "time": ["2024-01-01", "2024-01-02", "2024-01-03"],
        "lifecycle:transition": ["START", "Complete", "COMPLETE"],
    }
)


def test_lifecycle_keeps_matching_events_only() -> None:
    log = read_log(LIFECYCLE, lifecycle="complete")
    assert [path for path, _ in cases_of(log)] == [("A",), ("B",)]
    assert log.time[0] == 1_704_153_600_000


def test_lifecycle_leaves_events_out_before_they_can_be_wrong() -> None:
    wrong = LIFECYCLE.with_columns(time=pl.Series(["never", "2024-01-02", "2024-01-03"]))
    assert read_log(wrong, lifecycle="complete").n_events == 2
    late = LIFECYCLE.with_columns(time=pl.Series(["2024-01-01", "2024-01-02", "never"]))
    with pytest.raises(LogError, match="the first at row 2, case '2'"):
        read_log(late, lifecycle="complete")


def test_a_lifecycle_that_is_not_there_lists_those_that_are() -> None:
    with pytest.raises(
        LogError, match=r"no event has the lifecycle 'resume'; there are: 'COMPLETE', 'Complete', 'START'"
    ):
        read_log(LIFECYCLE, lifecycle="resume")
    with pytest.raises(ColumnError, match=r"no column that looks like the lifecycle: leave lifecycle= out"):
        read_log(LIFECYCLE.drop("lifecycle:transition"), lifecycle="complete")


@pytest.mark.parametrize("command", ["inspect", "anonymize"])
def test_the_command_says_which_columns_it_took(command: str, tmp_path: Path) -> None:
    source = tmp_path / "log.csv"
    source.write_text("Case ID,Task\x1b,End Time\n1,A,2024-01-01\n")
    output = ["-o", str(tmp_path / "out.csv")] if command == "anonymize" else []
    result = CliRunner().invoke(main, [command, str(source), *output])
    assert result.exit_code == 0
    assert "using columns: case = Case ID, activity = Task\\x1b, time = End Time\n" in result.stderr
    named = ["--case", "Case ID", "--activity", "Task\x1b", "--time", "End Time", *output]
    result = CliRunner().invoke(main, [command, str(source), *named, *(["--force"] if output else [])])
    assert result.exit_code == 0
    assert "using columns" not in result.stderr


def test_parts_of_an_activity_may_have_spaces_around_their_names():
    assert activity_parts(" was+ wer", [" was", " wer"]) == (" was", " wer")
    assert activity_parts("a + b", ["a", "b"]) == ("a", "b")
