"""The package as it is installed: built, put into an environment of its own, and tried in an empty folder."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.helpers import ROOT
from unsingle.cli.demo import MADE
from unsingle.version import VERSION

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

pytestmark = pytest.mark.slow


def run(*words: str | Path, within: Path) -> str:
    done = subprocess.run([str(word) for word in words], cwd=within, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the archive of sources, the wheel built from the archive."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, within=folder)
    return folder


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; what the package depends on is lent to it by this one, so no network is needed."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, within=folder)
    site = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    wheel = next(dist.glob("*.whl"))
    run(sys.executable, "-m", "pip", "--python", folder, "install", "--no-deps", "--no-index", wheel, within=folder)
    (site / "zz-lent.pth").write_text(sysconfig.get_path("purelib") + "\n")  # after its own packages
    return folder / "bin"


def test_the_wheel_holds_the_package_and_nothing_else(dist: Path) -> None:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    outside = {name.partition("/")[0] for name in names} - {"unsingle", f"unsingle-{VERSION}.dist-info"}
    assert not outside
    assert not [name for name in names if re.search(r"__pycache__|\.pyc$|PRIVATE", name)]
    assert {"unsingle/py.typed", "unsingle/web/assets/web.css", "unsingle/report/assets/dagre.min.js"} <= set(names)


def test_the_sources_are_whole(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "Makefile", "mkdocs.yml", "noxfile.py"} <= names
    assert {"tests/conftest.py", "bench/__main__.py", "docs/tutorial.md", "examples/first-release.ipynb"} <= names
    assert not [name for name in names if re.search(r"\.venv|demo/|PRIVATE", name)]


def test_the_demo_runs_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    said = run(installed / "unsingle", "demo", within=tmp_path)
    where = run(installed / "python", "-c", "import unsingle; print(unsingle.__file__)", within=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert {path.name for path in (tmp_path / "unsingle-demo").iterdir()} == set(MADE)
    assert "gains at most 0.2" in " ".join(said.split())


def test_the_command_says_its_version(installed: Path, tmp_path: Path) -> None:
    assert VERSION in run(installed / "unsingle", "--version", within=tmp_path)
    assert VERSION in run(installed / "python", "-m", "unsingle", "--version", within=tmp_path)


def _named(texts: Sequence[str]) -> set[str]:
    return {re.split(r"[<>=\[ ]", text)[0].lower() for text in texts}


@pytest.mark.parametrize("name", ["packaging/conda/recipe.yaml", "CITATION.cff"])
def test_versions_agree(name: str) -> None:
    assert re.search(rf'version: "?{re.escape(VERSION)}"?$', (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_recipe_asks_for_what_the_package_depends_on() -> None:
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    there = {"isal": "python-isal", "tzdata": "python-tzdata"}  # their names on conda-forge
    wanted = {there.get(name, name) for name in _named(PROJECT["project"]["dependencies"])}
    assert _named(recipe["requirements"]["run"]) == wanted | {"python"}


def test_settings_of_other_programs_can_be_read() -> None:
    yaml = pytest.importorskip("yaml")
    read = [path for path in ROOT.rglob("*.y*ml") if ".venv" not in path.parts and path.name != "mkdocs.yml"]
    for path in [*read, ROOT / "CITATION.cff", *ROOT.glob(".github/**/*.yml"), ROOT / ".pre-commit-config.yaml"]:
        assert yaml.safe_load(path.read_text(encoding="utf-8")), path
