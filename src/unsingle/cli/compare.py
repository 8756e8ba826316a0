"""The command that compares a release with its original."""

from __future__ import annotations

from typing import Any

import click

from ..progress import COMPARE, READ
from .bar import watched
from .options import DEBUG, FORMAT, READING, SHOWING, Log, Report, refuse_two_of_standard_input
from .output import show_private
from .text import comparison_text


@click.command()
@click.argument("original")
@click.argument("release")
@READING
@FORMAT
@SHOWING
@DEBUG
def compare(
    original: str, release: str, format_: str | None, as_json: bool, html: str | None, force: bool,
    **reading: Any,
) -> None:  # fmt: skip
    """Compare RELEASE with the ORIGINAL it was made from.

    Variants, directly-follows graphs, durations, arrivals and active cases, before and after. The options that name
    columns are for the original. These figures are private, like the original.
    """
    from ..evaluation.comparison import compare as compare_logs
    from ..formats import read_log

    refuse_two_of_standard_input(original, release)
    logs = [
        Log.of(original, format_, reading),
        Log.of(release, format_, {"allow_line_ends": reading["allow_line_ends"]}),
    ]
    report = Report.of(html, force, original)
    with watched(quiet=as_json, steps=(READ, READ, COMPARE)) as progress:
        before, after = [read_log(each.name, format=each.kind, progress=progress, **each.reading) for each in logs]
        progress.step(COMPARE)
        found = compare_logs(before, after)
    show_private(found, comparison_text, as_json=as_json, report=report)
