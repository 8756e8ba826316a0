"""The claims for columns: what one person adds to each tally, and what a value gives away that one person alone has."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from support.helpers import examples, log_of
from unsingle import EventLog, LogError, Progress, anonymize
from unsingle.core.clock import HOUR
from unsingle.core.columns import PERSON, Column, Field, Kind, Level
from unsingle.mechanisms import attributes, durations, flow, pace, walks
from unsingle.mechanisms.measurements import Leak, Measurements, Noisy
from unsingle.mechanisms.posterior import Rows
from unsingle.mechanisms.selection import MOST, threshold
from unsingle.mechanisms.shares import shares
from unsingle.mechanisms.tallies import Vectors
from unsingle.methods import METHODS
from unsingle.methods.synthetic import Synthetic
from unsingle.privacy.budget import UNIT
from unsingle.privacy.laws import Pair
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import every_outcome, paths_of_many, same_paths

FIELDS = (
    Field("role", Level.EVENT, Kind.TEXT),
    Field("cost", Level.EVENT, Kind.NUMBER),
    Field("age", Level.CASE, Kind.INTEGER),
    Field("channel", Level.FIRST, Kind.TEXT),
)
PATHS = ("AB", "ABC", "AABAAB", "C")
TEXTS = (None, "nurse", "doctor", "clerk", "OTHER", "")
NUMBERS = (np.nan, 0.0, 1.0, -3.0, 7.25, 1e6, -1e18, np.inf)
COUNTS = ("how many cases there are", "how many cases are on paths of many", "how many cases take each path")


class Person(tuple):
    """The cases of one person: path, start, and the seed of all values."""


@st.composite
def persons(draw: st.DrawFn) -> tuple[tuple[str, int, int], ...]:
    case = st.tuples(st.sampled_from(PATHS), st.integers(0, 50), st.integers(0, 10**6))
    return tuple(draw(st.lists(case, min_size=1, max_size=3)))


def log_with_columns(people: Sequence[Sequence[tuple[str, int, int]]]) -> EventLog:
    """A log of these people, with columns of all kinds; the values of a case follow from its seed."""
    cases = [(who, *case) for who, one in enumerate(people) for case in one]
    log = log_of([(tuple(path), tuple(HOUR * (start + i) for i in range(len(path)))) for _, path, start, _ in cases])
    draws = [np.random.default_rng(seed) for *_, seed in cases]
    texts, numbers, ages, channels = [], [], [], []
    for (_, path, _, _), rng in zip(cases, draws, strict=True):
        texts += [TEXTS[i] for i in rng.integers(0, len(TEXTS), len(path))]
        numbers += [NUMBERS[i] for i in rng.integers(0, len(NUMBERS), len(path))]
        ages.append(NUMBERS[rng.integers(0, 4)])
        channels.append(TEXTS[rng.integers(0, len(TEXTS))])
    role, cost, age, channel = FIELDS
    return log.with_columns(
        [
            Column.of_texts(role, texts),
            Column.of_numbers(cost, np.array(numbers)),
            Column.of_numbers(age, np.array(ages)),
            Column.of_texts(channel, channels),
            Column.of_texts(PERSON, [str(who) for who, *_ in cases]),
        ]
    )


class Observed(Measurements):
    """Keeps the true figures, and gives outcomes that have nothing to do with them; texts have theirs by name."""

    def __init__(self, method: Synthetic, world: int) -> None:
        super().__init__(method.terms, shares(method.terms, method.attributes), Randomness(world))
        self.true: dict[str, dict[Hashable, int]] = {}
        self._world, self._keys = world, None

    def tally_of_texts(self, name: str, vectors: Vectors, texts: Sequence[str], leak: Leak) -> Noisy:
        self._keys = list(texts)
        return super().tally_of_texts(name, vectors, texts, leak)

    def cases_by_variant(self, cases: np.ndarray) -> np.ndarray:
        self._keys = None
        return super().cases_by_variant(cases)

    def _seen(self, name: str, true: np.ndarray, highest: int) -> np.ndarray:
        texts, self._keys = self._keys, None
        self.true[name] = dict(zip(texts or range(len(true)), true.tolist(), strict=True))
        if texts is None:
            return self._stream(name).below(np.full(len(true), highest)) - highest // 8
        return np.array([int(self._stream(f"{name} {text}").below(np.array([highest]))[0]) for text in texts])

    def _stream(self, name: str) -> Randomness:
        return Randomness.named(bytes(32), str(self._world), name)

    def _geometric(self, name: str, true: np.ndarray, _ratio: Fraction) -> np.ndarray:
        terms = self.budget.terms
        return self._seen(name, true, 60 if terms.publishes_all_paths else 3 * terms.threshold)

    def _gaussian(self, name: str, true: np.ndarray, s: int) -> np.ndarray:
        return self._seen(name, true, 20 * s)


def guessed(rows: Rows, *_: object) -> np.ndarray:
    positive = np.abs(rows.noised) + 1e-6
    return positive / positive.sum(axis=1, keepdims=True)


def observe(people: Sequence[Sequence[tuple[str, int, int]]], method: Synthetic, world: int) -> dict[str, dict]:
    """The true figures behind everything that the pipeline asks for, in this world."""
    log, seen = log_with_columns(people), Observed(method, world)
    with pytest.MonkeyPatch.context() as patch:  # what is made of outcomes does not matter here, and takes long
        for module, name in product((durations, flow, pace, walks, attributes), ("posterior_mean", "posterior_median")):
            patch.setattr(module, name, guessed, raising=False)
            patch.setattr(module, "best_prior", lambda *_, **__: None)
        method.made_from(seen, log, Randomness(world), Progress())
    return seen.true


def everybody(more: Sequence[Sequence[tuple[str, int, int]]], seed: int) -> list[Sequence[tuple[str, int, int]]]:
    """People on all paths with all texts, so that no path or text is one person's own."""
    return [*more, *([(path, 0, seed + i)] for i, path in enumerate(PATHS * 12))]


