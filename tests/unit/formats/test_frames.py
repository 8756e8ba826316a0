"""Data frames of pandas, polars and pyarrow, in and out; none but polars need be installed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import uuid
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from support.helpers import cases_of, event_logs, examples, log_of
from unsingle import CellError, ColumnError, EventLog, LogError, UnsingleError, anonymize, read_log, write_log
from unsingle.errors import ParameterError
from unsingle.formats.tables.frames import to_arrow, to_pandas, to_polars

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

MOMENTS = [datetime(2024, 7, 1, 12), datetime(2024, 7, 1, 13)]
UTC_MS = [1_719_835_200_000, 1_719_838_800_000]


@examples(60)
@given(event_logs())
def test_every_log_comes_back_from_every_frame(log: EventLog) -> None:
    for frame in (
        to_polars(log),
        to_polars(log).lazy(),
        to_pandas(log),
        to_arrow(log),
        to_arrow(log).to_batches()[0],
    ):
        back = read_log(frame, allow_line_ends=True)
        assert back == log
        assert back.source[:3] == ("case:concept:name", "concept:name", "time:timestamp")


def test_frames_have_the_same_cells_and_know_the_zone() -> None:
    log = log_of([(["A", "é\n,"], [0, 1]), (["B"], [UTC_MS[0]])], "Europe/Berlin")
    frames = [to_polars(log), to_pandas(log), to_arrow(log)]
    names = ["case:concept:name", "concept:name", "time:timestamp"]
    assert [list(map(str, getattr(frame, "column_names", frame.columns))) for frame in frames] == [names] * 3
    rows = [tuple(row) for row in to_pandas(log).itertuples(index=False)]
    assert rows == to_polars(log).rows()
    assert to_arrow(log).to_pylist() == to_polars(log).to_dicts()
    assert str(to_pandas(log)["time:timestamp"].dt.tz) == to_arrow(log).schema[2].type.tz == "Europe/Berlin"
    assert to_polars(log)["time:timestamp"][2].isoformat() == "2024-07-01T14:00:00+02:00"


def test_times_to_the_end_of_the_calendar_fit_all_frames() -> None:
    log = log_of([(["A", "B"], [-30_000_000_000_000, 253_402_300_799_999])])
    assert read_log(to_pandas(log)) == read_log(to_arrow(log)) == read_log(to_polars(log)) == log


@pytest.mark.parametrize("make", [to_polars, to_pandas, to_arrow])
def test_frames_can_be_anonymised_as_they_are(make: object) -> None:
    log = log_of([(["A", "B"], [0, 60_000]), (["A"], [0])])
    assert anonymize(make(log), seed=1).log == anonymize(log, seed=1).log  # type: ignore[operator]


def pandas_log(**columns: object) -> EventLog:
    return read_log(pd.DataFrame({"case": ["1", "1"], "activity": ["A", "B"], "time": MOMENTS, **columns}))


CASES = {
    "int": [1, 2],
    "int as object": pd.Series([1, 2], dtype=object),
    "Int64": pd.array([1, 2], "Int64"),
    "uint8": np.array([1, 2], np.uint8),
    "float": [1.0, 2.0],
    "bool": [True, False],
    "boolean": pd.array([True, False], "boolean"),
    "str": ["1", "2"],
    "object": pd.Series(["1", "2"], dtype=object),
    "string": pd.array(["1", "2"], "string"),
    "string of python": pd.array(["1", "2"], "string[python]"),
    "string of arrow": pd.array(["1", "2"], pd.ArrowDtype(pa.string())),
    "dictionary of arrow": pd.array(["1", "2"], pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    "category": pd.Categorical(["1", "2"], ["2", "3", "1"]),
    "category of int": pd.Categorical([1, 2]),
    "decimal": [Decimal("1"), Decimal("2")],
    "sparse": pd.arrays.SparseArray([1, 2]),
}


@pytest.mark.parametrize("column", CASES.values(), ids=CASES)
def test_pandas_cases_and_activities_of_all_types(column: object) -> None:
    assert pandas_log(case=column).n_cases == 2
    assert len(pandas_log(activity=column).labels) == 2


def test_pandas_labels_keep_their_order_and_text() -> None:
    assert pandas_log(activity=pd.Categorical(["b", "a"], ["a", "b", "c"])).labels == ("b", "a")
    assert pandas_log(activity=pd.array([7, 10**18 + 1], "Int64")).labels == ("7", "1000000000000000001")


BERLIN = ZoneInfo("Europe/Berlin")
NEPAL = timezone(timedelta(hours=5, minutes=45))
AWARE = [moment.replace(tzinfo=UTC) for moment in MOMENTS]
TIMES = {
    "naive": (MOMENTS, "UTC"),
    "seconds": (pd.DatetimeIndex(MOMENTS).as_unit("s"), "UTC"),
    "nanoseconds": (pd.DatetimeIndex(MOMENTS).as_unit("ns"), "UTC"),
    "zone": (pd.DatetimeIndex(MOMENTS, tz="UTC").tz_convert("Europe/Berlin"), "Europe/Berlin"),
    "fixed zone": (pd.DatetimeIndex(MOMENTS, tz="UTC").tz_convert(timezone(timedelta(hours=2))), "+02:00"),
    "fixed zone of Nepal": (pd.DatetimeIndex(MOMENTS, tz="UTC").tz_convert("+05:45"), "+05:45"),
    "fixed zone before UTC": (pd.DatetimeIndex(MOMENTS, tz="UTC").tz_convert("-03:30").as_unit("s"), "-03:30"),
    "zone of seconds": (pd.DatetimeIndex(MOMENTS, tz="UTC").tz_convert(timezone(timedelta(seconds=61))), "UTC"),
    "objects with offset": (pd.Series([m.astimezone(NEPAL) for m in AWARE], dtype=object), "+05:45"),
    "objects with offsets": (pd.Series([AWARE[0].astimezone(NEPAL), AWARE[1]], dtype=object), "UTC"),
    "arrow with offset": (pd.Series(AWARE).astype(pd.ArrowDtype(pa.timestamp("us", "+05:45"))), "+05:45"),
    "arrow": (pd.array(MOMENTS, pd.ArrowDtype(pa.timestamp("us"))), "UTC"),
    "arrow with zone": (pd.Series(AWARE).astype(pd.ArrowDtype(pa.timestamp("us", "Asia/Tokyo"))), "Asia/Tokyo"),
    "objects": (pd.Series(MOMENTS, dtype=object), "UTC"),
    "objects with zone": (pd.Series([m.astimezone(BERLIN) for m in AWARE], dtype=object), "+02:00"),
    "objects with zones": (pd.Series([AWARE[0], AWARE[1].astimezone(BERLIN)], dtype=object), "UTC"),
    "timestamps": (pd.Series([pd.Timestamp(m) for m in MOMENTS], dtype=object), "UTC"),
    "text": ([m.isoformat() for m in MOMENTS], "UTC"),
    "category of text": (pd.Categorical([m.isoformat() for m in MOMENTS]), "UTC"),
    "since 1970": (UTC_MS, "UTC"),
}  # fmt: skip


@pytest.mark.parametrize(("column", "zone"), TIMES.values(), ids=TIMES)
def test_pandas_times_of_all_types(column: object, zone: str) -> None:
    log = pandas_log(time=column)
    assert (log.time.tolist(), log.zone) == (UTC_MS, zone)


def test_pandas_dates_are_midnight() -> None:
    assert pandas_log(time=pd.Series([date(1970, 1, 1), date(1970, 1, 2)], dtype=object)).time.tolist() == [
        0,
        86_400_000,
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"activity": pd.Series(["A", 1], dtype=object)}, r"column 'activity' mixes types \(int, str\)"),
        ({"case": pd.Series(["1", 1], dtype=object)}, r"column 'case' mixes types \(int, str\)"),
        ({"case": pd.Series([1, True], dtype=object)}, r"column 'case' mixes types \(bool, int\)"),
        ({"case": pd.Series([1, 1.5], dtype=object)}, r"column 'case' mixes types \(float, int\)"),
        ({"time": pd.Series([MOMENTS[0], "2024-01-01"], dtype=object)}, r"column 'time' mixes types \(datetime, str\)"),
        ({"time": pd.Series([MOMENTS[0], MOMENTS[1].replace(tzinfo=UTC)], dtype=object)}, "with and without a zone"),
        ({"case": [uuid.uuid4(), uuid.uuid4()]}, "column 'case' holds UUID, not text or numbers"),
        ({"case": [(1, 2), (3, 4)]}, "column 'case' holds tuple"),
        ({"case": [[1], [2]]}, "column 'case' holds list"),
        ({"case": pd.interval_range(0, 2)}, "column 'case' holds Object"),
        ({"activity": pd.Series(["A", "\ud800"], dtype=object)}, "column 'activity' cannot be taken .*: make it text"),
        ({"time": pd.PeriodIndex(MOMENTS, freq="D")}, "column 'time' holds Object"),
        ({"time": pd.to_timedelta([1, 2])}, "column 'time' holds Duration"),
        ({"time": [1.5, 2.5]}, "column 'time' holds Float64, not times"),
        ({"case": [1.0, np.nan]}, "1 of 2 events have no case .*row 1"),
        ({"case": pd.array([None, 1], "Int64")}, "1 of 2 events have no case .*row 0"),
        ({"activity": ["A", None]}, "1 of 2 events have no activity .*row 1"),
        ({"activity": pd.Series(["A", np.nan], dtype=object)}, "1 of 2 events have no activity .*row 1"),
        ({"activity": pd.array(["A", pd.NA], "string")}, "1 of 2 events have no activity .*row 1"),
        ({"activity": pd.Categorical(["A", None])}, "1 of 2 events have no activity .*row 1"),
        ({"time": [MOMENTS[0], pd.NaT]}, "1 of 2 events have no time .*row 1"),
        ({"time": pd.Series([pd.NaT, MOMENTS[0]], dtype=object)}, "1 of 2 events have no time .*row 0"),
        ({"activity": [None, None]}, "2 of 2 events have no activity"),
    ],
)
def test_pandas_columns_that_cannot_be_used(columns: dict[str, object], message: str) -> None:
    with pytest.raises(UnsingleError, match=f"the frame: .*{message}"):
        pandas_log(**columns)


def test_pandas_names_of_columns_that_are_not_text() -> None:
    frame = pd.DataFrame([["1", "A", "2024-01-01"]], columns=["case", 7, ("a", "time")])
    assert read_log(frame, activity="7", time="('a', 'time')").labels == ("A",)
    twice = pd.DataFrame([["1", "A", "B", "2024-01-01"]], columns=["case", "activity", "activity", "time"])
    with pytest.raises(ColumnError, match="there are 2 columns 'activity'"):
        read_log(twice)


def test_an_index_of_any_kind_does_not_matter() -> None:
    frame = pd.DataFrame({"case": ["1", "1"], "activity": ["A", "B"], "time": MOMENTS}, index=[5, 5])
    assert read_log(frame).labels == ("A", "B")


def polars_log(**columns: object) -> EventLog:
    return read_log(pl.DataFrame({"case": ["1", "1"], "activity": ["A", "B"], "time": MOMENTS, **columns}))


def test_polars_frames_that_cannot_be_used() -> None:
    with pytest.raises(ColumnError, match="column 'case' holds Object"):
        polars_log(case=pl.Series([object(), object()], dtype=pl.Object))
    with pytest.raises(CellError, match=r"1 of 2 events have no activity .*row 1, case '1'"):
        polars_log(activity=["A", "  "])


def test_lazy_frames_compute_only_what_is_needed() -> None:
    lazy = pl.LazyFrame({"case": ["1"], "activity": ["A"], "time": ["2024-01-01"]})
    lazy = lazy.with_columns(trap=pl.col("case").map_batches(lambda _: 1 / 0, return_dtype=pl.String))
    assert read_log(lazy).n_events == 1


def arrow_log(**columns: object) -> EventLog:
    return read_log(pa.table({"case": ["1", "1"], "activity": ["A", "B"], "time": MOMENTS, **columns}))


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["A", "B"], pa.large_string()), pa.array(["A", "B"], pa.string_view()), pa.array([b"A", b"B"]),
        pa.array(["A", "B"]).dictionary_encode(), pa.chunked_array([["A"], ["B"]]), pa.array([1, 2], pa.int8()),
        pa.array([Decimal(1), Decimal(2)]),
    ],
    ids=lambda column: str(column.type),
)  # fmt: skip
def test_arrow_types(column: object) -> None:
    assert arrow_log(case=column).n_cases == 2
    assert len(arrow_log(activity=column).labels) == 2


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "+02:00", "+05:45"])
def test_arrow_times(unit: str, zone: str | None) -> None:
    factor = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[unit]
    column = pa.array([UTC_MS[0] // 1000 * factor, UTC_MS[1] // 1000 * factor], pa.timestamp(unit, zone))
    log = arrow_log(time=column)
    assert log.time.tolist() == UTC_MS
    assert log.zone == zone or (zone is None and log.zone == "UTC")
    assert arrow_log(time=pa.chunked_array([column[:1], column[1:]])).time.tolist() == UTC_MS


@pytest.mark.parametrize("moment", [2**62, -(2**62), 2**63 - 1, 10**12])
@pytest.mark.parametrize("zone", [None, "UTC", "+05:45", "Europe/Berlin"])
def test_seconds_that_do_not_fit_milliseconds_are_refused(moment: int, zone: str | None) -> None:
    with pytest.raises(CellError, match=r"1 of 2 times cannot be read .*, the first at row 1, case '1'"):
        arrow_log(time=pa.array([0, moment], pa.timestamp("s", zone)))
    index = pd.DatetimeIndex(np.array([0, moment]).astype("datetime64[s]"))
    with pytest.raises(CellError, match=r"1 of 2 times cannot be read .*, the first at row 1, case '1'"):
        pandas_log(time=index)
    with pytest.raises(CellError, match=r"1 of 2 events have no time .*, the first at row 1, case '1'"):
        arrow_log(time=pa.array([0, None], pa.timestamp("s", zone)))


def test_names_of_columns_with_a_character_of_code_0() -> None:
    table = pa.table({"case\0": ["1"], "activity\0b": ["A"], "time": ["2024-01-01"]})
    for frame in (table, table.to_batches()[0], pl.DataFrame(table), table.to_pandas()):
        assert read_log(frame, case="case\0", activity="activity\0b").labels == ("A",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timezone": 5}, "timezone must be a text, not 5"),
        ({"time_format": 5}, "time_format must be a text, not 5"),
        ({"case": 5}, "case must be a text, not 5"),
        ({"activity": ["a", "b"]}, r"activity must be a text, not \['a', 'b'\]"),
        ({"time": b"time"}, "time must be a text, not b'time'"),
        ({"lifecycle": True}, "lifecycle must be a text, not True"),
        ({"escape": 5}, "escape must be a text, not 5"),
        ({"activity": "\ud800"}, r"activity '\\ud800' is not valid Unicode text"),
        ({"timezone": "Mars/Base"}, "unknown time zone 'Mars/Base'"),
        ({"timezone": "+99:99"}, r"unknown time zone '\+99:99'"),
        ({"timezone": "a\0"}, r"unknown time zone 'a\\x00'"),
        ({"format": 5}, "unknown format 5: choose one of"),
    ],
)
@pytest.mark.parametrize("kind", ["frame", "log.xes", "log.csv", "log.parquet"])
def test_options_of_the_wrong_kind_are_told(kind: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    log = log_of([(["A", "B"], [0, 60_000])])
    if kind == "frame" and "format" in options:
        return
    if kind != "frame":
        write_log(log, tmp_path / kind)
    with pytest.raises(ParameterError, match=message):
        read_log(to_polars(log) if kind == "frame" else tmp_path / kind, **options)


@pytest.mark.parametrize("name", ["a\0.csv", "\ud800.csv"])
def test_names_that_no_file_can_have_are_told(name: str, tmp_path: Path) -> None:
    log = log_of([(["A"], [0])])
    with pytest.raises(ParameterError, match="is not a valid file name"):
        read_log(name)
    with pytest.raises(ParameterError, match="is not a valid file name"):
        write_log(log, str(tmp_path / name))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"case": pa.array([[1], [2]])}, "column 'case' holds List"),
        ({"activity": pa.array([b"A", b"\xff"])}, "column 'activity' holds Binary"),
        ({"activity": pa.array([None, None])}, "2 of 2 events have no activity"),
        ({"time": pa.array([0, 1], pa.time64("us"))}, "column 'time' holds Time"),
        (
            {"case": pa.array([(1, 2, 3)] * 2, pa.month_day_nano_interval())},
            "'case', 'activity', 'time' cannot be taken",
        ),
    ],
)
def test_arrow_columns_that_cannot_be_used(columns: dict[str, object], message: str) -> None:
    with pytest.raises(UnsingleError, match=f"the frame: .*{message}"):
        arrow_log(**columns)


@pytest.mark.parametrize("thing", [None, 5, [1], {"case": [1]}, b"x", pl.Series([1]), pd.Series([1])], ids=type)
def test_what_is_no_frame_is_refused(thing: object) -> None:
    with pytest.raises(LogError, match="a log is a file name, an EventLog, a data frame or a log of PM4Py, not a"):
        read_log(thing)


@pytest.mark.parametrize("empty", [pl.DataFrame(), pd.DataFrame(), pa.table({})], ids=type)
def test_a_frame_without_columns_is_refused(empty: object) -> None:
    with pytest.raises(ColumnError, match="there are: none"):
        read_log(empty)


def test_a_frame_without_rows_is_refused() -> None:
    for frame in (
        pl.DataFrame({"case": [], "activity": [], "time": []}),
        pd.DataFrame({"case": [], "task": [], "time": []}),
    ):
        with pytest.raises(LogError, match="no events"):
            read_log(frame)


def python(code: str, *blocked: str) -> str:
    """What a Python of its own prints that cannot import some libraries."""
    before = f"import sys\nfor name in {blocked!r}: sys.modules[name] = None\n"
    command = [sys.executable, "-W", "error", "-c", before + textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_pandas_works_without_pyarrow() -> None:
    code = """
        import pandas as pd, unsingle
        frame = pd.DataFrame({
            "case": pd.Categorical(["1", "1", "2"]), "activity": ["é", "B", "é"],
            "time": pd.date_range("2024-07-01T12:00", periods=3, freq="h").tz_localize("Europe/Berlin"),
        })
        log = unsingle.read_log(frame)
        assert unsingle.read_log(unsingle.to_pandas(log)) == log == unsingle.read_log(unsingle.to_polars(log))
        assert unsingle.to_pandas(unsingle.anonymize(frame, seed=1).log).shape[1] == 3
        try:
            unsingle.to_arrow(log)
        except unsingle.UnsingleError as error:
            print(log.zone, log.time[0], error)
    """
    assert python(code, "pyarrow") == "Europe/Berlin 1719828000000 pyarrow is not installed: pip install pyarrow\n"


def test_neither_pandas_nor_pyarrow_is_needed() -> None:
    code = """
        import polars as pl, unsingle
        log = unsingle.read_log(pl.DataFrame({"case": ["1"], "task": ["A"], "time": ["2024-01-01"]}))
        assert unsingle.read_log(unsingle.to_polars(unsingle.anonymize(log, seed=1).log)).n_events >= 1
        try:
            unsingle.to_pandas(log)
        except unsingle.UnsingleError as error:
            print(error)
    """
    assert python(code, "pandas", "pyarrow") == "pandas is not installed: pip install pandas\n"


def test_files_and_polars_import_neither(tmp_path: object) -> None:
    code = f"""
        import unsingle
        log = unsingle.synthesize(cases=5)
        for name in ("a.xes.gz", "a.csv", "a.parquet"):
            unsingle.write_log(log, {str(tmp_path)!r} + "/" + name)
            assert unsingle.read_log({str(tmp_path)!r} + "/" + name) == log
        print(sorted({{"pandas", "pyarrow"}} & set(sys.modules)))
    """
    assert python(code) == "[]\n"


def test_many_rows_are_taken_at_once() -> None:
    rows = 300_000
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "case": rng.integers(0, 30_000, rows).astype(str),
            "activity": np.array(["A", "B", "é"], dtype=object)[rng.integers(0, 3, rows)],
            "milliseconds": rng.integers(0, 10**12, rows),
        }
    )
    frame["time"] = pd.to_datetime(frame["milliseconds"], unit="ms")
    log = read_log(frame)
    first = frame[frame["case"] == frame["case"][0]].sort_values("milliseconds", kind="stable")
    assert cases_of(log)[0] == (tuple(first["activity"]), tuple(first["milliseconds"]))
    assert log.n_cases == frame["case"].nunique()
