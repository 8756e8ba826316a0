"""Method `strict`: what it spends, that each mechanism is as private as it says, and what it keeps of real logs."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist, mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import cases_of, event_logs, examples, log_of, real_log_path, run_command
from unsingle import EventLog, LogError, ParameterError, Public, anonymize, compare, read_log, synthesize, write_log
from unsingle.accounting import Budget, Cost, Overspent, epsilon_for, epsilon_of_rho, rho_for
from unsingle.clock import DAY, HOUR, MINUTE
from unsingle.measures import lost_variants
from unsingle.methods import selection, spending, strict, walks
from unsingle.methods.drawn_times import duration_bins
from unsingle.methods.tallies import UNIT, Noisy, believable, draw, noised, shapes, tally
from unsingle.options import Options
from unsingle.randomness import Randomness

DELTAS = (0.05, 0.1, 0.2, 0.4, 0.6)


def hospital_of(n: int) -> EventLog:
    """A few paths that many took, and a few that nobody else took."""
    rng = np.random.default_rng(0)
    cases = []
    for i in range(n):
        path = ["reg", "triage", *(["lab"] * int(rng.integers(0, 3))), "ward" if i % 3 else "home"]
        start = int(rng.integers(0, 200)) * DAY + 9 * HOUR
        cases.append((path, (start + np.cumsum([0, *rng.integers(1, 5, len(path) - 1)]) * HOUR).tolist()))
    return log_of(cases)


# ---------------------------------------------------------------------------------------- the budget


def test_the_budget_of_the_usual_delta() -> None:
    """MECHANISM: delta 0.2 is epsilon 0.811."""
    assert Budget(Fraction(1, 5)).epsilon == pytest.approx(0.811, abs=5e-4)
    assert math.tanh(epsilon_for(Fraction(1, 5), 1e-6) / 4) + 1e-6 == pytest.approx(0.2, abs=1e-12)


def test_a_prior_is_lifted_by_at_most_tanh_of_a_quarter_of_epsilon() -> None:
    for epsilon in (0.1, 0.811, 3.0):
        prior = np.linspace(0.001, 0.999, 999)
        lifted = prior * math.exp(epsilon) / (1 - prior + prior * math.exp(epsilon)) - prior
        assert lifted.max() <= math.tanh(epsilon / 4) + 1e-12
        assert lifted.max() == pytest.approx(math.tanh(epsilon / 4), rel=1e-4)


@pytest.mark.parametrize(
    "cost", [Cost("x", epsilon=0.9), Cost("x", slack=2e-6), Cost("x", rho=0.1), Cost("x", epsilon=0.8, rho=0.01)]
)
def test_what_is_not_left_cannot_be_spent(cost: Cost) -> None:
    with pytest.raises(Overspent, match="x: "):
        Budget(Fraction(1, 5)).spend(cost)


def test_all_that_is_left_can_be_spent_and_no_more() -> None:
    budget = Budget(Fraction(1, 5))
    budget.spend(Cost("selection", epsilon=0.4, slack=5e-7))
    budget.spend(Cost("tallies", rho=budget.rho_left))
    assert budget.spent == pytest.approx(budget.epsilon, rel=1e-6)
    assert budget.delta <= 0.2 + 1e-9
    with pytest.raises(Overspent):
        budget.spend(Cost("one more", rho=budget.rho * 0.01))


@pytest.mark.parametrize("rho", [1e-4, 1e-3, 0.01, 0.1, 1.0])
@pytest.mark.parametrize("slack", [1e-9, 1e-6, 1e-3])
def test_rho_is_never_counted_for_less_than_the_exact_cost_of_a_gaussian(rho: float, slack: float) -> None:
    """The exact slack of one Gaussian shift (Balle and Wang 2018) is a lower bound for what rho can mean."""
    epsilon, mu = epsilon_of_rho(rho, slack), math.sqrt(2 * rho)
    below = NormalDist().cdf
    exact = below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu)
    assert exact <= slack
    assert epsilon <= rho + 2 * math.sqrt(rho * math.log(1 / slack))  # and not worse than the simple bound
    assert rho_for(epsilon, slack) == pytest.approx(rho, rel=1e-6)


@pytest.mark.parametrize("delta", DELTAS)
def test_every_plan_spends_its_budget_and_no_more(delta: float) -> None:
    for budget in strict.budgets(Options(delta=delta)):
        assert budget.spent <= budget.epsilon * (1 + 1e-9)
        assert budget.spent >= budget.epsilon * 0.99
        assert budget.delta <= delta + 1e-9
        assert budget.swapped_gain <= delta  # a guess between two cases gains less than delta on average
        assert budget.present_gain <= delta


def test_the_shares_of_a_plan_are_one() -> None:
    assert {round(sum(plan.values()), 9) for plan in spending.PLANS.values()} == {1.0}


@pytest.mark.parametrize("slack", [0, 0.2, 1, -1])
def test_slack_lies_between_0_and_delta(slack: float) -> None:
    with pytest.raises(ParameterError, match="slack must lie between 0 and"):
        anonymize(synthesize(cases=10), 0.2, method="strict", slack=slack)


# ---------------------------------------------------------------------------------------- selection


class Fixed:
    """Draws what it is told."""

    def __init__(self, noise: int) -> None:
        self._noise = noise

    def truncated_laplace(self, _scale: float, _most: int, n: int) -> np.ndarray:
        return np.full(n, self._noise)


def published(count: int, epsilon: float, slack: float) -> Counter:
    """The exact distribution of what the real code publishes of a variant with this many cases."""
    most = selection.threshold(epsilon, slack)
    weights = {z: math.exp(-epsilon * abs(z)) for z in range(-most, most + 1)}
    total = sum(weights.values())
    chances: Counter = Counter()
    for z, weight in weights.items():
        result = int(selection.select(np.array([count]), epsilon, slack, Fixed(z))[0])  # type: ignore[arg-type]
        chances[result] += weight / total
    return chances


def slack_between(p: Counter, q: Counter, epsilon: float) -> float:
    """How much of p is not covered by e^epsilon times q."""
    return sum(max(0.0, p[x] - math.exp(epsilon) * q[x]) for x in p)


@pytest.mark.parametrize("slack", [1e-2, 5e-7])
@pytest.mark.parametrize("epsilon", [0.2, 0.405, 1.5])
def test_selection_is_as_private_as_it_says(epsilon: float, slack: float) -> None:
    most = selection.threshold(epsilon, slack)
    worst = 0.0
    for count in range(2 * most + 3):
        with_, without = published(count + 1, epsilon, slack), published(count, epsilon, slack)
        worst = max(worst, slack_between(with_, without, epsilon), slack_between(without, with_, epsilon))
    assert worst <= slack
    assert worst > slack / math.exp(2 * epsilon)  # and the threshold is not higher than it must be


def test_selection_with_less_noise_than_it_says_is_not() -> None:
    with_, without = (published(count, 0.5, 1e-6) for count in (60, 61))
    assert slack_between(with_, without, 0.45) > 1e-3


def test_a_path_that_nobody_took_is_never_published() -> None:
    for noise in (-32, 0, 32):
        assert selection.select(np.array([0]), 0.405, 5e-7, Fixed(noise))[0] == 0  # type: ignore[arg-type]


def test_the_distance_of_two_paths_is_computed_exactly() -> None:
    """The same by going through all pairs of outcomes."""
    epsilon, slack = 0.405, 1e-3
    u, v = (published(count, epsilon, slack) for count in (100, 101))
    moved = sum(abs(u[x] * v[y] - v[x] * u[y]) for x in u | v for y in u | v) / 2
    assert selection.cost(epsilon, slack).swapped == pytest.approx(moved)


# ---------------------------------------------------------------------------------------- tallies


@examples(200)
@given(event_logs(), st.data())
def test_one_case_changes_a_tally_by_a_vector_of_length_one(log: EventLog, data: st.DataObject) -> None:
    case = np.repeat(np.arange(log.n_cases), np.diff(log.case_offsets))
    cell = log.activity.astype(np.int64)
    weight = np.array(data.draw(st.lists(st.floats(0.5, 8), min_size=4, max_size=4)))[cell]
    gone = data.draw(st.integers(0, log.n_cases - 1))
    left = case != gone
    whole, less = tally(cell, case, 4, weight), tally(cell[left], case[left], 4, weight[left])
    assert (whole >= less).all()
    assert math.sqrt(((whole - less) ** 2).sum()) <= UNIT


def test_a_tally_counts_cases_alike_however_long_they_are() -> None:
    total = tally(np.array([0, 1, 1, 1, 1]), np.array([0, 1, 1, 1, 1]), 2)
    assert (total / UNIT).round(3).tolist() == [1, 1]


def test_tallies_of_nothing() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert tally(nothing, nothing, 3).tolist() == [0, 0, 0]
    assert len(draw(np.full((1, 2), 0.5), nothing, Randomness(0))) == 0


def test_noise_has_the_deviation_that_its_rho_asks_for() -> None:
    noisy = noised(np.zeros(20_000, dtype=np.int64), 0.02, Randomness(1))
    assert noisy.deviation == pytest.approx(5, rel=1e-3)
    assert noisy.values.std() == pytest.approx(5, rel=0.03)


@examples(200)
@given(st.integers(0, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_shapes_are_distributions_within_what_is_possible(levels: int, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = 2**levels
    prior = rng.random((rows, cells)) * (rng.random((rows, cells)) < 0.7)
    prior[:, 0] += 0.1
    found = shapes(rng.normal(0, 30, (rows, cells)), np.full((rows, cells), 5.0), prior, 3)
    assert np.allclose(found.sum(axis=1), 1)
    assert (found >= 0).all()
    assert (found[prior == 0] == 0).all()


def test_a_long_thin_tail_is_seen_though_no_bin_of_it_is() -> None:
    values = np.zeros((1, 16))
    values[0, 0], values[0, 8:] = 500, 10
    found = shapes(values, np.full((1, 16), 5.0), np.full((1, 16), 1 / 16), 3)
    assert 0.1 < found[0, 8:].sum() < 0.16


def test_believable_counts_are_hardly_ever_noise() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0, 1, 10_000)
    values[:100] += 8
    kept = believable(Noisy(values, 1.0), 0.1) > 0
    assert kept[:100].mean() > 0.95
    assert kept[100:].sum() <= 20
    assert not believable(Noisy(rng.normal(0, 1, 10_000), 1.0), 0.001).any()


def test_draws_follow_their_row() -> None:
    shape = np.array([[0.0, 1.0, 0.0, 0.0], [0.25, 0.0, 0.75, 0.0]])
    drawn = draw(shape, np.repeat([0, 1], 4000), Randomness(1))
    assert set(drawn[:4000].tolist()) == {1}
    assert np.bincount(drawn[4000:], minlength=4)[[1, 3]].tolist() == [0, 0]
    assert (drawn[4000:] == 2).mean() == pytest.approx(0.75, abs=0.03)


# ---------------------------------------------------------------------------------------- walks


def model_log() -> tuple[Noisy, walks.Ends]:
    """A, then B once or twice, then C: three steps of 3 or 4 events."""
    steps = np.zeros((3, 3))
    steps[0, 1], steps[1, 1], steps[1, 2] = 100, 50, 100
    lengths = np.zeros(16)
    lengths[walks.length_bin(np.array([3]))[0]] = 1
    return Noisy(steps.ravel(), 1.0), walks.Ends(np.array([100.0, 0, 0]), np.array([0, 0, 100.0]), lengths, True)


def test_walks_take_known_steps_from_a_beginning_to_an_end() -> None:
    noisy, ends = model_log()
    activity, lengths = walks.walk(walks.model_of(noisy, ends), ends, 200, Randomness(1))
    offsets = np.cumsum([0, *lengths])
    paths = Counter("".join("ABC"[a] for a in activity[first:after]) for first, after in pairwise(offsets))
    assert set(paths) <= {"ABC", "ABBC"}
    assert len(activity) == offsets[-1]


def test_a_length_that_no_walk_has_becomes_a_shorter_one() -> None:
    noisy, ends = model_log()
    steps = noisy.values.copy()
    steps[4] = 0  # B is not repeated
    long = np.zeros(16)
    long[-1] = 1
    ends = ends._replace(lengths=long)
    _, lengths = walks.walk(walks.model_of(Noisy(steps, 1.0), ends), ends, 20, Randomness(1))
    assert set(lengths.tolist()) == {3}


def test_paths_are_led_on_where_steps_were_lost() -> None:
    steps = np.zeros((4, 4))
    steps[0, 1] = steps[2, 3] = 100  # how B leads to C was lost in the noise
    ends = walks.Ends(np.array([100.0, 0, 0, 0]), np.array([0, 0, 0, 100.0]), np.eye(16)[3], True)
    model = walks.model_of(Noisy(steps.ravel(), 1.0), ends)
    assert model.step[1, 2] == 1
    assert model.step[1].sum() == 1


def test_walks_are_for_those_whose_path_is_not_named() -> None:
    """A crowd on one path, and as many people who hardly share a path, but all their steps."""
    rng = np.random.default_rng(1)
    others = [["in", *(["x", "y", "z"][i] for i in rng.integers(0, 3, 9)), "out"] for _ in range(1500)]
    log = log_of([(path, list(range(len(path)))) for path in [["A", "B", "C"]] * 1500 + others])
    release = anonymize(log, 0.4, method="strict", seed=1)
    made_up = [path for path in release.log.variant_counts() if path != ("A", "B", "C")]
    assert len(made_up) > 100
    assert not any("A" in path or "B" in path for path in made_up)


def test_nothing_known_of_ends_lets_any_walk_end() -> None:
    noisy, ends = model_log()
    ends = ends._replace(last=np.zeros(3))
    activity, lengths = walks.walk(walks.model_of(noisy, ends), ends, 10, Randomness(1))
    assert len(activity) == lengths.sum()


# ---------------------------------------------------------------------------------------- times


@examples(100)
@given(st.sampled_from([1, 1000, MINUTE, HOUR, DAY]), st.integers(0, 2**40), st.sampled_from([16, 64]))
def test_bins_of_durations_are_one_beside_the_other(step: int, longest: int, cells: int) -> None:
    from unsingle.clock import Grid

    edges = duration_bins(Grid(step, "UTC"), longest, cells)
    assert len(edges) == cells + 1
    assert edges[0] == 0
    assert (np.diff(edges) > 0).all()
    assert edges[-1] * step > longest


def test_released_times_lie_within_what_is_public() -> None:
    public = Public(first_day="1970-02-01", last_day="1970-03-01", longest="2h")
    release = anonymize(hospital_of(3000), 0.4, method="strict", public=public, seed=1)
    starts = release.log.case_starts
    assert starts.min() >= 31 * DAY
    assert starts.max() < 60 * DAY
    steps = np.diff(release.log.time)[~release.log.is_first[1:]]
    assert steps.max() <= 2 * HOUR
    assert release.guarantee.assumes[2].startswith("the set of activity labels, taken from the log")


def test_only_public_labels_are_released() -> None:
    release = anonymize(hospital_of(3000), 0.4, method="strict", public=Public(labels=("reg", "ward", "moon")), seed=1)
    assert set(release.log.labels) <= {"reg", "ward"}
    assert "activity labels, taken from the log" not in " ".join(release.guarantee.assumes)
    with pytest.raises(LogError, match="too small for strict"):  # the same message as if one case were left
        anonymize(hospital_of(100), 0.4, method="strict", public=Public(labels=("moon",)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": ()}, "public labels must be distinct"),
        ({"labels": ("A", "A")}, "public labels must be distinct"),
        ({"first_day": "yesterday"}, "'yesterday' is no day such as 2024-12-31"),
        ({"first_day": "2024-02-02", "last_day": "2024-01-01"}, "is after the last"),
        ({"longest": "long"}, "longest 'long' is no duration such as 90d"),
        ({"longest": "0d"}, "longest '0d' is no duration"),
    ],
)
def test_what_is_public_must_make_sense(arguments: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Public(**arguments)


# ---------------------------------------------------------------------------------------- releases


def test_a_release_says_what_it_spent() -> None:
    release = anonymize(hospital_of(2000), 0.2, method="strict", seed=1)
    assert release.ancestors is None
    budget = release.public()["budget"]
    assert budget["epsilon"] == pytest.approx(0.811, abs=1e-3)
    assert budget["slack"] == 1e-6
    assert budget["delta"] <= 0.2
    assert len(budget["costs"]) >= 6
    assert json.dumps(release.to_dict())
    assert release.to_dict()["smape"] is None
    assert "epsilon 0.811, slack 1e-06" in str(release.guarantee)


def test_crowds_are_named_and_nobody_alone_is() -> None:
    log = hospital_of(3000)
    alone = log_of(
        [*((path, times) for path, times in cases_of(log)), (["reg", "ward", "triage", "home"], [0, 1, 2, 3])]
    )
    release = anonymize(alone, 0.2, method="strict", seed=1)
    lost = lost_variants(alone, release.log)
    assert set(lost) <= {("reg", "ward", "triage", "home")}
    true, shown = alone.variant_counts(), release.log.variant_counts()
    assert all(abs(shown[path] - count) < 60 for path, count in true.items() if count > 100)


def test_a_log_that_is_too_small_gets_a_clear_answer() -> None:
    with pytest.raises(LogError, match=r"too small for strict at this delta: .* more than about 32 cases .* or blend"):
        anonymize(hospital_of(20), 0.2, method="strict", seed=1)


def test_the_answer_tells_nothing_of_the_log() -> None:
    """Two neighbours of which one has nobody with a public label, and a log without any crowd, get the same words."""
    messages = set()
    public = Public(labels=("X", "Y"))
    for log in (log_of([("Z", [0])] * 50), log_of([("Z", [0])] * 50 + [("X", [0])]), log_of([("XY", [0, 1])] * 8)):
        with pytest.raises(LogError) as raised:
            anonymize(log, 0.2, method="strict", public=public, seed=1)
        messages.add(str(raised.value))
    assert len(messages) == 1


def test_labels_are_not_in_the_order_in_which_they_came() -> None:
    release = anonymize(hospital_of(2000), 0.4, method="strict", seed=1)
    assert release.log.labels == tuple(sorted(release.log.labels))


def test_a_delta_that_is_too_small_for_the_noise_is_refused() -> None:
    with pytest.raises(ParameterError, match="delta is too small for this method"):
        anonymize(hospital_of(50), 0.002, method="strict", seed=1)


@examples(60)
@given(event_logs(), st.sampled_from([0.2, 0.9, 0.99]), st.integers(0, 5))
def test_any_log_gives_a_release_or_a_clear_answer(log: EventLog, delta: float, seed: int) -> None:
    try:
        release = anonymize(log, delta, method="strict", seed=seed)
    except LogError as error:
        assert "too small for strict" in str(error)  # noqa: PT017 - either is right
        return
    assert release.budget is not None
    assert release.budget.spent <= release.budget.epsilon * (1 + 1e-9)
    assert set(release.log.labels) <= set(log.labels)


def test_a_seed_repeats_a_release_and_none_does_not() -> None:
    log = hospital_of(500)
    one, two = (anonymize(log, 0.4, method="strict", seed=4).log for _ in range(2))
    assert one == two
    assert anonymize(log, 0.4, method="strict").log != anonymize(log, 0.4, method="strict").log


def test_the_order_of_the_original_does_not_matter() -> None:
    """The same cases in another order have the same tallies and counts, so the same noise gives paths as often."""
    log = hospital_of(1000)
    other = log.copies_of(np.arange(log.n_cases)[::-1])
    one, two = (anonymize(each, 0.4, method="strict", seed=4).log.variant_counts() for each in (log, other))
    assert sum(one.values()) == sum(two.values())
    assert set(one) == set(two)


# ---------------------------------------------------------------------------------------- the command


def test_the_summary_prints_epsilon_slack_and_delta(tmp_path) -> None:
    write_log(hospital_of(2000), tmp_path / "log.csv")
    result = run_command("anonymize", tmp_path / "log.csv", "-o", tmp_path / "out.csv", "--method", "strict")
    assert "epsilon 0.811, slack 1e-06: delta 0.2" in result.output
    assert "taken from the log: the set of activity labels" in " ".join(result.output.split())
    assert "SMAPE" not in result.output


def test_public_parameters_are_options(tmp_path) -> None:
    write_log(hospital_of(2000), tmp_path / "log.csv")
    (tmp_path / "labels.txt").write_text("reg\n\ntriage\nlab\nward\nhome\n")
    result = run_command(
        "anonymize", tmp_path / "log.csv", "-o", tmp_path / "out.csv", "--method", "strict", "--labels",
        tmp_path / "labels.txt", "--first-day", "1970-01-01", "--last-day", "1970-07-31", "--longest", "1d",
        "--slack", "1e-7", "--grid", "hour",
    )  # fmt: skip
    assert "taken from the log" not in result.output
    assert "slack 1e-07" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--labels", "none.txt"], "none.txt: cannot be read"),
        (["--labels", "empty.txt"], "empty.txt: has no labels"),
        (["--labels", "latin.txt"], "latin.txt: is not text in UTF-8"),
        (["--first-day", "soon"], "'soon' is no day such as 2024-12-31"),
        (["--longest", "1"], "longest '1' is no duration"),
        (["--slack", "0.5"], "slack must lie between 0 and delta"),
        (["--method", "blend", "--longest", "1d"], "go with --method strict only"),
    ],
)
def test_wrong_options_are_told_before_any_work(options: list[str], message: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("\n \n")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    result = run_command("anonymize", "log.csv", "-o", "out.csv", "--method", "strict", *options, ok=False)
    assert result.exit_code == 2
    assert message in result.output


def test_a_sweep_can_try_it(tmp_path) -> None:
    write_log(hospital_of(800), tmp_path / "log.csv")
    result = run_command("sweep", tmp_path / "log.csv", "--method", "strict", "--delta", "0.2", "0.4", "--runs", 1)
    assert result.output.count("strict") == 2


# ---------------------------------------------------------------------------------------- real logs

REAL = {"Traffic_fines": (0.994, 0.045, None), "BPIC13_incidents": (0.64, None, 20.0), "BPIC12": (0.515, None, 11.0)}


@pytest.mark.parametrize("name", REAL)
def test_real_logs_keep_what_a_first_prototype_kept(name: str) -> None:
    log = read_log(real_log_path(name))
    least, most_share, most_hours = REAL[name]
    releases = [anonymize(log, 0.2, method="strict", seed=seed) for seed in range(3)]
    kept = [1 - sum(release.private.lost_variants.values()) / log.n_cases for release in releases]
    distances = [release.private.time_distance for release in releases]
    assert mean(kept) >= least
    assert most_share is None or mean(each.share_of_mean for each in distances) <= most_share
    assert most_hours is None or mean(each.hours for each in distances) <= most_hours


@pytest.mark.parametrize(("name", "least"), [("Sepsis", 0.7), ("BPIC15_1", 0.27), ("BPIC13_incidents", 0.9)])
def test_logs_of_unique_paths_keep_their_frequent_steps(name: str, least: float) -> None:
    log = read_log(real_log_path(name))
    found = compare(log, anonymize(log, 0.2, method="strict", seed=1))
    assert 1 - found.edge_change.frequency_distance >= least


def test_four_cases_are_too_few_for_any_plan() -> None:
    log = read_log(real_log_path("CCC19"))
    with pytest.raises(LogError, match="too small for strict"):
        anonymize(log, 0.2, method="strict", seed=1)
