"""The command `unsingle audit`."""

from __future__ import annotations

import json

import pytest

from support.audits import weighty
from support.helpers import run_command
from unsingle import anonymize, synthesize, write_log
from unsingle.formats.tables.frames import to_polars


def test_the_command_attacks_a_method(tmp_path) -> None:
    write_log(synthesize(cases=80), tmp_path / "log.csv")
    result = run_command(
        "audit", tmp_path / "log.csv", "--method", "amun", "--runs", 4, "--attack", "path", "start", "--seed", 1,
        "--html", tmp_path / "audit.html",
    )  # fmt: skip
    assert "PRIVATE, DO NOT PUBLISH" in result.output
    assert "true starts" in result.output
    assert "linkage" not in result.output
    page = (tmp_path / "audit.PRIVATE.html").read_text()
    assert "Can it be attacked? amun at delta 0.2" in page


def test_the_command_attacks_a_release_and_ends_with_1_if_it_is_broken(tmp_path) -> None:
    log, good, bad = (tmp_path / name for name in ("log.xes", "good.parquet", "bad.csv"))
    original = synthesize(cases=200, seed=2)
    write_log(original, log)
    write_log(anonymize(original, 0.2, seed=1).log, good)
    write_log(original, bad)
    assert json.loads(run_command("audit", log, good, "--delta", 0.2, "--json").stdout)["private"]
    result = run_command("audit", log, bad, "--delta", 0.2, ok=False)
    assert result.exit_code == 1
    assert "BROKEN" in result.output


def test_attributes_besides_case_activity_and_time_are_named(tmp_path) -> None:
    log = synthesize(cases=60)
    write_log(log, tmp_path / "log.csv")
    frame = to_polars(log)
    from unsingle.formats import write_rows

    write_rows(frame.with_columns(org_timestamp=frame["time:timestamp"]), tmp_path / "other.csv")
    result = run_command("audit", tmp_path / "log.csv", tmp_path / "other.csv", "--delta", 0.2, ok=False)
    assert "org_timestamp" in result.output
    xes = tmp_path / "other.xes"
    write_log(log, xes)
    text = xes.read_text()
    xes.write_text(text.replace("<classifier", '<string key="source" value="secret.csv"/><classifier'))
    assert "log:source" in run_command("audit", tmp_path / "log.csv", xes, "--delta", 0.2, ok=False).output


def test_a_given_release_is_attacked_as_it_is(tmp_path) -> None:
    result = run_command("audit", tmp_path / "a.csv", tmp_path / "b.csv", "--attack", "path", ok=False)
    assert result.exit_code == 2
    assert "--attack is for releases that are made" in result.output


def test_the_delta_of_a_given_release_is_asked_for(tmp_path) -> None:
    result = run_command("audit", tmp_path / "a.csv", tmp_path / "b.csv", ok=False)
    assert result.exit_code == 2
    assert "a file does not say which delta it was made with: add --delta" in result.output


def test_paths_of_crowds_can_be_audited(tmp_path) -> None:
    write_log(weighty(), tmp_path / "log.csv")
    result = run_command("audit", tmp_path / "log.csv", "--paths", "crowds", "--runs", 2, "--attack", "order", "--json")
    assert json.loads(result.stdout)["method"] == "twin-crowds"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "amun", "--slack", "0.001"], "slack"),
        (["--runs", "1"], "runs must be 2 or more"),
        (["--attack", "brute"], "brute"),
        (["--method", "magic"], "magic"),
        (["--delta", "2"], "delta must be a number between 0 and 1"),
    ],
)
def test_what_cannot_be_tried_is_told_before_any_work(arguments: list[str], message: str, tmp_path) -> None:
    result = run_command("audit", tmp_path / "not there.csv", *arguments, ok=False)
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize("ending", ["csv", "xes.gz", "parquet"])
def test_either_log_may_come_from_standard_input(ending: str, tmp_path) -> None:
    from unsingle.formats import write_rows

    log = synthesize(cases=60)
    frame = to_polars(log)
    named, other = tmp_path / "log.csv", tmp_path / f"other.{ending}"
    write_log(log, named)
    write_rows(frame.with_columns(org_timestamp=frame["time:timestamp"]), other)
    words = ("--delta", 0.2, "--format", ending, "--json")
    expected = json.loads(run_command("audit", named, other, *words, ok=False).stdout)
    piped = run_command("audit", named, "-", *words, stdin=other.read_bytes(), ok=False)
    assert json.loads(piped.stdout) == expected
    assert expected["extra_attributes"] == ["org_timestamp"]
    piped = run_command("audit", "-", named, *words, stdin=other.read_bytes(), ok=False)
    assert json.loads(piped.stdout)["extra_attributes"] == []


def test_standard_input_cannot_be_both_logs() -> None:
    result = run_command("audit", "-", "-", "--delta", 0.2, "--format", "csv", stdin=b"case,activity,time\n", ok=False)
    assert result.exit_code == 2
    assert "only one log can come from standard input" in result.output
