"""The command that summarises a log."""

from __future__ import annotations

from typing import Any

import click

from ..progress import READ
from .bar import watched
from .options import DEBUG, FORMAT, JSON, LOG_FILES, READING, Log
from .output import as_json_text, say, tell_columns
from .text import inspection_text


@click.command()
@LOG_FILES
@READING
@FORMAT
@JSON
@DEBUG
def inspect(log: tuple[str, ...], format_: str | None, as_json: bool, **reading: Any) -> None:
    """Summarise LOG.

    Cases, events, variants, activities, the time span, the size of the automaton, and how many cases are the only one
    of their variant. These figures are private, like the log.

    LOG is a file (.xes, .xes.gz, .csv, .csv.gz, .parquet), several, or a folder of them, or - for standard input.
    """
    from ..evaluation.inspection import inspect_log

    source = Log.of(log, format_, reading)
    with watched(quiet=as_json, steps=(READ,)) as progress:
        original = source.read(progress=progress)
        found = inspect_log(original)
    if as_json:
        say(as_json_text(found.to_dict(), original.source))
    else:
        tell_columns(original.source, reading)
        say(inspection_text(found))
