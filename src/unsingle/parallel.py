"""Work on all cores. numpy and the compressors let go of Python's lock, so threads are enough."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


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