@pytest.mark.parametrize("kind", ["twin", "twin-crowds", "strict"])
@given(
    person=persons(),
    one=st.lists(persons(), max_size=2),
    other=st.lists(persons(), max_size=2),
    world=st.integers(0, 10**6),
)
@examples(10)
def test_a_person_moves_each_tally_by_a_vector_of_their_own(kind, person, one, other, world) -> None:
    labels = {} if METHODS[kind].keeps_variants else {"labels": tuple("ABC")}
    method = METHODS[kind](0.3, cases_per_person=3, grid="second", **labels).keeping(FIELDS)
    try:
        vectors = []
        for people in (everybody(one, 0), everybody(other[::-1], 5000)):
            with_them, without = (observe(each, method, world) for each in ([*people, person], people))
            assert list(with_them) == list(without)
            more = {
                name: {key: cells[key] - without[name].get(key, 0) for key in cells}
                for name, cells in with_them.items()
            }
            vectors.append({name: {k: v for k, v in cells.items() if v} for name, cells in more.items()})
    except LogError as error:
        if "no path or step" in str(error):
            reject()  # in this world nothing is released, whatever the log is
        raise
    assert vectors[0] == vectors[1]  # whatever the other people are
    tallies = {name: cells for name, cells in vectors[0].items() if name not in COUNTS}
    if any(name.startswith("how long steps take") for name in tallies):  # there are steps in this world
        assert set(tallies) >= {name for each in method.attributes for name in each.shares()}
    for name, cells in tallies.items():
        assert min(cells.values(), default=0) >= 0, name
        assert sum(value**2 for value in cells.values()) <= UNIT**2, name


@pytest.mark.parametrize("terms", [same_paths, paths_of_many, every_outcome])
@pytest.mark.parametrize("delta", [0.05, 0.2, 0.4])
def test_lone_values_are_paid_for(terms, delta: float) -> None:
    """What selection leaks is within the limit, for people on shared paths too."""
    for way in terms(delta, selects=True).ways or (terms(delta, selects=True),):
        spent = way.all_spent()
        assert way.value_leak > 0
        for pair in (spent.exchange, spent.presence, spent.lone_times, spent.lone_exchange, spent.lone_presence):
            assert pair.leak >= way.value_leak
        if not way.every_outcome:
            assert spent.exchange.total_variation <= 2 * delta
            without = Pair(spent.exchange.ratios, spent.exchange.mu)
            assert spent.exchange.total_variation >= without.total_variation + way.value_leak - 1e-15
        else:
            assert max(spent.presence.slack(way.epsilon), spent.lone_presence.slack(way.epsilon)) <= way.slack * (
                1 + 1e-9
            )


@pytest.mark.parametrize("deviation", [3.0, 20.0])
@pytest.mark.parametrize("leak", [0.05, 1e-3])
@pytest.mark.parametrize("values", [1, 4, MOST])
def test_values_of_one_person_pass_as_rarely_as_promised(deviation: float, leak: float, values: int) -> None:
    """However many values somebody alone has: each has its part of the unit, and none passes but for the leak."""
    draws, random = 20_000 // values, Randomness(7)
    noise = random.discrete_gaussian(int(deviation * UNIT), draws * values).reshape(draws, values) / UNIT
    passed = (1 / np.sqrt(values) + noise >= threshold(deviation, leak)).any(axis=1).mean()
    assert passed <= leak + 4 * np.sqrt(leak / draws)
    if values == MOST:
        assert passed >= leak / 3 - 4 * np.sqrt(leak / draws)  # and the threshold is not far above what is needed


@pytest.mark.parametrize("method", ["twin", "twin-crowds", "strict"])
def test_releases_do_not_depend_on_the_order_of_people_or_texts(method: str) -> None:
    people = everybody([[("AB", 3, 17)], [("C", 1, 5)]], 100) * 6
    log = log_with_columns(people)
    order = np.random.default_rng(1).permutation(log.n_cases)
    shuffled = log.subset(order)
    turned = [
        replace(
            column,
            texts=column.texts[::-1],
            values=np.where(column.values < 0, -1, len(column.texts) - 1 - column.values),
        )
        if column.field.kind is Kind.TEXT
        else column
        for column in shuffled.columns
    ]
    one, other = (
        anonymize(each, 0.4, method=method, seed=3, grid="second").log for each in (log, shuffled.with_columns(turned))
    )
    assert one == other
    assert [column.cells() for column in one.columns] == [column.cells() for column in other.columns]
