"""The command: help, summaries, JSON, pipes, and logs of every shape."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import unsingle
from helpers import log_of
from helpers import run_command as run
from unsingle import EventLog, offering, read_log, write_log
from unsingle.auditing.promises import KINDS
from unsingle.cli import main
from unsingle.methods import METHODS

COMMAND = [sys.executable, "-m", "unsingle"]
KEYS = {
    "cases_in", "cases_out", "events_in", "events_out", "variants_in", "variants_out", "oversampling_ratio", "smape",
    "method", "delta", "as_published", "seconds", "guarantee",
}  # fmt: skip


# --- help --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [None, *main.commands])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_explains_itself(command: str | None, option: str) -> None:
    text = run(*([command] if command else []), option).stdout
    assert text.startswith("Usage: ")
    described = main.commands[command] if command else main
    assert str(described.help).splitlines()[0] in text
    for parameter in described.params:
        if parameter.param_type_name == "option":
            assert parameter.opts[-1] in text
            assert getattr(parameter, "help", None), f"{parameter.name} has no help"
    assert max(map(len, text.splitlines())) <= 100


def test_without_arguments_it_explains_itself() -> None:
    assert run().stdout == run("--help").stdout
    assert set(re.findall(r"^  (\w+) ", run().stdout.partition("Commands:")[2], re.MULTILINE)) == set(main.commands)


def test_version() -> None:
    assert run("--version").stdout == f"unsingle, version {unsingle.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["anonymize", "--help"], ["--version"], ["inspect", "--colour"]])
def test_help_and_wrong_options_come_without_loading_anything(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        "from unsingle.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(sorted({'numpy', 'polars', 'rich', 'pandas', 'isal'} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "[]"


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
        (AMUN, 28),
        ([*AMUN, "--precision", "10min"], 28),
        ([*AMUN, "--as-published"], 28),
        ([*AMUN, "--as-published", "--precision", "10min"], 28),
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
    assert seconds.keys() >= {"read", "write", "total"}
    assert seconds["total"] >= sum(value for step, value in seconds.items() if step != "total") - 0.01
    log, release = read_log(hospital), read_log(tmp_path / "x.xes")
    assert (figures["cases_in"], figures["events_in"]) == (log.n_cases, log.n_events)
    assert (figures["cases_out"], figures["events_out"]) == (release.n_cases, release.n_events)
    assert figures["variants_in"] == figures["variants_out"] == log.variants.count == release.variants.count
    assert figures["oversampling_ratio"] == release.n_cases / log.n_cases
    assert (figures["method"], figures["delta"], figures["as_published"]) == ("twin", 0.3, False)
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
    assert b"read" in seen
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


def test_the_command_offers_all_methods_and_all_attacks() -> None:
    assert tuple(METHODS) == offering.METHODS
    attacks = next(option for option in main.commands["audit"].params if option.name == "attacks")
    assert tuple(attacks.type.choices) == tuple(KINDS)
