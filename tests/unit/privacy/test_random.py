import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.helpers import ROOT, assert_distributed, examples
from unsingle.errors import ParameterError
from unsingle.privacy import random as randomness
from unsingle.privacy.random import MAX_SCALE, Randomness


def everything(random):
    """A little of each kind, as lists."""
    return [
        random.words(5).tolist(),
        random.uniform(5).tolist(),
        random.exponential(5).tolist(),
        random.permutation(50).tolist(),
        random.below(np.full(5, 10**9)).tolist(),
        random.bernoulli(Fraction(1, 3), 64).tolist(),
        random.geometric(Fraction(99, 100), 5).tolist(),
        random.discrete_laplace(np.full(5, 1e6)).tolist(),
    ]


def test_the_same_seed_gives_the_same_stream():
    assert everything(Randomness(seed=3)) == everything(Randomness(seed=3))


@pytest.mark.parametrize("seed", [-1, 1.5, "1"])
def test_a_seed_is_a_whole_number_as_in_the_command(seed):
    with pytest.raises(ParameterError, match="a seed is a whole number, 0 or more"):
        Randomness(seed=seed)


def test_another_seed_gives_another_stream():
    pairs = zip(everything(Randomness(seed=3)), everything(Randomness(seed=4)), strict=True)
    assert all(one != other for one, other in pairs)


def test_no_seed_gives_another_stream_each_time():
    pairs = zip(everything(Randomness()), everything(Randomness()), strict=True)
    assert all(one != other for one, other in pairs)


def test_no_seed_takes_256_bits_from_the_operating_system(monkeypatch):
    asked = []
    monkeypatch.setattr(randomness.os, "urandom", lambda n: asked.append(n) or bytes(n))
    Randomness()
    assert asked == [32]
    Randomness(seed=1)
    assert asked == [32]


def test_the_stream_goes_on_and_does_not_repeat():
    random = Randomness(seed=5)
    in_parts = [*random.words(3), *random.words(1000)]
    assert in_parts == Randomness(seed=5).words(1003).tolist()
    assert len(set(in_parts)) == 1003


def test_spawned_streams_differ_and_follow_from_the_seed():
    def firsts(seed):
        parent = Randomness(seed)
        return [stream.words(4).tolist() for stream in (*parent.spawn(3), parent)]

    assert len({tuple(first) for first in firsts(5)}) == 4
    assert firsts(5) == firsts(5)
    assert firsts(5) != firsts(6)


@given(st.lists(st.integers(1, 2**62), min_size=1, max_size=50))
@examples(200)
def test_below_stays_inside_any_bounds(bounds):
    drawn = Randomness(seed=6).below(np.array(bounds))
    assert (drawn >= 0).all()
    assert (drawn < np.array(bounds)).all()


@pytest.mark.parametrize("bound", [2, 3, 5, 16, 17, 1000])
def test_below_is_uniform_for_small_bounds(bound):
    assert_distributed(Randomness(seed=7).below(np.full(50_000, bound)), np.ones(bound))


@pytest.mark.parametrize("bound", [2**40, 2**40 + 1, 3 * 2**60, 2**62])
def test_below_is_uniform_for_large_bounds(bound):
    drawn = Randomness(seed=8).below(np.full(50_000, bound))
    assert_distributed((drawn / bound * 64).astype(int), np.ones(64))
    assert_distributed(drawn % 64, np.ones(64))


