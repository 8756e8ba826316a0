"""One run of all attacks against fresh releases of a log and of its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ..errors import LogError
from ..log import EventLog
from ..methods import method_named
from ..methods.blend import added_ratio
from ..options import Options
from ..progress import Progress
from ..ragged import Ints
from ..randomness import Randomness
from . import promises
from .copies import grouped_copies, same_order
from .games import Game, Seen, all_features, own_features, path_features, step_features
from .guesses import PRECISIONS, STRATEGIES, Tried, guessed_value
from .linking import found_by_start, linked
from .metadata import tells_of_its_log
from .targets import Step, Targets
from .truth import exact_cases, exact_starts, exact_values, same_again
from .worlds import Release, exchanged, on_other_path, with_steps, without

PEOPLE = 40
"""On how many people an attack on a whole release is tried, in each run."""


@dataclass
class Run:
    """What one run saw."""

    games: dict[str, Seen] = field(default_factory=dict)
    values: dict[str, list[list[float]]] = field(default_factory=dict)  # strategy by precision
    tried: dict[str, Tried] = field(default_factory=dict)


class Auditor:
    """Chooses targets and games for a log and a method, and plays them."""

    def __init__(
        self, log: EventLog, method: str, options: Options, attacks: Collection[str], seed: int | None = None
    ) -> None:
        self.log, self.options, self.attacks = log, options, attacks
        self._name, self._method, self._seed = method, method_named(method), seed
        self.targets = Targets(log)
        self.games = [game for game in self._games(method) if game.attack in attacks]
        self.steps: dict[str, Step] = {}
        if promises.VALUES & set(attacks):
            for name, large in ((promises.COMMON, True), (promises.RARE, False)):
                if (step := self.targets.in_group(large=large)) is not None:
                    self.steps[name] = step

    def _games(self, method: str) -> Iterator[Game]:
        log, targets, of_case = self.log, self.targets, self.log.variants.of_case
        counts = log.variants.cases

        def with_or_without(attack: str, case: int) -> Game:
            path = int(of_case[case])
            known = None
            if method == "blend" and counts[path] > 1:
                known = speaks_for_one_more(int(counts[path]) - 1, self.options.exact_delta)
            return Game(attack, without(log, case), path_features([path]), known)

        crowd, few, alone = targets.in_largest_crowd, targets.in_smallest_crowd, targets.alone
        if counts[of_case[crowd]] > 1:
            yield with_or_without(promises.PRESENT, crowd)
        if few is not None:
            yield with_or_without(promises.RARE_PRESENT, few)
            step = targets.variants_with_step_of(few)
            yield Game(promises.STEP, without(log, few), step_features(step))
            if of_case[few] != of_case[crowd]:
                both = path_features([int(of_case[few]), int(of_case[crowd])])
                yield Game(promises.OTHER_PATH, on_other_path(log, few, crowd), both)
        if alone is not None and log.n_cases > 1:
            yield with_or_without(promises.ALONE, alone)
        if (pair := targets.outlier()) is not None:
            far, usual = pair
            durations = targets.durations
            middle = (durations[far.event] + durations[usual.event]) / 2
            yield Game(promises.EXCHANGED, exchanged(log, far.event, usual.event), own_features(far, middle))
            as_usual = with_steps(log, {far.event: int(durations[usual.event])})
            yield Game(promises.REPLACED, as_usual, all_features(far, middle))

    def play(self, run: int) -> Run:
        """All attacks once, with noise of their own."""
        streams = self._streams(run)
        choosing = next(streams)
        seen = Run()
        made = self._release(self.log, next(streams))
        for game in self.games:
            other = self._release(game.neighbour, next(streams))
            seen.games[game.attack] = _features(game, other), _features(game, made)
        for name, step in self.steps.items():
            seen.values[name] = self._value(step, choosing, streams)
        if made is not None and promises.WHOLE & set(self.attacks):
            again = self._release(self.log, next(streams))
            seen.tried = self._whole_release(*made, None if again is None else again[0], choosing)
        return seen

    def _streams(self, run: int) -> Iterator[Randomness]:
        """A stream of noise for each release."""
        root = Randomness(None if self._seed is None else self._seed * 1_000_003 + run)
        while True:
            # without a seed each release draws its own, as it does for a user
            yield Randomness() if self._seed is None else root.spawn(1)[0]

    def _release(self, log: EventLog, random: Randomness) -> tuple[Release, Ints | None] | None:
        try:
            released = self._method.anonymize(log, self.options, random, Progress())
        except LogError:  # nothing was left of it
            return None
        return Release(self.log, released.log), released.ancestors

    def _value(self, step: Step, choosing: Randomness, streams: Iterator[Randomness]) -> list[list[float]]:
        """Give the person a random duration of the group; then guess it.

        It is exchanged with whose it was, so that the group stays the same. Only `strict` keeps its promise also if it
        does not: there nobody else is changed.
        """
        pick = int(step.group[choosing.below(np.array([len(step.group)]))[0]])
        alone = with_steps(self.log, {step.event: int(self.targets.durations[pick])})
        world = alone if self._name == "strict" else exchanged(self.log, step.event, pick)
        made = self._release(world, next(streams))
        if made is None:
            return [[0.0] * len(PRECISIONS)] * len(STRATEGIES)
        durations = self.targets.durations
        values, true = durations[step.group].astype(np.float64), float(durations[pick])
        return guessed_value(made[0], step, values, true, self.options.delta)

    def _whole_release(
        self, release: Release, ancestors: Ints | None, again: Release | None, choosing: Randomness
    ) -> dict[str, Tried]:
        people = self.targets.some_cases(PEOPLE, choosing.permutation(self.log.n_cases))
        tried = {
            promises.LINKED: linked(self.log, release, people),
            promises.START: found_by_start(self.log, release, people),
            promises.EXACT_STARTS: exact_starts(self.log, release),
            promises.EXACT_VALUES: exact_values(self.log, release, people),
            promises.EXACT_CASES: exact_cases(self.log, release, choosing),
            promises.ORDER: same_order(self.log, release, ancestors, choosing),
            promises.AGAIN: same_again(release, again),
            promises.IDS: tells_of_its_log(release.log),
        }
        if ancestors is not None:
            tried[promises.COPIES], tried[promises.COPIES_TIMES] = grouped_copies(release, ancestors, choosing)
        return tried


def _features(game: Game, made: tuple[Release, Ints | None] | None) -> tuple[float, ...]:
    return () if made is None else tuple(game.features(made[0]))


def speaks_for_one_more(fewer: int, delta: Fraction) -> Callable[[tuple[float, ...]], float]:
    """By how much a released count speaks for one case more, if what was added is geometric (blend)."""
    q = float(added_ratio(delta))

    def likelihood(added: float) -> float:
        return (1 - q) * q**added if added >= 0 else 0.0

    return lambda features: likelihood(features[0] - fewer - 1) - likelihood(features[0] - fewer)
