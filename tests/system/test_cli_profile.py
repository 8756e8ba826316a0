"""The same profile for all commands: the same columns and zone; and what is said of one that does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.helpers import run_command
from unsingle import read_log, read_profile

LOG = "Auftrag;Schritt;Wann;Station;Notiz\n" + "".join(
    f"{case};{step};{1 + case % 28:02}.03.2024 {8 + i}:15;s{case % 3};n\n"
    for case in range(150)
    for i, step in enumerate(["auf", "zu"] if case % 3 else ["auf", "an", "zu"])
)
OPTIONS = [
    "--case",
    "Auftrag",
    "--activity",
    "Schritt",
    "--time",
    "Wann",
    "--timezone",
    "Europe/Berlin",
    "--keep",
    "Station",
]


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    path.write_text(LOG)
    return path


@pytest.fixture
def profile(orders: Path) -> Path:
    path = orders.with_name("orders.toml")
    path.write_text(run_command("profile", orders, *OPTIONS).stdout)
    return path


def test_a_profile_is_written_once_for_all_commands(orders: Path, profile: Path) -> None:
    assert dict(read_profile(profile).reading) == {
        "format": "csv", "case": "Auftrag", "activity": "Schritt", "time": "Wann", "timezone": "Europe/Berlin",
        "keep": ("Station",),
    }  # fmt: skip
    assert '# Left out: "Notiz"' in profile.read_text()
    with_profile = ["--profile", profile]
    release = orders.with_name("release.csv")
    made = json.loads(run_command("anonymize", orders, "-o", release, *with_profile, "--json").stdout)
    used = json.loads(run_command("inspect", orders, *with_profile, "--json").stdout)
    expected = {"case": "Auftrag", "activity": "Schritt", "time": "Wann", "kept": ["Station"], "left_out": ["Notiz"]}
    assert made["columns"] == used["columns"] == expected
    assert used["zone"] == "Europe/Berlin"
    assert json.loads(run_command("inspect", orders, *OPTIONS, "--json").stdout) == used
    # all released cases may lie in winter, or in summer
    assert read_log(release, keep=["Station"]).zone in ("Europe/Berlin", "+01:00", "+02:00")
    for arguments in (
        ["risk", orders, "--json"],
        ["compare", orders, release, "--json"],
        ["sweep", orders, "--runs", 1, "--delta", 0.2, "--method", "twin", "--json"],
    ):
        by_profile = json.loads(run_command(*arguments, *with_profile).stdout)
        by_options = json.loads(run_command(*arguments, *OPTIONS).stdout)
        assert by_profile.keys() == by_options.keys()
        assert by_profile.get("cases", 150) == by_options.get("cases", 150) == 150
    risk = [json.loads(run_command("risk", orders, *how, "--json").stdout) for how in (with_profile, OPTIONS)]
    assert risk[0] == risk[1]
    assert risk[0]["attributes"]
    dry = run_command("anonymize", orders, "--dry-run", *with_profile)
    assert "Station  text:" in dry.stdout


@pytest.mark.slow
def test_an_audit_takes_the_profile_too(orders: Path, profile: Path) -> None:
    how = ["--runs", 20, "--attack", "copies", "--seed", 1, "--json"]
    audits = [run_command("audit", orders, *how, *each, ok=False) for each in (["--profile", profile], OPTIONS)]
    assert audits[0].exit_code == audits[1].exit_code < 2
    assert audits[0].stdout == audits[1].stdout
    release = orders.with_name("release.csv")
    run_command("anonymize", orders, "-o", release, "--profile", profile)
    given = run_command("audit", orders, release, "--delta", 0.2, "--profile", profile, ok=False)
    assert given.exit_code < 2, given.stderr


def test_options_go_before_the_profile(orders: Path, profile: Path) -> None:
    found = run_command("inspect", orders, "--activity", "Station", "--keep", "Notiz", "--profile", profile, "--json")
    columns = json.loads(found.stdout)["columns"]
    assert (columns["case"], columns["activity"], columns["kept"]) == ("Auftrag", "Station", ["Notiz"])
    updated = run_command("profile", orders, "--profile", profile, "--timezone", "+02:00").stdout
    assert 'timezone = "+02:00"' in updated
    assert 'keep = ["Station"]' in updated


def test_the_format_of_standard_input_is_that_of_the_profile(orders: Path, profile: Path) -> None:
    found = run_command("inspect", "-", "--profile", profile, stdin=orders.read_bytes())
    assert "cases           150" in found.stdout


@pytest.mark.parametrize("command", ["anonymize", "risk", "compare", "sweep", "audit", "inspect", "profile"])
def test_a_profile_that_does_not_fit_says_what_differs(command: str, orders: Path, profile: Path) -> None:
    orders.write_text(LOG.replace("Auftrag", "Order").replace("Station", "Ward"))
    more = {"anonymize": ["-o", orders.with_name("release.csv")], "compare": [orders]}.get(command, [])
    found = run_command(command, orders, *more, "--profile", profile, ok=False)
    assert found.exit_code == 2
    assert found.stderr == (
        f"unsingle: {orders}: does not fit {profile}: there is no column 'Auftrag' (case), 'Station' (keep); there "
        "are: 'Order', 'Schritt', 'Wann', 'Ward', 'Notiz': name others, such as with --case, which goes before the "
        "profile, or make one of this log\n"
    )
    assert sorted(orders.parent.iterdir()) == [orders, profile]
    fitting = run_command("inspect", orders, "--profile", profile, "--case", "Order", "--keep", "Ward")
    assert "cases           150" in fitting.stdout


def test_another_way_of_writing_times_is_told_with_the_profile(orders: Path, profile: Path) -> None:
    profile.write_text(profile.read_text() + 'time_format = "%Y/%m/%d"\n')
    found = run_command("inspect", orders, "--profile", profile, ok=False)
    assert "times cannot be read" in found.stderr
    assert found.stderr.endswith(f"(read as {profile} says)\n")


@pytest.mark.parametrize("text", ["colour = 1", "case = 1", "case =", "", "timezone = 'Mars'", "escape = 'x'"])
@pytest.mark.parametrize("command", ["anonymize", "risk"])
def test_a_broken_profile_is_one_line_and_nothing_is_written(command: str, text: str, orders: Path) -> None:
    broken = orders.with_name("broken.toml")
    broken.write_text(text)
    more = ["-o", orders.with_name("release.csv")] if command == "anonymize" else []
    found = run_command(command, orders, *more, "--profile", broken, ok=False)
    assert found.exit_code == 2
    assert found.stderr.startswith(f"unsingle: {broken}: ")
    assert len(found.stderr.splitlines()) == 1
    assert sorted(orders.parent.iterdir()) == [broken, orders]


def test_an_error_that_is_not_about_the_log_is_not_blamed_on_the_profile(orders: Path, profile: Path) -> None:
    found = run_command("compare", orders, orders.with_name("none.csv"), "--profile", profile, ok=False)
    assert "none.csv: there is no such file" in found.stderr
    assert "orders.toml" not in found.stderr


ODD = "".join(
    f"{case};{step};{1 + case % 28:02}.03.2024;{8 + i:02}:15;1.234,5{case % 10};Größe\n"
    for case in range(120)
    for i, step in enumerate(["prüfen", "schließen"])
)
ODD_OPTIONS = [
    "--case", "Auftrag", "--activity", "Schritt", "--time", "Datum+Uhrzeit", "--skip-incomplete", "--keep", "Betrag",
    "--number", "Betrag", "--decimal-comma", "--timezone", "Europe/Berlin",
]  # fmt: skip


def test_a_profile_says_all_that_odd_exports_need(tmp_path: Path) -> None:
    heading = "Auftrag;Schritt;Datum;Uhrzeit;Betrag;Straße\n"
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_bytes(f"{heading}{ODD};;;;;\n".encode("cp1252"))
    new.write_bytes(f"{heading}{ODD.replace('schließen', 'aus')};;;;;\n".encode("cp1252"))
    profile = tmp_path / "p.toml"
    profile.write_text(run_command("profile", old, *ODD_OPTIONS).stdout, encoding="utf-8")
    said = read_profile(profile).reading
    assert (said["encoding"], said["time"], said["skip_incomplete"], said["decimal_comma"]) == (
        "cp1252", "Datum+Uhrzeit", True, True,
    )  # fmt: skip
    both = json.loads(run_command("inspect", old, new, "--profile", profile, "--json").stdout)
    assert (both["events"], both["activities"], both["zone"]) == (480, 3, "Europe/Berlin")
    log = read_profile(profile).read_log([old, new])
    assert log == read_log([old, new], **said)
    assert max(log.columns[0].values) == pytest.approx(1234.59)
    new.write_bytes(new.read_bytes().replace(b"Uhrzeit", b"Zeit"))
    wrong = run_command("inspect", new, "--profile", profile, ok=False)
    assert f"{new}: does not fit {profile}: there is no column 'Uhrzeit' (time)" in wrong.stderr
