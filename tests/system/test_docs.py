"""What the documents say is what the code does."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import unsingle
from support.browser import Watched, browser
from support.helpers import ROOT
from unsingle.core.wording import at_most
from unsingle.evaluation.risk import gain_of_person
from unsingle.formats.tables.frames import to_polars
from unsingle.methods import chosen
from unsingle.privacy.advantage import checked_delta, count_advantage
from unsingle.privacy.terms import paths_of_many, same_paths
from unsingle.release import anonymize

PACKAGE = Path(unsingle.__file__).parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("name", ["reference/command.md", "reference/library.md", "explanation/design.md"])
def test_what_is_generated_is_up_to_date(name: str) -> None:
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = ROOT / "docs" / name
    assert path.read_text(encoding="utf-8") == module.PAGES[path](), "run: make docs"


def test_the_reference_of_the_library_has_every_public_name() -> None:
    text = (ROOT / "docs" / "reference" / "library.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^### (\w+)$", text, re.MULTILINE))
    assert headings == {name for name in unsingle.__all__ if name != "__version__"}


def test_the_namespace_is_flat_sorted_and_whole() -> None:
    assert unsingle.__all__ == sorted(unsingle.__all__)
    assert set(unsingle.__all__) == {*unsingle._HOME, "__version__"}
    for name in unsingle.__all__:
        assert getattr(unsingle, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = unsingle.nothing_like_it


def test_no_public_function_is_hidden_by_a_module_of_its_name() -> None:
    script = "import unsingle.release, unsingle.synthetic, unsingle.formats, unsingle.auditor, unsingle.report\n"
    script += "import unsingle\nassert all(callable(getattr(unsingle, n)) for n in unsingle.__all__ if n[0] != '_')"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_public_name_says_what_it_is() -> None:
    assert not [name for name in unsingle.__all__ if name != "__version__" and not getattr(unsingle, name).__doc__]


def test_the_figures_of_the_guarantee_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "explanation" / "guarantees.md").read_text(encoding="utf-8")
    figures = [f"{count_advantage(checked_delta(delta)):.2f}" for delta in (0.1, 0.2, 0.3, 0.4, 0.5)]
    assert ", ".join(figures) in text


def test_the_figures_of_the_ladder_are_those_of_the_code() -> None:
    readme, guarantees, reports = (
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("README.md", "docs/explanation/guarantees.md", "docs/guide/reports.md")
    )
    twin, which_case = same_paths(0.2).all_spent(), chosen("strict").guarantee().promises[1].gain
    assert f"in at most {at_most(100 * twin.exchange.most_often(9))} % of releases" in readme
    assert f"at most {at_most(which_case)} about which of two cases" in readme
    assert f"{at_most(which_case)} on average at delta 0.2" in guarantees
    epsilons = (at_most(pair.epsilon(1e-6), 3) for pair in (twin.presence, twin.exchange))
    assert f"| {' | '.join(epsilons)} |" in guarantees
    assert f"({paths_of_many(0.2).threshold} cases at" in guarantees
    assert f"up to {gain_of_person(0.2, 2):.2f}, with three up to {gain_of_person(0.2, 3):.2f}" in reports


def test_what_is_gone_is_named_only_to_say_so() -> None:
    """One line of history, and the message; what was measured of it may stand in the tables of its time."""
    measured = {"benchmarks.md", "audit.md"}
    for document in (path for path in DOCUMENTS if path.name not in measured):
        for line in document.read_text(encoding="utf-8").splitlines():
            assert "blend" not in line or "gone" in line or "broken" in line, f"{document.name}: {line}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\((?!\w+://)([^)#\s]*)(?:#([^)]*))?\)", text):
        path = (document.parent / target).resolve() if target else document
        assert path.exists(), target
        assert not anchor or anchor in _anchors(path), f"{target}#{anchor}"


def _anchors(document: Path) -> set[str]:
    """What headings can be linked to by: lower case, without marks, hyphens for spaces."""
    headings = re.findall(r"(?m)^#+ (.*)$", document.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


MADE_BY_THE_READER = {
    f"src/unsingle/{name}.py"
    for name in ("methods/toy", "formats/jsonl", "evaluation/measures/long_cases", "auditor/attacks/weekday")
}
THERE = [
    path.as_posix() for name in ("src", "tests", "bench", "docs") for path in (ROOT / name, *(ROOT / name).rglob("*"))
]
FOLDERS = {path.relative_to(base).parts[0] for base in (ROOT, PACKAGE) for path in base.rglob("*.py")}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_that_documents_name_are_there(document: Path) -> None:
    named = re.findall(r"`([\w./-]+)`", document.read_text(encoding="utf-8"))
    files = {name for name in named if name.endswith(".py") or ("/" in name and name.partition("/")[0] in FOLDERS)}
    missing = {name for name in files if not any(path.endswith("/" + name.rstrip("/")) for path in THERE)}
    assert missing <= MADE_BY_THE_READER


def test_documents_that_the_code_names_are_there() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        for name in re.findall(r"docs/[\w/-]+\.md", path.read_text(encoding="utf-8")):
            assert (ROOT / name).is_file(), f"{path.name}: {name}"


def test_the_python_example_of_the_readme_runs(tmp_path, monkeypatch) -> None:
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    monkeypatch.chdir(tmp_path)
    names = ["Case ID", "Task", "End time"]
    frame = to_polars(unsingle.synthesize(cases=60))
    frame.rename(dict(zip(frame.columns, names, strict=True))).write_csv("log.csv")
    exec(code[1], {})
    assert (tmp_path / "published.xes.gz").stat().st_size > 0


def test_as_published_promises_nothing() -> None:
    release = anonymize(unsingle.synthesize(cases=30), 0.2, method="amun", as_published=True)
    assert release.guarantee.statement.startswith("None")
    assert not release.publishable


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All documents as a site; whatever the builder warns of is an error."""
    folder = tmp_path_factory.mktemp("site")
    words = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        ROOT / "mkdocs.yml",
        "--site-dir",
        folder,
    ]
    built = subprocess.run(
        words, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return folder


@pytest.mark.slow
def test_the_site_has_every_document(site: Path) -> None:
    pages = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")} - {"404"}
    documents = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in DOCUMENTS[1:]}
    assert pages == documents


@pytest.mark.slow
@pytest.mark.browser
def test_the_site_works_from_a_folder_and_asks_for_nothing_outside(site: Path) -> None:
    with browser() as launched:
        one = Watched(launched, 1280)
        one.page.goto((site / "index.html").as_uri())
        one.page.click("input.md-search__input")
        one.page.keyboard.type("what twin does not protect")
        one.page.wait_for_selector(".md-search-result__item a[href*=faq]")
        assert one.complaints == []
        assert all(url.startswith(("file:", "data:", "blob:")) for url in one.requests)
        assert not one.overflows()
