"""What plug-ins add, and what is said of one that cannot be loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SEED = """
from dataclasses import dataclass
from unsingle.methods.base import METHODS, ParameterKind, parameter
from unsingle.methods.twin import Twin

@METHODS.add
@dataclass(frozen=True)
class Toy(Twin):
    name, rank = "toy", 99
    seed: float = parameter(1.0, ParameterKind.NUMBER, "Its own.")
"""
WHOLE = "import unsingle.evaluation.sweep, unsingle.report, unsingle.auditor, unsingle.web.catalogue\n"


def run(code: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with a plug-in of this code installed."""
    about = folder / "toys-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[unsingle]\ntoy = a_toy\n")
    (folder / "a_toy.py").write_text(code)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-W", "error", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        (SEED.replace('"toy"', '"twin"'), "ValueError: there are two methods of the name 'twin'"),
    ],
)
def test_a_broken_plug_in_is_named_in_one_line(code: str, why: str, tmp_path: Path) -> None:
    ended = run(code, tmp_path, "-m", "unsingle", "anonymize", "--help")
    line = f"unsingle: the plug-in 'toy' of the package toys cannot be loaded ({why}): mend or uninstall it\n"
    assert (ended.returncode, ended.stderr) == (2, line)


def test_a_broken_plug_in_is_not_forgotten(tmp_path: Path) -> None:
    script = """
from unsingle.errors import UnsingleError
from unsingle.methods import METHODS
for _ in range(2):
    try:
        list(METHODS)
    except UnsingleError as error:
        print("refused")
"""
    assert run("1 / 0", tmp_path, "-c", script).stdout == "refused\nrefused\n"


def test_a_plug_in_may_import_the_whole_package(tmp_path: Path) -> None:
    script = "from unsingle.methods import METHODS, ladder; print(len(METHODS) > 1, *ladder())"
    ended = run(WHOLE, tmp_path, "-c", script)
    assert (ended.stdout, ended.stderr) == ("True twin twin-crowds strict\n", "")


def test_threads_that_ask_at_the_same_time_all_see_the_whole_registry() -> None:
    script = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from unsingle.methods import METHODS

start = Barrier(8)
def ask(_):
    start.wait()
    return len(METHODS)
with ThreadPoolExecutor(8) as pool:
    print(len(set(pool.map(ask, range(8)))))
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout == "1\n"


def test_a_parameter_named_like_an_option_of_the_command_is_refused(tmp_path: Path) -> None:
    ended = run(SEED, tmp_path, "-m", "unsingle", "anonymize", "log.csv", "-o", "x.csv")
    line = "unsingle: --seed is an option of this command: toy must rename its parameter\n"
    assert (ended.returncode, ended.stderr) == (2, line)
