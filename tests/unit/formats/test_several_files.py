"""Several files and folders are one log: the same as one file with all rows, or one line says why not."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, event_logs, examples
from unsingle import CellError, ColumnError, EventLog, FormatError, ParameterError, UnsingleError, read_log, write_log
from unsingle.core.read_as import ReadAs
from unsingle.formats.tables.frames import to_polars
from unsingle.progress import Progress

HEADER = "case,activity,time\n"
ROWS = ["1,A,2024-01-01\n", "2,A,2024-01-02\n", "1,B,2024-01-03\n", "2,B,2024-01-04\n", "1,C,2024-01-04\n"]


def written(folder: Path, **texts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text)
    return folder


@examples(60)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=3).map(sorted))
def test_a_log_cut_into_files_is_the_same_log(tmp_path_factory: pytest.TempPathFactory, edges: list[int]) -> None:
    folder = tmp_path_factory.mktemp("cut")
    cuts = [0, *edges, len(ROWS)]
    for number, (a, b) in enumerate(pairwise(cuts)):
        (folder / f"{number}.csv").write_text(HEADER + "".join(ROWS[a:b]))
    whole = folder.with_suffix(".csv")
    whole.write_text(HEADER + "".join(ROWS))
    assert read_log(folder) == read_log(whole)


@pytest.mark.parametrize("ending", ["xes", "xes.gz", "csv.gz", "parquet"])
def test_every_format_can_be_several_files(ending: str, tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"case:concept:name": ["x", "y"], "concept:name": ["A", "B"], "time:timestamp": ["2024-01-01", "2024-01-02"]}
    )
    for number in (1, 2):
        write_log(frame[number - 1 : number], tmp_path / f"{number}.{ending}")
    log = read_log([tmp_path / f"1.{ending}", str(tmp_path / f"2.{ending}")])
    assert [path for path, _ in cases_of(log)] == [("A", "B")]  # written cases are numbered from 1 in each file


def test_cases_without_a_name_are_not_those_of_another_file(tmp_path: Path) -> None:
    event = (
        '<event><string key="concept:name" value="A"/><date key="time:timestamp" value="2024-01-01T00:00:00Z"/></event>'
    )
    for number in (1, 2):
        (tmp_path / f"{number}.xes").write_text(f"<log><trace>{event}</trace><trace>{event}</trace></log>")
    assert read_log(tmp_path).n_cases == 4


def test_what_was_found_out_is_said_of_all(tmp_path: Path) -> None:
    folder = written(tmp_path / "x", a=HEADER + ROWS[0])
    (folder / "b.csv").write_text((HEADER + "1,Prüfung,2024-01-02\n").replace(",", ";"), encoding="cp1252")
    log = read_log(folder)
    assert log.source is not None
    assert log.source.read_as == ReadAs(2, "UTF-8 or cp1252", time_formats=("%Y-%m-%d",), zone="UTC", rows=2)


def test_days_and_months_are_told_apart_by_all_files_together(tmp_path: Path) -> None:
    folder = written(tmp_path / "x", a=HEADER + "1,A,3/4/2024\n", b=HEADER + "1,B,25/4/2024\n")
    assert [time for _, times in cases_of(read_log(folder)) for time in times] == [1712102400000, 1714003200000]


def test_patterns_and_hidden_files(tmp_path: Path) -> None:
    folder = written(tmp_path / "x", a=HEADER + ROWS[0], b=HEADER + ROWS[1])
    (folder / ".hidden").write_text("no log")
    (folder / "_SUCCESS").write_text("")
    assert read_log(folder / "[ab].csv") == read_log(folder)
    (folder / "c[1].csv").write_text(HEADER + ROWS[2])
    assert read_log(folder / "c[1].csv").labels == ("B",)


BAD = {
    "an empty folder": ({}, "is a folder without files"),
    "other columns": ({"b.csv": "id,activity,time\n1,A,2024-01-01\n"}, "b.csv: there is no column that looks like|"
                      "b.csv: its columns are not those of .*a.csv: it lacks 'case' and also has 'id'"),
    "one column more": ({"b.csv": "case,activity,time,cost\n1,A,2024-01-01,5\n"},
                        "b.csv: its columns are not those of .*a.csv: it also has 'cost': make them alike"),
    "several formats": ({"b.xes": "<log/>"},
                        r"has files of several formats \(1 .csv and 1 .xes\): name the files, such as"),
    "a file that is no log": ({"notes.txt": "hello"}, r"has files of several formats \(1 .csv and 1 .txt\)"),
    "a cell in the second": ({"b.csv": HEADER + "1,A,2024-01-01\n1,,2024-01-01\n"},
                             r"a.csv and 1 more: 1 of 3 events have no activity .*first at .*b.csv, line 3, case '1'"),
    "a damaged file": ({"b.csv": HEADER + '1,"A,2024-01-01\n'}, "b.csv: line 2 cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "message"), BAD.values(), ids=BAD)
def test_what_is_not_one_log_is_refused_in_one_line(files: dict[str, str], message: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "x", **({"a": HEADER + ROWS[0]} if files else {}))
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises((FormatError, ColumnError, CellError), match=message) as raised:
        read_log(folder)
    assert len(str(raised.value).splitlines()) == 1


def test_names_that_cannot_be_meant(tmp_path: Path) -> None:
    folder = written(tmp_path / "x", a=HEADER + ROWS[0])
    (folder / "more").mkdir()
    for names, message in (
        (folder, "has a folder in it"),
        ([folder / "a.csv", folder / "../x/a.csv"], "is named twice"),
        (["-", folder / "a.csv"], "standard input is one log of its own"),
        (folder / "2024*.csv", "no file has such a name"),
        ([folder / "a.csv", tmp_path / "b.xes"], "is XES, but .* is CSV"),
    ):
        with pytest.raises((FormatError, ParameterError), match=message):
            read_log(names)
    with pytest.raises(UnsingleError, match="a log is a file name"):
        read_log([])  # type: ignore[arg-type]


def test_tables_of_other_types_are_refused(tmp_path: Path) -> None:
    for name, case in (("a", ["1"]), ("b", [[1]])):
        pl.DataFrame({"case": case, "activity": ["A"], "time": ["2024-01-01"]}).write_parquet(
            tmp_path / f"{name}.parquet"
        )
    with pytest.raises(ColumnError, match=r"a.parquet and 1 more: column 'case' holds String and List"):
        read_log(tmp_path)


class Watched(Progress):
    def __init__(self) -> None:
        super().__init__()
        self.fractions: list[float] = []

    def show(self, _step: str, fraction: float) -> None:
        self.fractions.append(fraction)


def test_progress_goes_through_all_files_and_never_back(tmp_path: Path) -> None:
    watched = Watched()
    read_log(written(tmp_path / "x", a=HEADER + ROWS[0], b=HEADER + ROWS[1]), progress=watched)
    assert watched.fractions == sorted(watched.fractions)
    assert watched.fractions[-1] == 1


@examples(25)
@given(event_logs())
def test_a_file_and_an_empty_half_are_the_file(tmp_path_factory: pytest.TempPathFactory, log: EventLog) -> None:
    folder = tmp_path_factory.mktemp("half")
    frame = to_polars(log)
    write_log(log, folder / "a.csv")
    (folder / "b.csv").write_text(",".join(frame.columns) + "\n")
    assert read_log(folder) == read_log(folder / "a.csv")
