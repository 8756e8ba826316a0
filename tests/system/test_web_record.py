"""From a file to a signed record: the statement, attacks on the release, and the record, by page and API."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import Watched, browser
from support.web import PATIENCE, Site, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WAIT = 1000 * PATIENCE


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as launched:
        yield launched


def test_a_release_has_a_statement_attacks_and_a_record(site: Site, hospital: Path) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(hospital.read_bytes(), "hospital.xes.gz")
        visitor.read(job)
        assert visitor.post(f"/api/jobs/{job}/attack").status_code == 409
        early = visitor.post(f"/api/jobs/{job}/record", json={})
        assert (early.status_code, early.json()["error"]) == (
            409, "Make a release first: there is nothing to record yet."
        )  # fmt: skip
        visitor.release(job, delta=0.1)
        statement = visitor.get(f"/api/jobs/{job}/files/statement")
        assert 'filename="statement.html"' in statement.headers["content-disposition"]
        assert "right at most 60 times in 100" in statement.text
        assert "hospital.xes" not in statement.text
        assert "PRIVATE" not in statement.text
        record = visitor.post(f"/api/jobs/{job}/record", json={"purpose": "research", "decision": "publish"})
        assert 'filename="record.PRIVATE.html"' in record.headers["content-disposition"]
        for said in ("PRIVATE, DO NOT PUBLISH", "hospital.xes.gz", "research", "sha256:", "Not tried.", "--delta 0.1"):
            assert said in record.text
        assert visitor.get(f"/api/jobs/{job}/attack").status_code == 409
        assert visitor.post(f"/api/jobs/{job}/attack").status_code == 202
        assert visitor.wait(job)["state"] == "ready"
        found = visitor.get(f"/api/jobs/{job}/attack").json()
        assert found["private"] is True
        assert found["holds"] is True
        assert {"linkage", "start", "true times"} <= {each["attack"] for each in found["findings"]}
        after = visitor.post(f"/api/jobs/{job}/record", json={}).text
        assert "Not tried." not in after
        assert "linkage" in after
        report = visitor.get(f"/api/jobs/{job}/files/report").text
        assert "hospital.xes.gz" in report.partition("About this report")[2]
        visitor.release(job, delta=0.2)  # of another release, nothing is known yet
        assert visitor.get(f"/api/jobs/{job}/attack").status_code == 409
        visitor.delete(f"/api/jobs/{job}")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"why": "x"}, "unknown field 'why'"),
        ({"purpose": "x" * 2001}, "purpose has 2,001 letters: write at most 2,000"),
        ({"decision": "perhaps"}, "decision must be one of publish, restricted, not"),
    ],
)
def test_a_record_is_refused_what_it_has_no_place_for(given: dict[str, str], said: str, site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(b"case,activity,time\n1,A,2024-01-01\n")
        answer = visitor.post(f"/api/jobs/{job}/record", json=given)
        assert answer.status_code == 400
        assert said in answer.json()["error"]


def test_help_explains_the_words(site: Site) -> None:
    with site.visitor() as visitor:
        page = visitor.get("/help").text
        for word in ("delta", "singling out", "linkability", "inference", "alone on a path", "recital 26"):
            assert word in page
        assert 'href="/help"' in visitor.get("/").text


def test_without_a_script_a_weak_delta_is_refused_until_it_is_confirmed(site: Site, hospital: Path) -> None:
    with site.visitor(follow_redirects=True) as visitor:
        job = visitor.upload_and_wait(hospital.read_bytes(), "hospital.xes.gz")
        visitor.read(job)
        choice = {"delta": "0.4", "method": "twin", "format": "csv", "grid": ""}
        page = visitor.post(f"/jobs/{job}/release", data=choice).text
        assert "Delta 0.4 is weak protection: tick that you know it, or choose 0.25 or less." in page
        assert visitor.get(f"/api/jobs/{job}").json()["release"] is False
        visitor.post(f"/jobs/{job}/release", data={**choice, "confirm_weak": "yes"})
        assert visitor.wait(job)["release"] is True
        assert visitor.post(f"/jobs/{job}/record", data={"recipient": "Ms Doe"}).text.count("Ms Doe") == 1
        visitor.delete(f"/api/jobs/{job}")


# ------------------------------------------------------------------------------------------------- in a browser


def reach(page: Page, selector: str, most: int = 150) -> None:
    """Go there by the keyboard."""
    for _ in range(most):
        if page.evaluate("selector => !!document.activeElement?.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached")


def press(page: Page, selector: str) -> None:
    reach(page, selector)
    page.keyboard.press("Enter")


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 640, 400])
def test_from_a_file_to_a_record_to_sign_with_the_keyboard_in_five_minutes(
    width: int, chromium: Browser, site: Site, hospital: Path, tmp_path: Path
) -> None:
    watched = Watched(chromium, 1280 if width == 640 else width)
    page = watched.page
    began = time.monotonic()
    page.goto(site.url)
    page.set_input_files("#file", hospital)
    page.wait_for_selector("#columns", timeout=WAIT)
    page.set_viewport_size({"width": width, "height": 900})  # 640 by resizing
    press(page, "#columns button.main")
    page.wait_for_selector("#h-risk:focus", timeout=WAIT)
    press(page, "#risk .next a")
    press(page, "#paths .next a")
    press(page, "#choose button.main")
    page.wait_for_selector("#h-release:focus", timeout=WAIT)
    assert not watched.overflows()
    press(page, "#release .next a")
    press(page, "#changes .next a")
    press(page, "#attack form button")
    page.wait_for_selector("#attack-verdict", timeout=WAIT)
    assert page.locator(".path .here").inner_text() == "7. Break it"
    assert page.locator("#gains svg").count() > 0
    assert not watched.overflows()
    press(page, "#attack .next a")
    for name, text in (("controller", "City Hospital"), ("purpose", "Research"), ("legal_basis", "Art. 89 GDPR")):
        reach(page, f"#b-{name}")
        page.keyboard.type(text)
    reach(page, "input[name=decision]")
    page.keyboard.press("Space")
    assert not watched.overflows()
    reach(page, "#decide button.main")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    waiting.value.save_as(tmp_path / "record.html")
    assert waiting.value.suggested_filename == "record.PRIVATE.html"
    record = (tmp_path / "record.html").read_text(encoding="utf-8")
    for said in ("City Hospital", "Research", "Art. 89 GDPR", "signature", "linkage", "hospital.xes.gz"):
        assert said in record
    assert "×" in record
    assert time.monotonic() - began < 300
    assert watched.complaints == []
    page.context.close()


VIOLATIONS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .map(each => `${each.id}: ${each.nodes.slice(0, 3).map(node => node.html.slice(0, 120)).join(" | ")}`)"""


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (640, "dark"), (400, "light")])
def test_axe_finds_nothing_on_any_step(
    width: int, scheme: str, chromium: Browser, site: Site, hospital: Path, tmp_path: Path
) -> None:
    base = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python is not installed")
    axe = (Path(base.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    watched = Watched(chromium, width, scheme=scheme)
    page = watched.page
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        page.wait_for_timeout(300)
        page.evaluate(axe)  # not as an element, which the page's own rules forbid
        if violations := page.evaluate(VIOLATIONS):
            found[name] = violations

    for place in ("", "/help"):
        page.goto(site.url + place)
        look(place or "start")
    page.goto(site.url)
    page.set_input_files("#file", hospital)
    page.wait_for_selector("#columns", timeout=WAIT)
    look("columns")
    page.click("#columns button.main")
    page.wait_for_selector("#risk .verdict", timeout=WAIT)
    page.wait_for_selector("#prediction-status:has-text('Predicted from')", state="attached", timeout=WAIT)
    page.goto(re.sub("#.*", "", page.url) + "#delta")
    page.click("#choose button.main")
    page.wait_for_selector("#release .verdict", timeout=WAIT)
    page.click(".path a[href='#attack']")
    page.click("#attack form button")
    page.wait_for_selector("#attack-verdict", timeout=WAIT)
    for step in ("log", "risk", "paths", "delta", "release", "changes", "attack", "record"):
        page.click(f".path a[href='#{step}']")
        page.wait_for_selector(f"#h-{step}:focus")
        look(step)
    page.click(".path a[href='#record']")
    for words, name in (("Download the release statement", "statement"), ("Download the record", "record file")):
        with page.expect_download() as waiting:
            page.click(f"#record >> text={words}")
        target = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(target)
        other = page.context.new_page()
        other.goto(target.as_uri())
        other.evaluate(axe)
        if violations := other.evaluate(VIOLATIONS):
            found[name] = violations
        other.close()
    assert found == {}
    page.context.close()
