"""Every block of code in the documents runs: first all commands, then all Python; and so do the notebooks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import unsingle
from support.helpers import ROOT
from unsingle.formats.tables.frames import to_polars

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), ROOT / "CONTRIBUTING.md"]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))

TESTED_ELSEWHERE = {
    "docs/how-to-add": "tests/system/test_how_to_add.py",
    "docs/reference/library.md": "signatures, and examples that --doctest-modules runs",
    "docs/guide/scale.md": "tests/system/test_spark.py: needs a cluster",
}
OTHER_PROGRAMS = ("pip", "make", "docker", "rattler-build", "eval", "_UNSINGLE_COMPLETE", "#!")
"""What installs or builds; that its targets, extras and files exist is tested here, that they work by `.ci/run`."""
SERVERS = r"unsingle serve|--engine spark"

BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(document: Path) -> list[tuple[str, str]]:
    """The language and the text of each block of code."""
    return BLOCK.findall(document.read_text(encoding="utf-8"))


def name_of(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


RUN_HERE = [
    document
    for document in DOCUMENTS
    if blocks(document) and not any(name_of(document).startswith(name) for name in TESTED_ELSEWHERE)
]


def hospital(path: str, cases: int = 60, **renamed: str) -> None:
    """A synthetic log under names of columns that a document uses."""
    frame = to_polars(unsingle.synthesize(cases=cases, seed=1))
    frame.rename({frame.columns[place]: name for place, name in enumerate(renamed.values())}).write_csv(path)


def usual_files() -> None:
    """A log as XES with columns to keep, as the command makes it."""
    unsingle_("synthesize --cases 120 -o log.xes.gz")


def with_release() -> None:
    """The same, and a release of it."""
    usual_files()
    unsingle_("anonymize log.xes.gz --delta 0.2 -o release.xes.gz")


def of_readme() -> None:
    usual_files()
    hospital("log.csv", case="Case ID", activity="Task", time="End time")


def of_reports() -> None:
    usual_files()
    text = "case,activity,time,patient_id\n"
    Path("log.csv").write_text(text + "".join(f"{case},a,2024-01-01 08:00,{case // 2}\n" for case in range(100)))


def of_profiles() -> None:
    for year in (2023, 2024):
        hospital(f"orders-{year}.csv", case="Order", activity="activity", time="Done")
        lines = Path(f"orders-{year}.csv").read_text().splitlines()
        Path(f"orders-{year}.csv").write_text("\n".join([f"{lines[0]},Ward", *(f"{each},W1" for each in lines[1:])]))


def of_nightly() -> None:
    hospital("events.csv", cases=5000)  # so that steps are taken by many at a small delta
    Path("orders.toml").write_text('timezone = "Europe/Berlin"\n')


def of_exports() -> None:
    """The rows that the page shows, as often as it takes for a log of 120 cases."""
    page = (ROOT / "docs" / "guide" / "exports.md").read_text(encoding="utf-8")
    samples = re.findall(r"^```text\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    for name, sample in zip(("sap", "servicenow", "disco", "stays"), samples, strict=True):
        header, *rows = sample.splitlines()
        ids = [re.split(r"[,;]", row)[0] for row in rows]
        many = [f"{each}9{n:03}{row[len(each) :]}" for n in range(120) for each, row in zip(ids, rows, strict=True)]
        Path(f"{name}.csv").write_text("\n".join([header, *many]) + "\n")
    import xlsxwriter

    with xlsxwriter.Workbook("2024.xlsx") as book:
        sheet = book.add_worksheet("Events")
        for number, row in enumerate([["case", "activity", "time"], ["1", "a", "2024-01-01 08:00"]]):
            sheet.write_row(number, 0, row)
    Path("months").mkdir()
    for month in (1, 2):
        hospital(f"months/{month}.csv", cases=20)


FILES: dict[str, Callable[[], None]] = {
    "README.md": of_readme,
    "docs/guide/reports.md": of_reports,
    "docs/guide/profiles.md": of_profiles,
    "docs/guide/nightly.md": of_nightly,
    "docs/guide/exports.md": of_exports,
    "docs/guide/before-you-publish.md": lambda: hospital("log.csv"),
    "docs/guide/notebook.md": lambda: hospital("log.csv"),
    "docs/guide/ledger.md": usual_files,
    "docs/guide/statement.md": usual_files,
    "docs/explanation/audit.md": with_release,
    "docs/reference/reproduction.md": usual_files,
    "docs/explanation/why-not-hashing.md": with_release,
}


def unsingle_(*commands: str) -> None:
    for command in commands:
        shell(f"unsingle {command}")


def shell(script: str) -> None:
    """Run it as a reader's shell would, where a command that finds personal labels is no mistake."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout[-1000:]}\n{done.stderr[-1000:]}"


def to_run(script: str) -> str:
    """The commands of a block without those of other programs, and what the reader would write in place of files."""
    joined = script.replace("\\\n", " ")
    lines = (line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith(OTHER_PROGRAMS))
    return "\n".join(_with_fewer_runs(line) for line in lines if not re.search(SERVERS, line))


def _with_fewer_runs(command: str) -> str:
    """The same attacks on fewer releases: that they find what they should is tested elsewhere."""
    command, _, remark = command.partition("#")
    if command.startswith("unsingle audit") and "--runs" not in command and " release." not in command:
        command += " --runs 3"
    return re.sub(r"--runs \d+", "--runs 3", command) + (f" #{remark}" if remark else "")


@pytest.mark.slow
@pytest.mark.parametrize("document", RUN_HERE, ids=name_of)
def test_the_code_of_a_document_runs(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "curl" in document.read_text(encoding="utf-8"):
        pytest.skip("the requests of this page are those of tests/system/test_web_api.py")
    monkeypatch.chdir(tmp_path)
    FILES.get(name_of(document), lambda: None)()
    for language, code in blocks(document):
        if language == "sh":
            shell(to_run(code))
    code = "\n".join(["import unsingle", *(code for language, code in blocks(document) if language == "python")])
    Path("script.py").write_text(code, encoding="utf-8")  # a process of its own: a page may register a measure
    shell("python script.py")


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_what_is_installed_and_built_is_there(document: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for _, code in (each for each in blocks(document) if each[0] == "sh"):
        for target in re.findall(r"^make ([\w-]+)", code, re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
        for extras in re.findall(r"pip install '(?:\.|unsingle)\[([\w,]+)\]'", code):
            assert all(f"\n{extra} = [" in project for extra in extras.split(",")), extras
        for path in re.findall(r"packaging/[\w/]+", code):
            assert (ROOT / path).exists(), path


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_blocks_say_what_they_are(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    languages = re.findall(r"^```(\w*)$", text, re.MULTILINE)[::2]
    assert set(languages) <= {"sh", "python", "text", "toml", "json"}, languages


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook: Path, tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    shutil.copy(notebook, tmp_path)
    cells = nbformat.read(tmp_path / notebook.name, as_version=4)
    assert all(cell.get("outputs", []) == [] for cell in cells.cells), "outputs show logs: clear them"
    nbclient.NotebookClient(cells, timeout=200, resources={"metadata": {"path": str(tmp_path)}}).execute()
    if "first-release" in notebook.stem:
        assert (tmp_path / "release.xes.gz").exists()


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 5
    guide = (ROOT / "docs" / "guide" / "notebook.md").read_text(encoding="utf-8")
    assert all(f"examples/{each.name}" in guide for each in NOTEBOOKS)
