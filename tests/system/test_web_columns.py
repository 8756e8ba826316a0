"""Columns that are kept, persons and start times on the page and through the API, without a browser."""

from __future__ import annotations

import html
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from support.web import Site, Visitor, serving
from unsingle import read_log
from unsingle.core.columns import PERSON, Kind, Level
from unsingle.core.log import EventLog
from unsingle.web.fields import of_form
from unsingle.web.snapshot import load_columns, save_columns

pytestmark = pytest.mark.slow

ROLES = {"case": "Fall", "activity": "Schritt", "time": "Ende"}
KEPT = {"keep": ["Station", "user"], "keep_case": ["Alter"], "numbers": ["Alter"], "person": "Patient"}


def clinic() -> str:
    """600 cases of 300 people, with columns of all kinds."""
    chance = random.Random(5)
    lines = ["Fall;Patient;Schritt;Beginn;Ende;Station;user;Alter;Notiz"]
    for case in range(600):
        age = chance.randrange(20, 90)
        for i, step in enumerate(["auf", "an", "zu"] if case % 4 else ["auf", "zu"]):
            hour = 8 + 2 * i
            times = (
                f"2024-03-{1 + case % 28:02} {hour}:15;2024-03-{1 + case % 28:02} {hour + 1}:{chance.randrange(10, 60)}"
            )
            ward = chance.choice(["Nord", "Sued"])
            lines.append(f"F{case};P{case % 300};{step};{times};{ward};u{chance.randrange(4)};{age};n{case}-{i}")
    return "\n".join(lines)


CLINIC = clinic()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site"), workers=2) as running:
        yield running


def read_clinic(visitor: Visitor, **reading: object) -> str:
    job = visitor.upload_and_wait(CLINIC.encode(), "clinic.csv")
    assert visitor.read(job, **{**ROLES, **reading})["error"] is None
    return job


def release_of(visitor: Visitor, job: str) -> pl.DataFrame:
    return pl.read_csv(visitor.get(f"/api/jobs/{job}/files/release").content)


def test_kept_columns_and_persons_come_into_a_release_by_the_api(site: Site) -> None:
    with site.visitor() as visitor:
        job = read_clinic(visitor, **KEPT)
        known = visitor.get(f"/api/jobs/{job}/risk").json()["columns"]
        assert [(each["name"], each["level"], each["kind"]) for each in known["kept"]] == [
            ("Station", "event", "text"),
            ("user", "event", "text"),
            ("Alter", "first event", "number"),
        ]
        assert (known["left_out"], known["has_persons"]) == (["Beginn", "Notiz"], True)
        choice = {"cases_per_person": 2, "round": {"Alter": 5}, "values": {"Station": ["Nord", "West"]}}
        assert visitor.release(job, format="csv", delta=0.4, **choice)["error"] is None
        made = visitor.get(f"/api/jobs/{job}/release").json()
        released = release_of(visitor, job)
    assert {"Station", "user", "Alter"} <= set(released.columns)
    assert not {"Patient", "Notiz", "Beginn"} & set(released.columns)
    assert set(released["Station"].drop_nulls()) <= {"Nord", "West", "OTHER"}  # public values
    assert set(released["user"].drop_nulls()) <= {
        *(f"value {n}" for n in range(1, 9)),
        "OTHER",
    }  # as it looks like staff
    ages = released["Alter"].drop_nulls()
    assert len(ages)
    assert all(age % 5 == 0 for age in ages)
    assert "one person with up to 2 cases" in made["release"]["guarantee"]


