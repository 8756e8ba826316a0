"""The options that ask for more columns than three: every command that reads the original has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.helpers import run_command
from unsingle import read_log, write_log
from unsingle.cli.app import main
from unsingle.formats.wanted import Wanted

ROWS = [
    "case,task,begun,ended,role,cost,age,patient,rest",
    "1,A,2024-01-01T08:00:00Z,2024-01-01T09:00:00Z,nurse,1.5,40,p1,x",
    "1,B,2024-01-01T09:00:00Z,2024-01-01T10:00:00Z,clerk,,,p1,x",
    "2,A,2024-01-02T08:00:00Z,2024-01-02T09:30:00Z,nurse,2.5,50,p1,x",
    "3,A,2024-01-03T08:00:00Z,2024-01-03T09:15:00Z,nurse,,60,p2,x",
]
COLUMNS = ["--time", "ended", "--keep", "role", "--keep", "cost", "--keep-case", "age"]
COLUMNS += ["--number", "cost", "--number", "age"]
READERS = ("anonymize", "audit", "compare", "inspect", "risk", "sweep")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text("\n".join(ROWS) + "\n")
    return path


@pytest.mark.parametrize("command", READERS)
def test_every_command_that_reads_the_original_has_all_of_them(command: str) -> None:
    options = {option for each in main.commands[command].params for option in each.opts}
    assert options >= {"--keep", "--keep-case", "--number", "--start", "--person"}
    arguments = {each.name for each in main.commands[command].params}
    assert arguments >= set(Wanted.__dataclass_fields__) - {"ids", "domains"}


def test_what_is_kept_and_left_out_is_said(source: Path) -> None:
    told = run_command("inspect", source, *COLUMNS).stderr
    used = "read as: encoding UTF-8, separator comma\nusing columns: case = case, activity = task, time = ended"
    assert told == f"{used}; kept: role, cost, age; left out: begun, patient, rest\n"
    named = ["--case", "case", "--activity", "task", *COLUMNS]
    assert run_command("inspect", source, *named).stderr == told  # what is kept is always said
    told = run_command("inspect", source, *COLUMNS, "--start", "begun", "--person", "patient").stderr
    assert told == f"{used}, start = begun, person = patient; kept: role, cost, age; left out: rest\n"


def test_what_is_kept_and_left_out_is_in_json(source: Path) -> None:
    found = json.loads(run_command("inspect", source, *COLUMNS, "--start", "begun", "--json").stdout)
    assert found["columns"] == {
        "case": "case",
        "activity": "task",
        "time": "ended",
        "start": "begun",
        "kept": ["role", "cost", "age"],
        "left_out": ["patient", "rest"],
    }
    assert found["events"] == 8


def test_a_long_list_of_columns_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    extra = ",".join(f"x{number}" for number in range(30))
    path.write_text(f"case,task,time,{extra}\n1,A,2024-01-01{',' * 30}\n")
    assert run_command("inspect", path).stderr.endswith("x18, x19 and 10 more\n")


def test_risk_takes_persons(source: Path) -> None:
    assert "Persons" in run_command("risk", source, "--time", "ended", "--person", "patient").stdout


def test_a_sweep_says_whom_it_is_for(source: Path, tmp_path: Path) -> None:
    words = ["sweep", source, "--time", "ended", "--delta", 0.2, "--method", "twin", "--runs", 1]
    found = run_command(*words, "--person", "patient", "--cases-per-person", 2, "--html", tmp_path / "s.html")
    assert "Made for people with up to 2 cases, all of them together." in found.stdout
    assert "Made for people with up to 2 cases" in (tmp_path / "s.PRIVATE.html").read_text()
    result = run_command(*words, "--cases-per-person", 2, ok=False)
    assert (
        "--cases-per-person needs a log that says whose each case is: name that column with --person" in result.stderr
    )
    assert result.stderr.count("\n") == 1


def test_the_log_may_follow_a_column(source: Path) -> None:
    result = run_command("sweep", "--keep", "nowhere", source, "--time", "ended", "--delta", 0.1, 0.2, ok=False)
    assert "there is no column 'nowhere' to keep" in result.stderr
    result = run_command("sweep", "--keep", "nowhere", "7", ok=False)  # a file of this name, and not another column
    assert "7: the format is not clear from the name" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--keep", "nowhere"], "there is no column 'nowhere' to keep: name one with --keep; there are: "),
        (["--keep-case", "nowhere"], "name one with --keep-case"),
        (["--keep", "case"], "'case' is the column of the case: leave it out of --keep"),
        (["--keep", "ended"], "'ended' is the column of the time: leave it out of --keep"),
        (["--number", "role"], "not kept: name it with --keep or --keep-case too"),
        (["--keep", "role", "--number", "role"], "4 of 4 cells of 'role' are no numbers, such as 'nurse'"),
        (["--keep", "role", "--number", "role"], "the first at line 2, case '1'"),
        (["--keep", "role", "--number", "role"], "leave the column out of --number"),
        (["--start", "nowhere"], "there is no column 'nowhere' for the start: name one with --start"),
        (["--person", "nowhere"], "there is no column 'nowhere' for the person: name one with --person"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_line_and_nothing_is_written(
    options: list[str], message: str, source: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.csv"
    result = run_command("anonymize", source, "-o", output, "--time", "ended", *options, ok=False)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not output.exists()


@pytest.mark.parametrize("kind", ["xes.gz", "csv", "parquet"])
def test_compare_reads_the_release_with_the_columns_of_the_original(kind: str, source: Path, tmp_path: Path) -> None:
    kept = {"keep": ["role", "cost"], "keep_case": ["age"], "numbers": ["cost", "age"]}
    log = read_log(source, time="ended", start="begun", **kept)
    release = tmp_path / f"release.{kind}"
    write_log(log, release)
    found = json.loads(run_command("compare", source, release, *COLUMNS, "--start", "begun", "--json").stdout)
    assert found["cases_before"] == found["cases_after"] == 3
    result = run_command("compare", source, release, "--time", "ended", "--keep", "rest", ok=False)
    assert "release" in result.stderr
    assert "there is no column 'rest' to keep" in result.stderr


@pytest.mark.parametrize(
    "option",
    [["--keep", "role"], ["--keep-case", "age"], ["--start", "begun"], ["--person", "patient"], ["--number", "cost"]],
)
def test_spark_refuses_them_with_one_sentence(option: list[str], source: Path, tmp_path: Path) -> None:
    output = ["-o", str(tmp_path / "out"), "--method", "amun", "--engine", "spark"]
    result = run_command("anonymize", source, *output, *option, ok=False)
    assert result.exit_code == 2
    assert f"{option[0]} does not go with --engine spark: leave one of them out" in result.stderr


def test_a_column_whose_values_are_public_may_have_many(tmp_path: Path) -> None:
    path, values = tmp_path / "log.csv", tmp_path / "values.txt"
    names = [f"v{number}" for number in range(5_001)]
    rows = [f"{number // 3},A,2024-01-01T00:00:00Z,{name}" for number, name in enumerate(names)]
    path.write_text("\n".join(["case,task,time,code", *rows]) + "\n")
    values.write_text("\n".join(names) + "\n")
    output = tmp_path / "out.csv"
    result = run_command("anonymize", path, "-o", output, "--keep", "code", ok=False)
    assert "'code' has 5,001 different texts, more than 5,000, so it looks like an id" in result.stderr
    assert "with --values if they are public" in result.stderr
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    result = run_command("anonymize", path, "-o", output, "--keep", "code", "--values", f"code={empty}", ok=False)
    assert "empty.txt: has no values: write one value in each line" in result.stderr
    run_command("anonymize", path, "-o", output, "--keep", "code", "--values", f"code={values}", "--quiet")
    assert output.read_text().startswith("case:concept:name,concept:name,time:timestamp,code\n")
