"""A real browser for the tests that look at pages; skips them, saying so, where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def browser() -> Iterator[Browser]:
    """The browser of this machine, without a window."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no chromium on this machine, so no page was looked at: install the Debian package chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-gpu"],
            ignore_default_args=["--disable-back-forward-cache"],  # people go back, and find pages as they left them
        )
        yield launched
        launched.close()


class Watched:
    """A page, and everything it complained about or asked for."""

    def __init__(self, launched: Browser, width: int, height: int = 900, scheme: str = "light") -> None:
        context = launched.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self._complain(message.type, message.text, message.location))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _complain(self, kind: str, text: str, where: Mapping[str, Any]) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(f"{text} {where.get('url', '')}")

    def forget_questions_about_deleted_logs(self) -> None:
        """What a page still asked when its log was gone is refused, and the browser tells of that."""
        self.page.wait_for_load_state("networkidle")
        refused = ("410 (Gone)", "404 (Not Found)")
        self.complaints = [text for text in self.complaints if not any(each in text for each in refused)]

    def overflows(self) -> bool:
        """Whether the page is wider than its window."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))