def test_below_one_is_zero_and_every_bound_of_a_call_has_its_own_numbers():
    bounds = np.tile([1, 3, 2**40 + 1], 20_000)
    drawn = Randomness(seed=9).below(bounds).reshape(-1, 3)
    assert not drawn[:, 0].any()
    assert_distributed(drawn[:, 1], np.ones(3))
    assert_distributed(drawn[:, 2] * 64 // (2**40 + 1), np.ones(64))


def test_uniform_numbers_lie_between_0_and_1_and_fill_it():
    drawn = Randomness(seed=10).uniform(50_000)
    assert 0 < drawn.min() < 0.001
    assert 0.999 < drawn.max() < 1
    assert_distributed((drawn * 64).astype(int), np.ones(64))


def test_uniform_numbers_never_reach_0_or_1(monkeypatch):
    random = Randomness(seed=1)
    monkeypatch.setattr(random, "words", lambda _: np.array([0, 2**64 - 1], np.uint64))
    lowest, highest = random.uniform(2)
    assert 0 < lowest < highest < 1


def test_exponential_numbers_are_exponential():
    drawn = Randomness(seed=11).exponential(50_000)
    assert_distributed((np.exp(-drawn) * 64).astype(int), np.ones(64))


def test_every_permutation_is_as_likely():
    random = Randomness(seed=12)
    drawn = [tuple(random.permutation(4)) for _ in range(10_000)]
    number = {order: i for i, order in enumerate(sorted(set(drawn)))}
    assert len(number) == 24
    assert all(sorted(order) == [0, 1, 2, 3] for order in number)
    assert_distributed(np.array([number[order] for order in drawn]), np.ones(24))


def test_bernoulli_has_exactly_its_probability():
    random = Randomness(seed=13)
    assert not random.bernoulli(Fraction(0), 100).any()
    assert random.bernoulli(Fraction(1), 100).all()
    for p in (Fraction(1, 3), Fraction(4, 9), Fraction(10**9 - 1, 10**9 + 7)):
        drawn = random.bernoulli(p, 50_000)
        assert abs(drawn.mean() - float(p)) < 6 * np.sqrt(float(p * (1 - p)) / 50_000) + 1e-4


@given(st.lists(st.floats(0.01, MAX_SCALE), min_size=1, max_size=20))
@examples(200)
def test_a_scale_is_rounded_up_a_little_and_never_down(scales):
    """Seen from one and the same draw, far out in the tail, that every scale stretches."""
    far = 2**62
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Randomness, "_long_geometric", lambda _, n: np.full(n, far))
        drawn = np.abs(Randomness(seed=1).discrete_laplace(np.array(scales))).tolist()
    for scale, noise in zip(scales, drawn, strict=True):
        asked = Fraction(far, randomness._UNIT) * Fraction(scale)
        assert math.floor(asked) <= noise <= asked * (1 + Fraction(scale) * 4 / randomness._UNIT) + 1


def test_a_tiny_scale_gives_no_noise():
    assert not Randomness(seed=1).discrete_laplace(np.full(1000, 0.001)).any()


@pytest.mark.parametrize("scale", [MAX_SCALE * 1.001, np.inf, np.nan, 0.0, -1.0])
def test_a_scale_that_cannot_be_drawn_is_refused(scale):
    with pytest.raises(ParameterError):
        Randomness(seed=1).discrete_laplace(np.array([1.0, scale, 1.0]))


def test_the_widest_scale_and_no_scale_at_all_are_fine():
    drawn = Randomness(seed=14).discrete_laplace(np.full(1000, MAX_SCALE))
    assert MAX_SCALE / 2 < np.abs(drawn.astype(float)).mean() < MAX_SCALE * 2
    assert len(Randomness(seed=14).discrete_laplace(np.array([]))) == 0


def test_each_scale_gets_its_own_noise():
    drawn = np.abs(Randomness(seed=15).discrete_laplace(np.repeat([1e3, 1e12], 10)))
    assert (drawn[:10] < 1e5).all()
    assert (drawn[10:] > 1e8).all()


def test_spawned_streams_are_repeatable_and_unlike_each_other_and_their_parent():
    first, again = (Randomness(seed=16).spawn(3) for _ in range(2))
    words = [stream.words(4).tolist() for stream in first]
    assert words == [stream.words(4).tolist() for stream in again]
    words.append(Randomness(seed=16).words(4).tolist())
    assert len({word for part in words for word in part}) == 16


def test_nothing_else_in_the_source_makes_random_numbers():
    forbidden = re.compile(
        r"(numpy|np)\.random|from numpy import .*\brandom\b|^\s*(import|from) (random|secrets|uuid)\b|urandom",
        re.MULTILINE,
    )
    sources = sorted((ROOT / "src" / "unsingle").rglob("*.py"))
    users = [path.name for path in sources if forbidden.search(path.read_text(encoding="utf-8"))]
    assert users == ["random.py"]
