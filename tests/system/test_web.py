"""The web app without a browser: every request, and that nothing of an uploaded log is left behind."""

from __future__ import annotations

import fcntl
import gzip
import html
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from test_bad_input import BAD

from support.helpers import real_log_path, run_command
from support.web import PATIENCE, Site, files_in, processes_in, serving
from unsingle import read_log
from unsingle.core.machine import parse_size
from unsingle.errors import OutputError, ParameterError
from unsingle.web import worker
from unsingle.web.catalogue import deltas, methods
from unsingle.web.commands import release_command
from unsingle.web.forms import ReadingRequest, ReleaseRequest
from unsingle.web.jobs import Job
from unsingle.web.server import secured
from unsingle.web.service import Service
from unsingle.web.settings import Settings, parse_time
from unsingle.web.storage import Storage

pytestmark = pytest.mark.slow

ODD = "Fallnummer;Schritt;Wann\n" + "".join(
    f"{case};{step};{day:02}.03.2024 {8 + i}:15\n"
    for case, day in enumerate([1, 2, 3, 4, 4, 5, 9, 9])
    for i, step in enumerate(["auf", "zu"] if case % 3 else ["auf", "an", "zu"])
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    with serving(tmp_path_factory.mktemp("site"), workers=2) as running:
        yield running


# ------------------------------------------------------------------------------------------------- all steps


@pytest.mark.parametrize("format_", ["xes.gz", "csv", "parquet"])
def test_all_steps_with_every_kind_of_file(format_: str, site: Site, tmp_path: Path) -> None:
    run_command("synthesize", "-o", tmp_path / f"log.{format_}", "--cases", 120)
    with site.visitor() as visitor:
        job = visitor.upload_and_wait((tmp_path / f"log.{format_}").read_bytes(), f"log.{format_}")
        preview = visitor.get(f"/api/jobs/{job}/preview").json()
        assert len(preview["rows"]) == 10
        assert preview["guess"]["time"] == "time:timestamp"
        assert visitor.read(job)["risk"]
        risk = visitor.get(f"/api/jobs/{job}/risk").json()
        assert risk["inspection"]["cases"] == 120
        assert risk["verdict"].count(". ") == 2
        assert visitor.release(job, delta=0.3, method="twin", format=format_)["release"]
        made = visitor.get(f"/api/jobs/{job}/release").json()
        assert made["release"]["publishable"]
        assert f"log.{format_} -o release.{format_} --method twin --delta 0.3" in made["command"]
        assert "people, which nobody else took, are published" in made["remarks"][0]
        assert "delta 0.3 is weak" in made["release"]["cautions"][0]
        answer = visitor.get(f"/api/jobs/{job}/files/release")
        (tmp_path / f"release.{format_}").write_bytes(answer.content)
        assert answer.headers["content-disposition"] == f'attachment; filename="release.{format_}"'
    original, release = (read_log(tmp_path / f"{name}.{format_}") for name in ("log", "release"))
    assert original.variant_counts().keys() == release.variant_counts().keys()  # R1


def test_the_command_that_is_shown_does_the_same(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "a 'log'; of mine.csv"
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(ODD.encode(), name)
        visitor.read(job, case="Fallnummer", activity="Schritt", time="Wann", timezone="Europe/Berlin")
        visitor.release(job, method="amun", delta=0.4, grid="hour", format="csv")
        shown = visitor.get(f"/api/jobs/{job}/release").json()["command"]
    (tmp_path / name).write_text(ODD)
    subprocess.run(shown.replace("unsingle", f"{sys.executable} -m unsingle", 1), shell=True, check=True, cwd=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        name, "release.csv", "release.csv.release.json", "comparison.PRIVATE.html"
    }  # fmt: skip


def test_a_name_cannot_become_an_option_of_the_command() -> None:
    request = ReleaseRequest("twin", 0.2, "csv")
    assert release_command(["--version.csv"], ReadingRequest(), request).startswith(
        "unsingle anonymize ./--version.csv -o release.csv"
    )


def test_predictions_come_by_themselves_and_do_not_stop_a_release(site: Site, hospital: Path) -> None:
    with site.visitor() as visitor:
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        visitor.release(job)
        visitor.wait_for(job, lambda state: state["predictions"] == len(methods()) * len(deltas()))
        found = visitor.get(f"/api/jobs/{job}/predictions").json()
    assert found["complete"]
    points = {(point["method"], point["delta"]): point for point in found["points"]}
    assert len(points) == len(found["points"]) == len(methods()) * len(deltas())  # none was measured twice
    assert points["amun", 0.05]["ratio"] > points["amun", 0.5]["ratio"]


@pytest.mark.parametrize("choice", [{"method": "twin", "paths": "crowds"}, {"method": "twin-crowds"}], ids=str)
def test_paths_taken_by_many_on_the_demo_log(choice: dict[str, str], site: Site, tmp_path: Path) -> None:
    with site.visitor() as visitor:
        job = visitor.post("/api/demo").json()["id"]
        visitor.read(job)
        state = visitor.release(job, **choice)
        assert state["error"] is None
        made = visitor.get(f"/api/jobs/{job}/release").json()
        shown = visitor.get(f"/jobs/{job}").text
        (original,) = (path for path in site.files() if path.parts[-2:] == (job, "original.xes.gz"))
        demo = gzip.decompress(original.read_bytes())
    assert made["release"]["method"] == "twin-crowds"
    assert "--method twin --paths crowds --delta 0.2" in made["command"]
    assert "are withheld" in made["remarks"][0]
    assert 'value="twin-crowds" checked' in shown
    assert made["command"] in html.unescape(shown)
    making = made["command"].splitlines()[0].replace("unsingle", f"{sys.executable} -m unsingle", 1)
    subprocess.run(making, shell=True, check=True, cwd=tmp_path)
    assert gzip.decompress((tmp_path / "hospital.xes.gz").read_bytes()) == demo  # which the other line takes


def test_the_page_works_without_scripts(site: Site) -> None:
    with site.visitor(follow_redirects=True) as visitor:
        page = visitor.post("/jobs", files={"log": ("mine.csv", ODD.encode())})
        job = page.url.path.rpartition("/")[2]
        assert '<noscript><meta http-equiv="refresh"' in page.text
        visitor.wait(job)
        page = visitor.get(f"/jobs/{job}")
        assert "No column name looks like it: please choose one." in page.text
        assert page.text.count("<td>auf</td>") >= 3  # the preview
        visitor.post(f"/jobs/{job}/columns", data={"case": "Fallnummer", "activity": "Schritt", "time": "Wann"})
        visitor.wait(job)
        page = visitor.get(f"/jobs/{job}")
        assert "8 cases, 19 events, 2 paths, 3 activities, from 2024-03-01 to 2024-03-09." in page.text
        visitor.post(f"/jobs/{job}/release", data={"delta": "0.2", "method": "twin", "format": "csv", "grid": ""})
        visitor.wait(job)
        page = visitor.get(f"/jobs/{job}")
        assert "What is guaranteed" in page.text
        assert "What each part cost" in page.text
        assert "how long steps take (rho " in page.text
        assert f'href="/jobs/{job}/files/release"' in page.text
        assert "mine.csv" in visitor.get("/").text  # the start page lists the logs of the session
        visitor.post(f"/jobs/{job}/delete")
        assert "mine.csv" not in visitor.get("/").text
        assert not (site.service.jobs.find(job, None))


def test_a_choice_that_cannot_be_is_told(site: Site) -> None:
    with site.visitor(follow_redirects=True) as visitor:
        job = visitor.upload_and_wait(ODD.encode())
        same = {"case": "Schritt", "activity": "Schritt", "time": "Wann"}
        page = visitor.post(f"/jobs/{job}/columns", data=same)  # told beside the choice
        assert "all case ids would be published" in page.text
        assert 'action="/jobs/' in page.text
        state = visitor.read(job, case="Fallnummer", activity="Schritt", time="Wann", timezone="Mars/Base")
        assert "unknown time zone" in state["error"]
        state = visitor.read(job, case="Fallnummer", activity="Schritt", time="nowhere")
        assert "there is no column 'nowhere' for the time: name one with “Time”" in state["error"]
        early = visitor.post(f"/api/jobs/{job}/release", json={})
        assert (early.status_code, early.json()["error"][:18]) == (409, "Read the log first")
        visitor.read(job, case="Fallnummer", activity="Schritt", time="Wann")
        for choice, said in [
            ({"delta": 2}, "delta"),
            ({"delta": "much"}, "delta must be a number"),
            ({"delta": [1]}, "delta must be a text or a number"),
            ({"method": "magic"}, "magic"),
            ({"method": "as-published"}, "releases of as-published must not be published, so it is not offered here"),
            ({"format": "doc"}, "unknown format 'doc'"),
            ({"grid": "week"}, "unknown grid"),
            ({"method": "blend"}, "blend is gone: anyone who knows the other cases"),
            ({"method": "strict", "paths": "crowds"}, "“paths”: crowds works only with twin"),
            ({"method": "strict", "paths": "same"}, "“paths”: same does not go with the method strict"),
            ({"paths": "most"}, "“paths” must be 'same' or 'crowds'"),
        ]:
            answer = visitor.post(f"/api/jobs/{job}/release", json=choice)
            assert answer.status_code == 400
            assert said in answer.json()["error"]
        for body in (b"[1]", b"{", b"\xff", b"[" * 60_000, b'{"grid": "\\ud800", "method": "strict"}'):
            assert visitor.post(f"/api/jobs/{job}/release", content=body).status_code == 400
        assert visitor.post(f"/api/jobs/{job}/release", content=b"{" + b" " * 99999).status_code == 413
        assert visitor.get("/api/guarantees", params={"delta": "x"}).status_code == 400
        assert visitor.get(f"/api/jobs/{job}/files/release").status_code == 404  # there is none


def test_columns_whose_names_have_spaces_can_be_chosen(site: Site) -> None:
    spaced = ODD.replace(";", ", ").replace("Fallnummer, Schritt, Wann", "Fallnummer , was  geschah, wann")
    with site.visitor(follow_redirects=True) as visitor:
        job = visitor.upload_and_wait(spaced.encode())
        page = visitor.get(f"/jobs/{job}").text
        names = re.findall(r'<option value="([^"]+)"', page.partition('id="c-case"')[2].partition("</select>")[0])
        assert names == [
            "Fallnummer ",
            " was  geschah",
            " wann",
        ]  # HTML takes spaces from text
        visitor.post(f"/jobs/{job}/columns", data=dict(zip(("case", "activity", "time"), names, strict=True)))
        state = visitor.wait(job)
        assert (state["error"], state["risk"]) == (None, True)


def test_a_form_that_is_refused_stays_as_it_was_sent(site: Site) -> None:
    columns = {"case": "Fallnummer", "activity": "Schritt", "time": "Wann"}
    with site.visitor(follow_redirects=True) as visitor:
        job = visitor.upload_and_wait(ODD.encode())
        same = {
            "case": "Schritt",
            "activity": "Schritt",
            "time": "Wann",
            "activity_and": "Fallnummer",
            "timezone": "CET",
        }
        page = visitor.post(f"/jobs/{job}/columns", data=same).text
        assert page.count('<option value="Schritt" selected>') == 2
        assert page.count('<option value="Fallnummer" selected>') == 1
        assert 'name="timezone" autocomplete="off" value="CET"' in page
        visitor.read(job, **columns)
        assert 'value="CET"' not in visitor.get(f"/jobs/{job}").text  # what was done counts more
        choice = {"delta": "0.33", "confirm_weak": "yes", "method": "strict", "paths": "crowds", "format": "csv"}
        choice |= {"grid": "hour"}
        page = visitor.post(f"/jobs/{job}/release", data=choice).text
        assert "“paths”: crowds works only with twin" in page
        assert 'value="strict" checked' in page
        assert page.count('value="0.33"') == 2  # the field and the slider
        assert "<option selected>csv</option>" in page
        assert '<option value="hour" selected>' in page
        assert 'would be right at most <strong id="delta-of-100">83</strong>' in page
        assert "Above 0.25 the protection is weak" in page
        for delta in ("much", "7", "nan"):
            page = visitor.post(f"/jobs/{job}/release", data={**choice, "delta": delta}).text
            assert f'required value="{delta}"' in page
            assert "It cannot promise this delta." in page
        site.service._pool._settings = replace(site.service.settings, max_queued=0)
        try:
            busy = visitor.post(f"/jobs/{job}/release", data={"delta": "0.11", "method": "strict"})
        finally:
            site.service._pool._settings = site.service.settings
        assert busy.status_code == 503
        assert 'required value="0.11"' in visitor.get(f"/jobs/{job}").text
        visitor.release(job, delta=0.4)
        assert 'required value="0.4"' in visitor.get(f"/jobs/{job}").text


def test_the_start_tells_logs_that_are_of_no_use_from_orders_that_were_not_done(tmp_path: Path) -> None:
    with serving(tmp_path) as site, site.visitor(follow_redirects=True) as visitor:
        job = visitor.upload_and_wait(ODD.encode())
        visitor.post(f"/jobs/{job}/columns", data={"case": "Schritt", "activity": "Schritt", "time": "Wann"})
        assert "is still here, but its last step failed" in visitor.get("/").text
        assert "could not be used" not in visitor.get("/").text
        visitor.upload_and_wait(b"<html>", "page.xes")
        assert "could not be used" in visitor.get("/").text


def test_the_page_says_how_long_logs_are_kept(tmp_path: Path) -> None:
    with serving(tmp_path, keep=48) as site, site.visitor() as visitor:
        said = visitor.get("/").text
        assert "deleted 48 seconds after you have downloaded the results, 48 seconds after you last used it" in said
        job = visitor.upload_and_wait(ODD.encode())
        visitor.read(job, case="Fallnummer", activity="Schritt", time="Wann")
        visitor.release(job)
        said = visitor.get(f"/jobs/{job}").text
        assert "deleted here 48 seconds after you have downloaded release and report, or 48 seconds after" in said


def test_a_log_that_is_too_small_for_a_method_is_told(site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(ODD.encode())
        visitor.read(job, case="Fallnummer", activity="Schritt", time="Wann")
        state = visitor.release(job, method="strict")
        assert state["state"] == "failed"
        assert state["error"]
        assert state["risk"]  # one can go on with another choice
        assert 'role="alert"' in visitor.get(f"/jobs/{job}").text
        assert visitor.release(job)["state"] == "ready"


# ------------------------------------------------------------------------------------------------- bad files


def said_on_the_page(message: str) -> str:
    """A message of the command in the words of the page."""
    for option, field in {
        "--time-format": "“Time format”",
        "--encoding": "“Encoding of the text”",
        "--escape backslash": "“Quotation marks in cells”: “after a backslash”",
        "--allow-line-ends": "“Line ends in activities”: “accept”",
    }.items():
        message = message.replace(option, field)
    return re.sub(r"--(case|time|activity)", lambda role: f"“{role[1].capitalize()}”", message)


@pytest.mark.parametrize("key", BAD)
def test_every_bad_file_has_a_message_for_the_page(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What a worker tells of it; that a page shows that is tried with some of them, for it takes longer."""
    name, content, message = BAD[key]
    monkeypatch.chdir(tmp_path)
    file = name.replace("log", "original")
    Path(file).write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.setattr("unsingle.web.worker._exit_with_server", lambda: None)
    monkeypatch.setattr("unsingle.web.worker._limit_memory", lambda _: None)
    for task in ("preview", "assess"):
        options = {"files": [file], "shown_as": {}, "reading": {}}
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"options": options, "memory": 1}) + "\n"))
        monkeypatch.setattr("sys.argv", ["worker", task])
        worker.main()
        told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
        errors = [each for each in told if "error" in each]
        if errors:
            break
    assert len(errors) == 1
    assert said_on_the_page(message) in errors[0]["error"].replace(file, name)
    assert "unexpected " not in errors[0]["error"].replace("unexpected end of data", "")


def test_marks_behind_a_backslash_are_told_and_can_be_chosen(site: Site) -> None:
    """The file must be kept for that, although it cannot be read as it is."""
    escaped = ODD.replace("auf", r'"sag \"auf\"; dann"').encode()
    columns = {"case": "Fallnummer", "activity": "Schritt", "time": "Wann"}
    with site.visitor(follow_redirects=True) as visitor:
        job = visitor.upload_and_wait(escaped, "marks.csv")
        state = visitor.read(job, **columns)
        told = "marks.csv: line 2 cannot be read, it has a quotation mark behind a backslash: give “Quotation marks in "
        assert state["error"].startswith(f"{told}cells”: “after a backslash”, or write a mark inside a cell twice")
        page = visitor.get(f"/jobs/{job}").text
        assert f"{told.partition(': give')[0]}" in page
        assert '<details class="more" open>' in page  # where the field is
        assert "The file was deleted" not in page
        assert '<option value="backslash">after a backslash</option>' in page
        visitor.post(f"/jobs/{job}/columns", data={**columns, "escape": "backslash"})
        assert visitor.wait(job)["state"] == "ready"
        page = visitor.get(f"/jobs/{job}").text
        assert "8 cases, 19 events, 2 paths, 3 activities" in page
        assert '<option value="backslash" selected>after a backslash</option>' in page
        labels = visitor.get(f"/api/jobs/{job}/risk").json()["risk"]["by_activity"]
        assert 'sag "auf"; dann' in {each["activity"] for each in labels}


@pytest.mark.parametrize("accepted", ["true", True])
def test_activities_of_several_lines_are_told_and_can_be_accepted(accepted: str | bool, site: Site) -> None:
    columns = {"case": "Fallnummer", "activity": "Schritt", "time": "Wann"}
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(ODD.replace("auf", '"auf\nund zu"').encode())
        state = visitor.read(job, **columns)
        assert "give “Line ends in activities”: “accept” if such labels may be published" in state["error"]
        assert '<option value="true">accept</option>' in visitor.get(f"/jobs/{job}").text
        assert visitor.read(job, **columns, allow_line_ends=accepted)["state"] == "ready"
        page = visitor.get(f"/jobs/{job}").text
        assert '<option value="true" selected>accept</option>' in page
        assert '<details class="more" open>' in page
        visitor.release(job, format="csv")
        assert "--allow-line-ends --method" in visitor.get(f"/api/jobs/{job}/release").json()["command"]


SOME_BAD = ["empty xes", "truncated gz", "damaged gz", "truncated parquet", "html", "csv as xes", "workbook",
            "ocel 1 json", "entity bomb", "no case column", "no time", "day or month",
            "many columns"]  # fmt: skip


def test_bad_files_are_told_on_the_page_and_leave_nothing(tmp_path: Path) -> None:
    def try_one(key: str) -> None:
        name, content, message = BAD[key]
        with site.visitor() as visitor:
            job = visitor.upload(content if isinstance(content, bytes) else content.encode(), name)
            state = visitor.wait(job)
            if state["state"] == "ready":  # its beginning is fine
                assert len(visitor.get(f"/api/jobs/{job}/preview").json()["rows"]) <= 10
                assert visitor.get(f"/jobs/{job}").status_code == 200
                state = visitor.read(job)
            assert state["state"] == "failed", key
            assert said_on_the_page(message) in state["error"], (key, state["error"])
            page = visitor.get(f"/jobs/{job}")
            assert 'class="problem" role="alert"' in page.text
            assert "Traceback" not in page.text
            folder = site.service.jobs.find(job, visitor.cookies[f"unsingle-{site.service.settings.port}"]).folder
            if folder.exists():  # another choice may help, as long as its owner wants
                assert "Read the log" in page.text
                visitor.post(f"/jobs/{job}/delete")
            else:
                assert "The file was deleted." in page.text
            assert not folder.exists()

    with serving(tmp_path, workers=2) as site, ThreadPoolExecutor(4) as pool:
        list(pool.map(try_one, SOME_BAD))
        assert site.files() == []


# ------------------------------------------------------------------------------------------ work that ends early


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that takes a while."""
    path = tmp_path_factory.mktemp("long") / "long.csv"
    run_command("synthesize", "-o", path, "--cases", 20_000)
    return path


def test_a_killed_worker_is_told_and_the_log_is_still_there(site: Site, long_log: Path) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(long_log.read_bytes())
        visitor.post(f"/api/jobs/{job}/columns", json={})
        visitor.wait_for(job, lambda state: state["task"] is not None and state["task"]["stage"] == "read")
        folder = site.service.jobs.find(job, visitor.cookies[f"unsingle-{site.service.settings.port}"]).folder
        for pid in processes_in(folder):
            os.kill(pid, signal.SIGKILL)
        state = visitor.wait(job)
        assert state["state"] == "failed"
        assert "killed from outside" in state["error"]
        assert "GB" in state["error"]
        assert visitor.read(job)["state"] == "ready"  # it can be tried again


def test_predictions_go_on_after_a_release_whose_worker_died_and_their_own_death_is_told(
    tmp_path: Path, long_log: Path
) -> None:
    def kill(task: str) -> None:
        visitor.wait_for(job, lambda state: state["task"]["name"] == task and state["task"]["stage"] is not None)
        for pid in processes_in(site.folder):
            os.kill(pid, signal.SIGKILL)

    with serving(tmp_path, workers=1) as site, site.visitor() as visitor:
        job = visitor.upload_and_wait(long_log.read_bytes())
        visitor.read(job)
        visitor.post(f"/api/jobs/{job}/release", json={"method": "amun"})
        assert "Predictions continue when this is done" in visitor.get(f"/jobs/{job}").text
        kill("release")
        assert visitor.wait(job)["state"] == "failed"
        assert "Predictions are being made" in visitor.get(f"/jobs/{job}").text
        kill("predict")
        state = visitor.wait_for(job, lambda state: state["task"] is None)
        assert "killed from outside" in state["predictions_error"]
        page = visitor.get(f"/jobs/{job}").text
        assert "Some predictions failed: The task was killed from outside" in page
        assert "Predictions are being made" not in page


def test_cancelling_ends_the_work_within_two_seconds_and_deletes_the_files(tmp_path: Path, long_log: Path) -> None:
    with serving(tmp_path, workers=1) as site, site.visitor() as visitor:
        for ready in (0, 1):  # while it is read, and while a release is made
            job = visitor.upload_and_wait(long_log.read_bytes())
            if ready:
                visitor.read(job)
                visitor.post(f"/api/jobs/{job}/release", json={"method": "amun"})
            else:
                visitor.post(f"/api/jobs/{job}/columns", json={})
            visitor.wait_for(job, lambda state: state["task"] is not None and state["task"]["stage"] is not None)
            assert processes_in(site.folder)
            began = time.monotonic()
            assert visitor.delete(f"/api/jobs/{job}").status_code == 204
            assert time.monotonic() - began < 2
            assert site.files() == []
            assert processes_in(site.folder) == []
            page = visitor.get(f"/jobs/{job}")
            assert page.status_code == 410  # gone, and why
            assert "everything made from it was deleted" in page.text
            assert visitor.get(f"/api/jobs/{job}").status_code == 404


def test_stopping_keeps_the_log_but_nothing_half_made(tmp_path: Path, long_log: Path) -> None:
    with serving(tmp_path, workers=1) as site, site.visitor(follow_redirects=True) as visitor:
        job = visitor.upload_and_wait(long_log.read_bytes())
        visitor.read(job)
        visitor.post(f"/api/jobs/{job}/release", json={"method": "amun"})
        again = visitor.post(f"/api/jobs/{job}/release", json={"method": "amun"})
        assert again.status_code == 409
        visitor.wait_for(job, lambda state: state["task"]["stage"] is not None)
        page = visitor.post(f"/jobs/{job}/stop")
        assert "Predictions are being made" in page.text
        state = visitor.wait_for(job, lambda state: state["predictions"] >= 1)  # they gave way to the release
        assert state["task"]["name"] == "predict"
        assert "Make the release" in page.text
        assert "Stopped. The log is still here." in page.text
        kept = {"columns.json", "columns.npz", "original.csv", "preview.json", "risk.json"}
        assert {path.name for path in site.files()} == kept
        visitor.post(f"/api/jobs/{job}/stop")  # who stops predictions wants none
        assert visitor.get(f"/api/jobs/{job}").json()["task"] is None
        assert "Predictions are being made" not in visitor.get(f"/jobs/{job}").text
        assert processes_in(site.folder) == []
        job = visitor.upload(b"case,activity,time\n1,A,2024-01-01\n")
        visitor.post(f"/jobs/{job}/stop")  # there is nothing to go back to
        assert visitor.get(f"/jobs/{job}").status_code == 410


def test_work_that_takes_too_long_is_ended(tmp_path: Path, hospital: Path) -> None:
    with serving(tmp_path, work_time=0.1) as site, site.visitor() as visitor:
        state = visitor.wait(visitor.upload(hospital.read_bytes(), "h.xes.gz"))
        assert "took longer than" in state["error"]
        assert site.files() == []


def test_work_that_needs_too_much_memory_is_told(tmp_path: Path, long_log: Path) -> None:
    with serving(tmp_path, work_memory=300_000_000) as site, site.visitor() as visitor:
        job = visitor.upload_and_wait(long_log.read_bytes())
        state = visitor.read(job)
        assert state["state"] == "failed"
        assert "may need more memory than the limit of 0.3 GB" in state["error"]


FULL = "The disk of this machine is full: free some space and try again. The log is still here."


@pytest.fixture
def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Lets the files of these names have no room, once those of before were removed, until no name is given."""
    full = ""
    remove, preview = Service._delete_files, Service._preview

    def no_room(job: Job) -> None:
        for name in full.split():
            (job.folder / name).unlink(missing_ok=True)
            (job.folder / name).symlink_to("/dev/full")

    def removing(service: Service, job: Job, names: tuple[str, ...]) -> None:
        remove(service, job, names)
        no_room(job)

    def previewing(service: Service, job: Job) -> None:
        no_room(job)
        preview(service, job)

    def fill(names: str) -> None:
        nonlocal full
        full = names

    monkeypatch.setattr(Service, "_delete_files", removing)
    monkeypatch.setattr(Service, "_preview", previewing)
    yield fill
    fill("")


@pytest.mark.parametrize("name", ["columns.npz", "risk.json"])
def test_a_full_disk_is_told_and_the_log_stays(
    name: str, site: Site, hospital: Path, fill_the_disk: Callable[[str], None]
) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(hospital.read_bytes(), "h.xes.gz")
        fill_the_disk(name)
        assert visitor.read(job)["error"] == FULL
        page = visitor.get(f"/jobs/{job}").text
        assert FULL in page
        assert "The file was deleted" not in page
        fill_the_disk("")
        assert visitor.read(job)["state"] == "ready"
        visitor.delete(f"/api/jobs/{job}")


@pytest.mark.parametrize("name", ["release.csv", "comparison.PRIVATE.html", "release.json"])
def test_a_release_that_finds_no_room_can_be_made_again(
    name: str, site: Site, hospital: Path, fill_the_disk: Callable[[str], None]
) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        fill_the_disk(name)
        assert visitor.release(job, format="csv")["error"] == FULL
        fill_the_disk("")
        state = visitor.release(job, format="csv")
        assert (state["state"], state["release"]) == ("ready", True)
        visitor.delete(f"/api/jobs/{job}")


@pytest.mark.parametrize("demo", [False, True])
def test_a_preview_that_failed_on_a_full_disk_can_be_made_again(
    demo: bool, site: Site, fill_the_disk: Callable[[str], None]
) -> None:
    with site.visitor(follow_redirects=True) as visitor:
        fill_the_disk("preview.json")
        job = (
            visitor.post("/api/demo").json()["id"] if demo else visitor.upload(b"case,activity,time\n1,A,2024-01-01\n")
        )
        assert visitor.wait(job)["error"] == FULL
        page = visitor.get(f"/jobs/{job}").text
        assert "Try again" in page
        assert visitor.post(f"/api/jobs/{job}/columns", json={}).status_code == 409
        fill_the_disk("")
        (
            site.service.find(job, visitor.cookies[f"unsingle-{site.service.settings.port}"]).folder / "preview.json"
        ).unlink()
        visitor.post(f"/jobs/{job}/preview")
        assert visitor.wait(job)["preview"]
        assert visitor.post(f"/jobs/{job}/preview").status_code == 409
        visitor.delete(f"/api/jobs/{job}")


# ------------------------------------------------------------------------------------------------ many at once


def test_twenty_uploads_at_once_all_finish(tmp_path: Path) -> None:
    content = real_log_path("Sepsis").read_bytes()
    most = 0

    def use(number: int) -> bool:
        with site.visitor() as visitor:
            job = visitor.upload(content, "Sepsis.xes.gz")
            assert visitor.read(job)["risk"]
            if number % 5:  # not all of them go on: the benchmark does that
                return visitor.delete(f"/api/jobs/{job}").status_code == 204
            assert visitor.release(job)["release"]
            visitor.get(f"/api/jobs/{job}/files/release")
            return visitor.get(f"/api/jobs/{job}/files/report").status_code == 200

    with serving(tmp_path, workers=2, after_both=0.4) as site, ThreadPoolExecutor(20) as pool:
        waiting = [pool.submit(use, number) for number in range(20)]
        while not all(each.done() for each in waiting):
            most = max(most, len(processes_in(site.folder)))
            time.sleep(0.05)
        assert all(each.result() for each in waiting)
        assert most <= 2  # so memory is bounded by that of two workers
        wait_until(lambda: site.files() == [])  # all was downloaded or deleted


def test_predictions_give_way_to_what_somebody_waits_for(tmp_path: Path, long_log: Path) -> None:
    with serving(tmp_path, workers=1) as site, site.visitor() as patient, site.visitor() as other:
        job = patient.upload(long_log.read_bytes())
        patient.read(job)
        patient.wait_for(job, lambda state: state["predictions"] >= 1)
        known = patient.get(f"/api/jobs/{job}").json()["predictions"]
        began = time.monotonic()
        other.upload_and_wait(ODD.encode())
        assert time.monotonic() - began < 10  # all predictions take longer
        patient.wait_for(job, lambda state: state["predictions"] > known)  # and go on after it
        points = patient.get(f"/api/jobs/{job}/predictions").json()["points"]
        assert len({(point["method"], point["delta"]) for point in points}) == len(points)


def test_the_queue_has_an_end(tmp_path: Path) -> None:
    with serving(tmp_path, workers=0, max_queued=2) as site, site.visitor() as visitor:  # so all who come wait
        jobs = [visitor.upload(ODD.encode()) for _ in range(2)]
        answer = visitor.post("/api/jobs", files={"log": ("log.csv", b"a")})
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "30"
        assert len([path for path in site.files() if path.name == "original.csv"]) == 2  # nothing is left of the third
        assert [visitor.get(f"/api/jobs/{job}").json()["state"] for job in jobs] == ["waiting", "waiting"]


def test_only_so_many_logs_are_kept(tmp_path: Path) -> None:
    with serving(tmp_path, max_jobs=1) as site, site.visitor() as visitor:
        visitor.upload(ODD.encode())
        assert visitor.post("/api/demo").status_code == 503


# ------------------------------------------------------------------------------------------ nothing is left


def test_everything_is_deleted_when_both_files_were_downloaded(tmp_path: Path, hospital: Path) -> None:
    with serving(tmp_path, after_both=0.4) as site, site.visitor() as visitor:
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        visitor.release(job)
        folder = site.service.jobs.find(job, visitor.cookies[f"unsingle-{site.service.settings.port}"]).folder
        with visitor.stream("GET", f"/api/jobs/{job}/files/report") as broken:  # broken off early
            next(broken.iter_raw(10))
        assert visitor.get(f"/api/jobs/{job}/files/release").status_code == 200
        assert folder.exists()
        assert visitor.head(f"/api/jobs/{job}/files/report").status_code == 200
        assert folder.exists()
        assert visitor.get(f"/api/jobs/{job}/files/report").status_code == 200
        wait_until(lambda: not folder.exists())
        page = visitor.get(f"/jobs/{job}")
        assert page.status_code == 410
        assert "You have the release and the report" in page.text
        with site.visitor() as stranger:
            assert stranger.get(f"/jobs/{job}").status_code == 404


def test_with_the_release_alone_everything_is_deleted_some_minutes_later(site: Site, hospital: Path) -> None:
    with site.visitor() as visitor:
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        visitor.release(job)
        visitor.get(f"/api/jobs/{job}/files/release")
        found = site.service.jobs.find(job, visitor.cookies[f"unsingle-{site.service.settings.port}"])
        wait_until(lambda: found.downloaded == {"release"})
        assert 590 < found.expires - time.time() <= 600
        everything = len(methods()) * len(deltas())
        visitor.wait_for(job, lambda state: state["predictions"] == everything and state["task"] is None)
        assert found.expires - time.time() <= 600  # predictions do not put it off


def test_a_download_that_ends_after_another_order_does_not_count(site: Site, hospital: Path) -> None:
    with site.visitor() as visitor:
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        visitor.release(job)
        found = site.service.jobs.find(job, visitor.cookies[f"unsingle-{site.service.settings.port}"])
        old = found.release
        visitor.release(job, delta=0.4)
        for what in ("release", "report"):
            site.service.downloaded(found, what, old)
        assert found.downloaded == set()
        assert visitor.get(f"/api/jobs/{job}").json()["release"]


def test_who_hangs_up_after_the_last_byte_blocks_nobody(tmp_path: Path, long_log: Path) -> None:
    """The end of a download, of predictions and of the connection at the same time."""
    with serving(tmp_path, workers=1, after_both=0.1) as site:
        for _ in range(3):
            with site.visitor() as visitor:
                job = visitor.upload(long_log.read_bytes()[:200_000].rpartition(b"\n")[0])
                visitor.read(job)
                visitor.release(job)
                for what in ("release", "report"):
                    with visitor.stream("GET", f"/api/jobs/{job}/files/{what}") as answer:
                        assert len(answer.read()) > 1000
        with site.visitor() as visitor:
            assert visitor.wait(visitor.upload(ODD.encode()))["state"] == "ready"
        wait_until(lambda: len(site.files()) <= 2)


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


# ------------------------------------------------------------------------------------ orders at the same time


def test_two_orders_at_once_do_not_harm_each_other(site: Site, hospital: Path) -> None:
    with site.visitor() as visitor, ThreadPoolExecutor(4) as pool:
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        for _ in range(3):
            visitor.read(job)  # after which predictions are under way
            orders = [("columns", {}), ("release", {}), ("columns", {}), ("release", {})]
            answers = list(pool.map(lambda each: visitor.post(f"/api/jobs/{job}/{each[0]}", json=each[1]), orders))
            assert sorted(answer.status_code for answer in answers)[0] == 202
            assert {answer.status_code for answer in answers} <= {202, 409}
            assert [answer.status_code for answer in answers].count(202) == 1
            assert visitor.wait(job)["error"] is None


def test_a_full_queue_takes_nothing_away(tmp_path: Path, hospital: Path) -> None:
    with serving(tmp_path, workers=1) as site, site.visitor() as visitor:
        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        visitor.release(job)
        site.service._pool._settings = replace(site.service.settings, max_queued=0)
        assert visitor.post(f"/api/jobs/{job}/release", json={}).status_code == 503
        assert visitor.post(f"/api/jobs/{job}/columns", json={}).status_code == 503
        state = visitor.get(f"/api/jobs/{job}").json()
        assert (state["risk"], state["release"]) == (True, True)


def test_predictions_go_on_if_the_queue_fills_while_they_give_way(
    tmp_path: Path, hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(tmp_path, workers=1) as site, site.visitor() as visitor:
        workers, stop = site.service._pool, site.service._pool.stop

        async def stop_and_fill(job: Job) -> None:
            await stop(job)
            workers._settings = replace(site.service.settings, max_queued=0)

        job = visitor.upload(hospital.read_bytes(), "h.xes.gz")
        visitor.read(job)
        with monkeypatch.context() as patched:
            patched.setattr(workers, "stop", stop_and_fill)
            assert visitor.post(f"/api/jobs/{job}/release", json={}).status_code == 503
        assert visitor.get(f"/api/jobs/{job}").json()["task"]["name"] == "predict"


def test_work_that_cannot_be_begun_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object, **__: object) -> None:
        raise BlockingIOError("MrsSmith")

    with serving(tmp_path) as site, site.visitor() as visitor:
        job = visitor.upload_and_wait(ODD.encode())
        monkeypatch.setattr("asyncio.create_subprocess_exec", fails)
        state = visitor.read(job)
        assert (state["state"], state["error"]) == ("failed", "The task could not be started. Try again in a minute.")
        assert visitor.delete(f"/api/jobs/{job}").status_code == 204
        assert site.files() == []


def test_an_upload_whose_log_is_deleted_meanwhile_ends(tmp_path: Path) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="log"; filename="log.csv"\r\n\r\n'

    with serving(tmp_path) as site, site.visitor() as visitor:
        visitor.upload_and_wait(ODD.encode())  # so that there is a session

        def slowly() -> Iterator[bytes]:
            yield head + b"case,activity,time\n"
            wait_until(lambda: len(list(site.service.jobs)) == 2)
            newest = next(iter(site.service.jobs.of(visitor.cookies[f"unsingle-{site.service.settings.port}"])))
            with site.visitor(cookies=dict(visitor.cookies)) as same:
                assert same.delete(f"/api/jobs/{newest.id}").status_code == 204
            yield b"1,A,2024-01-01\n\r\n--b--\r\n"

        kind = {"content-type": "multipart/form-data; boundary=b"}
        assert visitor.post("/api/jobs", content=slowly(), headers=kind).status_code == 404
        assert len(list(site.service.jobs)) == 1


def test_a_log_that_is_still_being_sent_is_shown_as_that(tmp_path: Path) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="log"; filename="log.csv"\r\n\r\n'
    seen = []

    with serving(tmp_path) as site, site.visitor(follow_redirects=True) as visitor:
        visitor.upload_and_wait(ODD.encode())  # so that there is a session

        def slowly(end: bytes) -> Iterator[bytes]:
            yield head + ODD.encode()
            wait_until(lambda: len(list(site.service.jobs)) == 2)
            with site.visitor(cookies=dict(visitor.cookies)) as second_window:
                job = second_window.get("/api/jobs").json()[0]
                assert job["state"] == "uploading"
                assert "is still being uploaded" in second_window.get("/").text
                page = second_window.get(f"/jobs/{job['id']}").text
                assert "It is still being uploaded from another window." in page
                assert '<noscript><meta http-equiv="refresh"' in page
            seen.append(job["id"])
            yield end

        kind = {"content-type": "multipart/form-data; boundary=b"}
        assert visitor.post("/api/jobs", content=slowly(b""), headers=kind).status_code == 400  # broken off
        gone = visitor.get(f"/jobs/{seen[0]}")
        assert (gone.status_code, "The upload was not completed" in gone.text) == (410, True)
        assert visitor.post("/api/jobs", content=slowly(b"\r\n--b--\r\n"), headers=kind).status_code == 201
        assert visitor.wait(seen[1])["state"] == "ready"


def test_what_is_not_used_is_deleted(tmp_path: Path) -> None:
    with serving(tmp_path, keep=1.5) as site, site.visitor() as visitor:
        job = visitor.upload_and_wait(ODD.encode())
        end = time.monotonic() + PATIENCE
        while site.files() and time.monotonic() < end:
            time.sleep(0.1)
        assert site.files() == []
        assert visitor.get(f"/api/jobs/{job}").status_code == 404


def test_everything_is_deleted_at_the_end(tmp_path: Path) -> None:
    with serving(tmp_path) as site, site.visitor() as visitor:
        visitor.upload_and_wait(ODD.encode())
        assert site.files()
    assert list(tmp_path.rglob("*")) == [tmp_path / f"unsingle-serve-{os.getuid()}"]


def test_what_a_crash_left_is_deleted_at_the_next_start_but_not_what_is_in_use(tmp_path: Path) -> None:
    crashed, alive = Storage(tmp_path), Storage(tmp_path)
    for folders in (crashed, alive):
        (folders.create("job") / "original.csv").write_text("secret")
    fcntl.flock(crashed._lock, fcntl.LOCK_UN)  # as the system does when a process dies
    fresh = Storage(tmp_path)
    assert not crashed.folder.exists()
    assert (alive.folder / "job" / "original.csv").exists()
    for folders in (alive, fresh):
        folders.close()
    crashed._lock.close()


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    (tmp_path / f"unsingle-serve-{os.getuid()}").mkdir(mode=0o755)
    with pytest.raises(OutputError, match="is open to other users"):
        Storage(tmp_path)


def test_nobody_else_may_read_the_files(site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(ODD.encode())
        of_job, of_server = next(path.parents[:2] for path in site.files() if path.parent.name == job)
        for folder in (of_job, of_server):
            assert folder.stat().st_mode & 0o077 == 0


# ------------------------------------------------------------------------------------------------ the command


def start(*arguments: str, seconds: int = 60, **environment: str) -> subprocess.Popen[str]:
    """The command as a process that ends by itself."""
    code = f"import signal; signal.alarm({seconds}); from unsingle.cli.app import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "serve", "--no-browser", "--port", "0", *arguments],
        stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_command_serves_until_it_is_ended_and_leaves_nothing(end: signal.Signals, tmp_path: Path) -> None:
    with start("--demo", TMPDIR=str(tmp_path)) as process:
        try:
            assert process.stderr is not None
            address = process.stderr.readline().removeprefix("unsingle is at ").strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/jobs/[0-9a-f]{32}", address)
            assert "logs do not leave this machine" in process.stderr.readline()
            with httpx.Client(timeout=PATIENCE) as browser:
                while "Read the log" not in browser.get(address).text:
                    time.sleep(0.1)
                with httpx.Client() as other:
                    assert other.get(address).status_code == 404  # it belongs to who came first
            os.kill(process.pid, end)
            process.wait(PATIENCE)
            assert "all uploaded logs and their results are deleted" in process.stderr.read()
        finally:
            process.kill()
    assert files_in(tmp_path) == []


def test_ending_the_command_during_an_upload_is_no_error(tmp_path: Path) -> None:
    with start(TMPDIR=str(tmp_path)) as process:
        try:
            assert process.stderr is not None
            host, port = process.stderr.readline().removeprefix("unsingle is at http://").strip(" /\n").split(":")
            with socket.create_connection((host, int(port))) as upload:
                upload.sendall(
                    b"POST /api/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999\r\n"
                    b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
                    b'--b\r\nContent-Disposition: form-data; name="log"; filename="a.csv"\r\n\r\nx'
                )
                wait_until(lambda: any(path.name == "original.csv" for path in files_in(tmp_path)))
                os.kill(process.pid, signal.SIGINT)
                assert b" 503 " in upload.recv(1000)
                process.wait(PATIENCE)
            said = process.stderr.read()
        finally:
            process.kill()
    assert "Traceback" not in said
    assert "all uploaded logs and their results are deleted" in said
    assert files_in(tmp_path) == []


def test_workers_end_when_the_server_is_killed(tmp_path: Path, long_log: Path) -> None:
    with start(TMPDIR=str(tmp_path)) as process:
        try:
            assert process.stderr is not None
            url = process.stderr.readline().removeprefix("unsingle is at ").strip()
            with httpx.Client(base_url=url, timeout=PATIENCE) as client:
                job = client.post("/api/jobs", files={"log": ("log.csv", long_log.read_bytes())}).json()["id"]
                while not client.get(f"/api/jobs/{job}").json()["preview"]:
                    time.sleep(0.05)
                client.post(f"/api/jobs/{job}/columns", json={})
                while not processes_in(tmp_path):
                    time.sleep(0.02)
        finally:
            process.kill()
    end = time.monotonic() + PATIENCE
    while processes_in(tmp_path) and time.monotonic() < end:
        time.sleep(0.05)
    assert processes_in(tmp_path) == []
    Storage(tmp_path).close()  # the next server
    assert files_in(tmp_path) == []


def test_a_port_in_use_is_told(site: Site) -> None:
    result = run_command("serve", "--no-browser", "--port", site.service.settings.port, ok=False)
    assert result.exit_code == 2
    assert "is in use by another program: choose another --port, or 0 for any" in result.stderr


def test_without_the_extra_the_command_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    result = run_command("serve", ok=False)
    assert result.stderr == ("unsingle: the web page needs parts that are not installed: pip install 'unsingle[web]'\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--max-upload", "much"], "'much' is not a size such as 2GB (units B, KB, MB, GB, TB)"),
        (["--keep", "0s"], "'0s' is not a time such as 1h"),
        (["--port", "99999"], "99999 is not in the range"),
        (["--host", "no.such.host.invalid"], "cannot be served"),
    ],
)
def test_a_bad_option_of_the_command_is_told(arguments: list[str], said: str) -> None:
    result = run_command("serve", "--no-browser", *arguments, ok=False)
    assert result.exit_code == 2
    assert said in result.stderr


def test_sizes_and_times() -> None:
    assert (parse_size("1kb"), parse_size("0.5GB"), parse_time("2d")) == (1000, 500_000_000, 172_800)
    for text in ("", "GB", "-1GB", "1 XB", "1e3MB"):
        with pytest.raises(ParameterError):
            parse_size(text)


def test_only_this_machine_needs_no_token() -> None:
    assert secured(Settings()).token is None
    assert secured(Settings(host="localhost")).token is None
    tokens = {secured(Settings(host=host)).token for host in ("0.0.0.0", "::", "192.168.0.7", "example.org")}
    assert all(re.fullmatch("[0-9a-f]{32}", token or "") for token in tokens)
    assert len(tokens) == 4


def test_a_packed_log_of_another_name_is_taken_by_its_ending(site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(gzip.compress(ODD.encode()), "Log.CSV.GZ")
        assert visitor.get(f"/api/jobs/{job}").json()["format"] == "csv.gz"
        answer = visitor.post("/api/jobs", files={"log": ("log.txt", b"a")})
        assert (answer.status_code, answer.json()["error"][:34]) == (400, "The format is not clear from the f")
        assert visitor.post("/api/jobs", files={"other": ("log.csv", b"a")}).status_code == 400
        assert visitor.post("/api/jobs", data={"log": "text"}).status_code == 400
