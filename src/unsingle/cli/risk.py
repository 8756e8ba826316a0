"""The command that shows how exposed people are."""

from __future__ import annotations

from typing import Any

import click

from ..progress import ASSESS, READ
from .bar import watched
from .options import DEBUG, FORMAT, LOG_FILES, READING, SHOWING, Log, Report
from .output import show_private, tell_source
from .text import risk_text


@click.command()
@LOG_FILES
@click.option("--delta", type=float, help="With --person: what each person should be promised. [default: 0.2]")
@click.option(
    "--precision", default="0.1", show_default=True, metavar="SHARE|DURATION", help="How near a guessed time must come."
)
@READING
@FORMAT
@SHOWING
@DEBUG
def risk(
    log: tuple[str, ...], delta: float | None, precision: str, format_: str | None, as_json: bool, html: str | None,
    force: bool, **reading: Any,
) -> None:  # fmt: skip
    """Show how exposed people are in LOG before any release.

    How many cases stand alone by their path, by a few activities, by day, by duration; which activities, variants and
    times reveal people. These figures are private, like the log.
    """
    from ..evaluation.risk import assess_risk

    if delta is not None and reading["person"] is None:
        raise click.UsageError("--delta is for people with several cases: name their column with --person")
    source = Log.of(log, format_, reading)
    report = Report.of(html, force, source)
    promised: dict[str, Any] = {} if delta is None else {"delta": delta}
    with watched(quiet=as_json, steps=(READ, ASSESS)) as progress:
        original = source.read(progress=progress)
        progress.step(ASSESS)
        found = assess_risk(original, precision=precision, **promised)
    tell_source(original, reading, quiet=as_json)
    show_private(found, risk_text, as_json=as_json, report=report, columns=original.source)
