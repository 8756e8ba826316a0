"""Every function that takes a log takes a file and a frame as well, and finds the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.helpers import cases_of
from unsingle import (
    ColumnError,
    EventLog,
    LogError,
    ParameterError,
    anonymize,
    assess_risk,
    audit,
    audit_release,
    compare,
    inspect_log,
    measure,
    read_log,
    sweep,
    synthesize,
    to_arrow,
    to_pandas,
    to_polars,
    write_log,
)  # fmt: skip

SOURCES: dict[str, Callable[[EventLog], Any]] = {"polars": to_polars, "pandas": to_pandas, "arrow": to_arrow}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "anonymize": lambda log: cases_of(anonymize(log, seed=1).log),
    "assess_risk": assess_risk,
    "audit": lambda log: audit(log, method="amun", runs=2, seed=1).findings,
    "audit_release": lambda log: audit_release(log, log, 0.2).findings,
    "compare": lambda log: str(compare(log, log).to_dict()),
    "inspect_log": inspect_log,
    "sweep": lambda log: [point.ratio for point in sweep(log, [0.2], ["amun"], runs=1, seed=1).points],
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log as a file."""
    path = (
        tmp_path_factory.mktemp("sources") / "log.parquet"
    )  # the same types as frames: CSV has the offset of each time too
    write_log(synthesize(cases=40, seed=1), path)
    return path


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_files_and_frames_like_logs(name: str, path: Path) -> None:
    function, log = FUNCTIONS[name], read_log(path)
    expected = function(log)
    assert function(path) == expected
    assert function(str(path)) == expected
    assert function(to_polars(log)) == expected


@pytest.mark.parametrize("name", FUNCTIONS)
def test_advice_about_a_frame_names_the_function_that_can_follow_it(name: str) -> None:
    odd = to_polars(synthesize(cases=40, seed=1)).rename({"case:concept:name": "who"})
    with pytest.raises(ColumnError, match=r"name one with read_log\(source, case=\.\.\.\); there are: 'who'"):
        FUNCTIONS[name](odd)
    with pytest.raises(ParameterError, match=r"or give read_log\(source, format=\.\.\.\)$"):
        FUNCTIONS[name]("log.txt")
    with pytest.raises(ColumnError, match="name one with case="):
        read_log(odd)


def test_a_frame_can_be_written(tmp_path: Path, path: Path) -> None:
    log = read_log(path)
    write_log(to_polars(log), tmp_path / "written.parquet")
    assert read_log(tmp_path / "written.parquet") == log


@pytest.mark.parametrize("function", [anonymize, audit])
@pytest.mark.parametrize("argument", ["keep", "case", "person", "numbers"])
def test_what_belongs_to_reading_is_sent_there(function: Callable[..., Any], argument: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{argument}= is for read_log: call it first, and give the log"):
        function(to_polars(synthesize(cases=5)), 0.2, **{argument: "role"})


@pytest.mark.parametrize("function", [to_polars, to_pandas, to_arrow])
def test_only_a_log_becomes_a_frame(function: Callable[[Any], Any]) -> None:
    log = synthesize(cases=40, seed=1)
    with pytest.raises(LogError, match="not a DataFrame: make one with read_log"):
        function(to_polars(log))
    with pytest.raises(LogError, match="not a Release: give its log"):
        function(anonymize(log, seed=1))


def test_a_release_is_no_log_and_a_log_no_release(tmp_path: Path) -> None:
    log = synthesize(cases=40, seed=1)
    with pytest.raises(LogError, match="not a Release, which has one: give its log"):
        write_log(anonymize(log, seed=1), tmp_path / "written.csv")
    for other in (log, to_polars(log)):
        with pytest.raises(ParameterError, match=r"measure takes what anonymize gave, .*: compare takes logs"):
            measure(other, other)


@pytest.mark.parametrize("library", SOURCES)
def test_frames_of_all_libraries_are_taken(library: str, path: Path) -> None:
    pytest.importorskip({"arrow": "pyarrow"}.get(library, library))
    log = read_log(path)
    frame = SOURCES[library](log)
    assert assess_risk(frame) == assess_risk(log)
    assert str(compare(frame, frame).to_dict()) == str(compare(log, log).to_dict())  # NaN is not itself
