"""Methods are objects: their parameters are fields, and one that a method does not have is an error."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import product

import pytest

from unsingle import EventLog, Progress, anonymize, audit, sweep, synthesize
from unsingle.errors import ParameterError
from unsingle.methods import DEFAULT, METHODS, chosen, in_words_of_options, ladder
from unsingle.methods.base import TwoStage
from unsingle.methods.twin import Twin
from unsingle.privacy.guarantee import Secret
from unsingle.privacy.random import Randomness
from unsingle.web.forms import ReleaseRequest

NAMES = ["twin", "twin-crowds", "strict", "amun", "as-published", "sample", "filter"]
SOME = {"grid": "hour", "slack": 1e-7, "labels": ["A"], "time_from": "start", "precision": "10min"}


def test_there_is_one_list_of_methods_the_default_first_and_the_ladder_before_all_others() -> None:
    assert list(METHODS) == NAMES
    assert NAMES[0] == DEFAULT
    assert ladder() == ("twin", "twin-crowds", "strict")


@pytest.mark.parametrize(("name", "parameter"), list(product(NAMES, SOME)))
def test_a_parameter_is_used_or_refused(name: str, parameter: str) -> None:
    if parameter in METHODS[name].parameters():
        assert chosen(name, **{parameter: SOME[parameter]}) != chosen(name)
        return
    owners = ", ".join(each for each in NAMES if parameter in METHODS[each].parameters())
    with pytest.raises(ParameterError) as caught:
        chosen(name, **{parameter: SOME[parameter]})
    assert str(caught.value) == f"{parameter}= does not go with the method {name}: it is for {owners}"


def test_an_unknown_parameter_says_what_the_method_takes() -> None:
    with pytest.raises(ParameterError, match=r"does not go with the method twin: it takes delta=, grid=, slack=, "):
        anonymize(synthesize(cases=20), method="twin", epsilon=1)


def test_a_method_with_its_parameters_takes_no_others() -> None:
    log = synthesize(cases=20)
    assert anonymize(log, method=Twin(0.1)).delta == 0.1
    with pytest.raises(ParameterError, match="twin has its parameters already: leave out grid="):
        anonymize(log, method=Twin(0.1), grid="day")
    with pytest.raises(ParameterError, match="leave out paths=, as_published=, or give the name of the method alone"):
        anonymize(log, method=Twin(0.1), paths="same", as_published=True)


@pytest.mark.parametrize(
    "use",
    [
        lambda log: anonymize(log, 0.05, method=Twin(0.3)),
        lambda log: audit(log, 0.05, method=Twin(0.3)),
        lambda log: sweep(log, [0.05], [Twin(0.3)]),
    ],
)
def test_a_delta_beside_a_method_with_its_own_is_not_ignored(use: Callable[[EventLog], object]) -> None:
    with pytest.raises(ParameterError, match="twin has its parameters already: leave out delta="):
        use(synthesize(cases=20))


@pytest.mark.parametrize("name", [name for name in NAMES if not METHODS[name].keeps_variants])
def test_a_method_that_does_not_keep_all_paths_cannot_be_asked_to(name: str) -> None:
    with pytest.raises(ParameterError, match=f"paths='same' does not go with the method {name}, which does not keep"):
        anonymize(synthesize(cases=20), method=name, paths="same")
    with pytest.raises(ParameterError, match=r"does not keep all paths$"):
        ReleaseRequest.parse({"method": name, "paths": "same"})


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"method": "twin", "paths": "crowds"}, "twin-crowds"),
        ({"method": "twin-crowds", "paths": "crowds"}, "twin-crowds"),
        ({"method": "amun", "as_published": True}, "as-published"),
        ({"method": "as-published"}, "as-published"),
        ({"method": "twin", "paths": "same"}, "twin"),
    ],
)
def test_short_cuts_name_a_method(given: dict[str, object], name: str) -> None:
    assert chosen(**given).name == name  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "amum"}, "unknown method 'amum': choose one of twin, twin-crowds, strict, amun"),
        ({"method": "blend"}, "blend is gone"),
        (
            {"method": "twin", "as_published": True},
            "as_published=True is the paper's method, amun: it cannot go with twin",
        ),
        ({"method": "amun", "paths": "crowds"}, "paths='crowds' works only with twin, not with amun"),
        ({"method": "twin", "paths": "few"}, "paths= must be 'same' or 'crowds'"),
        ({"method": "strict", "labels": []}, "public labels must be distinct"),
        ({"method": "strict", "labels": "Triage"}, r"labels= is a list .*, not one text: write \['Triage'\]"),
        ({"method": "strict", "slack": 0.3}, "slack must lie between"),
        ({"method": "amun", "time_from": "end"}, "time_from= must be 'previous' or 'start'"),
        ({"method": "amun", "precision": "much"}, "precision 'much' is neither"),
        ({"method": "twin", "grid": "week"}, "unknown grid 'week'"),
        ({"method": "twin", "delta": 2}, "delta must be a number between 0 and 1"),
        ({"method": "twin-crowds", "delta": 1e-5}, "too small for paths taken by many"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        chosen(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_a_method_tells_the_stages_that_it_lists_in_their_order(name: str) -> None:
    seen = []

    class Watched(Progress):
        def show(self, step: str, _fraction: float) -> None:
            seen.append(step)

    chosen(name, delta=0.4).release(synthesize(cases=400), Randomness(1), Watched())
    assert list(dict.fromkeys(seen)) == list(METHODS[name].stages)


@pytest.mark.parametrize("name", NAMES)
def test_a_method_can_be_compared_and_sent_to_another_process(name: str) -> None:
    method = chosen(name, delta=0.3)
    assert pickle.loads(pickle.dumps(method)) == method
    assert method != chosen(name, delta=0.2)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_method_promises_is_bounded_and_bounds_are_promised(name: str) -> None:
    guarantee = chosen(name, delta=0.2).guarantee()
    assert bool(guarantee.promises) == bool(guarantee.bounds)
    most = max((promise.gain for promise in guarantee.promises), default=0)
    yes_no = {secret: gain for secret, gain in guarantee.bounds.items() if secret not in _MORE_ANSWERS}
    assert all(gain <= most + 1e-12 for gain in yes_no.values())
    assert guarantee.bound(Secret.LONE_PRESENCE) is None or not METHODS[name].keeps_variants


_MORE_ANSWERS = {Secret.USUAL_TIME, Secret.START, Secret.ANY_TIME, Secret.WHOSE_TIME, Secret.ANY_VALUE}


def test_only_the_paper_s_methods_run_in_two_stages() -> None:
    assert [name for name, method in METHODS.items() if issubclass(method, TwoStage)] == ["amun", "as-published"]


def test_every_method_can_be_spelled_as_options_of_the_command() -> None:
    for name in METHODS:
        assert chosen(**in_words_of_options(name)).name == name  # type: ignore[arg-type]