def test_the_command_that_is_shown_keeps_the_same_columns(site: Site, tmp_path: Path) -> None:
    with site.visitor() as visitor:
        job = read_clinic(visitor, **KEPT, start="Beginn")
        choice = {"names": ["user"], "pseudonyms": ["Station"], "round": {"Alter": 2.5}, "cases_per_person": 3}
        choice["calendar"] = {"days": ["Monday", "Friday"], "hours": ["08:00-17:00"], "holidays": []}
        visitor.release(job, format="csv", **choice, values={"user": ["u0", "u1; $(touch x)"]})
        shown = visitor.get(f"/api/jobs/{job}/release").json()["command"]
    (tmp_path / "clinic.csv").write_text(CLINIC)
    *making, command = shown.splitlines()
    assert "--calendar calendar.toml" in command
    assert "--start Beginn --person Patient --keep Station --keep user --keep-case Alter --number Alter" in command
    subprocess.run("\n".join(making), shell=True, check=True, cwd=tmp_path)
    assert (tmp_path / "values-1.txt").read_text() == "u0\nu1; $(touch x)\n"
    command = command.replace("unsingle", f"{sys.executable} -m unsingle", 1)
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    made = pl.read_csv(tmp_path / "release.csv")
    assert set(made["user"].drop_nulls()) <= {"u0", "u1; $(touch x)", "OTHER"}
    assert {"Station", "user", "Alter", "start_timestamp"} <= set(made.columns)
    assert {path.name for path in tmp_path.iterdir()} == {
        "clinic.csv", "calendar.toml", "values-1.txt", "release.csv", "release.csv.release.json",
        "comparison.PRIVATE.html",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        ({"keep": "Alter"}, "“keep” must be a list of texts"),
        ({"keep": [7]}, "“keep” must be a list of texts"),
        ({"keep": ["Alter"], "keep_case": ["Alter"]}, "'Alter' is named twice: “keep” if each event has a value"),
        ({"numbers": ["Alter"]}, "'Alter' is declared to be a number, but not kept"),
        ({"keep": ["Fall"]}, "'Fall' is the column of the case: leave it out of “keep”"),
        ({"keep_case": ["Patient"], "person": "Patient"}, "leave it out of “keep as one value of the case”"),
        ({"start": "Ende"}, "'Ende' is the column of the time: name another with “Start time”"),
    ],
    ids=str,
)
def test_columns_that_cannot_be_kept_are_refused_at_once(reading: dict[str, object], said: str, site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(CLINIC.encode(), "clinic.csv")
        answer = visitor.post(f"/api/jobs/{job}/columns", json=ROLES | reading)
        assert answer.status_code == 400
        assert said in answer.json()["error"]


def test_what_does_not_fit_the_kept_columns_is_refused_at_once(site: Site) -> None:
    with site.visitor() as visitor:
        job = read_clinic(visitor, keep=["Station"], keep_case=["Alter"], numbers=["Alter"])
        for choice, said in [
            ({"method": "amun"}, "the method amun cannot release 'Station': leave it out of “keep”, or take twin or"),
            ({"pseudonyms": ["Notiz"]}, "“pseudonyms” names 'Notiz', which is not kept"),
            ({"pseudonyms": ["Alter"]}, "“pseudonyms” is for columns of text, and 'Alter' holds numbers"),
            ({"pseudonyms": "Station"}, "“pseudonyms” must be a list of texts"),
            ({"round": {"Station": 5}}, "“Round to multiples of” is for columns of numbers"),
            ({"round": {"Alter": 0}}, "must be a number above 0"),
            ({"round": {"Alter": "much"}}, "“Round to multiples of” must be a number (not 'much')"),
            ({"round": [5]}, "“Round to multiples of” must be an object with columns as its names"),
            ({"calendar": ["Monday"]}, "“Calendar” must be an object with days, hours and holidays as its names"),
            ({"calendar": {"days": ["Mon"]}}, "“Calendar”: 'Mon' is no day"),
            ({"values": {"Station": "Nord"}}, "“values” must be a list of texts"),
            ({"values": {"Station": []}}, "“values” for 'Station' must be a list of texts"),
            ({"cases_per_person": 2}, "“Cases per person” needs a log that says whose each case is: choose “Person”"),
            ({"cases_per_person": 0}, "“Cases per person” must be a whole number from 1 to 1000"),
            ({"cases_per_person": 2.5}, "“Cases per person” must be a whole number (not '2.5')"),
        ]:
            answer = visitor.post(f"/api/jobs/{job}/release", json=choice)
            assert answer.status_code == 400, choice
            assert said in answer.json()["error"]
        promised = visitor.get("/api/guarantees", params={"job": job}).json()
        assert set(promised) == {"twin", "twin-crowds", "strict"}
        assert "this or that in 'Station', 'Alter'" in str(promised["twin"])
        assert visitor.get("/api/guarantees", params={"job": "none"}).status_code == 404


def test_a_column_that_the_worker_refuses_can_be_left_out_then(site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(CLINIC.encode(), "clinic.csv")
        state = visitor.read(job, **ROLES, keep=["Station"], numbers=["Station"])
        assert "“number”" in state["error"]
        assert visitor.read(job, **ROLES, keep=["Station"])["error"] is None


# -------------------------------------------------------------------------------------------------- the page


def form_of(page: str, form: str) -> str:
    return page.partition(f'id="{form}"')[2].partition("</form>")[0]


def test_columns_are_kept_by_the_page_without_scripts(site: Site) -> None:
    with site.visitor(follow_redirects=True) as visitor:
        job = visitor.upload_and_wait(CLINIC.encode(), "clinic.csv")
        offered = re.findall(r'name="use:([^"]+)"', visitor.get(f"/jobs/{job}").text)
        assert {"Station", "user", "Alter", "Notiz"} <= set(offered)
        sent = {
            **ROLES, **{f"use:{name}": "" for name in offered}, "person": "Patient", "start": "",
            "use:Station": "keep", "use:user": "keep", "use:Alter": "keep_case", "numbers": "Alter",
        }  # fmt: skip
        visitor.post(f"/jobs/{job}/columns", data=sent)
        visitor.wait(job)
        page = visitor.get(f"/jobs/{job}").text
        assert (
            '<p id="kept">Kept beside case, activity and time: Station, user, Alter. Left out: Beginn, Notiz. '
            "Persons are known, and are not published.</p>" in page
        )
        assert '<option value="keep_case" selected>' in form_of(page, "columns")
        assert re.search(r'name="numbers" value="Alter" checked', page)
        hidden = {name for name in offered if f'<li data-column="{name}" hidden>' in page}
        assert hidden == {*ROLES.values(), "Patient"}
        choose = form_of(page, "choose")
        assert re.findall(r'value="([^"]+)" checked aria-label="[^"]+: pseudonyms"', choose) == ["user"]
        assert 'name="round:Alter"' in choose
        assert 'name="cases_per_person"' in choose
        assert re.findall(r'name="method" value="([^"]+)" disabled', choose) == ["amun", "sample", "filter"]
        assert "The method amun cannot release &#39;Station&#39;: leave it out of “keep”, or take twin" in choose
        choice = {
            "delta": "0.4",
            "confirm_weak": "true",
            "method": "twin",
            "format": "csv",
            "grid": "",
            "cases_per_person": "2",
        }
        refused = visitor.post(f"/jobs/{job}/release", data={**choice, "round:Alter": "-1", "pseudonyms": "Station"})
        assert "must be a number above 0" in refused.text
        assert 'name="round:Alter" min="0" step="any" value="-1"' in refused.text
        visitor.post(f"/jobs/{job}/release", data={**choice, "names": "user", "round:Alter": "10"})  # unticked
        visitor.wait(job)
        page = visitor.get(f"/jobs/{job}").text
        shown = html.unescape(page)
        assert "--cases-per-person 2 --names user --round Alter=10" in shown
        assert not re.findall(r'checked aria-label="[^"]+: pseudonyms"', page)
        released = release_of(visitor, job)
    assert set(released["user"].drop_nulls()) <= {"u0", "u1", "u2", "u3", "OTHER"}
    assert all(age % 10 == 0 for age in released["Alter"].drop_nulls())


def test_a_refused_form_for_columns_stays_as_it_was_sent(site: Site) -> None:
    with site.visitor(follow_redirects=True) as visitor:
        job = read_clinic(visitor, keep=["Station"])
        page = visitor.post(f"/jobs/{job}/columns", data={**ROLES, "use:Alter": "keep_case", "use:Ende": "keep"}).text
        assert "&#39;Ende&#39; is the column of the time: leave it out of “keep”" in page
        uses = re.findall(r'name="use:([^"]+)"(.*?)</select>', form_of(page, "columns"))
        assert {name for name, options in uses if "selected" in options} == {"Alter", "Ende"}
        assert '<li data-column="Ende">' in page  # so that it can be changed
        assert visitor.get(f"/api/jobs/{job}/risk").status_code == 200  # what was read before is still there


def test_no_field_of_a_form_breaks_another() -> None:
    given = [("use:a", "case"), ("use:", ""), ("round", "1"), ("round:", "2"), ("round:x:y", "3"), ("keep", "b")]
    assert of_form([*given, ("use:b:c", "keep"), ("names", "s"), ("names", "t"), ("pseudonyms", "s")]) == {
        "use:a": "case", "round": {"x:y": "3"}, "round:": "2", "keep": ["b", "b:c"], "names": ["t"],
        "pseudonyms": ["s"],
    }  # fmt: skip


# -------------------------------------------------------------------------------------------- the worker's file


def test_a_log_survives_the_file_between_two_steps(tmp_path: Path) -> None:
    (tmp_path / "clinic.csv").write_text(CLINIC)
    log = read_log(tmp_path / "clinic.csv", **ROLES, **KEPT, start="Beginn")  # type: ignore[arg-type]
    save_columns(log, tmp_path / "columns.npz")
    again = load_columns(tmp_path / "columns.npz")
    assert again.fields == log.fields
    assert PERSON in again.fields
    assert {(field.level, field.kind) for field in again.fields} >= {
        (Level.EVENT, Kind.TEXT), (Level.FIRST, Kind.NUMBER)
    }  # fmt: skip
    assert (again.labels, again.zone, again.source, again.parts) == (log.labels, log.zone, log.source, log.parts)
    assert again.parts is not None
    assert again.parts.intervals
    for name in ("activity", "time", "case_offsets"):
        assert (getattr(again, name) == getattr(log, name)).all()
    assert [column.cells() for column in again.columns] == [column.cells() for column in log.columns]
    assert isinstance(again, EventLog)
