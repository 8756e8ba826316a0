"""Worlds of noise: outcomes that have nothing to do with the log, to see what true figures the pipeline asks for."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from support.helpers import log_of
from unsingle import EventLog
from unsingle.core.clock import DAY
from unsingle.core.columns import PERSON, UTC_OFFSET, Column
from unsingle.mechanisms import durations, flow, labels, pace, walks
from unsingle.mechanisms.cases import Cases
from unsingle.mechanisms.measurements import Measurements
from unsingle.mechanisms.posterior import Rows
from unsingle.mechanisms.shares import shares
from unsingle.methods.synthetic import PathsOfMany, Synthetic
from unsingle.privacy.random import Randomness
from unsingle.progress import Progress

NUMBERS = ("how many cases there are", "how many cases are on paths of many")
BY_NAME = (*labels.ROUNDS, "how many cases take each path")


class Observed(Measurements):
    """Keeps the true figures, and gives outcomes that have nothing to do with them: one world of noise.

    Labels and paths have their outcome by name; those that not all logs of a test have stay hidden.
    """

    def __init__(self, method: Synthetic, log: EventLog, world: int, common: set[Hashable]) -> None:
        super().__init__(method.terms, shares(method.terms, method.attributes), Randomness(world))
        self.true: dict[str, dict[Hashable, int]] = {}
        self._log, self._method, self._world, self._common = log, method, world, common

    def _seen(self, name: str, true: np.ndarray, keys: Sequence[Hashable], highest: int) -> np.ndarray:
        self.true[name] = dict(zip(keys, true.tolist(), strict=True))
        places = all(isinstance(key, int) for key in keys)
        stream = Randomness.named(bytes(32), str(self._world), name)
        if places:
            return stream.below(np.full(len(keys), highest)) - highest // 8
        high = [
            int(Randomness.named(bytes(32), str(self._world), repr(key)).below(np.array([highest]))[0]) for key in keys
        ]
        return np.where([key in self._common for key in keys], high, -highest)

    def _geometric(self, name: str, true: np.ndarray, _ratio: Fraction) -> np.ndarray:
        if name in NUMBERS:
            return self._seen(name, true, [0], 60)
        return self._seen(name, true, self._paths(), 2 * self._threshold())

    def _gaussian(self, name: str, true: np.ndarray, s: int) -> np.ndarray:
        keys = sorted(self._log.labels) if name in labels.ROUNDS else range(len(true))
        return self._seen(name, true, list(keys), 20 * s)

    def _threshold(self) -> int:
        return 20 if self.budget.terms.publishes_all_paths else self.budget.terms.threshold

    def _paths(self) -> list[Hashable]:
        cases = Cases.of(self._log)
        if isinstance(self._method, PathsOfMany) and self._method.public_labels:
            cases = cases.only(self._method.public_labels)
        found, edges = cases.paths, cases.paths.offsets
        return [tuple(cases.labels[i] for i in found.path[a:b]) for a, b in pairwise(edges)]


Case = tuple[str, tuple[int, ...]]


def observe(
    cases: Sequence[Case],
    method: Synthetic,
    world: int,
    common: set[Hashable],
    persons: Sequence[str] | None = None,
) -> dict[str, dict[Hashable, int]]:
    """The true figures behind everything that the pipeline asks for, in this world."""
    log = with_offsets(log_of(cases))
    if persons is not None:
        log = with_persons(log, persons)
    seen = Observed(method, log, world, common)
    with pytest.MonkeyPatch.context() as patch:  # what is made of outcomes does not matter here, and takes long
        for module, name in product((durations, flow, pace, walks), ("posterior_mean", "posterior_median")):
            patch.setattr(module, name, guessed, raising=False)
            patch.setattr(module, "best_prior", lambda *_, **__: None)
        method.made_from(seen, log, Randomness(world), Progress())
    return seen.true


def with_offsets(log: EventLog) -> EventLog:
    """The log as if its times had been written in summer and winter time."""
    return replace(log, columns=(Column.of_numbers(UTC_OFFSET, 60 + 60 * (log.case_starts // DAY % 2)),))


def with_persons(log: EventLog, persons: Sequence[str | None]) -> EventLog:
    """The log with the person of each case."""
    return replace(log, columns=(*log.columns, Column.of_texts(PERSON, persons)))


def guessed(rows: Rows, *_: object) -> np.ndarray:
    """Some distribution, by the noised figures."""
    positive = np.abs(rows.noised) + 1e-6
    return positive / positive.sum(axis=1, keepdims=True)


def difference(one: dict[str, dict[Hashable, int]], other: dict[str, dict[Hashable, int]]) -> dict[str, dict]:
    """What the one has more than the other, figure by figure; the questions must be the same."""
    assert list(one) == list(other)
    for name in one:
        if name not in BY_NAME:
            assert one[name].keys() == other[name].keys(), "what is asked hangs on outcomes alone"
    more = {
        name: {key: one[name].get(key, 0) - other[name].get(key, 0) for key in one[name].keys() | other[name].keys()}
        for name in one
    }
    return {name: {key: value for key, value in cells.items() if value} for name, cells in more.items()}
