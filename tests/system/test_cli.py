"""The command: help, summaries, JSON, pipes, and logs of every shape."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import click
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import unsingle
from support.helpers import log_of
from support.helpers import run_command as run
from unsingle import EventLog, read_log, write_log
from unsingle.auditor import kinds
from unsingle.cli.app import main
from unsingle.cli.bar import Bar, release_steps
from unsingle.errors import LogError
from unsingle.methods import DEFAULT, METHODS, Method
from unsingle.methods.base import Outcome, ParameterKind, parameter
from unsingle.methods.twin import Twin
from unsingle.privacy.random import Randomness
from unsingle.progress import MEASURE, READ, STEPS, WRITE, Progress

COMMAND = [sys.executable, "-m", "unsingle"]
KEYS = {
    "cases_in", "cases_out", "events_in", "events_out", "variants_in", "variants_out", "oversampling_ratio", "smape",
    "method", "delta", "seconds", "guarantee",
}  # fmt: skip


# --- help --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [None, *main.commands])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_explains_itself(command: str | None, option: str) -> None:
    text = run(*([command] if command else []), option).stdout
    assert text.startswith("Usage: ")
    described = main.commands[command] if command else main
    assert str(described.help).splitlines()[0] in text
    for option in described.get_params(click.Context(described)):
        if option.param_type_name == "option":
            assert option.opts[-1] in text
            assert getattr(option, "help", None), f"{option.name} has no help"
    assert max(map(len, text.splitlines())) <= 100


def test_without_arguments_it_explains_itself() -> None:
    assert run().stdout == run("--help").stdout
    assert set(re.findall(r"^  (\w+) ", run().stdout.partition("Commands:")[2], re.MULTILINE)) == set(main.commands)


def test_version() -> None:
    assert run("--version").stdout == f"unsingle, version {unsingle.__version__}\n"


HEAVY = {"numpy", "polars", "rich", "pandas", "isal", "pyspark", "starlette"}


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["inspect", "--help"], set()),
        (["inspect", "--colour"], set()),
        (["anonymize", "--help"], {"numpy"}),  # the methods, whose parameters are its options
        (["anonymize", "--colour"], {"numpy"}),
        (["audit", "--help"], {"numpy"}),
        (["sweep", "--help"], {"numpy"}),
    ],
    ids=str,
)
def test_help_and_wrong_options_load_no_more_than_the_methods(arguments: list[str], loaded: set[str]) -> None:
    code = (
        "import sys\n"
        "from unsingle.cli.app import main\n"
        "try: main(sys.argv[1:])\n"
        f"finally: print(sorted({HEAVY} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == str(sorted(loaded))


def test_the_installed_command_is_the_same() -> None:
    script = Path(sys.executable).with_name("unsingle")
    if not script.exists():
        pytest.skip(f"the command is not installed beside {sys.executable}")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == run("--version").stdout


# --- what it shows -----------------------------------------------------------------------------------------------


AMUN = ["--method", "amun"]


@pytest.mark.parametrize("seed", [[], ["--seed", "1"]])
@pytest.mark.parametrize(
    ("options", "most_lines"),
    [
        ([], 36),  # with what each part cost
        (AMUN, 29),
        ([*AMUN, "--precision", "10min"], 29),
        ([*AMUN, "--as-published"], 29),
        ([*AMUN, "--as-published", "--precision", "10min"], 29),
    ],
)
def test_the_summary_fits_a_small_terminal(
    options: list[str], most_lines: int, seed: list[str], hospital: Path, tmp_path: Path
) -> None:
    result = run("anonymize", hospital, "-o", tmp_path / "x.xes", *options, *seed)
    lines = result.stdout.replace(str(tmp_path), ".").splitlines()
    assert len(lines) <= most_lines
    assert max(map(len, lines)) <= 80
    text = result.stdout
    assert text.count("NOT FOR PUBLICATION") == bool(seed) + options.count("--as-published")
    assert "Guarantee\n  " in text
    assert "PRIVATE, do not publish" in text
    assert text.index("Guarantee") < text.index("PRIVATE")


def test_a_wide_terminal_is_used_up_to_a_point(hospital: Path, tmp_path: Path) -> None:
    arguments = ["anonymize", str(hospital), "-o", str(tmp_path / "x.xes")]
    result = CliRunner().invoke(main, arguments, env={"COLUMNS": "300"})
    assert 80 < max(map(len, result.stdout.splitlines()[1:])) <= 100


def test_inspect_shows_what_is_in_the_log(hospital: Path) -> None:
    log = read_log(hospital)
    text = run("inspect", hospital).stdout
    assert text.startswith("PRIVATE: ")
    for number in (log.n_cases, log.n_events, log.variants.count, len(log.labels)):
        assert re.search(rf"  {number:,}\n", text)
    assert len(text.splitlines()) <= 24
    found = json.loads(run("inspect", hospital, "--json").stdout)
    assert (found["cases"], found["events"]) == (log.n_cases, log.n_events)
    assert found["columns"]["case"] == "case:concept:name"


def test_json_has_all_figures(hospital: Path, tmp_path: Path) -> None:
    result = run("anonymize", hospital, "-o", tmp_path / "x.xes", "--json", "--delta", 0.3)
    figures = json.loads(result.stdout)
    assert figures.keys() >= KEYS
    seconds = figures["seconds"]
    assert list(seconds) == [READ, *METHODS[DEFAULT].stages, WRITE, MEASURE, "total"]
    assert seconds["total"] >= sum(value for step, value in seconds.items() if step != "total") - 0.01
    log, release = read_log(hospital), read_log(tmp_path / "x.xes")
    assert (figures["cases_in"], figures["events_in"]) == (log.n_cases, log.n_events)
    assert (figures["cases_out"], figures["events_out"]) == (release.n_cases, release.n_events)
    assert figures["variants_in"] == figures["variants_out"] == log.variants.count == release.variants.count
    assert figures["oversampling_ratio"] == release.n_cases / log.n_cases
    assert (figures["method"], figures["delta"]) == ("twin", 0.3)
    assert "0.3" in figures["guarantee"]
    assert result.stderr == ""


def test_json_is_ascii_so_that_every_terminal_can_show_it(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("case,activity,время\n1,A,2024-01-01\n")
    result = run("inspect", tmp_path / "log.csv", "--time", "время", "--json")
    assert result.stdout.isascii()
    assert json.loads(result.stdout)["columns"]["time"] == "время"


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_quiet_says_nothing_but_json_if_asked(extra: list[str], hospital: Path, tmp_path: Path) -> None:
    result = run("anonymize", hospital, "-o", tmp_path / "x.xes", "--quiet", *extra)
    assert result.stderr == ""
    assert bool(result.stdout) == bool(extra)
    refused = run("anonymize", hospital, "-o", tmp_path / "x.xes", "--quiet", ok=False)
    assert "exists already" in refused.stderr


def test_a_terminal_sees_the_progress_and_the_same_summary(hospital: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*COMMAND, "anonymize", str(hospital), "-o", str(tmp_path / "x.xes")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        seen = b""
        while chunk := read_some(ours):
            seen += chunk
        assert process.stdout is not None
        assert process.stdout.read().startswith("Release: ")
    assert process.returncode == 0
    assert STEPS[READ].encode() in seen
    assert b"using columns" in seen
    os.close(ours)


def read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other side has gone
        return b""


# --- pipes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["xes", "xes.gz", "csv", "csv.gz", "parquet"])
def test_pipes_in_and_out(kind: str, tmp_path: Path) -> None:
    log = log_of([(["A", "é\n"], [0, 60_000]), (["A"], [0])])
    write_log(log, tmp_path / f"log.{kind}")
    command = [*COMMAND, "anonymize", "-", "-o", "-", "--format", kind, "--seed", "1", "--allow-line-ends"]
    done = subprocess.run(command, input=(tmp_path / f"log.{kind}").read_bytes(), capture_output=True, check=True)
    (tmp_path / f"release.{kind}").write_bytes(done.stdout)
    released = read_log(tmp_path / f"release.{kind}", allow_line_ends=True)
    read = read_log(tmp_path / f"log.{kind}", allow_line_ends=True)
    assert read == log
    assert released == unsingle.anonymize(read, seed=1).log
    assert b"Release: standard output\n" in done.stderr
    found = run("inspect", "-", "--format", kind, "--json", "--allow-line-ends", stdin=done.stdout)
    assert json.loads(found.stdout)["cases"] == released.n_cases


def test_json_goes_beside_a_release_on_standard_output(hospital: Path) -> None:
    result = run("anonymize", hospital, "-o", "-", "--format", "csv", "--json")
    assert result.stdout.startswith("case:concept:name,concept:name,time:timestamp\n")
    assert json.loads(result.stderr).keys() >= KEYS


def test_the_format_is_for_names_that_do_not_tell(hospital: Path, tmp_path: Path) -> None:
    result = run("anonymize", hospital, "-o", "-", "--format", "csv", "--quiet")
    (tmp_path / "unnamed").write_text(result.stdout)
    run("anonymize", tmp_path / "unnamed", "-o", tmp_path / "x.parquet", "--format", "csv")
    assert read_log(tmp_path / "x.parquet").variants.count == read_log(hospital).variants.count
    assert run("inspect", hospital, "--format", "csv", "--json").exit_code == 0


def test_a_named_pipe_can_be_read(tmp_path: Path) -> None:
    command = f"{' '.join(COMMAND)} inspect <(printf 'case,task,time\\n1,A,2024-01-01\\n') --format csv --json"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["events"] == 1


# --- reading options ---------------------------------------------------------------------------------------------


def test_reading_options_reach_the_reader(tmp_path: Path) -> None:
    source = tmp_path / "log.csv"
    source.write_text("id;what;phase;at\n1;A;start;03/04/2024 10:00\n1;A;end;03/04/2024 11:00\n2;B;end;05/04/2024\n")
    options = ["--case", "id", "--activity", "what+phase", "--time", "at", "--time-format", "%d/%m/%Y %H:%M"]
    refused = run("inspect", source, *options, ok=False)
    assert "1 of 3 times cannot be read (column 'at', such as '05/04/2024'), the first at line 4" in refused.stderr
    source.write_text(source.read_text().replace("05/04/2024", "05/04/2024 12:00"))
    found = json.loads(run("inspect", source, *options, "--timezone", "Europe/Berlin", "--json").stdout)
    assert found["columns"] == {"case": "id", "activity": "what+phase", "time": "at"}
    assert (found["activities"], found["first_event"]) == (3, "2024-04-03T10:00:00.000+02:00")


def test_the_same_seed_gives_the_same_file_and_no_seed_another(hospital: Path, tmp_path: Path) -> None:
    contents = []
    for number, seed in enumerate([["--seed", 5], ["--seed", 5], [], []]):
        run("anonymize", hospital, "-o", tmp_path / f"{number}.csv", *seed)
        contents.append((tmp_path / f"{number}.csv").read_bytes())
    assert contents[0] == contents[1]
    assert len(set(contents)) == 3


def test_synthesize_writes_all_formats(tmp_path: Path) -> None:
    for ending in ("xes", "xes.gz", "csv", "csv.gz", "parquet"):
        result = run("synthesize", "-o", tmp_path / f"log.{ending}", "--cases", 30, "--seed", 4)
        assert result.stderr.startswith("30 cases, ")
        assert result.stdout == ""
        assert read_log(tmp_path / f"log.{ending}") == read_log(tmp_path / "log.xes")
    piped = run("synthesize", "-o", "-", "--format", "csv", "--cases", 30, "--seed", 4)
    assert piped.stdout == (tmp_path / "log.csv").read_text()


# --- logs of every shape -----------------------------------------------------------------------------------------

DAY = 86_400_000
SHAPES = {
    "one event": [(["A"], [0])],
    "cases of one event": [(["A"], [i]) for i in range(50)],
    "one case": [(list("ABCA"), [0, 5, 5, 9000])],
    "all times equal": [(list("ABC"), [7, 7, 7])] * 20 + [(list("AC"), [7, 7])],
    "one variant": [(list("ABC"), [i, i + 1000 * i, i + 90_000 * i]) for i in range(40)],
    "whole days": [(list("AB"), [i * DAY, 2 * i * DAY]) for i in range(20)],
    "odd labels": [(["a,b", 'say "hi"', "<&>", "two\nlines", "🏥", " "  "x"], [0, 1, 2, 3, 4, 5])],
    "the ends of the calendar": [(["A", "B"], [-50_000_000_000_000, 253_402_300_799_000])],
}  # fmt: skip


@pytest.mark.parametrize("method", [[], AMUN, [*AMUN, "--as-published"], [*AMUN, "--time-from", "start"]], ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_logs_of_every_shape(shape: str, method: list[str], tmp_path: Path) -> None:
    log = log_of(SHAPES[shape])
    write_log(log, tmp_path / "log.csv")
    for ending in ("xes", "csv", "parquet"):
        words = ["-o", tmp_path / f"release.{ending}", "--json", "--allow-line-ends", *method]
        result = run("anonymize", tmp_path / "log.csv", *words)
        figures = json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        released = read_log(tmp_path / f"release.{ending}", allow_line_ends=True)
        assert released.variant_counts().keys() == log.variant_counts().keys()
        assert figures["cases_out"] == released.n_cases
        assert released.n_cases >= (log.n_cases if "amun" in method else 1)
    run("inspect", tmp_path / "log.csv", "--allow-line-ends")


def large_csv(path: Path, case: np.ndarray, activity: np.ndarray) -> EventLog:
    time = pl.Series(np.arange(len(case)) * 1000 + 1_700_000_000_000).cast(pl.Datetime("ms"))
    pl.DataFrame({"case": case, "activity": activity, "time": time}).write_csv(path)
    return read_log(path)


def test_a_trace_of_200_000_events(tmp_path: Path) -> None:
    activity = np.random.default_rng(1).integers(0, 20, 200_000)
    write_log(large_csv(tmp_path / "log.csv", np.zeros(200_000, dtype=np.int64), activity), tmp_path / "log.xes.gz")
    result = run("anonymize", tmp_path / "log.xes.gz", "-o", tmp_path / "release.xes", "--json", "--delta", 0.9)
    figures = json.loads(result.stdout)
    assert (figures["events_in"], figures["variants_out"]) == (200_000, 1)
    text = (tmp_path / "release.xes").read_bytes()
    assert text.count(b"</event>") == figures["events_out"] == 200_000 * figures["cases_out"]


def test_100_000_variants(tmp_path: Path) -> None:
    """Case i takes the digits of i as its path."""
    digits = np.stack([np.arange(100_000) // 10**k % 10 for k in range(5)], axis=1)
    log = large_csv(tmp_path / "log.csv", np.repeat(np.arange(100_000), 5), digits.ravel())
    assert log.variants.count == 100_000
    found = json.loads(run("inspect", tmp_path / "log.csv", "--json").stdout)
    assert (found["variants"], found["states"], found["unique_variant_share"]) == (100_000, 6, 1.0)
    result = run("anonymize", tmp_path / "log.csv", "-o", tmp_path / "release.csv.gz", "--json", "--delta", 0.5)
    assert json.loads(result.stdout)["variants_out"] == 100_000
    released = read_log(tmp_path / "release.csv.gz")
    assert released.variants.count == 100_000


def test_standard_input_of_text_without_a_buffer_is_never_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stands for standard input, only its bytes are read, and it is left open."""
    content = io.BytesIO(b"case,task,time\n1,A,2024-01-01\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(content))
    assert read_log("-", format="csv").n_events == 1
    assert not content.closed


# --- methods and their parameters --------------------------------------------------------------------------------

VALUES = {
    "delta": 0.3,
    "grid": "day",
    "slack": 1e-7,
    "cases_per_person": 2,
    "values": "role=labels.txt",
    "pseudonyms": "role",
    "names": "role",
    "round": "cost=5",
    "calendar": "office.toml",
    "labels": "labels.txt",
    "time_from": "start",
    "precision": "10min",
}
PAIRS = [(method, name) for method in METHODS for name in VALUES]


@pytest.mark.parametrize(("method", "name"), PAIRS)
@pytest.mark.parametrize("command", ["anonymize", "audit"])
def test_an_option_that_the_method_does_not_use_is_an_error(
    command: str, method: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("labels.txt").write_text("A\n")
    Path("office.toml").write_text('days = ["Monday"]\n')
    Path("log.csv").write_text("not a log")
    words = ["-o", "x.csv"] if command == "anonymize" else []
    result = run(command, "log.csv", *words, "--method", method, f"--{name.replace('_', '-')}", VALUES[name], ok=False)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    owners = [each.name for each in METHODS.values() if name in each.parameters()]
    if method in owners:
        assert "does not go with" not in result.stderr  # the log is bad, which is found out later
        assert "log.csv" in result.stderr
    else:
        option = f"--{name.replace('_', '-')}"
        assert f"{option} does not go with the method {method}: it is for {', '.join(owners)}" in result.stderr


def test_every_parameter_of_every_method_has_an_option() -> None:
    assert {name for method in METHODS.values() for name in method.parameters()} == set(VALUES)


@pytest.mark.parametrize("command", ["anonymize", "audit", "sweep"])
def test_the_help_lists_all_methods(command: str) -> None:
    text = run(command, "--help").stdout.partition("Methods")[2]
    for method in METHODS.values():
        assert re.search(rf"^  {method.name} +{method.title[:20]}", text, re.MULTILINE)


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if not method.keeps_variants])
def test_same_paths_are_not_asked_of_a_method_that_loses_some(method: str, hospital: Path, tmp_path: Path) -> None:
    words = ["-o", tmp_path / "x.xes", "--method", method, "--paths", "same"]
    result = run("anonymize", hospital, *words, ok=False)
    assert f"--paths same does not go with the method {method}" in result.stderr


