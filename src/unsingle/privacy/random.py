"""The one source of randomness, and samplers that are exact on the integers.

By default 256 bits from the operating system key an AES-CTR stream and are then forgotten, so that
nobody can draw the same noise again. A seed makes the stream repeatable: for tests and benchmarks,
never for publication.

Noise is drawn by comparing uniform integers only. Adding a floating-point Laplace sample to a value
would leave traces of the value in the sum's last bits (Mironov 2012). The samplers of discrete Laplace
and discrete Gaussian noise follow the algorithms of Canonne, Kamath and Steinke (2020), for many numbers at once.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from fractions import Fraction
from typing import cast

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from ..core.arrays import Ints
from ..errors import ParameterError

MAX_SCALE = float(2**52)
"""The widest noise that 64-bit integers can carry (more than a hundred thousand years of milliseconds)."""

MAX_DEVIATION = 2**25
"""The widest Gaussian noise that 64-bit integers can decide about."""

_UNIT = 1 << 56  # a power of two, so that a uniform number below it is just bits
_BELOW_UNIT = np.uint64(_UNIT - 1)


class Randomness:
    """A stream of random numbers: unpredictable by default, repeatable with a seed.

    >>> Randomness(seed=7).below(np.array([10, 10, 10])).tolist() == \
        Randomness(seed=7).below(np.array([10, 10, 10])).tolist()
    True
    """

    def __init__(self, seed: int | None = None, *, key: bytes | None = None) -> None:
        if not isinstance(cast(object, seed), int | None) or (seed or 0) < 0:
            raise ParameterError(f"a seed is a whole number, 0 or more (not {seed!r})")
        if key is None:
            key = os.urandom(32) if seed is None else hashlib.sha256(b"unsingle %d" % seed).digest()
        self._stream = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()

    def spawn(self, n: int) -> list[Randomness]:
        """N streams of their own, for work at the same time; their keys are drawn from this one."""
        return [Randomness(key=self.key()) for _ in range(n)]

    def key(self) -> bytes:
        """A key drawn from this stream, for streams that are told apart by name; see `named`."""
        return self._stream.update(bytes(32))

    @classmethod
    def named(cls, key: bytes, *names: str | bytes) -> Randomness:
        """The stream of this name under the key: the same whenever it is asked for, unrelated to any other.

        >>> one, again, other = (Randomness.named(bytes(32), name).words(1)[0] for name in ("a", "a", "b"))
        >>> bool(one == again), bool(one == other)
        (True, False)
        """
        return cls(key=hmac.digest(key, repr(names).encode(), "sha256"))

    def words(self, n: int) -> NDArray[np.uint64]:
        """N uniform 64-bit words."""
        return np.frombuffer(self._stream.update(bytes(8 * n)), dtype=np.uint64)

    def uniform(self, n: int) -> NDArray[np.float64]:
        """N numbers in (0, 1). Not for noise that is added to a value."""
        return ((self.words(n) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52  # 53 bits: never rounded to 1

    def exponential(self, n: int) -> NDArray[np.float64]:
        """N exponential numbers of mean 1: keys for picking in random order by weight."""
        return -np.log(self.uniform(n))

    def normal(self, n: int) -> NDArray[np.float64]:
        """N standard normal numbers, by the method of Box and Muller. Not for noise that is added to a value."""
        return np.sqrt(2 * self.exponential(n)) * np.cos(2 * np.pi * self.uniform(n))

    def permutation(self, n: int) -> Ints:
        """The numbers 0 ... n-1 in random order."""
        return np.argsort(self.words(n), kind="stable")

    def below(self, bounds: NDArray[np.integer]) -> Ints:
        """For each bound b > 0 a uniform integer in 0 ... b-1, exactly (by rejection)."""
        limits = bounds.astype(np.uint64)
        masks = _bit_masks(limits - np.uint64(1))
        result = self.words(len(limits)) & masks
        open_ = np.flatnonzero(result >= limits)
        while len(open_):
            retry = self.words(len(open_)) & masks[open_]
            result[open_] = retry
            open_ = open_[retry >= limits[open_]]
        return result.astype(np.int64)

    def bernoulli(self, probability: Fraction, n: int) -> NDArray[np.bool_]:
        """N times true with exactly this (rational) probability."""
        return self.below(np.full(n, probability.denominator)) < probability.numerator

    def geometric(self, ratio: Fraction, n: int) -> Ints:
        """N numbers k = 0, 1, 2 ... with probability (1 - ratio) * ratio^k, exactly."""
        count = np.zeros(n, dtype=np.int64)
        alive = np.arange(n)
        while len(alive := alive[self.bernoulli(ratio, len(alive))]):
            count[alive] += 1
        return count

    def discrete_laplace(self, scale: NDArray[np.float64]) -> Ints:
        """For each scale s > 0 an integer k with probability proportional to exp(-abs(k)/s).

        A scale is first rounded up to 2^56 divided by a whole number, so there is never less noise than asked for.
        """
        if len(scale) and not (scale.min() > 0 and scale.max() <= MAX_SCALE):
            raise ParameterError(
                "delta is too small for the times of this log: the noise would span more than a hundred thousand years"
            )
        # of scale UNIT/s with a whole s: floor(X / s) with a random sign, X exponential on the integers;
        # the next quotient below, because division may round up; and a scale of 1/64 is hardly any noise
        divisor = np.floor(np.nextafter(_UNIT / np.maximum(scale, 1 / 64), 0)).astype(np.int64)
        noise = np.empty(len(scale), dtype=np.int64)
        open_ = np.arange(len(scale))
        while len(open_):
            magnitude = self._long_geometric(len(open_)) // divisor[open_]
            negative = (self.words(len(open_)) & np.uint64(1)).astype(np.bool_)
            noise[open_] = np.where(negative, -magnitude, magnitude)
            open_ = open_[negative & (magnitude == 0)]  # zero has one sign only
        return noise

    def truncated_laplace(self, scale: float, most: int, n: int) -> Ints:
        """N integers k from -most to most with probability proportional to exp(-abs(k)/scale)."""
        noise = np.empty(n, dtype=np.int64)
        open_ = np.arange(n)
        while len(open_):
            noise[open_] = self.discrete_laplace(np.full(len(open_), scale))
            open_ = open_[np.abs(noise[open_]) > most]
        return noise

    def discrete_gaussian(self, deviation: int, n: int) -> Ints:
        """N integers k with probability proportional to exp(-k^2 / (2 deviation^2)), for a whole deviation.

        Discrete Laplace numbers of that scale, kept with probability exp(-(abs(k) - deviation)^2 / (2 deviation^2)).
        """
        if not 1 <= deviation <= MAX_DEVIATION:
            raise ParameterError("delta is too small for this method: the noise would be larger than any count")

        def some(more: int) -> Ints:
            tried = self._laplace(deviation, more)
            return tried[self._bernoulli_exp_of((np.abs(tried) - deviation) ** 2, 2 * deviation**2)]

        return _enough(some, n)

    def _laplace(self, scale: int, n: int) -> Ints:
        """N integers k with probability proportional to exp(-abs(k)/scale), for a whole scale, exactly."""

        def some(more: int) -> Ints:
            remainder = self._below(scale, more)
            remainder = remainder[self._bernoulli_exp_of(remainder, scale)]
            whole = np.zeros(len(remainder), dtype=np.int64)
            alive = np.arange(len(remainder))
            while len(alive):
                alive = alive[self._bernoulli_exp_of(np.full(len(alive), scale), scale)]
                whole[alive] += 1
            magnitude = remainder + scale * whole
            negative = (self.words(len(magnitude)) & np.uint64(1)).astype(np.bool_)
            return np.where(negative, -magnitude, magnitude)[~negative | (magnitude > 0)]  # zero has one sign only

        return _enough(some, n)

    def _bernoulli_exp_of(self, numerator: Ints, unit: int) -> NDArray[np.bool_]:
        """True with probability exp(-numerator/unit): as often as unit goes into the numerator, and then the rest."""
        result = np.ones(len(numerator), dtype=np.bool_)
        turns, rest = numerator // unit, numerator % unit
        alive = np.flatnonzero(turns > 0)
        while len(alive):
            result[alive] = self._bernoulli_exp_below_one(np.full(len(alive), unit), unit)
            turns[alive] -= 1
            alive = alive[result[alive] & (turns[alive] > 0)]
        alive = np.flatnonzero(result)
        result[alive] = self._bernoulli_exp_below_one(rest[alive], unit)
        return result

    def _bernoulli_exp_below_one(self, numerator: Ints, unit: int) -> NDArray[np.bool_]:
        """True with probability exp(-numerator/unit), for numerator <= unit; see `_bernoulli_exp`."""
        result = np.empty(len(numerator), dtype=np.bool_)
        alive, k = np.arange(len(numerator)), 0
        while len(alive):
            k += 1
            success = self._below(unit * k, len(alive)) < numerator[alive]
            result[alive[~success]] = k % 2 == 1
            alive = alive[success]
        return result

    def _below(self, bound: int, n: int) -> Ints:
        """N uniform integers in 0 ... bound-1, as `below`."""
        mask = np.uint64((1 << (bound - 1).bit_length()) - 1)

        def some(more: int) -> Ints:
            tried = (self.words(more) & mask).astype(np.int64)
            return tried[tried < bound]

        return _enough(some, n)

    def _long_geometric(self, n: int) -> Ints:
        """X = 0, 1, 2 ... with probability proportional to exp(-X/UNIT): X = U + UNIT * V, each part exact."""
        remainder = np.empty(n, dtype=np.uint64)
        open_ = np.arange(n)
        while len(open_):
            u = self.words(len(open_)) & _BELOW_UNIT
            remainder[open_] = u
            open_ = open_[~self._bernoulli_exp(u)]
        whole = np.zeros(n, dtype=np.int64)
        alive = np.arange(n)
        while len(alive):
            alive = alive[self._bernoulli_exp(np.full(len(alive), _UNIT, dtype=np.uint64))]
            whole[alive] += 1
        return remainder.astype(np.int64) + _UNIT * whole

    def _bernoulli_exp(self, numerator: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """True with probability exp(-numerator/UNIT), for numerator <= UNIT.

        The first k at which a coin of chance (numerator/UNIT)/k fails is odd with that probability.
        """
        result = np.empty(len(numerator), dtype=np.bool_)
        alive, k = np.arange(len(numerator)), 0
        while len(alive):
            k += 1
            success = (self.words(len(alive)) & _BELOW_UNIT) < numerator[alive]
            if k > 1:
                success &= self.below(np.full(len(alive), k)) == 0
            result[alive[~success]] = k % 2 == 1
            alive = alive[success]
        return result


def unguessable() -> str:
    """128 random bits as text: a name that nobody can guess.

    >>> len(unguessable())
    32
    """
    return os.urandom(16).hex()


def _enough(some: Callable[[int], Ints], n: int) -> Ints:
    """N accepted samples, from trials of which `some` keeps those that it accepts; each trial by itself."""
    parts: list[Ints] = []
    missing = n
    while missing > 0:
        kept = some(missing + missing // 2 + 16)[:missing]
        parts.append(kept)
        missing -= len(kept)
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _bit_masks(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The least 2^k - 1 that is not below each word, from the bits themselves."""
    masks = words.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        masks |= masks >> np.uint64(shift)
    return masks
