import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, event_logs, examples, log_of, log_of_paths, paper_log
from unsingle.core.clock import DAY, HOUR, MINUTE
from unsingle.core.log import EventLog, SourceColumns
from unsingle.errors import ParameterError
from unsingle.evaluation.figures import measure, summary
from unsingle.methods import DEFAULT, METHODS
from unsingle.release import anonymize
from unsingle.synthetic import synthesize

amun = partial(anonymize, method="amun")
SAME_PATHS = [name for name, method in METHODS.items() if method.keeps_variants]

PUBLIC = {
    "method",
    "delta",
    "cases_out",
    "events_out",
    "variants_in",
    "variants_out",
    "budget",
    "guarantee",
    "limits",
    "promises",
    "assumes",
    "not_protected",
    "cautions",
    "warnings",
    "publishable",
}
PRIVATE = {
    "alone",
    "outside",
    "cases_in",
    "events_in",
    "cases_lost",
    "variants_lost",
    "lost_variants",
    "oversampling_ratio",
    "smape",
    "time_distance_hours",
    "time_distance_share",
    "seconds",
}

SMALL = {
    "one event": log_of([("A", [5])]),
    "one case": log_of([("ABA", [5, 70_000, 80_000])]),
    "all times equal": log_of([("AB", [7, 7])] * 3 + [("AC", [7, 7])]),
    "one variant": log_of([("AB", [i * MINUTE, 2 * i * MINUTE]) for i in range(30)]),
    "one variant of one event": log_of([("A", [i * DAY]) for i in range(30)]),
    "every case another variant": log_of_paths("A", "AB", "ABC", "ABCD", "B", "BC"),
    "paper": paper_log(),
}


def sorted_variants(log):
    """The variants as a reader finds them who sorts each case by time."""
    return {
        tuple(label for _, label in sorted(zip(times, path, strict=True), key=lambda event: event[0]))
        for path, times in cases_of(log)
    }


def busy_log():
    """A log with enough in it that no two runs look alike."""
    paths = ["ABC", "ACB", "AB", "ABD"]
    return log_of([(paths[i % 4], [i * HOUR + j * (i + 1) * MINUTE for j in range(3)][: len(paths[i % 4])])
                   for i in range(40)])  # fmt: skip


@given(
    log=event_logs(),
    delta=st.sampled_from([0.05, 0.2, 0.5, 0.75, 0.9]),
    time_from=st.sampled_from([None, "previous", "start"]),
    as_published=st.booleans(),
    seed=st.integers(0, 1000),
)
@examples(250)
def test_a_release_by_amun_has_exactly_the_variants_of_its_original(log, delta, time_from, as_published, seed):
    released = amun(log, delta, time_from=time_from, as_published=as_published, seed=seed).log
    assert_same_variants(log, released)
    assert released.zone == log.zone


@given(log=event_logs(), delta=st.sampled_from([0.05, 0.2, 0.5, 0.75, 0.9]), seed=st.integers(0, 1000))
@examples(60)
def test_a_release_by_default_has_exactly_the_variants_of_its_original(log, delta, seed):
    release = anonymize(log, delta, seed=seed)
    assert_same_variants(log, release.log)
    assert release.method.name == DEFAULT
    assert release.ancestors is None  # no case descends from a person
    figures = measure(log, release)
    assert 0 <= figures.smape <= 1  # beside a random case of the same path
    assert figures.alone == sum(cases == 1 for cases in log.variant_counts().values())


def assert_same_variants(log, released):
    """Also for a reader who sorts by time."""
    assert set(released.variant_counts()) == set(log.variant_counts())
    assert sorted_variants(released) == set(log.variant_counts())
    assert all((np.diff(times) >= 0).all() for _, times in cases_of(released))


