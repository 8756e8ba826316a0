"""A little fuzzing in every run of the tests; ``make fuzz`` does more. The fuzzer itself is tested too."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fuzzing import base, runner
from support.fuzzing.base import Input, verdict
from support.fuzzing.runner import input_of, is_finding, run, target_of
from support.fuzzing.times import milliseconds_of


@pytest.mark.parametrize(("name", "count"), [("csv", 600), ("xes", 800), ("parquet", 60)])
def test_odd_files_are_read_as_others_read_them_or_refused(name: str, count: int, tmp_path: Path) -> None:
    target = target_of(name)
    path = tmp_path / f"log{target.suffix}"
    for number in range(count):
        given, whole = input_of(target, 0, number)
        path.write_bytes(given.content)
        what = verdict(target, given, path, whole=whole)
        assert not is_finding(what), f"{name}, seed 0, input {number}: {what}"


def test_inputs_follow_from_their_number() -> None:
    assert input_of(target_of("xes"), 3, 7) == input_of(target_of("xes"), 3, 7)
    assert input_of(target_of("xes"), 3, 7) != input_of(target_of("xes"), 4, 7)


class Odd:
    """A format whose readers do as the content says."""

    name, suffix = "odd", ".odd"

    def ours(self, path: Path, _given: Input, *, whole: bool) -> list[base.Row]:
        assert not whole
        if path.read_bytes() == b"raw":
            raise ZeroDivisionError("not for users")
        return [("1", "A", "2024-01-01")]

    def oracle(self, given: Input) -> list[list[base.Row]]:
        if given.content == b"ours alone":
            raise base.Refused("no")
        return [[("1", "B" if given.content == b"wrong" else "A", "2024-01-01")]]

    def rule(self, _given: Input, _refused: str) -> None:
        return None


@pytest.mark.parametrize(
    ("content", "what"), [(b"raw", "raw: Zero"), (b"wrong", "wrong: "), (b"ours alone", "taken by us"), (b"", "same")]
)
def test_what_is_not_read_right_is_found(content: bytes, what: str, tmp_path: Path) -> None:
    path = tmp_path / "log.odd"
    path.write_bytes(content)
    found = verdict(Odd(), Input(content), path, whole=False)  # type: ignore[arg-type]
    assert found.startswith(what)
    assert is_finding(found) == (what != "same")


def ends(verdicts: object, *_: object) -> None:
    raise SystemExit(134)


def hangs(verdicts: object, *_: object) -> None:
    import time

    time.sleep(600)


@pytest.mark.slow
@pytest.mark.parametrize(("work", "what"), [(ends, "abort"), (hangs, "hang")])
def test_an_abort_and_a_hang_are_findings(
    work: object, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_work", work)
    monkeypatch.setattr(runner, "_START", 3.0)
    monkeypatch.setattr(runner, "_FINDINGS", 2)
    result = run("csv", 5, 1, tmp_path)
    assert [finding.what.split(":")[0] for finding in result.findings] == [what, what]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["csv-1-0.csv", "csv-1-1.csv"]


def test_a_run_counts_every_input(tmp_path: Path) -> None:
    result = run("csv", 30, 1, tmp_path)
    assert (result.inputs, result.findings, list(tmp_path.iterdir())) == (30, [], [])


@pytest.mark.parametrize(
    ("written", "milliseconds"),
    [
        ("1970-01-02", 86_400_000),
        ("1970-01-01T01:00:00.5+01:00", 500),
        ("01.02.1970 00:00", 31 * 86_400_000),
        ("Feb 1, 1970", 31 * 86_400_000),
        ("2024-02-30", None),
        ("2024-01-01T23:59:60Z", None),
        ("0000-01-01", None),
    ],
)
def test_times_are_read_by_the_other_reader(written: str, milliseconds: int | None) -> None:
    assert milliseconds_of(written) == milliseconds
