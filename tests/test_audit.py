"""The auditor: what it finds in weakened builds, what it does not find in sound ones, and how sure it is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from helpers import cases_of, log_of, log_of_paths, real_log_path, run_command
from unsingle import (
    EventLog,
    LogError,
    ParameterError,
    anonymize,
    audit,
    audit_release,
    read_log,
    synthesize,
    write_log,
)
from unsingle.auditing import promises
from unsingle.auditing.bounds import clopper_pearson, effective_size, fewer_for_few_runs
from unsingle.auditing.findings import BEYOND, BROKEN, HOLDS, NOT_TESTED, UNDECIDED, WITHIN, Audit, Finding, finding
from unsingle.auditing.guesses import Tried, before
from unsingle.auditing.learning import discriminant, guesses_right, naive_bayes, threshold
from unsingle.auditing.likelihood import Insider
from unsingle.auditing.lone import lone_paths_shown
from unsingle.auditing.promises import noised
from unsingle.auditing.targets import Targets
from unsingle.auditing.truth import repeated_values
from unsingle.auditing.worlds import Release, exchanged, on_other_path, with_steps, without
from unsingle.clock import DAY, HOUR, MINUTE
from unsingle.mechanisms.measurements import Measurements
from unsingle.methods import METHODS, Method, amun, sample, synthetic
from unsingle.methods.outcome import Outcome
from unsingle.options import Options
from unsingle.privacy.budget import same_paths
from unsingle.progress import Progress
from unsingle.randomness import Randomness

WITH_BUDGET = tuple(name for name, method in METHODS.items() if method.has_slack)


def crowds() -> EventLog:
    """Paths of one step each, so that the count of a path is the count of a step."""
    return log_of_paths(*["A"] * 12, *["B"] * 9, *["C"] * 7)


def large_crowds() -> EventLog:
    """Enough cases for strict."""
    rng = np.random.default_rng(0)
    cases = []
    for path, n in {"ABC": 400, "ABD": 300, "AE": 200}.items():
        for _ in range(n):
            start = int(rng.integers(0, 300)) * DAY + int(rng.integers(0, DAY))
            cases.append((path, (start + np.cumsum([0, *rng.integers(0, DAY, len(path) - 1)])).tolist()))
    return log_of(cases)


def weighty() -> EventLog:
    """Three paths of one step each. Whoever is first on one took forty days, all others minutes."""
    rng = np.random.default_rng(0)
    cases = []
    for path, n in {"AB": 60, "AC": 40, "AD": 12}.items():
        for i in range(n):
            start = int(rng.integers(0, 300)) * DAY
            cases.append((path, [start, start + (int(rng.integers(1, 60)) * MINUTE if i else 40 * DAY)]))
    return log_of(cases)


def standing_out() -> EventLog:
    """Everybody alone on a path; half of the people took 100 minutes for the second step, half none."""
    cases = []
    for i in range(60):
        path = "SA" + "".join("xy"[(i >> bit) & 1] for bit in range(6))
        step = 100 * MINUTE if i % 2 == 0 and i < 58 else 0
        start = i * 7919 * MINUTE
        cases.append((path, [start] + [start + step + MINUTE * place for place in range(len(path) - 1)]))
    return log_of(cases)


def verdicts(found: Audit) -> dict[str, str]:
    return {each.attack: each.verdict for each in found.findings}


def attacked(log: EventLog, method: str, *attacks: str, runs: int = 300, delta: float = 0.2) -> Audit:
    return audit(log, delta, method=method, attacks=attacks, runs=runs, seed=3)


# ---------------------------------------------------------------------------------------- weakened builds


def with_doubled_epsilon_on_counts(method: str, patch: pytest.MonkeyPatch) -> None:
    """Epsilon doubled is noise halved: the scale of the noise is one over epsilon."""
    if method == "amun":
        true = amun.count_ratio
        patch.setattr(amun, "count_ratio", lambda delta: true(delta) ** 2)
    else:
        true_epsilon = sample.worst_case_epsilon
        patch.setattr(sample, "worst_case_epsilon", lambda delta: 2 * true_epsilon(delta))


@pytest.mark.parametrize("method", ["amun", "sample", "filter"])
def test_sound_counts_hold(method: str) -> None:
    found = attacked(crowds(), method, "path", runs=200)
    assert found.holds, found.verdict


@pytest.mark.parametrize("method", ["amun", "sample", "filter"])
def test_noise_on_counts_that_is_halved_is_found(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_doubled_epsilon_on_counts(method, monkeypatch)
    found = attacked(crowds(), method, "path", runs=300)
    assert verdicts(found)[promises.STEP] == BROKEN, found.findings
    assert not found.holds
    assert repr(promises.STEP) in found.verdict


WHICH_PATH, BY_COUNTS, BY_TIMES = (
    noised(attack) for attack in (promises.OTHER_PATH, promises.OTHER_PATH_COUNTS, promises.OTHER_PATH_TIMES)
)


def seen_through(delta: float = 0.4, method: str = "twin", runs: int = 60) -> Audit:
    """Attacks by someone who sees the noised figures, where a case moves them as far as one can."""
    return attacked(weighty(), method, WHICH_PATH, BY_COUNTS, BY_TIMES, runs=runs, delta=delta)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["twin", "twin-crowds"])
def test_sound_noised_figures_hold(method: str) -> None:
    found = seen_through(method=method, runs=40)
    assert found.holds, found.verdict
    by_name = {each.attack: each for each in found.findings}
    assert 0.3 < by_name[WHICH_PATH].exact_gain < by_name[WHICH_PATH].allowed  # the bound is nearly reached


def test_counts_with_half_the_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Measurements._geometric
    monkeypatch.setattr(Measurements, "_geometric", lambda self, name, true, ratio: sound(self, name, true, ratio**2))
    assert verdicts(seen_through())[BY_COUNTS] == BROKEN


def test_tallies_with_half_the_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Measurements._gaussian
    monkeypatch.setattr(Measurements, "_gaussian", lambda self, name, true, s: sound(self, name, true, s // 2))
    assert verdicts(seen_through())[BY_TIMES] == BROKEN


def test_counts_noised_for_a_larger_delta_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the budget was raised so that it does not notice."""

    def anonymize(log, options, random, progress):
        larger = same_paths(2 * options.delta, options.slack)
        terms = replace(same_paths(options.delta, options.slack), ratio=larger.ratio, limit=larger.limit)
        return synthetic.release(log, terms, options, random, progress)

    monkeypatch.setitem(METHODS, "twin", METHODS["twin"]._replace(anonymize=anonymize))
    assert verdicts(seen_through(delta=0.2))[WHICH_PATH] == BROKEN