@given(log=event_logs(), seed=st.integers(0, 1000))
@examples(100)
def test_every_original_is_copied_and_every_copy_has_its_path(log, seed):
    release = amun(log, seed=seed)
    originals, copies = cases_of(log), cases_of(release.log)
    assert len(release.ancestors) == len(copies)
    assert set(release.ancestors.tolist()) == set(range(len(originals)))
    assert len(copies) > len(originals)
    assert all(path == originals[case][0] for (path, _), case in zip(copies, release.ancestors.tolist(), strict=True))


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("time_from", ["previous", "start"])
@pytest.mark.parametrize("as_published", [False, True])
def test_small_and_odd_logs_can_be_released(name, time_from, as_published):
    release = amun(SMALL[name], 0.1, time_from=time_from, as_published=as_published, seed=1)
    assert set(release.log.variant_counts()) == set(SMALL[name].variant_counts())
    figures = measure(SMALL[name], release)
    assert np.isfinite([figures.smape, figures.time_distance.hours]).all()


@pytest.mark.parametrize("name", SMALL)
def test_small_and_odd_logs_can_be_released_by_default(name):
    for seed in range(5):
        release = anonymize(SMALL[name], 0.1, seed=seed)
        assert set(release.log.variant_counts()) == set(SMALL[name].variant_counts())
        assert np.isfinite(measure(SMALL[name], release).time_distance.hours)


def test_a_seed_makes_a_release_repeatable_and_forbids_publication():
    first, again, other = (anonymize(busy_log(), seed=seed) for seed in (5, 5, 6))
    assert first.log == again.log
    assert first.log != other.log
    assert not first.publishable
    assert "NOT FOR PUBLICATION" in " ".join(first.guarantee.warnings)


def test_zero_is_a_seed_like_any_other():
    assert anonymize(busy_log(), seed=0).log == anonymize(busy_log(), seed=0).log
    assert not anonymize(busy_log(), seed=0).publishable


@pytest.mark.parametrize("method", ["twin", "twin-crowds", "strict"])
def test_a_release_with_a_seed_is_the_same_whenever_it_is_made(method):
    log = synthesize(cases=1500, seed=7)
    assert anonymize(log, 0.2, method=method, seed=11).log == anonymize(log, 0.2, method=method, seed=11).log


def test_without_a_seed_a_release_is_publishable_and_never_the_same():
    first, again = anonymize(busy_log()), anonymize(busy_log())
    assert first.publishable
    assert not first.guarantee.warnings
    assert first.log != again.log


def test_as_published_is_not_for_publication():
    release = amun(busy_log(), as_published=True)
    assert not release.publishable
    assert not release.public()["publishable"]
    assert "NOT FOR PUBLICATION" in " ".join(release.guarantee.warnings)


@pytest.mark.parametrize("method", SAME_PATHS)
def test_what_may_be_published_holds_nothing_private(method):
    release = anonymize(busy_log(), method=method, seed=1)
    public = release.public()
    assert public.keys() == (PUBLIC if release.budget else PUBLIC - {"budget"})
    assert not PRIVATE & public.keys()


def test_a_guarantee_is_made_from_the_parameters_alone():
    for method in SAME_PATHS:
        assert (
            anonymize(busy_log(), 0.3, method=method).guarantee == anonymize(paper_log(), 0.3, method=method).guarantee
        )


def test_everything_that_is_known_says_what_is_private():
    release = anonymize(busy_log(), seed=1)
    everything = summary(release, measure(busy_log(), release))
    assert everything.keys() == PUBLIC | PRIVATE | {"private_keys"}
    assert set(everything["private_keys"]) == PRIVATE
    assert json.loads(json.dumps(everything)) == everything


def test_the_figures_of_a_release_are_those_of_its_log():
    log = busy_log()
    release = anonymize(log, 0.3, seed=1)
    everything = summary(release, measure(log, release))
    assert (everything["cases_in"], everything["events_in"]) == (log.n_cases, log.n_events)
    assert (everything["cases_out"], everything["events_out"]) == (release.log.n_cases, release.log.n_events)
    assert everything["oversampling_ratio"] == release.log.n_cases / 40
    assert everything["variants_in"] == everything["variants_out"] == 4
    assert (everything["method"], everything["delta"], release.delta) == (DEFAULT, 0.3, 0.3)


def test_smape_compares_each_released_step_with_its_ancestors():
    log = busy_log()
    release = amun(log, seed=1)
    originals = cases_of(log)
    errors = []
    for (_, times), ancestor in zip(cases_of(release.log), release.ancestors.tolist(), strict=True):
        for true, noisy in zip(np.diff(originals[ancestor][1]), np.diff(times), strict=True):
            errors.append(abs(true - noisy) / (true + noisy) if true + noisy else 0)
    assert measure(log, release).smape == pytest.approx(np.mean(errors))


