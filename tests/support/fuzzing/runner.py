"""Runs inputs in a process of their own, so that an abort or a hang is a finding and not the end."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import NamedTuple

from .base import ALONE, BOTH, RULE, SAME, Input, Target, verdict

PATIENCE = 5.0
"""Seconds after which an input hangs."""

_START = 60.0  # seconds that a new process may take to load everything
_FINDINGS = 20  # after which a run ends: the rest is more of the same


class Finding(NamedTuple):
    """An input that was not read as it should be, and what happened."""

    number: int
    what: str


@dataclass
class Run:
    """What came of the inputs of one format."""

    format: str
    seconds: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """How many there were."""
        return self.verdicts.total()


def target_of(name: str) -> Target:
    """The format of this name."""
    if name == "csv":
        from .tables import Tables

        return Tables()
    if name == "xes":
        from .xes import Xes

        return Xes()
    from .parquet import Parquet

    return Parquet()


def input_of(target: Target, seed: int, number: int) -> tuple[Input, bool]:
    """The input of this number, and whether it is read as users read it."""
    random = Random(f"{target.name} {seed} {number}")
    return target.make(random), number % 8 == 0


def run(
    name: str,
    count: int,
    seed: int,
    folder: Path,
    seconds: float = float("inf"),
    shown: Callable[[Run], None] = lambda _: None,
) -> Run:
    """Read so many inputs, for at most so many seconds; inputs that were not read right are kept in the folder."""
    result, begun, done = Run(name), time.monotonic(), 0
    while done < count and time.monotonic() - begun < seconds and len(result.findings) < _FINDINGS:
        for number, what in _attempt(name, seed, done, count):
            done = number + 1
            result.verdicts[what.split(":")[0] if is_finding(what) else what] += 1
            result.seconds = time.monotonic() - begun
            if is_finding(what):
                result.findings.append(Finding(number, what))
                _keep(name, seed, number, folder)
            if number % 1000 == 0:
                shown(result)
            if result.seconds > seconds or len(result.findings) >= _FINDINGS:
                break
    return result


def is_finding(what: str) -> bool:
    """Whether a verdict is one that must not be."""
    return what not in (SAME, BOTH, ALONE) and not what.startswith(RULE)


def _keep(name: str, seed: int, number: int, folder: Path) -> None:
    target = target_of(name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}-{seed}-{number}{target.suffix}").write_bytes(input_of(target, seed, number)[0].content)


def _attempt(name: str, seed: int, first: int, count: int) -> Iterator[tuple[int, str]]:
    """The verdicts on inputs from the first on, until all are read or the process is no more."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(there, name, seed, first, count), daemon=False)
    process.start()
    there.close()
    number, patience = first - 1, _START
    try:
        while number + 1 < count:
            if not here.poll(patience):
                yield number + 1, f"hang: more than {PATIENCE:.0f} s"
                return
            number, what = here.recv()
            patience = PATIENCE
            if number >= first:
                yield number, what
    except EOFError:
        process.join()
        yield number + 1, f"abort: the process ended with {process.exitcode}"
    finally:
        process.kill()
        process.join()


def _work(verdicts: Connection, name: str, seed: int, first: int, count: int) -> None:
    """Read inputs and tell the verdict on each."""
    shared = Path("/dev/shm")
    place = shared if shared.is_dir() else Path(os.environ.get("TMPDIR", "/tmp"))
    target = target_of(name)
    path = place / f"unsingle-fuzz-{os.getpid()}{target.suffix}"
    verdicts.send((first - 1, ""))  # all is loaded
    try:
        for number in range(first, count):
            given, whole = input_of(target, seed, number)
            path.write_bytes(given.content)
            verdicts.send((number, verdict(target, given, path, whole=whole)))
    finally:
        path.unlink(missing_ok=True)
