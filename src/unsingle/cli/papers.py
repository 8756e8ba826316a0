"""What can be written about a release beside it: a private comparison, a statement to publish, a private record."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .options import Log, Report, check_output, command_line, options
from .text import one_line

if TYPE_CHECKING:
    from ..core.log import EventLog
    from ..release import Release

PAPERS: Callable[[Any], Any] = options(
    click.option("--report", metavar="FILE", help="Write a comparison with plots; PRIVATE is put into its name."),
    click.option("--statement", metavar="FILE", help="Write a release statement to publish with it: two pages of HTML "
                 "that say in plain words who is protected, how much, and what the data may be used for."),
    click.option("--record", metavar="FILE", help="Write a record to fill in, sign and keep: original, risk before and "
                 "after, decision. PRIVATE is put into its name."),
)  # fmt: skip


class Papers(NamedTuple):
    """The files that are asked for."""

    report: Report | None
    statement: str | None
    record: Report | None
    force: bool

    @classmethod
    def of(cls, asked: dict[str, Any], source: Log, *, force: bool) -> Papers:
        """Refuses before any work what could not be written after it."""
        statement = asked.pop("statement")
        if statement is not None:
            check_output(statement, force=force, sources=source.names)
        report, record = (Report.of(asked.pop(name), force, source) for name in ("report", "record"))
        return cls(report, statement, record, force)

    @property
    def names(self) -> tuple[str, ...]:
        """Where they go."""
        private = tuple(each.name for each in (self.report, self.record) if each is not None)
        return private if self.statement is None else (self.statement, *private)

    def write(self, source: Log, original: EventLog, release: Release, remarks: Sequence[str], *, quiet: bool) -> None:
        """Write them, and say where they went."""
        if self.statement is not None:
            write_statement(release.facts, self.statement, force=self.force)
            if not quiet:
                click.echo(f"statement: {one_line(self.statement)}", err=True)
        if self.report is None and self.record is None:
            return
        from ..evaluation.comparison import compare

        comparison = compare(original, release)
        if self.report is not None:
            self.report.write(comparison, original.source, quiet=quiet)
        if self.record is not None:
            from ..evaluation.risk import assess_risk
            from ..formats.source import STANDARD
            from ..report.record import OriginalFile, record_html, record_of

            is_file = len(source.names) == 1 and source.names[0] != STANDARD
            file = source.names[0] if is_file else None
            about = OriginalFile.of(original, os.path.basename(source.shown), file)  # noqa: PTH119 - a name, maybe of no file
            record = record_of(
                release.facts, about, assess_risk(original).verdict, comparison, remarks=remarks, command=command_line()
            )
            self.record.write_text(record_html(record.plain()), "record", quiet=quiet)


def write_statement(facts: Any, target: str, *, force: bool) -> None:
    """Write the statement of a release, whole or not at all."""
    from ..formats.output import atomic_output
    from ..report.statement import statement_html

    text = statement_html(facts).encode()
    with atomic_output(target, force=force) as stream:
        stream.write(text)
