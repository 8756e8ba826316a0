"""The page writes how a log was read as a profile, and fills in its form from one."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.helpers import run_command
from support.web import Site, Visitor, serving
from unsingle.formats.profile import profile_keys
from unsingle.web.forms import READING_LABELS, ReadingRequest

pytestmark = pytest.mark.slow

LOG = "Auftrag;Schritt;Phase;Wann;Station;Alter\n" + "".join(
    f"{case};{step};p;{1 + case % 28:02}.03.2024 {8 + i}:15;s{case % 3};{case % 90}\n"
    for case in range(120)
    for i, step in enumerate(["auf", "zu"])
)
SAID = {
    "case": "Auftrag", "activity": "Schritt+Phase", "time": "Wann", "timezone": "Europe/Berlin", "keep": ["Station"],
    "keep_case": ["Alter"], "numbers": ["Alter"], "allow_line_ends": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("site"), workers=1) as running:
        yield running


@pytest.fixture(scope="module")
def visitor(site: Site) -> Iterator[Visitor]:
    with site.visitor() as visitor:
        yield visitor


@pytest.fixture(scope="module")
def job(visitor: Visitor) -> str:
    return visitor.upload_and_wait(LOG.encode(), "orders.csv")


def send(visitor: Visitor, job: str, text: str | bytes) -> httpx.Response:
    content = text if isinstance(text, bytes) else text.encode()
    answer = visitor.post(f"/jobs/{job}/profile", files={"profile": ("orders.toml", content)})
    assert answer.status_code == 303, answer.text
    return visitor.get(f"/jobs/{job}")


def chosen(page: str) -> dict[str, str]:
    """What is selected in the lists of the form."""
    lists = re.findall(r'<select id="[^"]*" name="([^"]*)"[^>]*>(.*?)</select>', page, re.DOTALL)
    picked = {name: re.search(r'<option value="([^"]*)" selected', options) for name, options in lists}
    return {html.unescape(name): html.unescape(found[1]) for name, found in picked.items() if found}


def test_what_the_page_wrote_is_what_the_command_takes(visitor: Visitor, job: str, tmp_path: Path) -> None:
    fresh = visitor.upload_and_wait(LOG.encode(), "orders.csv")
    assert visitor.get(f"/jobs/{fresh}/profile").status_code == 404
    visitor.read(fresh, **SAID)
    saved = visitor.get(f"/jobs/{fresh}/profile")
    assert saved.headers["content-disposition"] == 'attachment; filename="profile.toml"'
    assert tomllib.loads(saved.text) == {**SAID, "format": "csv"}
    assert f"/jobs/{fresh}/profile" in visitor.get(f"/jobs/{fresh}").text
    (tmp_path / "orders.csv").write_text(LOG)
    (tmp_path / "p.toml").write_text(saved.text)
    found = run_command("inspect", tmp_path / "orders.csv", "--profile", tmp_path / "p.toml")
    assert "cases           120" in found.stdout


def test_the_form_is_filled_in_from_a_profile(visitor: Visitor, job: str, tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text(LOG)
    options = ["--case", "Auftrag", "--activity", "Schritt+Phase", "--time", "Wann", "--timezone", "Europe/Berlin"]
    more = ["--keep", "Station", "--keep-case", "Alter", "--number", "Alter", "--allow-line-ends"]
    profile = run_command("profile", tmp_path / "orders.csv", *options, *more).stdout
    page = send(visitor, job, profile).text
    found = chosen(page)
    assert (found["case"], found["activity"], found["activity_and"], found["time"]) == (
        "Auftrag", "Schritt", "Phase", "Wann",
    )  # fmt: skip
    assert (found["use:Station"], found["use:Alter"], found["allow_line_ends"]) == ("keep", "keep_case", "true")
    assert 'name="timezone" autocomplete="off" value="Europe/Berlin"' in page
    assert "The choices are filled in from the profile" in page
    assert not visitor.get(f"/api/jobs/{job}").json()["risk"]  # nothing was read


def test_a_profile_that_does_not_fit_says_what_differs(visitor: Visitor, job: str) -> None:
    page = html.unescape(send(visitor, job, "case = 'Order'\nactivity = 'Schritt'\nkeep = ['Ward']").text)
    assert "The profile does not fit this log: there is no column 'Order' (Case), 'Ward' (keep). Choose others." in page
    assert chosen(page)["activity"] == "Schritt"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("colour = 1", "The profile: unknown key 'colour'"),
        ("case = 1", "The profile: case must be a text"),
        ("case =", "The profile: is not TOML"),
        ("", "The profile: is empty"),
        (b"\xff\xfe", "The profile is not text in UTF-8"),
        ("timezone = '<b>'", "The profile: unknown time zone '<b>'"),
    ],
)
def test_a_broken_profile_is_one_line_and_changes_nothing(
    content: str | bytes, message: str, visitor: Visitor, job: str
) -> None:
    before = chosen(visitor.get(f"/jobs/{job}").text)
    page = send(visitor, job, content).text
    assert message in html.unescape(re.search(r'<p class="problem"[^>]*>(.*?)</p>', page)[1])  # type: ignore[index]
    assert "<b>'" not in page
    assert chosen(page) == before


@pytest.mark.parametrize("how", [{"data": {"profile": "case = 'x'"}}, {"files": {"other": ("p.toml", b"x")}}, {}])
def test_a_form_without_a_profile_is_one_line(how: dict[str, object], visitor: Visitor, job: str) -> None:
    assert visitor.post(f"/jobs/{job}/profile", **how).status_code == 303
    problem = re.search(r'<p class="problem"[^>]*>(.*?)</p>', visitor.get(f"/jobs/{job}").text)
    assert problem is not None
    assert "profile" in problem[1]


def test_a_large_profile_is_refused(visitor: Visitor, job: str) -> None:
    answer = visitor.post(f"/jobs/{job}/profile", files={"profile": ("p.toml", b"#" * 100_000)})
    assert answer.status_code == 303
    assert "The request is longer than any valid one can be" in visitor.get(f"/jobs/{job}").text


def test_another_visitor_gets_neither(site: Site, job: str) -> None:
    with site.visitor() as other:
        assert other.get(f"/jobs/{job}/profile").status_code == 404
        assert other.post(f"/jobs/{job}/profile", files={"profile": ("p.toml", b"case = 'x'")}).status_code == 404


def test_the_page_has_a_field_for_all_that_a_profile_says() -> None:
    assert set(profile_keys()) - {"format"} == set(READING_LABELS) == set(ReadingRequest.__dataclass_fields__)
