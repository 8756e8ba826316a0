"""The command that compares a release with its original."""

from __future__ import annotations

from typing import Any

import click

from ..progress import COMPARE, READ
from .bar import watched
from .options import DEBUG, FORMAT, READING, SHOWING, Log, Report, refuse_two_of_standard_input
from .output import show_private, tell_source
from .text import comparison_text


@click.command()
@click.argument("original", nargs=-1, required=True, metavar="ORIGINAL...")
@click.argument("release")
@READING
@FORMAT
@SHOWING
@DEBUG
def compare(
    original: tuple[str, ...], release: str, format_: str | None, as_json: bool, html: str | None, force: bool,
    **reading: Any,
) -> None:  # fmt: skip
    """Compare RELEASE with the ORIGINAL it was made from.

    Variants, directly-follows graphs, durations, arrivals and active cases, before and after. The options that name
    columns are for the original; columns that are kept have the same names in the release. What the release says of how
    it was made is read too, and checked by its digest. These figures are private, like the original.
    """
    from ..evaluation.comparison import compare as compare_logs
    from ..formats import read_release_of
    from ..formats.opened import opened
    from ..records.facts import provenance_of

    refuse_two_of_standard_input(*original, release)
    source, released = Log.of(original, format_, reading), Log.of(release, format_, {})
    report = Report.of(html, force, source)
    with watched(quiet=as_json, steps=(READ, READ, COMPARE)) as progress:
        before = source.read(progress=progress)
        file = opened(released.only, released.kind, progress)
        after = read_release_of(file, before, allow_line_ends=reading["allow_line_ends"], progress=progress)
        provenance = provenance_of(file, after)
        progress.step(COMPARE)
        found = compare_logs(before, after, provenance)
    tell_source(before, reading, quiet=as_json)
    show_private(found, comparison_text, as_json=as_json, report=report, columns=before.source)
