"""The commands that show the truth: risk, compare, sweep and audit. Thin, like `cli`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from .clicking import ManyValues
from .console import one_line
from .offering import (
    DEBUG,
    FORMAT,
    PATHS,
    PUBLIC,
    READING,
    SHOWING,
    MethodName,
    check_report,
    format_for,
    public_of,
    say,
)

if TYPE_CHECKING:
    from .auditing import Audit
    from .log import EventLog
    from .tabular import Tabular


@click.command()
@click.argument("log")
@click.option("--person", metavar="COLUMN", help="Column that tells persons apart, if one can have several cases.")
@click.option("--delta", default=0.2, show_default=True, help="With --person: what each person should be promised.")
@click.option(
    "--precision", default="0.1", show_default=True, metavar="SHARE|DURATION", help="How near a guessed time must come."
)
@READING
@FORMAT
@SHOWING
@DEBUG
def risk(
    log: str, person: str | None, delta: float, precision: str, format_: str | None, as_json: bool, html: str | None,
    force: bool, **reading: Any,
) -> None:  # fmt: skip
    """Show how exposed people are in LOG before any release.

    How many cases are the only one of their path, by a few activities, by day, by duration; which activities,
    variants and times give people away. These figures are private, like the log.
    """
    from .console import risk_text, watched
    from .formats import read_log, read_persons
    from .risk import assess_risk

    check_report(html, force, log)
    if person is not None and log == "-":
        raise click.UsageError("standard input can be read only once: save the log to a file to use --person")
    kind = format_for(log, format_)
    with watched(quiet=as_json, steps=("read", "assess")) as progress:
        original = read_log(log, format=kind, progress=progress, **reading)
        persons = None if person is None else read_persons(log, person, format=kind, **reading)
        progress.step("assess")
        found = assess_risk(original, delta=delta, precision=precision, person=persons)
    _show(found, risk_text, as_json=as_json, html=html, force=force)


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
    """Compare RELEASE with the ORIGINAL it was made of.

    Variants, directly-follows graphs, durations, arrivals and cases under way, before and after. The options that name
    columns are for the original. These figures are private, like the original.
    """
    from .comparison import compare as compare_logs
    from .console import comparison_text, watched
    from .formats import read_log

    check_report(html, force, original)
    with watched(quiet=as_json, steps=("read", "compare")) as progress:
        before = read_log(original, format=format_for(original, format_), progress=progress, **reading)
        allowed = {"allow_line_ends": reading["allow_line_ends"]}
        after = read_log(release, format=format_for(release, format_), progress=progress, **allowed)
        progress.step("compare")
        found = compare_logs(before, after)
    _show(found, comparison_text, as_json=as_json, html=html, force=force)


@click.command(cls=ManyValues)
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
    type=MethodName(),
    metavar="METHOD...",
    help="Methods to try. [default: twin twin-crowds strict]",
)
@click.option("--runs", default=3, show_default=True, type=click.IntRange(min=1), help="Releases to average over.")
@click.option("--csv", metavar="FILE", help="Write the table as CSV; PRIVATE is put into its name.")
@READING
@FORMAT
@SHOWING
@DEBUG
def sweep(
    log: str, deltas: tuple[float, ...], methods: tuple[str, ...], runs: int, csv: str | None, format_: str | None,
    as_json: bool, html: str | None, force: bool, **reading: Any,
) -> None:  # fmt: skip
    """Compare methods and deltas on LOG: what a release by each would keep.

    Nothing is released. The figures compare with the original, so they are private.

    \b
    A ladder of three methods, each promising more than the one before:
      twin         same paths
      twin-crowds  paths taken by many (twin with --paths crowds)
      strict       paths taken by many, with the budget of differential
                   privacy itself
    """  # noqa: D301 - click takes the sign itself
    from .console import sweep_text, watched
    from .formats import read_log, write_figures
    from .formats.files import check_target
    from .report.writing import private_name
    from .sweeping import DELTAS, METHODS, checked_settings
    from .sweeping import sweep as sweep_log

    chosen_deltas, chosen_methods = deltas or DELTAS, methods or METHODS
    checked_settings(chosen_deltas, chosen_methods, runs)
    check_report(html, force, log)
    if csv is not None:
        check_target(private_name(csv, ".csv"), force=force, source=log)
    with watched(quiet=as_json, steps=("read", "sweep"), remaining=True) as progress:
        original = read_log(log, format=format_for(log, format_), progress=progress, **reading)
        found = sweep_log(original, chosen_deltas, chosen_methods, runs=runs, progress=progress)
    if csv is not None:
        write_figures(found.to_polars("points"), private_name(csv, ".csv"), force=force)
        click.echo(f"table: {one_line(private_name(csv, '.csv'))}", err=True)
    _show(found, sweep_text, as_json=as_json, html=html, force=force)


@click.command(cls=ManyValues)
@click.argument("log")
@click.argument("release", required=False)
@click.option(
    "--method",
    default="twin",
    show_default=True,
    metavar="METHOD",
    help="The method whose releases are attacked: twin, twin-crowds, strict, amun, sample or filter.",
)
@PATHS
@click.option(
    "--delta",
    type=float,
    help="What is promised: an attack may gain so much. For a given RELEASE: the delta that it was made with. "
    "[default: 0.2; required with RELEASE]",
)
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
    type=click.Choice(["path", "time", "noise", "linkage", "start", "copies", "order"]),
    metavar="ATTACK...",
    help="Kinds of attacks: path, time, noise, linkage, start, copies, order. [default: all]",
)
@click.option("--as-published", is_flag=True, help="Attack the paper's method with its leaks.")
@PUBLIC
@click.option("--seed", type=click.IntRange(min=0), help="Make the audit repeatable.")
@READING
@FORMAT
@SHOWING
@DEBUG
@click.pass_context
def audit(
    context: click.Context, /, log: str, release: str | None, method: str, paths: str, delta: float | None, runs: int,
    attacks: tuple[str, ...], as_published: bool, slack: float | None, labels: str | None, seed: int | None,
    format_: str | None, as_json: bool, html: str | None, force: bool, **reading: Any,
) -> None:  # fmt: skip
    """Attack releases of LOG, or a given RELEASE of it.

    With LOG alone, many releases by a method are made and attacked; what each attack gains is bounded, and compared
    with what the method promises. With a RELEASE, of whatever tool, that one is attacked. Ends with 1 if it is broken.
    These figures are private, like the log.
    """
    from .auditing import audit as audit_log
    from .auditing import checked_attacks
    from .auditing.promises import KINDS
    from .console import audit_text, watched
    from .formats import read_log
    from .methods import with_paths
    from .release import checked_options

    if release is not None:
        _refuse_with_release(context)
        if delta is None:
            raise click.UsageError(
                "a file does not say which delta it was made with: add --delta DELTA, which attacks are held against"
            )
    delta, method = 0.2 if delta is None else delta, with_paths(method, paths)
    public = public_of(method, slack, labels)
    checked_options(delta, method, as_published=as_published, **public)
    checked_attacks(attacks or tuple(KINDS), runs)
    check_report(html, force, log)
    with watched(quiet=as_json, steps=("read", "attack"), remaining=True) as progress:
        original = read_log(log, format=format_for(log, format_), progress=progress, **reading)
        if release is None:
            found = audit_log(
                original, delta, method=method, runs=runs, attacks=attacks or tuple(KINDS), as_published=as_published,
                seed=seed, processes=os.cpu_count() or 1, progress=progress, **public,
            )  # fmt: skip
        else:
            found = _audit_given(original, log, release, delta, format_, reading)
    _show(found, audit_text, as_json=as_json, html=html, force=force)
    if not found.holds:
        raise click.exceptions.Exit(1)


def _refuse_with_release(context: click.Context) -> None:
    """Say so if something was asked for that goes with many releases only."""
    many = ("method", "paths", "runs", "attacks", "as_published", "slack", "labels", "seed")
    for option in context.command.params:
        given = context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
        if option.name in many and given:
            raise click.UsageError(
                f"{option.opts[0]} is for releases that are made; a given RELEASE is attacked as it is"
            )


def _audit_given(
    original: EventLog, log: str, release: str, delta: float, format_: str | None, reading: dict[str, Any]
) -> Audit:
    """Attack the release in a file."""
    from .auditing import audit_release
    from .formats import attribute_names, read_ids, read_log

    if "-" in (log, release):
        raise click.UsageError("standard input can be read only once: save both logs to files to audit a release")
    kinds = format_for(log, format_), format_for(release, format_)
    released = read_log(release, format=kinds[1], allow_line_ends=reading["allow_line_ends"])
    assert released.columns is not None
    ids = read_ids(log, original, format=kinds[0], **reading), read_ids(release, released, format=kinds[1])
    extra = [name for name in attribute_names(release, kinds[1]) if name not in released.columns]
    return audit_release(original, released, delta, ids=ids, extra_attributes=extra)


def _show(found: Tabular, text: Callable[[Any], str], *, as_json: bool, html: str | None, force: bool) -> None:
    """Print private figures, and write their report if one is asked for."""
    if as_json:
        say(json.dumps({"private": True, **found.plain()}, indent=2))
    else:
        say(text(found))
    if html is not None:
        from .report import write_report

        click.echo(f"report: {one_line(write_report(found, html, force=force))}", err=True)
