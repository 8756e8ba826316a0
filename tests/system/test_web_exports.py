"""Real exports on the page: encodings, sheets, two columns of a time, several files; it shows what was found out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.web import Site, Visitor, serving
from support.workbooks import workbook
from system.test_exports import EXPORTS, Export

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site"), workers=2) as running:
        yield running


def page(visitor: Visitor, job: str) -> str:
    return html.unescape(visitor.get(f"/jobs/{job}").text)


def form_of(text: str, name: str) -> dict[str, str]:
    """What a browser sends of a form: its inputs, and of each list what is selected, or the first."""
    form = re.search(rf'<form [^>]*id="{name}".*?</form>', text, re.DOTALL)
    assert form is not None
    fields = dict(re.findall(r'<input [^>]*name="([^"]*)"[^>]*value="([^"]*)"', form[0]))
    fields = {key: value for key, value in fields.items() if key != "numbers"}
    for key, options in re.findall(r'<select [^>]*name="([^"]*)"[^>]*>(.*?)</select>', form[0], re.DOTALL):
        values = re.findall(r'<option value="([^"]*)"( selected)?', options)
        fields[key] = next((value for value, selected in values if selected), values[0][0])
    return fields


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_the_page_reads_an_export_as_it_was_guessed(site: Site, export: Export) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(export.content, export.name)
        shown = page(visitor, job)
        for word in export.first[0][0].split("+")[0].split():
            assert word in shown
        form: dict[str, Any] = form_of(shown, "columns")
        options = {name: value for name, value in export.options.items() if name not in ("keep", "numbers", "start")}
        form |= dict.fromkeys(options, "true") | {f"use:{name}": "keep" for name in export.options.get("keep", ())}
        if "start" in export.options:
            form["start"] = "Start Timestamp"
        form["numbers"] = export.options.get("numbers", [])
        answer = visitor.post(f"/jobs/{job}/columns", data=form, headers={"origin": site.url})
        assert answer.status_code == 303
        assert visitor.wait(job)["error"] is None
        read = page(visitor, job)
        for words in export.said[:2]:
            if words.startswith(("encoding", "sheet", "times", "1 of")):
                assert words in read


def test_the_preview_shows_text_as_it_will_be_read(site: Site) -> None:
    content = "Fall;Tätigkeit;Zeit\n1;Prüfung;2024-01-31\n".encode("cp850")
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(content, "log.csv")
        state = visitor.get(f"/api/jobs/{job}").json()
        assert "log.csv: line 2 is not UTF-8 or cp1252 (byte 0x81)" in state["error"]
        answer = visitor.post(f"/jobs/{job}/preview", data={"encoding": "cp850"}, headers={"origin": site.url})
        assert answer.status_code == 303
        assert visitor.wait(job)["error"] is None
        shown = page(visitor, job)
        assert "Prüfung" in shown
        assert "Read as cp850." in shown
        assert form_of(shown, "columns")["encoding"] == "cp850"
        visitor.read(job, case="Fall", activity="Tätigkeit", time="Zeit", encoding="cp850")
        assert "Read as: encoding cp850" in page(visitor, job)
        assert (
            visitor.post(f"/jobs/{job}/preview", data={"encoding": "x"}, headers={"origin": site.url}).status_code
            == 303
        )
        assert "unknown encoding 'x'" in page(visitor, job)


def test_text_of_two_encodings_can_be_read_as_one_of_them(site: Site) -> None:
    content = "Fall;Tätigkeit;Zeit\n".encode() + "1;Prüfung;2024-01-31\n".encode("cp1252")
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(content, "log.csv")
        state = visitor.get(f"/api/jobs/{job}").json()
        assert "log.csv: line 2 is not UTF-8 (byte 0xfc)" in state["error"]
        assert visitor.post(f"/api/jobs/{job}/preview", json={"encoding": "cp1252"}).status_code == 202
        assert visitor.wait(job)["error"] is None
        assert visitor.get(f"/api/jobs/{job}/preview").json()["rows"] == [["1", "Prüfung", "2024-01-31"]]
        assert visitor.post(f"/api/jobs/{job}/preview", json={"encoding": "cp1252"}).status_code == 409


def test_another_sheet_can_be_shown(site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(workbook([["x"], ["y"]], "About", "Other"), "log.xlsx")
        assert 'name="sheet"' in page(visitor, job)
        visitor.post(f"/api/jobs/{job}/preview", json={"sheet": "3"})
        assert "there is no sheet '3'" in visitor.wait(job)["error"]
        visitor.post(f"/api/jobs/{job}/preview", json={"sheet": "About"})
        assert visitor.wait(job)["error"] is None


def test_several_files_are_one_log(site: Site) -> None:
    january = b"case,activity,time\n1,A,2024-01-01\n2,A,2024-01-02\n"
    february = b"case,activity,time\n1,B,2024-02-01\n2,B,2024-02-02\n"
    with site.visitor() as visitor:
        files = [("log", ("jan.csv", january)), ("log", ("-feb.csv", february))]
        job = visitor.post("/api/jobs", files=files).json()["id"]
        assert visitor.wait(job)["name"] == "jan.csv and 1 more"
        assert visitor.read(job)["error"] is None
        assert visitor.get(f"/api/jobs/{job}/risk").json()["inspection"]["cases"] == 2
        assert "Read as: 2 files, encoding UTF-8" in page(visitor, job)
        visitor.release(job, delta=0.2)
        assert "unsingle anonymize jan.csv ./-feb.csv -o" in visitor.get(f"/api/jobs/{job}/release").json()["command"]
        assert visitor.delete(f"/api/jobs/{job}").status_code == 204
    assert not [path for path in site.files() if path.name.startswith("original-")]


def test_files_that_are_not_one_log_are_refused(site: Site) -> None:
    with site.visitor() as visitor:
        mixed = [("log", ("a.csv", b"case,activity,time\n")), ("log", ("b.xes", b"<log/>"))]
        answer = visitor.post("/api/jobs", files=mixed)
        assert (answer.status_code, "several formats" in answer.text) == (400, True)
        other = [("log", ("a.csv", b"case,activity,time\n1,A,2024-01-01\n")), ("log", ("b.csv", b"id,what\n1,2\n"))]
        job = visitor.post("/api/jobs", files=other).json()["id"]
        assert "b.csv: there is no column" in visitor.read(job)["error"]
        many = [("log", (f"{n}.csv", b"x")) for n in range(501)]
        assert visitor.post("/api/jobs", files=many).status_code == 413


def test_an_interrupted_upload_of_several_leaves_nothing(site: Site) -> None:
    before = site.files()
    body = b'--x\r\ncontent-disposition: form-data; name="log"; filename="a.csv"\r\n\r\nabc\r\n'
    body += b'--x\r\ncontent-disposition: form-data; name="log"; filename="b.csv"\r\n\r\nab'
    with site.visitor() as visitor:
        headers = {"content-type": "multipart/form-data; boundary=x"}
        assert visitor.post("/api/jobs", content=body, headers=headers).status_code == 400
    assert site.files() == before
