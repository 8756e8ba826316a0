"""A measure is one file: whatever is in the registry stands in sweeps, comparisons, tables and reports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.helpers import paper_log
from unsingle import EventLog, anonymize, compare, sweep
from unsingle.cli.text import comparison_text, sweep_text
from unsingle.evaluation.figures import measure
from unsingle.evaluation.measures import MEASURES, Context, Measure
from unsingle.report import page_of, render


class LongestCase(Measure[float]):
    """All that a file with a new measure needs."""

    name = "longest_case"
    title = "longest case"
    meaning = "Events of the longest released case for each of the longest original one."

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:  # noqa: ARG002
        longest = [max(map(len, log.variant_counts())) for log in (release, original)]
        return longest[0] / longest[1]


@pytest.fixture
def toy() -> Iterator[None]:
    MEASURES.add(LongestCase())
    yield
    del MEASURES._items[LongestCase.name]


def test_a_new_measure_shows_up_everywhere(toy: None) -> None:
    log = paper_log()
    found = sweep(log, [0.2], ["twin"], runs=2, seed=1)
    assert found.points[0].longest_case == 1
    assert found.to_polars("points")["longest_case"].to_list() == [1.0]
    assert "longest case" in sweep_text(found)
    assert '<th scope="col">longest case</th>' in render(page_of(found))
    compared = compare(log, log)
    assert compared.plain()["longest_case"] == 1
    assert "longest case" in comparison_text(compared)
    assert LongestCase.meaning in render(page_of(compared))
    assert "longest_case" not in measure(log, anonymize(log, seed=1)).to_dict()  # it did not say so


def test_a_measure_says_where_it_belongs(toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    log = paper_log()
    for place in ("in_sweep", "in_comparison"):
        monkeypatch.setattr(LongestCase, place, False)
    monkeypatch.setattr(LongestCase, "in_figures", True)
    assert "longest_case" not in sweep(log, [0.2], ["twin"], runs=1).points[0].to_dict()
    assert "longest_case" not in compare(log, log).to_dict()
    assert measure(log, anonymize(log, seed=1)).to_dict()["longest_case"] == 1


def test_every_measure_says_what_it_means() -> None:
    assert len(MEASURES) >= 11
    names = [number.name for each in MEASURES.values() for number in each.columns()]
    assert len(set(names)) == len(names)
    for each in MEASURES.values():
        assert each.meaning[0].isupper()
        assert each.meaning.endswith(".")
