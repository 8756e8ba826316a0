"""Times: whatever people write becomes the right millisecond in UTC, or is refused with a reason."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples
from unsingle import CellError, ColumnError, EventLog, ParameterError, UnsingleError, read_log
from unsingle.formats.tables.times import parse_times


def log_at(times: object, **options: str | None) -> EventLog:
    column = pl.Series("time", times)
    return read_log(
        pl.DataFrame({"case": range(len(column)), "activity": ["A"] * len(column), "time": column}), **options
    )


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("written", "utc"),
    [
        ("2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999+00:00"),
        ("2024-02-29T23:59:59.9999999+01:00", "2024-02-29T22:59:59.999+00:00"),
        ("2024-02-29T23:59:59,123", "2024-02-29T23:59:59.123+00:00"),
        ("2024-02-29 23:59:59+02", "2024-02-29T21:59:59+00:00"),
        ("2024-02-29 23:59:59 +0530", "2024-02-29T18:29:59+00:00"),
        ("2024-02-29 23:59:59 UTC", "2024-02-29T23:59:59+00:00"),
        ("2024-02-29 23:59:59-03:30", "2024-03-01T03:29:59+00:00"),
        ("2024-02-29 23:59", "2024-02-29T23:59:00+00:00"),
        ("2024-02-29", "2024-02-29T00:00:00+00:00"),
        ("2024/02/29 23:59:59", "2024-02-29T23:59:59+00:00"),
        ("2024.02.29 1:02:03", "2024-02-29T01:02:03+00:00"),
        ("20240229T235959", "2024-02-29T23:59:59+00:00"),
        ("20240229235959", "2024-02-29T23:59:59+00:00"),
        ("20240229", "2024-02-29T00:00:00+00:00"),
        ("29.02.2024 23:59", "2024-02-29T23:59:00+00:00"),
        ("29.2.2024", "2024-02-29T00:00:00+00:00"),
        ("29/02/2024 23:59:59", "2024-02-29T23:59:59+00:00"),
        ("02/29/2024 11:59:59 PM", "2024-02-29T23:59:59+00:00"),
        ("02-29-2024", "2024-02-29T00:00:00+00:00"),
        ("29-FEB-2024 23:59", "2024-02-29T23:59:00+00:00"),
        ("29-Feb-24 23:59", "2024-02-29T23:59:00+00:00"),
        ("29 February 2024", "2024-02-29T00:00:00+00:00"),
        ("Feb 29, 2024 11:59 PM", "2024-02-29T23:59:00+00:00"),
        ("Thu Feb 29 23:59:59 2024", "2024-02-29T23:59:59+00:00"),
        ("Thu, 29 Feb 2024 23:59:59 +0100", "2024-02-29T22:59:59+00:00"),
        ("Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59+00:00"),
        ("  2024-02-29 23:59:59  ", "2024-02-29T23:59:59+00:00"),
        ("1709251199", "2024-02-29T23:59:59+00:00"),
        ("951868799", "2000-02-29T23:59:59+00:00"),
        ("1709251199123", "2024-02-29T23:59:59.123+00:00"),
        ("1709251199123456", "2024-02-29T23:59:59.123+00:00"),
        ("1709251199123456789", "2024-02-29T23:59:59.123+00:00"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999+00:00"),
        ("1000-01-01T00:00:00Z", "1000-01-01T00:00:00+00:00"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999+00:00"),
    ],
)
def test_common_formats_are_found(written: str, utc: str) -> None:
    assert log_at([written]).time.tolist() == [ms(utc)]


@pytest.mark.parametrize(
    "written",
    [
        "soon", "10:20", "2024", "24-01-01", "385-01-01",
        "2024-13-01", "2024-02-30", "2024-02-29T25:00:00", "12024-01-01", "45292.5", "0",
        "2024-02-29 10:00 Europe/Berlin", "2024-02-29 10:00:00 CET", "-1", "29.02.2023", "2024-02-29T10:00:00+99:00",
        # years that no calendar of ours has
        "0000-01-01", "0000-01-01T00:00:00Z", "0000-01-01 00:00:00", "-0001-01-01T00:00:00Z", "-0001-01-01",
        "+12024-01-01T00:00:00Z", "+12024-01-01", "+2024-01-01", "0001-01-01T00:00:00+05:00",
        "9999-12-31T23:59:59-05:00",
        # what is left of a time that was cut off or lost a character
        "2013-11-113:05:00", "2024-01-0100:00:00", "2024- 1-01", "2024-01-01T 0: 0:00", "2014-12-2", "2014-1-02",
        "2014-12-02 10:3", "2014-12-02T1:30:00", "2014-12-02T10:30:5", "2014-12-02T10:30:00+02:",
        "2014-12-02T10:30:00+0", "2014-12-02T10:30:00+02:0", "2014-12-02T10:30:00+01:99", "2014-12-02T10:30:00.",
        "01.02.2024 1:2", "2 Feb 2024 10:3",
        # seconds and minutes that no clock shows
        "2024-01-01T23:59:60Z", "2024-01-01 10:15:60", "2024-01-01 10:60", "01.02.2024 10:15:60",
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused_with_its_row(written: str) -> None:
    with pytest.raises(CellError, match=r"1 of 2 times cannot be read .*the first at row 1.*time_format="):
        log_at(["2024-01-01", written])


FORMS = (
    "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%Y/%m/%d %H:%M",
    "%d %b %Y %H:%M:%S", "%B %d, %Y %I:%M:%S %p", "%Y%m%d%H%M%S", "%d-%b-%Y",
)  # fmt: skip


@examples(150)
@given(
    st.lists(st.datetimes(datetime(1000, 1, 2), datetime(9999, 12, 30)), min_size=1, max_size=5),
    st.sampled_from(FORMS),
    st.integers(-14 * 60, 14 * 60),
)
def test_what_python_writes_is_read_as_python_would(moments: list[datetime], form: str, minutes: int) -> None:
    zone = timezone(timedelta(minutes=minutes)) if "%z" in form else UTC
    written = [moment.replace(tzinfo=zone).strftime(form) for moment in moments]
    meant = [datetime.strptime(text, form) for text in written]
    seconds = [(each if each.tzinfo else each.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC) for each in meant]
    expected = [each // timedelta(milliseconds=1) for each in seconds]
    assert parse_times(pl.Series(written)).milliseconds.tolist() == expected
    assert parse_times(pl.Series(written), time_format=form).milliseconds.tolist() == expected


def test_one_column_may_mix_formats() -> None:
    log = log_at(["2024-01-01", "2024-01-01T00:00:01+00:00", "01.01.2024 00:00:02", "1704067203"])
    assert (log.time - log.time[0]).tolist() == [0, 1000, 2000, 3000]


@pytest.mark.parametrize("clock", ["", " 10:00", " 10:00:00 PM"])
@pytest.mark.parametrize("mark", ["/", "-"])
def test_day_and_month_are_told_by_a_number_above_twelve(mark: str, clock: str) -> None:
    day_first = log_at([f"01{mark}02{mark}2024{clock}", f"13{mark}02{mark}2024"])
    month_first = log_at([f"01{mark}02{mark}2024{clock}", f"02{mark}13{mark}2024"])
    assert day_first.time[1] == month_first.time[1] == ms("2024-02-13T00:00+00:00")
    assert day_first.time[0] // 86_400_000 * 86_400_000 == ms("2024-02-01T00:00+00:00")
    assert month_first.time[0] // 86_400_000 * 86_400_000 == ms("2024-01-02T00:00+00:00")


@pytest.mark.parametrize(
    ("written", "why"),
    [
        (["01/02/2024"], "cannot be told apart"),
        (["13/02/2024", "02/13/2024"], "stand in either order"),
        (["01/02/24"], "two digits"),
        (["01.02.24 10:00"], "two digits"),
    ],
)
def test_it_does_not_guess_which_number_is_what(written: list[str], why: str) -> None:
    with pytest.raises(CellError, match=rf"row 0.*{why}.*time_format='%"):
        log_at(written)


def test_equal_day_and_month_need_no_telling() -> None:
    assert log_at(["02/02/2024"]).time.tolist() == [ms("2024-02-02T00:00+00:00")]


@pytest.mark.parametrize(
    ("written", "form", "utc"),
    [
        ("01/02/2024 10:00", "%d/%m/%Y %H:%M", "2024-02-01T10:00+00:00"),
        ("01/02/2024 10:00", "%m/%d/%Y %H:%M", "2024-01-02T10:00+00:00"),
        ("01/02/24", "%y/%m/%d", "2001-02-24T00:00+00:00"),
        ("2024-01-02 10:00:00.250000", "%Y-%m-%d %H:%M:%S.%f", "2024-01-02T10:00:00.250+00:00"),
        ("2024-01-02 10:00:00,250", "%Y-%m-%d %H:%M:%S,%f", "2024-01-02T10:00:00.250+00:00"),
        ("2024-01-02 10:00 +0200", "%Y-%m-%d %H:%M %z", "2024-01-02T08:00+00:00"),
        ("2024-01-02T10:00:00+02:00", "%+", "2024-01-02T08:00+00:00"),
        ("2024-01-02 10:00 UTC", "%Y-%m-%d %H:%M UTC", "2024-01-02T10:00+00:00"),
        ("week of 2024-01-02", "week of %Y-%m-%d", "2024-01-02T00:00+00:00"),
        ("1704067200", "%s", "2024-01-01T00:00+00:00"),
    ],
)
def test_time_format_overrides(written: str, form: str, utc: str) -> None:
    assert log_at([written], time_format=form).time.tolist() == [ms(utc)]


@pytest.mark.parametrize(("written", "form"), [("10:20", "%H:%M"), ("0930", "%H%M"), ("1/2/20", "%d/%m/%Y")])
def test_a_format_must_tell_the_whole_date(written: str, form: str) -> None:
    with pytest.raises(CellError, match="1 of 1 times cannot be read"):
        log_at([written], time_format=form)


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("2013-11-113:05:00", "%Y-%m-%d %H:%M:%S"),
        ("2024- 1-01", "%Y-%m-%d"),
        ("2024-01-01 10:3", "%F %R"),
        ("202401", "%Y%m%d"),
        ("2024-01-01 10:00+02:", "%Y-%m-%d %H:%M%#z"),
        ("+2024-01-01", "%Y-%m-%d"),
        ("0000-01-01", "%Y-%m-%d"),
    ],
)
def test_a_given_format_is_not_read_leniently_either(written: str, form: str) -> None:
    with pytest.raises(CellError, match=r"1 of 1 times cannot be read .*row 0"):
        log_at([written], time_format=form)


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("2024-1-2", "%Y-%m-%d"),
        ("2/1/2024", "%d/%m/%Y"),
        ("2-Jan-24", "%d-%b-%y"),
        ("20240102", "%Y%m%d"),
        ("Tue Jan  2 00:00:00 2024", "%a %b %d %H:%M:%S %Y"),
        ("2. January 2024", "%-d. %B %Y"),
        ("2024/002", "%Y/%j"),
        ("12:00 AM, 2024-01-02", "%I:%M %p, %F"),
        ("2024-W01-2", "%G-W%V-%u"),
        ("[2024-01-02] (A+B)", "[%Y-%m-%d] (A+B)"),
    ],
)
def test_formats_are_taken_as_people_write_them(written: str, form: str) -> None:
    assert log_at([written], time_format=form).time.tolist() == [ms("2024-01-02T00:00+00:00")]


def test_time_format_holds_for_every_time() -> None:
    with pytest.raises(CellError, match="1 of 2 times"):
        log_at(["01/02/2024", "2024-01-01"], time_format="%d/%m/%Y")


@pytest.mark.parametrize("form", ["dd/MM/yyyy", "%Y-%m-%d %H", "%Y-%m-%d %H:%M %Z"])
def test_a_format_that_would_be_misread_is_refused(form: str) -> None:
    with pytest.raises(ParameterError, match="time format"):
        log_at(["2024-01-01 10:00 CET"], time_format=form)


def test_times_without_a_zone_are_utc_unless_told() -> None:
    summer, winter = "2024-07-01 12:00", "2024-01-01 12:00"
    assert log_at([summer]).time.tolist() == [ms("2024-07-01T12:00+00:00")]
    berlin = log_at([winter, summer], timezone="Europe/Berlin")
    assert berlin.time.tolist() == [ms("2024-01-01T12:00+01:00"), ms("2024-07-01T12:00+02:00")]
    assert berlin.zone == "Europe/Berlin"
    assert log_at([summer], timezone="-03:30").time.tolist() == [ms("2024-07-01T12:00-03:30")]


def test_a_given_zone_converts_times_that_have_their_own() -> None:
    log = log_at(["2024-07-01T12:00:00Z"], timezone="America/New_York")
    assert (log.time.tolist(), log.zone) == ([ms("2024-07-01T12:00+00:00")], "America/New_York")


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ParameterError, match="unknown time zone 'Mars/Olympus'"):
        log_at(["2024-07-01"], timezone="Mars/Olympus")


@pytest.mark.parametrize(
    ("written", "zone"),
    [
        (["2024-01-01T00:00:00Z"], "UTC"),
        (["2024-01-01T00:00:00"], "UTC"),
        (["2024-01-01T00:00:00+05:30", "2024-07-01T00:00:00+05:30"], "+05:30"),
        (["2024-01-01 00:00:00+02"], "+02:00"),
        (["2024-01-01T00:00:00+01:00", "2024-07-01T00:00:00+02:00"], "Europe/Berlin"),
        (["2024-01-01T00:00:00Z", "2024-07-01T00:00:00+01:00"], "Europe/London"),
        (["2024-01-01T00:00:00-05:00", "2024-07-01T00:00:00-0400"], "America/New_York"),
        (["2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00+09:00"], "UTC"),
    ],
)
def test_offsets_tell_the_logs_own_zone(written: list[str], zone: str) -> None:
    assert log_at(written).zone == zone


BERLIN = st.datetimes(
    datetime(1990, 1, 1),
    datetime(2030, 1, 1),
    timezones=st.just(ZoneInfo("Europe/Berlin")),
    allow_imaginary=False,
)


@examples(100)
@given(st.lists(BERLIN, min_size=1, max_size=20))
def test_zones_are_converted_never_relabelled(moments: list[datetime]) -> None:
    expected = [(moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1) for moment in moments]
    assert log_at([moment.isoformat() for moment in moments]).time.tolist() == expected
    assert log_at(pl.Series(moments, dtype=pl.Datetime("us", "Europe/Berlin"))).time.tolist() == expected


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_typed_times_are_rounded_down_to_milliseconds(unit: str) -> None:
    factor = {"ms": 1, "us": 1000, "ns": 1_000_000}[unit]
    raw = [-1, 0, 5 * factor, 5 * factor + factor - 1]
    typed = pl.Series(raw, dtype=pl.Int64).cast(pl.Datetime(unit))  # type: ignore[arg-type]
    assert parse_times(typed).milliseconds.tolist() == [-1, 0, 5, 5]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("moment", [2**62, -(2**62), 253_402_300_800_000])
def test_times_beyond_the_calendar_are_refused(moment: int, zone: str | None) -> None:
    with pytest.raises(CellError, match=f"1 of 2 times .*such as '{moment}'"):
        log_at(pl.Series([0, moment]).cast(pl.Datetime("ms")), timezone=zone)


@pytest.mark.parametrize("role", ["case", "activity"])
@pytest.mark.parametrize("kind", [pl.Datetime("ms"), pl.Datetime("us", "UTC")], ids=str)
def test_other_columns_beyond_the_calendar_are_refused(role: str, kind: pl.DataType) -> None:
    odd = pl.Series([0, 2**60]).cast(kind)
    columns = {"case": ["1", "2"], "activity": ["A", "B"], "time": ["2024-01-01"] * 2, role: odd}
    with pytest.raises(
        ColumnError, match=f"column '{role}' holds dates beyond the years 1 to 9999: convert it to text"
    ):
        read_log(pl.DataFrame(columns))


def test_integers_are_time_since_1970() -> None:
    assert log_at([1_704_067_200, 1_704_067_201]).time.tolist() == [1_704_067_200_000, 1_704_067_201_000]
    assert log_at(np.array([20240101])).time.tolist() == [1_704_067_200_000]


@pytest.mark.parametrize("odd", [[1.5], [True], [timedelta(1)], [[1]]])
def test_columns_that_hold_no_times_are_refused(odd: list[object]) -> None:
    with pytest.raises(UnsingleError, match=r"column 'time' holds .*time="):
        log_at(odd)


def test_times_in_the_hour_that_comes_twice_keep_their_order() -> None:
    log = read_log(
        pl.DataFrame(
            {
                "case": [1] * 4,
                "activity": list("ABCD"),
                "time": [f"2024-10-27T0{clock}" for clock in ("1:30+02:00", "2:30+02:00", "2:30+01:00", "3:30+01:00")],
            }
        )
    )
    assert log.activity_names().tolist() == list("ABCD")
    assert np.diff(log.time).tolist() == [3_600_000] * 3