def test_a_release_that_changes_no_time_has_no_error():
    log = log_of([("AB", [i * HOUR, i * HOUR + MINUTE]) for i in range(9)])
    figures = measure(log, amun(log, as_published=True))
    assert figures.smape == 0
    assert figures.time_distance.hours == 0


def test_smaller_delta_adds_more_cases():
    mean = [np.mean([amun(busy_log(), d, seed=s).log.n_cases for s in range(20)]) for d in (0.05, 0.2, 0.6)]
    assert mean[0] - 40 > 2 * (mean[1] - 40) > 3 * (mean[2] - 40)


def test_cases_are_shuffled():
    ancestors = amun(busy_log(), seed=1).ancestors
    assert 0.35 < (np.diff(ancestors) > 0).mean() < 0.65


def test_nothing_of_where_the_log_came_from_is_released():
    log = busy_log()
    named = EventLog(
        log.labels, log.activity, log.time, log.case_offsets, source=SourceColumns("patient", "what", "when")
    )
    release = anonymize(named, seed=1)
    assert release.log.source is None
    assert release.log.columns == ()
    assert "patient" not in json.dumps(release.public())


@pytest.mark.parametrize(("delta", "text"), [(0.2, "0.2"), (0.05, "0.05"), (0.123, "0.123")])
def test_the_guarantee_names_delta_and_the_precision(delta, text):
    release = amun(paper_log(), delta, precision="10min")
    assert f"at most {text} " in str(release.guarantee)
    assert "within 10 min" in str(release.guarantee)
    assert "within 10% of the range" in str(amun(paper_log(), delta).guarantee)


@pytest.mark.parametrize(("precision", "text"), [(0.004, "0.4%"), (0.125, "12.5%")])
def test_the_guarantee_does_not_round_the_precision(precision, text):
    assert f"within {text} of the range" in str(amun(paper_log(), precision=precision).guarantee)


def test_a_very_small_precision_is_a_share_like_any_other():
    assert amun(paper_log(), precision=0.00001).log.n_cases > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delta": 0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"method": "magic"}, "method"),
        ({"time_from": "end"}, "time_from"),
        ({"precision": 0}, "precision"),
        ({"precision": 1.5}, "precision"),
        ({"precision": "10 parsecs"}, "precision"),
        ({"grid": "fortnight"}, "grid"),
    ],
)
def test_an_option_out_of_range_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        anonymize(paper_log(), **options)


def test_an_unknown_zone_is_refused():
    log = paper_log()
    with pytest.raises(ParameterError, match="Mars/Base"):
        anonymize(EventLog(log.labels, log.activity, log.time, log.case_offsets, "Mars/Base"))


@pytest.mark.parametrize("method", SAME_PATHS)
def test_a_release_with_a_seed_does_not_depend_on_the_number_of_cores(method, monkeypatch):
    from unsingle import synthesize
    from unsingle.core import machine
    from unsingle.mechanisms import timeline

    monkeypatch.setattr(timeline, "_EVENTS_AT_ONCE", 200)
    log = synthesize(cases=100, seed=1)
    released = []
    for cores in (1, 8):
        monkeypatch.setattr(machine.os, "cpu_count", lambda cores=cores: cores)
        released.append(anonymize(log, 0.2, method=method, seed=16).log)
    assert released[0] == released[1]


def test_a_method_that_is_gone_says_why_and_what_to_take():
    with pytest.raises(ParameterError, match=r"blend is gone: anyone who knows the other cases .* Take twin"):
        anonymize(paper_log(), method="blend")


def test_a_weak_delta_is_cautioned_against_and_an_ordinary_one_is_not():
    assert anonymize(busy_log(), 0.25).guarantee.cautions == ()
    weak = anonymize(busy_log(), 0.3)
    assert "delta 0.3 is weak" in weak.guarantee.cautions[0]
    assert weak.publishable
    assert weak.public()["cautions"] == list(weak.guarantee.cautions)
