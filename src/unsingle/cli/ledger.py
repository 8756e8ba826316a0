"""The command that shows a ledger, and the options that have a release written into one."""

from __future__ import annotations

import os
from typing import NamedTuple

import click

from .options import DEBUG, JSON, options
from .output import show_private
from .text import ledger_text

LEDGER = options(
    click.option(
        "--ledger",
        metavar="FILE",
        help="Private list of all releases of the same people, made if it is not there: the promise is that of all.",
    ),
    click.option("--limit", type=float, metavar="D", help="The most that all releases in the ledger together may add."),
)


class LedgerOption(NamedTuple):
    """The ledger that lists the release, if any, and the limit that all releases in it keep."""

    ledger: str | None
    limit: float | None

    def check(self, seed: int | None, *others: str) -> None:
        """Refuse before any work what could not be written down; the ledger is no other file of the command."""
        from ..formats.facts import beside
        from ..records.ledger import check_ledger

        check_ledger(self.ledger, self.limit, seed)
        if self.ledger is not None:
            paths = {os.path.realpath(each) for name in others for each in (name, beside(name))}
            if os.path.realpath(self.ledger) in paths:
                raise click.UsageError("--ledger names another file of this command: give the ledger a file of its own")


@click.command()
@click.argument("ledger")
@click.option("--limit", type=float, metavar="D", help="The most that all may add. [default: the limit given last]")
@JSON
@DEBUG
def ledger(ledger: str, limit: float | None, as_json: bool) -> None:
    """Show the releases in LEDGER, a file that anonymize --ledger wrote.

    Which releases of the same people there are, what they may add together to an attacker's chance, and what is left of
    the limit. A ledger is private, like the log.
    """
    from ..evaluation.releases import releases_so_far

    show_private(releases_so_far(ledger, limit), ledger_text, as_json=as_json, report=None)
