"""The server's own log, which holds no value of a log that was brought: no name, no id, no message of an error."""

from __future__ import annotations

import logging
import traceback

log = logging.getLogger("unsingle.web")


def where_and_what(error: BaseException) -> str:
    """An error without its message: what kind it is and where it came from."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return f"{type(error).__name__} at " + " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
