"""The page counts the releases of logs of one name together, in ledgers that outlive the logs."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from support.web import serving
from unsingle import OutputError
from unsingle.records.ledger import read_ledger
from unsingle.synthetic import synthetic_frame
from unsingle.web.ledgers import ledger_for
from unsingle.web.settings import Settings


def test_releases_of_logs_of_one_name_are_counted_together(tmp_path: Path) -> None:
    log = synthetic_frame(30, seed=1).select("case:concept:name", "concept:name", "time:timestamp").write_csv().encode()
    ledgers, folder = tmp_path / "ledgers", tmp_path / "server"
    folder.mkdir()
    with serving(folder, ledgers=ledgers) as site, site.visitor() as visitor:
        assert "salted fingerprints" in visitor.get("/").text
        said = []
        for _ in range(2):
            job = visitor.upload_and_wait(log, "Our patients.csv")
            visitor.read(job)
            visitor.release(job, delta=0.1)
            said.append(visitor.get(f"/api/jobs/{job}/release").text)
    assert "release 1 of the same people" in said[0]
    assert "release 2 of the same people; all together may add at most 0.14" in said[1]
    assert "has all 2 releases" in said[1]
    (ledger,) = ledgers.iterdir()
    assert ledger.name.startswith("Our_patients-")
    assert [each.outcome for each in read_ledger(ledger).entries] == ["released"] * 2
    assert stat.S_IMODE(ledgers.stat().st_mode) == 0o700


@pytest.mark.parametrize("is_local", [True, False])
def test_what_logs_share_is_told_to_nobody_where_another_may_have_had_them(
    is_local: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Settings, "is_local", is_local)
    log = synthetic_frame(30, seed=1).select("case:concept:name", "concept:name", "time:timestamp").write_csv().encode()
    with serving(tmp_path, ledgers=tmp_path / "ledgers") as site:
        for _ in range(2):  # each with a session of their own
            with site.visitor() as visitor:
                job = visitor.upload_and_wait(log, "log.csv")
                visitor.read(job)
                visitor.release(job, delta=0.1)
                said = visitor.get(f"/api/jobs/{job}/release").text
    assert "release 2 of the same people" in said
    assert ("30 of its 30 cases" in said) == is_local


@pytest.mark.parametrize("name", ["../../x.csv", "", ".", "a/b.csv", "x" * 300 + ".csv", "é.csv", "con\nsole.csv"])
def test_no_name_leaves_the_folder(name: str, tmp_path: Path) -> None:
    found = ledger_for(tmp_path / "ledgers", name)
    assert found.parent == tmp_path / "ledgers"
    assert len(found.name) < 100
    found.touch()
    assert found.suffix == ".ledger"
    assert found != ledger_for(tmp_path / "ledgers", "x_" + name)


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with pytest.raises(OutputError, match="open to other users"):
        ledger_for(tmp_path, "log.csv")


def test_formats_of_one_log_have_one_ledger(tmp_path: Path) -> None:
    names = ("Hospital 2024.xes.gz", "Hospital 2024.csv", "Hospital 2025.csv")
    one, same, other = (ledger_for(tmp_path / "ledgers", name) for name in names)
    assert one == same != other
