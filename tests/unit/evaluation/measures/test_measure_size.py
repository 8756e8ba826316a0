"""How large the file gets."""

from __future__ import annotations

from pathlib import Path

from unsingle import synthesize, write_log
from unsingle.evaluation.measures import Context
from unsingle.evaluation.measures.size import SIZE


def test_it_is_the_size_of_the_file_that_would_be_written(tmp_path: Path) -> None:
    original, release = synthesize(cases=20), synthesize(cases=100)
    write_log(release, tmp_path / "release.xes.gz")
    written = (tmp_path / "release.xes.gz").stat().st_size
    assert SIZE.of(original, release, Context(original, release)) == written / 1e6
    assert not SIZE.each_run
