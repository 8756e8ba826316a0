"""Every function that takes a log also takes a data frame, or a log of PM4Py."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ..core.log import EventLog
from ..progress import Progress

if TYPE_CHECKING:
    from ..formats.tables.frames import Frame

LogSource: TypeAlias = "EventLog | Frame"


def as_log(source: LogSource, progress: Progress | None = None) -> EventLog:
    """The source itself if it is a log, else what is read from it."""
    if isinstance(source, EventLog):
        return source  # without waiting for the libraries that formats need
    from .. import formats

    return formats.as_log(source, progress=progress)