def test_a_file_of_labels_is_not_asked_for_where_the_method_takes_none(hospital: Path, tmp_path: Path) -> None:
    result = run("anonymize", hospital, "-o", tmp_path / "x.xes", "--labels", tmp_path / "missing.txt", ok=False)
    assert f"--labels does not go with the method {DEFAULT}: it is for" in result.stderr


def test_the_command_and_the_library_have_the_same_default_method(hospital: Path, tmp_path: Path) -> None:
    figures = json.loads(run("anonymize", hospital, "-o", tmp_path / "x.xes", "--json").stdout)
    assert figures["method"] == DEFAULT == unsingle.anonymize(read_log(hospital)).method.name
    for function in (unsingle.anonymize, unsingle.audit):
        assert signature(function).parameters["method"].default == DEFAULT
    assert f"[default: {DEFAULT}]" in run("anonymize", "--help").stdout


def test_all_kinds_of_attacks_are_offered(hospital: Path) -> None:
    text = " ".join(run("audit", "--help").stdout.split())
    assert f"such as {', '.join(kinds())}." in text
    refused = run("audit", hospital, "--attack", "magic", ok=False)
    assert f"choose from {', '.join(kinds())}" in refused.stderr


@dataclass(frozen=True)
class Toy(Twin):
    """A method as a plug-in has it: publishes the log as it is."""

    name = "toy"
    rank = 99
    title = "publishes everything"
    stages = MappingProxyType({"play": "playing"})
    has_budget = False
    luck: str = parameter("good", ParameterKind.CHOICE, "How lucky it is.", choices=("good", "bad"))

    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:  # noqa: ARG002
        """Release the log, or nothing."""
        progress.step("play")
        if self.luck == "bad":
            raise LogError("no luck")
        return Outcome(log)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> type[Method]:
    assert len(METHODS) > 1  # loaded
    monkeypatch.setitem(METHODS._items, Toy.name, Toy)
    return Toy


