"""Which step is under way, how far it is, and how long each took."""

from __future__ import annotations

import time

READ, WRITE, MEASURE = "read", "write", "measure"
ASSESS, COMPARE, SWEEP, ATTACK, CONNECT = "assess", "compare", "sweep", "attack", "connect"
"""The names of steps outside of methods; a method names its own in `Method.stages`."""

STEPS = {
    CONNECT: "connecting to Spark",
    READ: "reading",
    WRITE: "writing",
    MEASURE: "measuring the release",
    ASSESS: "looking for people who stand out",
    COMPARE: "comparing with the original",
    SWEEP: "trying methods and deltas",
    ATTACK: "attacking releases",
}
"""What each of these steps does, in words."""


class Progress:
    """Counts the seconds of each step. Subclass it and override `show` to let someone watch.

    >>> progress = Progress()
    >>> progress.step("read")
    >>> progress.step("write")
    >>> list(progress.seconds())
    ['read', 'write', 'total']
    """

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._current: str | None = None
        self._since = self._begin = time.perf_counter()

    def step(self, name: str) -> None:
        """End the step under way and begin this one."""
        self._end_step()
        self._current = name
        self.show(name, 0.0)

    def at(self, fraction: float) -> None:
        """Tell how much of the step under way is done, 0 to 1."""
        if self._current is not None:
            self.show(self._current, fraction)

    def show(self, step: str, fraction: float) -> None:
        """Let someone see it; silent here."""

    def seconds(self) -> dict[str, float]:
        """Seconds by step so far, and the total."""
        self._end_step()
        return {**self._seconds, "total": time.perf_counter() - self._begin}

    def _end_step(self) -> None:
        now = time.perf_counter()
        if self._current is not None:
            self._seconds[self._current] = self._seconds.get(self._current, 0.0) + now - self._since
        self._current, self._since = None, now
