"""What the publisher of a release is told of it."""

from __future__ import annotations

from dataclasses import replace

from support.helpers import log_of_paths
from support.worlds import with_persons
from unsingle import anonymize, synthesize
from unsingle.evaluation.figures import measure
from unsingle.evaluation.remarks import people_alone, people_with_more, remarks, times_lost
from unsingle.evaluation.wasserstein import Distance
from unsingle.methods import METHODS


def test_what_is_said_of_people_alone_is_true_of_each_method() -> None:
    log = synthesize(cases=600, seed=2)
    alone = sum(cases == 1 for cases in log.variant_counts().values())
    for name, method in METHODS.items():
        release = anonymize(log, 0.3, method=name, seed=1)
        said = people_alone(release, measure(log, release))
        if method.keeps_variants:
            assert said.startswith(f"The paths of {alone} of 600 people, which nobody else took, are published")
            assert said.endswith("Their times are protected.") == (release.budget is not None)
        elif release.budget is not None:
            assert "are withheld; on average" in said
        else:
            assert said == ""
    crowd = log_of_paths(*["AB"] * 30)
    release = anonymize(crowd, 0.3)
    assert people_alone(release, measure(crowd, release)) == ""


def test_lost_times_are_told_in_words() -> None:
    assert times_lost(Distance(1.0, 0.5)) == times_lost(Distance(float("nan"), float("nan"))) == ""
    assert times_lost(Distance(1.0, 0.51)) == (
        "Times are lost: a duration is off by 51% of the mean. Do not use this release for how long anything takes."
    )


def test_remarks_are_those_that_are_true() -> None:
    log = synthesize(cases=100, seed=2)
    release = anonymize(log, 0.2, seed=1)
    figures = measure(log, release)
    alone, lost = people_alone(release, figures), times_lost(figures.time_distance)
    assert alone
    assert remarks(release, figures) == tuple(sentence for sentence in (alone, lost) if sentence)


def test_people_with_more_cases_than_the_release_is_made_for_are_told_of() -> None:
    log = synthesize(cases=300, seed=2, several=0.1)
    release = anonymize(log, 0.2, seed=1)
    figures = measure(log, release)
    said = people_with_more(figures)
    assert said == (
        "21 of 216 people have more than 1 case and are promised less: a guess about someone with 5 gains up to 0.44. "
        "Up to 5 cases per person would cover everybody; counts of paths would then be off by some 16 cases in place "
        "of 3."
    )
    assert said in remarks(release, figures)
    assert figures.to_dict()["persons"]["with_more"] == 21
    covered = measure(log, anonymize(log, 0.2, seed=1, cases_per_person=5))
    assert people_with_more(covered) == ""
    without = replace(log, columns=())
    assert measure(without, anonymize(without, 0.2, seed=1)).persons is None


def test_people_are_alone_on_a_path_that_they_take_several_times() -> None:
    log = with_persons(log_of_paths("AB", "AB", "AC", "AC", "AD", "AE"), ["x", "x", "x", "y", "z", "z"])
    figures = measure(log, anonymize(log, 0.2, seed=1))
    assert (figures.alone, figures.people) == (2, 3)
