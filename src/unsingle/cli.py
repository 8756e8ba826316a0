"""The command `unsingle`: thin, it parses, calls the library and shows the result."""

from __future__ import annotations

from typing import Any

import click

from . import __version__
from .cli_private import audit, compare, risk, sweep
from .cli_spark import SPARK, refuse_on_spark, refuse_without_engine, release_on_spark
from .cli_web import serve
from .clicking import OneLineErrors
from .console import one_line
from .offering import (
    DEBUG,
    PATHS,
    PUBLIC,
    READING,
    as_json_text,
    check_report,
    format_for,
    public_of,
    say,
    tell_columns,
    tell_warnings,
)

# numpy, polars and rich are imported where they are needed, so that --help and errors come at once


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="unsingle")
@click.pass_context
def main(context: click.Context) -> None:
    """Publish an event log without letting anyone in it be singled out."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (risk, compare, sweep, audit, serve):
    main.add_command(command)


@main.command()
@click.argument("log")
@READING
@click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    help="Format of the log, if its name does not tell: xes, csv, parquet.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@DEBUG
def inspect(log: str, format_: str | None, as_json: bool, **reading: Any) -> None:
    """Count what is in LOG.

    Cases, events, variants, activities, the span of time, the size of the automaton and how many cases
    are the only one of their variant. These figures are private, like the log.

    LOG is a file (.xes, .xes.gz, .csv, .csv.gz, .parquet), or - for standard input.
    """
    from .console import inspection_text, watched
    from .formats import read_log
    from .inspection import inspect_log

    with watched(quiet=as_json) as progress:
        original = read_log(log, format=format_for(log, format_), progress=progress, **reading)
        found = inspect_log(original)
    if as_json:
        say(as_json_text(found.to_dict(), original.columns))
    else:
        tell_columns(original.columns, reading)
        say(inspection_text(found))


@main.command()
@click.argument("log")
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the release goes; - is standard output.")
@click.option(
    "--delta",
    default=0.2,
    show_default=True,
    help="The most that the release may add to an attacker's chance of guessing something about one person (0 to 1); "
    "for which guesses, the guarantee says.",
)
@click.option(
    "--method",
    default="twin",
    show_default=True,
    metavar="METHOD",
    help="One of the methods above: twin, strict, amun, sample or filter.",
)
@PATHS
@click.option(
    "--time-from",
    type=click.Choice(["previous", "start"]),
    help="amun, sample and filter: put noise on the time since the previous event, or since the case's start. "
    "[default: previous]",
)
@click.option(
    "--precision",
    default="0.1",
    show_default=True,
    metavar="SHARE|DURATION",
    help="How near a guess must come to count: a share of the longest minus the shortest time of the same step, or a "
    "duration such as 10min. Not for twin and strict.",
)
@click.option(
    "--grid",
    metavar="GRID",
    help="Release times in whole day, hour, minute, second or millisecond. [default: as in the log]",
)
@PUBLIC
@click.option("--as-published", is_flag=True, help="Reproduce the paper with its leaks. NOT FOR PUBLICATION.")
@click.option("--seed", type=click.IntRange(min=0), help="Make the run repeatable. NOT FOR PUBLICATION.")
@READING
@SPARK
@click.option("--format", "format_", metavar="FORMAT", help="Format of input and output where names do not tell.")
@click.option("--force", is_flag=True, help="Overwrite the output if it exists.")
@click.option(
    "--spreadsheet-safe",
    is_flag=True,
    help="CSV only: put a ' before activities that a spreadsheet would take for a formula (= + - @).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the summary.")
@click.option("--report", metavar="FILE", help="Write a comparison with plots; PRIVATE is put into its name.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors and warnings.")
@DEBUG
def anonymize(
    log: str, output: str, delta: float, method: str, paths: str, time_from: Any, precision: str, grid: str | None,
    slack: float | None, labels: str | None, as_published: bool, seed: int | None, format_: str | None, force: bool,
    spreadsheet_safe: bool, as_json: bool, report: str | None, quiet: bool, engine: str, spark_remote: str | None,
    scratch: str | None, order: str | None, **reading: Any,
) -> None:  # fmt: skip
    """Make a release of LOG that may be published.

    LOG and FILE are .xes, .xes.gz, .csv, .csv.gz or .parquet by name, or - with --format.

    \b
    A ladder of three methods, each promising more than the one before:
      twin                 same paths (the default)
      twin --paths crowds  paths taken by many
      strict               paths taken by many, with the budget of differential
                           privacy itself
    and those of the paper and its authors, which promise less:
      amun                 same paths, added cases, noise on each time
      sample               amun that also removes cases
      filter               drops cases that stand out, then sample

    With --engine spark, which has amun alone so far, LOG may be a folder of such files or a table (--format table), and
    FILE is a folder of parts or a table.
    """  # noqa: D301 - click takes the sign itself
    from .console import release_text, watched
    from .formats import read_log, write_log
    from .formats.files import check_target, format_of
    from .methods import with_paths
    from .release import anonymize as anonymize_log
    from .release import checked_options

    if engine == "spark":
        refuse_on_spark(as_published=as_published, report=report, slack=slack, labels=labels,
                        spreadsheet_safe=spreadsheet_safe, paths=None if paths == "same" else paths)  # fmt: skip
        release_on_spark(
            log, output, delta, format_, remote=spark_remote, force=force, as_json=as_json, quiet=quiet, method=method,
            time_from=time_from, precision=precision, grid=grid, seed=seed, scratch=scratch, order=order, **reading,
        )  # fmt: skip
        return
    refuse_without_engine(spark_remote, scratch, order)
    method = with_paths(method, paths)
    public = public_of(method, slack, labels)
    # wrong ones are told before any work
    checked_options(delta, method, time_from, precision, grid, as_published, **public)
    if not format_of(output, format_for(output, format_)).startswith("csv") and spreadsheet_safe:
        raise click.UsageError("--spreadsheet-safe is for releases in CSV: leave it out, or let the output end in .csv")
    check_target(output, force=force, source=log)
    check_report(report, force, log)
    with watched(quiet=quiet or as_json) as progress:
        original = read_log(log, format=format_for(log, format_), progress=progress, **reading)
        release = anonymize_log(
            original, delta, method=method, time_from=time_from, precision=precision, grid=grid,
            as_published=as_published, seed=seed, progress=progress, **public,
        )  # fmt: skip
        write_log(
            release.log, output, format=format_for(output, format_), force=force, spreadsheet_safe=spreadsheet_safe,
            progress=progress,
        )  # fmt: skip
    release = release.with_seconds(progress.seconds())
    if report is not None:
        from .comparison import compare as compare_logs
        from .report import write_report

        written = write_report(compare_logs(original, release), report, force=force)
        if not quiet:
            click.echo(f"report: {one_line(written)}", err=True)
    to_stderr = output == "-"
    if as_json:
        say(as_json_text(release.to_dict(), original.columns), err=to_stderr)
    elif quiet:
        tell_warnings(release.guarantee)
    else:
        tell_columns(original.columns, reading)
        say(release_text(release, output), err=to_stderr)


@main.command()
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the log goes; - is standard output.")
@click.option("--cases", default=1000, show_default=True, help="Number of cases.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another seed gives another log."
)
@click.option("--format", "format_", metavar="FORMAT", help="Format, if the name does not tell.")
@click.option("--force", is_flag=True, help="Overwrite the output if it exists.")
@DEBUG
def synthesize(output: str, cases: int, seed: int, format_: str | None, force: bool) -> None:
    """Make a synthetic hospital log.

    To try things on and for benchmarks: no person is in it.
    """
    from .console import shown_output
    from .formats import write_frame
    from .formats.files import check_target, format_of
    from .synthetic import synthetic_frame

    kind = format_for(output, format_)
    format_of(output, kind)
    check_target(output, force=force)
    frame = synthetic_frame(cases, seed)
    write_frame(frame, output, format=kind, force=force)
    click.echo(f"{cases} cases, {frame.height} events: {shown_output(output)}", err=True)


if __name__ == "__main__":
    main()
