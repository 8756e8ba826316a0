"""`unsingle demo`: all steps on a synthetic log, by the commands that it prints."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from unsingle import read_log, read_release
from unsingle.cli.app import main
from unsingle.cli.demo import HOSPITAL, MADE, TO_PUBLISH


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_makes_what_it_lists_and_nothing_else(folder: Path) -> None:
    result = CliRunner().invoke(main, ["demo", "shown", "--cases", "150", "--delta", "0.1"])
    assert result.exit_code == 0, result.output
    assert {path.name for path in (folder / "shown").iterdir()} == set(MADE)
    for name, what in MADE.items():
        assert any(f"shown/{name}" in line and what in line for line in result.stdout.splitlines())
        assert ("private" in what) == ("PRIVATE" in name)
    assert read_release(folder / "shown" / TO_PUBLISH).facts.delta == 0.1
    assert Path.cwd() == folder


def test_the_commands_that_it_prints_do_the_same(folder: Path) -> None:
    result = CliRunner().invoke(main, ["demo", "--cases", "150"])
    printed = [line.removeprefix("$ ") for line in result.stdout.splitlines() if line.startswith("$ ")]
    assert printed[0] == "cd unsingle-demo"
    again = CliRunner()
    for command in printed[1:]:
        assert again.invoke(main, shlex.split(command)[1:]).exit_code == 0, command
    assert {path.name for path in folder.iterdir()} == {*MADE, "unsingle-demo"}
    one, other = (read_log(path / HOSPITAL).variant_counts() for path in (folder, folder / "unsingle-demo"))
    assert one == other


def test_what_is_there_is_kept_unless_force_is_given(folder: Path) -> None:
    assert CliRunner().invoke(main, ["demo", "--cases", "50"]).exit_code == 0
    log = folder / "unsingle-demo" / HOSPITAL
    before = log.read_bytes()
    refused = CliRunner().invoke(main, ["demo", "--cases", "60"])
    assert refused.exit_code == 2
    assert f"{HOSPITAL}: exists already: choose another name, or --force to overwrite it" in refused.stderr
    assert log.read_bytes() == before
    assert Path.cwd() == folder
    assert CliRunner().invoke(main, ["demo", "--cases", "60", "--force"]).exit_code == 0
    assert log.read_bytes() != before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["file"], "'file' is a file"),
        (["file/below"], "file/below: cannot be written"),
        (["--cases", "0"], "Invalid value for '--cases'"),
        (["--delta", "2"], "delta must be a number between 0 and 1"),
    ],
)
def test_bad_input_is_told_in_one_line(words: list[str], message: str, folder: Path) -> None:
    (folder / "file").touch()
    result = CliRunner().invoke(main, ["demo", *words])
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]
    assert [path.name for path in folder.rglob("*")] == ["file"]
