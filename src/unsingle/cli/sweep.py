"""The command that compares methods and deltas on a log."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click

from ..progress import READ, SWEEP
from .bar import watched
from .methods import MethodsListed
from .options import DEBUG, FORMAT, LOG_FILES, READING, SHOWING, Log, ManyValues, RegisteredName, Report
from .output import show_private, tell_source
from .text import sweep_text


class _Sweep(ManyValues, MethodsListed):
    """Several methods and deltas in a row, and a help that lists the methods."""

    def default_methods(self) -> str:
        """Those with a budget."""
        return "all of these"


def _methods() -> Collection[str]:
    from ..methods import METHODS

    return METHODS


@click.command(cls=_Sweep)
@LOG_FILES
@click.option(
    "--delta",
    "deltas",
    multiple=True,
    type=float,
    metavar="DELTA...",
    help="Deltas to try. [default: 0.05 0.1 0.2 0.3 0.4 0.5]",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=RegisteredName("method", _methods),
    metavar="METHOD...",
    help="Methods to try, of the lists below.",
)
@click.option("--runs", default=3, show_default=True, type=click.IntRange(min=1), help="Releases to average over.")
@click.option(
    "--cases-per-person",
    type=int,
    metavar="INTEGER",
    help="Protect each person with up to so many cases, where --person says whose each case is. [default: everybody is "
    "taken to have one case]",
)
@click.option("--csv", metavar="FILE", help="Write the table as CSV; PRIVATE is put into its name.")
@READING
@FORMAT
@SHOWING
@DEBUG
def sweep(
    log: tuple[str, ...], deltas: tuple[float, ...], methods: tuple[str, ...], runs: int, cases_per_person: int | None,
    csv: str | None, format_: str | None, as_json: bool, html: str | None, force: bool, **reading: Any,
) -> None:  # fmt: skip
    """Compare methods and deltas on LOG: what a release by each would keep.

    Nothing is released. The figures compare with the original, so they are private.
    """
    from ..evaluation.sweep import DELTAS, checked_settings
    from ..evaluation.sweep import sweep as sweep_log
    from ..formats import write_figures
    from ..methods import ladder

    asked = deltas or DELTAS, methods or ladder()
    checked_settings(*asked, runs, cases_per_person)
    source = Log.of(log, format_, reading)
    report, table = Report.of(html, force, source), Report.of(csv, force, source, ".csv")
    with watched(quiet=as_json, steps=(READ, SWEEP), remaining=True) as progress:
        original = source.read(progress=progress)
        found = sweep_log(original, *asked, runs=runs, cases_per_person=cases_per_person, progress=progress)
    tell_source(original, reading, quiet=as_json)
    if table is not None:
        write_figures(found.to_polars("points"), table.name, force=force)
        table.tell("table", table.name)
    show_private(found, sweep_text, as_json=as_json, report=report, columns=original.source)
