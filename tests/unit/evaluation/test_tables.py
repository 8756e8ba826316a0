"""Results in a notebook, and as text."""

from __future__ import annotations

import html

import pytest

from support.helpers import log_of, paper_log
from unsingle import anonymize, assess_risk, audit, compare, sweep
from unsingle.evaluation.tables import Tabular

HOSTILE = "<script>alert(1)</script>"


def results() -> list[Tabular]:
    log = paper_log()
    return [
        assess_risk(log),
        compare(log, anonymize(log, seed=1)),
        sweep(log, [0.2], ["twin", "amun"], runs=1, seed=1),
        audit(log, runs=2, seed=1),
    ]


@pytest.mark.parametrize("number", range(4))
def test_a_notebook_shows_the_verdict_first(number: int) -> None:
    found = results()[number]
    shown = found._repr_html_()
    assert shown.startswith(f"<p><strong>{html.escape(found.verdict)}</strong></p>\n<p>PRIVATE, DO NOT PUBLISH</p>")
    face, details = shown.split("<details>")
    assert 1 <= face.count("<tr>") <= 8
    assert details.count("<table>") >= 1
    assert "open" not in details.split(">")[0]


def test_labels_and_names_are_text_in_a_notebook() -> None:
    log = log_of([([HOSTILE, "B"], [0, 5])])
    for found in (assess_risk(log), compare(log, log)):
        assert HOSTILE not in found._repr_html_()
        assert html.escape(HOSTILE) in found._repr_html_()


def test_a_guarantee_shows_promises_limits_and_what_is_not_protected() -> None:
    guarantee = anonymize(paper_log(), seed=1).guarantee
    face, details = guarantee._repr_html_().split("<details>")
    assert face.startswith(f"<p><strong>{html.escape(guarantee.statement)}")
    assert html.escape(guarantee.limits) in face
    assert all(html.escape(sentence) in face for sentence in guarantee.not_protected)
    assert html.escape(guarantee.warnings[0]) in details
    assert "PRIVATE" not in face + details


def test_a_release_says_first_whether_it_may_be_published() -> None:
    log = paper_log()
    shown = anonymize(log)._repr_html_()
    assert shown.startswith("<p><strong>May be published.</strong></p>")
    assert shown.split("<details>")[0].count("<tr>") == 6
    assert "Made with a seed" in anonymize(log, seed=1)._repr_html_().split("</p>")[0]
