"""A format is one object: what says how to read and write rows gets everything else."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import polars as pl
import pytest

from support.helpers import cases_of, run_command
from unsingle import FormatError, ParameterError, anonymize, read_log, synthesize, write_log
from unsingle.formats import read_release_with_names
from unsingle.formats.base import FORMATS, Format, Signature, file_kinds, format_of
from unsingle.formats.preview import preview_log

if TYPE_CHECKING:
    from unsingle.formats.source import Source


class Lines(Format):
    """A line of JSON for each event."""

    name, title = "jsonl", "JSON Lines"
    may_be_packed = True
    signature = Signature("JSON", rb"\s*\{")

    def rows(self, source: Source) -> pl.DataFrame:
        return pl.read_ndjson(io.BytesIO(source.read()))

    def write_rows(self, frame: pl.DataFrame, stream: BinaryIO) -> None:
        stream.write(frame.write_ndjson().encode())


@pytest.fixture(autouse=True)
def lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more format, for the time of a test."""
    len(FORMATS)  # loads those that there are
    monkeypatch.setitem(FORMATS._items, Lines.name, Lines())


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_a_new_format_is_read_written_and_previewed(name: str, tmp_path: Path) -> None:
    log, path = synthesize(cases=30, seed=1), tmp_path / name
    write_log(log, path)
    assert cases_of(read_log(path)) == cases_of(log)
    assert cases_of(anonymize(path, seed=1).log) == cases_of(anonymize(read_log(path), seed=1).log)
    assert read_release_with_names(path, read_log(path))[1] == ["case:concept:name", "concept:name", "time:timestamp"]
    preview = preview_log(path)
    assert preview.guess["activity"] == "concept:name"
    assert preview.rows[0][:2] == ("1", log.activity_names()[0])


def test_the_command_takes_a_new_format(tmp_path: Path) -> None:
    source, target = tmp_path / "log.jsonl", tmp_path / "release.jsonl"
    write_log(synthesize(cases=30, seed=1), source)
    run_command("anonymize", source, "-o", target)
    assert read_log(target).n_cases > 0


def test_messages_list_a_new_format(tmp_path: Path) -> None:
    assert list(file_kinds())[-2:] == ["jsonl", "jsonl.gz"]
    with pytest.raises(ParameterError, match=r"parquet, xlsx, jsonl, jsonl\.gz"):
        format_of("log.txt", "doc")
    path = tmp_path / "log.xes"
    path.write_text('{"case": 1}')
    with pytest.raises(FormatError, match="JSON"):
        read_log(path)


def test_a_format_must_say_how_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Lines, "rows")
    path = tmp_path / "log.jsonl"
    path.write_text("{}")
    with pytest.raises(NotImplementedError, match="Lines says neither"):
        read_log(path)
