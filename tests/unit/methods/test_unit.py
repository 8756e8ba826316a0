"""Persons as the unit of protection: what users may ask for, what they are told, and what stays."""

from __future__ import annotations

import numpy as np
import pytest

from support.helpers import log_of_paths
from support.worlds import with_persons
from unsingle import ParameterError, anonymize, synthesize
from unsingle.errors import as_option
from unsingle.mechanisms.cases import Cases, people_on_paths, persons_of
from unsingle.methods import METHODS
from unsingle.methods.strict import Strict
from unsingle.methods.synthetic import Synthetic
from unsingle.methods.twin import Twin, TwinCrowds

LADDER = [Twin, TwinCrowds, Strict]


def test_every_method_with_a_budget_protects_persons_and_no_other_does() -> None:
    offered = {name for name, method in METHODS.items() if "cases_per_person" in method.parameters()}
    assert offered == {name for name, method in METHODS.items() if method.has_budget}


@pytest.mark.parametrize("method", LADDER)
@pytest.mark.parametrize("wrong", [0, -1, 1001, 2.0, "2", True])
def test_a_number_of_cases_that_cannot_be_is_refused(method: type[Synthetic], wrong: object) -> None:
    with pytest.raises(ParameterError, match="cases_per_person= must be a whole number from 1 to 1000"):
        method(0.2, cases_per_person=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", LADDER)
def test_a_log_without_persons_is_refused_in_a_sentence_before_any_work(method: type[Synthetic]) -> None:
    with pytest.raises(ParameterError, match="needs a log that says whose each case is") as refused:
        anonymize(synthesize(50), method=method(0.2, cases_per_person=1))
    assert refused.value.arguments == ("cases_per_person", "person", "cases_per_person")
    assert "name that column with --person" in refused.value.in_words(as_option)


def test_a_delta_too_small_for_so_many_cases_is_refused() -> None:
    for method in LADDER:
        with pytest.raises(ParameterError, match="too small"):
            _ = method(0.0001, cases_per_person=1000).terms


@pytest.mark.parametrize("k", [None, 1, 4])
def test_persons_or_not_the_release_has_the_same_variants(k: int | None) -> None:
    log = synthesize(400, seed=2, several=0.2, cases_of_several=4)
    release = anonymize(log, 0.2, seed=1, cases_per_person=k)
    assert release.log.variant_counts().keys() == log.variant_counts().keys()
    assert release.log.columns == ()
    assert release.public()["budget"]["cases_per_person"] == (k or 1)


@pytest.mark.parametrize("method", LADDER)
def test_the_guarantee_names_its_unit(method: type[Synthetic]) -> None:
    cases, persons = method(0.2).guarantee(), method(0.2, cases_per_person=3).guarantee()
    assert cases.assumes[0].startswith("one case per person")
    assert "people with several cases" in cases.limits
    assert "one case per person" not in str(persons.assumes)
    assert "one person with up to 3 cases" in persons.statement
    assert "every case of all other people" in persons.statement
    assert "Covered less: people with more than 3 cases." in persons.limits
    assert any("a guess about someone with 6 can gain up to" in each for each in persons.not_protected)
    assert persons.promises[0].gain <= 0.2


@pytest.mark.parametrize("method", LADDER)
def test_more_cases_than_promised_gain_more_and_fewer_less(method: type[Synthetic]) -> None:
    terms = method(0.2, cases_per_person=3).terms
    gains = [terms.gain_of_person(cases) for cases in (1, 2, 3, 4, 10, 500)]
    assert gains == sorted(gains)
    assert gains[2] <= 0.2 + 1e-9
    assert gains[4] > 0.25
    assert gains[-1] <= 0.5


def test_paths_of_many_are_told_by_the_cases_that_one_person_may_have() -> None:
    assert [TwinCrowds(0.2, cases_per_person=k).terms.threshold for k in (None, 1, 2, 5)] == [26, 26, 53, 139]


def test_persons_are_told_apart_by_name_alone() -> None:
    log = with_persons(log_of_paths("AB", "AC", "AB", "AB"), ["x", None, "x", None])
    assert persons_of(log).tolist() == [0, 1, 0, 2]
    assert people_on_paths(log).tolist() == [2, 1]
    cases = Cases.of(log)
    assert cases.by_person
    assert cases.only(("A", "C")).person.tolist() == [0, 1, 0, 2]
    assert cases.only(("C",)).person.tolist() == [1]
    assert cases.only(("C",)).by_person
    assert not Cases.of(log_of_paths("AB")).by_person
    assert np.array_equal(Cases.of(log_of_paths("AB", "AC")).person, [0, 1])
