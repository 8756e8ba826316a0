"""Every command that reads a log takes it in several files: what it finds is what it finds in one file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.helpers import run_command
from unsingle import synthesize, write_log


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A log in one file, ``one.csv``, and cut in the middle, in a folder of two."""
    write_log(synthesize(cases=60, seed=3), tmp_path / "one.csv")
    header, *rows = (tmp_path / "one.csv").read_text().splitlines(keepends=True)
    (tmp_path / "parts").mkdir()
    for number, part in enumerate((rows[: len(rows) // 2], rows[len(rows) // 2 :])):
        (tmp_path / "parts" / f"{number}.csv").write_text(header + "".join(part))
    return tmp_path


def figures(*arguments: object) -> dict[str, object]:
    found = json.loads(run_command(*arguments, "--json").stdout)
    return {name: each for name, each in found.items() if name not in ("read_as", "seconds", "private_keys")}


def test_releases_are_the_same(folder: Path) -> None:
    parts = sorted((folder / "parts").iterdir())
    for number, log in enumerate(([folder / "one.csv"], [folder / "parts"], parts, [folder / "parts" / "*.csv"])):
        run_command("anonymize", *log, "-o", folder / f"release-{number}.csv", "--seed", 1, "--delta", 0.2)
    assert len({(folder / f"release-{number}.csv").read_bytes() for number in range(4)}) == 1


@pytest.mark.parametrize("command", ["inspect", "risk"])
def test_figures_are_the_same(command: str, folder: Path) -> None:
    parts = sorted((folder / "parts").iterdir())
    assert figures(command, folder / "one.csv") == figures(command, folder / "parts") == figures(command, *parts)


def test_a_sweep_takes_several(folder: Path) -> None:
    told = run_command("sweep", folder / "parts", "--delta", 0.2, "--method", "twin", "--runs", 1)
    assert "2 files" in told.stderr


def test_a_release_is_compared_with_and_attacked_beside_several(folder: Path) -> None:
    run_command("anonymize", folder / "parts", "-o", folder / "release.xes", "--delta", 0.2)
    parts = sorted((folder / "parts").iterdir())
    one, several = (figures("compare", *log, folder / "release.xes") for log in ([folder / "one.csv"], parts))
    assert one == several
    told = run_command("audit", folder / "parts" / "*.csv", folder / "release.xes", "--delta", 0.2, ok=False)
    assert "2 files" in told.stderr
    assert told.exit_code in (0, 1)
    profile = run_command("profile", folder / "parts").stdout
    assert 'case = "case:concept:name"' in profile


def test_no_input_is_overwritten_and_nothing_is_written_over_bad_input(folder: Path) -> None:
    parts = sorted((folder / "parts").iterdir())
    told = run_command("anonymize", *parts, "-o", parts[1], "--force", ok=False)
    assert told.exit_code == 2
    assert "is the input itself" in told.stderr
    (folder / "parts" / "notes.txt").write_text("x")
    for log in ([folder / "parts"], [folder / "one.csv", folder / "parts" / "notes.txt"], [folder / "x*.csv"]):
        told = run_command("anonymize", *log, "-o", folder / "release.csv", ok=False)
        assert told.exit_code == 2
        assert len(told.stderr.strip().splitlines()) == 1
        assert not (folder / "release.csv").exists()


def test_missing_columns_come_with_a_command_to_copy(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("Kunde,Aktivitaeten,Wann\n1,A,2024-01-01\n")
    told = run_command("inspect", log, "--time", "wan", ok=False).stderr
    assert told.endswith(
        "no column 'wan' for the time (did you mean 'Wann'?): name them with --case, --activity and --time; there are: "
        f"'Kunde', 'Aktivitaeten', 'Wann'; to copy: unsingle inspect {log} --case COLUMN --activity Aktivitaeten "
        "--time Wann\n"
    )
    assert run_command("inspect", log, "--case", "KUNDE", "--activity", "aktivitaeten", "--time", "wann").exit_code == 0
