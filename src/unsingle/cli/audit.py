"""The command that attacks releases."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..errors import ParameterError
from ..progress import ATTACK, READ
from .bar import watched
from .methods import CHOICE, OfMethod, is_of_method, parameter_name
from .options import (
    DEBUG,
    FORMAT,
    READING,
    SHOWING,
    Log,
    ManyValues,
    RegisteredName,
    Report,
    domains_of,
    refuse_two_of_standard_input,
)
from .output import show_private, tell_source
from .text import audit_text

if TYPE_CHECKING:
    from ..auditor import Audit
    from ..methods import Method
    from ..progress import Progress
    from ..records.facts import Provenance, ReleaseFacts

_FOR_MANY = ("runs", "attacks", "seed")  # options that make sense only where releases are made
_DELTA = parameter_name("delta")


class _Audit(ManyValues, OfMethod):
    """Several attacks in a row, and the parameters of all methods."""


def _kinds() -> Collection[str]:
    from ..auditor import kinds

    return kinds()


@click.command(cls=_Audit)
@click.argument("log")
@click.argument("release", required=False)
@CHOICE
@click.option(
    "--runs",
    default=200,
    show_default=True,
    help="How often each attack is tried: 200 can show an excess of about 0.1, 1,000 one of 0.05.",
)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    type=RegisteredName("attack", _kinds),
    metavar="ATTACK...",
    help="Kinds of attacks, such as path, time, value, noise, linkage, start, copies, order. [default: all]",
)
@click.option("--seed", type=click.IntRange(min=0), help="Make the audit repeatable.")
@READING
@FORMAT
@SHOWING
@DEBUG
@click.pass_context
def audit(
    context: click.Context, /, log: str, release: str | None, method: Method, runs: int, attacks: tuple[str, ...],
    seed: int | None, format_: str | None, as_json: bool, html: str | None, force: bool, **reading: Any,
) -> None:  # fmt: skip
    """Attack releases of LOG, or a given RELEASE of it.

    With LOG alone, many releases by a method are made and attacked; what each attack gains is bounded, and compared
    with what the method promises. A given RELEASE, made by any tool, is attacked as it is; --delta says which delta it
    was made with, if the release does not say so itself. Ends with 1 if a promise is broken. These figures are private,
    like the log.

    LOG in several files is their folder, or a pattern in quotation marks such as '2024/*.csv'.
    """
    from ..auditor import audit as audit_log
    from ..auditor import checked_attacks

    kinds = attacks or None
    checked_attacks(kinds, runs)
    source = Log.of(log, format_, reading)
    report = Report.of(html, force, source)
    released = None if release is None else _given(context, release, format_)
    steps = (READ, ATTACK) if released is None else (READ, READ, ATTACK)
    with watched(quiet=as_json, steps=steps, remaining=True) as progress:
        if released is None:
            original = source.read(domains=domains_of(method), progress=progress)
            tell_source(original, reading, quiet=as_json)
            found = audit_log(
                original, method=method, runs=runs, attacks=kinds, seed=seed, processes=os.cpu_count() or 1,
                progress=progress,
            )  # fmt: skip
        else:
            said = context.get_parameter_source(_DELTA) == click.core.ParameterSource.COMMANDLINE
            found = _audit_given(source, released, method.delta if said else None, progress, quiet=as_json)
    show_private(found, audit_text, as_json=as_json, report=report)
    if not found.holds:
        raise click.exceptions.Exit(1)


def _given(context: click.Context, release: str, format_: str | None) -> Log:
    """The release to attack; refuses options that go with many releases only."""
    for option in context.command.get_params(context):
        given = context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE
        if given and option.name != _DELTA and (is_of_method(option) or option.name in _FOR_MANY):
            raise click.UsageError(
                f"{option.opts[0]} is for releases that are made; a given RELEASE is attacked as it is"
            )
    refuse_two_of_standard_input(context.params["log"], release)
    return Log.of(release, format_, {"allow_line_ends": context.params["allow_line_ends"]})


def _audit_given(source: Log, release: Log, delta: float | None, progress: Progress, *, quiet: bool) -> Audit:
    """Attack the release in a file; without a delta, it must say itself which one it was made with."""
    from ..auditor import audit_release
    from ..formats import read_release_with_names
    from ..formats.facts import in_log
    from ..formats.opened import opened
    from ..formats.selection import names_taken
    from ..records.facts import FACT_NAMES, provenance_of, read_facts

    file = opened(release.only, release.kind, progress)
    compared_with = _delta_of(read_facts(file), delta)  # before any work
    original = source.read(ids=True, progress=progress)
    tell_source(original, source.reading, quiet=quiet)
    released, names = read_release_with_names(file, original, ids=True, progress=progress, **release.reading)
    provenance = provenance_of(file, released)
    assert released.source is not None
    known = {*names_taken(released.source, names), *(original.parts.names if original.parts is not None else ())}
    known |= {in_log(name) for name in FACT_NAMES}
    extra = [name for name in names if name not in known]
    found = audit_release(original, released, compared_with, extra_attributes=extra, progress=progress)
    return replace(found, provenance=_compared(provenance, delta))


def _delta_of(facts: ReleaseFacts | None, given: float | None) -> float:
    """The delta that was given, else the one that the release says it was made with."""
    if given is not None:
        return given
    if facts is None:
        raise ParameterError(
            "the release does not say which delta it was made with: add --delta DELTA, which attacks are compared with"
        )
    return facts.delta


def _compared(provenance: Provenance, given: float | None) -> str:
    """What the release says of itself, and that another delta was given."""
    said, facts = str(provenance), provenance.facts
    if facts is None or given is None or given == facts.delta:
        return said
    return f"{said} DOES NOT FIT: --delta {given:g} was given, with which attacks are compared."
