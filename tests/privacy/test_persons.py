"""The claims of `twin` and `strict` for people with several cases, computed exactly, without the formulas of the code.

All ways in which up to k cases of one person can be spread over paths are enumerated. Each claim is also checked to be
broken where k is ignored: in counts, in thresholds, or in tallies.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from support.helpers import cases_of, examples, log_of
from support.laws import ERROR, Classes, Law, classes, excess, noised, selected, together
from support.worlds import NUMBERS, Case, difference, observe, with_persons
from unsingle import EventLog, LogError, anonymize, synthesize, write_log
from unsingle.core.clock import DAY, HOUR, MINUTE
from unsingle.core.columns import PERSON, Column
from unsingle.mechanisms import labels, selection
from unsingle.mechanisms.cases import Cases
from unsingle.mechanisms.measurements import Leak, Measurements, Noisy
from unsingle.mechanisms.shares import shares
from unsingle.mechanisms.tallies import Vectors
from unsingle.methods.strict import Strict
from unsingle.methods.synthetic import Synthetic
from unsingle.methods.twin import Twin, TwinCrowds
from unsingle.privacy.budget import UNIT, Terms
from unsingle.privacy.laws import Pair
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import epsilon_for, every_outcome, paths_of_many, same_paths

DELTAS = (0.05, 0.2, 0.4)
CASES = (1, 2, 3)

# ---------------------------------------------------------------------------------- counts, enumerated


def partitions(n: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """All ways to spread n cases over paths.

    >>> sorted(partitions(3))
    [(1, 1, 1), (2, 1), (3,)]
    """
    if n == 0:
        yield ()
    for first in range(min(n, n if most is None else most), 0, -1):
        yield from ((first, *rest) for rest in partitions(n - first, first))


def merged(both: Classes) -> Classes:
    """Outcomes of the same likelihood ratio put together: there are few ratios."""
    found: dict[float, list[tuple[float, float]]] = {}
    for p, q in both:
        ratio = math.log(p / q) if p and q else math.copysign(math.inf, p - q)
        found.setdefault(round(ratio, 9), []).append((p, q))
    return [(math.fsum(p for p, _ in each), math.fsum(q for _, q in each)) for each in found.values()]


@cache
def moved(cases: int, a: float) -> tuple[tuple[float, float], ...]:
    """A count with so many cases more (or less, if negative)."""
    return tuple(classes(noised(3 + cases, a, 20), noised(3, a, 20)))


def spread(gained: Sequence[int], lost: Sequence[int], a: float) -> Classes:
    """So many cases more on some paths, and less on others, all of which other people take too."""
    both: Classes = [(1.0, 1.0)]
    for cases in (*gained, *(-each for each in lost)):
        both = merged(together(both, list(moved(cases, a))))
    return both


def exchanges(k: int, a: float, b: float) -> Iterator[Classes]:
    """All ways to exchange up to k cases of one person for others, with what it does to the number of all cases."""
    for i, j in product(range(1, k + 1), repeat=2):
        for lost, gained in product(partitions(i), partitions(j)):
            yield merged(together(spread(gained, lost, a), list(moved(j - i, b)) if i != j else [(1.0, 1.0)]))


def presences(k: int, a: float, b: float) -> Iterator[Classes]:
    """All ways in which one person with up to k cases is there, or is not."""
    for j in range(1, k + 1):
        for gained in partitions(j):
            both = merged(together(spread(gained, (), a), list(moved(j, b))))
            yield both
            yield [(q, p) for p, q in both]


def worst(ways: Iterator[Classes], mu: float, g: float = 1.0) -> float:
    return max(excess(both, mu, g) for both in ways)


def ratios(terms: Terms) -> tuple[float, float]:
    return float(terms.ratio), float(terms.total_ratio)


@pytest.mark.parametrize("k", CASES)
@pytest.mark.parametrize("delta", DELTAS)
def test_a_person_with_up_to_k_cases_gains_nobody_more_than_delta(k: int, delta: float) -> None:
    terms = same_paths(delta, cases_per_person=k)
    a, b = ratios(terms)
    mu, spent = math.sqrt(2 * terms.rho), terms.all_spent()
    assert worst(exchanges(k, a, b), math.sqrt(2) * mu) <= terms.limit + ERROR
    assert worst(presences(k, a, b), mu) <= terms.limit + ERROR
    for epsilon in (0.5, 2.0):
        g = math.exp(epsilon)
        assert worst(exchanges(k, a, b), math.sqrt(2) * mu, g) <= spent.exchange.slack(epsilon) + ERROR
        assert worst(presences(k, a, b), mu, g) <= spent.presence.slack(epsilon) + ERROR


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("delta", DELTAS)
def test_where_counts_ignore_several_cases_the_claim_breaks(k: int, delta: float) -> None:
    terms = same_paths(delta)
    a, _ = ratios(terms)
    mu = 2 * math.sqrt(terms.rho)
    for lost, gained in (((k,), (k,)), ((1,) * k, (1,) * k)):  # all on one path, or each on another
        assert excess(spread(gained, lost, a), mu) > terms.limit + 10 * ERROR


@pytest.mark.parametrize("k", [2, 5, 20])
def test_k_cases_leave_the_coins_of_the_pairs_as_they_were(k: int) -> None:
    """V is that of RR(a^k) x RR(a^k): solved for the ratio, the product is that of one case.

    Where labels are selected, their leak is counted for people on shared paths too: a little more noise.
    """
    for make, leak in ((same_paths, 0.0), (paths_of_many, 1e-5)):
        one, several = make(0.2), make(0.2, cases_per_person=k)
        assert float(several.ratio) ** k == pytest.approx(float(one.ratio), abs=2e-6 * k + 3 * leak)
        assert several.rho == one.rho
        assert several.all_spent().exchange.total_variation <= several.limit
        finer = replace(several, ratio=several.ratio - several.ratio / 20, limit=math.inf)
        assert finer.all_spent().exchange.total_variation > several.limit


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.9), (0.8, 0.8), (0.3, 0.31)])
def test_the_number_of_all_cases_is_absorbed_by_the_counts_of_paths(k: int, a: float, b: float) -> None:
    """max over i, j of RR(a^i) x RR(a^j) x RR(b^abs(i-j)) is at most RR(a^k) x RR(a^k), if b >= a."""
    for mu, g in product((0.0, 0.6), (1.0, 1.5, 4.0)):
        bound = Pair((a**k, a**k), mu).slack(math.log(g))
        for i, j in product(range(1, k + 1), repeat=2):
            assert Pair((a**i, a**j, b ** abs(i - j)), mu).slack(math.log(g)) <= bound + 1e-12
    assert k == 1 or Pair((0.9, 0.9**k, 0.2 ** (k - 1))).total_variation > Pair((0.9**k, 0.9**k)).total_variation


# ---------------------------------------------------------------------------------- alone on a path


TERMS = {"crowds": paths_of_many, "strict": every_outcome}
METHODS = {"crowds": TwinCrowds, "strict": Strict}


def shown(alone: Sequence[int], a: float, threshold: int) -> Law:
    """Whether any of the paths is published that one person alone takes, so many times each."""
    hidden = math.prod(selected(each, a, threshold)["hidden"] for each in alone)
    return {"published": 1 - hidden, "hidden": hidden} if alone else {"hidden": 1.0}


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("k", [1, 2, 3, 5, 12])
@pytest.mark.parametrize("delta", DELTAS)
def test_lone_paths_of_a_person_pass_as_rarely_as_is_said(kind: str, k: int, delta: float) -> None:
    terms = TERMS[kind](delta, cases_per_person=k)
    a, _ = ratios(terms)
    t, leak = terms.threshold, terms.path_leak

    def reached(t: int) -> float:
        """The most that all partitions of the cases reach, added up over the paths."""
        return max(sum(a ** (t - n) for n in each) / (1 + a) for j in range(1, k + 1) for each in partitions(j))

    assert reached(t) <= leak * (1 + 1e-9)
    assert reached(t - 1) > leak
    assert max(reached(t), terms.path_leak_of(k)) == pytest.approx(terms.path_leak_of(k))
    for each in ((k,), (1,) * k, (max(1, k - 1), 1)[: min(k, 2)]):
        assert shown(each, a, t).get("published", 0.0) <= leak * (1 + 1e-6)
    if k > 1:  # the threshold that is meant for one case publishes too often
        one = 1 + math.ceil(math.log(leak * (1 + a)) / math.log(a))
        assert max(shown((k,), a, one)["published"], shown((1,) * k, a, one)["published"]) > leak


def lone_exchanges(k: int, terms: Terms) -> Iterator[Classes]:
    """A person with cases on lone paths in the one log or in both, and all that changes on shared paths."""
    (a, b), t = ratios(terms), terms.threshold
    for i, j in product(range(1, k + 1), repeat=2):
        for lone, other in product(range(i + 1), range(j + 1)):
            if not lone + other:
                continue
            leaks = classes(_as("one", shown((lone,) * bool(lone), a, t)), _as("other", shown((1,) * other, a, t)))
            total = list(moved(j - i, b)) if i != j else [(1.0, 1.0)]
            for lost, gained in product(partitions(i - lone), partitions(j - other)):
                yield merged(together(leaks, spread(gained, lost, a), total))


def lone_presences(k: int, terms: Terms) -> Iterator[tuple[Classes, int, int]]:
    """A person with cases on lone paths, or nobody; with how many cases there are, and how many on shared paths."""
    (a, b), t = ratios(terms), terms.threshold
    for i in range(1, k + 1):
        for lone in range(1, i + 1):
            leaks = classes(shown((1,) * lone, a, t), shown((), a, t))
            for gained in partitions(i - lone):
                yield merged(together(leaks, spread(gained, (), a), list(moved(i, b)))), i, i - lone


def _as(name: str, law: Law) -> Law:
    """The same law with published paths of its own."""
    return {(name if outcome == "published" else outcome): chance for outcome, chance in law.items()}


def with_lone_label(both: Classes, leak: float) -> Classes:
    return together(both, [(leak, 0.0), (1 - leak, 1.0)])


@pytest.mark.parametrize("k", CASES)
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_nothing_hangs_on_the_lone_paths_of_a_person_beyond_what_the_budget_says(k: int, delta: float) -> None:
    terms = paths_of_many(delta, cases_per_person=k)
    spent, mu = terms.all_spent(), math.sqrt(2 * terms.rho)
    assert spent.spent <= terms.limit
    for both in lone_exchanges(k, terms):
        reached = excess(with_lone_label(both, terms.label_leak), math.sqrt(2) * mu)
        assert reached <= min(terms.limit, spent.lone_exchange.total_variation) + ERROR
    for both, _, _ in lone_presences(k, terms):
        with_label = with_lone_label(both, terms.label_leak)
        for each in (with_label, [(q, p) for p, q in with_label]):
            assert excess(each, mu) <= min(terms.limit, spent.lone_presence.total_variation) + ERROR


# ---------------------------------------------------------------------------------- strict


def after_choice(first: Classes, ways: Sequence[tuple[Classes, float]], g: float) -> float:
    """The excess where noised numbers choose between ways to go on, and each of their outcomes takes the worst."""
    return math.fsum(p * max(excess(both, mu, g * q / p) for both, mu in ways) for p, q in first)


def followed(terms: Terms, gained: Sequence[int], lone: int) -> list[tuple[Classes, float]]:
    """What follows in each way if a person has these cases on shared paths, and some more alone."""
    ways = []
    for way in terms.ways:
        counts = spread(gained, (), float(way.ratio)) if way.counts_paths else [(1.0, 1.0)]
        leak = (way.path_leak + way.label_leak) if lone else 0.0
        ways.append((merged(together(counts, [(leak, 0.0), (1 - leak, 1.0)])), math.sqrt(2 * way.rho)))
    return ways


@pytest.mark.parametrize("k", CASES)
@pytest.mark.parametrize("delta", [0.05, 0.2, 0.4])
def test_strict_keeps_within_epsilon_for_a_person_with_several_cases(k: int, delta: float) -> None:
    terms = every_outcome(delta, cases_per_person=k)
    b, c, g = float(terms.total_ratio), float(terms.choice_ratio or 0), math.exp(epsilon_for(delta))
    for lone in range(k + 1):
        for gained in partitions(k - lone):
            first = merged(together(list(moved(k, b)), list(moved(k - lone, c)) if lone < k else [(1.0, 1.0)]))
            reached = after_choice(first, followed(terms, gained, lone), g)
            assert reached <= terms.slack * (1 + 1e-3)
    if k > 1:
        unaware = every_outcome(delta)
        b, c = float(unaware.total_ratio), float(unaware.choice_ratio or 0)
        first = merged(together(list(moved(k, b)), list(moved(k, c))))
        assert after_choice(first, followed(unaware, (k,), 0), g) > 100 * terms.slack


@pytest.mark.parametrize("k", CASES)
def test_strict_promises_enough_for_an_exchange_of_several_cases(k: int) -> None:
    method = Strict(0.2, cases_per_person=k)
    terms, promised = method.terms, method.guarantee().promises[1].gain
    b, c = float(terms.total_ratio), float(terms.choice_ratio or 0)
    for i, j in product(range(1, k + 1), repeat=2):
        first = merged(together(list(moved(j - i, b)) if i != j else [(1.0, 1.0)], list(moved(max(i, j), c))))
        for lost, gained in product(partitions(i), partitions(j)):
            ways = [
                (spread(gained, lost, float(way.ratio)) if way.counts_paths else [(1.0, 1.0)], 2 * math.sqrt(way.rho))
                for way in terms.ways
            ]
            assert after_choice(first, ways, 1.0) / 2 <= promised


def test_a_person_moves_the_choice_by_their_cases_at_most() -> None:
    terms = every_outcome(0.2, cases_per_person=3)
    t = terms.threshold
    assert t > 3
    counts = np.array([t - 1, t, t + 9])
    for lost, gained in product(product(range(4), repeat=3), repeat=2):
        if sum(lost) <= 3 and sum(gained) <= 3:
            one, other = (int(np.maximum(counts + each - t, 0).sum()) for each in (np.array(lost), np.array(gained)))
            assert abs(one - other) <= 3


# ---------------------------------------------------------------------------------- tallies


SHAPES = ("AB", "ABC", "AABAAB", "C", "BACBACBAC")
LONE = ("ABX", "XYX", "CCCC")


@st.composite
def cases_on(draw: st.DrawFn, shapes: Sequence[str] = SHAPES) -> Case:
    path = draw(st.sampled_from(shapes))
    unit = draw(st.sampled_from([1, 1000, MINUTE, HOUR, DAY]))
    start = draw(st.integers(-40, 60) | st.just(140)) * 365 * DAY
    steps = draw(st.lists(st.sampled_from([0, 1, 2, 59, 1000, 10**6]), min_size=len(path), max_size=len(path)))
    return path, tuple((start + np.cumsum(steps) * unit).tolist())


backgrounds = st.lists(cases_on(), min_size=0, max_size=5)


def of_all_shapes(more: Sequence[Case], step: int) -> list[Case]:
    return [*more, *((path, tuple(step * i for i in range(len(path)))) for path in SHAPES)]


def vectors_of(
    person: Sequence[Case], backgrounds: Sequence[list[Case]], method: Synthetic, world: int, common: set[Hashable]
) -> list[dict[str, dict]]:
    """What a person adds to each figure, before each of these backgrounds, in which two people share the cases."""
    found = []
    for cases in backgrounds:
        others = ["x" if i % 2 else "y" for i in range(len(cases))]
        with_them = observe([*person, *cases], method, world, common, [*["them"] * len(person), *others])
        found.append(difference(with_them, observe(cases, method, world, common, others)))
    return found


def length(cells: dict[Hashable, int]) -> float:
    return math.sqrt(sum(value**2 for value in cells.values()))


def assert_one_person(vectors: dict[str, dict], cases: int) -> None:
    """Tallies move by one vector of length at most 1, and counts by the number of cases."""
    for name, cells in vectors.items():
        assert min(cells.values(), default=0) >= 0, name
        if name in NUMBERS or name == "how many cases take each path":
            assert sum(cells.values()) <= cases, name
        else:
            assert length(cells) <= UNIT, name


@given(
    person=st.lists(cases_on(), min_size=1, max_size=6),
    one=backgrounds,
    other=backgrounds,
    world=st.integers(0, 10**6),
    k=st.sampled_from([None, 1, 5]),
)
@examples(15)
def test_a_person_moves_each_tally_by_one_vector_where_paths_are_public(person, one, other, world, k) -> None:
    method = Twin(0.2, cases_per_person=k)
    common = {tuple(path) for path in SHAPES}
    vectors = vectors_of(person, [of_all_shapes(one, 7 * HOUR), of_all_shapes(other[::-1], 0)], method, world, common)
    assert vectors[0] == vectors[1]  # whatever the cases of others are
    assert_one_person(vectors[0], len(person))
    assert sum(vectors[0]["how many cases take each path"].values()) == len(person)


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("given_labels", [None, ("A", "B", "Z")], ids=["found", "given"])
@given(
    person=st.lists(cases_on((*SHAPES, *LONE)), min_size=1, max_size=5),
    one=backgrounds,
    other=backgrounds,
    world=st.integers(0, 10**6),
)
@examples(8)
def test_a_person_moves_each_tally_by_one_vector_where_paths_are_of_many(
    kind, given_labels, person, one, other, world
) -> None:
    """Also one who is alone on some paths, or has labels that nobody else has: they stay hidden here."""
    method = METHODS[kind](0.3, labels=given_labels, cases_per_person=5)
    known = given_labels or "ABCXY"
    common = {*"ABC", *(tuple(label for label in path if label in known) for path in SHAPES)}
    try:
        vectors = vectors_of(
            person, [of_all_shapes(one, 7 * HOUR), of_all_shapes(other[::-1], 0)], method, world, common
        )
    except LogError as error:
        if "no path or step" in str(error):
            reject()  # in this world nothing is released, whatever the log is
        raise
    assert vectors[0] == vectors[1]
    assert_one_person(vectors[0], len(person))


ALIKE = [("AABAAB", tuple(start * DAY + i * HOUR for i in range(6))) for start in (10, 10, 10)]
ABC = ("A", "B", "C")


@pytest.mark.parametrize("method", [Twin(0.2), TwinCrowds(0.3, labels=ABC), Strict(0.4)], ids=lambda each: each.name)
def test_where_each_case_has_a_vector_of_its_own_the_claim_breaks(
    method: Synthetic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three cases alike move every tally that looks at them by three units."""

    def in_some_worlds() -> dict[str, float]:
        """The most that the three move each tally, in worlds in which something is released."""
        most: dict[str, float] = {}
        for world in range(12):
            try:
                [vectors] = vectors_of(ALIKE, [of_all_shapes([], HOUR)], method, world, {*"ABC", *map(tuple, SHAPES)})
            except LogError:
                continue
            for name in vectors.keys() - {*NUMBERS, "how many cases take each path"}:
                most[name] = max(most.get(name, 0.0), length(vectors[name]) / UNIT)
        return most

    as_one = in_some_worlds()
    assert 0.9 < max(as_one.values()) <= 1
    for module in ("cases", "clocks"):
        monkeypatch.setattr(f"unsingle.mechanisms.{module}.persons_of", lambda log: np.arange(log.n_cases))
    apart = in_some_worlds()
    assert as_one.keys() == apart.keys()
    seen = {name for name in as_one if as_one[name] > 0.5}  # the others are clipped far below the unit
    assert {
        "when cases begin and end",
        "how long cases take",
        "which hours of the week events fall in",
        "which grid times lie on",
        "which zone the clock is in",
    } <= seen
    assert min(apart[name] for name in seen) > 1
    assert len(seen) >= 0.6 * len(as_one)


