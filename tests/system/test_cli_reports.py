"""The commands risk, compare and sweep, the methods of anonymize, and their reports."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest

from support.helpers import run_command as run
from unsingle import read_log, synthesize, write_log
from unsingle.core.columns import PERSON
from unsingle.core.wording import at_most
from unsingle.methods import METHODS


@pytest.fixture(scope="module")
def release(hospital: Path) -> Path:
    path = hospital.with_name("release.xes.gz")
    run("anonymize", hospital, "-o", path, "--quiet")
    return path


# --------------------------------------------------------------------------------------------- the methods


@pytest.mark.parametrize("method", METHODS)
def test_every_method_makes_a_release_and_says_what_it_promises(method: str, tmp_path: Path) -> None:
    source, target = tmp_path / "log.xes", tmp_path / "x.xes"
    write_log(synthesize(cases=400, seed=2), source)
    result = run("anonymize", source, "-o", target, "--method", method, "--delta", 0.3)
    lines = result.stdout.replace(str(tmp_path), ".").splitlines()
    keeps = METHODS[method].keeps_variants
    assert f"{method}, delta 0.3" in result.stdout
    assert ("gains at most" in result.stdout) == METHODS[method]().guarantee().publishable
    assert ("(those of the original)" in result.stdout) == keeps
    assert ("\n  lost " in result.stdout) != keeps
    assert len(lines) <= (46 if METHODS[method].has_budget else 30)  # with the budget and a warning that delta is weak
    assert max(map(len, lines)) <= 80
    same = read_log(target).variant_counts().keys() == read_log(source).variant_counts().keys()
    assert same == keeps


def test_the_summary_says_what_it_means_for_people_alone_on_their_path(hospital: Path, tmp_path: Path) -> None:
    alone = sum(cases == 1 for cases in read_log(hospital).variant_counts().values())
    text = run("anonymize", hospital, "-o", tmp_path / "x.xes").stdout
    said = (
        f"The paths of {alone} of 150 people, which nobody else took, are published: anyone who knows enough of such "
        "a path can read the rest. Their times are protected."
    )
    public, private = (" ".join(part.split()) for part in text.split("PRIVATE, do not publish"))
    assert said in private
    assert str(alone) not in public
    figures = json.loads(run("anonymize", hospital, "-o", tmp_path / "y.xes", "--json").stdout)
    assert figures["alone"] == alone
    assert "alone" in figures["private_keys"]
    assert {"protects", "against", "gain", "sense"} == set(figures["promises"][0])
    crowds = run("anonymize", tmp_path / "y.xes", "-o", tmp_path / "z.xes", "--delta", 0.45, "--paths", "crowds").stdout
    assert "are withheld; on average" in " ".join(crowds.split("PRIVATE, do not publish")[1].split())


def test_the_summary_says_what_each_part_cost(hospital: Path, tmp_path: Path) -> None:
    public = run("anonymize", hospital, "-o", tmp_path / "x.xes").stdout.split("Guarantee")[0]
    said = " ".join(public.split())
    assert "how many cases there are (ratio 0.9), how many cases take each path (ratio 0.636), " in said
    assert "how long steps take (rho 0." in said
    budget = json.loads(run("anonymize", hospital, "-o", tmp_path / "y.xes", "--json").stdout)["budget"]
    presence, exchange = budget["epsilon_presence"], budget["epsilon_exchange"]
    expected = f"epsilon {at_most(presence)} for presence and {at_most(exchange)} for what the case was, slack 1e-06"
    assert expected in said
    assert sum(cost.get("rho", 0) for cost in budget["costs"]) == pytest.approx(budget["rho"], rel=2e-3)


def test_a_delta_that_the_risk_does_not_depend_on_is_refused(hospital: Path) -> None:
    result = run("risk", hospital, "--delta", 0.1, ok=False)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--delta is for people with several cases: name their column with --person" in result.stderr


def test_a_weak_delta_is_warned_of_also_if_nothing_else_is_shown(hospital: Path, tmp_path: Path) -> None:
    loud = run("anonymize", hospital, "-o", tmp_path / "x.xes", "--delta", 0.3)
    assert "WARNING: delta 0.3 is weak" in loud.stdout
    quiet = run("anonymize", hospital, "-o", tmp_path / "y.xes", "--delta", 0.3, "--quiet")
    assert quiet.stderr.startswith("unsingle: delta 0.3 is weak")
    assert run("anonymize", hospital, "-o", tmp_path / "z.xes", "--delta", 0.25, "--quiet").stderr == ""


def test_lost_times_are_told_in_the_summary(hospital: Path, tmp_path: Path) -> None:
    lost = run("anonymize", hospital, "-o", tmp_path / "x.xes", "--method", "amun", "--delta", 0.05).stdout
    assert "Times are lost: a duration is off by " in " ".join(lost.split("PRIVATE, do not publish")[1].split())


def test_json_of_a_method_that_loses_variants_keeps_their_number_private(hospital: Path, tmp_path: Path) -> None:
    figures = json.loads(run("anonymize", hospital, "-o", tmp_path / "x.xes", "--method", "sample", "--json").stdout)
    assert "variants_in" not in figures
    assert {"variants_lost", "lost_variants", "cases_lost"} <= set(figures["private_keys"])
    assert figures["variants_lost"] == len(figures["lost_variants"]) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--method", "bland"],
            f"unknown method 'bland': choose one of {', '.join(METHODS)}",
        ),
        (["--method", "blend"], "blend is gone: anyone who knows the other cases could read a person's durations"),
        (["--method", "amun", "--paths", "crowds"], "--paths crowds works only with twin"),
        (["--method", "twin", "--as-published"], "it cannot go with twin"),
    ],
)
def test_wrong_methods_are_told_before_any_work(
    options: list[str], message: str, hospital: Path, tmp_path: Path
) -> None:
    result = run("anonymize", hospital, "-o", tmp_path / "x.xes", *options, ok=False)
    assert result.exit_code == 2
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_anonymize_writes_the_comparison_too(hospital: Path, tmp_path: Path) -> None:
    result = run("anonymize", hospital, "-o", tmp_path / "x.xes", "--report", tmp_path / "report.html")
    assert f"report: {tmp_path / 'report.PRIVATE.html'}" in result.stderr
    assert "Can this release still be used?" in (tmp_path / "report.PRIVATE.html").read_text(encoding="utf-8")
    refused = run("anonymize", hospital, "-o", tmp_path / "y.xes", "--report", tmp_path / "report.html", ok=False)
    assert "exists already" in refused.stderr
    assert not (tmp_path / "y.xes").exists()  # told before any work


# -------------------------------------------------------------------------------------------------- risk


def test_risk_answers_on_one_screen(hospital: Path) -> None:
    text = run("risk", hospital).stdout
    assert text.startswith("PRIVATE, DO NOT PUBLISH")
    assert "took a path nobody else took" in text
    assert "the whole path and all times" in text
    assert max(map(len, text.splitlines())) <= 90


def test_risk_as_json_and_as_a_report(hospital: Path, tmp_path: Path) -> None:
    result = run("risk", hospital, "--json", "--html", tmp_path / "risk.html")
    figures = json.loads(result.stdout)
    assert figures["private"] is True
    assert figures["cases"] == 150
    assert figures["uniqueness"][0]["known"] == "the whole path"
    page = (tmp_path / "risk.PRIVATE.html").read_text(encoding="utf-8")
    assert "Can people in this log be singled out?" in page


def persons_csv(folder: Path) -> Path:
    path = folder / "log.csv"
    rows = ["case,activity,time,patient"]
    for case, patient in enumerate(["ann", "ann", "ann", "bob", "eve"]):
        rows += [f"{case},A,2024-01-0{case + 1},{patient}", f"{case},B,2024-02-0{case + 1},{patient}"]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_risk_of_people_with_several_cases(tmp_path: Path) -> None:
    path = persons_csv(tmp_path)
    text = run("risk", path, "--person", "patient").stdout
    assert "One person has 3 cases: at delta 0.2 a guess about them gains up to 0.44 from a release by twin" in (
        " ".join(text.split())
    )
    figures = json.loads(run("risk", path, "--person", "patient", "--json").stdout)
    assert [(row["cases"], row["persons"]) for row in figures["by_person"]] == [(1, 2), (3, 1)]
    piped = run("risk", "-", "--format", "csv", "--person", "patient", "--json", stdin=path.read_bytes())
    assert json.loads(piped.stdout) == figures
    refused = run("risk", path, "--person", "Patient-Nr", ok=False)
    assert "Patient-Nr" in refused.stderr


def test_persons_may_be_an_attribute_of_traces(tmp_path: Path) -> None:
    frame = pl.read_csv(persons_csv(tmp_path), infer_schema=False)
    events = "".join(
        f'<trace><string key="concept:name" value="{case[0]}"/><string key="patient" value="{rows["patient"][0]}"/>'
        + "".join(
            f'<event><string key="concept:name" value="{row["activity"]}"/>'
            f'<date key="time:timestamp" value="{row["time"]}T00:00:00Z"/></event>'
            for row in rows.iter_rows(named=True)
        )
        + "</trace>"
        for case, rows in frame.group_by("case", maintain_order=True)
    )
    path = tmp_path / "log.xes"
    path.write_text(f'<?xml version="1.0"?><log>{events}</log>')
    assert read_log(path, person="case:patient").column(PERSON).cells() == ["ann", "ann", "ann", "bob", "eve"]


# ------------------------------------------------------------------------------------------------ compare


def test_compare_answers_on_one_screen(hospital: Path, release: Path, tmp_path: Path) -> None:
    result = run("compare", hospital, release, "--html", tmp_path / "c.html")
    assert result.stdout.startswith("PRIVATE, DO NOT PUBLISH")
    assert "variants are there and none is new" in " ".join(result.stdout.split())
    assert len(result.stdout.splitlines()) <= 40
    assert "two halves" in result.stdout
    assert (tmp_path / "c.PRIVATE.html").stat().st_size < 2_500_000


def test_compare_as_json(hospital: Path, release: Path) -> None:
    figures = json.loads(run("compare", hospital, release, "--json").stdout)
    assert figures["private"] is True
    assert figures["variant_change"]["lost"] == 0
    assert figures["cases_before"] == 150
    same = json.loads(run("compare", hospital, hospital, "--json").stdout)
    assert same["time_distance"] == {"hours": 0.0, "share_of_mean": 0.0}


# -------------------------------------------------------------------------------------------------- sweep


def test_sweep_takes_several_values_in_a_row(hospital: Path, tmp_path: Path) -> None:
    arguments = ("--delta", 0.1, 0.4, "--method", "twin", "amun", "--runs", 1)
    result = run("sweep", hospital, *arguments, "--csv", tmp_path / "s.csv", "--html", tmp_path / "s.html")
    assert [line.split()[:2] for line in result.stdout.splitlines()[4:8]] == [
        ["twin", "0.1"], ["twin", "0.4"], ["amun", "0.1"], ["amun", "0.4"],
    ]  # fmt: skip
    with (tmp_path / "s.PRIVATE.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert (rows[0]["method"], float(rows[0]["delta"])) == ("twin", 0.1)
    assert float(rows[2]["ratio"]) > float(rows[3]["ratio"]) > 1  # amun adds cases
    assert "twin  same paths" in result.stdout
    assert "Which delta should I choose?" in (tmp_path / "s.PRIVATE.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("order", ["log first", "log last", "repeated", "with ="])
def test_the_log_of_a_sweep_may_stand_anywhere(order: str, hospital: Path) -> None:
    options: list[object] = ["--delta", 0.2, 0.3, "--method", "twin", "--runs", 1]
    if order == "repeated":
        options = ["--delta", 0.2, "--delta", 0.3, "--method", "twin", "--runs", 1]
    words = (
        [hospital, *options]
        if order != "log last"
        else ["--runs", 1, "--method", "twin", "--delta", 0.2, 0.3, hospital]
    )
    figures = json.loads(run("sweep", *words, "--json").stdout)
    assert [(point["method"], point["delta"]) for point in figures["points"]] == [("twin", 0.2), ("twin", 0.3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delta", "0.2", "7"], "delta must be a number between 0 and 1 (not 7.0)"),
        (["--method", "twin", "--delta", "much"], "'much' is not a valid float"),
        (["--method", "bland"], "unknown method 'bland'"),
        (["--method", "blend"], "blend is gone"),
        (["--runs", "0"], "0 is not in the range"),
    ],
)
def test_wrong_settings_of_a_sweep_are_told(options: list[str], message: str, hospital: Path) -> None:
    result = run("sweep", hospital, *options, ok=False)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("command", ["risk", "sweep"])
def test_reports_are_not_overwritten_unless_forced(command: str, hospital: Path, tmp_path: Path) -> None:
    (tmp_path / "r.PRIVATE.html").write_text("mine")
    quick = ["--delta", 0.2, "--method", "twin", "--runs", 1] if command == "sweep" else []
    refused = run(command, hospital, *quick, "--html", tmp_path / "r.html", ok=False)
    assert refused.exit_code == 2
    assert "exists already" in refused.stderr
    assert (tmp_path / "r.PRIVATE.html").read_text() == "mine"
    run(command, hospital, *quick, "--html", tmp_path / "r.html", "--force")
    assert (tmp_path / "r.PRIVATE.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


# -------------------------------------------------------------------------------------------------- audit


def test_the_original_of_an_audit_may_come_from_standard_input(hospital: Path, release: Path) -> None:
    words = [release, "--delta", 0.2, "--format", "xes.gz", "--json"]
    named = json.loads(run("audit", hospital, *words, ok=False).stdout)
    piped = json.loads(run("audit", "-", *words, stdin=hospital.read_bytes(), ok=False).stdout)
    assert piped == named
    assert "ids and attributes" in {finding["attack"] for finding in named["findings"]}


def test_an_audit_of_many_releases_takes_the_parameters_of_its_method(hospital: Path) -> None:
    words = ["--runs", 2, "--attack", "order", "--seed", 1, "--json", "--method", "amun", "--time-from", "start"]
    found = json.loads(run("audit", hospital, *words, ok=False).stdout)
    assert (found["method"], found["runs"]) == ("amun", 2)
