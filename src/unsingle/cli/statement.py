"""The command that says in plain words what a release is, and whether it is still what was released."""

from __future__ import annotations

import click

from ..errors import FormatError
from ..progress import READ
from .bar import watched
from .options import DEBUG, FORCE, FORMAT, check_output, file_kind
from .output import say
from .papers import write_statement
from .text import one_line, statement_text


@click.command()
@click.argument("release")
@click.option("--html", metavar="FILE", help="Write the statement as two pages to print.")
@FORMAT
@FORCE
@DEBUG
def statement(release: str, html: str | None, format_: str | None, force: bool) -> None:
    """Say whom RELEASE protects, how well, and what it may be used for.

    Made from what the release says of itself, in the file or beside it, so it may be published. A release that was
    altered since, which its digest shows, is refused.
    """
    from ..records.facts import read_release
    from ..report.statement import statement_of

    kind = file_kind(release, format_)
    if html is not None:
        check_output(html, force=force, sources=(release,))
    with watched(quiet=False, steps=(READ,)) as progress:
        found = read_release(release, format=kind, progress=progress)
    facts, name = found.facts, one_line(release)
    if facts is None:
        raise FormatError(
            f"{name}: does not say how it was made: get the file {name}.release.json that came with it, or ask its "
            "publisher"
        )
    if found.provenance.fits is False:
        raise FormatError(f"{name}: was altered since it was made (its digest does not fit): get it again")
    if html is not None:
        write_statement(facts, html, force=force)
        click.echo(f"statement: {one_line(html)}", err=True)
    say(statement_text(statement_of(facts), str(found.provenance)))
