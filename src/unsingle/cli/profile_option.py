"""The option `--profile`: a file says how to read a log, and options that are given besides go before it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..errors import LogError
    from ..formats.profile import Profile

_META = "unsingle.profile"
_LOGS = ("log", "original")  # what commands call the log that is read as the profile says
_OPTIONS = {"format": "format_"}  # options whose values have another name in commands


def take_profile(context: click.Context, _option: click.Parameter, file: str | None) -> None:
    """Let the profile be the default of all options that are not given."""
    if file is None:
        return
    from ..formats.profile import read_profile

    profile = read_profile(file)
    context.default_map = {_OPTIONS.get(key, key): value for key, value in profile.reading.items()}
    context.meta[_META] = (profile, context)


@contextlib.contextmanager
def explaining(context: click.Context) -> Iterator[None]:
    """Errors over a log that was read as a profile says tell what of the profile does not fit."""
    from ..errors import LogError

    try:
        yield
    except LogError as error:
        if _META not in context.meta or (said := _explained(error, *context.meta[_META])) is error:
            raise
        raise said from None


def _explained(error: LogError, profile: Profile, command: click.Context) -> LogError:
    given = command.params
    reading = {key: given.get(_OPTIONS.get(key, key)) for key in profile.reading}
    source = next((given[name] for name in _LOGS if name in given), None)
    return profile.explained(error, source, reading)


PROFILE = click.option(
    "--profile",
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=take_profile,
    help="TOML file that says all this, as written by unsingle profile; options that are given go before it.",
)
