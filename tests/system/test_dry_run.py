"""A dry run: what a release would publish, leave out, promise and keep; and the same warnings with a real one."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import unsingle
from support.helpers import real_log_path, run_command
from unsingle import ParameterError, dry_run, read_log
from unsingle.evaluation.tables import PRIVATE
from unsingle.methods import METHODS

STEPS = ["Register", "Check", "Decide", "Inform", "Close"]


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    """A log in which one clerk wrote an e-mail address into the name of a step."""
    activity = STEPS * 150
    activity[3] = "Inform anna@example.org"
    path = tmp_path / "orders.csv"
    times = [f"2024-01-{1 + i % 28:02} 10:00" for i in range(750)]
    columns = {"case": [i // 5 for i in range(750)], "activity": activity, "time": times, "Resource": ["Kim"] * 750}
    pl.DataFrame(columns).write_csv(path)
    return path


def test_it_shows_every_label_what_is_left_out_and_what_is_promised(orders: Path) -> None:
    found = run_command("anonymize", orders, "--dry-run", "--seed", 1, ok=False)
    assert found.exit_code == 1
    text = " ".join(found.stdout.split())
    assert text.startswith(f"{PRIVATE}: what a release would be")
    assert "1 of 6 activities look personal" in text
    assert "What looks like an e-mail address is in 1 of 6 activities: 'Inform anna@example.org'." in text
    assert "! Inform anna@example.org 1 1 looks like an e-mail address" in text
    assert all(f" {step} 1" in text for step in STEPS)
    assert "Left out Resource" in text
    assert "150, with 5.0 events on average and at most 5" in text
    assert "Guarantee of twin, delta 0.2 Someone who knows every other case" in text
    assert "ratio" in text
    assert "time distance" in text
    assert list(orders.parent.iterdir()) == [orders]


def test_it_ends_well_if_nothing_looks_personal(hospital: Path) -> None:
    found = run_command("anonymize", hospital, "--dry-run", "--lifecycle", "complete")
    assert "Nothing that would be published looks personal" in " ".join(found.stdout.split())
    assert "Look at this" not in found.stdout


def test_it_writes_nothing_whatever_is_asked_for(orders: Path) -> None:
    more = ["-o", orders.with_name("release.csv"), "--report", orders.with_name("report.html"), "--force"]
    run_command("anonymize", orders, "--dry-run", *more, ok=False)
    assert list(orders.parent.iterdir()) == [orders]


def test_json_has_the_same_and_says_that_it_is_private(orders: Path) -> None:
    found = json.loads(run_command("anonymize", orders, "--dry-run", "--json", ok=False).stdout)
    assert found["private"] is True
    assert found["labels"][0] == {
        "activity": "Inform anna@example.org", "cases": 1, "events": 1, "looks_like": "an e-mail address",
    }  # fmt: skip
    assert [each["check"] for each in found["concerns"]] == ["email"]
    assert found["left_out"] == ["Resource"]


def test_quiet_says_only_what_is_wrong(orders: Path) -> None:
    found = run_command("anonymize", orders, "--dry-run", "--quiet", ok=False)
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.startswith("unsingle: private: What looks like an e-mail address")


def test_it_takes_the_parameters_of_the_method(orders: Path) -> None:
    labels = orders.with_name("labels.txt")
    labels.write_text("\n".join(STEPS))
    found = run_command("anonymize", orders, "--dry-run", "--method", "strict", "--labels", labels, "--delta", 0.3)
    assert "Activities that would be published (5;" in found.stdout
    assert "WARNING: delta 0.3 is weak" in found.stdout


def test_kept_columns_are_listed_with_what_becomes_of_them(orders: Path) -> None:
    found = run_command("anonymize", orders, "--dry-run", "--keep", "Resource", ok=False)
    assert "Resource  text: pseudonyms, or values that were given as public" in found.stdout
    shown = run_command("anonymize", orders, "--dry-run", "--keep", "Resource", "--names", "Resource", ok=False)
    assert "Resource  text: values that many people have, as they are" in shown.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "say where the release goes with -o FILE, or see what it would be with --dry-run"),
        (["--dry-run", "--engine", "spark"], "--dry-run does not go with --engine spark"),
        (["--dry-run", "--scratch", "x"], "--spark-remote, --scratch and --order go with --engine spark only"),
    ],
)
def test_what_does_not_go_together_is_one_line(orders: Path, options: list[str], message: str) -> None:
    found = run_command("anonymize", orders, *options, ok=False)
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1


def test_a_release_warns_of_the_same_and_is_made_all_the_same(orders: Path) -> None:
    release = orders.with_name("release.csv")
    found = run_command("anonymize", orders, "-o", release)
    private = found.stdout.partition("PRIVATE, do not publish")[2]
    assert "WARNING: What looks like an e-mail address" in private
    assert "Inform anna@example.org" in release.read_text()
    quiet = run_command("anonymize", orders, "-o", release, "--force", "--quiet")
    assert quiet.stderr.startswith("unsingle: private: What looks like an e-mail address")
    plain = json.loads(run_command("anonymize", orders, "-o", release, "--force", "--json").stdout)
    assert [each["check"] for each in plain["checks"]] == ["email"]
    assert "checks" in plain["private_keys"]


def test_checks_change_nothing_of_a_release(orders: Path) -> None:
    log = read_log(orders)
    before = unsingle.anonymize(log, seed=3).log
    dry_run(log, seed=3)
    assert unsingle.anonymize(log, seed=3).log == before


def test_a_dry_run_takes_what_anonymize_takes(orders: Path) -> None:
    found = dry_run(pl.read_csv(orders), 0.3, method="amun", seed=1)
    assert (found.method, found.delta, found.personal) == ("amun", 0.3, True)
    assert PRIVATE in found._repr_html_()
    with pytest.raises(ParameterError):
        dry_run(pl.read_csv(orders), colour=1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("delta", "said"), [(0.3, "is weak"), (0.005, "is very small"), (0.25, ""), (0.01, "")])
def test_every_method_warns_of_a_delta_that_is_far_from_usual(method: str, delta: float, said: str) -> None:
    try:
        made = unsingle.anonymize(unsingle.synthesize(cases=300), delta, method=method)
    except unsingle.UnsingleError:
        pytest.skip(f"{method} cannot do with delta {delta}")
    of_delta = [each for each in made.guarantee.cautions if each.startswith(f"delta {delta:g} ")]
    assert [said in each for each in of_delta] == ([True] if said else [])
    assert made.public()["cautions"] == list(made.guarantee.cautions)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["BPIC13_incidents", "CCC19", "Sepsis", "Unrineweginfectie"])
def test_a_dry_run_of_a_real_log_ends_well(name: str) -> None:
    run_command("anonymize", real_log_path(name), "--dry-run", "--quiet")
