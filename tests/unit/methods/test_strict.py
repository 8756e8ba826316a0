"""Paths taken by many, by `strict` and by `twin` with paths of crowds: what a release has, what it spent, and answers.

That no more is revealed than is said is computed in test_claims.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import cases_of, event_logs, examples, log_of, run_command
from unsingle import EventLog, LogError, ParameterError, anonymize, compare, synthesize, write_log
from unsingle.core.clock import DAY, HOUR
from unsingle.evaluation.figures import measure, summary
from unsingle.evaluation.measures import lost_variants
from unsingle.mechanisms import labels, selection
from unsingle.mechanisms.cases import Cases
from unsingle.mechanisms.measurements import Leak, Measurements, Noisy
from unsingle.mechanisms.shares import shares
from unsingle.mechanisms.tallies import Vectors
from unsingle.methods import chosen
from unsingle.privacy.budget import UNIT, Budget, Cost, Overspent, Terms
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import epsilon_for, every_outcome, paths_of_many, same_paths

TOO_SMALL = "no path or step is frequent enough to be published"
COUNTS = "how many cases take each path"
WAYS: dict[str, dict] = {"strict": {"method": "strict"}, "crowds": {"paths": "crowds"}}


def hospital_of(n: int) -> EventLog:
    """Six paths that many took."""
    rng = np.random.default_rng(0)
    cases = []
    for i in range(n):
        path = ["reg", "triage", *(["lab"] * int(rng.integers(0, 3))), "ward" if i % 3 else "home"]
        start = int(rng.integers(0, 200)) * DAY + 9 * HOUR
        cases.append((path, (start + np.cumsum([0, *rng.integers(1, 5, len(path) - 1)]) * HOUR).tolist()))
    return log_of(cases)


def without_crowds(n: int) -> EventLog:
    """Hardly anybody shares a path, but all share their steps."""
    rng = np.random.default_rng(1)
    return log_of(
        [
            (
                ["in", *(["x", "y", "z"][i] for i in rng.integers(0, 3, 9)), "out"],
                range(k * HOUR, (k + 11) * HOUR, HOUR),
            )
            for k in rng.integers(0, 7000, n).tolist()
        ]
    )


def half_crowds(n: int) -> EventLog:
    """Half of the cases are of the one kind, half of the other."""
    return log_of([*cases_of(hospital_of(n // 2)), *cases_of(without_crowds(n // 2))])


# ---------------------------------------------------------------------------------------- the budget


def test_the_budget_of_the_usual_delta() -> None:
    """Delta 0.2 is epsilon 0.811."""
    assert epsilon_for(0.2) == pytest.approx(0.811, abs=5e-4)
    assert math.tanh(epsilon_for(0.2, 1e-6) / 4) + 1e-6 == pytest.approx(0.2, abs=1e-12)


def test_a_prior_is_lifted_by_at_most_tanh_of_a_quarter_of_epsilon() -> None:
    for epsilon in (0.1, 0.811, 3.0):
        prior = np.linspace(0.001, 0.999, 999)
        lifted = prior * math.exp(epsilon) / (1 - prior + prior * math.exp(epsilon)) - prior
        assert lifted.max() == pytest.approx(math.tanh(epsilon / 4), rel=1e-4)
        assert lifted.max() <= math.tanh(epsilon / 4) + 1e-12


TERMS = {
    "twin": same_paths(0.2),
    "crowds": paths_of_many(0.2),
    "strict": every_outcome(0.2),
    "strict without paths": every_outcome(0.2).ways[0],
    "strict with crowds": every_outcome(0.2).ways[-1],
}


@pytest.mark.parametrize("name", TERMS)
def test_what_is_not_left_cannot_be_spent(name: str) -> None:
    terms = TERMS[name]
    more = [Cost("more", rho=0.5 * terms.rho, square=terms.rho), Cost("more", ratio=0.1)]
    if not terms.publishes_all_paths:
        more.append(Cost("more", leak=terms.limit))
    for cost in more:
        budget = terms.all_spent()
        with pytest.raises(Overspent, match="more: "):
            budget.spend(cost)


@pytest.mark.parametrize("name", TERMS)
def test_a_budget_counts_what_is_spent_in_whatever_order(name: str) -> None:
    terms, parts = TERMS[name], TERMS[name].all_spent().costs
    for order in (parts, parts[::-1]):
        budget = Budget(terms)
        spent = [budget.spent]
        for cost in order:
            budget.spend(cost)
            spent.append(budget.spent)
        assert all(before <= after for before, after in pairwise(spent))
        assert spent[-1] == pytest.approx(terms.all_spent().spent, rel=1e-9)
        assert spent[-1] <= terms.limit * (1 + 1e-9)


def test_tallies_cannot_have_more_than_all_of_rho() -> None:
    with pytest.raises(AssertionError, match="share no more than there is"):
        Measurements(same_paths(0.2), {"one": 0.6, "other": 0.5}, Randomness(1))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("slack", [0, 1e-13, 0.2, 0.5, 1, -1])
def test_slack_lies_between_0_and_delta(way: str, slack: float) -> None:
    with pytest.raises(ParameterError, match="slack must lie between"):
        anonymize(synthesize(cases=10), 0.2, slack=slack, **WAYS[way])


# ---------------------------------------------------------------------------------------- tallies and their noise


def test_a_tally_counts_cases_alike_however_long_they_are() -> None:
    cell, case = np.array([0, 1, 1, 1, 1]), np.array([0, 1, 1, 1, 1])
    assert (Vectors(cell, case, 2).total() / UNIT).round(3).tolist() == [1, 1]
    assert (Vectors(cell, case, 2).total(clip=8.0) / UNIT).round(3).tolist() == [0.125, 0.5]


def test_tallies_of_nothing() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert Vectors(nothing, nothing, 3).total().tolist() == [0, 0, 0]


def test_noise_has_the_deviation_that_its_rho_asks_for() -> None:
    terms, nothing = same_paths(0.2), np.empty(0, dtype=np.int64)
    noisy = Measurements(terms, {"half": 0.5}, Randomness(1)).tally("half", Vectors(nothing, nothing, 20_000))
    assert noisy.deviation == pytest.approx(1 / math.sqrt(terms.rho), rel=1e-3)
    assert noisy.values.std() == pytest.approx(noisy.deviation, rel=0.03)


def test_counts_have_the_noise_that_their_ratio_asks_for() -> None:
    for terms in (same_paths(0.2), every_outcome(0.2)):
        a, noised = float(terms.ratio), Measurements(terms, {}, Randomness(1))
        found = noised.cases_by_variant(np.full(20_000, 7)) - 7
        assert found.mean() == pytest.approx(0, abs=0.1)
        assert found.std() == pytest.approx(math.sqrt(2 * a) / (1 - a), rel=0.03)
        assert noised.budget.costs[0].ratio == a


def test_no_number_of_cases_is_below_0() -> None:
    found = [Measurements(same_paths(0.2), {}, Randomness(seed)).number_of_cases(1) for seed in range(50)]
    assert min(found) == 0
    assert len(set(found)) > 5


# ---------------------------------------------------------------------------------------- with or without paths


SHARED = {"few": without_crowds(1500), "some": half_crowds(1500), "most": hospital_of(900)}
"""Logs by how many people share their path."""


@pytest.mark.parametrize("delta", [0.2, 0.4])
@pytest.mark.parametrize("name", SHARED)
def test_how_many_share_their_path_chooses_what_is_spent_on_counts_of_paths(name: str, delta: float) -> None:
    way = dict(zip(SHARED, every_outcome(delta).ways, strict=True))[name]
    budget = anonymize(SHARED[name], delta, method="strict", seed=1).budget
    assert budget is not None
    ratios = {cost.name: cost.ratio for cost in budget.costs}
    assert "how many cases are on paths of many" in ratios
    assert ratios.get(COUNTS) == (None if name == "few" else float(way.ratio))
    assert budget.rho == pytest.approx(way.rho, rel=0.05)
    assert budget.spent <= every_outcome(delta).limit


@pytest.mark.parametrize("delta", [0.01, 0.05, 0.2, 0.5, 0.9])
def test_all_ways_keep_within_what_there_is(delta: float) -> None:
    terms = every_outcome(delta)
    for way in terms.ways:
        assert way.limit == terms.limit
        assert 0.3 * way.limit < way.all_spent().spent <= way.limit
        assert math.fsum(shares(way).values()) == pytest.approx(1)
    assert not terms.ways[0].counts_paths
    rhos, ratios = [way.rho for way in terms.ways], [way.ratio for way in terms.ways]
    assert rhos == sorted(rhos, reverse=True)  # the more is spent on counts of paths, the less is left for tallies
    assert ratios == sorted(ratios, reverse=True)
    assert rhos[0] > 2 * rhos[1]


def test_paths_of_crowds_by_twin_always_count_paths() -> None:
    assert not paths_of_many(0.2).ways
    costs = [cost.name for cost in anonymize(without_crowds(600), paths="crowds", seed=1).budget.costs]
    assert COUNTS in costs
    assert "how many cases are on paths of many" not in costs


def test_a_log_without_crowds_keeps_its_steps() -> None:
    log = without_crowds(1500)
    for delta, way in ((0.2, "crowds"), (0.4, "strict")):
        release = anonymize(log, delta, seed=1, **WAYS[way])
        assert 1 - compare(log, release).edge_change.frequency_distance > 0.9
        paths = release.log.variant_counts()
        assert sum(times for path, times in paths.items() if (path[0], path[-1]) == ("in", "out")) > 0.9 * 1500


# ---------------------------------------------------------------------------------------- lengths


@pytest.mark.parametrize("way", WAYS)
def test_released_paths_are_as_long_as_those_of_the_log(way: str) -> None:
    log = synthesize(cases=1500, seed=3)
    for seed in range(3):
        release = anonymize(log, 0.2, seed=seed, **WAYS[way]).log
        assert 0.5 < release.n_events / log.n_events < 2
        assert 0.9 < release.n_cases / log.n_cases < 1.1


def test_short_and_long_paths_stay_apart() -> None:
    """Half of the cases have 3 events, half of them 30, on paths of their own."""
    rng = np.random.default_rng(1)
    words = [[*"abcdef"[: 1 + i % 2], *rng.choice([*"uvwxyz"], 28 if i % 2 else 1), "end"] for i in range(3000)]
    log = log_of([(word, range(0, len(word) * HOUR, HOUR)) for word in words])
    for way, delta in (("crowds", 0.2), ("strict", 0.4)):
        lengths = np.diff(anonymize(log, delta, seed=1, **WAYS[way]).log.case_offsets)
        assert (lengths < 8).mean() == pytest.approx(0.5, abs=0.1)
        assert ((lengths > 12) & (lengths < 60)).mean() == pytest.approx(0.5, abs=0.1)


# ---------------------------------------------------------------------------------------- labels


class Told(Measurements):
    """Adds no noise, and keeps what was asked."""

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms, shares(terms), Randomness(1))
        self.asked: dict[str, np.ndarray] = {}

    def tally_of_texts(self, name: str, vectors: Vectors, texts: Sequence[str], leak: Leak) -> Noisy:
        noisy = super().tally_of_texts(name, vectors, texts, leak)
        self.asked[name] = noisy.values
        return noisy

    def _gaussian(self, _name: str, true: np.ndarray, _s: int) -> np.ndarray:
        return true


def many_labels() -> EventLog:
    """Each case has 24 labels that all have, in its own order, and one of 90 people."""
    rng, common = np.random.default_rng(1), [f"c{i:02}" for i in range(24)]
    return log_of([([*rng.permutation(common), f"rare {i // 90}"], range(0, 25 * HOUR, HOUR)) for i in range(900)])


def found_labels(log: EventLog, noised: Measurements, published: str = "") -> tuple[str, ...]:
    return labels.published_labels(Cases.of(log), np.array([each in published for each in log.labels]), noised)


def test_labels_are_found_in_rounds_and_leave_room_for_others() -> None:
    log, told = many_labels(), Told(paths_of_many(0.2))
    assert found_labels(log, told) == log.labels
    first, second, third = (told.asked[name] for name in labels.ROUNDS)
    of_all, rare = np.arange(24), np.arange(24, 34)
    assert np.allclose(first[of_all], 900 / 5, rtol=1e-3)
    assert np.allclose(first[rare], 90 / 5, rtol=1e-3)
    assert np.allclose(second[rare], 90, rtol=1e-3)  # with nothing else left in their cases
    assert not second[of_all].any()
    assert not third.any()
    assert sum(cost.leak for cost in told.budget.costs) == pytest.approx(paths_of_many(0.2).label_leak)


def test_rounds_find_labels_that_one_round_would_not(monkeypatch: pytest.MonkeyPatch) -> None:
    log, terms = many_labels(), paths_of_many(0.2)
    found = anonymize(log, 0.2, paths="crowds", seed=1).log.labels
    assert sum(label.startswith("rare") for label in found) >= 8
    monkeypatch.setattr(labels, "ROUNDS", {"in one": 1.0})
    found = found_labels(log, Measurements(terms, {"in one": 0.11}, Randomness(1)))
    assert sum(label.startswith("c") for label in found) == 24
    assert not any(label.startswith("rare") for label in found)


def test_labels_of_published_paths_are_published_and_leave_room_for_others() -> None:
    log = log_of([("ABC", range(3))])
    told = Told(paths_of_many(0.2))
    assert found_labels(log, told, "AC") == ("A", "C")
    for values in told.asked.values():
        assert values.round(3).tolist() == [0, 1, 0]


def test_a_case_counts_with_a_hundred_labels_at_most_in_each_round() -> None:
    log = log_of([([f"{i:03}" for i in range(250)], range(250))])
    told = Told(every_outcome(0.2))
    assert found_labels(log, told) == ()
    for values in told.asked.values():
        assert (values > 0).sum() == selection.MOST
        assert (values**2).sum() <= 1


def test_labels_of_few_people_are_not_published() -> None:
    log = hospital_of(2000)
    odd = log_of([*cases_of(log), *[(["reg", f"dr. {name}", "home"], (0, HOUR, DAY)) for name in "abcde"]])
    for way in WAYS:
        release = anonymize(odd, 0.2, seed=1, **WAYS[way])
        assert set(release.log.labels) == set(log.labels)
        assert ("reg", "home") not in lost_variants(log, release.log)


@pytest.mark.parametrize("way", WAYS)
def test_only_given_labels_are_released(way: str) -> None:
    log, given_labels = hospital_of(3000), ("reg", "ward", "moon")
    release = anonymize(log, 0.4, labels=given_labels, seed=1, **WAYS[way])
    named = {path: times for path, times in release.log.variant_counts().items() if times > 100}
    assert set().union(*release.log.variant_counts()) <= set(given_labels)
    assert set(named) == {("reg",), ("reg", "ward")}
    assert not any(cost.name in labels.ROUNDS for cost in release.budget.costs)
    others = int((~np.isin(log.activity_names(), given_labels)).sum())
    assert measure(log, release).outside == {"events of other labels": others}
    assert any("given activity labels" in each for each in release.guarantee.assumes)


@pytest.mark.parametrize("given_labels", [(), ("A", "A")])
def test_given_labels_must_make_sense(given_labels: tuple[str, ...]) -> None:
    with pytest.raises(ParameterError, match="public labels must be distinct, and there must be at least one"):
        chosen("strict", labels=given_labels)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cases", [50, 3000])
def test_labels_that_nobody_has_get_the_same_answer_as_those_that_somebody_has(way: str, cases: int) -> None:
    """A refusal that is certain where nobody has a label, and is not for neighbours, would tell them apart."""
    log = hospital_of(cases)
    neighbour = log_of([*cases_of(log), (["moon", "sun"], (0, HOUR))])
    for seed in range(3):
        answers = set()
        for each in (log, neighbour):
            try:
                released = anonymize(each, 0.2, labels=("moon", "sun"), seed=seed, **WAYS[way])
            except LogError as error:
                answers.add(str(error))
            else:
                answers.add("released")
                assert set().union(*released.log.variant_counts()) <= {"moon", "sun"}
        assert len(answers) == 1


# ---------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize("way", WAYS)
def test_too_small_is_told_in_the_same_words_whatever_is_in_the_log(way: str) -> None:
    logs = [
        hospital_of(20),
        log_of([("Z", [0])]),
        log_of([("XY", [0, DAY])] * 8),
        log_of([(f"{i:05}", range(5)) for i in range(15)]),
    ]
    messages = set()
    for log in logs:
        for seed in range(2):
            with pytest.raises(LogError, match=TOO_SMALL) as raised:
                anonymize(log, 0.2, seed=seed, **WAYS[way])
            messages.add(str(raised.value))
    with pytest.raises(LogError, match=TOO_SMALL) as raised:
        anonymize(hospital_of(20), 0.2, labels=("X", "Y"), seed=1, **WAYS[way])
    messages.add(str(raised.value))
    assert len(messages) == 1


@examples(50)
@given(event_logs(), st.sampled_from([0.2, 0.9, 0.99]), st.integers(0, 5), st.sampled_from(sorted(WAYS)), st.booleans())
def test_any_log_gives_a_release_or_a_clear_answer(log: EventLog, delta, seed, way, are_given) -> None:
    try:
        release = anonymize(log, delta, labels=tuple("ABCDE") if are_given else None, seed=seed, **WAYS[way])
    except LogError as error:
        assert TOO_SMALL in str(error)  # noqa: PT017 - either is right
        return
    assert release.budget is not None
    assert release.budget.spent <= release.budget.terms.limit * (1 + 1e-9)
    assert release.log.n_cases > 0
    assert all((np.diff(times) >= 0).all() for _, times in cases_of(release.log))
    assert set().union(*release.log.variant_counts()) <= set(log.labels) | (set("ABCDE") if are_given else set())


# ---------------------------------------------------------------------------------------- releases


@pytest.mark.parametrize("way", WAYS)
def test_a_release_says_what_it_spent(way: str) -> None:
    log = hospital_of(2000)
    release = anonymize(log, 0.2, seed=1, **WAYS[way])
    assert release.ancestors is None
    budget = release.public()["budget"]
    assert len(budget["costs"]) >= 14
    assert all(cost.keys() & {"ratio", "rho"} for cost in budget["costs"])
    spent = sum(cost.get("rho", 0) for cost in budget["costs"])
    assert 0.95 * budget["rho"] < spent <= budget["rho"] * (1 + 1e-9)  # the zone was given, and nothing spent on it
    assert budget["gain"] <= 0.2
    everything = summary(release, measure(log, release))
    assert everything["smape"] is None
    assert json.dumps(everything)
    if way == "strict":
        assert budget["epsilon_presence"] <= 0.811
        assert "epsilon 0.811 and slack 0.000001 for presence" in release.guarantee.limits


@pytest.mark.parametrize("way", WAYS)
def test_crowds_are_named_and_nobody_alone_is(way: str) -> None:
    log, lone = hospital_of(3000), ("reg", "ward", "triage", "home")
    alone = log_of([*cases_of(log), (lone, (0, 1, 2, 3))])
    for seed in range(3):
        release = anonymize(alone, 0.2, seed=seed, **WAYS[way])
        true, shown = log.variant_counts(), release.log.variant_counts()
        assert lone not in shown
        assert measure(alone, release).lost_variants == {lone: 1}
        assert all(abs(shown[path] - count) < 60 for path, count in true.items())


@pytest.mark.parametrize("way", WAYS)
def test_the_order_of_the_original_does_not_matter(way: str) -> None:
    log = hospital_of(1000)
    other = log.subset(np.arange(log.n_cases)[::-1])
    one, two = (anonymize(each, 0.4, seed=4, **WAYS[way]).log for each in (log, other))
    assert one == two
    assert one.labels == tuple(sorted(one.labels))


@pytest.mark.parametrize("way", WAYS)
def test_a_seed_repeats_a_release_and_none_does_not(way: str) -> None:
    log = hospital_of(500)
    one, two = (anonymize(log, 0.4, seed=4, **WAYS[way]).log for _ in range(2))
    assert one == two
    assert anonymize(log, 0.4, **WAYS[way]).log != anonymize(log, 0.4, **WAYS[way]).log


def test_twin_with_paths_of_crowds_shows_more_than_strict() -> None:
    """The same pipeline, but an average over the noise costs less than every outcome."""
    log = synthesize(cases=1500, seed=3)
    kept = {
        way: np.mean([1 - compare(log, anonymize(log, seed=seed, **WAYS[way])).edge_change.frequency_distance
                      for seed in range(2)])
        for way in WAYS
    }  # fmt: skip
    assert kept["crowds"] > kept["strict"] > 0.6


# ---------------------------------------------------------------------------------------- the command


def test_the_summary_prints_the_promise_and_what_it_holds_for(tmp_path: Path) -> None:
    write_log(hospital_of(2000), tmp_path / "log.csv")
    result = run_command("anonymize", tmp_path / "log.csv", "-o", tmp_path / "out.csv", "--method", "strict")
    words = " ".join(result.output.split())
    assert "epsilon 0.811 and slack 0.000001" in words
    assert "SMAPE" not in result.output


@pytest.mark.parametrize("way", [["--method", "strict"], ["--paths", "crowds"]], ids=str)
def test_labels_slack_and_grid_are_options(way: list[str], tmp_path: Path) -> None:
    write_log(hospital_of(2000), tmp_path / "log.csv")
    (tmp_path / "labels.txt").write_text("reg\n\ntriage\nlab\nward\n")
    result = run_command(
        "anonymize", tmp_path / "log.csv", "-o", tmp_path / "out.csv", *way, "--labels", tmp_path / "labels.txt",
        "--slack", "1e-7", "--grid", "hour", "--json",
    )  # fmt: skip
    figures = json.loads(result.stdout)
    assert figures["outside"] == {"events of other labels": 667}
    costs = [cost["name"] for cost in figures["budget"]["costs"]]
    assert not set(costs) & {*labels.ROUNDS, "which grid times lie on"}
    assert "home" not in (tmp_path / "out.csv").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--labels", "none.txt"], "none.txt: cannot be read"),
        (["--labels", "empty.txt"], "empty.txt: has no labels"),
        (["--labels", "latin.txt"], "latin.txt: is not text in UTF-8"),
        (["--slack", "0.5"], "slack must lie between"),
        (["--slack", "0"], "slack must lie between 1e-12 and delta"),
        (["--grid", "week"], "week"),
        (["--delta", "1"], "delta"),
        (["--paths", "crowds"], "--paths crowds works only with twin, not with strict"),
    ],
)
def test_wrong_options_are_told_before_any_work(options: list[str], message: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("\n \n")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    result = run_command("anonymize", "log.csv", "-o", "out.csv", "--method", "strict", *options, ok=False)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out.csv").exists()


def test_a_log_that_is_too_small_leaves_no_file(tmp_path: Path) -> None:
    write_log(hospital_of(20), tmp_path / "log.csv")
    words = ("anonymize", tmp_path / "log.csv", "-o", tmp_path / "out.csv", "--method", "strict")
    result = run_command(*words, ok=False)
    assert result.exit_code != 0
    assert TOO_SMALL in " ".join(result.output.split())
    assert not (tmp_path / "out.csv").exists()


def test_a_sweep_can_try_it(tmp_path: Path) -> None:
    write_log(hospital_of(800), tmp_path / "log.csv")
    result = run_command("sweep", tmp_path / "log.csv", "--method", "strict", "--delta", "0.2", "0.4", "--runs", 1)
    assert re.findall(r"^ *strict +(0\.\d)", result.output, re.MULTILINE) == ["0.2", "0.4"] * 2  # in both tables
