"""Paths that nobody took: walks over noised steps, from a beginning to an end, as long as paths are."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from support.helpers import log_of
from unsingle.mechanisms import walks
from unsingle.mechanisms.cases import Cases
from unsingle.mechanisms.measurements import Measurements, Noisy
from unsingle.mechanisms.paths import taken_by_many
from unsingle.mechanisms.shares import shares
from unsingle.mechanisms.walks import PATH_LENGTHS, STAGES, Ends, Model, believable, ends_of, length_bin, model_of, walk
from unsingle.privacy.random import Randomness
from unsingle.privacy.terms import paths_of_many

BINS = len(PATH_LENGTHS) - 1


def staged(*stages: dict[str, float], labels: str = "ABC", deviation: float = 0.01) -> Noisy:
    """Noised steps: for each stage, how often one letter follows another."""
    cells = np.zeros((len(STAGES), len(labels), len(labels)))
    for stage, steps in enumerate(stages):
        for (source, target), times in steps.items():
            cells[stage, labels.index(source), labels.index(target)] = times
    return Noisy(cells.ravel(), deviation)


def ends(first: str, last: str, *lengths: int, labels: str = "ABC") -> Ends:
    """A hundred cases that begin and end with these letters, and have these lengths, each as often."""
    by_bin = np.bincount(length_bin(np.array(lengths)), minlength=BINS)
    here, there = (np.array([100.0 * (label in some) for label in labels]) for some in (first, last))
    return Ends(here, there, by_bin / by_bin.sum(), shown=True)


def words(model: Model, known: Ends, n: int, labels: str = "ABC", seed: int = 1) -> list[str]:
    """So many walks, a letter for each activity."""
    activity, lengths = walk(model, known, n, Randomness(seed))
    assert len(activity) == lengths.sum()
    assert len(lengths) == n
    text = "".join(labels[each] for each in activity)
    return [text[first:after] for first, after in pairwise(np.cumsum([0, *lengths]))]


TWICE = {"AB": 100.0, "BB": 50.0, "BC": 100.0}
"""A, then B once or twice, then C."""


def test_walks_take_known_steps_from_a_beginning_to_an_end() -> None:
    known = ends("A", "C", 3)
    found = Counter(words(model_of(staged(TWICE), known), known, 200))
    assert set(found) == {"ABC", "ABBC"}
    assert min(found.values()) > 60  # lengths 3 and 4 are one bin


def test_many_walks_at_once_are_walked_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    known = ends("A", "C", 3, 5)
    model = model_of(staged(TWICE), known)
    monkeypatch.setattr(walks, "_CELLS_AT_ONCE", 7 * 3)
    found = set(words(model, known, 100))
    assert found == {f"A{'B' * times}C" for times in range(1, 6)}


def test_a_walk_is_as_long_as_it_should_be_even_where_no_known_steps_are() -> None:
    """No step leads on from C, and paths of 100 are asked for: they go astray rather than end early."""
    known = ends("A", "C", 100)
    noisy = staged({"AB": 100, "BC": 100}, deviation=1.0)
    lengths = {len(word) for word in words(model_of(noisy, known), known, 20)}
    assert all(length_bin(np.array([each])) == length_bin(np.array([100])) for each in lengths)


def test_the_place_in_a_path_tells_which_steps_it_takes() -> None:
    """Four steps from A to A, five among A and B, and then among B and C."""
    noisy = staged({"AA": 400.0}, {"AB": 100.0, "BB": 400.0}, {"BC": 100.0, "CC": 400.0})
    known = ends("A", "C", 14)
    for word in words(model_of(noisy, known), known, 50):
        assert word[:10] == "AAAAABBBBB"
        assert word[10:].lstrip("B").strip("C") == ""
        assert word[-1] == "C"


def test_stages_that_show_nothing_are_like_all_together() -> None:
    """Steps late in a path are lost in the noise, and are taken as the early ones."""
    noisy = staged({"AB": 1000, "BA": 1000}, labels="ABC", deviation=1.0)
    model = model_of(noisy, ends("A", "B", 14))
    assert model.step[2, 0].argmax() == 1
    assert model.step[2, 0, 1] > 0.9 * model.step[2, 0].sum()


def test_paths_are_led_on_where_steps_were_lost() -> None:
    noisy = staged({"AB": 100, "CD": 100}, labels="ABCD", deviation=1.0)  # how B leads to C was lost in the noise
    known = ends("A", "D", 4, labels="ABCD")
    model = model_of(noisy, known)
    assert (model.step[:, 1].argmax(axis=1) == 2).all()
    assert (model.step[:, 1, 2] > 0.9).all()
    assert model.end[1] < 0.1
    assert Counter(words(model, known, 50, "ABCD")).most_common(1)[0][0] == "ABCD"


def test_chances_to_go_on_and_to_end_are_all_there_is() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        noisy = Noisy(rng.normal(5, 10, len(STAGES) * 25), 1.0)
        known = Ends(rng.random(5), rng.random(5), np.full(BINS, 1 / BINS), shown=True)
        model = model_of(noisy, known)
        assert (model.step >= 0).all()
        assert np.allclose(model.step.sum(axis=2) + model.end, 1, atol=1e-6)
        assert np.isclose(model.begin.sum(), 1)


def test_walks_end_where_cases_end() -> None:
    """Paths of any length could stop at B, and some go on from C; but all of them end with C."""
    known = ends("A", "C", 3, 6)
    noisy = staged({"AB": 100, "BB": 50, "BC": 130, "CB": 30})
    assert {word[-1] for word in words(model_of(noisy, known), known, 100)} == {"C"}


@pytest.mark.parametrize("lost", ["first", "last"])
def test_nothing_known_of_ends_lets_walks_begin_and_end_anywhere(lost: str) -> None:
    known = ends("A", "C", 2, 3)._replace(**{lost: np.zeros(3)})
    found = words(model_of(staged(TWICE), known), known, 60)
    assert len({word[0 if lost == "first" else -1] for word in found}) > 1


# ---------------------------------------------------------------------------------------- lengths


def test_every_length_has_its_bin() -> None:
    lengths = np.arange(1, 5000)
    bins = length_bin(lengths)
    assert (bins[:2].tolist(), bins[-1]) == ([0, 1], BINS - 1)
    inside = lengths < PATH_LENGTHS[-1]
    assert (PATH_LENGTHS[bins] <= lengths).all()
    assert (PATH_LENGTHS[bins + 1] > lengths)[inside].all()
    assert (np.diff(bins) >= 0).all()


def noised_ends(lengths: np.ndarray, deviation: float, seed: int) -> Noisy:
    """Of cases of these lengths that all begin with A and end with C: noised, in cases."""
    cells = np.zeros(6 + BINS)
    cells[[0, 5]] = len(lengths)
    cells[6:] = np.bincount(length_bin(lengths), minlength=BINS)
    return Noisy(cells + np.random.default_rng(seed).normal(0, deviation, len(cells)), deviation)


@pytest.mark.parametrize("deviation", [0.5, 20.0])
def test_lengths_are_as_the_noised_tally_says(deviation: float) -> None:
    rng = np.random.default_rng(3)
    lengths = np.concatenate((rng.integers(3, 8, 700), rng.integers(20, 50, 300)))
    for seed in range(3):
        found = ends_of(noised_ends(lengths, deviation, seed), 3, 1000, Randomness(seed))
        assert found.shown
        assert found.first.argmax() == 0
        assert found.last.argmax() == 2
        assert found.lengths.sum() == pytest.approx(1)
        assert found.lengths[length_bin(np.array([20]))[0] :].sum() == pytest.approx(0.3, abs=0.06)
        assert 5 <= found.typical <= 8
        drawn = walks._drawn_lengths(found, 2000, Randomness(seed))
        assert drawn.mean() == pytest.approx(lengths.mean(), rel=0.15)


def test_noise_alone_is_taken_for_short_paths_and_shows_nothing() -> None:
    """A few paths of thousands of steps would be most of a release."""
    for seed in range(10):
        noise = np.random.default_rng(seed).normal(0, 50, 6 + BINS)
        found = ends_of(Noisy(noise, 50.0), 3, 100, Randomness(seed))
        assert not found.shown
        assert walks._drawn_lengths(found, 1000, Randomness(seed)).mean() < 100


def test_cases_that_are_fewer_than_the_noise_show_nothing() -> None:
    noisy = noised_ends(np.full(1000, 3), 1.0, 1)
    assert ends_of(noisy, 3, 1000, Randomness(1)).shown
    assert not ends_of(noisy, 3, 2, Randomness(1)).shown


def test_drawn_lengths_cover_their_distribution_evenly() -> None:
    known = ends("A", "C", 1, 1, 1, 100)
    drawn = walks._drawn_lengths(known, 4000, Randomness(1))
    assert (drawn == 1).sum() == pytest.approx(3000, abs=1)
    low, high = PATH_LENGTHS[length_bin(np.array([100]))[0] + np.arange(2)]
    long = drawn[drawn > 1]
    assert (long.min(), long.max()) == (low, high - 1)
    assert len(walks._drawn_lengths(known, 0, Randomness(1))) == 0


# ---------------------------------------------------------------------------------------- what is believed


def test_believable_counts_are_hardly_ever_noise() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0, 1, 10_000)
    values[:100] += 8
    kept = believable(Noisy(values, 1.0), 0.1) > 0
    assert kept[:100].mean() > 0.95
    assert kept[100:].sum() <= 20
    assert not believable(Noisy(rng.normal(0, 1, 10_000), 1.0), 0.001).any()


def test_the_more_may_be_noise_the_more_is_believed() -> None:
    values = np.random.default_rng(2).normal(0, 1, 1000)
    values[:100] += 3
    kept = [believable(Noisy(values, 1.0), share) for share in (0.01, 0.1, 0.3)]
    counts = [int((each > 0).sum()) for each in kept]
    assert counts == sorted(set(counts))
    assert all((each[each > 0] == values[each > 0]).all() for each in kept)


# ---------------------------------------------------------------------------------------- walks beside crowds


class Unnoised(Measurements):
    """Adds no noise at all."""

    def _geometric(self, _name: str, true: np.ndarray, _ratio: object) -> np.ndarray:
        return true

    def _gaussian(self, _name: str, true: np.ndarray, _s: int) -> np.ndarray:
        return true


def test_walks_are_for_those_whose_path_is_not_named() -> None:
    """A crowd on one path, and as many people who hardly share a path, but all their steps."""
    terms = paths_of_many(0.2)
    rng = np.random.default_rng(1)
    others = ["i" + "".join(rng.choice([*"xyz"], 9)) + "o" for _ in range(1500)]
    log = log_of([(path, range(len(path))) for path in ["ABC"] * 1500 + others])
    for n in (3000, 3400):  # the number of cases is noised for itself
        noised = Unnoised(terms, shares(terms), Randomness(1))
        cases, found = taken_by_many(Cases.of(log), n, log.labels, noised, Randomness(2))
        text = "".join(cases.labels[each] for each in found.activity)
        paths = Counter(text[first:after] for first, after in pairwise(found.offsets.tolist()))
        assert found.cases == n
        assert paths["ABC"] == 1500
        walked = [path for path in paths if path != "ABC"]
        assert len(walked) > 500
        assert not any(set(path) & set("ABC") for path in walked)
        assert all((path[0], path[-1]) == ("i", "o") for path in walked)


def test_published_paths_take_the_place_of_cases_that_do_not_show_how_they_go() -> None:
    terms = paths_of_many(0.2)
    log = log_of([(path, range(len(path))) for path in ["ABC"] * 300 + ["AC"] * 100 + ["CA", "CBA"]])
    noised = Unnoised(terms, shares(terms), Randomness(1))
    _, found = taken_by_many(Cases.of(log), 500, log.labels, noised, Randomness(2))
    lengths = Counter(np.diff(found.offsets).tolist())
    assert lengths == {3: 375, 2: 125}
