"""What learners of the benchmarks see, and the program that discovers models."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.helpers import ROOT, log_of
from unsingle import synthesize, write_log
from unsingle.core.clock import HOUR


def module(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "bench" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_prefixes_by_hand() -> None:
    log = log_of([("ABC", [0, HOUR, 4 * HOUR]), ("CA", [HOUR, 3 * HOUR])])
    found = module("prefixes").Prefixes.of(log, ("A", "B", "C"))
    none = 3
    assert found.following.tolist() == [1, 2, none, 0, none]  # and then the end
    assert found.hours_left.tolist() == [4, 3, 0, 2, 0]
    assert found.features[:, :4].tolist() == [
        [0, none, none, 0], [1, 0, none, 1], [2, 1, 0, 2], [2, none, none, 0], [0, 2, none, 1],
    ]  # fmt: skip
    assert np.expm1(found.features[:, 4]).round(9).tolist() == [0, 1, 4, 0, 2]
    assert np.expm1(found.features[:, 5]).round(9).tolist() == [0, 1, 3, 0, 2]


@pytest.mark.slow
def test_a_model_of_a_log_fits_the_log(tmp_path: Path) -> None:
    if importlib.util.find_spec("pm4py") is None:
        pytest.skip("PM4Py is not installed")
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for seed, path in enumerate(paths):
        write_log(synthesize(cases=30, seed=seed), path)
    command = [sys.executable, ROOT / "bench" / "pm4py_model.py", *paths]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    assert 0.5 < found["fitness"] <= 1
    assert 0 < found["precision"] <= 1