def test_labels_of_all_cases_of_a_person_count_together() -> None:
    """No more than `MOST` in a round, in whatever case they are, each once."""
    many = [f"{i:04}" for i in range(selection.MOST + 50)]
    split = [([label, label], [0, 1]) for label in many]
    log = with_persons(log_of([*split, *(([label], [0]) for label in many)]), ["x"] * len(many) + [None] * len(many))
    cases = Cases.of(log)
    seen = []

    class Spy(Measurements):
        def tally_of_texts(self, name: str, vectors: Vectors, texts: Sequence[str], leak: Leak) -> Noisy:
            seen.append(vectors)
            return super().tally_of_texts(name, vectors, texts, leak)

    terms = paths_of_many(0.2)
    labels.published_labels(cases, np.zeros(len(many), dtype=bool), Spy(terms, shares(terms), Randomness(1)))
    total = seen[0].total() / UNIT
    assert total[: selection.MOST] == pytest.approx(1 + 1 / math.sqrt(selection.MOST), abs=1e-3)
    assert total[selection.MOST :] == pytest.approx(1, abs=1e-3)


# ---------------------------------------------------------------------------------- order, and no persons at all

WAYS = {"twin": {}, "crowds": {"paths": "crowds"}, "strict": {"method": "strict", "delta": 0.4}}


