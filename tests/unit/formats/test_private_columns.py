"""Persons and case ids are read as private columns, which are never written."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest

from unsingle import EventLog, read_log, write_log
from unsingle.core.columns import CASE_ID, PERSON
from unsingle.formats import write_rows
from unsingle.formats.base import file_kinds
from unsingle.formats.preview import preview_log
from unsingle.formats.tables.frames import to_arrow, to_pandas, to_polars

KINDS = list(file_kinds(written=True))
ROWS = pl.DataFrame(
    {
        "case:concept:name": ["case-7781", "case-7781", "case-7782", "case-7783"],
        "concept:name": ["A", "B", "A", "A"],
        "time:timestamp": [f"2024-01-0{day}T00:00:00+00:00" for day in (1, 2, 3, 4)],
        "case:patient": ["Ada-5512", "Ada-5512", "Ada-5512", "Bob-5513"],
        "case:ward": ["north", "north", "south", "north"],
    }
)
PUBLIC = ["case:concept:name", "concept:name", "time:timestamp", "case:ward"]
SECRETS = (b"case-778", b"Ada", b"Bob", b"551", b"patient", b"person")


@pytest.fixture(params=[*KINDS, "frame"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> EventLog:
    """A log with persons, case ids and a public column, read from a file of each kind, and from a frame."""
    asked = {"person": "case:patient", "ids": True, "keep": ["case:ward"]}
    if request.param == "frame":
        return read_log(ROWS, **asked)
    path = tmp_path / f"original.{request.param}"
    write_rows(ROWS, path)
    return read_log(path, **asked)


def test_persons_and_ids_are_read_as_private_columns(log: EventLog) -> None:
    persons, ids = log.column(PERSON), log.column(CASE_ID)
    assert persons is not None
    assert ids is not None
    assert persons.field.private
    assert ids.field.private
    assert list(persons.cells()) == ["Ada-5512", "Ada-5512", "Bob-5513"]
    assert list(ids.cells()) == ["case-7781", "case-7782", "case-7783"]


@pytest.mark.parametrize("kind", KINDS)
def test_private_columns_are_never_written(log: EventLog, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"written.{kind}"
    write_log(log, path)
    content = path.read_bytes()
    content = gzip.decompress(content) if kind.endswith(".gz") else content
    assert not [secret for secret in SECRETS if secret in content]
    assert b"north" in content  # texts can be found if they are there
    assert sorted(preview_log(path).names) == sorted(PUBLIC)


def test_private_columns_are_in_no_frame(log: EventLog) -> None:
    assert list(to_polars(log).columns) == PUBLIC
    assert list(to_pandas(log).columns) == PUBLIC
    assert to_arrow(log).column_names == PUBLIC


def test_nothing_private_is_read_unless_asked_for() -> None:
    log = read_log(ROWS)
    assert log.column(PERSON) is None
    assert log.column(CASE_ID) is None
