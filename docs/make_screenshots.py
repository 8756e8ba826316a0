"""Makes the pictures of the reports: real reports of a real log, in a real browser.

    python docs/make_screenshots.py LOG

Needs chromium, and playwright from the dev extra.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from unsingle import anonymize, assess_risk, audit, compare, read_log, sweep
from unsingle.report import page_of, render

HERE = Path(__file__).parent
SIZES = {"": (1280, 1150), "-phone": (400, 860)}


def main() -> None:
    """Draw the first screen of each report, wide and on a phone."""
    log = read_log(sys.argv[1])
    results = {
        "risk": assess_risk(log),
        "compare": compare(log, anonymize(log, 0.2, method="blend")),
        "sweep": sweep(log),
        "audit": audit(log, 0.2, method="blend", runs=300, processes=2),
    }
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, result in results.items():
            path = Path(folder) / f"{name}.html"
            path.write_text(render(page_of(result)), encoding="utf-8")
            for suffix, (width, height) in SIZES.items():
                page = browser.new_page(viewport={"width": width, "height": height})
                page.goto(path.as_uri())
                page.wait_for_selector("html[data-ready=yes]")
                page.screenshot(path=HERE / f"{name}{suffix}.png")
        browser.close()


if __name__ == "__main__":
    main()
