"""How the web app is built: what it imports, and that lists on pages and in the API follow the registries."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import pytest

import unsingle.web
from support.web import serving
from unsingle import anonymize, read_log
from unsingle.core.clock import GRIDS
from unsingle.errors import ParameterError
from unsingle.formats.base import file_kinds
from unsingle.methods import DEFAULT, METHODS
from unsingle.privacy.guarantee import Guarantee
from unsingle.progress import COMPARE, MEASURE, STEPS, WRITE, Progress
from unsingle.web import catalogue, worker
from unsingle.web.forms import ReadingRequest, ReleaseRequest
from unsingle.web.openapi import openapi
from unsingle.web.pages import stage_labels
from unsingle.web.results import COLUMNS, RISK
from unsingle.web.snapshot import save_columns
from unsingle.web.tasks import TaskName, stages_for

FOLDER = Path(unsingle.web.__file__).parent
MODULES = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py")}
PUBLISHABLE = tuple(name for name in METHODS if name != "as-published")


def imports_of(module: str) -> set[str]:
    """The modules of the package that a module imports, lazily or not, as `name` (its own) or `..name` (others)."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module])):
        if isinstance(node, ast.ImportFrom) and node.level:
            dots = "" if node.level == 1 else "." * node.level
            names = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {f"{dots}{name}" for name in names}
    return found


def test_the_app_does_not_load_click_or_spark() -> None:
    code = "import sys, unsingle.web.app, unsingle.web.worker; print({'click', 'pyspark'} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@pytest.mark.parametrize("module", MODULES)
def test_no_module_sees_the_command_or_spark(module: str) -> None:
    assert not [name for name in imports_of(module) if name.lstrip(".").split(".")[0] in ("cli", "spark")]


def test_pages_and_api_do_not_see_each_other_and_the_server_does_not_see_the_worker() -> None:
    assert "api" not in imports_of("pages")
    assert "pages" not in imports_of("api")
    assert [module for module in MODULES if "worker" in imports_of(module)] == []


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"catalogue"}))
def test_no_method_is_named_outside_the_catalogue(module: str) -> None:
    names = "|".join(sorted(METHODS, key=len, reverse=True))
    source = MODULES[module].replace('samesite="strict"', "")  # of cookies
    assert re.findall(rf"""["'](?:{names})["']""", source) == []


def test_the_catalogue_follows_the_registry() -> None:
    assert catalogue.methods() == PUBLISHABLE
    assert catalogue.methods()[0] == DEFAULT
    assert tuple(card.name for card in catalogue.method_cards()) == PUBLISHABLE
    assert all(card.heading and card.about for card in catalogue.method_cards())


