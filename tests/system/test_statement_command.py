"""Statements and records by the command."""

from __future__ import annotations

import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from support.browser import NAMES
from support.helpers import run_command


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log, its release, the statement, the record and the report."""
    folder = tmp_path_factory.mktemp("papers")
    run_command("synthesize", "-o", folder / "patients.csv", "--cases", 200, "--seed", 2)
    done = run_command(
        "anonymize", folder / "patients.csv", "-o", folder / "release.csv", "--delta", 0.1, "--statement",
        folder / "statement.html", "--record", folder / "record.html", "--report", folder / "report.html",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert "record.PRIVATE.html" in done.stderr
    return folder


def test_the_statement_may_be_read_by_others_and_names_no_original(made: Path) -> None:
    page = (made / "statement.html").read_text()
    assert "right at most 60 times in 100" in page
    assert "patients" not in page
    assert "PRIVATE" not in page


def test_the_record_is_private_and_names_original_columns_and_command(made: Path) -> None:
    record = made / "record.PRIVATE.html"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    page = record.read_text()
    for said in ("PRIVATE, DO NOT PUBLISH", "patients.csv", "sha256:", "--delta 0.1", "Legal basis", "signature"):
        assert said in page


def test_the_report_says_of_which_log_it_is_and_by_which_command(made: Path) -> None:
    page = (made / "report.PRIVATE.html").read_text()
    about = page.partition("About this report")[2]
    for said in ("patients.csv", "case = case", "unsingle anonymize", "--delta 0.1", " UTC"):
        assert said in about.partition("</section>")[0]


def test_a_statement_can_be_made_of_the_release_alone(made: Path) -> None:
    target = made / "again.html"
    done = run_command("statement", made / "release.csv", "--html", target)
    assert done.exit_code == 0
    assert target.read_text() == (made / "statement.html").read_text()
    for said in (
        "Who is protected?",
        "Its digest fits its content.",
        "right at most 60",
        "What may the data be used for?",
    ):
        assert said in " ".join(done.stdout.split())


def test_a_release_that_was_altered_has_no_statement(made: Path, tmp_path: Path) -> None:
    lines = (made / "release.csv").read_text().splitlines()
    (tmp_path / "release.csv").write_text("\n".join(lines[:-1]) + "\n")
    shutil.copy(made / "release.csv.release.json", tmp_path)
    done = run_command("statement", tmp_path / "release.csv", "--html", tmp_path / "s.html", ok=False)
    assert done.exit_code == 2
    assert "was altered since it was made (its digest does not fit)" in done.stderr
    assert not (tmp_path / "s.html").exists()


def test_what_does_not_say_how_it_was_made_has_no_statement(made: Path) -> None:
    done = run_command("statement", made / "patients.csv", ok=False)
    assert done.exit_code == 2
    assert "does not say how it was made" in done.stderr


@pytest.mark.parametrize("paper", ["--statement", "--record"])
def test_what_cannot_be_written_is_refused_before_any_work(paper: str, made: Path, tmp_path: Path) -> None:
    asked = ("anonymize", made / "patients.csv", "-o", tmp_path / "r.csv", paper, tmp_path / "no" / "x.html")
    done = run_command(*asked, ok=False)
    assert done.exit_code == 2
    assert "there is no folder" in done.stderr
    assert not (tmp_path / "r.csv").exists()
    dry = run_command("anonymize", made / "patients.csv", "--dry-run", paper, tmp_path / "x.html", ok=False)
    assert dry.exit_code == 2
    assert "--dry-run makes no release to write about" in dry.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("statement.html", 2), ("record.PRIVATE.html", 3)])
def test_they_print_on_few_pages(name: str, most: int, made: Path, tmp_path: Path) -> None:
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None or shutil.which("pdfinfo") is None:
        pytest.skip("no chromium or no pdfinfo on this machine, so nothing was printed")
    target = tmp_path / "page.pdf"
    subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--print-to-pdf={target}",
         (made / name).as_uri()],
        check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    found = subprocess.run(["pdfinfo", target], check=True, capture_output=True, text=True).stdout
    pages = int(next(line.split()[1] for line in found.splitlines() if line.startswith("Pages:")))
    assert pages <= most
