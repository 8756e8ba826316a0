"""Releases on Spark: the same mechanism, partition by partition."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from support.helpers import log_of, real_log_path, run_command
from unsingle import EventLog, anonymize, read_log, synthesize, write_log
from unsingle.core.automaton import build_automaton
from unsingle.core.clock import DAY, HOUR, MINUTE, Grid
from unsingle.core.log import grid_of
from unsingle.errors import (
    CellError,
    ColumnError,
    FormatError,
    LogError,
    OutputError,
    ParameterError,
    UnsingleError,
    as_option,
)
from unsingle.evaluation.measures import time_distance
from unsingle.formats.schema import XES_ACTIVITY, XES_CASE, XES_TIME
from unsingle.formats.tables.frames import to_polars
from unsingle.mechanisms.groups import LADDER, group_keys
from unsingle.mechanisms.sketches import GroupSketches, Sketch, sketch_keys
from unsingle.mechanisms.time_noise import SMALLEST_GROUP
from unsingle.mechanisms.timeline import Timeline
from unsingle.methods import METHODS as ALL
from unsingle.methods.amun import Amun
from unsingle.methods.base import TwoStage
from unsingle.privacy.random import Randomness
from unsingle.spark import anonymize as anonymize_on_spark
from unsingle.spark import anonymizing, planning, read_lake, write_release
from unsingle.spark.partitions import Pack, unpacked
from unsingle.spark.tasks import LocateCopies, PartitionedLog, ReleasePartitions

pytestmark = pytest.mark.slow

anonymize_frame = partial(anonymize_on_spark, method="amun")  # the default does not run on Spark yet

METHODS = tuple(name for name, method in ALL.items() if issubclass(method, TwoStage))
PUBLISHABLE = tuple(name for name in METHODS if ALL[name]().guarantee().publishable)


@pytest.fixture
def small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log of a few thousand events has several partitions, shards and parts."""
    monkeypatch.setattr(anonymizing, "EVENTS_IN_PARTITION", 400)
    monkeypatch.setattr(anonymizing, "PARTITIONS_IN_SHARD", 3)
    monkeypatch.setattr(anonymizing, "EVENTS_IN_PART", 1500)


def on_spark(spark, log: EventLog, folder: Path, **options) -> tuple[EventLog, dict]:
    """A release of the log, read back, and its summary."""
    source = folder / "log.parquet"
    write_log(log, source, force=True)
    with anonymize_frame(spark.read.parquet(str(source)), timezone=log.zone, scratch=str(folder), **options) as release:
        table = release.frame.toArrow()
    assert not list(folder.glob("unsingle-*"))  # nothing is left of the original
    released = read_log(table, timezone=log.zone)
    assert release.size == (released.n_cases, released.n_events, released.variants.count)
    return released, release.to_dict()


# ------------------------------------------------------------------------------------------ the same release


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("small_partitions")
def test_a_log_in_many_partitions_keeps_its_variants(spark, tmp_path: Path, method: str) -> None:
    log = synthesize(cases=300, seed=3)
    released, summary = on_spark(spark, log, tmp_path, delta=0.2, method=method)
    counts, before = released.variant_counts(), log.variant_counts()
    assert counts.keys() == before.keys()
    assert all(counts[path] >= cases for path, cases in before.items())
    assert summary["cases_in"] == log.n_cases
    assert summary["events_in"] == log.n_events
    assert summary["publishable"] == anonymize(log, 0.2, method=method).publishable
    assert summary["guarantee"] == str(anonymize(log, 0.2, method=method).guarantee)
    assert {"cases_in", "events_in", "oversampling_ratio", "seconds"} == set(summary["private_keys"])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["Sepsis", "BPIC13_incidents", "Unrineweginfectie"])
def test_real_logs_are_released_as_in_one_process(spark, tmp_path: Path, name: str, method: str) -> None:
    """Ratio and time distance agree within 3 % and what is chance in the means of five runs (three standard errors)."""
    log = read_log(real_log_path(name))
    there, here = [], []
    for seed in range(5):
        released, summary = on_spark(spark, log, tmp_path, delta=0.2, method=method, seed=seed)
        assert released.variant_counts().keys() == log.variant_counts().keys()
        there.append((summary["oversampling_ratio"], time_distance(log, released).hours))
        alone = anonymize(log, 0.2, method=method, seed=seed).log
        here.append((alone.n_cases / log.n_cases, time_distance(log, alone).hours))
    chance = np.sqrt((np.var(there, axis=0, ddof=1) + np.var(here, axis=0, ddof=1)) / 5)
    difference = np.abs(np.mean(there, axis=0) - np.mean(here, axis=0))
    assert (difference <= 0.03 * np.mean(here, axis=0) + 3 * chance).all()


