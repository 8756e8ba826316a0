"""The page and the API show what to look at before the release can be made."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.web import Site, serving

pytestmark = pytest.mark.slow

STEPS = ["Register", "Check", "Decide", "Inform", "Close"]
CLERKS = ["Anna Schmidt", "Peter Novak", "Sofia Rossi", "Lukas Meyer", "Julia Weber", "Omar Haddad", "Eva Lund"]


def log(labels: list[str] = STEPS, cases: int = 120) -> bytes:
    """A table of cases with five events each."""
    rows = [(case, labels[(case + i) % len(labels)], 1 + i) for case in range(cases) for i in range(5)]
    lines = [f"{case},{label},2024-01-{day:02} 10:00,Kim" for case, label, day in rows]
    return "\n".join(["case,activity,time,Resource", *lines]).encode()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site"), workers=1) as running:
        yield running


def test_what_looks_personal_is_shown_before_the_release(site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(log([*STEPS, "Ask <anna@example.org>"]))
        visitor.read(job)
        page = html.unescape(visitor.get(f"/jobs/{job}").text)
        form = page.partition('id="choose"')[2].partition("</form>")[0]
        assert "Some of what would be published looks personal" in form
        assert "What looks like an e-mail address is in 1 of 6 activities: 'Ask <anna@example.org>'." in form
        assert form.index("looks personal") < form.index("Make the release")
        assert "All 6 activities" in form
        assert all(step in form for step in STEPS)
        checks = visitor.get(f"/api/jobs/{job}/risk").json()["checks"]
        assert [(each["check"], each["personal"], each["texts"]) for each in checks] == [
            ("email", True, ["Ask <anna@example.org>"])
        ]


def test_other_columns_give_other_checks(site: Site) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(log(CLERKS))
        visitor.read(job)
        (check,) = visitor.get(f"/api/jobs/{job}/risk").json()["checks"]
        assert (check["check"], sorted(check["texts"])) == ("name", sorted(CLERKS))
        assert "The first 7" in visitor.get(f"/jobs/{job}").text
        visitor.read(job, activity="Resource")
        assert "staff as activity" in [each["check"] for each in visitor.get(f"/api/jobs/{job}/risk").json()["checks"]]
        job = visitor.upload_and_wait(log())
        visitor.read(job, case="Resource")
        page = visitor.get(f"/jobs/{job}").text
        assert "which by its name says who did it" in page
        assert "Look at this before you make the release" in page


def test_an_ordinary_log_shows_its_labels_and_no_warning(site: Site, tmp_path: Path) -> None:
    with site.visitor() as visitor:
        job = visitor.upload_and_wait(log())
        visitor.read(job)
        page = visitor.get(f"/jobs/{job}").text
        assert "All 5 activities, whose names may be published" in page
        assert "before you make the release" not in page
        assert visitor.get(f"/api/jobs/{job}/risk").json()["checks"] == []
