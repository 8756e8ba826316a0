"""The display of results in notebooks."""

from __future__ import annotations

from unsingle.core.html import MOST_FIGURES, PRIVATE, display


def test_everything_is_escaped() -> None:
    bad = "<b>&"
    shown = display(bad, [(bad, bad)], {bad: [{bad: bad}], "list": [bad]})
    assert "<b>" not in shown
    assert shown.count("&lt;b&gt;&amp;") == 7


def test_few_figures_stand_on_its_face_and_private_unless_it_is_public() -> None:
    shown = display("Yes.", [(str(i), i) for i in range(20)])
    assert shown.count("<tr>") == MOST_FIGURES
    assert PRIVATE in shown
    assert "<details>" not in shown
    assert PRIVATE not in display("Yes.", private=False)


def test_long_tables_say_how_much_is_left_out() -> None:
    assert "<p>5 more rows</p>" in display("Yes.", details={"t": [{"n": i} for i in range(25)]})
    assert "<ul><li>one</li></ul>" in display("Yes.", details={"t": ["one"], "empty": []})
