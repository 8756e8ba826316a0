"""Rows as exports have them: dates and clock times in two columns, rows with gaps, numbers with decimal commas."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from support.helpers import cases_of
from unsingle import CellError, ColumnError, EventLog, LogError, ParameterError, read_log
from unsingle.formats.selection import guess_columns

T0 = 1706695200000  # 2024-01-31T10:00Z


def one(day: Any, hour: Any, **options: Any) -> EventLog:
    frame = pl.DataFrame({"case": ["1"], "activity": ["A"], "day": [day], "hour": [hour]})
    return read_log(frame, **{"time": "day+hour", **options})


BOTH = {
    "iso": ("2024-01-31", "10:00"),
    "german": ("31.01.2024", "10:00:00"),
    "sap": ("20240131", "100000"),
    "short clock": ("2024-01-31", "1000"),
    "american": ("01/31/2024", "10:00 AM"),
    "midnight behind the date": ("2024-01-31 00:00:00.000", "10:00:00"),
    "no date before the clock": ("2024-01-31", "1899-12-30 10:00:00"),
    "spaces": (" 2024-01-31 ", " 10:00 "),
    "types": (date(2024, 1, 31), time(10)),
    "times of midnight": (datetime(2024, 1, 31), time(10)),
}


@pytest.mark.parametrize(("day", "hour"), BOTH.values(), ids=BOTH)
def test_a_date_and_a_clock_time_are_one_time(day: Any, hour: Any) -> None:
    log = one(day, hour)
    assert log.time.tolist() == [T0]
    assert log.source is not None
    assert log.source.time == "day+hour"
    assert log.source.left_out == ()


def test_a_format_is_for_both_with_a_space_between() -> None:
    assert one("1/31/2024", "1000", time_format="%m/%d/%Y %H%M").time.tolist() == [T0]
    with pytest.raises(CellError, match=r"1 of 1 times cannot be read \(column 'day\+hour', such as '31.1.24 10:00'\)"):
        one("31.1.24", "10:00")


def test_a_missing_half_is_a_missing_time() -> None:
    with pytest.raises(CellError, match=r"1 of 1 events have no time \(column 'hour'\)"):
        one("2024-01-31", "")
    with pytest.raises(ColumnError, match="there is no column 'clock' for the time"):
        one("2024-01-31", "", time="day+clock")
    with pytest.raises(ParameterError, match="names 3 columns: name a date and a clock time"):
        one("2024-01-31", "", time="day+hour+case")


def test_starts_and_ends_may_share_a_date() -> None:
    frame = pl.DataFrame({"case": ["1"], "activity": ["A"], "day": ["2024-01-31"], "from": ["10:00"], "to": ["11:00"]})
    log = read_log(frame, time="day+to", start="Day+From")
    assert log.time.tolist() == [T0, T0 + 3600_000]
    with pytest.raises(ParameterError, match="'day' is the column of the time: name another with start="):
        read_log(frame, time="day+to", start="day")


@pytest.mark.parametrize(
    ("names", "time"),
    [
        (("UDATE", "UTIME"), "UDATE+UTIME"),
        (("Date", "Time"), "Date+Time"),
        (("Datum", "Uhrzeit"), "Datum+Uhrzeit"),
        (("Fecha", "Hora"), "Fecha+Hora"),
        (("Date", "Heure"), "Date+Heure"),
        (("End Date", "End Time"), "End Date+End Time"),
        (("Date", "Timestamp"), "Timestamp"),
        (("Datum",), "Datum"),
        (("Hora",), None),
    ],
)
def test_pairs_are_found_by_their_names(names: tuple[str, ...], time: str | None) -> None:
    assert guess_columns(["case", "activity", *names])["time"] == time


def test_a_pair_of_names_of_which_one_has_all_is_that_one() -> None:
    frame = pl.DataFrame({"case": ["1"], "activity": ["A"], "Date": ["31.12.2020"], "Time": ["2024-01-31 10:00"]})
    log = read_log(frame)
    assert log.time.tolist() == [T0]
    assert log.source is not None
    assert log.source.time == "Time"


GAPS = [
    ("1", "A", "2024-01-01"), ("", "A", "2024-01-01"), ("1", " ", "2024-01-01"), ("1", "B", ""), ("", "", ""),
    ("2", "B", "00.00.0000"), ("1", "B", "2024-01-02"),
]  # fmt: skip


def test_rows_with_gaps_are_left_out_and_counted_if_that_is_asked_for() -> None:
    frame = pl.DataFrame(GAPS, schema=["case", "activity", "time"], orient="row")
    with pytest.raises(
        CellError, match=r"2 of 7 events have no case .*give skip_incomplete=True to leave those rows out"
    ):
        read_log(frame)
    log = read_log(frame, skip_incomplete=True)
    assert [path for path, _ in cases_of(log)] == [("A", "B")]
    assert log.source is not None
    assert log.source.read_as.rows_left_out == (
        "5 of 7 rows are left out: 2 have no case, 1 has no activity, 2 have no time"
    )
    with pytest.raises(LogError, match="no row has all of case, activity and time"):
        read_log(frame[1:6], skip_incomplete=True)


def test_each_row_is_looked_at_alone() -> None:
    """What is left of a log without a row is the same, whatever that row has."""
    frame = pl.DataFrame(GAPS, schema=["case", "activity", "time"], orient="row")
    rest = read_log(frame[[0, 6]])
    for row in range(1, 6):
        assert read_log(frame[[0, row, 6]], skip_incomplete=True) == rest


def test_a_wrong_time_is_still_refused() -> None:
    frame = pl.DataFrame({"case": ["1", "1"], "activity": ["A", "B"], "time": ["2024-01-01", "soon"]})
    with pytest.raises(CellError, match="1 of 2 times cannot be read"):
        read_log(frame, skip_incomplete=True)


def test_gaps_in_xes_are_left_out_too(tmp_path: Path) -> None:
    name, at = '<string key="concept:name" value="A"/>', '<date key="time:timestamp" value="2024-01-01T00:00:00Z"/>'
    events = f"<event>{name}{at}</event><event>{name}</event><event>{at}</event>"
    (tmp_path / "log.xes").write_text(f"<log><trace>{name}{events}</trace></log>")
    log = read_log(tmp_path / "log.xes", skip_incomplete=True)
    assert log.n_events == 1
    assert log.source is not None
    assert log.source.read_as.left_out == (("activity", 1), ("time", 1))


def test_decimal_commas_are_read_if_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(
        "case;activity;time;Betrag\n007;A;2024-01-01;1.234,50\n007;B;2024-01-02;-0,5\n008;B;2024-01-02;12.500\n"
    )
    log = read_log(tmp_path / "log.csv", keep=["betrag"], numbers=["betrag"], decimal_comma=True, ids=True)
    amount = next(column for column in log.columns if column.field.name == "Betrag")
    assert amount.values.tolist() == [1234.5, -0.5, 12500.0]
    ids = next(column for column in log.columns if column.field.private and "007" in column.texts)
    assert ids.texts == ("007", "008")
    with pytest.raises(CellError, match=r"such as '1.234,50', .*: give decimal_comma=True if a comma stands before"):
        read_log(tmp_path / "log.csv", keep=["Betrag"], numbers=["Betrag"])
    (tmp_path / "log.csv").write_text("case;activity;time;n\n1;A;2024-01-01;1.5\n")
    with pytest.raises(CellError, match=r"1 of 1 cells of 'n' are no numbers, such as '1\.5'"):
        read_log(tmp_path / "log.csv", keep=["n"], numbers=["n"], decimal_comma=True)
