"""The statement of a release, and the private record."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from support.helpers import log_of_paths
from unsingle import anonymize, assess_risk, compare, read_log, synthesize
from unsingle.methods import METHODS
from unsingle.privacy.laws import Pair, composed
from unsingle.privacy.terms import same_paths
from unsingle.records.facts import ReleaseFacts
from unsingle.records.made import made_as
from unsingle.report.record import BLANKS, OriginalFile, file_digest, record_html, record_of
from unsingle.report.statement import statement_html, statement_of

PUBLISHABLE = [name for name, method in METHODS.items() if method().guarantee().publishable]


@pytest.fixture(scope="module")
def log():  # type: ignore[no-untyped-def]
    return synthesize(300, seed=4)


def facts_of(method: str, delta: float = 0.2, **parameters: int) -> ReleaseFacts:
    made = METHODS[method](delta=delta, **parameters)
    return ReleaseFacts.of(made, made.guarantee(), None, None, day="2026-01-01")


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", "", html, flags=re.S)).split())


@pytest.mark.parametrize("method", PUBLISHABLE)
def test_every_method_answers_the_five_questions_and_the_three_criteria(method: str) -> None:
    said = statement_of(facts_of(method))
    assert [answer.question for answer in said.answers] == [
        "Who is protected?",
        "Against whom?",
        "How much?",
        "Who or what is not protected?",
        "What may the data be used for?",
    ]
    assert all(text and text.endswith(".") for answer in said.answers for text in answer.paragraphs)
    assert [each.name for each in said.criteria] == ["Singling out", "Linkability", "Inference"]


def test_how_much_is_said_in_100_guesses_and_how_often_the_average_fails() -> None:
    guess, luck, more = statement_of(facts_of("twin", 0.1)).answers[2].paragraphs
    assert "right 50 times in 100 by guessing is right at most 60 times in 100" in guess
    assert "1 in 100 likely before seems at most 11 in 100 likely after" in guess
    assert "a single unlucky draw can reveal more" in luck
    assert "For one given person and question, an even guess becomes 90 % sure in at most 0.01 % of releases." in luck
    assert (
        "among three equally likely answers, the chance of a right guess can rise by up to 14 percentage points."
        in more
    )
    every = statement_of(facts_of("strict")).answers[2].paragraphs[1]
    assert "This is an average over the random noise" in every  # it is for any question
    assert "For whether somebody is in the original data at all, the promise holds whatever comes out, but in" in every


def believed_after(pair: Pair, before: float) -> float:
    """The most that a true fact is believed on average after a release: an upper sum of the chance of each belief."""
    beliefs = [before ** (1 - i / 20) for i in range(21)]
    chances = [min(1.0, pair.chance_of_odds(max(low / (1 - low) * (1 - before) / before, 1))) for low in beliefs[:-1]]
    return beliefs[0] + sum((high - low) * each for (low, high), each in zip(pairwise(beliefs), chances, strict=True))


@pytest.mark.parametrize("method", ["twin", "twin-crowds", "strict"])
@pytest.mark.parametrize("delta", [0.1, 0.25])
def test_what_is_said_of_a_rare_fact_holds(method: str, delta: float) -> None:
    made = METHODS[method](delta=delta)
    said = statement_of(facts_of(method, delta)).answers[2].paragraphs[0]
    assert f"at most {1 + 100 * delta:g} in 100 likely after" in said
    terms = made.terms  # type: ignore[attr-defined]
    for spent in [each.all_spent() for each in terms.ways or (terms,)]:
        lone = () if terms.publishes_all_paths else (spent.lone_presence, spent.lone_exchange)
        for pair in (spent.presence, spent.exchange, *lone):
            assert 0.01 < believed_after(composed([pair, terms.choice]), 0.01) <= 0.01 + delta


def test_what_is_said_of_a_rare_fact_holds_of_several_releases_together() -> None:
    once = same_paths(0.1).all_spent().exchange
    for releases in (2, 3, 5):
        together = composed([once] * releases)
        assert believed_after(together, 0.01) <= 0.01 + together.gain


def test_nothing_is_said_of_rare_facts_where_the_sum_would_not_hold() -> None:
    assert "rare fact" not in statement_of(facts_of("twin", 0.45)).answers[2].paragraphs[0]
    assert believed_after(same_paths(0.45).all_spent().exchange, 0.01) > 0.46


@pytest.mark.parametrize("delta", [0.01, 0.2, 0.6])
def test_what_is_said_of_any_question_holds_on_average_where_each_outcome_is_bounded_for_presence(delta: float) -> None:
    presence, exchange = METHODS["strict"](delta=delta).guarantee().promises
    assert exchange.sense == "averaged over the noise"
    assert exchange.gain <= presence.gain == delta


def test_with_releases_before_it_questions_are_those_asked_before_the_first() -> None:
    facts = replace(facts_of("twin", 0.1), releases=2, delta_together=0.14)
    said = statement_of(facts).answers[2].paragraphs[0]
    assert "decided on before seeing the first of these logs" in said
    assert "at most 64 times in 100 with this log and the release of the same people before it" in said


def test_a_weak_delta_is_called_weak() -> None:
    assert "weak protection" not in " ".join(statement_of(facts_of("twin", 0.25)).answers[2].paragraphs)
    assert "weak protection" in " ".join(statement_of(facts_of("twin", 0.3)).answers[2].paragraphs)


def test_people_alone_on_their_path_are_an_exception_only_where_all_paths_are_kept() -> None:
    def all_of(method: str) -> str:
        return " ".join(text for answer in statement_of(facts_of(method)).answers for text in answer.paragraphs)

    assert "The most important one: a path that only one person took is published" in all_of("twin")
    assert "People whose path nobody else took: whoever knows enough" in all_of("twin")
    assert "Two or three people on one rare path" in all_of("twin")
    for method in ("twin-crowds", "strict"):
        assert "also people whose path through the process nobody else took" in all_of(method)
        assert "exception" not in all_of(method)
        assert "rare path" not in all_of(method)


def test_real_paths_are_not_said_to_be_made_up() -> None:
    assert "The paths themselves are real, including paths that only one person took." in facts_of("twin").cases
    for method in ("twin-crowds", "strict"):
        assert "no case was copied from a person" in facts_of(method).cases
    for method in PUBLISHABLE:
        text = text_of(statement_html(facts_of(method)))
        assert ("Every case is made up" in text) == (method in ("twin-crowds", "strict"))
        assert "none is the case of a person" not in text
    singled, linked, _ = statement_of(facts_of("twin", 0.1)).criteria
    assert "by at most 10 percentage points" in singled.answer
    assert "also reveals that this person is in the data" in singled.remains
    assert "can be linked to other data about that person" in linked.remains


def test_persons_with_several_cases_are_told_apart_from_cases() -> None:
    facts = facts_of("twin", cases_per_person=3)
    assert made_as(replace(facts, cases_per_person=3)).settings()["cases_per_person"] == 3  # type: ignore[union-attr]
    said = statement_of(replace(facts, cases_per_person=3))
    assert "with up to 3 cases each" in said.answers[0].paragraphs[0]
    assert "People with more than 3 cases are protected less than others." in said.answers[3].paragraphs
    plain = statement_of(replace(facts_of("twin"), cases_per_person=1))  # as facts have it where nothing was said
    assert (
        "People with several cases: each case is protected by itself, but all of them together less."
        in plain.answers[3].paragraphs
    )


def test_the_noise_of_counts_is_that_of_the_budget() -> None:
    ratio = float(same_paths(0.2).ratio)
    noise = round((2 * ratio) ** 0.5 / (1 - ratio))
    assert f"was typically off by about {noise} (standard deviation)" in " ".join(
        statement_of(facts_of("twin")).corrections
    )


def test_a_method_that_is_not_known_here_is_quoted_word_for_word() -> None:
    foreign = replace(facts_of("twin"), method="of-tomorrow", guarantee="Nobody learns anything.")
    said = statement_of(foreign)
    assert "Nobody learns anything." in said.answers[0].paragraphs[0]
    assert "Nobody learns anything." in text_of(statement_html(foreign))


def test_the_page_says_all_that_the_field_asks_and_nothing_private(log) -> None:  # type: ignore[no-untyped-def]
    release = anonymize(log, 0.2)
    page = text_of(statement_html(release.facts))
    for word in (
        "Recital 26",
        "recital 26",
        "WP 216",
        "Singling out",
        "Linkability",
        "Inference",
        "identifiable",
        "cite",
    ):
        assert word.lower() in page.lower()
    assert str(release.facts.digest) in page
    assert "PRIVATE" not in page
    assert f"{log.n_cases:,} cases" not in page
    assert "NOT FOR PUBLICATION" not in page
    assert "NOT FOR PUBLICATION" in text_of(statement_html(anonymize(log, 0.2, seed=1).facts))


def test_it_is_made_of_what_the_release_says_of_itself_alone(log, tmp_path) -> None:  # type: ignore[no-untyped-def]
    from unsingle.records.facts import read_release

    release = anonymize(log, 0.2)
    release.write(tmp_path / "release.csv")
    again = read_release(tmp_path / "release.csv").facts
    assert again is not None
    assert statement_html(again) == statement_html(release.facts)


def test_labels_and_names_cannot_break_the_pages(log, tmp_path) -> None:  # type: ignore[no-untyped-def]
    hostile = log_of_paths(*["<b>"] * 60)
    release = anonymize(hostile, 0.2)
    record = record_of(
        release.facts, OriginalFile.of(hostile, "<script>x.csv"), "<u>", compare(hostile, release),
        remarks=("<i>",), command="unsingle <b>",
    )  # fmt: skip
    page = record_html(record.plain(), {"purpose": "<script>alert(1)</script>"})
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_a_record_has_all_that_is_signed(log, tmp_path) -> None:  # type: ignore[no-untyped-def]
    from unsingle import write_log

    write_log(log, tmp_path / "patients.csv")
    original = read_log(tmp_path / "patients.csv")
    release = anonymize(original, 0.1)
    risk, comparison = assess_risk(original), compare(original, release)
    record = record_of(
        release.facts, OriginalFile.of(original, "patients.csv", tmp_path / "patients.csv"), risk.verdict, comparison,
        remarks=("7 people are alone.",), command="unsingle anonymize patients.csv",
    )  # fmt: skip
    page = text_of(record_html(record.plain(), {"recipient": "Ms Doe", "decision": "restricted"}))
    for said in (
        "PRIVATE, DO NOT PUBLISH", "patients.csv", file_digest(tmp_path / "patients.csv"), "case: case", risk.verdict,
        comparison.risk_after, comparison.verdict, "7 people are alone.", "unsingle anonymize patients.csv",
        str(release.facts.digest), "Ms Doe", "× give it to the recipient only", "signature", "Not tried.",
        *(blank.label for blank in BLANKS),
    ):  # fmt: skip
        assert " ".join(said.split()) in page.replace("&#39;", "'"), said
    assert page.count("×") == 1