TOY = """
from dataclasses import dataclass
from unsingle.methods.base import METHODS, Outcome
from unsingle.methods.twin import Twin

@METHODS.add
@dataclass(frozen=True)
class Toy(Twin):
    name, rank, heading, about = "toy", 99, "A toy", "It publishes everything."
    stages = {"times": "winding it up", "play": "playing"}

    def release(self, log, random, progress):
        progress.step("times")
        progress.step("play")
        return Outcome(log)
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A method that an installed package adds, to this process and to the workers."""
    assert len(METHODS) > 1  # loaded
    about = tmp_path / "toys-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[unsingle]\ntoy = a_toy_method\n")
    (tmp_path / "a_toy_method.py").write_text(TOY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("a_toy_method")
    yield "toy"
    del METHODS._items["toy"], sys.modules["a_toy_method"]
    catalogue._guarantee.cache_clear()


def test_a_method_that_is_added_appears_everywhere(toy: str, tmp_path: Path, hospital: Path) -> None:
    with serving(tmp_path) as site, site.visitor() as visitor:
        assert visitor.get("/api").json()["methods"] == [*PUBLISHABLE, toy]
        choice = visitor.get("/api/openapi.json").json()["components"]["schemas"]["Choice"]["properties"]
        assert choice["method"]["enum"][-1] == toy
        assert choice["method"]["description"].endswith("toy: A toy")
        assert toy in visitor.get("/api/guarantees").json()
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        page = visitor.get(f"/jobs/{job}").text
        assert "<strong>A toy</strong>" in page
        assert "It publishes everything." in page
        answer = visitor.post(f"/api/jobs/{job}/release", json={"method": toy})
        assert answer.json()["task"]["stages"] == ["load", "times", "play", "write", "measure", "compare"]
        page = visitor.get(f"/jobs/{job}").text
        for words in ("loading the log", "winding it up", "playing", STEPS[WRITE], STEPS[MEASURE], STEPS[COMPARE]):
            assert f">{words}</li>" in page
        assert visitor.wait(job)["release"]
        assert "Made by toy at delta 0.2: 150 cases" in visitor.get(f"/jobs/{job}").text


def test_a_method_whose_releases_must_not_be_published_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    class Leaky(METHODS[DEFAULT]):  # type: ignore[misc]
        name = "leaky"

        def guarantee(self) -> Guarantee:
            return replace(super().guarantee(), warnings=("NOT FOR PUBLICATION.",))

    monkeypatch.setitem(METHODS._items, "leaky", Leaky)
    assert "leaky" in METHODS
    assert "leaky" not in catalogue.guarantees(0.2)
    assert catalogue.methods() == PUBLISHABLE
    monkeypatch.setattr(Leaky, "guarantee", METHODS[DEFAULT].guarantee)
    catalogue._guarantee.cache_clear()
    assert "leaky" in catalogue.guarantees(0.2)  # it was for the warning alone
    catalogue._guarantee.cache_clear()


def test_the_page_and_the_description_begin_with_the_default_method(tmp_path: Path, hospital: Path) -> None:
    with serving(tmp_path) as site, site.visitor() as visitor:
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        page = visitor.get(f"/jobs/{job}").text
        assert re.findall(r'name="method" value="([^"]+)" checked', page) == [DEFAULT]
    assert openapi()["components"]["schemas"]["Choice"]["properties"]["method"]["default"] == DEFAULT


def test_the_description_lists_what_can_be_chosen() -> None:
    schemas = openapi()["components"]["schemas"]
    choice = schemas["Choice"]["properties"]
    assert choice["method"]["enum"] == list(PUBLISHABLE)
    assert choice["format"]["enum"] == list(file_kinds(written=True))
    assert choice["grid"]["enum"] == ["", *GRIDS]
    assert schemas["Task"]["properties"]["name"]["enum"] == [str(name) for name in TaskName]
    assert set(choice) == {*catalogue.CHOICES, *catalogue.parameters()}
    assert set(catalogue.parameters()) == {
        name for method in PUBLISHABLE for name in METHODS[method].parameters() if name != "delta"
    }
    assert set(schemas["Reading"]["properties"]) == {*ReadingRequest.__dataclass_fields__, "activity_and", "time_and"}
    assert schemas["About"]["properties"]["deltas"]["items"]["enum"] == sorted(catalogue.deltas())


@pytest.mark.parametrize("method", METHODS)
def test_a_release_reports_exactly_the_stages_that_the_page_lists(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hospital: Path
) -> None:
    """So the bar never runs backwards."""
    seen: list[str] = []

    class Recorded(Progress):
        def show(self, step: str, fraction: float) -> None:  # noqa: ARG002
            if step not in seen[-1:]:
                seen.append(str(step))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("unsingle.release.anonymize", partial(anonymize, seed=2))  # filter may leave nobody by chance
    save_columns(read_log(hospital), Path(COLUMNS))
    request = ReleaseRequest(method, 0.45, "csv")
    Path(RISK).write_text('{"verdict": "Few."}')
    about = {"name": "hospital.xes.gz", "file": str(hospital), "command": "unsingle anonymize", "alone": True}
    worker.release({"request": asdict(request), **about}, Recorded())
    assert seen == list(stages_for(TaskName.RELEASE, tuple(METHODS[method].stages)))
    labels = [stage_labels(method)[stage] for stage in seen]
    assert len(set(labels)) == len(labels)  # each can be told from the others
    assert [labels[seen.index(stage)] for stage in METHODS[method].stages] == list(METHODS[method].stages.values())


def test_a_checked_request_survives_json() -> None:
    reading = ReadingRequest.parse({"case": " id", "activity": "a", "activity_and": "b", "allow_line_ends": "on"})
    assert reading == ReadingRequest(case=" id", activity="a+b", allow_line_ends=True)
    assert ReadingRequest(**json.loads(json.dumps(asdict(reading)))) == reading
    keeping = ReadingRequest.parse({"keep": ["cost"], "keep_case": ["Age"], "numbers": ["Age"], "person": "p"})
    assert keeping.arguments() == {"keep": ("cost",), "keep_case": ("Age",), "numbers": ("Age",), "person": "p"}
    assert ReadingRequest(**json.loads(json.dumps(asdict(keeping)))) == keeping
    release = ReleaseRequest.parse({"delta": "0.1", "grid": "hour"})
    assert (release.method, release.file, release.parameters) == (DEFAULT, "release.xes.gz", {"grid": "hour"})
    assert ReleaseRequest(**json.loads(json.dumps(asdict(release)))) == release
    more = {"cases_per_person": 3, "values": {"a": ["x"]}, "pseudonyms": ["b"], "names": ["c"], "round": {"d": 5.0}}
    release = ReleaseRequest.parse(more)
    assert release.parameters == more
    assert ReleaseRequest(**json.loads(json.dumps(asdict(release)))) == release


@pytest.mark.parametrize("parse", [ReadingRequest.parse, ReleaseRequest.parse])
def test_a_field_that_is_not_known_is_refused(parse: object) -> None:
    with pytest.raises(ParameterError, match="unknown field 'colour': choose among "):
        parse({"colour": "red"})  # type: ignore[operator]
