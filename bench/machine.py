"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """One line that names the processor, its cores, the memory and the Python version."""
    info = Path("/proc/cpuinfo")
    names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    processor = names[0] if names else platform.processor()
    return f"{processor}, {os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"