def written(log: EventLog, path: Path, **how: object) -> bytes:
    write_log(anonymize(log, seed=5, **how).log, path, force=True)  # type: ignore[arg-type]
    return path.read_bytes()


@pytest.mark.parametrize("way", WAYS)
def test_a_release_does_not_hang_on_the_order_of_cases_or_the_names_of_persons(way: str, tmp_path: Path) -> None:
    log = synthesize(cases=700, seed=3, several=0.2, cases_of_several=4)
    persons = log.column(PERSON)
    assert persons is not None
    order = np.random.default_rng(1).permutation(log.n_cases)
    names = [f"{hash((7, code)) % 10**9}-{code}" for code in persons.values.tolist()]
    others = (
        log.subset(order),
        replace(log, columns=(Column.of_texts(PERSON, names),)),
        with_persons(log_of([cases_of(log)[i] for i in order], log.zone), [names[i] for i in order]),
    )
    here = {written(each, tmp_path / "log.csv", cases_per_person=4, **WAYS[way]) for each in (log, *others)}
    assert len(here) == 1


@given(cases=backgrounds, world=st.integers(0, 10**6))
@examples(10)
def test_people_with_one_case_each_are_measured_as_if_there_were_no_column(cases, world) -> None:
    cases, common = of_all_shapes(cases, HOUR), {tuple(path) for path in SHAPES}
    names = [f"n{i}" for i in range(len(cases))]
    plain = observe(cases, Twin(0.2), world, common)
    assert observe(cases, Twin(0.2), world, common, names) == plain
    assert observe(cases, Twin(0.2, cases_per_person=1), world, common, names) == plain
