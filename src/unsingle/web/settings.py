"""The limits of the server, each with a name and a default."""

from __future__ import annotations

import ipaddress
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ParameterError

_TIMES = {"s": 1, "min": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Settings:
    """The settings of a server. Sizes are in bytes, times in seconds.

    `keep` is how long a log is kept after its last use, `after_download` after its release was downloaded, and
    `after_both` after its release and its report were. In the folder `ledgers`, if there is one, the releases of logs
    of the same name are counted together, also after those are deleted. Without a `token`, whoever can reach the server
    may use it.
    """

    host: str = "127.0.0.1"
    port: int = 8998
    token: str | None = None
    max_upload: int = 2 * 1000**3
    keep: float = 3600
    after_download: float = 600
    after_both: float = 300
    upload_time: float = 3600
    idle_time: float = 60
    work_time: float = 2 * 3600
    work_memory: int = field(default_factory=lambda: memory_for_each(os.cpu_count() or 1))
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    max_queued: int = 64
    uploads_at_once: int = 32
    max_jobs: int = 256
    ledgers: Path | None = None
    folder: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)


def usual_ledgers() -> Path:
    """Where ledgers are kept unless another folder is chosen: with the data of the user."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "unsingle" / "ledgers"


def is_loopback(host: str) -> bool:
    """Whether a host name can only mean this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def memory_for_each(workers: int) -> int:
    """How many bytes each worker may use: 80 % of the machine's memory, divided among them."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return max(1000**3, int(0.8 * pages * size / workers))


def parse_time(text: str) -> float:
    """A duration such as 1h or 90s, in seconds.

    >>> parse_time("1h"), parse_time("90s")
    (3600.0, 90.0)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text.lower())
    if match is None or match[2] not in _TIMES or float(match[1]) <= 0:
        raise ParameterError(f"{text!r} is not a time such as 1h (units {', '.join(_TIMES)})")
    return float(match[1]) * _TIMES[match[2]]


def duration_text(seconds: float) -> str:
    """A duration as people read it.

    >>> duration_text(8), duration_text(60), duration_text(90), duration_text(3600)
    ('8 seconds', '1 minute', '1.5 minutes', '60 minutes')
    """
    number, unit = (seconds, "second") if seconds < 60 else (seconds / 60, "minute")
    shown = f"{number:,.1f}".removesuffix(".0")
    return f"{shown} {unit}" if shown == "1" else f"{shown} {unit}s"