@pytest.mark.usefixtures("toy")
def test_a_method_of_a_plug_in_shows_up_by_itself(hospital: Path, tmp_path: Path) -> None:
    for command in ("anonymize", "audit"):
        text = " ".join(run(command, "--help").stdout.split())
        assert "toy publishes everything" in text
        assert "--luck [good|bad] How lucky it is. For toy. [default: good]" in text
    figures = json.loads(run("anonymize", hospital, "-o", tmp_path / "x.xes", "--method", "toy", "--json").stdout)
    assert (figures["method"], figures["cases_out"]) == ("toy", 150)
    assert "play" in figures["seconds"]
    unlucky = run("anonymize", hospital, "-o", tmp_path / "y.xes", "--method", "toy", "--luck", "bad", ok=False)
    assert "no luck" in unlucky.stderr
    other = run("anonymize", hospital, "-o", tmp_path / "y.xes", "--luck", "bad", ok=False)
    assert f"does not go with the method {DEFAULT}: it is for toy" in other.stderr
    points = json.loads(run("sweep", hospital, "--method", "toy", "--delta", 0.2, "--runs", 1, "--json").stdout)[
        "points"
    ]
    assert [point["method"] for point in points] == ["toy"]


def test_the_parameters_reach_the_method(hospital: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Method] = []
    whole = unsingle.anonymize

    def spy(log: EventLog, *, method: Method, **how: object) -> object:
        seen.append(method)
        return whole(log, method=method, **how)

    monkeypatch.setattr("unsingle.release.anonymize", spy)
    (tmp_path / "labels.txt").write_text("\n".join(read_log(hospital).labels))
    public = ["--labels", tmp_path / "labels.txt", "--slack", "1e-5", "--grid", "hour", "--delta", 0.45]
    run("anonymize", hospital, "-o", tmp_path / "x.xes", "--paths", "crowds", *public)
    paper = ["--time-from", "start", "--precision", "10min"]
    run("anonymize", hospital, "-o", tmp_path / "y.xes", *AMUN, "--as-published", *paper)
    assert seen[0] == METHODS["twin-crowds"](0.45, "hour", 1e-5, labels=read_log(hospital).labels)
    assert seen[1] == METHODS["as-published"](time_from="start", precision="10min")


