"""CSV and Parquet: as people export them, cell for cell, and wrong lines are named."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import os
import random
import signal
import subprocess
import sys
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, examples, log_of
from unsingle import CellError, ColumnError, EventLog, FormatError, UnsingleError, read_log, write_log
from unsingle.core.clock import DAY, EARLIEST, LATEST
from unsingle.errors import ParameterError
from unsingle.formats.csv.quotes import Misplaced, refuse_misplaced
from unsingle.formats.parquet import outline as parquet_outline
from unsingle.formats.parquet import reader as parquet_reader
from unsingle.formats.tables.frames import to_polars

ODD = [
    "a,b",
    'say "hi"',
    '"',
    "<&>'",
    "two\nlines",
    "cr\rlf\r\n",
    "🏥 é 中",
    " spaces ",
    "\ttab",
    ";|",
    "null",
    "NaN",
    "=1+1",
]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
LABELS = TEXT.filter(lambda text: pl.Series([text]).str.strip_chars()[0] != "") | st.sampled_from(ODD)


@st.composite
def odd_logs(draw: st.DrawFn) -> EventLog:
    labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    paths = draw(st.lists(st.lists(st.sampled_from(labels), min_size=1, max_size=4), min_size=1, max_size=4))
    time = st.integers(EARLIEST + 10**14, LATEST) | st.just(0)
    times = [sorted(draw(st.lists(time, min_size=len(path), max_size=len(path)))) for path in paths]
    return log_of(list(zip(paths, times, strict=True)), draw(st.sampled_from(["UTC", "-03:30", "Europe/Berlin"])))


@examples(150)
@given(odd_logs(), st.sampled_from(["log.csv", "log.csv.gz", "log.parquet"]))
def test_every_log_comes_back_cell_for_cell(tmp_path_factory: pytest.TempPathFactory, log: EventLog, name: str) -> None:
    path = tmp_path_factory.mktemp("round") / name
    write_log(log, path)
    assert read_log(path, allow_line_ends=True) == log


def log_or_message(path: Path) -> EventLog | str:
    try:
        return read_log(path)
    except UnsingleError as error:
        return str(error)


def rows_of(log: EventLog) -> list[tuple[str, str, int]]:
    return [
        (str(number), label, time)
        for number, (labels, times) in enumerate(cases_of(log), start=1)
        for label, time in zip(labels, times, strict=True)
    ]


@examples(100)
@given(odd_logs())
def test_python_reads_our_csv_cell_for_cell(tmp_path_factory: pytest.TempPathFactory, log: EventLog) -> None:
    path = tmp_path_factory.mktemp("csv") / "log.csv"
    write_log(log, path)
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == ["case:concept:name", "concept:name", "time:timestamp"]
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    read = [
        (case, label, (datetime.fromisoformat(time) - epoch) // timedelta(milliseconds=1)) for case, label, time in rows
    ]
    assert read == rows_of(log)
    assert all(len(time) == len("1970-01-01T00:00:00.000+00:00") for *_, time in rows)


@examples(50)
@given(odd_logs())
def test_arrow_reads_our_parquet_cell_for_cell(tmp_path_factory: pytest.TempPathFactory, log: EventLog) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path_factory.mktemp("parquet") / "log.parquet"
    write_log(log, path)
    table = parquet.read_table(path)
    times = table["time:timestamp"].cast("int64").to_pylist()
    read = list(zip(table["case:concept:name"].to_pylist(), table["concept:name"].to_pylist(), times, strict=True))
    assert read == rows_of(log)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6) | st.sampled_from(ODD)


@examples(200)
@given(
    st.lists(st.tuples(LABELS, LABELS, CELLS), min_size=1, max_size=6),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_python_writes_is_read_cell_for_cell(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]], separator: str, quoting: int, end: str
) -> None:
    bare = "\r" if (quoting, end) == (csv.QUOTE_MINIMAL, "\n") else ""  # which some Pythons leave without marks
    rows = [tuple(cell.replace("\0", "0").replace(bare or "\0", "0") for cell in row) for row in rows]  # type: ignore[misc]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)  # type: ignore[arg-type]
    writer.writerow(["case", "note", "activity", "time"])
    writer.writerows((case, note, activity, "2024-01-01") for case, activity, note in rows)
    path = tmp_path_factory.mktemp("python") / "log.csv"
    path.write_bytes(text.getvalue().encode())
    by_case: dict[str, list[str]] = {}
    for case, activity, _ in rows:
        by_case.setdefault(case, []).append(activity)
    assert [list(path) for path, _ in cases_of(read_log(path, allow_line_ends=True))] == list(by_case.values())


def read_text(text: str | bytes, tmp_path: Path, **options: Any) -> EventLog:
    path = tmp_path / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_log(path, **options)


PLAIN = "case,activity,time\n1,A,2024-01-01\n1,B,2024-01-02\n"

LONG = PLAIN.replace("case", ("z" * 60 + ",") * 3000 + "case").replace("\n1", "\n" + "," * 3000 + "1")
DIALECTS = {
    "excel": "\ufeffCase ID;Activity;Timestamp\r\n1;A;01.01.2024 00:00\r\n1;B;02.01.2024 00:00\r\n",
    "tabs": PLAIN.replace(",", "\t"),
    "bars": PLAIN.replace(",", "|"),
    "all quoted": '"case","activity","time"\n"1","A","2024-01-01"\n"1","B","2024-01-02"\n',
    "no last line end": PLAIN.rstrip(),
    "old mac lines": PLAIN.replace("\n", "\r"),
    "blank lines at the end": PLAIN + "\n\r\n\n",
    "blank lines between": PLAIN.replace("\n1", "\n\n   \n1"),
    "blank lines before": "\n\r\n" + PLAIN,
    "blank rows of a spreadsheet": PLAIN + ",,\n , ,\n,,\n",
    "excel's own mark of the separator": "sep=;\r\n" + PLAIN.replace(",", ";"),
    "a column at the end without a name": PLAIN.replace("\n", ",\n"),
    "cells at the end that are empty": PLAIN.replace("2024-01-01\n", "2024-01-01,\n"),
    "other columns twice": PLAIN.replace("case,", "x,x,case,").replace("\n1", "\n7,8,1"),
    "other columns with commas in their names": "case;a, b;activity;c, d;time\n1;;A;;2024-01-01\n1;;B;;2024-01-02\n",
    "names over two lines": '"case","acti\nvity",time\n1,A,2024-01-01\n1,B,2024-01-02\n',
    "a header longer than any buffer": LONG,
    "cells over two lines elsewhere": PLAIN.replace("case", "note,case").replace("\n1", '\n"a\n\n,b",1'),
    "gzip in disguise": gzip.compress(PLAIN.encode()),
}  # fmt: skip


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS)
def test_dialects_mean_the_same(text: str | bytes, tmp_path: Path) -> None:
    options = {"activity": "acti\nvity"} if isinstance(text, str) and "acti\nvity" in text else {}
    log = read_text(text, tmp_path, **options)
    assert cases_of(log) == [(("A", "B"), (1_704_067_200_000, 1_704_067_200_000 + DAY))]


def test_only_the_first_cell_that_is_quoted_ends_the_line(tmp_path: Path) -> None:
    log = read_text('case,activity,time\n1,"A ""x"", y\nz",2024-01-01\n', tmp_path, allow_line_ends=True)
    assert log.labels == ('A "x", y\nz',)


def test_numbers_are_cases_and_activities_as_they_are_written(tmp_path: Path) -> None:
    log = read_text("case,activity,time\n007,1.0,2024-01-01\n7,1,2024-01-01\n007,1.0,2024-01-02\n", tmp_path)
    assert [path for path, _ in cases_of(log)] == [("1.0", "1.0"), ("1",)]


def test_ties_keep_the_order_of_the_file(tmp_path: Path) -> None:
    rows = "".join(f"{i % 2},{label},2024-01-01\n" for i, label in enumerate("DXBXCXAX"))
    assert [path for path, _ in cases_of(read_text("case,activity,time\n" + rows, tmp_path))] == [
        tuple("DBCA"),
        ("X",) * 4,
    ]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("case,activity,time\n1,A,2024-01-01\n1,B,never\n", "line 3"),
        ("\n\ncase,activity,time\n1,A,2024-01-01\n1,B,never\n", "line 5"),
        ("sep=,\ncase,activity,time\n1,A,2024-01-01\n1,B,never\n", "line 4"),
        ('case,activity,time\n1,"A\n\nA",2024-01-01\n\n1,B,never\n', "line 6"),
        ('"ca\nse",activity,time\n1,A,2024-01-01\n1,"B\n",never\n', "line 4"),
        ("case,activity,time\r\n1,A,2024-01-01\r\n\r\n1,B,never\r\n", "line 4"),
        ("case,activity,time\n,,\n1,A,2024-01-01\n1,B,never\n", "line 4"),
    ],
)
def test_the_line_of_a_wrong_cell_is_the_one_an_editor_shows(text: str, where: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"case": "ca\nse"} if "ca\nse" in text else {}
    with pytest.raises(
        CellError, match=rf"1 of 2 times cannot be read .*such as 'never'\), the first at {where}, case '1'"
    ):
        read_text(text, tmp_path, **options, allow_line_ends=True)


def test_a_cell_longer_than_pythons_reader_takes_still_has_a_place(tmp_path: Path) -> None:
    with pytest.raises(CellError, match=r"the first at row 2"):
        read_text(f"case,activity,time\n1,{'A' * 200_000},2024-01-01\n1,B,never\n", tmp_path)


@pytest.mark.parametrize("order", ["case,activity,time,note", "note,time,case,activity"])
def test_a_line_with_too_many_cells_is_refused_even_if_its_first_ones_look_right(order: str, tmp_path: Path) -> None:
    good = {"case": "1", "activity": "A", "time": "2024-01-01", "note": "x"}
    line = ",".join(good[name] for name in order.split(","))
    with pytest.raises(FormatError, match=r"1 of 3 lines have more cells than the header \(4\), the first at line 4"):
        read_text(f"{order}\n{line}\n\n{line},more\n", tmp_path)


@pytest.mark.parametrize("rest", ["", "\n1,A,2024-01-01\n"])
def test_a_header_of_millions_of_names_is_answered_at_once(rest: str, tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(FormatError, match=r"its first line has 4,000,003 cells, .* at most 50,000 columns"):
        read_text("case,activity,time" + ",name" * 4_000_000 + rest, tmp_path)
    assert time.monotonic() - begun < 2


def test_a_row_that_is_not_blank_but_has_nothing_for_us_is_not_left_out(tmp_path: Path) -> None:
    with pytest.raises(CellError, match=r"1 of 2 events have no case .*line 3"):
        read_text("case,activity,time,cost\n1,A,2024-01-01,5\n,,,7\n", tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('case,activity,time\n1,A,2024-01-01\n1,"B,2024-01-01\n2,C,2024-01-01\n', "line 3 cannot be read"),
        ('case,activity,time\n1,A,2024-01-01\n1,"B"x,2024-01-01\n', "line 3 cannot be read"),
        ('"case,activity,time\n1,A,2024-01-01\n' + "1,A,2024-01-01\n" * 20_000, "the header cannot be read"),
    ],
)
def test_damaged_text_is_refused_with_its_line(text: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        read_text(text, tmp_path)


# --- quotation marks ---------------------------------------------------------------------------------------------

PIPES = [("1", '5" pipe'), ("2", 'say \\"'), ("2", "C:\\"), ("3", '"'), ("3", ',";'), ("4", "B")]
OTHERS = "".join(f"{i},2024-01-02,secret {i}\n" for i in range(19))


def escaped_by_backslash(rows: list[tuple[str, str]], separator: str = ",", end: str = "\n") -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(
        text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator=end, doublequote=False, escapechar="\\"
    )
    writer.writerow(["case", "time", "activity"])
    writer.writerows((case, "2024-01-01", activity) for case, activity in rows)
    return text.getvalue()


MISPLACED = {
    "behind a backslash": (
        '1,2024-01-01,"5\\" pipe"\n' + OTHERS, "line 2 .* behind a backslash: give escape='backslash'"),
    "behind backslashes": (
        '1,2024-01-01,"5\\" pipe"\n' + OTHERS + '1,2024-01-01,"6\\" pipe"\n', "line 2 .* behind a backslash"),
    "behind a backslash at the end": (
        '1,2024-01-01,"5\\""\n' + OTHERS + '1,2024-01-01,"6\\""\n', "line 2 .* behind a backslash"),
    "never closed": (OTHERS + '1,2024-01-01,"A\n' + OTHERS, "line 21 .* that is never closed: write"),
    "closed by the next": (
        '1,2024-01-01,"A\n' + OTHERS + '1,2024-01-01,"B"\n',
        "line 22 .* a quotation mark inside a cell that begins on line 2: write"),
    "in a cell without": (OTHERS + '1,2024-01-01,5" pipe\n', "line 21 .* a quotation mark inside a cell: write"),
    "two in cells without": ('1,2024-01-01,5" pipe\n' + OTHERS + '1,2024-01-01,6" pipe\n', "line 2 "),
    "text behind it": ('1,2024-01-01,"A" \n' + OTHERS, "line 2 "),
    "text before it": ('1,2024-01-01, "A"\n' + OTHERS, "line 2 "),
    "another separator": ('1,2024-01-01,"A";"B"\n' + OTHERS, "line 2 "),
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["plain", "excel", "gzip"])
@pytest.mark.parametrize(("rows", "message"), MISPLACED.values(), ids=MISPLACED)
def test_a_quotation_mark_out_of_place_swallows_no_rows(rows: str, message: str, dialect: str, tmp_path: Path) -> None:
    text = "case,time,activity\n" + rows
    if dialect == "excel":
        text = "\ufeff" + text.replace("\n", "\r\n")
    with pytest.raises(FormatError, match=message):
        read_text(gzip.compress(text.encode()) if dialect == "gzip" else text, tmp_path)


def test_a_line_before_the_header_counts_for_the_place_of_a_mark(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 3 cannot be read, it has a quotation mark behind a backslash"):
        read_text('sep=;\r\ncase;time;activity\r\n1;2024-01-01;"5\\" pipe"\r\n', tmp_path)
    with pytest.raises(FormatError, match="line 1 cannot be read, it has a quotation mark behind a backslash"):
        read_text('"ca\\"se",time,activity\n1,2024-01-01,A\n', tmp_path)


@pytest.mark.parametrize("separator", ",;\t|")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_behind_backslashes_are_read_if_that_is_said(separator: str, end: str, tmp_path: Path) -> None:
    log = read_text(escaped_by_backslash(PIPES, separator, end), tmp_path, escape="backslash")
    assert [path for path, _ in cases_of(log)] == [('5" pipe',), ('say \\"', "C:\\"), ('"', ',";'), ("B",)]


@examples(200)
@given(st.lists(st.tuples(LABELS, LABELS | st.sampled_from(["\\", '\\"', '"\\', "\\N"])), min_size=1, max_size=6))
def test_what_python_writes_with_backslashes_is_read_cell_for_cell(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    rows = [(case.replace("\0", "0"), activity.replace("\0", "0")) for case, activity in rows]
    path = tmp_path_factory.mktemp("python") / "log.csv"
    path.write_bytes(escaped_by_backslash(rows).encode())
    by_case: dict[str, list[str]] = {}
    for case, activity in rows:
        by_case.setdefault(case, []).append(activity)
    log = read_log(path, escape="backslash", allow_line_ends=True)
    assert [list(labels) for labels, _ in cases_of(log)] == list(by_case.values())


@pytest.mark.parametrize("cell", ["a\\,b", '\\"', "a\\\\\\,b", "a\\"])
def test_a_backslash_before_the_end_of_a_cell_without_marks_is_refused(cell: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 3 cannot be read, it has a backslash before the end of a cell: put"):
        read_text(f"case,time,activity\n1,2024-01-01,A\n1,2024-01-01,{cell}\n", tmp_path, escape="backslash")


def test_marks_are_checked_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = 'case,activity,time\n1,"A ""x"", y",2024-01-01\n2,"",2024-01-01\n'.replace('""\n', '"B"\n').encode()
    for block in range(1, 40):
        monkeypatch.setattr("unsingle.formats.csv.quotes._BLOCK", block)
        refuse_misplaced(whole, ",")
        with pytest.raises(Misplaced):
            refuse_misplaced(whole.replace(b'""', b'"'), ",")


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.xes", "log.parquet"])
@pytest.mark.parametrize("label", ["two\nlines", "cr\rcr", "crlf\r\n"])
def test_labels_with_line_ends_are_refused_unless_allowed(name: str, label: str, tmp_path: Path) -> None:
    log = log_of([(["A", label], [0, 60_000]), (["A"], [0])])
    path = tmp_path / name
    write_log(log, path)
    with pytest.raises(CellError, match=r"1 of 3 events have an activity with a line end .*allow_line_ends=True"):
        read_log(path)
    assert read_log(path, allow_line_ends=True).labels == ("A", label)
    with pytest.raises(CellError, match=r"column 'concept:name', such as .*, the first at row 1, case '1'"):
        read_log(to_polars(log))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("case,time,activity\n1,2024-01-01,A\n2\r,2024-01-01,B\n2,2024-01-01,C\n", 3),
        ("case,time,activity,x,y,z\n1,2024-01-01,A\r2,2024-01-01,B\n", 2),
        ("case,time,activity,note\n1,2024-01-01,A,x\ry\n", 2),
        ("case,time,activity\n1,2024-01-01,A\r\r\n2,2024-01-01,B\n", 2),
        ("case,time,activity\r\r\n1,2024-01-01,A\r\r\n", 1),
        ("case,time,activity\r1,2024-01-01,A\n", 1),
        ('case,time,activity\n1,2024-01-01,"A"\r2,2024-01-01,"B"\n', 2),
    ],
)
def test_a_carriage_return_alone_is_no_part_of_a_cell(text: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=f"line {line} cannot be read, it has a carriage return that ends no line: save"
    ):
        read_text(text, tmp_path)


def test_a_carriage_return_in_quotation_marks_is_a_part_of_the_cell(tmp_path: Path) -> None:
    text = 'case,time,activity,note\r\n"1\r",2024-01-01,A,"x\ry"\r\n1,2024-01-01,B,\r\n'
    assert read_text(text, tmp_path).n_cases == 2


@pytest.mark.parametrize(("escape", "mark"), [("double", '""'), ("backslash", '\\"')])
def test_a_cell_keeps_its_carriage_return_in_a_file_of_an_old_mac(escape: str, mark: str, tmp_path: Path) -> None:
    text = f'case,time,activity\r1,2024-01-01,"5{mark} a\rb"\r2,2024-01-01,C\r'
    assert read_text(text, tmp_path, escape=escape, allow_line_ends=True).labels == ('5" a\rb', "C")


@pytest.mark.parametrize("block", [1, 3, 1 << 18])
@pytest.mark.parametrize("more", [",,x", ",x,y", ",,,,", ',"",', ',,"two\nlines"'])
def test_cells_behind_an_empty_one_too_many_are_refused(
    more: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unsingle.formats.csv.quotes._BLOCK", block)
    text = f'case,activity,time\n1,"a\nb",2024-01-01\n1,"A,,,",2024-01-01{more}\n2,B,2024-01-01\n'
    with pytest.raises(FormatError, match="line 4 cannot be read, it has more cells than the header: put cells that"):
        read_text(text, tmp_path, allow_line_ends=True)


def test_a_separator_at_the_end_of_lines_is_no_cell(tmp_path: Path) -> None:
    text = "case,activity,time\n1,A,2024-01-01,\n,,,\n2,B,2024-01-01,\n"
    assert read_text(text, tmp_path).n_events == 2


def test_an_unknown_way_to_escape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="unknown escape 'caret': choose one of double, backslash"):
        read_text(PLAIN, tmp_path, escape="caret")


@pytest.mark.parametrize("seed", range(10))
def test_damaged_tables_are_read_or_refused_but_never_break(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    plain = b'case,activity,time\n1,"A, b",2024-01-01\n2,"C ""d""\ne",2024-01-02\n3,F,2024-01-03\n'
    pieces = [b'"', b",", b"\n", b"\r", b";", b"\0", b"\xff", b"", b"\xc3\xa9", b" "]
    for _ in range(40):
        text = bytearray(plain)
        for _ in range(rng.choice([1, 2, 3])):
            at = rng.randrange(len(text))
            text[at : at + rng.choice([0, 1, 9])] = rng.choice(pieces)
        (tmp_path / "log.csv").write_bytes(text)
        outcome = log_or_message(tmp_path / "log.csv")
        assert outcome.n_events <= 4 if isinstance(outcome, EventLog) else len(outcome.splitlines()) == 1


# --- Parquet -----------------------------------------------------------------------------------------------------

MOMENT = datetime(2024, 1, 1)


def read_typed(tmp_path: Path, *, case: object = None, activity: object = None, time: object = None) -> EventLog:
    columns = {
        "case": pl.Series(["1", "1"]) if case is None else case,
        "activity": pl.Series(["A", "B"]) if activity is None else activity,
        "time": pl.Series([MOMENT, MOMENT]) if time is None else time,
    }
    path = tmp_path / "log.parquet"
    pl.DataFrame(columns).write_parquet(path)
    return read_log(path)


@pytest.mark.parametrize(
    "time",
    [
        pl.Series([MOMENT, MOMENT]).cast(pl.Datetime("ns")),
        pl.Series([MOMENT, MOMENT]).cast(pl.Datetime("ms")).dt.replace_time_zone("UTC"),
        pl.Series([MOMENT, MOMENT]).dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
        pl.Series([date(2024, 1, 1)] * 2),
        pl.Series(["2024-01-01", "2024-01-01T00:00:00Z"]),
        pl.Series(["2024-01-01"] * 2, dtype=pl.Categorical),
        pl.Series([b"2024-01-01"] * 2),
        pl.Series([1_704_067_200] * 2),
        pl.Series([1_704_067_200_000] * 2),
    ],
    ids=lambda time: str(time.dtype),
)
def test_parquet_times_of_all_types(time: pl.Series, tmp_path: Path) -> None:
    assert read_typed(tmp_path, time=time).time.tolist() == [1_704_067_200_000] * 2


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([1, 2]), pl.Series([1.0, 2.0]), pl.Series([True, False]), pl.Series([b"1", b"2"]),
        pl.Series(["1", "2"], dtype=pl.Categorical), pl.Series(["1", "2"], dtype=pl.Enum(["2", "1"])),
        pl.Series([1, 2], dtype=pl.UInt64), pl.Series([Decimal("1.5"), Decimal(2)]),
        pl.Series([date(2024, 1, 1), date(2024, 1, 2)]),
    ],
    ids=lambda column: str(column.dtype),
)  # fmt: skip
def test_parquet_cases_and_activities_of_all_types(column: pl.Series, tmp_path: Path) -> None:
    assert read_typed(tmp_path, case=column).n_cases == 2
    assert len(read_typed(tmp_path, activity=column).labels) == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"case": [[1], [2]]}, r"column 'case' holds List\(Int64\), not text or numbers"),
        ({"activity": [{"a": 1}, {"a": 2}]}, "column 'activity' holds Struct"),
        ({"activity": [b"A", b"\xff"]}, "column 'activity' holds Binary"),
        ({"time": [True, False]}, "column 'time' holds Boolean, not times"),
        ({"time": [1.5, 2.5]}, "column 'time' holds Float64, not times"),
        ({"time": [timedelta(1), timedelta(2)]}, "column 'time' holds Duration"),
        ({"time": [[MOMENT], [MOMENT]]}, "column 'time' holds List"),
        ({"case": [None, None]}, "2 of 2 events have no case"),
        ({"case": [1.0, float("nan")]}, "1 of 2 events have no case .*row 2:"),
        ({"activity": ["A", None]}, "1 of 2 events have no activity .*row 2, case '1'"),
        ({"time": [None, MOMENT]}, "1 of 2 events have no time .*row 1, case '1'"),
    ],
)
def test_odd_columns_are_refused(columns: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsingleError, match=rf"log\.parquet: {message}"):
        read_typed(tmp_path, **columns)


def test_only_the_chosen_columns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pl.DataFrame({"case": [1], "activity": ["A"], "time": [MOMENT], "odd": [[{"x": b"\xff"}]]}).write_parquet(path)
    assert read_log(path).n_events == 1
    with pytest.raises(ColumnError, match="column 'odd' holds List"):
        read_log(path, activity="odd")


# --- damaged Parquet ---------------------------------------------------------------------------------------------

NINE = pl.DataFrame({"case": ["1"] * 9, "activity": list("ABCDEFGHI"), "time": [MOMENT] * 9})


def parquet_of(frame: pl.DataFrame, **options: Any) -> bytes:
    content = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(frame.to_arrow(), content, **options)
    return content.getvalue()


def outcome_of(content: bytes, tmp_path: Path) -> EventLog | str:
    (tmp_path / "log.parquet").write_bytes(content)
    return log_or_message(tmp_path / "log.parquet")


@pytest.mark.parametrize("seed", range(5))
def test_damaged_parquet_is_read_or_refused_but_never_breaks(
    seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(seed)
    own = io.BytesIO()
    NINE.write_parquet(own, compression=rng.choice(["zstd", "snappy", "uncompressed"]))  # type: ignore[arg-type]
    for whole in (own.getvalue(), parquet_of(NINE), parquet_of(NINE, use_dictionary=False, data_page_version="2.0")):
        for _ in range(8):
            content = bytearray(whole)
            for _ in range(rng.choice([1, 1, 4])):
                content[rng.choice([rng.randrange(len(content)), rng.randrange(60)])] = rng.choice([0, 127, 255, 77])
            outcome = outcome_of(content[: rng.choice([len(content), rng.randrange(1, len(content))])], tmp_path)
            assert outcome.n_events == 9 if isinstance(outcome, EventLog) else len(outcome.splitlines()) == 1
    assert capfd.readouterr().err == ""
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]


def test_a_damaged_page_does_not_end_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = parquet_of(
        pl.concat([NINE] * 40).with_columns(case=pl.int_range(360).cast(pl.String)), use_dictionary=False
    )
    monkeypatch.setattr("unsingle.formats.parquet.reader.check_pages", lambda *_: None)  # leave it to the reader
    messages = set()
    for place in range(4, 40):
        content = bytearray(whole)
        content[place] |= 0x7F
        outcome = outcome_of(content, tmp_path)
        messages.add(outcome if isinstance(outcome, str) else "read")
    assert any("reader" in message for message in messages)
    assert all(message == "read" or message.endswith("get a whole copy") for message in messages)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_checksums_of_pages_are_checked(version: str, tmp_path: Path) -> None:
    whole = parquet_of(NINE, write_page_checksum=True, data_page_version=version, compression="none")
    assert isinstance(outcome_of(whole, tmp_path), EventLog)
    label = whole.index(b"\x01\x00\x00\x00A")  # its length stands before it
    damaged = whole.replace(b"\x01\x00\x00\x00A", b"\x01\x00\x00\x00X")
    assert damaged[label : label + 5] != whole[label : label + 5]
    outcome = outcome_of(damaged, tmp_path)
    assert "(a page of column 'activity' does not have the checksum that it should have): get a whole" in str(outcome)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_checksums_of_gzip_are_checked(version: str, tmp_path: Path) -> None:
    labels = [f"label {i % 4} {'x' * 30}" for i in range(40)]
    frame = pl.DataFrame({"case": range(40), "activity": labels, "time": ["2024-01-01"] * 40})
    whole = parquet_of(frame, data_page_version=version, compression="gzip", use_dictionary=False)
    log = outcome_of(whole, tmp_path)
    assert isinstance(log, EventLog)
    at = whole.index(b"\x1f\x8b", whole.index(b"\x1f\x8b") + 2)  # the page of activities
    changed = [whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :] for i in range(at + 12, at + 40, 4)]
    assert all(outcome == log or "checksum" in str(outcome) for outcome in (outcome_of(c, tmp_path) for c in changed))
    assert all(isinstance(outcome_of(each, tmp_path), str) for each in changed[:1])


@pytest.mark.parametrize("levels", [b"\x12\x57", b"\x00\x01", b"\x10\x01", b"\x03\x00"])
def test_levels_of_pages_are_checked(levels: bytes, tmp_path: Path) -> None:
    whole = parquet_of(NINE, data_page_version="2.0", compression="none", use_dictionary=False)
    at = whole.index(b"\x12\x01")  # nine times: it is there
    outcome = outcome_of(whole[:at] + levels + whole[at + 2 :], tmp_path)
    assert "(a page of column 'case' does not say which of its values are missing)" in str(outcome) or (
        "its structure cannot be read" in str(outcome)
    )


@pytest.mark.parametrize("python", ["/no/python", "", "/bin/true"])
def test_where_no_other_process_can_be_started_this_one_reads(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", python)
    content = io.BytesIO()
    NINE.write_parquet(content)
    assert outcome_of(content.getvalue(), tmp_path) == read_log(NINE)
    assert "get a whole copy" in str(outcome_of(content.getvalue()[:100] + content.getvalue()[110:], tmp_path))


def test_without_files_in_memory_a_nameless_one_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.memfd_create", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    content = io.BytesIO()
    NINE.write_parquet(content)
    assert outcome_of(content.getvalue(), tmp_path) == read_log(NINE)
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupt_ends_the_other_process_too(tmp_path: Path) -> None:
    child, told = tmp_path / "child.py", tmp_path / "told"
    child.write_text(
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"open({str(told)!r} + '.new', 'w').write(str(os.getpid()))\n"
        f"os.rename({str(told)!r} + '.new', {str(told)!r})\n"
        "time.sleep(60)\n"
    )
    NINE.write_parquet(tmp_path / "log.parquet")
    code = "from unsingle.formats import child; from unsingle.cli.app import main; import sys\n"
    code += "child.__file__ = sys.argv.pop(1)\nmain()"
    command = [sys.executable, "-c", code, str(child), "inspect", str(tmp_path / "log.parquet")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not told.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[1].strip() == "unsingle: interrupted, nothing was written"
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


def test_only_what_the_footer_promises_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.BytesIO()
    NINE.write_parquet(content)
    whole = parquet_outline.outline_of
    monkeypatch.setattr(parquet_reader, "outline_of", lambda data: whole(data)._replace(rows=10))
    assert "(it has 9 rows where it says 10): get a whole copy" in str(outcome_of(content.getvalue(), tmp_path))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PAR1" + bytes(8), "it does not begin and end with PAR1"),
        (b"PAR1\xff\xff\xff\x7fPAR1", "its footer is longer than the file"),
        (b"PAR1" + b"\x1c" * 200 + b"\xc8\x00\x00\x00PAR1", "its structure cannot be read"),
        (b"PAR1" + bytes(20) + b"\x14\x00\x00\x00PAR1", "its footer cannot be read"),
        (b"PARE" + bytes(20) + b"PARE", "it is encrypted"),
    ],
)
def test_a_footer_that_cannot_be_one_is_told(content: bytes, why: str) -> None:
    with pytest.raises(parquet_outline.Damaged, match=why):
        parquet_outline.outline_of(content)


def test_a_byte_of_the_footer_changes_what_it_says_or_is_damage() -> None:
    whole = parquet_of(NINE, store_schema=False)
    for at in range(len(whole) - 8 - int.from_bytes(whole[-8:-4], "little"), len(whole)):
        for byte in (0x00, 0x15, 0x16, 0x18, 0x19, 0x1C, 0x48, 0x45, 0xFF):
            content = whole[:at] + bytes([byte]) + whole[at + 1 :]
            with contextlib.suppress(parquet_outline.Damaged):
                parquet_outline.check_pages(content, parquet_outline.outline_of(content), set(NINE.columns))


def test_the_footer_tells_names_and_rows_of_any_schema() -> None:
    odd = {"a": [[{"x": b"1", "y": [1, 2]}]], "b.c": [{"p": {"q": 1}, "r": "s"}], "": [1], "d\0": [True], "é": [None]}
    content = io.BytesIO()
    pl.DataFrame(odd).write_parquet(content)
    outline = parquet_outline.outline_of(content.getvalue())
    assert (outline.names, outline.rows) == (list(odd), 1)
