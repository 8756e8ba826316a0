"""The machine: work on all cores, and memory.

numpy and the compressors let go of Python's lock, so threads are enough.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_TRIM, _MMAPS, _ARENAS = -1, -4, -8  # parameters of glibc's mallopt


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
    our own, such as the command; does nothing where the allocator is another one.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):
        change = ctypes.CDLL(None).mallopt
        for parameter, value in ((_TRIM, 1 << 30), (_MMAPS, 0), (_ARENAS, 1)):
            change(parameter, value)
