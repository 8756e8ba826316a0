"""The command `unsingle`: thin, it parses, calls the library and shows the result."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import __version__
from .clicking import ManyValues, OneLineErrors
from .console import one_line

if TYPE_CHECKING:
    from .auditing import Audit
    from .log import EventLog
    from .options import Public
    from .tabular import Tabular

# numpy, polars and rich are imported where they are needed, so that --help and errors come at once

F = TypeVar("F", bound=Callable[..., Any])


def _say(text: str, *, err: bool = False) -> None:
    """Print a result; a full disk behind standard output is told like any other."""
    from .formats.files import told_plainly

    with told_plainly("standard error" if err else "standard output"):
        click.echo(text, err=err)  # which flushes


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


def _options(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


_DEBUG = click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")

_READING = _options(
    click.option("--case", metavar="COLUMN", help="Column of case ids. [default: found by name]"),
    click.option("--activity", metavar="COLUMN[+COLUMN]", help="Column of activities, or several joined by +."),
    click.option("--time", metavar="COLUMN", help="Column of times."),
    click.option("--lifecycle", metavar="NAME", help="Keep only events of this lifecycle, such as complete."),
    click.option("--timezone", metavar="ZONE", help="Zone of times that name none, such as +02:00. [default: UTC]"),
    click.option("--time-format", metavar="FORMAT", help="How times are written, such as '%d/%m/%Y %H:%M'."),
)  # fmt: skip


@main.command()
@click.argument("log")
@_READING
@click.option(
    "--format",
    "format_",
    metavar="FORMAT",
    help="Format of the log, if its name does not tell: xes, csv, parquet.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@_DEBUG
def inspect(log: str, format_: str | None, as_json: bool, **reading: str | None) -> None:
    """Count what is in LOG.

    Cases, events, variants, activities, the span of time, the size of the automaton and how many cases
    are the only one of their variant. These figures are private, like the log.

    LOG is a file (.xes, .xes.gz, .csv, .csv.gz, .parquet), or - for standard input.
    """
    from .console import inspection_text, watched
    from .formats import read_log
    from .inspection import inspect_log

    with watched(quiet=as_json) as progress:
        original = read_log(log, format=_format_for(log, format_), progress=progress, **reading)
        found = inspect_log(original)
    if as_json:
        _say(_json(found.to_dict(), original))
    else:
        _tell_columns(original, reading)
        _say(inspection_text(found))


_FORMAT = click.option(
    "--format", "format_", metavar="FORMAT", help="Format of a log whose name does not tell: xes, csv, parquet."
)
_SHOWING = _options(
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    click.option("--html", metavar="FILE", help="Write a report with plots; PRIVATE is put into its name."),
    click.option("--force", is_flag=True, help="Overwrite files that exist."),
)


@main.command()
@click.argument("log")
@click.option("--person", metavar="COLUMN", help="Column that tells persons apart, if one can have several cases.")
@click.option("--delta", default=0.2, show_default=True, help="With --person: what each person should be promised.")
@click.option(
    "--precision", default="0.1", show_default=True, metavar="SHARE|DURATION", help="How near a guessed time must come."
)
@_READING
@_FORMAT
@_SHOWING
@_DEBUG
def risk(
    log: str, person: str | None, delta: float, precision: str, format_: str | None, as_json: bool, html: str | None,
    force: bool, **reading: str | None,
) -> None:  # fmt: skip
    """Show how exposed people are in LOG before any release.

    How many cases are the only one of their path, by a few activities, by day, by duration; which activities,
    variants and times give people away. These figures are private, like the log.
    """
    from .console import risk_text, watched
    from .formats import read_log, read_persons
    from .risk import assess_risk

    _check_report(html, force, log)
    if person is not None and log == "-":
        raise click.UsageError("standard input can be read only once: save the log to a file to use --person")
    kind = _format_for(log, format_)
    with watched(quiet=as_json, steps=("read", "assess")) as progress:
        original = read_log(log, format=kind, progress=progress, **reading)
        persons = None if person is None else read_persons(log, person, format=kind, **reading)
        progress.step("assess")
        found = assess_risk(original, delta=delta, precision=precision, person=persons)
    _show(found, risk_text, as_json=as_json, html=html, force=force)


@main.command()
@click.argument("original")
@click.argument("release")
@_READING
@_FORMAT
@_SHOWING
@_DEBUG
def compare(
    original: str, release: str, format_: str | None, as_json: bool, html: str | None, force: bool,
    **reading: str | None,
) -> None:  # fmt: skip
    """Compare RELEASE with the ORIGINAL it was made of.

    Variants, directly-follows graphs, durations, arrivals and cases under way, before and after. The options that name
    columns are for the original. These figures are private, like the original.
    """
    from .comparison import compare as compare_logs
    from .console import comparison_text, watched
    from .formats import read_log

    _check_report(html, force, original)
    with watched(quiet=as_json, steps=("read", "compare")) as progress:
        before = read_log(original, format=_format_for(original, format_), progress=progress, **reading)
        after = read_log(release, format=_format_for(release, format_), progress=progress)
        progress.step("compare")
        found = compare_logs(before, after)
    _show(found, comparison_text, as_json=as_json, html=html, force=force)


@main.command(cls=ManyValues)
@click.argument("log")
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
    type=click.Choice(["amun", "blend", "sample", "filter", "strict"]),
    metavar="METHOD...",
    help="Methods to try. [default: amun blend]",
)
@click.option("--runs", default=3, show_default=True, type=click.IntRange(min=1), help="Releases to average over.")
@click.option("--csv", metavar="FILE", help="Write the table as CSV; PRIVATE is put into its name.")
@_READING
@_FORMAT
@_SHOWING
@_DEBUG
def sweep(
    log: str, deltas: tuple[float, ...], methods: tuple[str, ...], runs: int, csv: str | None, format_: str | None,
    as_json: bool, html: str | None, force: bool, **reading: str | None,
) -> None:  # fmt: skip
    """Show what delta buys: releases of LOG by several methods and deltas, measured.

    Nothing is released. The figures compare with the original, so they are private.
    """
    from .console import sweep_text, watched
    from .formats import read_log, write_figures
    from .formats.files import check_target
    from .report.writing import private_name
    from .sweeping import DELTAS, METHODS, checked_settings
    from .sweeping import sweep as sweep_log

    chosen_deltas, chosen_methods = deltas or DELTAS, methods or METHODS
    checked_settings(chosen_deltas, chosen_methods, runs)
    _check_report(html, force, log)
    if csv is not None:
        check_target(private_name(csv, ".csv"), force=force, source=log)
    with watched(quiet=as_json, steps=("read", "sweep"), remaining=True) as progress:
        original = read_log(log, format=_format_for(log, format_), progress=progress, **reading)
        found = sweep_log(original, chosen_deltas, chosen_methods, runs=runs, progress=progress)
    if csv is not None:
        write_figures(found.to_polars("points"), private_name(csv, ".csv"), force=force)
        click.echo(f"table: {one_line(private_name(csv, '.csv'))}", err=True)
    _show(found, sweep_text, as_json=as_json, html=html, force=force)


_STRICT = _options(
    click.option(
        "--slack",
        type=float,
        help="strict only: about the chance that a release tells more than delta says; keep it far below one in the "
        "number "
        "of cases. [default: 1e-06]",
    ),
    click.option(
        "--labels",
        metavar="FILE",
        help="strict only: the activities that may be published, one in each line; events of others are left out. "
        "[default: those of the log, taken as public]",
    ),
    click.option(
        "--first-day",
        metavar="DAY",
        help="strict only: no case begins before this day, such as 2024-01-01. [default: the log's, taken as public]",
    ),
    click.option(
        "--last-day",
        metavar="DAY",
        help="strict only: no case begins after this day. [default: the log's, taken as public]",
    ),
    click.option(
        "--longest",
        metavar="DURATION",
        help="strict only: no step takes longer, such as 90d. [default: the log's, as a power of two minutes]",
    ),
)


@main.command(cls=ManyValues)
@click.argument("log")
@click.argument("release", required=False)
@click.option(
    "--method",
    default="amun",
    show_default=True,
    type=click.Choice(["amun", "blend", "sample", "filter", "strict"]),
    metavar="METHOD",
    help="The method whose releases are attacked: amun, blend, sample, filter or strict.",
)
@click.option("--delta", default=0.2, show_default=True, help="What is promised: an attack may gain so much.")
@click.option(
    "--runs",
    default=200,
    show_default=True,
    help="How often each attack is tried: 200 can tell an excess of about 0.1, 1,000 one of 0.05.",
)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    type=click.Choice(["path", "time", "linkage", "start", "copies", "order"]),
    metavar="ATTACK...",
    help="Kinds of attacks: path, time, linkage, start, copies, order. [default: all]",
)
@click.option("--as-published", is_flag=True, help="Attack the paper's method with its leaks.")
@_STRICT
@click.option("--seed", type=click.IntRange(min=0), help="Make the audit repeatable.")
@_READING
@_FORMAT
@_SHOWING
@_DEBUG
@click.pass_context
def audit(
    context: click.Context, /, log: str, release: str | None, method: str, delta: float, runs: int,
    attacks: tuple[str, ...], as_published: bool, slack: float | None, labels: str | None, first_day: str | None,
    last_day: str | None, longest: str | None, seed: int | None, format_: str | None, as_json: bool, html: str | None,
    force: bool, **reading: str | None,
) -> None:  # fmt: skip
    """Attack releases of LOG, or a given RELEASE of it.

    With LOG alone, many releases by a method are made and attacked; what each attack gains is bounded, and compared
    with what the method promises. With a RELEASE, of whatever tool, that one is attacked. Ends with 1 if it is broken.
    These figures are private, like the log.
    """
    from .accounting import SLACK
    from .auditing import audit as audit_log
    from .auditing import checked_attacks
    from .auditing.promises import KINDS
    from .console import audit_text, watched
    from .formats import read_log
    from .release import checked_options

    public = _public(method, slack, labels, first_day, last_day, longest)
    checked_options(delta, method, as_published=as_published, slack=SLACK if slack is None else slack, public=public)
    checked_attacks(attacks or tuple(KINDS), runs)
    if release is not None:
        _refuse_with_release(context)
    _check_report(html, force, log)
    with watched(quiet=as_json, steps=("read", "attack"), remaining=True) as progress:
        original = read_log(log, format=_format_for(log, format_), progress=progress, **reading)
        if release is None:
            found = audit_log(
                original, delta, method=method, runs=runs, attacks=attacks or tuple(KINDS), as_published=as_published,
                slack=SLACK if slack is None else slack, public=public, seed=seed, processes=os.cpu_count() or 1,
                progress=progress,
            )  # fmt: skip
        else:
            found = _audit_given(original, log, release, delta, format_, reading)
    _show(found, audit_text, as_json=as_json, html=html, force=force)
    if not found.holds:
        raise click.exceptions.Exit(1)


def _refuse_with_release(context: click.Context) -> None:
    """Say so if something was asked for that goes with many releases only."""
    many = ("method", "runs", "attacks", "as_published", "slack", "labels", "first_day", "last_day", "longest", "seed")
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
        if option.name in many and given:
            raise click.UsageError(
                f"{option.opts[0]} is for releases that are made; a given RELEASE is attacked as it is"
            )


def _audit_given(
    original: EventLog, log: str, release: str, delta: float, format_: str | None, reading: dict[str, str | None]
) -> Audit:
    """Attack the release in a file."""
    from .auditing import audit_release
    from .formats import attribute_names, read_ids, read_log

    if "-" in (log, release):
        raise click.UsageError("standard input can be read only once: save both logs to files to audit a release")
    kinds = _format_for(log, format_), _format_for(release, format_)
    released = read_log(release, format=kinds[1])
    assert released.columns is not None
    ids = read_ids(log, original, format=kinds[0], **reading), read_ids(release, released, format=kinds[1])
    extra = [name for name in attribute_names(release, kinds[1]) if name not in released.columns]
    return audit_release(original, released, delta, ids=ids, extra_attributes=extra)


def _check_report(html: str | None, force: bool, source: str) -> None:
    """Refuse before any work what could not be written after it."""
    if html is not None:
        from .formats.files import check_target
        from .report.writing import private_name

        check_target(private_name(html), force=force, source=source)


def _show(found: Tabular, text: Callable[[Any], str], *, as_json: bool, html: str | None, force: bool) -> None:
    """Print private figures, and write their report if one is asked for."""
    if as_json:
        _say(json.dumps({"private": True, **found.plain()}, indent=2))
    else:
        _say(text(found))
    if html is not None:
        from .report import write_report

        click.echo(f"report: {one_line(write_report(found, html, force=force))}", err=True)


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
    default="amun",
    show_default=True,
    metavar="METHOD",
    help="amun: the paper's, leaks closed. blend: fewer added cases, truer times, whole paths protected. "
    "sample: amun that also removes cases; variants may go. filter: drops cases that stand out, then sample. "
    "strict: differential privacy for whole cases; only paths of crowds are kept, others are made up.",
)
@click.option(
    "--time-from",
    type=click.Choice(["previous", "start"]),
    help="Put noise on the time since the previous event or since the case's start. [default: previous]",
)
@click.option(
    "--precision",
    default="0.1",
    show_default=True,
    metavar="SHARE|DURATION",
    help="How near a guess must come to count: a share of the longest minus the shortest time of the same step, or a "
    "duration such as 10min. Not for blend and strict.",
)
@click.option(
    "--grid",
    metavar="GRID",
    help="Release times in whole day, hour, minute, second or millisecond. [default: as in the log]",
)
@_STRICT
@click.option("--as-published", is_flag=True, help="Reproduce the paper with its leaks. NOT FOR PUBLICATION.")
@click.option("--seed", type=click.IntRange(min=0), help="Make the run repeatable. NOT FOR PUBLICATION.")
@_READING
@click.option("--format", "format_", metavar="FORMAT", help="Format of input and output where names do not tell.")
@click.option("--force", is_flag=True, help="Overwrite the output if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the summary.")
@click.option("--report", metavar="FILE", help="Write a comparison with plots; PRIVATE is put into its name.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors and warnings.")
@_DEBUG
def anonymize(
    log: str, output: str, delta: float, method: str, time_from: Any, precision: str, grid: str | None,
    slack: float | None, labels: str | None, first_day: str | None, last_day: str | None, longest: str | None,
    as_published: bool, seed: int | None, format_: str | None, force: bool, as_json: bool, report: str | None,
    quiet: bool, **reading: str | None,
) -> None:  # fmt: skip
    """Make a release of LOG that may be published.

    LOG and FILE are .xes, .xes.gz, .csv, .csv.gz or .parquet by name, or - with --format.
    """
    from .accounting import SLACK
    from .console import release_text, watched
    from .formats import read_log, write_log
    from .formats.files import check_target, format_of
    from .release import anonymize as anonymize_log
    from .release import checked_options

    public = _public(method, slack, labels, first_day, last_day, longest)
    slack = slack if slack is not None else SLACK
    # wrong ones are told before any work
    checked_options(delta, method, time_from, precision, grid, as_published, slack, public)
    format_of(output, _format_for(output, format_))
    check_target(output, force=force, source=log)
    _check_report(report, force, log)
    with watched(quiet=quiet or as_json) as progress:
        original = read_log(log, format=_format_for(log, format_), progress=progress, **reading)
        release = anonymize_log(
            original, delta, method=method, time_from=time_from, precision=precision, grid=grid,
            as_published=as_published, slack=slack, public=public, seed=seed, progress=progress,
        )  # fmt: skip
        write_log(release.log, output, format=_format_for(output, format_), force=force, progress=progress)
    release = release.with_seconds(progress.seconds())
    if report is not None:
        from .comparison import compare as compare_logs
        from .report import write_report

        written = write_report(compare_logs(original, release), report, force=force)
        if not quiet:
            click.echo(f"report: {one_line(written)}", err=True)
    to_stderr = output == "-"
    if as_json:
        _say(_json(release.to_dict(), original), err=to_stderr)
    elif quiet:
        for warning in release.guarantee.warnings:  # what must not be published says so in any case
            _say(f"unsingle: {warning}", err=True)
    else:
        _tell_columns(original, reading)
        _say(release_text(release, output), err=to_stderr)


def _public(method: str, slack: float | None, labels: str | None, *others: str | None) -> Public:
    """What the user says is public; only `strict` asks for it."""
    from .formats import read_labels
    from .options import Public

    if method != "strict" and any(each is not None for each in (slack, labels, *others)):
        raise click.UsageError("--slack, --labels, --first-day, --last-day and --longest go with --method strict only")
    return Public(None if labels is None else read_labels(labels), *others)


@main.command()
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the log goes; - is standard output.")
@click.option("--cases", default=1000, show_default=True, help="Number of cases.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another seed gives another log."
)
@click.option("--format", "format_", metavar="FORMAT", help="Format, if the name does not tell.")
@click.option("--force", is_flag=True, help="Overwrite the output if it exists.")
@_DEBUG
def synthesize(output: str, cases: int, seed: int, format_: str | None, force: bool) -> None:
    """Make a synthetic hospital log.

    To try things on and for benchmarks: no person is in it.
    """
    from .console import shown_output
    from .formats import write_frame
    from .formats.files import check_target, format_of
    from .synthetic import synthetic_frame

    kind = _format_for(output, format_)
    format_of(output, kind)
    check_target(output, force=force)
    frame = synthetic_frame(cases, seed)
    write_frame(frame, output, format=kind, force=force)
    click.echo(f"{cases} cases, {frame.height} events: {shown_output(output)}", err=True)


def _format_for(name: str, given: str | None) -> str | None:
    """The format that the name tells; the given one is for names that do not tell."""
    from .errors import ParameterError
    from .formats.files import format_of

    if given is not None:
        format_of(name, given)  # an unknown one is refused even where it is not needed
    try:
        return format_of(name)
    except ParameterError:
        return given


def _json(figures: dict[str, Any], log: EventLog) -> str:
    """One object with all figures and the columns that were taken; in ASCII, which every terminal can show."""
    from .tabular import without_nan

    taken = {"columns": log.columns._asdict() if log.columns else None}
    private = {"private_keys": sorted([*figures["private_keys"], "columns"])} if "private_keys" in figures else {}
    return json.dumps(without_nan({**figures, **taken, **private}), indent=2, allow_nan=False)


def _tell_columns(log: EventLog, reading: dict[str, str | None]) -> None:
    """Say which columns were taken, if the user did not name them all."""
    if log.columns and not all(reading.get(role) for role in ("case", "activity", "time")):
        taken = ", ".join(f"{role} = {name}" for role, name in log.columns._asdict().items())
        click.echo(f"columns taken: {one_line(taken)}", err=True)


if __name__ == "__main__":
    main()
