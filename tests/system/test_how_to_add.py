"""The pages in docs/how-to-add: what each adds by one file works in the command, sweeps, audits and on the page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.helpers import ROOT, cases_of, log_of
from unsingle.formats import read_log, write_log
from unsingle.synthetic import synthesize

PAGES = ROOT / "docs" / "how-to-add"

SERVED = """
import json, pathlib, sys
from support.web import serving

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
with serving(folder) as site, site.visitor() as visitor:
    job = visitor.upload_and_wait(pathlib.Path("log.csv").read_bytes())
    visitor.read(job)
    answers = [visitor.get(path) for path in ("/api", "/api/openapi.json", f"/jobs/{job}")]
    print(json.dumps([answers[0].json(), answers[1].json(), answers[2].text]))
"""


class Installed:
    """What a page adds, installed in a folder: the one file of the page, and the entry point that names it."""

    def __init__(self, page: str, folder: Path) -> None:
        text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
        ((name, module),) = tomllib.loads(_block(text, "toml"))["project"]["entry-points"]["unsingle"].items()
        (folder / f"{module}.py").write_text(_block(text, "python"), encoding="utf-8")
        about = folder / "toy-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[unsingle]\n{name} = {module}\n")
        self.folder, self.log = folder, folder / "log.csv"
        write_log(synthesize(cases=150, seed=1), self.log)

    def command(self, *arguments: object, code: int = 0) -> str:
        """What the command prints."""
        return self.python("-m", "unsingle", *arguments, code=code)

    def json(self, *arguments: object) -> Any:
        """What the command prints as JSON."""
        return json.loads(self.command(*arguments, "--json"))

    def python(self, *arguments: object, code: int = 0) -> str:
        """What Python prints, with the addition installed."""
        places = [str(self.folder), str(ROOT / "tests"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(places), "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, "-W", "error", *map(str, arguments)],
            cwd=self.folder, env=environment, capture_output=True, encoding="utf-8", timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def served(self) -> Any:
        """What a server answers: what can be chosen, the description of its API, and the page of a log."""
        return json.loads(self.python("-c", SERVED, self.folder / "site"))


def _block(text: str, language: str) -> str:
    """The one block of code in this language."""
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return code


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Installed]:
    made: dict[str, Installed] = {}

    def install(page: str) -> Installed:
        if page not in made:
            made[page] = Installed(page, tmp_path_factory.mktemp(page))
        return made[page]

    return install


def test_a_method_works_in_the_command(installed: Callable[[str], Installed]) -> None:
    toy = installed("method")
    summary = toy.json("anonymize", toy.log, "-o", "out.csv", "--method", "toy", "--minutes", "30")
    assert summary["method"] == "toy"
    assert summary["publishable"]
    original, release = read_log(toy.log), read_log(toy.folder / "out.csv")
    assert sorted(path for path, _ in cases_of(release)) == sorted(path for path, _ in cases_of(original))
    assert set(release.durations[~release.is_first].tolist()) <= {minutes * 60_000 for minutes in range(1, 31)}
    assert "all paths as they are, and made-up times" in toy.command("anonymize", "--help")


def test_a_method_works_in_a_sweep(installed: Callable[[str], Installed]) -> None:
    toy = installed("method")
    points = toy.json("sweep", toy.log, "--method", "toy", "twin", "--delta", "0.2", "--runs", "1")["points"]
    assert [point["method"] for point in points] == ["toy", "twin"]
    assert points[0]["ratio"] == 1


def test_a_method_is_in_the_list_of_the_page(installed: Callable[[str], Installed]) -> None:
    choices, description, page = installed("method").served()
    assert "toy" in choices["methods"]
    assert "toy" in description["components"]["schemas"]["Choice"]["properties"]["method"]["enum"]
    assert "Paths alone" in page


def test_a_method_can_be_audited(installed: Callable[[str], Installed]) -> None:
    toy = installed("method")
    arguments = ("--runs", "20", "--attack", "time", "start", "order")
    found = toy.json("audit", toy.log, "--method", "toy", *arguments, "--seed", "1")  # 1 of 20 audits is a false alarm
    promised = {each["attack"]: each for each in found["findings"] if each["promised"]}
    assert {"unusual time", "order"} <= promised.keys()
    assert not [name for name, each in promised.items() if each["verdict"] == "BROKEN"]


def test_the_method_keeps_its_promise_exactly(installed: Callable[[str], Installed]) -> None:
    toy = installed("method")
    one = log_of([("AB", (1, 2)), ("B", (3,)), ("AB", (5, 9))], zone="+02:00")
    other = log_of([("B", (70,)), ("AB", (80, 81)), ("AB", (0, 90))])
    for number, log in enumerate((one, other)):
        write_log(log, toy.folder / f"log{number}.csv", force=True)
        toy.command("anonymize", f"log{number}.csv", "-o", f"out{number}.csv", "--method", "toy", "--seed", "1", "-q")
    outputs = [(toy.folder / f"out{number}.csv").read_bytes() for number in (0, 1)]
    assert outputs[0] == outputs[1]


def test_a_format_works_in_the_command(installed: Callable[[str], Installed]) -> None:
    toy = installed("format")
    toy.command("anonymize", toy.log, "-o", "out.jsonl", "--seed", "1", "-q")
    toy.command("anonymize", toy.log, "-o", "out.csv", "--seed", "1", "-q")
    lines = [json.loads(line) for line in (toy.folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    same = read_log(toy.folder / "out.csv")
    assert len(lines) == same.n_events
    compared = "from unsingle import read_log; print(read_log('out.jsonl') == read_log('out.csv'))"
    assert toy.python("-c", compared) == "True\n"
    (toy.folder / "damaged.jsonl").write_text('{"case": 1')
    toy.command("inspect", "damaged.jsonl", code=2)


def test_a_format_works_in_audits_and_sweeps(installed: Callable[[str], Installed]) -> None:
    toy = installed("format")
    toy.command("anonymize", toy.log, "-o", "packed.jsonl.gz", "-q")
    assert toy.json("audit", toy.log, "packed.jsonl.gz", "--delta", "0.2")["extra_attributes"] == []
    swept = toy.json("sweep", "packed.jsonl.gz", "--method", "twin", "--delta", "0.2", "--runs", "1")
    assert len(swept["points"]) == 1


def test_a_format_is_in_the_list_of_the_page(installed: Callable[[str], Installed]) -> None:
    choices, description, page = installed("format").served()
    assert {"jsonl", "jsonl.gz"} <= set(choices["formats"])
    assert "jsonl" in description["components"]["schemas"]["Choice"]["properties"]["format"]["enum"]
    assert "<option>jsonl</option>" in page


def test_a_measure_works_in_sweep_and_comparison(installed: Callable[[str], Installed]) -> None:
    toy = installed("measure")
    arguments = ("sweep", toy.log, "--method", "twin", "--delta", "0.2", "--runs", "1", "--csv", "t.csv")
    assert "long cases" in toy.command(*arguments, "--html", "s.html")
    assert "long_cases" in (toy.folder / "t.PRIVATE.csv").read_text(encoding="utf-8").partition("\n")[0]
    assert "How many cases are long" in (toy.folder / "s.PRIVATE.html").read_text(encoding="utf-8")
    assert re.search(r"long cases +0\s?%", toy.command("compare", toy.log, toy.log))


def test_a_measure_is_in_the_predictions_of_the_page(installed: Callable[[str], Installed]) -> None:
    _, description, _ = installed("measure").served()
    assert "long_cases" in description["components"]["schemas"]["Prediction"]["required"]


def test_an_attack_works_in_audits(installed: Callable[[str], Installed]) -> None:
    toy = installed("attack")
    found = toy.json("audit", toy.log, "--attack", "weekday", "--runs", "4", "--seed", "1")
    assert [each["attack"] for each in found["findings"]] == ["day of the week"]
    assert found["findings"][0]["guesses"] > 0
    assert found["findings"][0]["gain"] < 0.2


def test_an_attack_finds_what_there_is(installed: Callable[[str], Installed]) -> None:
    toy = installed("attack")
    script = (
        "from unsingle import audit_release, read_log; log = read_log('log.csv');"
        "print({each.attack: each.verdict for each in audit_release(log, log, 0.2).findings}['day of the week'])"
    )
    assert toy.python("-c", script) == "BROKEN\n"