@pytest.mark.parametrize("name", ["BPIC15_1", "Hospital", "Traffic_fines", "CCC19", "BPIC12"])
def test_all_real_logs_keep_their_variants(spark, tmp_path: Path, name: str) -> None:
    log = read_log(real_log_path(name))
    released, _ = on_spark(spark, log, tmp_path, delta=0.2)
    assert released.variant_counts().keys() == log.variant_counts().keys()
    if name in ("Hospital", "Traffic_fines"):  # kept in whole days, on their own clock
        assert grid_of(released).step == grid_of(log).step == DAY


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("base", ["previous", "start"])
@pytest.mark.usefixtures("small_partitions")
def test_times_go_forward_on_the_grid_of_the_log(spark, tmp_path: Path, method: str, base: str) -> None:
    log = log_of([("ABC", [i * HOUR, i * HOUR + 3 * MINUTE * i, i * HOUR + 4 * MINUTE * i]) for i in range(300)])
    released, _ = on_spark(spark, log, tmp_path, delta=0.3, method=method, time_from=base)
    assert released.variant_counts().keys() == {("A", "B", "C")}  # also for who sorts by time
    assert not (released.time % MINUTE).any()


@pytest.mark.parametrize(
    "log",
    [log_of([("A", [5])]), log_of([("ABA", [5, 70_000, 80_000])]), log_of([("AB", [7, 7])] * 3 + [("AC", [7, 7])])],
    ids=["one event", "one case", "equal times"],
)
@pytest.mark.parametrize("method", METHODS)
def test_the_smallest_logs_are_released(spark, tmp_path: Path, log: EventLog, method: str) -> None:
    released, _ = on_spark(spark, log, tmp_path, delta=0.2, method=method)
    assert released.variant_counts().keys() == log.variant_counts().keys()


@pytest.mark.usefixtures("small_partitions")
def test_added_cases_are_random_ones_of_their_variant(spark, tmp_path: Path) -> None:
    """Every case of the log, in whatever partition, is copied about as often: counted at a delta that adds many."""
    log = log_of([("AB", [i * DAY, i * DAY + HOUR]) for i in range(1200)])
    source = tmp_path / "log.parquet"
    write_log(log, source)
    copies: Counter[bytes] = Counter()

    class Counting(anonymizing.ReleasePartitions):
        def __init__(self, log, automaton, sketches, located, key) -> None:
            copies.update({name: len(rank) for name, (_, rank) in located.items()})
            super().__init__(log, automaton, sketches, located, key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anonymizing, "ReleasePartitions", Counting)
        for seed in range(20):
            anonymize_frame(spark.read.parquet(str(source)), 0.01, seed=seed, scratch=str(tmp_path)).close()
    assert len(copies) == 6  # partitions, each of about 200 cases
    total = sum(copies.values())
    assert total > 500
    for count in copies.values():
        assert abs(count / total - 1 / 6) < 0.05


# ------------------------------------------------------------------------------------------ tasks that run again


def packed(events: pa.Table, labels: tuple[str, ...]) -> pa.RecordBatch:
    (row,) = Pack(labels, "UTC", None)(iter(events.to_batches(max_chunksize=7)))
    return row


@pytest.fixture(scope="module")
def events() -> pa.Table:
    log = synthesize(cases=40, seed=1)
    frame = to_polars(log).with_row_index("row").with_columns(pl.lit(0).alias("file"))
    return frame.select(
        pl.col(XES_CASE).alias("case"), pl.col(XES_ACTIVITY).alias("activity"), pl.col(XES_TIME).alias("time"),
        pl.col("file").cast(pl.Int64), pl.col("row").cast(pl.Int64),
    ).to_arrow()  # fmt: skip


def test_a_partition_is_the_same_however_its_rows_come_together(events: pa.Table) -> None:
    labels = tuple(sorted(set(events["activity"].to_pylist())))
    order = np.random.default_rng(1).permutation(events.num_rows)
    assert packed(events, labels).equals(packed(events.take(pa.array(order)), labels))


