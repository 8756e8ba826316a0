"""Makes the pictures of the reports and of the web page: of a real log, in a real browser.

    python docs/make_screenshots.py LOG [web] [risk] [compare] [sweep] [audit]

Without names, all of them. Needs chromium, and playwright from the dev extra.
"""

from __future__ import annotations

import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from unsingle import EventLog, anonymize, assess_risk, audit, compare, read_log, sweep
from unsingle.evaluation.tables import Tabular
from unsingle.report import page_of, render
from unsingle.web.server import config, url_of
from unsingle.web.service import Service
from unsingle.web.settings import Settings

PICTURES = Path(__file__).with_name("pictures")
SIZES = {"": (1280, 1150), "-phone": (400, 860)}


def draw_web(browser: Browser, log: str, folder: str) -> None:
    """Draw steps of the web page, wide and on a phone."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        service = Service(Settings(port=listening.getsockname()[1], folder=Path(folder), ledgers=None))
        server = uvicorn.Server(config(service))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        for suffix, (width, height) in SIZES.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(url_of(service.settings))
            page.set_input_files("#file", log)
            page.click("#columns button.main")
            predicted = "#prediction-status:has-text('Predicted from')"
            page.wait_for_selector(predicted, state="attached", timeout=240_000)
            _shoot(page, "paths", f"web-paths{suffix}.png")
            _shoot(page, "delta", f"web-delta{suffix}.png")
            page.click("#choose button.main")
            page.wait_for_selector("#release .verdict", timeout=120_000)
            _shoot(page, "release", f"web-release{suffix}.png")
            _shoot(page, "record", f"web-record{suffix}.png")
        server.should_exit = True
        thread.join()


def _shoot(page: Page, step: str, name: str) -> None:
    page.click(f".path a[href='#{step}']")
    page.wait_for_timeout(800)
    page.screenshot(path=PICTURES / name)


def main() -> None:
    """Draw the web page and the first screen of each report, wide and on a phone."""
    path, *names = sys.argv[1:]
    if not names or "web" in names:
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            draw_web(browser, path, folder)
            browser.close()
    draw_reports(read_log(path), [name for name in REPORTS if not names or name in names])


REPORTS: dict[str, Callable[[EventLog], Tabular]] = {
    "risk": assess_risk,
    "compare": lambda log: compare(log, anonymize(log, 0.2)),
    "sweep": sweep,
    "audit": lambda log: audit(log, 0.2, runs=300, processes=2),
}


def draw_reports(log: EventLog, names: list[str]) -> None:
    """Draw the first screen of each report."""
    results = {name: REPORTS[name](log) for name in names}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, result in results.items():
            path = Path(folder) / f"{name}.html"
            path.write_text(render(page_of(result)), encoding="utf-8")
            for suffix, (width, height) in SIZES.items():
                page = browser.new_page(viewport={"width": width, "height": height})
                page.goto(path.as_uri())
                page.wait_for_selector("html[data-ready=yes]")
                page.screenshot(path=PICTURES / f"{name}{suffix}.png")
        browser.close()


if __name__ == "__main__":
    main()
