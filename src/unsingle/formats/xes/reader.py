"""Reading XES (IEEE 1849), taking only what is asked for: fast where the document is plain, else strictly."""

from __future__ import annotations

from ...core.log import EventLog, SourceColumns
from ..schema import XES_ACTIVITY, XES_CASE, XES_TIME
from ..selection import Selection, selection_of
from ..source import Source
from ..wanted import Wanted
from .plain import read_plain


def read_xes(source: Source, wanted: Wanted) -> EventLog:
    """Read the chosen attributes of all events of an XES document."""
    selection = usual_selection(wanted)
    if (log := read_plain(source, selection, wanted)) is not None:
        return log
    from ..tables.assemble import assemble  # brings polars along, which takes longer to load than a small log to read
    from .strict import strict_table

    return assemble(*strict_table(source, selection, wanted), wanted)


def usual_selection(wanted: Wanted) -> Selection:
    """What is read if the log has the names of XES, as nearly all have."""
    activity = wanted.activity if wanted.activity is not None else XES_ACTIVITY
    return selection_of(SourceColumns(wanted.case or XES_CASE, activity, wanted.time or XES_TIME), wanted)
