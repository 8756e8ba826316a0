"""The command that makes a synthetic log."""

from __future__ import annotations

import click

from .options import DEBUG, FORCE, FORMAT, check_output, file_kind
from .text import shown_output


@click.command()
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the log goes; - is standard output.")
@click.option("--cases", default=1000, show_default=True, help="Number of cases.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another seed gives another log."
)
@FORMAT
@FORCE
@DEBUG
def synthesize(output: str, cases: int, seed: int, format_: str | None, force: bool) -> None:
    """Make a synthetic hospital log.

    It is for trials and benchmarks: no real person is in it.
    """
    from ..formats import write_rows
    from ..synthetic import synthetic_frame

    kind = file_kind(output, format_)
    check_output(output, force=force)
    frame = synthetic_frame(cases, seed)
    write_rows(frame, output, format=kind, force=force)
    click.echo(f"{cases} cases, {frame.height} events: {shown_output(output)}", err=True)
