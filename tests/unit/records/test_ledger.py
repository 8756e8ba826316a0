"""The ledger: the promise of all releases, a limit kept before noise is drawn, and a file that survives kills."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import stat
import threading
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from support.helpers import run_command
from unsingle import LogError, OutputError, ParameterError, Release, anonymize, read_log
from unsingle.methods.twin import Twin
from unsingle.privacy.guarantee import ONE_RELEASE, OTHER_RELEASES, OTHER_TRIES
from unsingle.privacy.random import Randomness
from unsingle.records.facts import digest_of, read_release
from unsingle.records.fingerprints import Fingerprint
from unsingle.records.ledger import read_ledger
from unsingle.records.promise import shared_cases
from unsingle.synthetic import synthetic_frame


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return synthetic_frame(30, seed=1)


def numbers(guarantee: object) -> list[float]:
    return [float(each) for each in re.findall(r"gains at most (0\.\d+)", str(guarantee))]


# --- the promise ------------------------------------------------------------------------------------------------------


def test_the_promise_is_that_of_all_releases(frame: pl.DataFrame, tmp_path: Path) -> None:
    ledger = tmp_path / "people.ledger"
    releases = [anonymize(frame, 0.1, ledger=ledger) for _ in range(3)]
    assert [numbers(each.guarantee)[0] for each in releases] == [0.1, 0.14, 0.169]
    assert [each.facts.releases for each in releases] == [1, 2, 3]
    assert [round(each.facts.delta_together, 3) for each in releases] == [0.1, 0.14, 0.169]
    assert all(each.facts.delta == 0.1 for each in releases)
    for each in releases:
        said = " ".join((str(each.guarantee), *each.guarantee.assumes, *each.guarantee.not_protected))
        assert not any(sentence in said for sentence in (ONE_RELEASE, OTHER_RELEASES, OTHER_TRIES))
        assert "no parameter of a release was chosen by what earlier releases showed" in said
    assert "difference of their sets of paths" in " ".join(releases[1].guarantee.not_protected)
    entries = read_ledger(ledger).entries
    assert [each.digest for each in entries] == [each.facts.digest for each in releases]


def test_without_a_ledger_the_promise_is_for_one_release(frame: pl.DataFrame) -> None:
    release = anonymize(frame, 0.1)
    assert ONE_RELEASE in release.guarantee.assumes
    assert release.facts.releases is None


def test_releases_that_promise_nothing_that_adds_up_are_said(frame: pl.DataFrame, tmp_path: Path) -> None:
    ledger = tmp_path / "people.ledger"
    alone = anonymize(frame, 0.3, method="amun", ledger=ledger)
    assert alone.guarantee.promises  # of the one release
    release = anonymize(frame, 0.1, ledger=ledger)
    assert release.guarantee.promises == ()
    assert "Nothing is promised of all 2 releases of the same people together: 1 of them (by amun)" in str(
        release.guarantee
    )
    assert release.facts.delta_together is None
    with pytest.raises(ParameterError, match=r"the limit of 0.5 cannot be kept: a release by amun promises nothing"):
        anonymize(frame, 0.1, ledger=ledger, limit=0.5)


# --- the limit --------------------------------------------------------------------------------------------------------


def test_beyond_the_limit_nothing_is_drawn(
    frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = tmp_path / "people.ledger"
    anonymize(frame, 0.1, ledger=ledger, limit=0.15)
    anonymize(frame, 0.1, ledger=ledger)
    before = ledger.read_bytes()

    def refuse(self: Randomness, *_: object, **__: object) -> None:
        raise AssertionError("a generator was made")

    monkeypatch.setattr(Randomness, "__init__", refuse)
    with pytest.raises(ParameterError, match=r"beyond the limit of 0.15: .* 0.169 together \(0.14 so far\)"):
        anonymize(frame, 0.1, ledger=ledger)  # the limit stays
    assert ledger.read_bytes() == before
    monkeypatch.undo()
    assert anonymize(frame, 0.1, ledger=ledger, limit=0.2).facts.releases == 3
    assert read_ledger(ledger).limit == 0.2


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"limit": 0.2}, "limit= needs a ledger"),
        ({"ledger": "x", "limit": 0}, "between 0 and 1"),
        ({"ledger": "x", "limit": True}, "between 0 and 1"),
        ({"ledger": "x", "seed": 1}, "a release with a seed may not be published"),
        ({"ledger": "no/folder/x"}, "there is no such file, or no such folder"),
    ],
)
def test_what_cannot_be_kept_is_refused(how: dict, message: str, frame: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises((ParameterError, OutputError), match=message):
        anonymize(frame, 0.1, **{**how, **({"ledger": tmp_path / how["ledger"]} if "ledger" in how else {})})
    assert list(tmp_path.iterdir()) == []


def test_a_log_without_ids_is_refused(frame: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="ids=True"):
        anonymize(read_log(frame), 0.1, ledger=tmp_path / "x")
    assert anonymize(read_log(frame, ids=True), 0.1, ledger=tmp_path / "x").facts.releases == 1


def test_what_is_refused_before_noise_does_not_count_and_after_noise_does(tmp_path: Path) -> None:
    ledger = tmp_path / "people.ledger"
    few = synthetic_frame(4, seed=1)
    with pytest.raises(ParameterError, match="cases_per_person"):
        anonymize(few, 0.1, cases_per_person=2, ledger=ledger)
    assert not ledger.exists()
    with pytest.raises(LogError, match="no path or step is frequent enough") as refused:
        anonymize(few, 0.05, paths="crowds", ledger=ledger)
    assert "it was written into the ledger, and counts" in refused.value.__notes__
    (entry,) = read_ledger(ledger).entries
    assert (entry.outcome, entry.refused, entry.digest) == ("refused", "LogError", None)
    assert numbers(anonymize(few, 0.05, ledger=ledger).guarantee)[0] > 0.05


# --- the file ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def listed(frame: pl.DataFrame, tmp_path: Path) -> Path:
    path = tmp_path / "people.ledger"
    for _ in range(2):
        anonymize(frame, 0.1, ledger=path)
    return path


def test_it_is_private_and_holds_no_id(frame: pl.DataFrame, listed: Path) -> None:
    assert stat.S_IMODE(listed.stat().st_mode) == 0o600
    text = listed.read_text()
    assert not any(f'"{case}"' in text for case in frame["case:concept:name"].unique())
    listed.chmod(0o644)
    anonymize(frame, 0.01, ledger=listed)
    assert stat.S_IMODE(listed.stat().st_mode) == 0o600
    other = Fingerprint.of(read_log(frame, ids=True), b"another salt")
    assert all(other.shared_with(each) == 0 for each in read_ledger(listed).people.values())


def test_any_changed_or_missing_line_is_found(listed: Path) -> None:
    lines = listed.read_bytes().splitlines(keepends=True)
    rng = random.Random(5)
    for place in range(len(lines) - 1):
        listed.write_bytes(b"".join(lines[:place] + lines[place + 1 :]))
        with pytest.raises(OutputError, match=r"is not a ledger|was changed or is damaged"):
            read_ledger(listed)
    whole = b"".join(lines)
    for _ in range(200):
        place = rng.randrange(len(whole) - 1)
        changed = bytes([whole[place] ^ 1 << rng.randrange(7)])
        listed.write_bytes(whole[:place] + changed + whole[place + 1 :])
        with pytest.raises(OutputError):
            read_ledger(listed)


@pytest.mark.parametrize(
    "content", [b"", b"{}\n", b"[]\n", b"case,task\n1,A\n", b'{"ledger": "unsingle"}\n', b"\xff\n", b"x"]
)
def test_a_file_that_is_no_ledger_is_refused_and_kept(content: bytes, frame: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(OutputError, match=r"^[^\n]*is not a ledger of unsingle[^\n]*$"):
        read_ledger(path)
    if content:  # an empty one is new
        with pytest.raises(OutputError, match="is not a ledger of unsingle"):
            anonymize(frame, 0.1, ledger=path)
        assert path.read_bytes() == content


def test_a_last_line_that_was_torn_is_taken_away(frame: pl.DataFrame, listed: Path) -> None:
    whole = listed.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in (last + 1, last + 20, len(whole) - 1):
        listed.write_bytes(whole[:cut])
        found = read_ledger(listed)
        assert found.torn
        assert [each.outcome for each in found.entries] == ["released", "interrupted"]  # it counts
    release = anonymize(frame, 0.1, ledger=listed)
    assert release.facts.releases == 3
    assert not read_ledger(listed).torn


def test_every_beginning_of_the_file_is_a_ledger_or_can_become_one(frame: pl.DataFrame, tmp_path: Path) -> None:
    """A run may be killed while it makes the ledger."""
    path = tmp_path / "x"
    anonymize(frame, 0.1, ledger=path)
    first = path.read_bytes().partition(b"\n")[0]
    for cut in (0, 1, 10, 25, 60, len(first)):
        path.write_bytes(first[:cut])
        assert anonymize(frame, 0.1, ledger=path).facts.releases == 1


def test_runs_at_the_same_time_wait_for_each_other(frame: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "x"
    made: list[Release] = []
    runs = [threading.Thread(target=lambda: made.append(anonymize(frame, 0.1, ledger=path))) for _ in range(4)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert sorted(each.facts.releases for each in made) == [1, 2, 3, 4]
    assert {each.outcome for each in read_ledger(path).entries} == {"released"}


@pytest.mark.slow
def test_killed_at_any_moment_no_line_is_lost_and_no_release_is_without_its_line(
    frame: pl.DataFrame, tmp_path: Path
) -> None:
    path, rng = tmp_path / "people.ledger", random.Random(7)
    log = read_log(frame, ids=True)
    started = time.monotonic()
    anonymize(log, 0.01, ledger=path).write(tmp_path / "first.xes")
    lasts = time.monotonic() - started
    digests, seen = set(), path.read_bytes()
    outcomes = []
    for number in range(100):
        target = tmp_path / f"{number}.xes"
        child = os.fork()
        if not child:
            try:
                anonymize(log, 0.01, ledger=path).write(target)
            finally:
                os._exit(0)
        time.sleep(rng.random() * 1.2 * lasts)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found, content = read_ledger(path), path.read_bytes()
        whole = seen[: seen.rfind(b"\n") + 1]
        assert content.startswith(whole)  # no line is lost
        seen = content
        digests = {each.digest for each in found.entries}
        if target.exists():
            assert digest_of(read_release(target).log) in digests
        outcomes.append(target.exists())
    assert 0 < sum(outcomes) < 100, "kills came before the end and after it"


# --- what logs share --------------------------------------------------------------------------------------------------


def test_the_owner_is_told_what_logs_share(tmp_path: Path) -> None:
    frame = synthetic_frame(40, seed=1)
    cases = frame["case:concept:name"].unique(maintain_order=True)
    first, more, others = (
        frame.filter(pl.col("case:concept:name").is_in(cases[a:b])) for a, b in ((0, 20), (5, 25), (30, 40))
    )
    ledger = tmp_path / "x"
    assert shared_cases(anonymize(first, 0.1, ledger=ledger).begun) == ()
    said = shared_cases(anonymize(more, 0.1, ledger=ledger).begun)
    assert said[0].startswith("15 of its 20 cases")
    assert "with 5 other cases and without 5 of these" in said[1]
    (told,) = shared_cases(anonymize(others, 0.1, ledger=ledger).begun)
    assert "None of its cases is in an earlier log" in told


def test_the_promise_does_not_depend_on_what_logs_share(tmp_path: Path) -> None:
    """Or it would say of one person whether they are in both."""
    said = []
    for name, second in (("same", synthetic_frame(20, seed=1)), ("other", synthetic_frame(20, seed=2))):
        renamed = second.with_columns(pl.col("case:concept:name") + ("" if name == "same" else "x"))
        anonymize(synthetic_frame(20, seed=1), 0.1, ledger=tmp_path / name)
        said.append(anonymize(renamed, 0.1, ledger=tmp_path / name).guarantee)
    assert said[0] == said[1]


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_keeps_and_shows_a_ledger(frame: pl.DataFrame, tmp_path: Path) -> None:
    source, ledger = tmp_path / "log.csv", tmp_path / "people.ledger"
    frame.with_columns(pl.col("time:timestamp").cast(pl.String)).write_csv(source)
    for name in ("a.csv", "b.csv"):
        shown = run_command(
            "anonymize", source, "-o", tmp_path / name, "--delta", 0.1, "--ledger", ledger, "--limit", 0.15
        ).output
    assert "release 2 of the same people; all together may add at most 0.14" in " ".join(shown.split())
    assert "30 of its 30 cases" in " ".join(shown.split())
    refused = run_command("anonymize", source, "-o", tmp_path / "c.csv", "--delta", 0.1, "--ledger", ledger, ok=False)
    assert refused.exit_code == 2
    assert "beyond the limit of 0.15" in refused.output
    assert not (tmp_path / "c.csv").exists()
    assert read_release(tmp_path / "b.csv").facts.delta_together == pytest.approx(0.1395, abs=1e-4)
    shown = " ".join(run_command("ledger", ledger).output.split())
    assert "2 releases of the same people may add at most 0.14 together" in shown
    left = re.search(r"Left of the limit of 0.15: one more release by twin at a delta of up to ([\d.]+)\.", shown)
    assert left is not None
    assert numbers(anonymize(read_log(source, ids=True), float(left[1]), ledger=ledger).guarantee)[0] <= 0.15
    found = json.loads(run_command("ledger", ledger, "--limit", 0.15, "--json").stdout)
    assert found["private"] is True
    assert [each["outcome"] for each in found["releases"]] == ["released"] * 3
    assert found["left"] < 0.02


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--limit", "0.2"], "--limit needs a ledger"),
        (["--ledger", "old.html", "--statement", "old.html", "--force"], "--ledger names another file"),
        (["--ledger", "log.csv"], "--ledger names another file"),
        (["--ledger", "out.csv.release.json"], "--ledger names another file"),
        (["--ledger", "x", "--seed", "1"], "leave out --seed or --ledger"),
        (["--ledger", "x", "--dry-run"], "--ledger and --limit are for releases"),
        (["--ledger", "x", "--engine", "spark", "--method", "amun"], "--ledger does not go with --engine spark"),
    ],
)
def test_the_command_refuses_before_any_work(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text("case,activity,time\n1,A,2024-01-01\n")
    result = run_command("anonymize", "log.csv", "-o", "out.csv", *words, ok=False)
    assert result.exit_code == 2
    assert message in result.output
    assert os.listdir() == ["log.csv"]  # noqa: PTH208


def test_fingerprints_of_the_same_cases_are_the_same_in_any_order(frame: pl.DataFrame) -> None:
    one, other = (Fingerprint.of(read_log(each, ids=True), bytes(32)) for each in (frame, frame.reverse()))
    assert one.name == other.name
    assert one.size == 30
    assert one.shared_with(other) == 30
    assert np.array_equal(Fingerprint.from_text(one.text()).hashes, one.hashes)


def test_all_together_are_promised_what_each_of_them_is(tmp_path: Path) -> None:
    rows = synthetic_frame(30, seed=1).with_columns(pl.col("case:concept:name").alias("who"))
    log = read_log(rows, ids=True, person="who")
    first = anonymize(log, 0.1, ledger=tmp_path / "people.ledger")
    assert any(each.startswith("one case per person") for each in first.guarantee.assumes)
    second = anonymize(log, 0.1, ledger=tmp_path / "people.ledger", cases_per_person=5)
    assert "about one person with one case that" in second.guarantee.statement  # the first covers no more
    assert "everything that each of the releases assumes: it says so itself" in second.guarantee.assumes


@pytest.mark.parametrize("taken_away", ["moved", "another"])
def test_a_ledger_that_is_gone_meanwhile_lets_nothing_appear(
    taken_away: str, frame: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, moved = tmp_path / "people.ledger", tmp_path / "moved.ledger"
    made = Twin.release

    def meanwhile(*how: object) -> object:
        monkeypatch.undo()
        ledger.rename(moved)
        if taken_away == "another":
            anonymize(frame, 0.05, ledger=ledger)
        return made(*how)  # type: ignore[arg-type]

    monkeypatch.setattr(Twin, "release", meanwhile)
    with pytest.raises(OutputError, match="it does not appear") as refused:
        anonymize(frame, 0.1, ledger=ledger)
    assert "nothing was drawn" not in str(refused.value)
    assert [each.outcome for each in read_ledger(moved).entries] == ["interrupted"]
    assert ledger.exists() == (taken_away == "another")
    if taken_away == "another":
        assert [each.outcome for each in read_ledger(ledger).entries] == ["released"]
