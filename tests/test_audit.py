"""The auditor: what it finds in weakened builds, what it does not find in sound ones, and how sure it is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction

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
from unsingle.auditing.playing import speaks_for_one_more
from unsingle.auditing.targets import Targets
from unsingle.auditing.worlds import Release, exchanged, on_other_path, with_steps, without
from unsingle.clock import DAY, HOUR, MINUTE
from unsingle.methods import METHODS, Method, amun, blend, sample, selection, tallies
from unsingle.methods.outcome import Outcome
from unsingle.options import Options
from unsingle.randomness import Randomness


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


def attacked(log: EventLog, method: str, kind: str, runs: int = 300, delta: float = 0.2) -> Audit:
    return audit(log, delta, method=method, attacks=[kind], runs=runs, seed=3)


# ---------------------------------------------------------------------------------------- weakened builds


def with_doubled_epsilon_on_counts(method: str, patch: pytest.MonkeyPatch) -> None:
    """Epsilon doubled is noise halved: the scale of the noise is one over epsilon."""
    if method == "amun":
        true = amun.count_ratio
        patch.setattr(amun, "count_ratio", lambda delta: true(delta) ** 2)
    elif method in ("sample", "filter"):
        true_epsilon = sample.worst_case_epsilon
        patch.setattr(sample, "worst_case_epsilon", lambda delta: 2 * true_epsilon(delta))
    elif method == "blend":  # the mean of what is added is halved
        true_ratio = blend.added_ratio
        patch.setattr(blend, "added_ratio", lambda delta: true_ratio(delta) / (2 - true_ratio(delta)))
    else:
        true_select = selection.select
        patch.setattr(
            selection, "select", lambda counts, epsilon, slack, random: true_select(counts, 2 * epsilon, slack, random)
        )


COUNTS = {
    "amun": (crowds, 0.2, promises.STEP),
    "blend": (crowds, 0.2, promises.PRESENT),
    "sample": (crowds, 0.2, promises.STEP),
    "filter": (crowds, 0.2, promises.STEP),
    "strict": (large_crowds, 0.4, promises.PRESENT),
}


@pytest.mark.parametrize("method", COUNTS)
def test_sound_counts_hold(method: str) -> None:
    make, delta, _ = COUNTS[method]
    found = attacked(make(), method, "path", 200, delta)
    assert found.holds, found.verdict


@pytest.mark.parametrize("method", COUNTS)
def test_noise_on_counts_that_is_halved_is_found(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, delta, attack = COUNTS[method]
    with_doubled_epsilon_on_counts(method, monkeypatch)
    found = attacked(make(), method, "path", 300, delta)
    assert verdicts(found)[attack] == BROKEN, found.findings
    assert not found.holds
    assert repr(attack) in found.verdict


def test_cases_kept_too_often_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """At delta 0.5 nothing is added, so that each person's one released case can be watched."""
    assert attacked(standing_out(), "blend", "time", 100, 0.5).holds
    true = blend.kept_cases
    monkeypatch.setattr(blend, "kept_cases", lambda n, delta, random: true(n, min(Fraction(1), 2 * delta), random))
    assert verdicts(attacked(standing_out(), "blend", "time", 100, 0.5))[promises.EXCHANGED] == BROKEN


def test_times_with_hardly_any_noise_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's noise is shared among copies and folded: half of it would still keep delta, a fiftieth does not."""
    from unsingle.methods import times

    assert attacked(standing_out(), "amun", "time", 100).holds
    true = times._scale
    monkeypatch.setattr(times, "_scale", lambda *arguments: true(*arguments) / 50)
    assert verdicts(attacked(standing_out(), "amun", "time", 100))[promises.EXCHANGED] == BEYOND


def starts_kept(log: EventLog, made: Outcome) -> Outcome:
    """Cases begin when those that they descend from did, or, if they descend from none, when one on their path did."""
    released, ancestors = made.log, made.ancestors
    if ancestors is None:
        seen = Release(log, released)
        first = np.unique(log.variants.of_case, return_index=True)[1]
        ancestors = np.where(seen.path_of_case >= 0, first[seen.path_of_case], 0)
    shift = log.case_starts[ancestors] - released.case_starts
    time = released.time + np.repeat(shift, np.diff(released.case_offsets))
    return Outcome(
        EventLog(released.labels, released.activity, time, released.case_offsets, released.zone), made.ancestors
    )


