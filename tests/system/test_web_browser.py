"""The web page in a real browser: all steps, wide and on a phone, with the keyboard alone, light and dark."""

from __future__ import annotations

import os
import random
import re
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import Watched, browser
from support.helpers import real_log_path, run_command
from support.web import PATIENCE, Site, processes_in, serving
from unsingle import read_log

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WAIT = 1000 * PATIENCE
ODD_COLUMNS = {"case": "Kennung", "activity": "Handgriff", "time": "Wann"}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site"), max_upload=50_000_000) as running:
        yield running


@pytest.fixture(scope="module")
def odd_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose columns nobody could guess, with markup for labels."""
    chance = random.Random(7)
    lines = ["Bearbeiter;Wann;Kennung;Handgriff"]
    for case in range(300):
        path = ["<b onclick=alert(1)>auf</b>", "<img src=x onerror=alert(2)>", "zu"][: 2 + (case % 5 > 0)]
        for i, step in enumerate(path):
            lines.append(f"Meier;{1 + case % 28:02}.{1 + i}.2024 {8 + chance.randrange(9)}:15;F{case};{step}")
    target = tmp_path_factory.mktemp("odd") / "Fälle & mehr.csv"
    target.write_text("\n".join(lines), encoding="utf-8")
    return target


@pytest.fixture
def watched(chromium: Browser, site: Site) -> Iterator[Watched]:
    one = Watched(chromium, 1280)
    yield one
    assert one.complaints == []
    assert all(url.startswith((site.url, "blob:", "data:")) for url in one.requests)
    one.page.context.close()


def upload(page: Page, site: Site, log: Path) -> None:
    page.goto(site.url)
    page.set_input_files("#file", log)
    page.wait_for_selector("#columns", timeout=WAIT)


def step(page: Page, name: str) -> None:
    """Open a step by the bar of steps."""
    page.click(f".path a[href='#{name}']")
    page.wait_for_selector(f"#{name}", timeout=WAIT)


def chosen_from(page: Page) -> None:
    """Wait until the log was read, and open the step before the release."""
    page.wait_for_selector("#risk .verdict", timeout=WAIT)
    step(page, "delta")


def until_released(page: Page) -> None:
    """Wait for the release."""
    page.wait_for_selector("#release .verdict", timeout=WAIT)


def walk(page: Page, site: Site, log: Path, columns: dict[str, str] | None = None) -> None:
    """All steps up to the result."""
    upload(page, site, log)
    assert page.locator(".preview tbody tr").count() == 10
    for role, column in (columns or {}).items():
        assert page.locator(f"#c-{role}").input_value() == ""  # it says that it does not know
        page.select_option(f"#c-{role}", column)
    page.click("#columns button.main")
    page.wait_for_selector("#risk .verdict", timeout=WAIT)
    page.wait_for_selector("html[data-ready=yes]", timeout=WAIT)
    assert page.locator("#risk .verdict").inner_text().count(".") >= 3
    assert page.locator("#uniqueness .bars path").count() > 5  # the plot is drawn
    predicted(page)
    step(page, "delta")
    check_slider(page)
    page.click("#choose button.main")
    until_released(page)
    step(page, "changes")
    page.wait_for_selector("html[data-ready=yes]", timeout=WAIT)
    page.wait_for_selector("#graph-before svg", timeout=WAIT)
    assert page.locator("#graph-before svg .node").count() >= 3
    assert page.locator("#graph-after svg .node").count() >= 3


def predicted(page: Page) -> None:
    """Wait until nothing runs any more."""
    page.wait_for_selector("#prediction-status:has-text('Predicted from')", state="attached", timeout=WAIT)


def check_slider(page: Page) -> None:
    """Moving the slider changes what is predicted and what is promised, for every method."""
    seen = []
    for key in ("Home", "ArrowRight", "End"):
        page.focus("#delta-slider")
        page.keyboard.press(key)
        delta = page.locator("#delta-number").input_value()
        page.wait_for_selector(
            f".promise[data-method=twin]:has-text('at most {delta}')", state="attached", timeout=WAIT
        )
        seen.append([text for text in page.locator("#paths .prediction").all_text_contents() if "the cases" in text])
        of_100 = float(page.locator("#delta-of-100").inner_text())
        assert of_100 == pytest.approx(50 + 100 * float(delta))
    page.fill("#delta-number", "0.25")
    assert not page.locator("#delta-weak").is_visible()
    assert not page.locator("#confirm-weak").is_visible()
    page.fill("#delta-number", "0.3")
    assert page.locator("#delta-weak").is_visible()
    assert page.locator("#confirm-weak").is_visible()
    page.wait_for_selector(".promise[data-method=twin]:has-text('delta 0.3 is weak')", state="attached", timeout=WAIT)
    page.fill("#delta-number", "0.5")
    assert page.locator("#delta-void").is_visible()
    page.fill("#delta-number", "")
    assert page.locator("#delta-of-100").inner_text() == "…"
    assert [len(texts) for texts in seen][2] >= 4
    assert seen[0] != seen[1] != seen[2]
    page.fill("#delta-number", "0.2")


def downloaded(page: Page, words: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.click(f"text={words}")
    target = folder / waiting.value.suggested_filename
    waiting.value.save_as(target)
    return target


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_all_steps_with_a_real_log(width: int, scheme: str, chromium: Browser, site: Site, tmp_path: Path) -> None:
    log = real_log_path("Sepsis")
    one = Watched(chromium, width, scheme=scheme)
    walk(one.page, site, log)
    assert not one.overflows()
    step(one.page, "paths")
    assert "784 of 1,050 people are alone on their path: it is published" in one.page.inner_text(
        ".method:has(input[value=twin])"
    )
    step(one.page, "release")
    assert "The paths of 784 of 1,050 people, which nobody else took, are published" in one.page.inner_text("#release")
    release = downloaded(one.page, "Download the release", tmp_path)
    assert read_log(release).variant_counts().keys() == read_log(log).variant_counts().keys()  # R1
    report = downloaded(one.page, "Download the private report", tmp_path)
    assert report.name == "comparison.PRIVATE.html"
    assert "PRIVATE, DO NOT PUBLISH" in report.read_text(encoding="utf-8")
    one.page.wait_for_selector("#after-download")
    one.page.reload()
    one.page.click("text=Delete this log")
    assert "everything made from it was deleted" in one.page.inner_text("main")
    one.forget_questions_about_deleted_logs()
    assert one.complaints == []
    assert all(url.startswith((site.url, "blob:", "data:")) for url in one.requests)


@pytest.mark.parametrize("width", [1280, 400])
def test_all_steps_with_columns_that_must_be_chosen(
    width: int, chromium: Browser, site: Site, odd_csv: Path, tmp_path: Path
) -> None:
    one = Watched(chromium, width)
    one.page.on("dialog", lambda dialog: one.complaints.append(f"a label was run: {dialog.message}"))
    walk(one.page, site, odd_csv, ODD_COLUMNS)
    assert not one.overflows()
    assert one.complaints == []
    assert one.page.locator("main b[onclick], main img[src=x]").count() == 0  # labels are shown as text
    assert "<b onclick" in one.page.inner_text("#graph-before")
    step(one.page, "release")
    release = downloaded(one.page, "Download the release", tmp_path)
    columns = {"case": "Kennung", "activity": "Handgriff", "time": "Wann"}
    assert read_log(release).variant_counts().keys() == read_log(odd_csv, **columns).variant_counts().keys()


def test_the_page_survives_a_reload_and_a_second_window(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    upload(page, site, hospital)
    page.click("#columns button.main")
    page.wait_for_selector("#work")
    page.reload()
    chosen_from(page)
    address = page.url
    page.goto(site.url)
    page.click("text=hospital.xes.gz")  # the start leads back
    assert page.url.partition("#")[0] == address.partition("#")[0]
    page.wait_for_selector("#choose", state="attached")


def test_the_whole_way_with_the_keyboard_alone(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.url)

    def reach(selector: str, most: int = 80) -> None:
        for _ in range(most):
            if page.evaluate("selector => !!document.activeElement?.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached")

    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.className") == "skip"
    reach("form[action='/demo'] button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#columns", timeout=WAIT)
    reach("#columns button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("#h-risk:focus", timeout=WAIT)  # whoever listens is at what is new
    reach("#risk .next a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#h-paths:focus")
    reach("input[name=method]")
    page.keyboard.press("ArrowDown")
    assert page.locator("input[name=method]:checked").input_value() == "twin-crowds"
    page.keyboard.press("ArrowUp")
    reach("#paths .next a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#h-delta:focus")
    reach("#choose button.main")
    page.keyboard.press("Enter")
    until_released(page)
    page.wait_for_selector("#h-release:focus")
    assert page.locator(".path .here").inner_text() == "5. Release"
    reach("a[href$='/files/release']")


def test_everything_has_a_name_for_who_listens(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    upload(page, site, hospital)
    page.click("#columns button.main")
    chosen_from(page)
    page.click("#choose button.main")
    until_released(page)
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")  # as without TLS
    page.click("#copy")
    assert page.evaluate("() => getSelection().toString()").startswith("unsingle anonymize hospital.xes.gz")
    assert "press Ctrl+C" in page.inner_text("#copy")
    nameless = page.evaluate("""() => [...document
        .querySelectorAll('input, select, button, progress, a')].filter(each => {
        const labels = each.labels ? [...each.labels].map(label => label.textContent).join('') : '';
        return !(labels + (each.getAttribute('aria-label') || '') + each.textContent).trim();
    }).map(each => each.outerHTML)""")
    assert nameless == []
    levels = page.evaluate(
        "() => [...document.querySelectorAll('h1, h2, h3, h4')].map(each => Number(each.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map(each => each.id)")
    assert len(ids) == len(set(ids))


def test_a_file_can_be_dropped(watched: Watched, site: Site) -> None:
    page = watched.page
    page.goto(site.url)
    page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["case,activity,time\\n1,A,2024-01-01\\n"], "dropped.csv"));
        document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }""")
    page.wait_for_selector("h1:has-text('dropped.csv')", timeout=WAIT)


