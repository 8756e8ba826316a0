"""Verdicts, and the limits that follow from guarantees."""

from __future__ import annotations

import pytest

from unsingle.auditor.attacks import linkage, noise, order, path, unusual_time
from unsingle.auditor.base import ATTACKS, Attack, Guesses, Limit, Tried
from unsingle.auditor.distinguishing import Distinguishing
from unsingle.auditor.findings import BEYOND, BROKEN, HOLDS, NOT_TESTED, UNDECIDED, Audit, Finding, finding
from unsingle.methods import METHODS, Method, chosen, ladder

PROMISED = Limit(0.2, promised=True)


def judged(right: int, guesses: int, attack: Attack = path.FREQUENT_PATH, limit: Limit = PROMISED) -> Finding:
    runs = [Tried(right / guesses, 0.5, 1)] * guesses
    return finding(attack, Guesses(runs), limit, at_once=20)


def limits(method: Method) -> dict[str, Limit]:
    guarantee = method.guarantee()
    return {name: attack.limit(guarantee, method.delta) for name, attack in ATTACKS.items()}


def test_verdicts() -> None:
    assert judged(700, 1000).verdict == HOLDS
    assert judged(780, 1000).verdict == BROKEN
    assert judged(20, 30).verdict == UNDECIDED
    assert judged(780, 1000, limit=Limit(0.2, promised=False)).verdict == BEYOND
    assert finding(linkage.START, Guesses([]), PROMISED, 20).verdict == NOT_TESTED


def test_exact_likelihoods_that_gain_too_much_are_broken() -> None:
    runs = [Tried(1, 1, 2)] * 20
    assert finding(noise.FREQUENT_PATH, Guesses(runs, [0.25, 0.26] * 20), PROMISED, 20).verdict == BROKEN
    assert finding(noise.FREQUENT_PATH, Guesses(runs, [0.1, 0.12] * 20), PROMISED, 20).verdict != BROKEN


def test_an_excess_of_a_twentieth_is_shown_by_a_thousand_runs() -> None:
    """2,000 guesses of which 75 of 100 are right, where 70 are allowed."""
    assert judged(1500, 2000).verdict == BROKEN


def test_an_attack_that_counts_either_way_must_be_surer() -> None:
    """Of 1,000 guesses, 529 are too many right ones, but not if as many wrong ones would have counted too."""
    runs = [Tried(529 / 1000, 0.5, 1)] * 1000
    attacks = (path.ONE_STEP, order.ORDER)
    one, other = (finding(each, Guesses(runs), Limit(0.0, promised=True), at_once=1) for each in attacks)
    assert (one.verdict, other.verdict) == (BROKEN, UNDECIDED)
    assert order.ORDER.judge([Tried(0, 50, 100)]).tried == [(100, 50, 100)]


@pytest.mark.parametrize("method", [name for name in METHODS if METHODS[name]().guarantee().promises])
@pytest.mark.parametrize("delta", [0.2, 0.4])
def test_limits_are_those_of_the_guarantees(method: str, delta: float) -> None:
    """A yes/no guess about one person may gain no more than is promised; any other guess twice that."""
    made = chosen(method, delta=delta)
    most = max(promise.gain for promise in made.guarantee().promises)
    found = limits(made)
    for name, (allowed, promised) in found.items():
        yes_no = isinstance(ATTACKS[name], Distinguishing | noise.Likelihood) and name != unusual_time.WHO.name
        assert not promised or allowed <= most * (1 if yes_no else 2) + 1e-9, name
    assert found[path.LONE_PATH.name].promised == (made.has_budget and not made.keeps_variants)
    assert found[noise.AS_STATED.name] == ((0, True) if made.has_budget else (delta, False))
    assert found[order.ORDER.name] == (0, True)


def test_what_twin_allows_is_what_its_documentation_says() -> None:
    found = limits(chosen("twin", delta=0.2))
    names = ("which path", "frequent path", "unusual time, rest known", "which path, by counts, noised figures")
    assert [round(found[name].allowed, 3) for name in names] == [0.2, 0.147, 0.16, 0.111]
    assert "twin" in ladder()


def test_as_published_nothing_is_promised() -> None:
    assert not any(each.promised for each in limits(chosen("as-published")).values())


def test_a_notebook_shows_the_verdict_first() -> None:
    page = Audit("twin", 0.2, 10, (judged(700, 1000),))._repr_html_()
    assert page.index("HOLDS: all 1 attacks") < page.index("DO NOT PUBLISH") < page.index("frequent path")