# --- making, then measuring --------------------------------------------------------------------------------------


def fail(error: BaseException) -> object:
    def fails(*_: object, **__: object) -> None:
        raise error

    return fails


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt(), 130, "unsingle: interrupted, the release was written: {}"),
        (MemoryError(), 2, "unsingle: there is not enough memory for this log: .* \\(the release was written: {}\\)"),
        (LogError("no"), 2, "unsingle: no \\(the release was written: {}\\)"),
        (ZeroDivisionError(), 2, "unsingle: unexpected ZeroDivisionError: .* \\(the release was written: {}\\)"),
    ],
)
def test_a_release_is_there_before_it_is_measured(
    error: BaseException, code: int, message: str, hospital: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unsingle.evaluation.figures.measure", fail(error))
    result = run("anonymize", hospital, "-o", tmp_path / "x.xes", ok=False)
    assert (result.exit_code, result.stdout) == (code, "")
    assert re.fullmatch(message.format(tmp_path / "x.xes"), result.stderr.strip())
    assert read_log(tmp_path / "x.xes").n_cases > 0


def test_a_quiet_release_is_not_measured(hospital: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unsingle.evaluation.figures.measure", fail(AssertionError()))
    run("anonymize", hospital, "-o", tmp_path / "x.xes", "--quiet")
    assert run("anonymize", hospital, "-o", tmp_path / "y.xes", ok=False).exit_code == 2


# --- the progress bar --------------------------------------------------------------------------------------------


class Watched(Bar):
    """A bar that remembers how far it was after each change, of how much in all."""

    bars: ClassVar[list[Watched]] = []

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.seen: list[float] = []
        self.steps: list[str] = []
        self.bars.append(self)

    def step(self, name: str) -> None:
        self.steps.append(name)
        super().step(name)

    def show(self, step: str, fraction: float) -> None:
        super().show(step, fraction)
        self.seen.append(self._bar.tasks[0].completed)


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    """The bars of a command that is run on a terminal, which is a fake."""
    monkeypatch.setattr("unsingle.cli.bar.Bar", Watched)
    monkeypatch.setattr("unsingle.cli.bar._on_terminal", lambda: True)
    monkeypatch.setattr(Watched, "bars", [])
    return Watched.bars


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ending", ["xes", "csv"])
def test_the_bar_never_runs_backwards(method: str, ending: str, bars: list[Watched], tmp_path: Path) -> None:
    write_log(unsingle.synthesize(cases=400, seed=2), tmp_path / f"log.{ending}")
    words = ["-o", tmp_path / "x.xes", "--method", method, "--delta", 0.3, "--seed", 1]
    run("anonymize", tmp_path / f"log.{ending}", *words)
    (bar,) = Watched.bars
    assert bar.seen == sorted(bar.seen)
    expected = release_steps(METHODS[method]())
    assert tuple(dict.fromkeys(bar.steps)) == expected
    assert len(expected) - 1 <= bar.seen[-1] <= len(expected)


def test_the_bar_of_a_comparison_counts_both_logs(bars: list[Watched], hospital: Path) -> None:
    run("compare", hospital, hospital)
    (bar,) = Watched.bars
    assert bar.seen == sorted(bar.seen)
    assert {1.0, 2.0} <= set(bar.seen)


def test_a_step_that_is_done_twice_leaves_the_bar_where_it_is() -> None:
    bar = Watched(("read", "times"), {})
    for step, fractions in (("read", (0.5, 1.0, 0.2)), ("read", (0.1,)), ("unheard of", (0.5,)), ("times", (0.5,))):
        bar.step(step)
        for fraction in fractions:
            bar.at(fraction)
    assert bar.seen == sorted(bar.seen)
    assert bar.seen[-1] == 1.5