def test_partitions_of_equal_events_but_other_cases_have_other_names(events: pa.Table) -> None:
    labels = tuple(sorted(set(events["activity"].to_pylist())))
    renamed = pa.array([f"x{case}" for case in events["case"].to_pylist()])
    one, other = packed(events, labels), packed(events.set_column(0, "case", renamed), labels)
    assert one["time"].equals(other["time"])
    assert one["name"] != other["name"]  # so they never share a stream


def test_a_stream_is_that_of_its_name_and_of_no_other() -> None:
    key, other = Randomness(1).key(), Randomness(2).key()
    names = [("partition", b"a"), ("partition", b"b"), ("other", b"a"), ("partitiona", b"")]
    streams = [Randomness.named(k, *name).words(4).tolist() for k in (key, other) for name in names]
    assert len({tuple(words) for words in streams}) == len(streams)
    assert Randomness.named(key, "partition", b"a").words(4).tolist() == streams[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("small_partitions")
def test_a_frame_that_is_computed_again_is_the_same(spark, tmp_path: Path, method: str) -> None:
    """What a retried task gives, too: no second draw is there to be compared with the first."""
    write_log(synthesize(cases=200, seed=2), tmp_path / "log.parquet")
    frame = spark.read.parquet(str(tmp_path / "log.parquet"))
    with anonymize_frame(frame, 0.2, method=method) as release:
        one, again = (release.frame.toArrow().sort_by([(XES_CASE, "ascending")]) for _ in range(2))
        assert one.equals(again)
    with anonymize_frame(frame, 0.2, method=method) as another:  # while a new run has noise of its own
        other = another.frame.toArrow()
    assert not set(one[XES_CASE].to_pylist()) & set(other[XES_CASE].to_pylist())


def test_a_partition_that_was_not_there_before_is_refused(events: pa.Table) -> None:
    """Else it would be released without its added cases."""
    labels = tuple(sorted(set(events["activity"].to_pylist())))
    log = PartitionedLog(labels, Grid(1, "UTC"), 0, Amun(0.2), 1)
    (partition,) = unpacked(iter([packed(events, labels)]), labels, "UTC")
    automaton = build_automaton(partition.log.variants).without_paths()
    none = np.empty(0, dtype=np.int64)
    sketches = GroupSketches(Sketch.of(none, none))
    release = ReleasePartitions(log, automaton, sketches, {b"another": (none, none)}, bytes(32))
    with pytest.raises(LogError, match="the log changed while it was read"):
        list(release(iter([packed(events, labels)])))


def test_copies_are_found_wherever_they_are() -> None:
    """The cases of a variant are numbered from partition to partition, in the order of the partitions' names."""
    columns = {"shard": [0, 0], "name": [b"b", b"a"]}
    rows = pa.RecordBatch.from_pydict({
        **columns,
        "variant": [np.array([4, 7]).tobytes(), np.array([7, 9]).tobytes()],
        "cases": [np.array([2, 3]).tobytes(), np.array([5, 1]).tobytes()],
    })  # fmt: skip
    task = LocateCopies(np.array([4, 7, 7, 7, 8]), np.array([1, 0, 4, 7, 0]))
    (found,) = task(iter([rows]))
    assert sorted(zip(*(found[i].to_pylist() for i in range(3)), strict=True)) == [
        (b"a", 7, 0), (b"a", 7, 4), (b"b", 4, 1), (b"b", 7, 2),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------ nothing leaks


@pytest.mark.parametrize("method", PUBLISHABLE)
@pytest.mark.usefixtures("small_partitions")
def test_a_release_has_no_id_order_or_attribute_of_the_original(spark, tmp_path: Path, method: str) -> None:
    log = synthesize(cases=200, seed=5)
    frame = to_polars(log).with_columns(pl.lit("Dr. Secret").alias("org:resource"))
    frame = frame.with_columns(("patient-" + pl.col(XES_CASE)).alias(XES_CASE))
    frame.write_parquet(tmp_path / "secret-name.parquet")
    target = tmp_path / "release.parquet"
    with anonymize_frame(spark.read.parquet(str(tmp_path / "secret-name.parquet")), 0.2, method=method) as release:
        write_release(release, str(target))
    parts = sorted(target.glob("*.parquet"))
    assert len(parts) > 1
    content = b"".join(part.read_bytes() for part in parts)
    assert not any(word in content for word in (b"Secret", b"secret", b"patient"))
    released = pl.read_parquet(parts)
    assert released.columns == [XES_CASE, XES_ACTIVITY, XES_TIME]
    assert released[XES_CASE].str.contains(r"^[0-9a-f]{32}$").all()
    assert not set(released[XES_TIME].dt.epoch("ms").to_list()) >= set(log.case_starts.tolist())
    # what was neighbours in the log are not neighbours in the release: starts go up and down alike often
    starts = released.group_by(XES_CASE, maintain_order=True).first()[XES_TIME].dt.epoch("ms").to_numpy()
    assert abs((np.diff(starts) > 0).mean() - 0.5) < 0.12


def test_the_originals_of_a_failed_run_are_deleted(spark, tmp_path: Path) -> None:
    write_log(synthesize(cases=50), tmp_path / "log.parquet")
    scratch = tmp_path / "scratch"
    with pytest.raises(LogError, match="too much for the driver") as told:
        anonymize_frame(spark.read.parquet(str(tmp_path / "log.parquet")), most_steps=100, scratch=str(scratch))
    assert "(--activity), keep one lifecycle (--lifecycle)" in told.value.in_words(as_option)
    assert not list(scratch.glob("*"))


def test_a_seed_forbids_publication(spark, tmp_path: Path) -> None:
    _, summary = on_spark(spark, synthesize(cases=20), tmp_path, seed=1)
    assert not summary["publishable"]
    assert "NOT FOR PUBLICATION" in summary["warnings"][0]


# ------------------------------------------------------------------------------------------ ties and columns


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_events_at_one_time_keep_the_order_of_their_file(spark, tmp_path: Path, kind: str) -> None:
    random = np.random.default_rng(4)
    paths = ["".join(random.permutation(list("ABCDEF"))) for _ in range(400)]
    frame = to_polars(log_of([(path, [i * DAY] * 6) for i, path in enumerate(paths)]))
    folder = tmp_path / f"log.{kind}"
    folder.mkdir()
    expected = set()
    for i in range(3):  # cases are in several files, each case in one
        part = frame[i * 800 : (i + 1) * 800].with_columns((pl.lit(f"{i}-") + pl.col(XES_CASE)).alias(XES_CASE))
        part = part.filter(pl.col(XES_CASE).count().over(XES_CASE) == 6)
        getattr(part, f"write_{kind}")(folder / f"{i}.{kind}")
        expected |= set(read_log(part).variant_counts())
    lake = read_lake(spark, str(folder))
    with anonymize_frame(lake.frame, 0.2) as release:
        table = release.frame.toArrow()
    assert read_log(table).variant_counts().keys() == expected
    assert len(expected) > 300


def test_the_default_method_is_not_changed_in_silence(spark) -> None:
    frame = spark.createDataFrame([("1", "A", "2024-01-01")], "case string, task string, time string")
    with pytest.raises(
        ParameterError, match=r"twin does not run on Spark yet: choose another method .amun or as-published., or"
    ):
        anonymize_on_spark(frame, 0.2)


def test_a_column_can_say_which_event_came_first(spark) -> None:
    rows = [("1", label, "2024-01-01", 10 - i) for i, label in enumerate("CBA")]
    frame = spark.createDataFrame(rows, "case string, task string, time string, seq int")
    with anonymize_frame(frame, 0.2, order="seq") as release:
        assert read_log(release.frame.toArrow()).variant_counts().keys() == {("A", "B", "C")}


def test_without_any_order_the_activity_decides(spark) -> None:
    rows = [("1", label, "2024-01-01", 7) for label in "CBA"]
    frame = spark.createDataFrame(rows, "case string, task string, time string, seq int")
    with anonymize_frame(frame, 0.2, order="seq") as release:
        assert read_log(release.frame.toArrow()).variant_counts().keys() == {("A", "B", "C")}


def test_labels_keep_their_spaces_in_csv(spark, tmp_path: Path) -> None:
    rows = [("1", " A", "2024-01-01"), ("1", "A ", "2024-01-02")]
    frame = spark.createDataFrame(rows, "case string, a string, t string")
    with anonymize_frame(frame, activity="a", time="t") as release:
        write_release(release, str(tmp_path / "r.csv"))
    parts = [read_log(part) for part in (tmp_path / "r.csv").glob("*.csv")]
    assert set().union(*(part.variant_counts() for part in parts)) == {(" A", "A ")}


@pytest.mark.parametrize(
    ("rows", "escape", "labels"),
    [
        ('1,2024-01-01,"say ""hi"", twice"\n2,2024-01-01,B\n', None, {'say "hi", twice', "B"}),
        ('1,2024-01-01,"5\\" pipe, long"\n2,2024-01-01,"6\\""\n', "backslash", {'5" pipe, long', '6"'}),
        ('1,2024-01-01,"5\\" pipe"\n', None, None),
        ('1,2024-01-01,"open\n2,2024-01-01,B\n3,2024-01-01,"C"\n', None, None),
        ('1,2024-01-01,"two\nlines"\n', None, None),
        ('1,2024-01-01,5" pipe\n', None, None),
    ],
)
def test_quotation_marks_of_csv_are_read_right_or_refused(
    spark, tmp_path: Path, rows: str, escape: str | None, labels: set[str] | None
) -> None:
    path = tmp_path / "log.csv"
    path.write_text("case,time,activity\n" + rows)
    if labels is None:
        with pytest.raises(FormatError, match=r"a quotation mark is out of place in the line '.*escape='backslash'"):
            read_lake(spark, str(path), escape=escape)
    else:
        with anonymize_frame(read_lake(spark, str(path), escape=escape).frame) as release:
            assert set(read_log(release.frame.toArrow()).labels) == labels


def test_labels_with_line_ends_are_refused_unless_allowed(spark, tmp_path: Path) -> None:
    for name in ("log.parquet", "log.xes"):
        write_log(log_of([(["A", "two\nlines"], [0, 60_000])]), tmp_path / name)
        with pytest.raises(CellError, match=r"a(n activity|ctivities) .* a line end .*allow_line_ends=True"):
            anonymize_frame(read_lake(spark, str(tmp_path / name)).frame).close()
        lake = read_lake(spark, str(tmp_path / name), allow_line_ends=True)
        with anonymize_frame(lake.frame, order=lake.order, allow_line_ends=True) as release:
            assert read_log(release.frame.toArrow(), allow_line_ends=True).labels == ("A", "two\nlines")


def test_labels_that_hold_a_row_are_refused_unless_allowed(spark, tmp_path: Path) -> None:
    row = "4711;Approve;2024-01-05 10:00"
    for name in ("log.parquet", "log.xes"):
        write_log(log_of([(["A", row], [0, 60_000])]), tmp_path / name)
        with pytest.raises(CellError, match=r"whole row of the (file|table) .*allow_line_ends=True"):
            anonymize_frame(read_lake(spark, str(tmp_path / name)).frame).close()
        lake = read_lake(spark, str(tmp_path / name), allow_line_ends=True)
        with anonymize_frame(lake.frame, order=lake.order, allow_line_ends=True) as release:
            assert set(read_log(release.frame.toArrow(), allow_line_ends=True).labels) == {"A", row}


def test_columns_are_chosen_joined_and_filtered_as_in_one_process(spark) -> None:
    rows = [
        (1, "A", "x", "COMPLETE", "2024-01-01T10:00:00+02:00"),
        (1, "B", "y", "complete", "2024-01-01T11:00:00+02:00"),
        (1, "C", "z", "start", "2024-01-01T12:00:00+02:00"),
    ]
    columns = "Case_ID int, task string, who string, `lifecycle:transition` string, at string"
    frame = spark.createDataFrame(rows, columns)
    with anonymize_frame(frame, time="at", activity="task+who", lifecycle="complete") as release:
        assert release.columns[:3] == ("Case_ID", "task+who", "at")
        assert read_log(release.frame.toArrow()).variant_counts().keys() == {("A+x", "B+y")}


# ------------------------------------------------------------------------------------------ bad input


def frame_of(spark, rows, schema: str = "case string, activity string, time string"):
    return spark.createDataFrame(rows, schema)


BAD = {
    "no events": ([], {}, LogError, "there are no events in it"),
    "no case": ([(None, "A", "2024-01-01")], {}, CellError, "1 of 1 events have no case"),
    "blank case": ([(" ", "A", "2024-01-01")], {}, CellError, "1 of 1 events have no case"),
    "no activity": ([("1", None, "2024-01-01"), ("1", "A", "2024-01-01")], {}, CellError, "1 of 2 events have no"),
    "no time": ([("1", "A", None)], {}, CellError, "1 of 1 events have no time"),
    "bad time": ([("1", "A", "yesterday")], {}, CellError, "1 times or more cannot be read, such as 'yesterday'"),
    "either order": ([("1", "A", "01/02/2024")], {}, CellError, "the order of day and month is ambiguous"),
    "no column": ([("1", "A", "2024-01-01")], {"case": "patient"}, ColumnError, "no column 'patient' for the case"),
    "no order": ([("1", "A", "2024-01-01")], {"order": "seq"}, ColumnError, "no column 'seq' to order by"),
    "method": ([("1", "A", "2024-01-01")], {"method": "strict"}, ParameterError,
               "strict does not run on Spark yet: choose another method .amun or as-published., or leave Spark out"),
    "gone": ([("1", "A", "2024-01-01")], {"method": "blend"}, ParameterError, "blend is gone: .* Take twin"),
    "parameter": ([("1", "A", "2024-01-01")], {"slack": 1.0}, ParameterError, "slack= does not go with the method"),
    "twice": ([("1", "A", "2024-01-01")], {"method": Amun(0.2), "grid": "day"}, ParameterError, "has its parameters"),
    "deltas": ([("1", "A", "2024-01-01")], {"method": Amun(0.2), "delta": 0.1}, ParameterError, "leave out delta="),
    "delta": ([("1", "A", "2024-01-01")], {"delta": 2}, ParameterError, "delta"),
    "zone": ([("1", "A", "2024-01-01")], {"timezone": "Mars"}, ParameterError, "unknown time zone 'Mars'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_one_line(spark, name: str) -> None:
    rows, options, error, message = BAD[name]
    with pytest.raises(error, match=message) as told:
        anonymize_frame(frame_of(spark, rows), **options)
    assert "\n" not in str(told.value)


def test_a_format_says_how_times_are_written(spark) -> None:
    frame = frame_of(spark, [("1", "A", "01/02/2024"), ("1", "B", "02/02/2024")])
    with anonymize_frame(frame, time_format="%d/%m/%Y") as release:
        assert release.log.grid.step == DAY


def test_columns_of_the_wrong_kind_are_refused(spark) -> None:
    frame = spark.sql("select 'a' as case, array('A') as activity, current_timestamp() as time")
    with pytest.raises(ColumnError, match="holds array<string>, not text or numbers"):
        anonymize_frame(frame)
    with pytest.raises(ColumnError, match="holds boolean, not times"):
        anonymize_frame(spark.sql("select 'a' as case, 'A' as activity, true as time"))


def test_dates_and_clock_times_of_two_columns_are_refused(spark) -> None:
    frame = spark.sql("select 'a' as case, 'A' as activity, '2024-01-01' as date, '10:00' as time")
    with pytest.raises(ColumnError, match=r"on Spark the time is one column, not 'date\+time': put both together"):
        anonymize_frame(frame)


def test_free_text_is_no_activity(spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unsingle.spark.events.MOST_LABELS", 3)
    with pytest.raises(ColumnError, match="as if it were free text"):
        anonymize_frame(frame_of(spark, [("1", label, "2024-01-01") for label in "ABCD"]))


def test_more_copies_than_the_driver_can_place_are_refused() -> None:
    planning.refuse_too_many_copies(planning.MOST_COPIES)
    with pytest.raises(ParameterError, match="take a larger delta"):
        planning.refuse_too_many_copies(planning.MOST_COPIES + 1)


def test_variants_that_do_not_fit_the_driver_are_refused_with_advice() -> None:
    with pytest.raises(LogError, match=r"more than 5 steps together.*coarser activities"):
        raise planning.too_many_variants(5)


def test_sketches_are_shorter_the_more_groups_there_are() -> None:
    few, many = np.full(10, 10**6), np.full(200_000, 10**6)
    assert planning._most_runs(few) == planning.LONGEST
    assert planning._most_runs(many) == 8


def test_no_server_is_told_in_one_line(tmp_path: Path) -> None:
    write_log(synthesize(cases=5), tmp_path / "log.parquet")
    result = run_command("anonymize", tmp_path / "log.parquet", "-o", tmp_path / "r.parquet", "--engine", "spark",
                         "--method", "amun", "--spark-remote", "nonsense", ok=False)  # fmt: skip
    assert result.stderr.count("\n") == 1


# ------------------------------------------------------------------------------------------ the command


def command(remote: str, *words, **options):
    engine = ("--engine", "spark", "--spark-remote", remote, "--method", "amun")
    return run_command("anonymize", *words, *engine, **options)


FORMATS = {
    "log.parquet": "r.parquet",
    "log.csv": "r.csv",
    "log.xes.gz": "r.xes.gz",
    "log.xes": "r.csv.gz",
    "log.csv.gz": "r.xes",
}


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.usefixtures("spark")
def test_the_command_reads_and_writes_all_formats(remote: str, tmp_path: Path, source: str) -> None:
    target = FORMATS[source]
    log = synthesize(cases=60, seed=7)
    write_log(log, tmp_path / source)
    result = command(remote, tmp_path / source, "-o", tmp_path / target, "--timezone", log.zone,
                     "--scratch", tmp_path / "scratch", "--json")  # fmt: skip
    summary = json.loads(result.stdout)
    parts = [part for part in (tmp_path / target).iterdir() if not part.name.startswith(("_", "."))]
    kind = target.removeprefix("r.")
    released = [read_log(part, format=kind) for part in parts]
    assert sum(part.n_cases for part in released) == summary["cases_out"]
    assert set().union(*(part.variant_counts() for part in released)) == log.variant_counts().keys()
    assert summary["columns"]["case"] == XES_CASE
    assert "columns" in summary["private_keys"]
    assert not list((tmp_path / "scratch").glob("*"))


@pytest.mark.usefixtures("spark")
def test_a_folder_of_xes_files_is_one_log(remote: str, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    logs = [synthesize(cases=30, seed=seed) for seed in range(3)]
    for number, log in enumerate(logs):
        write_log(log, folder / f"{number}.xes.gz")
    result = command(remote, folder, "-o", tmp_path / "release.parquet")
    together = set().union(*(log.variant_counts() for log in logs))
    assert read_log(pl.read_parquet(tmp_path / "release.parquet")).variant_counts().keys() == together
    assert "90 cases" in result.stdout
    assert f"{len(together):,} variants (those of the original)" in result.stdout
    assert "using columns: case = case:concept:name" in result.stderr


@pytest.mark.usefixtures("small_partitions")
def test_cases_of_several_xes_parts_have_ids_of_their_own(remote: str, spark, tmp_path: Path) -> None:
    write_log(synthesize(cases=300, seed=7), tmp_path / "log.parquet")
    command(remote, tmp_path / "log.parquet", "-o", tmp_path / "r.xes.gz")
    parts = list((tmp_path / "r.xes.gz").iterdir())
    assert len(parts) > 2
    back = read_lake(spark, str(tmp_path / "r.xes.gz"))
    with anonymize_frame(back.frame, order=back.order, timezone=back.timezone) as again:
        assert again.private["cases_in"] == sum(read_log(part).n_cases for part in parts)


def test_a_table_becomes_a_table(remote: str, spark, tmp_path: Path) -> None:
    log = synthesize(cases=30, seed=7)
    write_log(log, tmp_path / "log.parquet")
    spark.read.parquet(str(tmp_path / "log.parquet")).createOrReplaceTempView("events")
    lake = read_lake(spark, "events", format="table")
    with anonymize_frame(lake.frame, timezone=log.zone) as release:
        assert read_log(release.frame.toArrow()).variant_counts().keys() == log.variant_counts().keys()
    with pytest.raises(UnsingleError, match="Spark cannot do it"):
        read_lake(spark, "no_such_table", format="table")


def test_what_is_there_is_not_overwritten(remote: str, spark, tmp_path: Path) -> None:
    source, target = tmp_path / "log.parquet", tmp_path / "r.parquet"
    write_log(synthesize(cases=30), source)
    target.mkdir()
    assert "exists already" in command(remote, source, "-o", target, ok=False).stderr
    assert "is the input itself" in command(remote, source, "-o", source, "--force", ok=False).stderr
    assert "is the input itself" in command(remote, source, "-o", f"file://{source}", "--force", ok=False).stderr
    assert "make it first" in command(remote, source, "-o", tmp_path / "no" / "r.xes.gz", ok=False).stderr
    command(remote, source, "-o", target, "--force", "-q")
    assert list(target.glob("*.parquet"))
    with (
        anonymize_frame(spark.read.parquet(str(source))) as release,
        pytest.raises(OutputError, match="mount it, or write Parquet"),
    ):
        write_release(release, "s3://bucket/r.xes.gz")


REFUSED = {
    "no method": (
        ["--engine", "spark"],
        "twin does not run on Spark yet: choose another method (amun or as-published), or leave Spark out",
    ),
    "blend": (["--engine", "spark", "--method", "blend"], "blend is gone: "),
    "paths": (["--engine", "spark", "--paths", "crowds"], "twin-crowds does not run on Spark yet"),
    "as published": (["--engine", "spark", "--as-published"], "it cannot go with twin"),
    "report": (["--engine", "spark", "--report", "x.html"], "--report does not go with --engine spark"),
    "labels": (
        ["--engine", "spark", "--method", "amun", "--slack", "1e-6"],
        "--slack does not go with the method amun",
    ),
    "no engine": (["--scratch", "x"], "go with --engine spark only"),
    "format": (["--engine", "spark", "--method", "amun", "--format", "excel"], "unknown format 'excel'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_do_not_fit_are_refused(tmp_path: Path, name: str) -> None:
    words, message = REFUSED[name]
    source = tmp_path / ("log" if name == "format" else "log.parquet")
    told = run_command("anonymize", source, "-o", tmp_path / "r.parquet", *words, ok=False).stderr
    assert message in told
    assert told.count("\n") == 1


def test_a_log_that_is_not_there_or_not_clear_is_told(remote: str, tmp_path: Path) -> None:
    for name, message in (
        ("no.parquet", "there is nothing of that name"),
        ("no.xes", "there is no XES file"),
        ("log", "the format is not clear"),
    ):
        assert message in command(remote, tmp_path / name, "-o", tmp_path / "r.csv", ok=False).stderr


def test_without_spark_the_command_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    words = ("--engine", "spark", "--method", "amun")
    result = run_command("anonymize", "log.parquet", "-o", tmp_path / "r.parquet", *words, ok=False)
    assert "pip install 'unsingle[spark]'" in result.stderr


def test_partitions_come_out_as_they_went_in(events: pa.Table) -> None:
    labels = tuple(sorted(set(events["activity"].to_pylist())))
    (partition,) = unpacked(iter([packed(events, labels)]), labels, "UTC")
    original = synthesize(cases=40, seed=1)
    assert partition.log.variant_counts() == original.variant_counts()
    assert sorted(partition.log.time.tolist()) == sorted(original.time.tolist())


def test_a_method_with_its_parameters_is_taken_as_it_is(spark) -> None:
    rows = [(str(i), label, f"2024-01-{1 + i % 9:02} 10:{j:02}:00") for i in range(30) for j, label in enumerate("AB")]
    with anonymize_frame(frame_of(spark, rows), method=Amun(0.1, grid="hour")) as release:
        assert release.method == Amun(0.1, grid="hour")
        assert release.delta == 0.1
        times = read_log(release.frame.toArrow()).time
    assert not (times % HOUR).any()


def test_the_groups_that_are_sketched_are_those_that_the_method_looks_values_up_in() -> None:
    """The groups of a release in one process are found among them; smaller ones are not there."""
    log = log_of([("ABC", [0, 1, 2])] * 6 + [("AC", [0, 1])] * 2 + [("BC", [0, 1])] * 3)
    automaton = build_automaton(log.variants)
    asked = PartitionedLog(log.labels, Grid(1, "UTC"), 0, Amun(0.2), 1)
    as_published = PartitionedLog(log.labels, Grid(1, "UTC"), 0, ALL["as-published"](0.2), 1)
    timeline = Timeline(log, Grid(1, "UTC"), "previous")
    some, every = set(), set()
    for level, groups in enumerate(group_keys(timeline.steps(automaton))):
        for group, size in zip(*np.unique(groups, return_counts=True), strict=True):
            key = int(sketch_keys(level, group))
            every.add(key)
            if size >= SMALLEST_GROUP or level == len(LADDER) - 1:
                some.add(key)
    assert set(planning.sketch_plan(asked, log.variants, automaton).keys.tolist()) == some
    assert set(planning.sketch_plan(as_published, log.variants, automaton).keys.tolist()) == every
    assert some < every


@pytest.mark.usefixtures("spark")
def test_what_the_release_is_stands_beside_its_folder(remote: str, tmp_path: Path) -> None:
    write_log(synthesize(cases=30, seed=7), tmp_path / "log.csv")
    command(remote, tmp_path / "log.csv", "-o", tmp_path / "r.parquet", "--delta", 0.3)
    facts = json.loads((tmp_path / "r.parquet.release.json").read_text())
    assert (facts["method"], facts["delta"], facts["synthetic"]) == ("amun", 0.3, False)
    assert "digest" not in facts
    assert facts["labels"] == sorted(read_log(tmp_path / "log.csv").labels)
