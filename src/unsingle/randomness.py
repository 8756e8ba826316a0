"""The one source of randomness, and samplers that are exact on the integers.

By default 256 bits from the operating system key an AES-CTR stream and are then forgotten, so that
nobody can draw the same noise again. A seed makes the stream repeatable: for tests and benchmarks,
never for publication.

Noise is drawn by comparing uniform integers only. Adding a floating-point Laplace sample to a value
would leave traces of the value in the sum's last bits (Mironov 2012). The sampler of discrete Laplace
noise follows the algorithms of Canonne, Kamath and Steinke (2020), for many scales at once.
"""

from __future__ import annotations

import hashlib
import os
from fractions import Fraction

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from .errors import ParameterError

Ints = NDArray[np.int64]

MAX_SCALE = float(2**55)
"""The widest noise that 64-bit integers can carry (more than a million years of milliseconds)."""

_FINE = 1024  # scales are rounded up to a multiple of 1/1024 while that fits
_BLOCK = 1 << 20


class Randomness:
    """A stream of random numbers: unpredictable by default, repeatable with a seed.

    >>> Randomness(seed=7).below(np.array([10, 10, 10])).tolist() == \
        Randomness(seed=7).below(np.array([10, 10, 10])).tolist()
    True
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed
        key = os.urandom(32) if seed is None else hashlib.sha256(b"unsingle %d" % seed).digest()
        self._stream = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()

    def words(self, n: int) -> NDArray[np.uint64]:
        """N uniform 64-bit words."""
        return np.frombuffer(self._stream.update(bytes(8 * n)), dtype=np.uint64)

    def uniform(self, n: int) -> NDArray[np.float64]:
        """N numbers in (0, 1). Not for noise that is added to a value."""
        return ((self.words(n) >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53

    def exponential(self, n: int) -> NDArray[np.float64]:
        """N exponential numbers of mean 1: keys for picking in random order by weight."""
        return -np.log(self.uniform(n))

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

        A scale is first rounded up to a fraction, so there is never less noise than asked for.
        """
        if len(scale) and not (scale.min() > 0 and scale.max() <= MAX_SCALE):
            raise ParameterError(
                "delta is too small for the times of this log: the noise would span more than a million years"
            )
        noise = np.empty(len(scale), dtype=np.int64)
        for start in range(0, len(scale), _BLOCK):  # in blocks, so that memory stays small
            block = slice(start, start + _BLOCK)
            denominator = np.where(scale[block] < 2.0**40, _FINE, 1).astype(np.int64)
            numerator = np.ceil(scale[block] * denominator).astype(np.int64)
            noise[block] = self._discrete_laplace(numerator, denominator)
        return noise

    def _discrete_laplace(self, numerator: Ints, denominator: Ints) -> Ints:
        """Scale numerator/denominator: floor(X / denominator) with a random sign, P(X) ~ exp(-X/numerator)."""
        noise = np.empty(len(numerator), dtype=np.int64)
        open_ = np.arange(len(numerator))
        while len(open_):
            magnitude = self._long_geometric(numerator[open_]) // denominator[open_]
            negative = (self.words(len(open_)) & np.uint64(1)).astype(np.bool_)
            noise[open_] = np.where(negative, -magnitude, magnitude)
            open_ = open_[negative & (magnitude == 0)]  # zero has one sign only
        return noise

    def _long_geometric(self, t: Ints) -> Ints:
        """X = 0, 1, 2 ... with probability proportional to exp(-X/t): X = U + t * V, each part exact."""
        remainder = np.empty(len(t), dtype=np.int64)
        open_ = np.arange(len(t))
        while len(open_):
            u = self.below(t[open_])
            remainder[open_] = u
            open_ = open_[~self._bernoulli_exp(u, t[open_])]
        whole = np.zeros(len(t), dtype=np.int64)
        alive = np.arange(len(t))
        while len(alive):
            one = np.ones(len(alive), dtype=np.int64)
            alive = alive[self._bernoulli_exp(one, one)]
            whole[alive] += 1
        return remainder + t * whole

    def _bernoulli_exp(self, numerator: Ints, denominator: Ints) -> NDArray[np.bool_]:
        """True with probability exp(-numerator/denominator), for numerator <= denominator.

        The first k at which a coin of chance (numerator/denominator)/k fails is odd with that probability.
        """
        result = np.empty(len(numerator), dtype=np.bool_)
        alive, k = np.arange(len(numerator)), 0
        while len(alive):
            k += 1
            success = self.below(denominator[alive]) < numerator[alive]
            if k > 1:
                success &= self.below(np.full(len(alive), k)) == 0
            result[alive[~success]] = k % 2 == 1
            alive = alive[success]
        return result


def _bit_masks(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The least 2^k - 1 that is not below each word, from the bits themselves."""
    masks = words.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        masks |= masks >> np.uint64(shift)
    return masks
