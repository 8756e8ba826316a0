"""Runs attacks again and again against fresh releases, on one process or on several."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from ..core.log import EventLog
from ..errors import LogError
from ..methods import Method
from ..privacy.budget import Budget
from ..privacy.random import Randomness
from ..progress import Progress
from .base import ATTACKS, Attack, Look
from .setting import Run, Setting, without_persons

Seen = dict[str, Any]
"""What one run showed, by the names of the attacks that could use it."""

_TRIES = 20  # until a log that may give no release gave one
_MOST_RUNS = 1_000_003  # with one seed; the number before the first run stands for the last
_AT_ONCE = 2  # runs that a process does before it reports


@dataclass(frozen=True)
class AuditJob:
    """What is to be attacked, and how: a log, a method, the names of attacks, and a seed if it is to be repeatable.

    `ignore_persons` is for releases that are made as if the log did not say whose each case is.
    """

    log: EventLog
    method: Method
    attacks: tuple[str, ...]
    seed: int | None = None
    ignore_persons: bool = False

    def streams(self, run: int) -> Iterator[Randomness]:
        """A stream of noise for each release of a run."""
        root = Randomness(None if self.seed is None else self.seed * _MOST_RUNS + run % _MOST_RUNS)
        while True:
            # without a seed each release draws its own, as it does for a user
            yield Randomness() if self.seed is None else root.spawn(1)[0]


class Runner:
    """Plans the attacks on a log and a method, then runs them; raises `LogError` for a log that cannot be released."""

    def __init__(self, job: AuditJob) -> None:
        self._job = job
        setting = Setting(job.log, job.method, _budget_of_one_release(job), ignore_persons=job.ignore_persons)
        plans = {name: ATTACKS[name].plan(setting) for name in job.attacks}
        self._setting = setting
        self._looks: dict[str, Look] = {name: look for name, look in plans.items() if look is not None}

    def run(self, number: int) -> Seen:
        """All attacks once, with noise of their own."""
        run = Run(self._setting, self._job.streams(number))
        seen = {name: look(run) for name, look in self._looks.items()}
        return {name: each for name, each in seen.items() if each is not None}


def runs_of(job: AuditJob, runs: int, processes: int) -> Iterator[Seen]:
    """What so many runs showed, as they end."""
    runner = Runner(job)  # here too if there are several processes: what cannot be released is refused at once
    if processes == 1:
        yield from map(runner.run, range(runs))
        return
    batches = [range(first, min(runs, first + _AT_ONCE)) for first in range(0, runs, _AT_ONCE)]
    fresh = multiprocessing.get_context("spawn")  # a forked process may hang on the locks of others' threads
    with ProcessPoolExecutor(processes, fresh, initializer=_prepare, initargs=(job,)) as pool:
        waiting: list[Future[list[Seen]]] = [pool.submit(_run, batch) for batch in batches]
        try:
            for batch in as_completed(waiting):
                yield from batch.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def seen_by(attack: Attack, runs: Sequence[Seen]) -> list[Any]:
    """What the runs showed to one attack."""
    return [run[attack.name] for run in runs if attack.name in run]


_runner: Runner | None = None


def _prepare(job: AuditJob) -> None:
    global _runner
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt reaches the process that waits for this one
    _runner = Runner(job)


def _run(batch: range) -> list[Seen]:
    assert _runner is not None
    return [_runner.run(number) for number in batch]


def _budget_of_one_release(job: AuditJob) -> Budget | None:
    """What a release spends, if the method has a budget. A release may fail by bad luck, so several are tried."""
    streams, log = job.streams(-1), without_persons(job.log) if job.ignore_persons else job.log
    for _ in range(_TRIES - 1):
        try:
            return job.method.release(log, next(streams), Progress()).budget
        except LogError:
            continue
    return job.method.release(log, next(streams), Progress()).budget
