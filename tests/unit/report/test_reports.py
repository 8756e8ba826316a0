"""The private reports: what stands in them, and how they look in a real browser."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from support.browser import Watched, browser
from support.helpers import log_of, log_of_paths, paper_log, real_log_path
from support.kept import with_cells, with_lifecycles, with_made_up_columns
from unsingle import (
    Comparison,
    EventLog,
    OutputError,
    Risk,
    Sweep,
    anonymize,
    assess_risk,
    audit,
    compare,
    read_log,
    sweep,
    synthesize,
    write_report,
)
from unsingle.core.clock import HOUR
from unsingle.evaluation.tables import Tabular
from unsingle.report import page_of, private_name, render

MOST_BYTES = 2_500_000


@cache
def real_log(name: str) -> EventLog:
    return read_log(real_log_path(name))


def found(kind: str, log: EventLog) -> Tabular:
    """The result that a report shows."""
    if kind == "risk":
        return assess_risk(log)
    if kind == "sweep":
        return sweep(log, (0.1, 0.3), runs=1, seed=1)
    if kind == "audit":
        return audit(log, 0.2, runs=2, seed=1)
    if kind == "risk columns":
        return assess_risk(with_made_up_columns(log))
    if kind == "columns":
        original = with_lifecycles(with_made_up_columns(log))
        return compare(original, with_made_up_columns(original, seed=2))
    return compare(log, anonymize(log, 0.2, method=kind.removeprefix("compare "), seed=1))


KINDS = ("risk", "compare amun", "compare twin", "columns", "risk columns", "sweep", "audit")


def data_of(page: str) -> dict:
    text = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert text is not None
    return json.loads(text[1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_says_that_it_is_private_and_needs_nothing_from_outside(kind: str) -> None:
    page = render(page_of(found(kind, synthesize(cases=200))))
    assert page.count("PRIVATE, DO NOT PUBLISH") >= 3  # title, face and foot
    assert not re.search(r"<(script|link|img|iframe)[^>]*\b(src|href)=", page)
    assert not re.search(r"@import|url\(", page.split("<script", 1)[0])
    assert len(page) < MOST_BYTES


@pytest.mark.parametrize("kind", KINDS)
def test_every_plot_has_one_sentence_over_it(kind: str) -> None:
    page = page_of(found(kind, synthesize(cases=200)))
    assert page.verdict
    assert 2 <= len(page.cards) <= 6
    for section in page.sections:
        assert section.sentence.rstrip(")").endswith(".")
        assert section.figure or section.rows or section.graph or section.matrices


@pytest.mark.parametrize("kind", KINDS)
def test_small_and_odd_logs_have_reports_too(kind: str) -> None:
    for log in (log_of_paths("A"), log_of_paths("AB"), paper_log(), log_of([("AB", [0, 10**13])] * 3)):
        data_of(render(page_of(found(kind, log))))


def test_the_name_of_a_report_says_private(tmp_path: Path) -> None:
    assert private_name("risk.html") == "risk.PRIVATE.html"
    assert private_name("folder/report") == "folder/report.PRIVATE.html"
    assert private_name("Private risk.html") == "Private risk.html"
    written = write_report(assess_risk(paper_log()), tmp_path / "risk.html")
    assert written == str(tmp_path / "risk.PRIVATE.html")
    assert [path.name for path in tmp_path.iterdir()] == ["risk.PRIVATE.html"]
    with pytest.raises(OutputError, match="exists"):
        write_report(assess_risk(paper_log()), tmp_path / "risk.html")


def test_the_figures_in_the_page_are_those_of_the_result() -> None:
    log = paper_log()
    result = compare(log, log)
    data = data_of(render(page_of(result)))
    edges = {(edge["source"], edge["target"]): edge for edge in data["graph"]["edges"]}
    assert edges["A", "B"]["before"] == 3
    assert edges["A", "B"]["hours_before"] == pytest.approx(95 / 180)
    assert data["figures"]["case-durations"]["data"][0]["x"][-1] == pytest.approx(8.75)


def test_each_kept_column_has_its_sections() -> None:
    page = page_of(found("columns", synthesize(cases=100)))
    headings = [section.heading for section in page.sections]
    assert headings[8:-1] == [
        "role by activity", "Handovers of role", "cost by activity", "case:channel of cases",
        "case:channel by how the case ended", "age of cases", "age by how the case ended", "case:amount of cases",
        "case:amount by how the case ended", "How long work takes, from start to complete",
    ]  # fmt: skip
    assert len({section.name for section in page.sections}) == len(page.sections)
    for section in page.sections:
        for matrix in section.matrices:
            assert (len(matrix.cells), len(matrix.cells[0])) == (len(matrix.rows), len(matrix.columns))


def test_matrices_show_shares_before_and_after() -> None:
    log = log_of([("AB", [0, HOUR])] * 4)
    original = with_cells(log, role=["x", "y"] * 3 + ["x", "x"], age=[9, 10, 100, None])
    page = page_of(compare(original, with_cells(log, role=["x", "y"] * 4, age=[9, 10, 100, 100])))
    (before, after), (rows, *_), ages = (
        section.matrices
        for section in page.sections
        if section.heading in ("role by activity", "Handovers of role", "age by how the case ended")
    )
    assert (before.caption, before.rows, before.columns) == ("before", ("A", "B"), ("x", "y"))
    assert [[cell.text for cell in row] for row in before.cells] == [["100", ""], ["25", "75"]]
    assert [[cell.text for cell in row] for row in after.cells] == [["100", ""], ["", "100"]]
    assert [[cell.level for cell in row] for row in before.cells] == [[10, 0], [3, 8]]
    assert rows.rows == ("x",)
    assert ages[0].columns == ("9", "10", "100", "(no value)")  # by size, not by how they are written
    text = render(page)
    assert '<td class="level-8">75</td>' in text


def test_columns_that_cannot_be_compared_are_said() -> None:
    log = with_cells(log_of([("AB", [0, HOUR])] * 4), role=["x", "y"] * 4)
    page = page_of(compare(log, log.with_columns([])))
    assert page.verdict.endswith("role is not compared: the release does not have it.")
    assert ("not compared", "role: the release does not have it") in page.sections[-1].rows


HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">{{ 7 * 7 }}'


def hostile_log() -> EventLog:
    return log_of([(["A", HOSTILE, "B"], [i * HOUR, (i + 1) * HOUR, (i + 3) * HOUR]) for i in range(30)])


# ------------------------------------------------------------------------------------------- in a browser


@pytest.fixture(scope="module")
def launched() -> Iterator[object]:
    with browser() as each:
        yield each


def opened(launched, page: str, folder: Path, width: int, scheme: str = "light") -> Watched:
    path = folder / "report.PRIVATE.html"
    path.write_text(page, encoding="utf-8")
    watched = Watched(launched, width, scheme=scheme)
    watched.page.goto(path.as_uri())
    watched.page.wait_for_selector("html[data-ready=yes]", timeout=20_000)
    return watched


def assert_fine(watched: Watched) -> None:
    """No complaint, nothing asked for, all plots drawn, nothing sticks out, and the answer on the first screen."""
    page = watched.page
    assert watched.complaints == []
    assert [url for url in watched.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert page.locator(".plot").count() == page.locator(".plot svg.main-svg:first-child").count()
    assert not watched.overflows()
    for part in (".private", "h1", ".verdict"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900
    assert "PRIVATE, DO NOT PUBLISH" in page.locator(".private").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("kind", KINDS)
def test_reports_in_a_browser(launched, kind: str, width: int, scheme: str, tmp_path: Path) -> None:
    page = render(page_of(found(kind, synthesize(cases=300))))
    assert_fine(opened(launched, page, tmp_path, width, scheme))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:-1])  # an audit has many releases to make, and looks the same for every log
@pytest.mark.parametrize("name", ["Sepsis", "BPIC15_1", "Traffic_fines"])
def test_reports_of_real_logs(launched, name: str, kind: str, tmp_path: Path) -> None:
    log = real_log(name)
    log.variants  # noqa: B018 - part of the read
    begin = time.perf_counter()
    page = render(page_of(found(kind, log)))
    seconds = time.perf_counter() - begin
    assert len(page.encode()) < MOST_BYTES
    slower = 3 if "PYTEST_XDIST_WORKER" in os.environ else 1  # other tests want the cores at the same time
    assert seconds < slower * (5 if name == "Sepsis" else 20)
    for width in (1280, 400):
        assert_fine(opened(launched, page, tmp_path, width))


def test_the_graph_shows_more_or_less_and_says_how_much(launched, tmp_path: Path) -> None:
    page = render(page_of(found("compare twin", synthesize(cases=400))))
    watched = opened(launched, page, tmp_path, 1280)
    said = watched.page.locator("#graph-said")
    edges = watched.page.locator("#graph-before .edge")
    first, few = said.inner_text(), edges.count()
    assert re.fullmatch(
        r"Shown: \d+ of \d+ activities and \d+ of \d+ edges, which hold \d+% of all steps of the original\.", first
    )
    assert watched.page.locator("#graph-after .edge").count() == few
    watched.page.locator("#graph-share").fill("100")
    watched.page.locator("#graph-share").dispatch_event("change")
    assert edges.count() > few
    assert "which hold 100%" in said.inner_text()
    counts = watched.page.locator("#graph-before text.label").all_text_contents()
    watched.page.locator("input[name=graph-label][value=hours]").check()
    times = watched.page.locator("#graph-before text.label").all_text_contents()
    assert counts != times
    assert any(text.endswith((" h", " min", " d")) for text in times)
    assert watched.complaints == []


def test_activities_may_have_names_that_mean_something_to_a_program(launched, tmp_path: Path) -> None:
    path = ["constructor", "__proto__", "toString", "start of case"]
    log = log_of([(path, [i * HOUR + j * HOUR for j in range(4)]) for i in range(30)])
    watched = opened(launched, render(page_of(compare(log, log))), tmp_path, 1280)
    assert watched.complaints == []
    shown = watched.page.locator("#graph-before .node > text").all_text_contents()
    assert sorted(shown) == sorted([*path, "start of case", "end of case"])


@pytest.mark.parametrize("kind", KINDS)
def test_labels_are_shown_as_text_whatever_they_hold(launched, kind: str, tmp_path: Path) -> None:
    page = render(page_of(found(kind, hostile_log())))
    watched = opened(launched, page, tmp_path, 1280)
    assert watched.page.evaluate("window.hacked") is None
    assert watched.complaints == []
    assert watched.page.locator(".plot a, .plot img").count() == 0
    if kind not in ("sweep", "audit"):  # which show no labels
        for details in watched.page.locator("details").all():
            details.locator("summary").click()
        assert HOSTILE in " ".join(watched.page.locator("td").all_inner_texts())


def test_names_and_values_of_columns_are_shown_as_text_whatever_they_hold(launched, tmp_path: Path) -> None:
    log = with_made_up_columns(log_of([("AB", [i * HOUR, i * HOUR]) for i in range(30)]), hostile=HOSTILE)
    for result in (compare(log, log), assess_risk(log)):
        watched = opened(launched, render(page_of(result)), tmp_path, 1280)
        assert watched.page.evaluate("window.hacked") is None
        assert watched.complaints == []
        assert HOSTILE in watched.page.locator("main").text_content()  # also in tables that are folded away


def test_types_are_exported() -> None:
    assert isinstance(assess_risk(paper_log()), Risk)
    assert isinstance(compare(paper_log(), paper_log()), Comparison)
    assert isinstance(sweep(paper_log(), [0.2], ["twin"], runs=1), Sweep)
