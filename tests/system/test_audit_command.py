"""The command `unsingle audit`."""

from __future__ import annotations

import json

import pytest

from support.audits import ward, weighty
from support.helpers import run_command
from unsingle import anonymize, synthesize, write_log
from unsingle.auditor.attacks import true_values, values
from unsingle.auditor.findings import BROKEN, HOLDS
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
    assert "the release does not say which delta it was made with: add --delta" in result.output


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


KEEPING = ("--keep", "org:role", "--keep", "cost", "--number", "cost", "--keep", "case:age", "--number", "case:age",
           "--keep-case", "channel")  # fmt: skip


def test_the_command_attacks_kept_columns(tmp_path) -> None:
    write_log(ward(), tmp_path / "log.csv")
    options = ("--runs", 2, "--attack", "value", "--seed", 1)
    found = json.loads(run_command("audit", tmp_path / "log.csv", *KEEPING, *options, "--json").stdout)
    tried = {each["attack"]: each["guesses"] for each in found["findings"]}
    assert tried[values.RARE_VALUE.name] == tried[values.UNUSUAL_NUMBER.name] == 4
    assert tried[true_values.COMBINATIONS.name] > 0
    refused = run_command("audit", tmp_path / "log.csv", *options, ok=False)
    assert refused.exit_code == 2
    assert "these attacks are on kept columns, and there are none: name one with --keep" in refused.output


def test_the_command_attacks_kept_columns_of_a_given_release(tmp_path) -> None:
    log, good, bad = (tmp_path / name for name in ("log.xes", "good.parquet", "bad.csv"))
    original = ward(300)
    write_log(original, log)
    write_log(anonymize(original, 0.2, seed=1).log, good)
    write_log(original, bad)
    keeping = ["--keep", "org:role", "--keep", "cost", "--keep", "case:age", "--keep-case", "channel"]
    found = json.loads(run_command("audit", log, good, "--delta", 0.2, *keeping, "--json").stdout)
    assert not found["extra_attributes"]
    verdicts = {each["attack"]: each["verdict"] for each in found["findings"]}
    assert verdicts[true_values.COMBINATIONS.name] == HOLDS
    found = json.loads(run_command("audit", log, bad, "--delta", 0.2, *keeping, "--json", ok=False).stdout)
    verdicts = {each["attack"]: each["verdict"] for each in found["findings"]}
    assert verdicts[true_values.COMBINATIONS.name] == BROKEN
