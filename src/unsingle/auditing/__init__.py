"""Attackers run against releases, with bounds on what they gain. Private: what they find tells of the original."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed

import numpy as np

from ..errors import LogError, ParameterError
from ..log import EventLog
from ..methods import DEFAULT, with_paths
from ..options import Options
from ..privacy.budget import SLACK
from ..progress import Progress
from ..randomness import Randomness
from ..release import Release as Made
from ..release import checked_options
from . import promises
from .copies import same_order, starts_shared_on_paths
from .findings import QUESTIONS, Audit, Finding, finding
from .games import as_stated, gain, judged, learnt
from .guesses import PRECISIONS, Tried, before
from .linking import found_by_start, linked
from .lone import lone_paths_shown
from .metadata import linked_by_id
from .playing import Auditor, Run
from .targets import Targets
from .truth import exact_cases, exact_starts, exact_values, repeated_values
from .worlds import Release

__all__ = ["Audit", "Finding", "audit", "audit_release"]

RUNS = 200
_PEOPLE = 500  # tried on one given release
_PAIRS = 20_000  # of released cases, of which the first is taken for the first
_BARE = str.maketrans("", "", "()")
_AT_ONCE = 2  # runs that a process plays before it reports


def audit(
    log: EventLog,
    delta: float = 0.2,
    *,
    method: str = DEFAULT,
    paths: str = "same",
    runs: int = RUNS,
    attacks: Collection[str] = tuple(promises.KINDS),
    as_published: bool = False,
    slack: float = SLACK,
    labels: Sequence[str] | None = None,
    seed: int | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> Audit:
    """Attack releases of a log by a method, so many times, and tell whether it keeps what it promises.

    Args:
        log: the original.
        delta: as for `anonymize`.
        method: as for `anonymize`.
        paths: as for `anonymize`.
        runs: how often each attack is tried on fresh releases; 200 can tell an excess of about 0.1, 1,000 of 0.05.
        attacks: which kinds to try, of path, time, noise, linkage, start, copies and order, or single attacks by the
            names that stand in findings.
        as_published: audit the paper's method with its leaks.
        slack: as for `anonymize`.
        labels: as for `anonymize`.
        seed: make the audit repeatable.
        processes: how many work at the same time. A script that asks for several must do so below
            ``if __name__ == "__main__":``, because each of them imports it again.
        progress: told how far it is.

    >>> from unsingle import synthesize
    >>> audit(synthesize(cases=60), runs=4, attacks=["order"], seed=1).holds
    True

    """
    method = with_paths(method, paths)
    options = checked_options(delta, method, as_published=as_published, slack=slack, labels=labels)
    chosen = checked_attacks(attacks, runs)
    progress = progress or Progress()
    progress.step("attack")
    auditor = Auditor(log, method, options, chosen, seed)  # what cannot be released is told at once
    played = []
    for done, run in enumerate(_played(auditor, method, runs, seed, processes), start=1):
        played.append(run)
        progress.at(done / runs)
    return Audit(method, options.delta, as_published, runs, tuple(_findings(auditor, played)))


def checked_attacks(kinds: Collection[str], runs: int) -> list[str]:
    """All attacks of these kinds; raises `ParameterError` for what cannot be tried, before any work is done."""
    if runs < 2:
        raise ParameterError(f"runs must be 2 or more (not {runs}): what half of them teach is tried on the others")
    every = [attack for attacks in promises.KINDS.values() for attack in attacks]
    if not kinds or not set(kinds) <= {*promises.KINDS, *every}:
        raise ParameterError(f"unknown attacks {', '.join(kinds)!r}: choose of {', '.join(promises.KINDS)}")
    of_kinds = {attack for kind in kinds for attack in promises.KINDS.get(kind, (kind,))}
    return [attack for attack in every if attack in of_kinds]


def _played(auditor: Auditor, method: str, runs: int, seed: int | None, processes: int) -> Iterator[Run]:
    """All runs, on several processes."""
    if processes == 1:
        yield from map(auditor.play, range(runs))
        return
    batches = [range(first, min(runs, first + _AT_ONCE)) for first in range(0, runs, _AT_ONCE)]
    arguments = (auditor.log, method, auditor.options, auditor.attacks, seed)
    fresh = multiprocessing.get_context("spawn")  # a forked process may hang on the locks of others' threads
    with ProcessPoolExecutor(processes, fresh, initializer=_prepare, initargs=arguments) as pool:
        waiting: list[Future[list[Run]]] = [pool.submit(_play, batch) for batch in batches]
        try:
            for batch in as_completed(waiting):
                yield from batch.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


_auditor: Auditor | None = None


def _prepare(log: EventLog, method: str, options: Options, attacks: Collection[str], seed: int | None) -> None:
    global _auditor
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever interrupts the audit interrupts the one who waits for it
    _auditor = Auditor(log, method, options, attacks, seed)


def _play(batch: range) -> list[Run]:
    assert _auditor is not None
    return [_auditor.play(run) for run in batch]


def _findings(auditor: Auditor, played: list[Run]) -> Iterator[Finding]:
    attacks = set(auditor.attacks)

    def found(attack: str, question: str, tried: list[Tried], gains: Sequence[float] = ()) -> Finding:
        return finding(attack, question, tried, auditor.limits, len(attacks), gains)

    games = {game.attack for game in auditor.games}
    for attack in (each for each in promises.GAMES if each in attacks):
        tried = learnt([run.games[attack] for run in played]) if attack in games else []
        yield found(attack, QUESTIONS[attack], tried)
    for attack in (each for each in map(promises.noised, promises.INSIDER) if each in attacks):
        spoken = [run.odds[attack] for run in played if attack in run.odds]
        gains = [gain(odds) for pair in spoken for odds in pair]
        yield found(attack, QUESTIONS[attack], judged(spoken), gains)
    if promises.STATED in attacks:
        parts = {promises.noised(part) for part in (promises.OTHER_PATH_COUNTS, promises.OTHER_PATH_TIMES)}
        spoken_in = [[pair for attack, pair in run.odds.items() if attack not in parts] for run in played]
        yield found(promises.STATED, QUESTIONS[promises.STATED], [as_stated(each) for each in spoken_in if each])
    for group in (promises.COMMON, promises.RARE) if promises.VALUES & attacks else ():
        for number, (attack, precision) in enumerate(PRECISIONS.items()):
            question = f"how long did a person take for a{group.translate(_BARE)} step, {precision[0]}?"
            yield found(attack + group, question, _values(auditor, played, group, number))
    for attack in sorted(promises.WHOLE & attacks, key=list(QUESTIONS).index):
        yield found(attack, QUESTIONS[attack], [run.tried[attack] for run in played if attack in run.tried])


def _values(auditor: Auditor, played: list[Run], name: str, precision: int) -> list[Tried]:
    """Guesses of the duration of a step at one precision."""
    if name not in auditor.steps:
        return []
    group = auditor.targets.durations[auditor.steps[name].group].astype(np.float64)
    _, chance = before(group)[precision]
    right = np.array([run.values[name] for run in played])[:, :, precision]
    return [Tried(each, chance, 1) for each in _best_strategy(right)]


def _best_strategy(right: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> list[float]:
    """Run by run, whether the strategy that was best on the other half of the runs was right."""
    half = len(right) // 2
    parts = (right[:half], right[half:])
    chosen = [part[:, int(np.argmax(other.mean(axis=0)))] for part, other in (parts, parts[::-1])]
    return np.concatenate(chosen).tolist()


def audit_release(
    original: EventLog,
    release: EventLog | Made,
    delta: float | None = None,
    *,
    ids: tuple[list[str], list[str]] | None = None,
    extra_attributes: Sequence[str] = (),
) -> Audit:
    """Attack one given release, of whatever tool; what needs many releases is left out.

    Args:
        original: the original.
        release: what is released of it: a log, or what `anonymize` gave.
        delta: what an attack may gain. It must be given for a log; what `anonymize` gave knows its own.
        ids: the case ids of both, if there are files that have them.
        extra_attributes: what the released file has besides case, activity and time.

    >>> from unsingle import synthesize
    >>> log = synthesize(cases=100)
    >>> audit_release(log, log, delta=0.2).holds
    False

    """
    if not isinstance(release, EventLog):
        delta, release = release.delta if delta is None else delta, release.log
    if delta is None:
        raise ParameterError("say which delta the release was made with: what attacks may gain is held against it")
    delta = Options(delta).delta
    if not set(original.labels) & set(release.labels):
        raise LogError(
            "original and release have no activity in common, so nothing of the one can be found in the other: check "
            "that the release was made of this log, and that the same columns make the activity in both"
        )
    seen, random = Release(original, release), Randomness(0)
    people = Targets(original).some_cases(_PEOPLE, random.permutation(original.n_cases))
    tried = {
        promises.ALONE: lone_paths_shown(original, seen, people),
        promises.LINKED: linked(original, seen, people),
        promises.START: found_by_start(original, seen, people),
        promises.COPIES: starts_shared_on_paths(original, seen),
        promises.ORDER: same_order(original, seen, None, random, most=_PAIRS),
        promises.EXACT_STARTS: exact_starts(original, seen),
        promises.EXACT_VALUES: exact_values(original, seen, people),
        promises.EXACT_CASES: exact_cases(original, seen, random),
        promises.REPEATED: repeated_values(original, seen),
    }
    if ids is not None:
        tried[promises.IDS] = linked_by_id(original, ids[0], seen, ids[1])
    limits = promises.limits_of_given(delta)
    found = [
        finding(attack, QUESTIONS[attack], [tried[attack]], limits, len(tried))
        for attack in sorted(tried, key=list(QUESTIONS).index)
    ]
    return Audit(promises.GIVEN, delta, False, 1, tuple(found), tuple(extra_attributes))
