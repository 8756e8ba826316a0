"""The command that makes a release."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..progress import MEASURE, READ
from .bar import release_steps, watched
from .ledger import LEDGER, LedgerOption
from .methods import CHOICE, OfMethod
from .options import (
    DEBUG,
    FORCE,
    FORMAT,
    FURTHER,
    LOG_FILES,
    READING,
    SEED,
    Log,
    check_release,
    domains_of,
    file_kind,
)
from .output import (
    Verbosity,
    as_json_text,
    say,
    show_private,
    tell_columns,
    tell_concerns,
    tell_warnings,
    with_concerns,
)
from .papers import PAPERS, Papers
from .spark import SPARK, SparkOptions, refuse_without_engine, release_on_spark
from .text import dry_run_text, release_text, shown_output

if TYPE_CHECKING:
    from ..core.log import EventLog
    from ..evaluation.checks import Concern
    from ..formats.base import FileKind
    from ..methods import Method
    from ..progress import Progress
    from ..release import Release


@dataclass(frozen=True)
class Target:
    """Where the release goes, and how it is written."""

    name: str
    kind: FileKind
    force: bool
    spreadsheet_safe: bool


@dataclass(frozen=True)
class Request:
    """All that a release needs. It was checked before any work, and is not checked again."""

    source: Log
    target: Target
    method: Method
    seed: int | None
    papers: Papers
    shown: Verbosity
    listed: LedgerOption

    def __post_init__(self) -> None:
        from ..formats import written_kind

        written_kind(self.target.name, self.target.kind)
        self.listed.check(self.seed, *self.source.names, self.target.name, *self.papers.names)
        if self.target.spreadsheet_safe and not self.target.kind.format.for_spreadsheets:
            raise click.UsageError("--spreadsheet-safe is for CSV: leave it out, or let the output end in .csv")
        check_release(self.target.name, force=self.target.force, sources=self.source.names)


@click.command(cls=OfMethod)
@LOG_FILES
@click.option("-o", "--output", metavar="FILE", help="Where the release goes; - is standard output.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Write nothing: show what would be published, promised and kept. Ends with 1 if a label looks personal.",
)
@CHOICE
@SEED
@READING
@SPARK
@FORMAT
@FORCE
@click.option(
    "--spreadsheet-safe",
    is_flag=True,
    help="CSV only: put a ' before activities that a spreadsheet would read as a formula (= + - @).",
)
@LEDGER
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the summary.")
@PAPERS
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors and warnings.")
@DEBUG
def anonymize(
    log: tuple[str, ...], output: str | None, dry_run: bool, method: Method, seed: int | None, format_: str | None,
    force: bool, spreadsheet_safe: bool, as_json: bool, quiet: bool, engine: str,
    spark_remote: str | None, scratch: str | None, order: str | None, **reading: Any,
) -> None:  # fmt: skip
    """Make a release of LOG that may be published.

    LOG and FILE are .xes, .xes.gz, .csv, .csv.gz or .parquet by name, or - with --format. LOG may also be .xlsx, or
    several files or folders of one format. What the release is (method, promise, columns, digest) is written into
    FILE where its format has a place for it, and beside it as FILE.release.json; both may be published.

    With --engine spark, LOG may be a folder of such files or a table (--format table), and FILE is a folder of parts or
    a table.
    """
    asked = {name: reading.pop(name) for name in Papers._fields if name in reading}
    listed = {name: reading.pop(name) for name in LedgerOption._fields}
    spark, shown = SparkOptions(spark_remote, scratch, order), Verbosity(as_json, quiet)
    if dry_run:
        if any(asked.values()):
            raise click.UsageError(
                "--dry-run makes no release to write about: leave out --report, --statement and --record"
            )
        spark.refuse(dry_run=engine == "spark")
        if any(listed.values()):
            raise click.UsageError("--ledger and --limit are for releases: leave them out, or leave out --dry-run")
        refuse_without_engine(spark)
        _try_out(Log.of(log, format_, reading), method, seed, shown)
        return
    if output is None:
        raise click.UsageError("say where the release goes with -o FILE, or see what it would be with --dry-run")
    if engine == "spark":
        further = {name: reading.pop(name) for name in FURTHER}
        spark.refuse(**asked, **listed, spreadsheet_safe=spreadsheet_safe, **further)
        if len(log) > 1:
            raise click.UsageError("--engine spark reads one file, folder or table: put the files into a folder")
        names = (log[0], output, format_)
        release_on_spark(names, method, spark, {"seed": seed, **reading}, force=force, shown=shown)
        return
    refuse_without_engine(spark)
    source, target = Log.of(log, format_, reading), Target(output, file_kind(output, format_), force, spreadsheet_safe)
    papers = Papers.of(asked, source, force=force)
    _release(Request(source, target, method, seed, papers, shown, LedgerOption(**listed)))


def _try_out(source: Log, method: Method, seed: int | None, shown: Verbosity) -> None:
    """Show what a release would be; ends with 1 if it would publish what looks personal."""
    from ..evaluation.dry_run import dry_run

    steps = (READ, *method.stages, MEASURE)
    with watched(quiet=shown.no_bar, steps=steps, words=dict(method.stages)) as progress:
        original = source.read(domains=domains_of(method), progress=progress)
        found = dry_run(original, method=method, seed=seed, progress=progress)
    if shown.as_json or not shown.quiet:
        if not shown.as_json:
            tell_columns(original.source, source.reading)
        show_private(found, dry_run_text, as_json=shown.as_json, report=None)
    else:
        tell_concerns(found.concerns)
    if found.personal:
        raise click.exceptions.Exit(1)


def _release(request: Request) -> None:
    """Read, anonymise and write, then measure and show: a release never waits for its summary."""
    from ..evaluation.checks import checked
    from ..evaluation.figures import measure
    from ..evaluation.remarks import remarks

    shown = request.shown
    steps = release_steps(request.method)
    with watched(quiet=shown.no_bar, steps=steps, words=dict(request.method.stages)) as progress:
        original, release = _made(request, progress)
        with _after_writing(request.target.name):
            concerns = checked(original, release.method)
            summary = (
                None if shown.quiet and not shown.as_json else _summary(request, original, release, concerns, progress)
            )
    with _after_writing(request.target.name):
        remarked = remarks(release, measure(original, release)) if request.papers.record else ()
        request.papers.write(request.source, original, release, remarked, quiet=shown.quiet)
    if summary is None:
        tell_warnings(release.guarantee)
        tell_concerns(concerns)
        return
    if not shown.as_json:
        tell_columns(original.source, request.source.reading)
    say(summary, err=request.target.name == "-")


def _made(request: Request, progress: Progress) -> tuple[EventLog, Release]:
    """The original and its release, which is written."""
    from ..release import anonymize as anonymize_log

    source, target = request.source, request.target
    listed = request.listed
    original = source.read(domains=domains_of(request.method), ids=listed.ledger is not None, progress=progress)
    release = anonymize_log(original, method=request.method, seed=request.seed, **listed._asdict(), progress=progress)
    release.write(
        target.name, format=target.kind, force=target.force, spreadsheet_safe=target.spreadsheet_safe, progress=progress
    )
    return original, release


def _summary(
    request: Request, original: EventLog, release: Release, concerns: Sequence[Concern], progress: Progress
) -> str:
    """What is known of the release, and what to look at before it is published, as text or JSON."""
    from ..evaluation.figures import measure, summary

    figures = measure(original, release, progress).with_seconds(progress.seconds())
    if request.shown.as_json:
        return as_json_text(with_concerns(summary(release, figures), concerns), original.source)
    return release_text(release, figures, request.target.name, concerns)


@contextlib.contextmanager
def _after_writing(output: str) -> Iterator[None]:
    """Errors that come after the release was written say that it was."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"the release was written: {shown_output(output)}")
        raise
