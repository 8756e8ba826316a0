"""The ledgers of the server: one for each name of a log, in a private folder that outlives the logs."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ..formats.base import format_by_name
from .storage import private_folder

_LONGEST = 60
_HEX = 8


def ledger_for(folder: Path, log_name: str) -> Path:
    """The ledger of logs of this name, whatever its format; their releases are taken to be of the same people."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    private_folder(folder)
    return folder / f"{_plain(_without_ending(log_name))}.ledger"


def _without_ending(name: str) -> str:
    kind = format_by_name(name)
    return name if kind is None else name[: -len(str(kind)) - 1]


def _plain(name: str) -> str:
    """A name for a file, whatever the log is called; different for different logs."""
    plain = re.sub(r"[^\w-]", "_", name, flags=re.ASCII)[:_LONGEST]
    changed = plain != name or not plain
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:_HEX]}" if changed else plain