def order_kept(log: EventLog, made: Outcome) -> Outcome:
    """Cases stand in the order of those that they descend from, or of the first one on their path."""
    origin = made.ancestors
    if origin is None:
        origin = Release(log, made.log).path_of_case  # paths are numbered by their first case
    order = np.argsort(origin, kind="stable")
    return Outcome(made.log.copies_of(order), None if made.ancestors is None else made.ancestors[order])


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
    return large_crowds() if method == "strict" else synthesize(cases=120, seed=1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("leak", LEAKS)
def test_what_is_kept_of_the_original_is_found(method: str, leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, kind, attack = LEAKS[leak]
    log = log_for(method)
    assert verdicts(attacked(log, method, kind, 20))[attack] != BROKEN
    weakened(method, change, monkeypatch)
    assert verdicts(attacked(log, method, kind, 20))[attack] == BROKEN


@pytest.mark.parametrize("method", METHODS)
def test_noise_that_is_used_twice_is_found(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sound: Method = METHODS[method]

    def anonymize(log, options, random, progress):
        return sound.anonymize(log, options, Randomness(0), progress)

    monkeypatch.setitem(METHODS, method, sound._replace(anonymize=anonymize))
    found = attacked(log_for(method), method, "order", 4)
    assert verdicts(found)[promises.AGAIN] == BROKEN


def test_a_file_that_says_more_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from unsingle.formats import xes_writer

    true = xes_writer.write_xes

    def write(log, stream):
        true(log, stream)
        stream.write(b'<trace><string key="origin" value="/home/hospital/log.xes"/></trace>')

    assert verdicts(attacked(crowds(), "blend", "order", 4))[promises.IDS] != BROKEN
    monkeypatch.setattr(xes_writer, "write_xes", write)
    assert verdicts(attacked(crowds(), "blend", "order", 4))[promises.IDS] == BROKEN


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
    found = audit_release(log, log, ids=(ids, ids))
    assert not found.holds
    broken = {each.attack for each in found.findings if each.verdict == BROKEN}
    assert {promises.LINKED, promises.START, promises.EXACT_STARTS, promises.IDS} <= broken
    assert promises.PRESENT not in verdicts(found)  # it takes many releases


def test_a_release_by_blend_holds() -> None:
    log = synthesize(cases=2000, seed=2)
    found = audit_release(log, anonymize(log, 0.2, method="blend", seed=1).log)
    assert found.holds, found.verdict
    assert found.verdict.startswith("HOLDS as far as one release can tell")


def test_copies_that_share_their_start_are_found_without_knowing_descent() -> None:
    log = synthesize(cases=100, seed=2)
    copies = log.copies_of(np.repeat(np.arange(100), 2))
    assert verdicts(audit_release(log, copies))[promises.COPIES] == BROKEN


def test_ids_that_are_only_numbers_tell_nothing() -> None:
    log = synthesize(cases=300, seed=2)
    release = anonymize(log, 0.2, method="blend", seed=1).log
    numbers = [str(i + 1) for i in range(max(log.n_cases, release.n_cases))]
    found = audit_release(log, release, ids=(numbers[: log.n_cases], numbers[: release.n_cases]))
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
        found = audit_release(log, anonymize(log, 0.2, method="blend", seed=seed).log)
        assert found.holds, found.verdict
    assert audit(log, 0.2, method="blend", runs=10, seed=1).holds


def test_true_durations_of_everybody_are_found_though_nobody_is_alone() -> None:
    log = large_crowds()
    starts = np.random.default_rng(1).permutation(log.case_starts)
    time = log.time + np.repeat(starts - log.case_starts, np.diff(log.case_offsets))
    moved = EventLog(log.labels, log.activity, time, log.case_offsets).copies_of(
        np.random.default_rng(2).permutation(log.n_cases)
    )
    assert verdicts(audit_release(log, moved))[promises.EXACT_CASES] == BROKEN


def test_ids_of_people_are_found_whatever_path_they_took() -> None:
    log = log_of([("AB", [i * HOUR, i * HOUR + i * MINUTE]) for i in range(60)])
    ids = [f"patient {i}" for i in range(60)]
    release = anonymize(log, 0.2, method="blend", seed=1).log
    names = [f"{ids[i % 60]}-copy" for i in range(release.n_cases)]
    assert verdicts(audit_release(log, release, ids=(ids, names)))[promises.IDS] == BROKEN


def test_a_reversed_order_is_an_order_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def reversed_order(log: EventLog, made: Outcome) -> Outcome:
        kept = order_kept(log, made)
        order = np.arange(kept.log.n_cases)[::-1]
        assert kept.ancestors is not None
        return Outcome(kept.log.copies_of(order), kept.ancestors[order])

    weakened("blend", reversed_order, monkeypatch)
    assert verdicts(attacked(synthesize(cases=120, seed=1), "blend", "order", 20))[promises.ORDER] == BROKEN


def test_a_file_sorted_by_its_own_starts_tells_no_order() -> None:
    log = synthesize(cases=200, seed=2)
    release = anonymize(log, 0.2, method="blend", seed=1).log
    in_order = release.copies_of(np.argsort(release.case_starts, kind="stable"))
    assert verdicts(audit_release(log, in_order))[promises.ORDER] == NOT_TESTED


def test_what_is_public_does_not_change_with_one_person() -> None:
    """One step of years would change the longest, which is public."""
    cases = [(path, list(times)) for path, times in cases_of(large_crowds())]
    cases[0][1][-1] += 4000 * DAY
    found = audit(log_of(cases), 0.2, method="strict", attacks=["time"], runs=30, seed=1)
    assert verdicts(found)[promises.REPLACED] != BROKEN


def test_a_log_of_which_hardly_any_release_comes_can_be_audited() -> None:
    log = log_of_paths(*"A" * 60)
    for seed in range(3):
        try:
            audit(log, 0.2, method="strict", runs=2, seed=seed)
        except LogError as error:
            assert "too small" in str(error)  # noqa: PT017 - either is right


# ---------------------------------------------------------------------------------------- the command


def test_the_command_attacks_a_method(tmp_path) -> None:
    write_log(synthesize(cases=80), tmp_path / "log.csv")
    result = run_command(
        "audit", tmp_path / "log.csv", "--method", "blend", "--runs", 4, "--attack", "path", "start", "--seed", 1,
        "--html", tmp_path / "audit.html",
    )  # fmt: skip
    assert "PRIVATE, DO NOT PUBLISH" in result.output
    assert "true starts" in result.output
    assert "linkage" not in result.output
    page = (tmp_path / "audit.PRIVATE.html").read_text()
    assert "Can it be attacked? blend at delta 0.2" in page


def test_the_command_attacks_a_release_and_ends_with_1_if_it_is_broken(tmp_path) -> None:
    log, good, bad = (tmp_path / name for name in ("log.xes", "good.parquet", "bad.csv"))
    original = synthesize(cases=200, seed=2)
    write_log(original, log)
    write_log(anonymize(original, 0.2, method="blend", seed=1).log, good)
    write_log(original, bad)
    assert json.loads(run_command("audit", log, good, "--json").stdout)["private"]
    result = run_command("audit", log, bad, ok=False)
    assert result.exit_code == 1
    assert "BROKEN" in result.output


def test_attributes_besides_case_activity_and_time_are_named(tmp_path) -> None:
    log = synthesize(cases=60)
    write_log(log, tmp_path / "log.csv")
    frame = log.to_polars()
    from unsingle.formats import write_frame

    write_frame(frame.with_columns(org_timestamp=frame["time:timestamp"]), tmp_path / "other.csv")
    result = run_command("audit", tmp_path / "log.csv", tmp_path / "other.csv", ok=False)
    assert "org_timestamp" in result.output
    xes = tmp_path / "other.xes"
    write_log(log, xes)
    text = xes.read_text()
    xes.write_text(text.replace("<classifier", '<string key="source" value="secret.csv"/><classifier'))
    assert "log:source" in run_command("audit", tmp_path / "log.csv", xes, ok=False).output


def test_a_given_release_is_attacked_as_it_is(tmp_path) -> None:
    result = run_command("audit", tmp_path / "a.csv", tmp_path / "b.csv", "--attack", "path", ok=False)
    assert result.exit_code == 2
    assert "--attack is for releases that are made" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--slack", "0.001"], "go with --method strict only"),
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
    with pytest.raises(LogError, match="too small for strict"):
        audit(crowds(), method="strict", runs=4)


def test_several_processes_find_the_same_as_one() -> None:
    log = synthesize(cases=60)
    one, two = (audit(log, method="blend", runs=6, seed=5, processes=n) for n in (1, 2))
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


def judged(right: int, guesses: int, method: str = "blend", attack: str = promises.PRESENT) -> Finding:
    runs = [Tried(right / guesses, 0.5, 1)] * guesses
    return finding(attack, "?", runs, method, Options(delta=0.2), at_once=20)


def test_verdicts() -> None:
    assert judged(700, 1000).verdict == HOLDS
    assert judged(780, 1000).verdict == BROKEN
    assert judged(20, 30).verdict == UNDECIDED
    assert judged(700, 1000, "amun").promised is False
    assert finding(promises.START, "?", [], "blend", Options(), 20).verdict == NOT_TESTED


def test_an_excess_of_a_twentieth_is_told_by_a_thousand_runs() -> None:
    """2,000 guesses of which 75 of 100 are right, where 70 are allowed."""
    assert judged(1500, 2000).verdict == BROKEN


def test_promises_are_those_of_the_guarantees() -> None:
    options = Options(delta=0.2)
    for method, made in METHODS.items():
        most = max(promise.gain for promise in made.guarantee(options).promises)
        for attack, allowed in promises.promised(method, options).items():
            # the chance of an event changes by up to twice what a yes/no guess gains
            assert allowed <= most * (2 if method == "strict" and attack not in promises.GAMES[:5] else 1) + 1e-9
    assert promises.promised("amun", Options(as_published=True)) == {}


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
    found = audit(log_of_paths("A", "A"), method="blend", runs=2, processes=1, seed=1)
    assert {promises.EXCHANGED, promises.ALONE, promises.OTHER_PATH} <= {
        each.attack for each in found.findings if each.verdict == NOT_TESTED
    }


def test_the_chance_before_is_that_of_the_best_guess() -> None:
    """Of 0, 1, 2 and 100, a guess within 10 is right for three, one within 1 for three, an exact one for one."""
    assert [chance for _, chance in before(np.array([0.0, 1.0, 2.0, 100.0]))] == [0.75, 0.75, 0.25]


def test_an_added_case_is_judged_by_its_exact_likelihood() -> None:
    known = speaks_for_one_more(5, Fraction(1, 5))
    assert known((5.0,)) < 0  # nobody was added, so there are five
    assert all(known((float(count),)) > 0 for count in (6, 7, 20))


# ---------------------------------------------------------------------------------------- real logs


@pytest.mark.parametrize("method", ["blend", "strict"])
def test_attacks_on_sepsis_do_not_break_what_is_promised(method: str) -> None:
    found = audit(read_log(real_log_path("Sepsis")), 0.2, method=method, runs=20, seed=1, processes=2)
    assert found.holds, found.verdict


def test_attacks_on_sepsis_break_amun_where_its_gap_is() -> None:
    found = audit(read_log(real_log_path("Sepsis")), 0.2, method="amun", attacks=["time"], runs=30, seed=1, processes=2)
    assert verdicts(found)[promises.EXCHANGED] == BEYOND
    assert found.holds  # it is not promised


def test_tallies_with_half_the_noise_have_half_the_deviation(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be told from a release, because it is far below delta, is checked at the mechanism itself."""
    noisy = tallies.noised(np.zeros(4000, dtype=np.int64), 0.01, Randomness(1))
    assert noisy.values.std() == pytest.approx(1 / math.sqrt(2 * 0.01), rel=0.05)
