"""Profiles: what they may say, what is written and read again, and what is said of a log that one does not fit."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples
from unsingle import CellError, ColumnError, FormatError, Profile, profile_log, read_log, read_profile
from unsingle.cli.options import FORMAT, READING
from unsingle.formats.profile import profile_keys

ORDERS = pl.DataFrame(
    {
        "Order": ["1", "1", "2"],
        "Step": ["A", "B", "A"],
        "When": ["01.02.2024 10:00", "03.02.2024 11:00", "05.02.2024 12:00"],
        "Ward": ["x", "y", "x"],
        "Clerk": ["k", "k", "k"],
    }
)
SAID: dict[str, Any] = {
    "case": "Order", "activity": "Step", "time": "When", "time_format": "%d.%m.%Y %H:%M", "keep": ["Ward"],
    "timezone": "Europe/Berlin",
}  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


def test_a_profile_can_say_what_the_options_of_all_commands_say() -> None:
    """Every option that says how a log is read is a key, and every key is an option."""

    @READING
    @FORMAT
    def command() -> None: ...

    options = {option.name for option in command.__click_params__} - {"profile"}  # type: ignore[attr-defined]
    assert set(profile_keys()) == {"format" if name == "format_" else name for name in options}


@examples(200)
@given(st.data())
def test_what_is_written_is_read_again(data: st.DataObject) -> None:
    of_kind = {type(None): TEXTS, bool: st.just(True), tuple: st.lists(TEXTS, min_size=1, max_size=3, unique=True)}
    names = [key for key in profile_keys() if key not in ("timezone", "escape", "format", "encoding", "sheet")]
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    reading = {name: data.draw(of_kind[type(profile_keys()[name])]) for name in chosen}
    text = Profile(reading, left_out=tuple(data.draw(st.lists(TEXTS, max_size=2)))).to_toml()
    assert tomllib.loads(text) == reading


def test_the_profile_of_a_log_has_the_columns_that_were_found(tmp_path: Path) -> None:
    ORDERS.rename({"Order": "Case ID", "Step": "Activity", "When": "Timestamp"}).write_csv(tmp_path / "log.csv")
    profile = profile_log(tmp_path / "log.csv", keep=["Ward"], timezone="+01:00")
    assert dict(profile.reading) == {
        "format": "csv", "case": "Case ID", "activity": "Activity", "time": "Timestamp", "keep": ("Ward",),
        "timezone": "+01:00",
    }  # fmt: skip
    assert '# Left out: "Clerk"' in profile.to_toml()
    (tmp_path / "p.toml").write_text(profile.to_toml(), encoding="utf-8")
    again = read_profile(tmp_path / "p.toml")
    read, said = again.read_log(tmp_path / "log.csv"), read_log(tmp_path / "log.csv", keep=["Ward"], timezone="+01:00")
    assert read == said
    assert (read.fields, read.zone) == (said.fields, "+01:00")


def test_a_profile_reads_files_and_frames_alike(tmp_path: Path) -> None:
    ORDERS.write_csv(tmp_path / "log.csv")
    ORDERS.write_parquet(tmp_path / "log.parquet")
    profile = Profile({**SAID, "format": "csv"})
    logs = [profile.read_log(each) for each in (tmp_path / "log.csv", tmp_path / "log.parquet", ORDERS)]
    assert logs[0] == logs[1] == logs[2] == read_log(ORDERS, **SAID)
    assert {log.zone for log in logs} == {"Europe/Berlin"}


def test_arguments_go_before_the_profile() -> None:
    log = Profile(SAID).read_log(ORDERS, activity="Ward", keep=())
    assert (log.labels, log.fields) == (("x", "y"), ())


@pytest.mark.parametrize("frame", [ORDERS, ORDERS.to_pandas(), ORDERS.to_arrow()], ids=["polars", "pandas", "arrow"])
def test_all_columns_that_are_missing_are_named(frame: pl.DataFrame | pyarrow.Table) -> None:
    profile = Profile({**SAID, "case": "Auftrag", "activity": "Step+Phase", "keep": ["Ward", "Age"]}, "orders.toml")
    with pytest.raises(ColumnError) as found:
        profile.read_log(frame)
    assert "does not fit orders.toml: there is no column 'Auftrag' (case), 'Phase' (activity), 'Age' (keep)" in str(
        found.value
    )
    assert "there are: 'Order', 'Step', 'When', 'Ward', 'Clerk'" in str(found.value)


def test_an_error_of_a_log_that_fits_says_that_a_profile_was_used() -> None:
    with pytest.raises(CellError) as found:
        Profile({**SAID, "time_format": "%Y"}, "orders.toml").read_log(ORDERS)
    assert found.value.__notes__ == ["read as orders.toml says"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour = 1", "unknown key 'colour': choose among case, activity,"),
        ('time-format = "%d"', "unknown key 'time-format' (did you mean time_format?)"),
        ('progress = "x"', "unknown key 'progress'"),
        ("case = 1", "case must be a text in quotation marks, not 1"),
        ('keep = "age"', "keep must be a list of texts, such as ['age', 'ward'], not 'age'"),
        ("keep = [1]", "keep must be a list of texts"),
        ('allow_line_ends = "yes"', "allow_line_ends must be true or false, not 'yes'"),
        ("[columns]\ncase = 'x'", "unknown key 'columns'"),
        ("case =", "is not TOML ("),
        ("case = 'a'\ncase = 'b'", "is not TOML ("),
        ("x = " + "[" * 5000, "is not TOML ("),
        ("", "is empty"),
        ("# nothing", "is empty"),
        ("timezone = 'Mars'", "unknown time zone 'Mars'"),
        ("escape = 'x'", "unknown escape 'x'"),
        ("format = 'doc'", "unknown format 'doc'"),
        ("numbers = ['age']", "'age' is declared to be a number, but not kept"),
    ],
)
def test_what_is_no_profile_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as found:
        read_profile(tmp_path / "p.toml")
    assert str(found.value).startswith(f"{tmp_path / 'p.toml'}: {message}")
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe", "is not text in UTF-8"), (b"#" * 1_000_001, "is too large for a profile"), (None, "cannot be read")],
)
def test_files_that_cannot_be_profiles_are_one_line(content: bytes | None, message: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "p.toml").write_bytes(content)
    with pytest.raises(FormatError, match=message):
        read_profile(tmp_path / "p.toml")


def test_a_profile_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('case = "Order"', encoding="utf-8-sig")
    assert read_profile(tmp_path / "p.toml").reading == {"case": "Order"}
