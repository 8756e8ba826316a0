"""Does the method keep what it promises? What each attack gained."""

from __future__ import annotations

import math

from ...auditor.findings import BEYOND, BROKEN, GIVEN, HOLDS, NOT_TESTED, UNDECIDED, WITHIN, Audit, Finding
from ..figures import label_text
from ..render import Advice, Card, Figure, Page, Section
from .base import page_of

_MEANING = {
    HOLDS: "attacks stayed within what is promised (or surely less than 0.05 above it)",
    BROKEN: "attacks gained more than is promised",
    BEYOND: "attacks gained more than delta, where nothing is promised",
    WITHIN: "attacks stayed within delta, although nothing is promised",
    UNDECIDED: "attacks need more runs to be decided",
    NOT_TESTED: "attacks could not be tried on this log",
}


@page_of.register
def audit_page(found: Audit) -> Page:
    """Answer whether a release can be attacked."""
    about = "a given release" if found.method == GIVEN else f"{found.method} at delta {found.delta:g}"
    counted = {verdict: sum(each.verdict == verdict for each in found.findings) for verdict in _MEANING}
    tested = [each for each in found.findings if each.guesses]
    sections = (
        Section(
            "gains",
            "What each attack gained",
            "How much more often an attacker was right than by chance: the gain (dot), its 95% bounds (bar) and what "
            "is allowed (mark). A promise is called broken only if that is sure for all attacks together.",
            _gains(tested) if tested else None,
        ),
        Section(
            "questions",
            "What was tried",
            "Each attack asks one question. Delta stands in brackets where nothing is promised about it. Where the "
            "likelihood of what the attacker sees is known exactly, the gain computed from it is given too, with its "
            "upper 95% bound.",
            columns=("attack", "verdict", "gain", "95% bounds", "exactly", "allowed", "right", "by chance", "guesses"),
            rows=tuple(_row(each) for each in found.findings),
        ),
    )
    return Page(
        title=f"Can it be attacked? {about}",
        verdict=found.verdict,
        cards=tuple(Card(f"{n}", _MEANING[verdict]) for verdict, n in counted.items() if n),
        sections=sections,
        advice=_advice(found),
    )


def _gains(findings: list[Finding]) -> Figure:
    """A dot with its bounds for each attack, and a mark at what is allowed."""
    shown = findings[::-1]
    names = [label_text(each.attack) for each in shown]
    kinds = (("allowed", True, "line-ns-open"), ("delta, nothing promised", False, "diamond-tall-open"))
    marks = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [each.allowed for each in shown if each.promised == is_promised],
            "y": [label_text(each.attack) for each in shown if each.promised == is_promised],
            "marker": {"symbol": symbol, "size": 16, "line": {"width": 3}},
            "hovertemplate": f"%{{y}}: %{{x:.3f}}<extra>{name}</extra>",
        }
        for name, is_promised, symbol in kinds
    ]
    gains = {
        "type": "scatter", "mode": "markers", "name": "gain", "x": [each.gain for each in shown], "y": names,
        "error_x": {"type": "data", "symmetric": False, "array": [each.high - each.gain for each in shown],
                    "arrayminus": [each.gain - each.low for each in shown]},
        "marker": {"size": 8}, "hovertemplate": "%{y}: %{x:.3f}<extra>gain</extra>",
    }  # fmt: skip
    return {
        "data": [gains, *(mark for mark in marks if mark["x"])],
        "layout": {
            "height": 120 + 24 * len(names),
            "xaxis": {"title": "gain over chance", "zeroline": True},
            "yaxis": {"type": "category", "ticks": "", "categoryorder": "array", "categoryarray": names},
            "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        },
    }


def _row(each: Finding) -> tuple[str, ...]:
    name = f"{each.attack}: {each.question}"
    if not each.guesses:
        return (name, each.loudly, *["–"] * 7)
    return (
        name,
        each.loudly,
        f"{each.gain:+.3f}",
        f"{each.low:+.3f} to {each.high:+.3f}",
        "–" if math.isnan(each.exact_gain) else f"{each.exact_gain:+.3f}, at most {each.exact_high:+.3f}",
        f"{each.allowed:.3f}" if each.promised else f"({each.allowed:.3f})",
        f"{each.right:.3f}",
        f"{each.by_chance:.3f}",
        f"{each.guesses:,}",
    )


def _advice(found: Audit) -> tuple[Advice, ...]:
    if found.provenance:
        return (Advice(found.provenance),)
    if any(each.verdict == UNDECIDED for each in found.findings) and found.runs > 1:
        more = f"unsingle audit LOG --method {found.method} --delta {found.delta:g} --runs {max(1000, 5 * found.runs)}"
        return (Advice("More runs make the bounds narrower.", more),)
    return ()
