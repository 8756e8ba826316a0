"""The evaluation archive: whole, described, and of this version."""

from __future__ import annotations

import json

import polars as pl

from support.helpers import ROOT
from unsingle.evaluation.sweep import sweep_numbers
from unsingle.methods import METHODS
from unsingle.version import VERSION

FOLDER = ROOT / "bench" / "archive"


def test_every_method_is_there_on_every_log_at_every_delta() -> None:
    table, about = pl.read_csv(FOLDER / "results.csv"), json.loads((FOLDER / "about.json").read_text(encoding="utf-8"))
    assert about["version"] == VERSION
    assert set(table["log"]) == set(about["logs"])
    methods = set(table["method"]) - {"two halves"}
    assert methods == set(METHODS)
    assert table.filter(pl.col("method") != "two halves").height == len(about["logs"]) * len(methods) * 3
    figures = table.columns[5:]
    assert set(figures) <= set(about["columns"])
    assert {number.name for number in sweep_numbers()} == set(figures)
    kept = table.filter(pl.col("method") == "twin")
    assert (kept["variants_lost"] == 0).all()  # R1