def test_what_is_wrong_is_told_where_one_looks(watched: Watched, site: Site, tmp_path: Path) -> None:
    page = watched.page
    for name, content, said in (
        ("log.txt", b"x", "The format is not clear from the file name"),
        ("large.csv", b"x" * 50_000_001, "The file has 50.0 MB, but the limit is 50.0 MB"),
    ):
        (tmp_path / name).write_bytes(content)
        page.goto(site.url)
        page.set_input_files("#file", tmp_path / name)
        page.wait_for_selector(f"#upload-problem:has-text('{said}')", timeout=WAIT)
        assert page.locator("#file").input_value() == ""  # so that the same file can be chosen again
        assert page.evaluate("() => document.activeElement.id") == "file"
    (tmp_path / "log.xes").write_text("<html>")
    page.goto(site.url)
    page.set_input_files("#file", tmp_path / "log.xes")
    page.wait_for_selector("[role=alert]:has-text('log.xes: is an HTML page, not XES')", timeout=WAIT)
    page.click("text=Load another file")
    page.wait_for_selector("#upload")
    watched.complaints = [text for text in watched.complaints if "400" not in text]  # the browser tells of the refusal


def test_the_message_of_a_failed_release_is_in_view(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    upload(page, site, hospital)
    page.click("#columns button.main")
    chosen_from(page)
    page.click("#choose button.main")
    page.wait_for_selector("#work")
    page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
    job = site.service.jobs.of(page.context.cookies()[0]["value"])[0]
    wait_and_kill_worker(job.folder)
    page.wait_for_selector("#delta .problem:focus", timeout=WAIT)  # whoever listens hears it
    page.wait_for_load_state("load")
    page.wait_for_timeout(500)  # in which the browser could go back to where the page was
    assert page.evaluate("""() => {
        const box = document.querySelector("#delta .problem").getBoundingClientRect();
        return box.top >= 0 && box.bottom <= innerHeight;
    }""")
    site.service.jobs.find(job.id, job.session).error = "of a task that failed at once"
    page.goto(f"{site.url}/jobs/{job.id}?again#release")  # where no section is
    page.wait_for_selector("#delta .problem:focus")
    page.click("text=Delete this log")
    watched.forget_questions_about_deleted_logs()


def test_a_log_that_another_window_sends_appears_when_it_is_there(watched: Watched, site: Site) -> None:
    page, going_on = watched.page, threading.Event()
    page.goto(site.url)
    cookies = {each["name"]: each["value"] for each in page.context.cookies()}  # set before any upload

    def slowly() -> Iterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="log"; filename="slow.csv"\r\n\r\ncase,activity,time\n'
        going_on.wait(PATIENCE)
        yield b"1,A,2024-01-01\n\r\n--b--\r\n"

    with site.visitor(cookies=cookies) as other, ThreadPoolExecutor(1) as pool:
        kind = {"content-type": "multipart/form-data; boundary=b"}
        answer = pool.submit(other.post, "/api/jobs", content=slowly(), headers=kind)
        try:
            end = time.monotonic() + PATIENCE
            while not any(job.uploading for job in site.service.jobs) and time.monotonic() < end:
                time.sleep(0.02)
            page.reload()
            page.click("text=slow.csv")
            page.wait_for_selector("text=It is still being uploaded")
        finally:
            going_on.set()
        assert answer.result().status_code == 201
        page.wait_for_selector("#columns", timeout=WAIT)


# --------------------------------------------------------------------------------------------- after deletion


def read_by(page: Page, site: Site, log: Path) -> str:
    """Upload a log and read it; the address of its page."""
    upload(page, site, log)
    page.click("#columns button.main")
    chosen_from(page)
    page.wait_for_selector("html[data-ready=yes]", timeout=WAIT)
    return page.url.partition("#")[0]


def delete_elsewhere(page: Page, site: Site, address: str) -> None:
    """Delete a log as another window of the same browser would."""
    cookies = {each["name"]: each["value"] for each in page.context.cookies()}
    with site.visitor(cookies=cookies) as other:
        assert other.delete(address.replace("/jobs/", "/api/jobs/")).status_code == 204


def forgive(watched: Watched) -> None:
    """The browser complains of what is gone."""
    watched.forget_questions_about_deleted_logs()


def test_a_log_that_is_deleted_leaves_every_window_that_shows_it(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    address = read_by(page, site, hospital)
    predicted(page)
    other = page.context.new_page()
    other.goto(address)
    other.click("text=Delete this log")
    page.wait_for_selector("text=everything made from it was deleted", timeout=20_000)
    assert page.locator("#choose, #data, .private, .preview").count() == 0
    assert "hospital" not in page.content()
    other.close()
    forgive(watched)


@pytest.mark.parametrize("deleted", [False, True])
def test_going_back_to_a_log_shows_it_only_if_it_is_still_there(
    deleted: bool, watched: Watched, site: Site, hospital: Path
) -> None:
    page = watched.page
    upload(page, site, hospital)
    address = page.url.partition("#")[0]
    page.evaluate("""() => addEventListener("pageshow", (event) => sessionStorage.setItem("seen",
        `${event.persisted} ${getComputedStyle(document.querySelector("h1")).visibility}`))""")
    page.goto(site.url)
    if deleted:
        delete_elsewhere(page, site, address)
    page.go_back(wait_until="commit")
    page.wait_for_function("""() => sessionStorage.getItem("seen") ||
        performance.getEntriesByType("navigation")[0].type === "back_forward" """)
    seen = page.evaluate("() => sessionStorage.getItem('seen')")
    if seen is None and not deleted:
        forgive(watched)
        pytest.skip("this browser asks for such a page again instead of keeping it")
    assert seen in ("true hidden", None)
    if deleted:
        page.wait_for_selector("text=everything made from it was deleted", timeout=WAIT)
        assert "hospital" not in page.content()
    else:
        page.wait_for_selector(".preview")
        page.click("text=Delete this log")
    forgive(watched)


def test_going_back_to_the_start_shows_no_log_that_is_deleted(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    address = read_by(page, site, hospital)
    page.goto(site.url)
    page.click("text=hospital.xes.gz")
    page.wait_for_selector("#choose", state="attached")
    delete_elsewhere(page, site, address)
    page.go_back()
    page.wait_for_selector("#upload")
    page.wait_for_selector("text=hospital.xes.gz", state="detached")
    forgive(watched)


def test_when_the_server_is_ended_its_pages_empty_themselves(chromium: Browser, hospital: Path, tmp_path: Path) -> None:
    one = Watched(chromium, 1280)
    with serving(tmp_path) as ending:
        read_by(one.page, ending, hospital)
    one.page.wait_for_selector("text=this page comes back when unsingle responds", timeout=60_000)
    assert one.page.locator("#choose, #data, .private, .preview").count() == 0
    assert "hospital" not in one.page.content()
    one.page.context.close()


# ---------------------------------------------------------------------------------------------- how it looks

STICKS_OUT = """() => [...document.querySelectorAll(".plot svg")].some((plot) => {
    const inner = plot.getBoundingClientRect(), outer = plot.closest(".plot").getBoundingClientRect();
    const section = plot.closest("section").getBoundingClientRect();
    return inner.bottom > outer.bottom + 1 || inner.right > outer.right + 1 || outer.bottom > section.bottom;
})"""


def test_plots_follow_the_window_and_lie_over_nothing(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    read_by(page, site, hospital)
    step(page, "risk")
    box = page.locator("#uniqueness")
    first = box.bounding_box()
    for width in (800, 600, 400, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "() => Math.abs(document.querySelector('#uniqueness svg').clientWidth"
            " - document.querySelector('#uniqueness').clientWidth) < 2"
        )
        assert not page.evaluate(STICKS_OUT)
        assert not watched.overflows()
        assert box.bounding_box()["height"] >= first["height"]  # bars do not become too thin to read
    assert box.bounding_box()["height"] == pytest.approx(first["height"], abs=1)


def test_one_step_is_shown_at_a_time_and_paper_has_all(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    read_by(page, site, hospital)

    def shown() -> list[str]:
        return [each.get_attribute("id") or "" for each in page.locator(".step").all() if each.is_visible()]

    for name in ("log", "risk", "paths", "delta"):
        step(page, name)
        assert shown() == [name]
        page.wait_for_selector(f"#h-{name}:focus")
        for width in (1280, 640, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert not watched.overflows()
            page.mouse.wheel(0, 3000)
            assert page.locator(f".path a[href='#{name}']").bounding_box()["y"] < 120  # the bar stays in view
    page.emulate_media(media="print")
    assert shown() == ["log", "risk", "paths", "delta"]


def test_a_weak_delta_must_be_confirmed(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    read_by(page, site, hospital)
    page.fill("#delta-number", "0.4")
    page.click("#choose button.main")
    assert page.evaluate("() => document.activeElement.id") == "confirm-weak"  # the browser asks for it
    page.check("#confirm-weak")
    page.click("#choose button.main")
    until_released(page)
    assert "at delta 0.4" in page.inner_text("#release .verdict")


def test_a_delta_that_cannot_be_is_promised_nothing(watched: Watched, site: Site, hospital: Path) -> None:
    page = watched.page
    read_by(page, site, hospital)
    predicted(page)
    promise = page.locator(".promise[data-method=twin]")
    for wrong in ("1.5", "-0.2", "0", ""):
        page.fill("#delta-number", "0.2")
        page.wait_for_selector(".promise[data-method=twin]:has-text('at most 0.2')", state="attached", timeout=WAIT)
        assert page.locator("#delta-claim").is_visible()
        page.fill("#delta-number", "0.3")  # the answer to this comes too late
        page.fill("#delta-number", wrong)
        assert page.locator("#delta-means").inner_text() == "Delta must be a number from 0.001 to 0.999."
        assert promise.text_content() == "It cannot promise this delta."
        assert set(page.locator(".prediction").all_text_contents()) == {"Not predicted for this delta."}
        page.wait_for_timeout(400)
        assert promise.text_content() == "It cannot promise this delta."


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_private_is_dark_on_paper_and_has_a_border(scheme: str, chromium: Browser, site: Site, hospital: Path) -> None:
    one = Watched(chromium, 1280, scheme=scheme)
    read_by(one.page, site, hospital)
    one.page.emulate_media(media="print", color_scheme="dark" if scheme == "dark" else "light")
    for part in (".private", ".private span", "h1", "#risk .verdict", "button.danger"):
        colour = one.page.evaluate("part => getComputedStyle(document.querySelector(part)).color", part)
        assert max(int(number) for number in re.findall(r"\d+", colour)[:3]) < 140, (part, colour)
    border = "() => getComputedStyle(document.querySelector('.private')).borderTop"
    assert one.page.evaluate(border) == "2px solid rgb(0, 0, 0)"
    one.page.context.close()


def wait_and_kill_worker(folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not (found := processes_in(folder)):
        assert time.monotonic() < end
        time.sleep(0.02)
    for pid in found:
        os.kill(pid, signal.SIGKILL)


def test_work_can_be_cancelled_and_everything_is_gone(watched: Watched, site: Site, tmp_path: Path) -> None:
    run_command("synthesize", "-o", tmp_path / "long.csv", "--cases", 20_000)
    page = watched.page
    before = len(site.files())
    upload(page, site, tmp_path / "long.csv")
    page.click("#columns button.main")
    began = time.monotonic()
    page.click("text=Cancel and delete this log")
    page.wait_for_selector("text=was deleted", timeout=WAIT)
    assert time.monotonic() - began < 2 * (4 if "PYTEST_XDIST_WORKER" in os.environ else 1)  # others use the cores, too
    assert len(site.files()) == before
    watched.forget_questions_about_deleted_logs()


@pytest.fixture(scope="module")
def clinic_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with columns that can be kept, and people with two cases each."""
    chance = random.Random(3)
    lines = ["case,patient,activity,start,timestamp,ward,user,age"]
    for case in range(1500):
        age = chance.randrange(20, 90)
        for i, step in enumerate(["in", "care", "out"]):
            day, minute = 1 + case % 28, chance.randrange(10, 60)
            times = f"2024-03-{day:02} {8 + i}:00,2024-03-{day:02} {8 + i}:{minute}"
            ward, user = chance.choice(["north", "south"]), chance.randrange(3)
            lines.append(f"c{case},p{case % 750},{step},{times},{ward},u{user},{age}")
    target = tmp_path_factory.mktemp("clinic") / "clinic.csv"
    target.write_text("\n".join(lines), encoding="utf-8")
    return target


@pytest.mark.parametrize("width", [1280, 400])
def test_columns_that_are_kept_come_into_the_release(
    width: int, chromium: Browser, site: Site, clinic_csv: Path, tmp_path: Path
) -> None:
    one = Watched(chromium, width)
    page = one.page
    upload(page, site, clinic_csv)
    page.focus("#others > summary")
    page.keyboard.press("Enter")  # by the keyboard

    def row(name: str) -> str:
        return f"#others li[data-column='{name}']"

    assert [page.is_visible(row(name)) for name in ("case", "activity", "timestamp", "patient")] == [False] * 3 + [True]
    page.select_option("#c-person", "patient")
    assert not page.is_visible(row("patient"))  # it has a role now
    assert page.is_disabled(f"{row('age')} input")
    page.focus(f"{row('age')} select")
    page.keyboard.type("keep as")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.is_checked(f"{row('age')} input")
    page.select_option(f"{row('ward')} select", "keep")
    page.select_option(f"{row('user')} select", "keep")
    assert not one.overflows()
    page.click("#columns button.main")
    chosen_from(page)
    assert "ward, user, age. Left out: start." in str(page.text_content("#kept"))
    step(page, "paths")
    assert page.is_checked("#values input[name=pseudonyms][value=user]")  # looks like staff
    assert not page.is_checked("#values input[name=pseudonyms][value=ward]")
    assert page.is_disabled("input[name=method][value=amun]")
    page.wait_for_selector(".promise[data-method=twin]:has-text('this or that in')", state="attached", timeout=WAIT)
    page.fill("input[name='round:age']", "10")
    page.click("#paths .next a")
    page.fill("#r-cases", "2")
    page.fill("#delta-number", "0.45")
    page.check("#confirm-weak")
    page.select_option("#r-format", "csv")
    page.click("#choose button.main")
    until_released(page)
    assert not one.overflows()
    assert "--cases-per-person 2 --pseudonyms user --round age=10" in page.inner_text("#command")
    released = downloaded(page, "Download the release", tmp_path)
    log = read_log(released, keep=["ward", "user"], keep_case=["age"], numbers=["age"])
    ward, user, age = (column.cells() for column in log.columns if not column.field.private)
    assert set(ward) <= {"north", "south", "OTHER", None}
    assert {"north", "south"} & set(ward)
    assert not {"u0", "u1", "u2"} & set(user)
    assert {each % 10 for each in age if isinstance(each, float | int)} == {0}
    assert one.complaints == []
