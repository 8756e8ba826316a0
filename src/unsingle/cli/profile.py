"""The command that writes a profile."""

from __future__ import annotations

from typing import Any

import click

from ..progress import READ
from .bar import watched
from .options import DEBUG, FORMAT, LOG_FILES, READING, Log
from .output import say


@click.command()
@LOG_FILES
@READING
@FORMAT
@DEBUG
def profile(log: tuple[str, ...], format_: str | None, **reading: Any) -> None:
    """Write how LOG is read as a profile, for --profile of all commands.

    Reads LOG with the options that are given, and prints them with the columns that were found as TOML: unsingle
    profile LOG > FILE.toml.
    """
    from ..formats.profile import Profile

    source = Log.of(log, format_, reading)
    with watched(quiet=False, steps=(READ,)) as progress:
        original = source.read(progress=progress)
    say(Profile.of_log(original, reading, source.kind.format.name).to_toml().rstrip("\n"))
