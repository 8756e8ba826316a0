"""One run of all attacks against fresh releases of a log and of its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import numpy as np

from ..errors import LogError
from ..log import EventLog
from ..methods import method_named
from ..options import Options
from ..privacy.budget import Budget
from ..progress import Progress
from ..ragged import Ints
from ..randomness import Randomness
from . import promises
from .copies import grouped_copies, same_order
from .features import Candidate, duration_features, path_features, step_features, times_features
from .games import Game, Seen, Spoken
from .guesses import PRECISIONS, STRATEGIES, Tried, guessed_value
from .likelihood import Insider, Odds
from .linking import found_by_start, linked
from .metadata import tells_of_its_log
from .targets import Step, Targets
from .truth import exact_cases, exact_starts, exact_values, repeated_values, same_again
from .worlds import Release, exchanged, on_other_path, with_steps, without

PEOPLE = 40
"""On how many people an attack on a whole release is tried, in each run."""

_TRIES = 20  # until a log that may give no release gave one

# Logs that differ from the original in one person.
_NOT_FREQUENT, _NOT_RARE, _NOT_LONE = "one of the most frequent path less", "one of a rare path less", "no lone path"
_OTHER_PATH, _EXCHANGED, _AS_USUAL = "another path", "times exchanged", "a usual time"
_WEIGHTY_AS_USUAL = "a usual time for what was most of a case"

_SEEN_IN: dict[str, tuple[str, Callable[[Odds], float]]] = {
    promises.PRESENT: (_NOT_FREQUENT, lambda odds: odds.everything),
    promises.OTHER_PATH: (_OTHER_PATH, lambda odds: odds.everything),
    promises.OTHER_PATH_COUNTS: (_OTHER_PATH, lambda odds: odds.counts),
    promises.OTHER_PATH_TIMES: (_OTHER_PATH, lambda odds: odds.tallies),
    promises.ALONE: (_NOT_LONE, lambda odds: odds.everything),
    promises.REPLACED: (_WEIGHTY_AS_USUAL, lambda odds: odds.everything),
}
"""Which of them is told from the original by noised figures, and by which, for each such attack."""


@dataclass
class Run:
    """What one run saw."""

    games: dict[str, Seen] = field(default_factory=dict)
    odds: dict[str, Spoken] = field(default_factory=dict)
    values: dict[str, list[list[float]]] = field(default_factory=dict)  # strategy by precision
    tried: dict[str, Tried] = field(default_factory=dict)


class Auditor:
    """Chooses targets and games for a log and a method, and plays them."""

    def __init__(
        self, log: EventLog, method: str, options: Options, attacks: Collection[str], seed: int | None = None
    ) -> None:
        self.log, self.options, self.attacks = log, options, attacks
        self._method, self._seed = method_named(method), seed
        budget = self._first_budget()
        terms = None if budget is None else budget.began
        self.limits = promises.limits(options.delta, self._method.guarantee(options), terms)
        self._changes_one = budget is not None
        self.targets = Targets(log)
        self._worlds: dict[str, EventLog] = {}
        self.games = [game for game in self._games() if game.attack in attacks]
        self._insider = None if budget is None or terms is None else Insider(terms, budget, options)
        self.steps: dict[str, Step] = {}
        if promises.VALUES & set(attacks):
            for name, large in ((promises.COMMON, True), (promises.RARE, False)):
                if (step := self.targets.in_group(large=large)) is not None:
                    self.steps[name] = step

    def _first_budget(self) -> Budget | None:
        """What a release spends, if the method has a budget; raises `LogError` for a log that cannot be released."""
        streams = self._streams(-1)
        for _ in range(_TRIES - 1):
            try:
                return self._method.anonymize(self.log, self.options, next(streams), Progress()).budget
            except LogError:  # perhaps by bad luck
                continue
        return self._method.anonymize(self.log, self.options, next(streams), Progress()).budget

    def _games(self) -> Iterator[Game]:
        yield from self._games_of_paths()
        yield from self._games_of_times()

    def _games_of_paths(self) -> Iterator[Game]:
        log, targets, of_case = self.log, self.targets, self.log.variants.of_case
        crowd, few, alone = targets.in_largest_crowd, targets.in_smallest_crowd, targets.alone

        def with_or_without(attack: str, world: str, case: int) -> Game:
            self._worlds[world] = without(log, case)
            return Game(attack, world, path_features([int(of_case[case])]))

        if log.variants.cases[of_case[crowd]] > 1:
            yield with_or_without(promises.PRESENT, _NOT_FREQUENT, crowd)
        if few is not None:
            yield with_or_without(promises.RARE_PRESENT, _NOT_RARE, few)
            yield Game(promises.STEP, _NOT_RARE, step_features(targets.variants_with_step_of(few)))
        if few is not None and of_case[few] != of_case[crowd]:
            self._worlds[_OTHER_PATH] = on_other_path(log, few, crowd)
            counts = path_features([int(of_case[few]), int(of_case[crowd])])
            yield Game(promises.OTHER_PATH, _OTHER_PATH, counts)
            steps = [*targets.steps_of(few), *targets.steps_of(crowd)]
            if steps:
                times = [Candidate(step, (int(targets.durations[step.event]),)) for step in steps]
                yield Game(promises.OTHER_PATH_TIMES, _OTHER_PATH, times_features(times))
        if alone is not None and log.n_cases > 1:
            yield with_or_without(promises.ALONE, _NOT_LONE, alone)

    def _games_of_times(self) -> Iterator[Game]:
        log, durations = self.log, self.targets.durations
        if (pair := self.targets.outlier()) is not None:
            far, usual = pair
            took = int(durations[far.event]), int(durations[usual.event])
            features = duration_features(Candidate(far, took))
            self._worlds[_EXCHANGED] = exchanged(log, far.event, usual.event)
            self._worlds[_AS_USUAL] = with_steps(log, {far.event: took[1]})
            yield Game(promises.EXCHANGED, _EXCHANGED, features)
            yield Game(promises.REPLACED, _AS_USUAL, features)
        if (weighty := self.targets.weightiest()) is not None:
            self._worlds[_WEIGHTY_AS_USUAL] = with_steps(log, {weighty[0].event: weighty[1]})

    def play(self, run: int) -> Run:
        """All attacks once, with noise of their own."""
        streams = self._streams(run)
        choosing = next(streams)
        seen = Run()
        made = None
        if self.games or promises.WHOLE & set(self.attacks):
            made = self._release(self.log, next(streams))
        others: dict[str, tuple[Release, Ints | None] | None] = {}
        for game in self.games:
            if game.world not in others:
                others[game.world] = self._release(self._worlds[game.world], next(streams))
            seen.games[game.attack] = _features(game, others[game.world]), _features(game, made)
        seen.odds = self._odds(streams)
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

    def _odds(self, streams: Iterator[Randomness]) -> dict[str, Spoken]:
        """What the noised figures of one release of each log say, where the method has such figures."""
        wanted = {
            promises.noised(attack): seen_in
            for attack, seen_in in _SEEN_IN.items()
            if seen_in[0] in self._worlds and {promises.noised(attack), promises.STATED} & set(self.attacks)
        }
        if self._insider is None or not wanted:
            return {}
        spoken = {}
        here = self._insider.watch(self.log, next(streams))
        for world in sorted({world for world, _ in wanted.values()}):
            there = self._insider.watch(self._worlds[world], next(streams))
            spoken[world] = self._insider.odds(there, self.log), self._insider.odds(here, self._worlds[world])
        return {attack: (which(spoken[world][0]), which(spoken[world][1])) for attack, (world, which) in wanted.items()}

    def _value(self, step: Step, choosing: Randomness, streams: Iterator[Randomness]) -> list[list[float]]:
        """Give the person a random duration of the group; then guess it.

        A method with a budget promises something to each person, whatever the others did: there nobody else is changed.
        Else it is exchanged with whose it was, so that the group stays the same.
        """
        pick = int(step.group[choosing.below(np.array([len(step.group)]))[0]])
        alone = with_steps(self.log, {step.event: int(self.targets.durations[pick])})
        world = alone if self._changes_one else exchanged(self.log, step.event, pick)
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
            promises.REPEATED: repeated_values(self.log, release),
            promises.ORDER: same_order(self.log, release, ancestors, choosing),
            promises.AGAIN: same_again(release, again),
            promises.IDS: tells_of_its_log(release.log),
        }
        if ancestors is not None:
            tried[promises.COPIES], tried[promises.COPIES_TIMES] = grouped_copies(release, ancestors, choosing)
        return tried


def _features(game: Game, made: tuple[Release, Ints | None] | None) -> tuple[float, ...]:
    return () if made is None else tuple(game.features(made[0]))
