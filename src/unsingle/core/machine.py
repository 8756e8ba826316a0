"""The machine: work on all cores, and how much memory there is.

numpy and the compressors release Python's global lock, so threads are enough. A log and its release are held in memory:
a log that is too large is refused before the system kills the process, with advice.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from ..errors import ENGINE, ParameterError, SizeError, argument

T = TypeVar("T")
R = TypeVar("R")

_TRIM, _MMAPS, _ARENAS = -1, -4, -8  # parameters of glibc's mallopt

SETTING = "UNSINGLE_MEMORY"
"""The environment variable that says how much memory may be used, such as 8GB; by default, what is free."""

FOR_EVENT, FOR_RELEASED_EVENT = 130, 90
"""Bytes that an event of the original and one of the release take while a release is made, measured."""

FOR_ROW = 200
"""Bytes that a row of a table takes while it is read, beside its text, measured: 140 if typed, 270 if all is text."""

_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def in_order(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """The results of the work in the order of the items; only a few items are taken ahead, so memory stays small.

    >>> list(in_order(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    cores = os.cpu_count() or 1
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(cores) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > cores:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def keep_memory() -> None:
    """Ask the system's allocator to keep freed memory for the next column, however large it is.

    Columns come and go all the time, and to get fresh pages costs more than most steps do with them. For a process of
    our own, such as the command; has no effect on other allocators.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        change = ctypes.CDLL(None).mallopt
        for parameter, value in ((_TRIM, 1 << 30), (_MMAPS, 0), (_ARENAS, 1)):
            change(parameter, value)


def available() -> int | None:
    """Bytes that this process may still take; None if the system does not say."""
    known = [_free(), *(_left_of_group(*files) for files in _GROUPS), _left_of_setting()]
    return min((each for each in known if each is not None), default=None)


def used() -> int:
    """Bytes that this process has."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def refuse_too_large(needed: float, what: str) -> None:
    """Say so, and what to do, if so much more memory is not there."""
    left = available()
    if left is not None and needed > left:
        raise SizeError(f"{what} takes about {_shown(needed)} more memory, and {_shown(left)} are free: {ADVICE}")


def refuse_too_many_events(events: int, released: int) -> None:
    """Say so before a release is made that does not fit."""
    needed = FOR_EVENT * events + FOR_RELEASED_EVENT * released
    refuse_too_large(needed, f"a release of {released:,} events")


ADVICE = (
    f"run it on Spark (pip install 'unsingle[spark]', then {argument(ENGINE, 'spark')}; docs/guide/scale.md says "
    "more), take a machine with more memory, or a part of the log"
)
"""What to do about a log that is too large."""


def parse_size(text: str) -> int:
    """Bytes of a size such as 500MB.

    >>> parse_size("2GB"), parse_size("1.5 mb")
    (2000000000, 1500000)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B)\s*", text.upper())
    if match is None or float(match[1]) <= 0:
        raise ParameterError(f"{text!r} is not a size such as 2GB (units {', '.join(_UNITS)})")
    return round(float(match[1]) * _UNITS[match[2]])


def _free() -> int | None:
    """What the system could give to a new process."""
    with contextlib.suppress(OSError):
        if found := re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text()):
            return int(found[1]) * 1024
    return None


def _left_of_group(limit: str, current: str) -> int | None:
    """What is left of the memory of a container, with what it would give back: copies of files that were read."""
    with contextlib.suppress(OSError, ValueError):  # no such limit
        left = int(Path(limit).read_text()) - int(Path(current).read_text())
        return max(0, left + _given_back(Path(current).with_name("memory.stat")))
    return None


def _given_back(statistics: Path) -> int:
    with contextlib.suppress(OSError):
        if found := re.search(r"^(?:total_)?inactive_file (\d+)", statistics.read_text(), re.MULTILINE):
            return int(found[1])
    return 0


def _left_of_setting() -> int | None:
    given = os.environ.get(SETTING)
    return None if not given else max(0, parse_size(given) - used())


def _shown(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.0f} MB"
