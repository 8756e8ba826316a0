"""Excel: a sheet is read as people see it, all cells as texts, and only read."""

from __future__ import annotations

import subprocess
import zipfile
from datetime import date, time
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from support.helpers import cases_of
from support.workbooks import ROWS, workbook
from unsingle import ColumnError, EventLog, FormatError, ParameterError, read_log, write_log
from unsingle.formats import source as sources
from unsingle.formats.preview import preview_log

T0 = 1706695205000


def read(tmp_path: Path, content: bytes, **options: Any) -> EventLog:
    path = tmp_path / "log.xlsx"
    path.write_bytes(content)
    return read_log(path, **options)


def test_a_sheet_is_a_log_and_it_is_said_which(tmp_path: Path) -> None:
    log = read(tmp_path, workbook())
    assert cases_of(log) == [(("A", "B"), (T0, 1706745600000))]
    assert log.source is not None
    assert (log.source.read_as.sheet, log.source.read_as.sheets) == ("Log", 2)
    assert preview_log(tmp_path / "log.xlsx").rows[0] == ("1", "A", "2024-01-31 10:00:05")


def test_sheets_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    content = workbook([["x"], ["y"]], "About", "2024")
    for sheet in ("2024", "2"):
        with pytest.raises(FormatError, match="its sheet has no rows: name another with sheet="):
            read(tmp_path, content, sheet=sheet)
    with pytest.raises(ParameterError, match="there is no sheet '3': give sheet= one of 'About', '2024'"):
        read(tmp_path, content, sheet="3")
    with pytest.raises(ColumnError, match="sheet 'About', beside '2024' for sheet=: there is no column"):
        read(tmp_path, content)
    with pytest.raises(ParameterError, match="CSV has no sheets: leave sheet= out"):
        read_log(tmp_path / "log.csv", sheet="2")


def test_numbers_are_as_they_are_seen_and_ids_as_they_were_typed(tmp_path: Path) -> None:
    rows = [
        [None, None, None, None, None],
        ["Fall", "Tätigkeit", "Datum", "Uhrzeit", "Betrag"],
        [1001, "Prüfung", date(2024, 1, 31), time(10, 0, 5), 1234.5],
        ["007", "x", date(2024, 1, 31), time(10, 0, 5), None],
        [None, None, None, None, None],
        [1234567890123, True, "31.01.2024", "10:00:05", -1],
    ]
    log = read(tmp_path, workbook(rows), keep=["Betrag"], numbers=["Betrag"], ids=True)
    columns = {column.field.name: column for column in log.columns}
    assert log.labels == ("Prüfung", "x", "true")
    assert set(log.time.tolist()) == {T0}
    assert columns["Betrag"].values.tolist()[::2] == [1234.5, -1.0]
    assert ("1001", "007", "1234567890123") in {column.texts for column in log.columns}
    assert log.source is not None
    assert log.source.time == "Datum+Uhrzeit"


def test_columns_without_a_name_or_named_twice_do_not_matter_if_nobody_asks(tmp_path: Path) -> None:
    rows = [["x", *ROWS[0], "x", None], *([i, *row, i, "note"] for i, row in enumerate(ROWS[1:]))]
    assert read(tmp_path, workbook(rows)).n_events == 2


def test_a_wrong_row_is_named_as_the_spreadsheet_does(tmp_path: Path) -> None:
    rows = [["A report"], [None], *ROWS, [], ["1", None, "x"]]
    with pytest.raises(ColumnError, match="there are: 'A report'"):
        read(tmp_path, workbook(rows))
    with pytest.raises(Exception, match=r"1 of 3 events have no activity .*, the first at row 5, case '1'"):
        read(tmp_path, workbook([*ROWS, [], ["1", None, "x"]]))


def test_several_workbooks_are_one_log(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.xlsx").write_bytes(workbook([ROWS[0], ROWS[number]]))
    assert cases_of(read_log(tmp_path))[0][0] == ("A", "B")


def test_workbooks_are_only_read(tmp_path: Path) -> None:
    log = read(tmp_path, workbook())
    with pytest.raises(ParameterError, match=r"Excel is only read: end the name in \.xes"):
        write_log(log, tmp_path / "release.xlsx")
    assert not (tmp_path / "release.xlsx").exists()


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unsingle.formats.excel.reader.HARMLESS", 1000)
    content = BytesIO(workbook())
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/media/zeros", bytes(20_000_000))
    with pytest.raises(FormatError, match="unpacks to more than 500 times its size"):
        read(tmp_path, content.getvalue())
    assert sources.MOST_UNPACKED == 500


def test_damage_is_one_line_wherever_it_is(tmp_path: Path) -> None:
    whole = workbook()
    for place in range(0, len(whole), len(whole) // 12):
        damaged = whole[:place] + b"\xff\x00\xff" + whole[place + 3 :]
        try:
            read(tmp_path, damaged)
        except Exception as error:
            assert type(error).__module__ == "unsingle.errors"  # noqa: PT017
            assert len(str(error).splitlines()) == 1  # noqa: PT017


def test_where_no_other_process_can_be_started_this_one_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(subprocess, "Popen", fails)
    assert read(tmp_path, workbook()).n_events == 2
    with pytest.raises(FormatError, match="is not a whole Excel workbook"):
        read(tmp_path, workbook().replace(b"sheet1.xml", b"sheet9.xml"))
