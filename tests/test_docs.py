"""What the documents say is what the code does."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys

import pytest

import unsingle
from helpers import ROOT
from unsingle.guessing import checked_delta, count_advantage
from unsingle.methods import strict
from unsingle.options import Options
from unsingle.privacy.budget import paths_of_many, same_paths
from unsingle.release import anonymize
from unsingle.risk import gain_of_person
from unsingle.wording import at_most


def test_the_reference_of_the_command_is_up_to_date() -> None:
    path = ROOT / "docs" / "make_reference.py"
    spec = importlib.util.spec_from_file_location("make_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TARGET.read_text(encoding="utf-8") == module.reference(), "run: make docs"


def test_the_namespace_is_flat_sorted_and_whole() -> None:
    assert unsingle.__all__ == sorted(unsingle.__all__)
    assert set(unsingle.__all__) == {*unsingle._HOME, "__version__"}
    for name in unsingle.__all__:
        assert getattr(unsingle, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = unsingle.nothing_like_it


def test_no_public_function_is_hidden_by_a_module_of_its_name() -> None:
    script = "import unsingle.release, unsingle.synthetic, unsingle.formats, unsingle.inspection\n"
    script += "import unsingle\nassert all(callable(getattr(unsingle, n)) for n in unsingle.__all__ if n[0] != '_')"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_public_name_says_what_it_is() -> None:
    assert not [name for name in unsingle.__all__ if name != "__version__" and not getattr(unsingle, name).__doc__]


@pytest.mark.parametrize("name", ["README.md", "docs/guarantees.md"])
def test_the_figures_of_the_guarantee_are_those_of_the_code(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert f"{count_advantage(checked_delta(0.2)):.2f}" in text
    if name.startswith("docs"):
        figures = [f"{count_advantage(checked_delta(delta)):.2f}" for delta in (0.1, 0.2, 0.3, 0.4, 0.5)]
        assert ", ".join(figures) in text


def test_the_figures_of_the_ladder_are_those_of_the_code() -> None:
    readme, guarantees, reports = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/guarantees.md", "docs/reports.md")
    )
    twin, which_case = same_paths(0.2).all_spent(), strict.guarantee(Options(0.2)).promises[1].gain
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
    for document in [ROOT / "README.md", *(path for path in (ROOT / "docs").glob("*.md") if path.name not in measured)]:
        for line in document.read_text(encoding="utf-8").splitlines():
            assert "blend" not in line or "gone" in line or "broken" in line, f"{document.name}: {line}"


def test_links_between_documents_lead_somewhere() -> None:
    for document in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_python_example_of_the_readme_runs(tmp_path, monkeypatch) -> None:
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    monkeypatch.chdir(tmp_path)
    names = ["Case ID", "Task", "End time"]
    frame = unsingle.synthesize(cases=60).to_polars()
    frame.rename(dict(zip(frame.columns, names, strict=True))).write_csv("log.csv")
    exec(code[1], {})
    assert (tmp_path / "release.xes.gz").stat().st_size > 0


def test_as_published_promises_nothing() -> None:
    release = anonymize(unsingle.synthesize(cases=30), 0.2, method="amun", as_published=True)
    assert release.guarantee.statement.startswith("None")
    assert not release.publishable
