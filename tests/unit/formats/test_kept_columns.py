"""Columns that are kept: declared or typed by their source, written back with their types, and refused in one line."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import event_logs, examples
from unsingle import ColumnError, EventLog, LogError, ParameterError, UnsingleError, read_log, write_log
from unsingle.core.columns import Column, Field, Kind, Level
from unsingle.formats import read_release_of, write_rows
from unsingle.formats.schema import column_name, public_columns
from unsingle.formats.tables.frames import to_arrow, to_pandas, to_polars

EVENTS = {
    "case:concept:name": ["1", "1", "2"],
    "concept:name": ["A", "B", "A"],
    "time:timestamp": [f"2024-01-0{day}T00:00:00+00:00" for day in (1, 2, 3)],
}
KINDS = ("xes", "csv", "parquet")


def rows(**columns: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({**EVENTS, **columns})


def cells(log: EventLog) -> dict[str, list[Any]]:
    """All public columns by their names in tables."""
    return {column_name(column.field): column.cells() for column in public_columns(log)}


def kinds(log: EventLog) -> dict[str, Kind]:
    return {column_name(column.field): column.field.kind for column in public_columns(log)}


def from_file(kind: str, folder: Path, frame: pl.DataFrame, **asked: Any) -> EventLog:
    path = folder / f"log.{kind}"
    write_rows(frame, path, force=True)
    return read_log(path, **asked)


# ---------------------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize("kind", KINDS)
def test_events_and_cases_keep_their_values(kind: str, tmp_path: Path) -> None:
    frame = rows(role=["x", None, "y"], **{"case:ward": ["n", "n", "s"], "age": [None, 40, 50], "rest": [1, 2, 3]})
    log = from_file(kind, tmp_path, frame, keep=["role", "case:ward"], keep_case=["age"], numbers=["age"])
    assert cells(log) == {"role": ["x", None, "y"], "case:ward": ["n", "s"], "age": [40, 50]}
    assert [column.field.level for column in public_columns(log)] == [Level.EVENT, Level.CASE, Level.FIRST]
    assert log.source is not None
    assert log.source.kept == ("role", "case:ward", "age")
    assert log.source.left_out == ("rest",)


@pytest.mark.parametrize("strict", [False, True])
def test_both_readers_of_xes_read_the_same(strict: bool, tmp_path: Path) -> None:
    path = tmp_path / "log.xes"
    write_rows(rows(role=["x", None, ""], cost=[1.5, None, 2.0], level=[1, 2, None], amount=["7", "8.5", None]), path)
    if strict:
        path.write_text(path.read_text().replace("<trace>", "<!-- unusual --><trace>", 1))
    log = read_log(path, keep=["role", "cost", "level", "amount"], numbers=["amount"])
    assert cells(log) == {
        "role": ["x", None, ""],
        "cost": [1.5, None, 2.0],
        "level": [1, 2, None],
        "amount": [7.0, 8.5, None],
    }
    assert list(kinds(log).values()) == [Kind.TEXT, Kind.NUMBER, Kind.INTEGER, Kind.NUMBER]
    with pytest.raises(LogError, match=r"1 of 3 cells of 'role' are no numbers, such as 'x', the first at line \d+"):
        read_log(path, keep=["role"], numbers=["role"])


def test_all_columns_of_csv_are_texts_unless_declared() -> None:
    assert kinds(read_log(rows(n=["1", "2", "3"]), keep=["n"])) == {"n": Kind.TEXT}
    assert kinds(read_log(rows(n=["1", "2", "3"]), keep=["n"], numbers=["n"])) == {"n": Kind.NUMBER}
    assert kinds(read_log(rows(n=[1, 2, 3]), keep=["n"])) == {"n": Kind.INTEGER}
    assert kinds(read_log(rows(n=[1.0, 2.0, 3.0]), keep=["n"])) == {"n": Kind.NUMBER}


def test_an_empty_cell_of_csv_is_missing_in_quotation_marks_or_not(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text('case,task,time,role,age\n1,A,2024-01-01,"",""\n1,B,2024-01-02,x,40\n1,C,2024-01-03,,41\n')
    log = read_log(path, keep=["role"], keep_case=["age"], numbers=["age"])
    assert cells(log) == {"role": [None, "x", None], "age": [40.0]}


def test_a_blank_is_no_value_of_a_case() -> None:
    log = read_log(rows(age=["", "40", "50"]), keep_case=["age"])
    assert cells(log) == {"age": ["40", "50"]}


def test_the_first_value_of_a_case_is_that_of_its_first_event_in_time() -> None:
    frame = rows(age=["early", "late", "x"]).reverse()
    assert cells(read_log(frame, keep_case=["age"])) == {"age": ["x", "early"]}


def test_values_of_events_that_are_left_out_are_left_out() -> None:
    frame = rows(role=["x", "y", "z"], **{"lifecycle:transition": ["start", "complete", "complete"]})
    log = read_log(frame, keep=["role"], lifecycle="complete")
    assert cells(log) == {"role": ["y", "z"]}


class Trace(list[dict[str, Any]]):
    """A trace as PM4Py has it."""

    attributes: ClassVar = {"concept:name": "1", "ward": "n"}


class Traces(list[Trace]):
    """A log as PM4Py has it."""

    attributes: ClassVar[dict[str, Any]] = {}


def traces(**values: list[Any]) -> Traces:
    times = [dt.datetime(2024, 1, day, tzinfo=dt.UTC) for day in (1, 2)]
    events = [
        {"concept:name": "A", "time:timestamp": times[row], **{name: each[row] for name, each in values.items()}}
        for row in (0, 1)
    ]
    return Traces([Trace([{key: value for key, value in event.items() if value is not None} for event in events])])


def test_objects_of_pm4py_keep_their_values() -> None:
    log = read_log(traces(cost=[1.5, None], role=["x", "y"]), keep=["cost", "role", "case:ward"])
    assert cells(log) == {"cost": [1.5, None], "role": ["x", "y"], "case:ward": ["n"]}
    with pytest.raises(ColumnError, match=r"'cost' mixes types \(int, str\): .* declare it with numbers="):
        read_log(traces(cost=[1, "2"]), keep=["cost"])
    assert cells(read_log(traces(cost=[1, "2"]), keep=["cost"], numbers=["cost"])) == {"cost": [1.0, 2.0]}
    with pytest.raises(ColumnError, match="'seen' holds dates or times"):
        read_log(traces(seen=[dt.date(2024, 1, 1)] * 2), keep=["seen"])


def test_columns_of_pandas_that_mix_types_are_declared_or_refused() -> None:
    frame = rows().to_pandas()
    frame["cost"] = [1, "2.5", None]
    with pytest.raises(ColumnError, match=r"'cost' mixes types \(int, str\): .* declare it with numbers="):
        read_log(frame, keep=["cost"])
    assert cells(read_log(frame, keep=["cost"], numbers=["cost"])) == {"cost": [1.0, 2.5, None]}
    frame["seen"] = [dt.datetime(2024, 1, 1, tzinfo=dt.UTC)] * 3
    with pytest.raises(ColumnError, match="'seen' holds dates or times"):
        read_log(frame, keep=["seen"])


# ---------------------------------------------------------------------------------------------------- refusing

REFUSED: list[tuple[pl.DataFrame, dict[str, Any], str]] = [
    (rows(), {"keep": ["x"]}, r"there is no column 'x' to keep: name one with keep=; there are: "),
    (rows(), {"keep_case": ["x"]}, r"there is no column 'x' to keep: name one with keep_case="),
    (rows(), {"keep": ["concept:name"]}, r"'concept:name' is there anyway: leave it out of keep="),
    (rows(n=["1"] * 3), {"keep": ["n"], "case": "n"}, r"'n' is the column of the case: leave it out of keep="),
    (rows(n=["2024"] * 3), {"keep_case": ["n"], "time": "n"}, r"'n' is the column of the time: .* keep_case="),
    (rows(n=["1"] * 3), {"keep": ["n"], "activity": "concept:name+n"}, r"'n' is the column of the activity"),
    (rows(n=["1"] * 3), {"keep": ["n"], "person": "n"}, r"'n' is the column of the person"),
    (rows(n=["1"] * 3), {"keep": ["n"], "keep_case": ["n"]}, r"'n' is named twice"),
    (rows(n=["1"] * 3), {"numbers": ["n"]}, r"'n' is declared to be a number, but not kept"),
    (rows(n=pl.Series([None] * 3, dtype=pl.String)), {"keep": ["n"]}, r"column 'n' is empty throughout"),
    (rows(n=[None, "z", None]), {"keep": ["n"], "numbers": ["n"]}, r"1 of 3 cells of 'n' are no numbers, such as 'z'"),
    (rows(n=["1", "2,5", "3"]), {"keep": ["n"], "numbers": ["n"]}, r"'2,5', .*: give decimal_comma=True if"),
    (rows(n=[1.0, float("inf"), None]), {"keep": ["n"]}, r"1 of 3 cells of 'n' are infinite numbers"),
    (rows(n=["1", "-inf", "1"]), {"keep": ["n"], "numbers": ["n"]}, r"'-inf'"),
    (rows(n=[2**60, 1, 2]), {"keep": ["n"]}, r"whole numbers of more than 15 digits"),
    (rows(n=[dt.datetime(2024, 1, 1)] * 3), {"keep": ["n"]}, r"column 'n' holds dates or times, which cannot be kept"),
    (rows(n=[dt.timedelta(1)] * 3), {"keep": ["n"]}, r"column 'n' holds dates or times"),
    (rows(n=[[1]] * 3), {"keep_case": ["n"]}, r"holds List\(Int64\), not text or numbers: .* keep_case="),
]


@pytest.mark.parametrize(("frame", "asked", "message"), REFUSED, ids=[message[:40] for _, _, message in REFUSED])
def test_what_cannot_be_kept_is_refused_in_one_line(frame: pl.DataFrame, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UnsingleError, match=message) as raised:
        read_log(frame, **asked)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("given", ["n", None, 7, [7], {"keep": ["\ud800"]}])
def test_what_is_no_list_of_names_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="keep"):
        read_log(rows(), keep=given["keep"] if isinstance(given, dict) else given)


def test_a_column_with_very_many_texts_looks_like_an_id_unless_its_values_are_public() -> None:
    def many(n: int) -> pl.DataFrame:
        return pl.DataFrame(
            {"case": ["1"] * n, "task": ["A"] * n, "time": ["2024-01-01"] * n, "n": [str(i) for i in range(n)]}
        )

    with pytest.raises(ColumnError, match=r"'n' has 5,001 different texts, more than 5,000, so it looks like an id"):
        read_log(many(5_001), keep=["n"])
    assert cells(read_log(many(5_001), keep=["n"], domains={"n"}))["n"][-1] == "5000"
    assert cells(read_log(many(5_000), keep=["n"]))["n"][-1] == "4999"
    assert cells(read_log(many(5_001), keep=["n"], numbers=["n"]))["n"][-1] == 5000


TYPED = """<log><trace><string key="concept:name" value="1"/>
<event><string key="concept:name" value="A"/><date key="time:timestamp" value="2024-01-01T00:00:00Z"/>{}</event>
<event><string key="concept:name" value="B"/><date key="time:timestamp" value="2024-01-02T00:00:00Z"/>{}</event>
</trace></log>"""


@pytest.mark.parametrize("spoilt", [str, lambda text: text.replace("<trace>", "<!-- x --><trace>")])
@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("int", "float", r"mixes types \(float, int\): if all are numbers, declare it with numbers=, else"),
        ("int", "string", r"mixes types \(int, string\)"),
        ("date", "date", "holds dates or times"),
        ("int", "date", "holds dates or times"),
    ],
)
def test_types_of_xes_are_one(
    first: str, second: str, message: str, spoilt: Callable[[str], str], tmp_path: Path
) -> None:
    path = tmp_path / "log.xes"
    values = [f'<{type_} key="x" value="{n}"/>' for n, type_ in enumerate((first, second))]
    path.write_text(spoilt(TYPED.format(*values)))
    with pytest.raises(ColumnError, match=message):
        read_log(path, keep=["x"])
    if "date" in (first, second):
        return
    log = read_log(path, keep=["x"], numbers=["x"])
    assert (cells(log), kinds(log)) == ({"x": [0.0, 1.0]}, {"x": Kind.NUMBER})


def test_texts_and_truths_of_xes_are_both_texts(tmp_path: Path) -> None:
    path = tmp_path / "log.xes"
    path.write_text(TYPED.format('<boolean key="x" value="true"/>', '<string key="x" value="maybe"/>'))
    assert cells(read_log(path, keep=["x"])) == {"x": ["true", "maybe"]}


@pytest.mark.parametrize("text", ["7.5", "", "x", "9007199254740993", "1e3"])
def test_what_is_no_whole_number_is_not_taken_for_one(text: str, tmp_path: Path) -> None:
    path = tmp_path / "log.xes"
    path.write_text(TYPED.format('<int key="x" value="7"/>', f'<int key="x" value="{text}"/>'))
    if text == "":
        assert cells(read_log(path, keep=["x"])) == {"x": [7, None]}
        return
    with pytest.raises(LogError, match=r"1 of 2 cells of 'x' are no whole numbers of up to 15 digits, .* line 3"):
        read_log(path, keep=["x"])


# ---------------------------------------------------------------------------------------------------- writing


@st.composite
def logs_with_columns(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> EventLog:
    """Arbitrary logs with a column of each level and kind, some with holes, none of them empty."""
    log = draw(event_logs())
    columns = []
    for level in Level:
        size = log.n_events if level is Level.EVENT else log.n_cases
        for kind in Kind:
            values = {
                Kind.TEXT: texts,
                Kind.INTEGER: st.integers(-(2**53), 2**53),
                Kind.NUMBER: st.floats(allow_nan=False, allow_infinity=False),
            }[kind]
            drawn: list[Any] = draw(st.lists(st.none() | values, min_size=size, max_size=size))
            if all(value is None for value in drawn):
                drawn[0] = draw(values)
            field = Field(f"{level.name} {kind.value} <&\"'>", level, kind)
            if kind is Kind.TEXT:
                columns.append(Column.of_texts(field, drawn))
            else:
                columns.append(Column.of_numbers(field, np.array([np.nan if x is None else x for x in drawn])))
    return log.with_columns(columns)


PRINTABLE = st.text(
    st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff") | st.sampled_from("\t\n\r"),
    min_size=1, max_size=4,
)  # fmt: skip


def assert_same(back: EventLog, log: EventLog) -> None:
    assert back == log
    assert cells(back) == cells(log)
    assert [column.field for column in public_columns(back)] == [column.field for column in public_columns(log)]


@given(log=logs_with_columns(PRINTABLE | st.sampled_from(["NA", "nan", "null", "1", "=1", '"', ","])))
@pytest.mark.parametrize("kind", ["xes", "xes.gz", "csv", "parquet"])
@examples(40)
def test_every_column_comes_back_from_every_file(
    kind: str, log: EventLog, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("written") / f"log.{kind}"
    write_log(log, path)
    assert_same(read_release_of(path, log, allow_line_ends=True), log)


@given(log=logs_with_columns(PRINTABLE))
@examples(40)
def test_both_readers_of_xes_see_the_same_columns(log: EventLog, tmp_path_factory: pytest.TempPathFactory) -> None:
    plain, unusual = (tmp_path_factory.mktemp("written") / name for name in ("plain.xes", "unusual.xes"))
    write_log(log, plain)
    unusual.write_bytes(plain.read_bytes().replace(b"<trace>", b"<!-- unusual --><trace>", 1))
    asked = [column_name(column.field) for column in log.columns][::2]
    first, second = (read_log(path, keep=asked, allow_line_ends=True) for path in (plain, unusual))
    assert_same(first, second)
    assert first.source == second.source


@given(log=logs_with_columns(PRINTABLE))
@examples(40)
def test_every_column_comes_back_from_every_frame(log: EventLog) -> None:
    asked = {
        "keep": [column_name(c.field) for c in log.columns if c.field.level is not Level.FIRST],
        "keep_case": [c.field.name for c in log.columns if c.field.level is Level.FIRST],
    }
    by_name = {column_name(column.field): column for column in log.columns}
    for frame in (to_polars(log), to_pandas(log), to_arrow(log)):
        back = read_log(frame, allow_line_ends=True, **asked)
        assert back == log
        assert cells(back) == {name: by_name[name].cells() for name in (*asked["keep"], *asked["keep_case"])}
        assert kinds(back) == {name: by_name[name].field.kind for name in kinds(back)}


def test_an_empty_text_comes_back_where_it_differs_from_none(tmp_path: Path) -> None:
    log = read_log(rows(role=["", None, "x"]), keep=["role"])
    assert cells(log) == {"role": ["", None, "x"]}
    for kind in ("xes", "parquet"):
        write_log(log, tmp_path / f"log.{kind}")
        assert cells(read_log(tmp_path / f"log.{kind}", keep=["role"])) == cells(log)


def test_a_release_without_the_columns_says_so(tmp_path: Path) -> None:
    write_log(read_log(rows()), tmp_path / "release.csv")
    original = read_log(rows(role=["x", "y", "z"]), keep=["role"])
    with pytest.raises(ColumnError, match=r"release.csv: there is no column 'role' to keep"):
        read_release_of(tmp_path / "release.csv", original)
