"""What a release says of itself: in every format the same, nothing of the original, and any change is found."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import examples, log_of, run_command
from unsingle import FormatError, OutputError, Release, anonymize, read_log, synthesize, write_log
from unsingle.core.columns import Column, Field, Kind, Level
from unsingle.core.digest import content_digest
from unsingle.core.log import EventLog
from unsingle.formats.base import file_kinds
from unsingle.formats.facts import beside
from unsingle.records.facts import ReleaseFacts, digest_of, read_facts, read_release

EMBEDDED = ("xes", "xes.gz", "parquet")


@pytest.fixture(scope="module")
def release() -> Release:
    return anonymize(synthesize(cases=40, seed=1), 0.2)


def kept_log() -> EventLog:
    """Rows with two times, and columns of all kinds, some cells of which are missing."""
    n = 300
    frame = pl.DataFrame(
        {
            "case": [i // 3 for i in range(n)],
            "concept:name": ["A", "=B", "C+D"] * (n // 3),
            "start": [f"2024-01-0{1 + i % 3}T00:00:00Z" for i in range(n)],
            "end": [f"2024-01-0{1 + i % 3}T0{i % 5}:00:00Z" for i in range(n)],
            "role": ["x", None, "y"] * (n // 3),
            "cost": [1.25, -0.0, None] * (n // 3),
            "level": [1, 2, None] * (n // 3),
            "case:ward": [f"w{i // 150}" for i in range(n)],
            "age": [40 + i // 3 for i in range(n)],
        }
    )
    return read_log(
        frame, case="case", time="end", start="start", activity="concept:name",
        keep=["role", "cost", "level", "case:ward"], keep_case=["age"],
    )  # fmt: skip


@pytest.mark.parametrize("ending", file_kinds(written=True))
def test_every_format_says_what_the_release_is_and_has_its_digest(
    ending: str, release: Release, tmp_path: Path
) -> None:
    path = tmp_path / f"r.{ending}"
    release.write(path)
    found = read_release(path)
    assert found.facts == release.facts
    assert found.provenance.fits is True
    assert json.loads(Path(beside(str(path))).read_text()) == json.loads(json.dumps(release.facts.to_dict()))
    Path(beside(str(path))).unlink()
    assert read_facts(path) == (release.facts if ending in EMBEDDED else None)


@pytest.mark.parametrize("ending", file_kinds(written=True))
@pytest.mark.parametrize(
    "how", [{}, {"paths": "crowds", "labels": ["A+start", "A+complete", "C+D+start"]}], ids=["same paths", "half rows"]
)
def test_columns_and_two_times_have_one_digest_in_every_format(how: dict, ending: str, tmp_path: Path) -> None:
    release = anonymize(kept_log(), 0.9, seed=3, **how)
    release.write(tmp_path / f"r.{ending}", spreadsheet_safe=ending.startswith("csv"))
    found = read_release(tmp_path / f"r.{ending}")
    assert found.facts == release.facts
    assert {each.table_name for each in found.log.fields if not each.private} == {
        "role",
        "cost",
        "level",
        "case:ward",
        "age",
    }
    assert found.provenance.fits is True


def test_a_converted_release_has_the_same_digest(release: Release, tmp_path: Path) -> None:
    release.write(tmp_path / "r.csv")
    write_log(read_log(tmp_path / "r.csv"), tmp_path / "converted.xes")
    assert read_facts(tmp_path / "converted.xes") is None
    Path(beside(str(tmp_path / "r.csv"))).rename(beside(str(tmp_path / "converted.xes")))
    assert read_release(tmp_path / "converted.xes").provenance.fits is True


def altered(log: EventLog, how: str) -> EventLog:
    event, case = log.n_events // 2, log.n_cases // 2
    if how == "time":
        time = log.time.copy()
        last = log.case_offsets[case + 1] - 1
        time[last] += 1
        return replace(log, time=time)
    if how == "label":
        activity = log.activity.copy()
        activity[event] = (activity[event] + 1) % len(log.labels)
        return replace(log, activity=activity)
    if how == "case gone":
        return log.subset(np.delete(np.arange(log.n_cases), case))
    if how == "case twice":
        return log.subset(np.append(np.arange(log.n_cases), case))
    columns = []
    for column in log.columns:
        values = column.values.copy()
        if column.field.name == how:
            values[0] = -1 if column.field.kind is Kind.TEXT else values[0] + 1
        columns.append(replace(column, values=values))
    return log.with_columns(columns)


@pytest.mark.parametrize("how", ["time", "label", "case gone", "case twice", "text", "number", "of case"])
def test_whatever_is_altered_is_found(how: str) -> None:
    log = synthesize(cases=20, seed=1)
    log = log.with_columns(
        [
            Column.of_texts(Field("text", Level.EVENT, Kind.TEXT), ["a"] * log.n_events),
            Column.of_numbers(Field("number", Level.EVENT, Kind.NUMBER), np.arange(log.n_events)),
            Column.of_numbers(Field("of case", Level.CASE, Kind.INTEGER), np.arange(log.n_cases)),
        ]
    )
    assert content_digest(altered(log, how)) != content_digest(log)


@given(st.lists(st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 3)), min_size=1, max_size=4), min_size=1,
                max_size=5), st.randoms())  # fmt: skip
@examples(60)
def test_the_digest_is_that_of_the_cases_in_whatever_order(cases: list, random) -> None:
    def built(chosen: list) -> EventLog:
        return log_of([([label for label, _ in case], sorted(time for _, time in case)) for case in chosen])

    def key(chosen: list) -> list:
        return sorted(([label for label, _ in case], sorted(time for _, time in case)) for case in chosen)

    shuffled = random.sample(cases, len(cases))
    assert content_digest(built(cases)) == content_digest(built(shuffled))
    other = [*cases[:-1], [*cases[-1], ("A", 3)]]
    assert (content_digest(built(other)) == content_digest(built(cases))) == (key(other) == key(cases))


def test_facts_tell_nothing_of_the_original(tmp_path: Path) -> None:
    """They follow from the parameters and the release; and they have no count, time or name of the input."""
    log = synthesize(cases=40, seed=1)
    release = anonymize(log, 0.2)
    assert ReleaseFacts.of(release.method, release.guarantee, release.budget, release.log) == release.facts
    write_log(log, tmp_path / "Zebraklinik-Meier.csv")
    run_command("anonymize", tmp_path / "Zebraklinik-Meier.csv", "-o", tmp_path / "r.xes")
    said = Path(beside(str(tmp_path / "r.xes"))).read_text()
    assert "Zebra" not in said + (tmp_path / "r.xes").read_text()
    known = read_facts(tmp_path / "r.xes").to_dict()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", known["date"])
    numbers = set(re.findall(r"\b\d+\b", json.dumps({**known, "digest": "", "date": "", "version": ""})))
    assert not numbers & {str(log.n_cases), str(log.n_events), str(release.log.n_cases)}


def test_a_release_without_facts_is_still_read(release: Release, tmp_path: Path) -> None:
    for ending in file_kinds(written=True):
        write_log(release.log, tmp_path / f"plain.{ending}")
        found = read_release(tmp_path / f"plain.{ending}")
        assert found.facts is None
        assert str(found.provenance) == "The release does not say how it was made."
        assert content_digest(found.log) == digest_of(release.log)


@pytest.mark.parametrize("text", ["{", "[]", '{"method": "twin"}', '{"delta": "much"}'])
def test_facts_that_cannot_be_read_are_refused_in_one_line(text: str, release: Release, tmp_path: Path) -> None:
    write_log(release.log, tmp_path / "r.csv")
    Path(beside(str(tmp_path / "r.csv"))).write_text(text)
    with pytest.raises(FormatError, match=r"^[^\n]*get the (file|release)[^\n]*$"):
        read_release(tmp_path / "r.csv")


def test_unknown_facts_of_other_versions_are_left_out(release: Release, tmp_path: Path) -> None:
    release.write(tmp_path / "r.csv")
    path = Path(beside(str(tmp_path / "r.csv")))
    path.write_text(json.dumps({**json.loads(path.read_text()), "colour": ["red"]}))
    assert read_facts(tmp_path / "r.csv") == release.facts


def test_both_files_appear_or_none(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.csv"
    Path(beside(str(path))).write_text("precious")
    with pytest.raises(OutputError, match="exists already"):
        release.write(path)
    assert sorted(tmp_path.iterdir()) == [Path(beside(str(path)))]
    assert run_command("anonymize", path, "-o", path, ok=False).exit_code == 2
    release.write(path, force=True)
    assert read_release(path).provenance.fits is True
    Path(beside(str(path))).unlink()
    path.unlink()
    monkeypatch.setattr("unsingle.formats.output._Unfinished._link", _only_facts)
    with pytest.raises(OutputError):
        release.write(path)
    assert list(tmp_path.iterdir()) == []


def _only_facts(self, path: Path) -> None:
    if not path.name.endswith(".json"):
        raise FileExistsError
    path.write_bytes(b"")


# --- compare and audit ------------------------------------------------------------------------------------------------


@pytest.fixture
def original(tmp_path: Path) -> Path:
    write_log(synthesize(cases=40, seed=1), tmp_path / "log.csv")
    return tmp_path / "log.csv"


def test_compare_and_audit_read_what_the_release_says(original: Path, tmp_path: Path) -> None:
    released = tmp_path / "r.csv"
    run_command("anonymize", original, "-o", released, "--delta", 0.1)
    shown = " ".join(run_command("compare", original, released).output.split())
    assert "twin, delta 0.1. Its digest fits its content." in shown
    found = json.loads(run_command("audit", original, released, "--json").stdout)
    assert found["delta"] == 0.1
    assert "Its digest fits" in found["provenance"]
    other = json.loads(run_command("audit", original, released, "--json", "--delta", 0.3).stdout)
    assert other["delta"] == 0.3
    assert "DOES NOT FIT: --delta 0.3 was given" in other["provenance"]


def test_compare_and_audit_say_that_a_release_was_altered(original: Path, tmp_path: Path) -> None:
    released = tmp_path / "r.xes"
    run_command("anonymize", original, "-o", released)
    text = released.read_text()
    start = text.index("<trace>")
    released.write_text(
        text[:start] + re.sub(r'(time:timestamp" value=")\d\d\d\d', r"\g<1>1999", text[start:], count=1)
    )
    shown = run_command("compare", original, released).output
    assert "ALTERED: its digest does not fit" in " ".join(shown.split())
    assert "ALTERED" in run_command("audit", original, released, "--json", ok=False).output


def test_a_release_from_standard_input_says_what_it_is(original: Path, tmp_path: Path) -> None:
    run_command("anonymize", original, "-o", tmp_path / "r.xes")
    content = (tmp_path / "r.xes").read_bytes()
    shown = run_command("compare", original, "-", "--format", "xes", stdin=content).output
    assert "Its digest fits its content" in " ".join(shown.split())
