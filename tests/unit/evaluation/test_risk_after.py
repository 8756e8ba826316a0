"""How many people would be found in a release, beside a control group."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.helpers import log_of_paths, real_log_path
from unsingle import EventLog, anonymize, compare, read_log, synthesize
from unsingle.evaluation.risk import RiskAfter, risk_after
from unsingle.evaluation.risk.after import PeopleFound, joined
from unsingle.methods import chosen
from unsingle.methods.base import Outcome
from unsingle.methods.twin import Twin, TwinCrowds
from unsingle.privacy.random import Randomness
from unsingle.progress import Progress
from unsingle.records.facts import read_release
from unsingle.report import page_of


def row(after: RiskAfter, known: str) -> PeopleFound:
    return next(each for each in after.rows if each.known == known)


class Published(Twin):
    """Publishes the log as it is."""

    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:  # noqa: ARG002
        return Outcome(log)


class Nothing(Twin):
    """Publishes one made-up case, whatever the log is."""

    def release(self, log: EventLog, random: Randomness, progress: Progress) -> Outcome:  # noqa: ARG002
        return Outcome(log_of_paths("nothing"))


def test_a_log_that_is_published_as_it_is_finds_everybody_who_is_singled_out_in_it() -> None:
    after = risk_after(synthesize(400, seed=3), Published(0.2))
    assert after.people == 400
    times = row(after, "the whole path and all times")
    assert times.in_log == times.in_release == 1
    assert times.in_control == 0
    assert all(each.in_release >= each.in_control for each in after.rows)
    assert "gives people away to someone who knows" in after.verdict
    assert "100% of the people who are in it, and 0% of those who are not" in after.verdict


@pytest.mark.parametrize("method", [Nothing(0.2), TwinCrowds(0.2)])
def test_a_release_that_knows_nobody_finds_nobody(method: Twin) -> None:
    after = risk_after(synthesize(500, seed=2), method)
    assert not any(each.is_given_away for each in after.rows)
    assert after.verdict.startswith("Nobody is found because they are in the release")


def test_keeping_all_paths_gives_away_paths_and_no_times() -> None:
    after = risk_after(synthesize(1000, seed=1), Twin(0.2))
    path = row(after, "the whole path")
    assert path.is_given_away
    assert path.in_control == 0  # a path that one person took is not among those of others
    for known in ("the day it began", "how long it took, to the hour", "2 events picked at random, with their days"):
        assert not row(after, known).is_given_away


def test_shares_are_of_people_who_are_singled_out_in_the_whole_log() -> None:
    """Forty people on ten paths, so nobody is singled out by the path, and one more who is."""
    paths = [f"{'ABCDEFGHIJ'[i % 10]}Z" for i in range(40)] + ["XYZ"]
    after = risk_after(log_of_paths(*paths), Published(0.2))
    found = row(after, "the whole path")
    assert found.in_log == pytest.approx(1 / 41)
    assert found.in_release * 21 + found.in_control * 20 in (0, 1)  # found only if that one is in the half


def test_what_cannot_be_tried_says_why() -> None:
    few = risk_after(synthesize(20), Twin(0.2))
    assert few.rows == ()
    assert (
        few.verdict
        == "Risk after release was not tried: there are 20 people, and halves of fewer than 40 differ by chance."
    )
    thin = log_of_paths(*(f"{chr(200 + i)}" for i in range(50)))
    assert "too small for a release by this method" in risk_after(thin, chosen("strict")).verdict


def test_logs_are_joined_by_the_names_of_their_activities() -> None:
    first, second = log_of_paths("AB", "B"), log_of_paths("CB")
    both = joined(first, second)
    assert list(both.activity_names()) == ["A", "B", "B", "C", "B"]
    assert np.array_equal(both.case_offsets, [0, 2, 3, 5])


def test_a_comparison_has_it_where_it_is_known_how_the_release_was_made() -> None:
    log = synthesize(300, seed=5)
    release = anonymize(log, 0.2)
    comparison = compare(log, release)
    assert len(comparison.people_found) == 17
    assert comparison.risk_after in next(s.sentence for s in page_of(comparison).sections if s.name == "people-found")
    assert comparison.plain()["people_found"][0]["known"] == "the whole path"
    plain = compare(log, release.log)
    assert (plain.risk_after, plain.people_found) == ("", ())
    assert "people-found" not in [section.name for section in page_of(plain).sections]


def test_it_is_repeatable() -> None:
    log = synthesize(300, seed=5)
    assert risk_after(log, Twin(0.2)) == risk_after(log, Twin(0.2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "given_away"),
    [
        ("twin", {"the whole path", "the last 5 activities", "the first 5 activities"}),
        ("twin-crowds", set()),
        ("strict", set()),
    ],
)
def test_sepsis_as_measured(method: str, given_away: set[str]) -> None:
    log: EventLog = read_log(real_log_path("Sepsis"))
    after = risk_after(log, chosen(method))
    assert {each.known for each in after.rows if each.is_given_away} == given_away


@pytest.mark.slow
def test_true_start_times_are_noticed() -> None:
    after = risk_after(read_log(real_log_path("Sepsis")), chosen("as-published"))
    assert row(after, "the day it began").is_given_away
    assert row(after, "the whole path and the day it began").in_release > 0.9


def test_a_release_in_a_file_that_says_how_it_was_made_is_tried_too(tmp_path: Path) -> None:
    log = synthesize(300, seed=5)
    anonymize(log, 0.2).write(tmp_path / "release.csv")
    made = read_release(tmp_path / "release.csv")
    assert len(compare(log, made.log, made.provenance).people_found) == 17
    altered = made.provenance._replace(fits=False)
    assert compare(log, made.log, altered).people_found == ()
