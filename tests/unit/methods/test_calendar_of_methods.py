"""Releases by a public calendar: events fall into its hours, durations stay, and it costs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from unsingle import EventLog, ParameterError, anonymize, measure, read_release, synthesize
from unsingle.cli.app import main
from unsingle.core.clock import HOUR, Grid
from unsingle.mechanisms.weeks import WEEK_TALLY
from unsingle.methods import chosen

OFFICE = {"days": ["Monday", "Tuesday", "Wednesday", "Thursday"], "hours": ["09:00-17:00"], "holidays": ["2024-01-02"]}


def at_work(log: EventLog) -> float:
    """The share of events in those hours."""
    local = Grid(HOUR // 60, log.zone).hours(log.time)
    day, hour = (local // 24 + 3) % 7, local % 24
    return float(np.mean((day < 4) & (hour >= 9) & (hour <= 17.02)))


@pytest.mark.parametrize("method", ["twin", "twin-crowds", "strict"])
def test_events_fall_into_the_hours_of_the_calendar(method: str) -> None:
    log = synthesize(cases=3000, seed=1)
    release = anonymize(log, 0.2, method=method, calendar=OFFICE, grid="minute", seed=1)
    assert at_work(log) < 0.5
    assert at_work(release.log) > 0.97
    assert release.budget is not None
    assert WEEK_TALLY not in [cost.name for cost in release.budget.costs]
    assert "the calendar is public" in release.guarantee.assumes


def test_durations_stay_and_the_promise_is_the_same() -> None:
    log = synthesize(cases=3000, seed=1)
    without, given = (anonymize(log, 0.2, seed=1, **how) for how in ({}, {"calendar": {"hours": ["00:00-24:00"]}}))
    distances = [measure(log, each).time_distance.share_of_mean for each in (without, given)]
    assert distances[1] < 1.5 * distances[0] + 0.05
    assert [each.gain for each in without.guarantee.promises] == [each.gain for each in given.guarantee.promises]


def test_nothing_falls_on_a_holiday() -> None:
    log = synthesize(cases=2000, seed=2)
    first = int(log.time.min()) // (24 * HOUR)
    days = np.datetime64("1970-01-01") + np.arange(first, first + 40, 2)
    calendar = {
        "days": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
        "holidays": [str(day) for day in days],
    }
    release = anonymize(log, 0.2, calendar=calendar, seed=2)
    local = Grid(HOUR // 60, release.log.zone).hours(release.log.time) // 24
    assert np.isin(local, np.arange(first, first + 40, 2)).mean() < 0.01


def test_methods_without_a_budget_do_not_take_one() -> None:
    with pytest.raises(ParameterError, match=r"calendar= does not go with the method amun: it is for twin, "):
        chosen("amun", calendar=OFFICE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["synthesize", "--cases", "200", "-o", "log.csv"]).exit_code == 0
    return tmp_path


def test_the_command_takes_a_file(folder: Path) -> None:
    (folder / "office.toml").write_text(
        'days = ["Monday", "tuesday"]\nhours = ["08:00-12:00", "13:00-17:00"]\nholidays = [2024-12-25, "2024-12-26"]\n'
    )
    words = ["anonymize", "log.csv", "-o", "release.csv", "--calendar", "office.toml", "--json"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["method"] == "twin"
    assert "the calendar is public" in " ".join(read_release(folder / "release.csv").facts.assumes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("days = [", "office.toml: is not TOML: write days = "),
        ("", "office.toml: is empty: write days = "),
        ('days = "Monday"', "office.toml: 'days' is no list"),
        ('open = ["08:00-12:00"]', "--calendar does not know 'open': it has days, hours, holidays"),
        ('days = ["Mon"]', "--calendar: 'Mon' is no day"),
        (None, "office.toml: cannot be read (No such file or directory)"),
        (b"\xff\xfe", "office.toml: is not text in UTF-8"),
    ],
)
def test_a_file_that_is_no_calendar_is_refused_in_one_line(
    text: str | bytes | None, message: str, folder: Path
) -> None:
    if text is not None:
        (folder / "office.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    result = CliRunner().invoke(main, ["anonymize", "log.csv", "-o", "r.csv", "--calendar", "office.toml"])
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]
    assert not (folder / "r.csv").exists()
