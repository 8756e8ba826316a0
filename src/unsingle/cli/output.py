"""How the command shows results: as text, or as JSON; a full disk behind standard output is reported like any other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .text import one_line

if TYPE_CHECKING:
    from ..core.log import EventLog, SourceColumns
    from ..evaluation.checks import Concern
    from ..evaluation.tables import Tabular
    from ..privacy.guarantee import Guarantee
    from .options import Report


_MOST_NAMES = 20  # of columns, in a line


@dataclass(frozen=True)
class Verbosity:
    """What the command prints at the end."""

    as_json: bool
    quiet: bool

    @property
    def no_bar(self) -> bool:
        """Whether standard error is kept free."""
        return self.quiet or self.as_json


def say(text: str, *, err: bool = False) -> None:
    """Print a result."""
    from ..formats.output import one_line_errors

    with one_line_errors("standard error" if err else "standard output"):
        click.echo(text, err=err)  # which flushes


def as_json_text(figures: dict[str, Any], columns: SourceColumns | None) -> str:
    """One object with all figures and the columns that were used; in ASCII, which every terminal can show."""
    from ..evaluation.tables import without_nan

    read_as = {"read_as": columns.read_as.plain()} if columns else {}
    used = {"columns": columns.plain() if columns else None, **read_as}
    private = {"private_keys": sorted([*figures["private_keys"], *used])} if "private_keys" in figures else {}
    return json.dumps(without_nan({**figures, **used, **private}), indent=2, allow_nan=False)


def show_private(
    found: Tabular,
    text: Callable[[Any], str],
    *,
    as_json: bool,
    report: Report | None,
    columns: SourceColumns | None = None,
) -> None:
    """Print private figures, and write their report if one is asked for."""
    say(json.dumps({"private": True, **found.plain()}, indent=2) if as_json else text(found))
    if report is not None:
        report.write(found, columns)


def tell_warnings(guarantee: Guarantee) -> None:
    """Print what the publisher must know, even if nothing else is shown."""
    for warning in (*guarantee.warnings, *guarantee.cautions):
        say(f"unsingle: {warning}", err=True)


def tell_concerns(found: Sequence[Concern]) -> None:
    """Print what the publisher should look at, even if nothing else is shown."""
    for each in found:
        say(f"unsingle: private: {one_line(each.sentence)}", err=True)


def with_concerns(figures: dict[str, Any], found: Sequence[Concern]) -> dict[str, Any]:
    """The figures of a release, and what its publisher should look at, which is private."""
    keys = sorted([*figures["private_keys"], "checks"])
    return {**figures, "checks": [each.to_dict() for each in found], "private_keys": keys}


def tell_source(log: EventLog, reading: dict[str, Any], *, quiet: bool) -> None:
    """Print what was found out about the source of a log."""
    if not quiet:
        tell_columns(log.source, reading)


def tell_columns(columns: SourceColumns | None, reading: dict[str, Any]) -> None:
    """Print what was found out: how the file was read, and which columns are used, unless the user named them all."""
    if columns is None:
        return
    for line in (", ".join(columns.read_as.words), columns.read_as.rows_left_out):
        if line:
            click.echo(one_line(f"read as: {line}" if line != columns.read_as.rows_left_out else line), err=True)
    named = all(reading.get(role) for role in ("case", "activity", "time"))
    if named and not columns.kept:
        return
    used = ", ".join(f"{role} = {name}" for role, name in columns.roles.items())
    others = (("kept", columns.kept), ("left out", columns.left_out))
    used = "; ".join([used, *(f"{word}: {_cut(names)}" for word, names in others if names)])
    click.echo(f"using columns: {one_line(used)}", err=True)
    if columns.unused_start is not None:
        also = f'there is also a start column "{columns.unused_start}": give --start to keep both times'
        click.echo(one_line(also), err=True)


def _cut(names: Sequence[str]) -> str:
    """The names, or as many as fit a line."""
    first, more = ", ".join(names[:_MOST_NAMES]), len(names) - _MOST_NAMES
    return f"{first} and {more} more" if more > 0 else first
