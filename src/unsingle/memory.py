"""How much memory there is, and what to do when a log needs more.

A log and its release are held in memory. Whoever brings a larger one is told so before the system ends the process,
and what to do: `unsingle.spark` needs no machine that can hold all of it.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from .errors import ParameterError, SizeError

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


def available() -> int | None:
    """Bytes that this process may still take; nothing where the system does not tell."""
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
    "run it on Spark (pip install 'unsingle[spark]', then --engine spark; docs/scale.md says more), take a machine "
    "with more memory, or a part of the log"
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
