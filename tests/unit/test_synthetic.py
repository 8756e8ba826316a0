"""The synthetic hospital logs: repeatable, well-formed, and as awkward as real ones."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from unsingle.core.arrays import runs
from unsingle.core.columns import PERSON
from unsingle.core.log import EventLog
from unsingle.errors import ParameterError
from unsingle.synthetic import synthesize, synthetic_frame

CASE, ACTIVITY, TIME = "case:concept:name", "concept:name", "time:timestamp"
COMPLETE = pl.col("lifecycle:transition") == "complete"
OFFICE = ["Billing", "Payment", "Return visit", "Complaint"]
RARE = ["Left untreated", "Transfer", "Death", "Complaint"]
CASES = 5000


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return synthetic_frame(CASES, seed=3)


def test_the_same_seed_makes_the_same_log() -> None:
    assert synthetic_frame(300, seed=5).equals(synthetic_frame(300, seed=5), null_equal=True)
    assert synthesize(300, seed=5) == synthesize(300, seed=5)


def test_another_seed_makes_another_log() -> None:
    one, other = (synthetic_frame(300, seed=seed).head(2000) for seed in (5, 6))
    same = [name for name in one.columns if one[name].equals(other[name], null_equal=True)]
    assert same == []
    assert synthesize(300, seed=5) != synthesize(300, seed=6)


def test_columns_and_their_types(frame: pl.DataFrame) -> None:
    assert list(frame.schema.items()) == [
        (CASE, pl.String),
        ("case:age", pl.Int64),
        ("case:diagnosis", pl.String),
        (ACTIVITY, pl.String),
        (TIME, pl.Datetime("ms", "Europe/Berlin")),
        ("lifecycle:transition", pl.String),
        ("org:resource", pl.String),
        ("org:role", pl.String),
        ("org:group", pl.String),
        ("record", pl.String),
        ("costs", pl.Float64),
    ]
    assert {name: count for name, count in frame.null_count().row(0, named=True).items() if count} == {
        "costs": frame["costs"].null_count()
    }
    assert not frame["costs"].is_nan().any()


def test_cases_are_contiguous_in_order_of_arrival_and_their_events_in_order_of_time(
    frame: pl.DataFrame,
) -> None:
    assert frame[CASE].n_unique() == CASES
    assert len(frame[CASE].rle()) == CASES
    assert frame.group_by(CASE, maintain_order=True).agg(pl.col(TIME).first())[TIME].is_sorted()
    backwards = pl.col(TIME).diff().over(CASE) < pl.duration()
    assert frame.filter(backwards).is_empty()


def test_ids_tell_nothing_of_the_order_of_arrival(frame: pl.DataFrame) -> None:
    ids = frame[CASE].unique(maintain_order=True)
    assert ids.str.contains(r"^P\d{6}$").all()
    numbers = ids.str.slice(1).cast(pl.Int64).to_numpy()
    assert sorted(numbers) == list(range(1, CASES + 1))
    assert abs(np.corrcoef(numbers, np.arange(CASES))[0, 1]) < 0.1


def test_attributes_belong_to_the_case_and_depend_on_each_other(frame: pl.DataFrame) -> None:
    per_case = frame.group_by(CASE).agg(pl.col("case:age", "case:diagnosis").n_unique())
    assert per_case.select(pl.max("case:age", "case:diagnosis")).row(0) == (1, 1)
    assert frame["case:age"].is_between(0, 102).all()
    mean_age = dict(frame.group_by("case:diagnosis").agg(pl.mean("case:age")).iter_rows())
    assert mean_age["Stroke"] > mean_age["Injury"] + 15
    admitted = frame.group_by("case:diagnosis", CASE).agg((pl.col(ACTIVITY) == "Admission").any())
    share = dict(admitted.group_by("case:diagnosis").agg(pl.mean(ACTIVITY)).iter_rows())
    assert share["Stroke"] > 2 * share["Other"]


def test_some_activities_have_a_start_and_each_start_its_completion(frame: pl.DataFrame) -> None:
    starts = frame.filter(~COMPLETE)
    with_start = {"Blood test", "Imaging", "Surgery", "Intensive care", "Physiotherapy"}
    assert set(starts[ACTIVITY]) == with_start
    assert set(frame["lifecycle:transition"]) == {"start", "complete"}
    keys = [CASE, ACTIVITY, "org:resource"]
    is_start = frame["lifecycle:transition"] == "start"
    following = frame.select(pl.col(*keys, "lifecycle:transition").shift(-1)).filter(is_start)
    assert following.select(keys).equals(starts.select(keys))
    assert set(following["lifecycle:transition"]) == {"complete"}
    completions = frame.filter(COMPLETE & pl.col(ACTIVITY).is_in(with_start))
    assert len(completions) == len(starts)


def test_costs_are_charged_on_completion_for_some_activities(frame: pl.DataFrame) -> None:
    assert frame.filter(~COMPLETE)["costs"].null_count() == len(frame.filter(~COMPLETE))
    charged = frame.filter(COMPLETE).group_by(ACTIVITY).agg(pl.col("costs").is_not_null().mean())
    assert set(charged["costs"]) == {0.0, 1.0}
    assert frame["costs"].min() > 0


def test_administration_keeps_office_hours_in_local_time(frame: pl.DataFrame) -> None:
    office = frame.filter(pl.col(ACTIVITY).is_in(OFFICE))
    assert set(office[ACTIVITY]) == set(OFFICE)
    assert office[TIME].dt.weekday().max() <= 5
    assert office[TIME].dt.hour().is_between(8, 15).all()
    summer_and_winter = office[TIME].dt.dst_offset().n_unique()
    assert summer_and_winter == 2
    emergency = frame.filter(pl.col(ACTIVITY) == "Triage")[TIME]
    assert emergency.dt.weekday().max() == 7
    assert emergency.dt.hour().n_unique() == 24


def test_arrivals_follow_the_hour_and_the_day_of_the_week() -> None:
    arrival = synthetic_frame(7 * 50 * 40).group_by(CASE).agg(pl.min(TIME))[TIME]
    assert str(arrival.min())[:10] == "2023-01-02"
    night, noon = arrival.dt.hour().is_between(2, 4).sum(), arrival.dt.hour().is_between(10, 12).sum()
    assert noon > 4 * night
    monday, wednesday = (arrival.dt.weekday() == 1).sum(), (arrival.dt.weekday() == 3).sum()
    assert monday > 1.1 * wednesday


def test_the_first_day_can_be_chosen() -> None:
    first = synthetic_frame(40, first_day="2031-07-05")[TIME].min()
    assert str(first)[:10] == "2031-07-05"


def test_times_are_whole_seconds_and_some_are_equal(frame: pl.DataFrame) -> None:
    assert frame[TIME].dt.millisecond().max() == 0
    assert frame[TIME].dt.second().n_unique() == 60
    equal = frame.select((pl.col(TIME).diff().over(CASE) == pl.duration()).mean()).item()
    assert 0.02 < equal < 0.15


def test_loops_repeat_a_geometric_number_of_times(frame: pl.DataFrame) -> None:
    rounds = frame.filter(pl.col(ACTIVITY) == "Ward round").group_by(CASE).len()["len"]
    assert rounds.max() > 15
    stays = [(rounds >= least).mean() for least in (1, 4, 7)]
    assert stays[1] == pytest.approx(stays[2] / stays[1], rel=0.2)  # no memory
    again = frame.filter(COMPLETE).filter(
        (pl.col(ACTIVITY) == "Blood test") & (pl.col(ACTIVITY).shift().over(CASE) == "Blood test")
    )
    assert len(again) > 100


@pytest.mark.parametrize("activity", RARE)
def test_rare_events_are_there_and_rare(frame: pl.DataFrame, activity: str) -> None:
    share = frame.filter(pl.col(ACTIVITY) == activity)[CASE].n_unique() / CASES
    assert 0.001 < share < 0.025


def test_waits_have_a_heavy_but_bounded_tail(frame: pl.DataFrame) -> None:
    waits = frame.with_columns(wait=pl.col(TIME).diff().over(CASE).dt.total_seconds())
    consultation = waits.filter(pl.col(ACTIVITY) == "Consultation")["wait"]
    assert consultation.max() > 70 * consultation.median()  # lognormal waits alone would stay below 50
    assert consultation.max() < 30 * 86_400
    payment = waits.filter(pl.col(ACTIVITY) == "Payment")["wait"]
    assert payment.quantile(0.99) > 7 * payment.median()  # lognormal waits alone would come to 6.4
    assert payment.max() <= 304 * 86_400  # the longest wait, and a weekend


def test_the_log_holds_the_completed_events_of_the_frame() -> None:
    rows = synthetic_frame(400, seed=9).filter(COMPLETE)
    labels = sorted(set(rows[ACTIVITY]))
    expected = EventLog(
        tuple(labels),
        rows[ACTIVITY].cast(pl.Enum(labels)).to_physical().to_numpy().astype(np.int32),
        rows[TIME].dt.epoch("ms").to_numpy(),
        runs(rows[CASE].rle_id().to_numpy()),
    )
    log = synthesize(400, seed=9)
    assert log == expected
    assert log.zone == "Europe/Berlin"


def test_the_log_has_the_size_and_variety_of_a_hospitals() -> None:
    small, large = synthesize(1000), synthesize(20_000)
    assert small.n_cases == 1000
    assert 12 <= small.n_events / small.n_cases <= 16
    assert 300 <= small.variants.count <= 600
    assert (small.variants.cases == 1).sum() > 200
    assert 16 <= len(large.labels) <= 20
    assert large.variants.count / 20_000 < 0.8 * small.variants.count / 1000


def test_a_single_case_is_a_log() -> None:
    log = synthesize(1)
    assert log.n_cases == 1
    assert set(log.activity_names()) == set(log.labels)  # no label without an event
    assert synthetic_frame(1)[CASE].n_unique() == 1


@pytest.mark.parametrize("make", [synthesize, synthetic_frame])
@pytest.mark.parametrize("cases", [0, -3])
def test_a_log_without_cases_is_refused(make: object, cases: int) -> None:
    assert callable(make)
    with pytest.raises(ParameterError, match=f"^cannot make a log of {cases} cases: ask for 1 or more$"):
        make(cases)


def test_a_first_day_that_is_no_day_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^cannot read first_day 'Monday': give a day such as "):
        synthetic_frame(5, first_day="Monday")


def test_some_people_have_several_cases_and_the_log_stays_the_same() -> None:
    log = synthesize(1000, seed=3, several=0.1, cases_of_several=5)
    assert log == synthesize(1000, seed=3)
    assert log.zone == synthesize(1000, seed=3).zone
    persons = log.column(PERSON)
    assert persons is not None
    cases = np.bincount(persons.values)
    assert set(cases.tolist()) == {1, 5}
    assert (cases == 5).sum() == 71
    assert len(cases) == 716
    assert len(persons.texts) == len(cases) == len(set(persons.texts))
    again = synthesize(1000, seed=3, several=0.1, cases_of_several=5).column(PERSON)
    assert again is not None
    assert again.cells() == persons.cells()


def test_people_who_come_again_mostly_take_the_same_path() -> None:
    log = synthesize(2000, seed=1, several=0.1)
    persons = log.column(PERSON)
    assert persons is not None
    often = np.flatnonzero(np.bincount(persons.values) == 5)
    paths = [len(set(log.variants.of_case[persons.values == person].tolist())) for person in often.tolist()]
    assert min(paths) == 1
    assert np.mean(paths) < 3.5


@pytest.mark.parametrize(("several", "each"), [(-0.1, 5), (1.5, 5), (0.1, 0)])
def test_shares_of_people_that_cannot_be_are_refused(several: float, each: int) -> None:
    with pytest.raises(ParameterError, match="several must be a share from 0 to 1"):
        synthesize(50, several=several, cases_of_several=each)