@pytest.mark.slow
def test_noise_smaller_than_stated_is_found_also_within_delta(monkeypatch: pytest.MonkeyPatch) -> None:
    """Odds by the stated noise are right more often than they say."""
    sound = Measurements._gaussian
    monkeypatch.setattr(Measurements, "_gaussian", lambda self, name, true, s: sound(self, name, true, s // 4))
    assert verdicts(attacked(weighty(), "twin", promises.STATED, runs=60, delta=0.1))[promises.STATED] == BROKEN


def test_what_decides_besides_the_noised_figures_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tally that has a cell more if the true number of cases is even: no noise hides that."""
    from unsingle.mechanisms import clocks

    sound = clocks.Vectors

    def odd_or_even(cell, case, n_cells):
        return sound(cell, case, n_cells + len(case) % 2)

    monkeypatch.setattr(clocks, "Vectors", odd_or_even)
    assert verdicts(attacked(weighty(), "twin", noised(promises.PRESENT), runs=10))[noised(promises.PRESENT)] == BROKEN


def test_times_with_hardly_any_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's noise is shared among copies and folded: half of it would still keep delta, a fiftieth does not."""
    from unsingle.methods import times

    assert attacked(standing_out(), "amun", "time", runs=60).holds
    true = times._scale
    monkeypatch.setattr(times, "_scale", lambda *arguments: true(*arguments) / 50)
    assert verdicts(attacked(standing_out(), "amun", "time", runs=60))[promises.EXCHANGED] == BEYOND


def starts_kept(log: EventLog, made: Outcome) -> Outcome:
    """Cases begin when those that they descend from did, or, if they descend from none, when one on their path did."""
    released, ancestors = made.log, made.ancestors
    if ancestors is None:
        seen = Release(log, released)
        first = np.unique(log.variants.of_case, return_index=True)[1]
        ancestors = np.where(seen.path_of_case >= 0, first[seen.path_of_case], 0)
    shift = log.case_starts[ancestors] - released.case_starts
    time = released.time + np.repeat(shift, np.diff(released.case_offsets))
    return made._replace(log=EventLog(released.labels, released.activity, time, released.case_offsets, released.zone))


def order_kept(log: EventLog, made: Outcome) -> Outcome:
    """Cases stand in the order of those that they descend from, or of the first one on their path."""
    origin = made.ancestors
    if origin is None:
        origin = Release(log, made.log).path_of_case  # paths are numbered by their first case
    order = np.argsort(origin, kind="stable")
    return made._replace(
        log=made.log.copies_of(order), ancestors=None if made.ancestors is None else made.ancestors[order]
    )


def weakened(method: str, change: Callable[[EventLog, Outcome], Outcome], patch: pytest.MonkeyPatch) -> None:
    sound = METHODS[method]

    def anonymize(log, options, random, progress):
        return change(log, sound.anonymize(log, options, random, progress))

    patch.setitem(METHODS, method, sound._replace(anonymize=anonymize))


LEAKS = {
    "starts kept": (starts_kept, "start", promises.EXACT_STARTS),
    "order kept": (order_kept, "order", promises.ORDER),
}


def log_for(method: str) -> EventLog:
    return large_crowds() if method in WITH_BUDGET else synthesize(cases=120, seed=1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("leak", LEAKS)
def test_what_is_kept_of_the_original_is_found(method: str, leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, kind, attack = LEAKS[leak]
    log = log_for(method)
    runs = 6 if method in WITH_BUDGET else 20
    assert verdicts(attacked(log, method, kind, runs=runs))[attack] != BROKEN
    weakened(method, change, monkeypatch)
    assert verdicts(attacked(log, method, kind, runs=runs))[attack] == BROKEN


@pytest.mark.parametrize("method", METHODS)
def test_noise_that_is_used_twice_is_found(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sound: Method = METHODS[method]

    def anonymize(log, options, random, progress):
        return sound.anonymize(log, options, Randomness(0), progress)

    monkeypatch.setitem(METHODS, method, sound._replace(anonymize=anonymize))
    found = attacked(log_for(method), method, "order", runs=4)
    assert verdicts(found)[promises.AGAIN] == BROKEN


def test_a_file_that_says_more_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from unsingle.formats import xes_writer

    true = xes_writer.write_xes

    def write(log, stream):
        true(log, stream)
        stream.write(b'<trace><string key="origin" value="/home/hospital/log.xes"/></trace>')

    assert verdicts(attacked(crowds(), "amun", "order", runs=4))[promises.IDS] != BROKEN
    monkeypatch.setattr(xes_writer, "write_xes", write)
    assert verdicts(attacked(crowds(), "amun", "order", runs=4))[promises.IDS] == BROKEN


# ---------------------------------------------------------------------------------------- as published


def test_the_paper_with_its_leaks_is_broken() -> None:
    log = synthesize(cases=150, seed=2)
    found = audit(log, 0.2, method="amun", as_published=True, runs=20, seed=1)
    beyond = {each.attack for each in found.findings if each.verdict == BEYOND}
    assert {promises.START, promises.EXACT_STARTS} <= beyond
    assert not any(each.promised for each in found.findings)
    assert found.verdict.startswith("BROKEN")
    assert not found.holds


def test_exact_times_in_groups_of_one_are_found() -> None:
    """Everybody has a step of their own, so that no group has a range, and the paper publishes every time as it is."""
    cases = [([f"begin {i}", f"end {i}"], [i * DAY, i * DAY + (i + 1) * 17 * MINUTE]) for i in range(40)]
    found = audit(log_of(cases), 0.2, method="amun", as_published=True, attacks=["time"], runs=10, seed=1)
    assert verdicts(found)[promises.EXACT_VALUES] == BEYOND
    sound = audit(log_of(cases), 0.2, method="amun", attacks=["time"], runs=10, seed=1)
    assert verdicts(sound)[promises.EXACT_VALUES] == WITHIN


# ---------------------------------------------------------------------------------------- a given release


def test_a_log_published_as_it_is_is_broken(tmp_path) -> None:
    log = synthesize(cases=150, seed=2)
    ids = [f"patient {i}" for i in range(log.n_cases)]
    found = audit_release(log, log, 0.2, ids=(ids, ids))
    assert not found.holds
    broken = {each.attack for each in found.findings if each.verdict == BROKEN}
    assert {promises.LINKED, promises.START, promises.EXACT_STARTS, promises.IDS} <= broken
    assert verdicts(found)[promises.ALONE] == BEYOND
    assert promises.PRESENT not in verdicts(found)  # it takes many releases


def test_a_release_by_twin_holds_but_shows_lone_paths() -> None:
    log = synthesize(cases=1000, seed=2)
    found = audit_release(log, anonymize(log, 0.2, seed=1))
    assert found.holds, found.verdict
    assert found.verdict.startswith("HOLDS as far as one release can tell")
    assert verdicts(found)[promises.ALONE] == BEYOND
    many = audit_release(log, anonymize(log, 0.2, paths="crowds", seed=1))
    assert verdicts(many)[promises.ALONE] == WITHIN


def test_a_release_that_anonymize_gave_knows_its_delta() -> None:
    log = synthesize(cases=60, seed=2)
    release = anonymize(log, 0.1, method="amun", seed=1)
    assert audit_release(log, release).delta == 0.1
    assert audit_release(log, release, 0.3).delta == 0.3
    with pytest.raises(ParameterError, match="say which delta the release was made with"):
        audit_release(log, release.log)


def test_logs_without_a_common_activity_are_told() -> None:
    with pytest.raises(LogError, match="have no activity in common"):
        audit_release(log_of_paths("AB", "AC"), log_of_paths("XY"), 0.2)


def test_lone_paths_are_told_from_paths_that_nobody_took() -> None:
    log = log_of_paths("ABC", "ABC", "ACB", "BCA")
    everybody = np.arange(log.n_cases)
    assert lone_paths_shown(log, Release(log, log), everybody) == (4, 2, 4)
    nobody = log_of_paths("ABC", "ABC")
    assert lone_paths_shown(log, Release(log, nobody), everybody) == (2, 2, 4)


def test_repeated_values_are_held_against_nearby_ones() -> None:
    log = log_of([("AB", [0, (i + 1) * 1000 * MINUTE + i]) for i in range(40)])
    true = log.copies_of(np.repeat(np.arange(10), 3))
    assert repeated_values(log, Release(log, true)) == (10, 0, 10)
    later = true.time + np.where(true.is_first, 0, 1)
    beside = EventLog(true.labels, true.activity, later, true.case_offsets)
    tried = repeated_values(log, Release(log, beside))
    assert (tried.right, tried.guesses) == (0, 10)
    assert tried.by_chance == pytest.approx(1)  # one of ten nearby values is


def test_copies_that_share_their_start_are_found_without_knowing_descent() -> None:
    log = synthesize(cases=100, seed=2)
    copies = log.copies_of(np.repeat(np.arange(100), 2))
    assert verdicts(audit_release(log, copies, 0.2))[promises.COPIES] == BROKEN


def test_ids_that_are_only_numbers_tell_nothing() -> None:
    log = synthesize(cases=300, seed=2)
    release = anonymize(log, 0.2, method="amun", seed=1).log
    numbers = [str(i + 1) for i in range(max(log.n_cases, release.n_cases))]
    found = audit_release(log, release, 0.2, ids=(numbers[: log.n_cases], numbers[: release.n_cases]))
    assert verdicts(found)[promises.IDS] != BROKEN


def batches() -> EventLog:
    """Cases begin together, fifty at a time, and steps take no time or a day."""
    return log_of(
        [
            ("ABC"[: 2 + i % 2], [i // 50 * 30 * DAY, *[i // 50 * 30 * DAY + i % 3 * DAY] * (1 + i % 2)])
            for i in range(200)
        ]
    )


ODD = {
    "five days": lambda: log_of([("ABC", [i % 5 * DAY, i % 5 * DAY, (i % 5 + i % 3) * DAY]) for i in range(100)]),
    "no time passes": lambda: log_of([("AB", [0, 0])] * 60 + [("AC", [0, 0])] * 40),
    "batches": batches,
    "eight weeks": lambda: log_of(
        [("AB" if i % 3 else "AC", [i % 56 * DAY, (i % 56 + i % 4) * DAY]) for i in range(150)]
    ),
    "own labels": lambda: log_of([([f"a{i}", f"b{i}"], [i * DAY, (i + i % 2) * DAY]) for i in range(60)]),
}


@pytest.mark.parametrize("name", ODD)
def test_sound_releases_of_odd_logs_are_not_called_broken(name: str) -> None:
    log = ODD[name]()
    for seed in range(3):
        found = audit_release(log, anonymize(log, 0.2, seed=seed))
        assert found.holds, found.verdict
    found = audit(log, 0.2, runs=4, seed=1)
    assert found.holds, found.verdict


def test_true_durations_of_everybody_are_found_though_nobody_is_alone() -> None:
    log = large_crowds()
    starts = np.random.default_rng(1).permutation(log.case_starts)
    time = log.time + np.repeat(starts - log.case_starts, np.diff(log.case_offsets))
    moved = EventLog(log.labels, log.activity, time, log.case_offsets).copies_of(
        np.random.default_rng(2).permutation(log.n_cases)
    )
    assert verdicts(audit_release(log, moved, 0.2))[promises.EXACT_CASES] == BROKEN


def test_ids_of_people_are_found_whatever_path_they_took() -> None:
    log = log_of([("AB", [i * HOUR, i * HOUR + i * MINUTE]) for i in range(60)])
    ids = [f"patient {i}" for i in range(60)]
    release = anonymize(log, 0.2, method="amun", seed=1).log
    names = [f"{ids[i % 60]}-copy" for i in range(release.n_cases)]
    assert verdicts(audit_release(log, release, 0.2, ids=(ids, names)))[promises.IDS] == BROKEN


def test_a_reversed_order_is_an_order_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def reversed_order(log: EventLog, made: Outcome) -> Outcome:
        kept = order_kept(log, made)
        order = np.arange(kept.log.n_cases)[::-1]
        assert kept.ancestors is not None
        return Outcome(kept.log.copies_of(order), kept.ancestors[order])

    weakened("amun", reversed_order, monkeypatch)
    assert verdicts(attacked(synthesize(cases=120, seed=1), "amun", "order", runs=20))[promises.ORDER] == BROKEN


def test_a_file_sorted_by_its_own_starts_tells_no_order() -> None:
    log = synthesize(cases=200, seed=2)
    release = anonymize(log, 0.2, method="amun", seed=1).log
    in_order = release.copies_of(np.argsort(release.case_starts, kind="stable"))
    assert verdicts(audit_release(log, in_order, 0.2))[promises.ORDER] == NOT_TESTED


def test_one_person_who_took_years_does_not_show() -> None:
    """No bound of the durations is taken from the log."""
    cases = [(path, list(times)) for path, times in cases_of(weighty())]
    cases[0][1][-1] += 4000 * DAY
    wanted = noised(promises.REPLACED)
    found = attacked(log_of(cases), "twin", wanted, runs=25)
    assert found.findings[0].exact_gain < found.findings[0].allowed
    assert verdicts(found)[wanted] != BROKEN


def test_a_log_of_which_hardly_any_release_comes_can_be_audited() -> None:
    log = log_of_paths(*"A" * 60)
    for seed in range(2):
        try:
            audit(log, 0.2, method="strict", runs=2, seed=seed)
        except LogError as error:
            assert "stands out of the noise" in str(error)  # noqa: PT017 - either is right


# ---------------------------------------------------------------------------------------- the command


def test_the_command_attacks_a_method(tmp_path) -> None:
    write_log(synthesize(cases=80), tmp_path / "log.csv")
    result = run_command(
        "audit", tmp_path / "log.csv", "--method", "amun", "--runs", 4, "--attack", "path", "start", "--seed", 1,
        "--html", tmp_path / "audit.html",
    )  # fmt: skip
    assert "PRIVATE, DO NOT PUBLISH" in result.output
    assert "true starts" in result.output
    assert "linkage" not in result.output
    page = (tmp_path / "audit.PRIVATE.html").read_text()
    assert "Can it be attacked? amun at delta 0.2" in page


def test_the_command_attacks_a_release_and_ends_with_1_if_it_is_broken(tmp_path) -> None:
    log, good, bad = (tmp_path / name for name in ("log.xes", "good.parquet", "bad.csv"))
    original = synthesize(cases=200, seed=2)
    write_log(original, log)
    write_log(anonymize(original, 0.2, seed=1).log, good)
    write_log(original, bad)
    assert json.loads(run_command("audit", log, good, "--delta", 0.2, "--json").stdout)["private"]
    result = run_command("audit", log, bad, "--delta", 0.2, ok=False)
    assert result.exit_code == 1
    assert "BROKEN" in result.output


def test_attributes_besides_case_activity_and_time_are_named(tmp_path) -> None:
    log = synthesize(cases=60)
    write_log(log, tmp_path / "log.csv")
    frame = log.to_polars()
    from unsingle.formats import write_frame

    write_frame(frame.with_columns(org_timestamp=frame["time:timestamp"]), tmp_path / "other.csv")
    result = run_command("audit", tmp_path / "log.csv", tmp_path / "other.csv", "--delta", 0.2, ok=False)
    assert "org_timestamp" in result.output
    xes = tmp_path / "other.xes"
    write_log(log, xes)
    text = xes.read_text()
    xes.write_text(text.replace("<classifier", '<string key="source" value="secret.csv"/><classifier'))
    assert "log:source" in run_command("audit", tmp_path / "log.csv", xes, "--delta", 0.2, ok=False).output


def test_a_given_release_is_attacked_as_it_is(tmp_path) -> None:
    result = run_command("audit", tmp_path / "a.csv", tmp_path / "b.csv", "--attack", "path", ok=False)
    assert result.exit_code == 2
    assert "--attack is for releases that are made" in result.output


def test_the_delta_of_a_given_release_is_asked_for(tmp_path) -> None:
    result = run_command("audit", tmp_path / "a.csv", tmp_path / "b.csv", ok=False)
    assert result.exit_code == 2
    assert "a file does not say which delta it was made with: add --delta" in result.output


def test_paths_of_crowds_can_be_audited(tmp_path) -> None:
    write_log(weighty(), tmp_path / "log.csv")
    result = run_command("audit", tmp_path / "log.csv", "--paths", "crowds", "--runs", 2, "--attack", "order", "--json")
    assert json.loads(result.stdout)["method"] == "twin-crowds"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "amun", "--slack", "0.001"], "slack"),
        (["--runs", "1"], "runs must be 2 or more"),
        (["--attack", "brute"], "brute"),
        (["--method", "magic"], "magic"),
        (["--delta", "2"], "delta must be a number between 0 and 1"),
    ],
)
def test_what_cannot_be_tried_is_told_before_any_work(arguments: list[str], message: str, tmp_path) -> None:
    result = run_command("audit", tmp_path / "not there.csv", *arguments, ok=False)
    assert result.exit_code == 2
    assert message in result.output


def test_standard_input_cannot_be_read_twice(tmp_path) -> None:
    result = run_command("audit", "-", tmp_path / "a.csv", "--format", "csv", stdin=b"case,activity,time\n", ok=False)
    assert result.exit_code == 2


def test_unknown_attacks_and_too_few_runs_are_refused() -> None:
    with pytest.raises(ParameterError, match="unknown attacks 'brute'"):
        audit(crowds(), attacks=["brute"])
    with pytest.raises(ParameterError, match="runs must be 2 or more"):
        audit(crowds(), runs=1)


def test_a_log_that_the_method_cannot_release_is_told() -> None:
    with pytest.raises(LogError, match="stands out of the noise"):
        audit(crowds(), method="strict", runs=4)


def test_single_attacks_can_be_asked_for() -> None:
    found = attacked(crowds(), "amun", promises.ALONE, "order", runs=2)
    assert {each.attack for each in found.findings} == {promises.ALONE, *promises.KINDS["order"]}


def test_several_processes_find_the_same_as_one() -> None:
    log = synthesize(cases=60)
    one, two = (audit(log, method="amun", runs=6, seed=5, processes=n) for n in (1, 2))
    for first, second in zip(one.findings, two.findings, strict=True):
        assert (first.attack, first.guesses) == (second.attack, second.guesses)
        if first.attack not in promises.GAMES and not first.attack.startswith("time"):
            assert first.right == pytest.approx(second.right, nan_ok=True)  # rules depend on which runs are a half


# ---------------------------------------------------------------------------------------- bounds and verdicts


def test_bounds_cover_the_truth_as_often_as_they_say() -> None:
    """For a known chance, sum the probabilities of all outcomes whose bounds leave it out: exactly, no sampling."""
    for n, p in ((20, 0.5), (50, 0.7), (100, 0.05)):
        missed = sum(
            math.comb(n, k) * p**k * (1 - p) ** (n - k)
            for k in range(n + 1)
            if not clopper_pearson(k, n)[0] <= p <= clopper_pearson(k, n)[1]
        )
        assert missed <= 0.05


@pytest.mark.parametrize(("k", "n"), [(1, 10), (9, 10), (200, 400)])
def test_bounds_are_where_the_tails_are_a_fortieth(k: int, n: int) -> None:
    low, high = clopper_pearson(k, n)
    above = sum(math.comb(n, i) * low**i * (1 - low) ** (n - i) for i in range(k, n + 1))
    below = sum(math.comb(n, i) * high**i * (1 - high) ** (n - i) for i in range(k + 1))
    assert above == pytest.approx(0.025)
    assert below == pytest.approx(0.025)


def test_guesses_that_hang_together_count_for_less() -> None:
    assert effective_size([5, 5, 5, 5], [10] * 4) == 40
    assert effective_size([10, 0] * 20, [10] * 40) == pytest.approx(39, abs=1)
    assert effective_size([3], [7]) == 7


def test_few_runs_make_less_sure() -> None:
    assert fewer_for_few_runs(100, 2, 0.95) < 10
    assert 95 < fewer_for_few_runs(100, 200, 0.95) < 100
    assert fewer_for_few_runs(100, 1, 0.95) == 100  # one release: nothing to compare


def judged(right: int, guesses: int, attack: str = promises.PRESENT) -> Finding:
    runs = [Tried(right / guesses, 0.5, 1)] * guesses
    limits = promises.Limits(0.2, {promises.PRESENT: 0.2})
    return finding(attack, "?", runs, limits, at_once=20)


def test_verdicts() -> None:
    assert judged(700, 1000).verdict == HOLDS
    assert judged(780, 1000).verdict == BROKEN
    assert judged(20, 30).verdict == UNDECIDED
    assert judged(780, 1000, promises.ALONE).verdict == BEYOND
    assert finding(promises.START, "?", [], promises.Limits(0.2, {}), 20).verdict == NOT_TESTED


def test_exact_likelihoods_that_gain_too_much_are_broken() -> None:
    limits = promises.Limits(0.2, {promises.PRESENT: 0.2})
    runs = [Tried(1, 1, 2)] * 20
    assert finding(promises.PRESENT, "?", runs, limits, 20, [0.25, 0.26] * 20).verdict == BROKEN
    assert finding(promises.PRESENT, "?", runs, limits, 20, [0.1, 0.12] * 20).verdict != BROKEN


def test_an_excess_of_a_twentieth_is_told_by_a_thousand_runs() -> None:
    """2,000 guesses of which 75 of 100 are right, where 70 are allowed."""
    assert judged(1500, 2000).verdict == BROKEN


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("delta", [0.2, 0.4])
def test_limits_are_those_of_the_guarantees(method: str, delta: float) -> None:
    """A yes/no guess about one person may gain no more than is promised; any other guess twice that."""
    options, made = Options(delta=delta), METHODS[method]
    budget = made.anonymize(large_crowds(), options, Randomness(1), Progress()).budget
    terms = None if budget is None else budget.began
    limits = promises.limits(delta, made.guarantee(options), terms).promised
    most = max(promise.gain for promise in made.guarantee(options).promises)
    yes_no = {*promises.GAMES, *map(noised, promises.INSIDER)} - {promises.EXCHANGED}
    for attack, allowed in limits.items():
        assert allowed <= most * (1 if attack in yes_no else 2) + 1e-9, attack
    assert (promises.ALONE in limits) == (method in WITH_BUDGET and not made.keeps_variants)


def test_as_published_nothing_is_promised() -> None:
    options = Options(as_published=True)
    assert promises.limits(0.2, METHODS["amun"].guarantee(options), None).promised == {}


# ---------------------------------------------------------------------------------------- attackers


def test_an_insider_computes_the_exact_odds() -> None:
    """One case less on the path with the most: odds of the counts are as the law of two-sided geometric noise says."""
    log, options = weighty(), Options(delta=0.2)
    made = METHODS["twin"].anonymize(log, options, Randomness(1), Progress())
    assert made.budget is not None
    insider = Insider(made.budget.terms, made.budget, options)
    figures = insider.watch(log, Randomness(2))
    assert insider.odds(figures, log) == (0, 0)
    odds = insider.odds(figures, without(log, 0))
    step = {name: -math.log(float(getattr(made.budget.terms, name))) for name in ("ratio", "total_ratio")}
    assert min(abs(abs(odds.counts) - abs(step["ratio"] + sign * step["total_ratio"])) for sign in (-1, 1)) < 1e-6
    assert 0 < abs(odds.tallies) < 5
    alone = log_of([*cases_of(log), ("AAA", [0, 0, 0])])
    assert insider.odds(figures, alone).everything == math.inf  # the set of variants is public


@pytest.mark.parametrize("rule", [threshold, naive_bayes(4), discriminant(0.1)])
def test_rules_learn_what_there_is_to_learn(rule) -> None:
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 300, 6))
    second[:, 2] += 3
    score = rule(first[:200], second[:200])
    right = ((score(first[200:]) < 0).mean() + (score(second[200:]) > 0).mean()) / 2
    assert right > 0.85


def test_rules_do_not_learn_noise_by_heart() -> None:
    data = np.random.default_rng(1).normal(size=(200, 2, 60))
    assert abs(np.mean(guesses_right(data)) / 2 - 0.5) < 0.1


def test_many_weak_features_are_put_together() -> None:
    """Each is hardly worth anything by itself."""
    data = np.random.default_rng(1).normal(size=(200, 2, 30))
    data[:, 1] += 0.5
    assert np.mean(guesses_right(data)) / 2 > 0.85


# ---------------------------------------------------------------------------------------- worlds and targets


def test_worlds_differ_in_one_person() -> None:
    log = log_of([("AB", [0, 5]), ("AC", [1, 9]), ("AB", [2, 4])])
    assert without(log, 1).variant_counts() == {("A", "B"): 2}
    other = on_other_path(log, 1, 2)
    assert other.variant_counts() == {("A", "B"): 3}
    assert other.time.tolist() == [0, 5, 1, 3, 2, 4]


def test_an_exchange_keeps_all_durations() -> None:
    log = log_of([("ABC", [0, 5, 6]), ("ABC", [10, 12, 20])])
    swapped = exchanged(log, 1, 4)
    assert swapped.time.tolist() == [0, 2, 3, 10, 15, 23]
    assert with_steps(log, {2: 7}).time.tolist() == [0, 5, 12, 10, 12, 20]


def test_targets_are_those_who_stand_out() -> None:
    log = log_of([("AB", [0, HOUR])] * 3 + [("AC", [0, HOUR])] * 2 + [("AD", [0, HOUR])])
    targets = Targets(log)
    assert targets.alone == 5
    assert targets.in_smallest_crowd in (3, 4)
    assert targets.in_largest_crowd in (0, 1, 2)
    outlier = Targets(standing_out()).outlier()
    assert outlier is not None
    far, usual = outlier
    durations = Targets(standing_out()).durations
    assert durations[far.event] == 100 * MINUTE
    assert durations[usual.event] == 0


def test_a_log_of_one_event_has_hardly_any_targets() -> None:
    found = audit(log_of_paths("A", "A"), runs=2, processes=1, seed=1)
    assert {promises.EXCHANGED, promises.ALONE, promises.OTHER_PATH} <= {
        each.attack for each in found.findings if each.verdict == NOT_TESTED
    }


def test_the_chance_before_is_that_of_the_best_guess() -> None:
    """Of 0, 1, 2 and 100, a guess within 10 is right for three, one within 1 for three, an exact one for one."""
    assert [chance for _, chance in before(np.array([0.0, 1.0, 2.0, 100.0]))] == [0.75, 0.75, 0.25]


# ---------------------------------------------------------------------------------------- real logs


@pytest.mark.slow
@pytest.mark.parametrize(("method", "kinds"), [("twin", tuple(promises.KINDS)), ("twin-crowds", ("noise",))])
def test_attacks_on_sepsis_do_not_break_what_is_promised(method: str, kinds: tuple[str, ...]) -> None:
    log = read_log(real_log_path("Sepsis"))
    found = audit(log, 0.2, method=method, attacks=kinds, runs=4, seed=1, processes=2)
    assert found.holds, found.verdict


@pytest.mark.slow
def test_attacks_on_sepsis_break_amun_where_its_gap_is() -> None:
    found = audit(read_log(real_log_path("Sepsis")), 0.2, method="amun", attacks=["time"], runs=30, seed=1, processes=2)
    assert verdicts(found)[promises.EXCHANGED] == verdicts(found)[promises.REPLACED] == BEYOND
    assert found.holds  # it is not promised
