"""The server's own log. It holds nothing of an uploaded log: no file name, no id, no value, no error message."""

from __future__ import annotations

import logging
import traceback

log = logging.getLogger("unsingle.web")


def redacted(error: BaseException) -> str:
    """An error without its message, which may quote the log: its type, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return f"{type(error).__name__} at " + " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
