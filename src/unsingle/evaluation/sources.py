"""Every function that takes a log also takes a data frame, or a log of PM4Py."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ..core.log import EventLog
from ..formats import as_log

if TYPE_CHECKING:
    from ..formats.tables.frames import Frame

__all__ = ["LogSource", "as_log"]

LogSource: TypeAlias = "EventLog | Frame"
