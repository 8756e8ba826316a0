"""What several commands offer: options, and what is checked and said alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .console import one_line

if TYPE_CHECKING:
    from .guarantee import Guarantee
    from .log import Columns

F = TypeVar("F", bound=Callable[..., Any])


METHODS = ("twin", "twin-crowds", "strict", "amun", "sample", "filter")
"""The methods by name, the default first; the room that has them takes long to load."""


class MethodName(click.Choice[str]):
    """The name of a method, by which it is told from the name of a log; the library says what is wrong with others."""

    def __init__(self) -> None:
        super().__init__(METHODS)

    def convert(self, value: Any, _param: click.Parameter | None, _context: click.Context | None) -> str:
        """Take any name."""
        return str(value)


def options(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


DEBUG = click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")

READING = options(
    click.option("--case", metavar="COLUMN", help="Column of case ids. [default: found by name]"),
    click.option("--activity", metavar="COLUMN[+COLUMN]", help="Column of activities, or several joined by +."),
    click.option("--time", metavar="COLUMN", help="Column of times."),
    click.option("--lifecycle", metavar="NAME", help="Keep only events of this lifecycle, such as complete."),
    click.option("--timezone", metavar="ZONE", help="Zone of times that name none, such as +02:00. [default: UTC]"),
    click.option("--time-format", metavar="FORMAT", help="How times are written, such as '%d/%m/%Y %H:%M'."),
    click.option("--escape", type=click.Choice(["double", "backslash"]),
                 help="How CSV writes a quotation mark inside a cell: twice, or behind a backslash. [default: double]"),
    click.option("--allow-line-ends", is_flag=True,
                 help="Take activities with line ends in them; rows that ran into each other look like that."),
)  # fmt: skip

FORMAT = click.option(
    "--format", "format_", metavar="FORMAT", help="Format of a log whose name does not tell: xes, csv, parquet."
)
SHOWING = options(
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    click.option("--html", metavar="FILE", help="Write a report with plots; PRIVATE is put into its name."),
    click.option("--force", is_flag=True, help="Overwrite files that exist."),
)

PUBLIC = options(
    click.option(
        "--slack",
        type=float,
        help="twin and strict: what is granted beyond epsilon; far less than 1 / number of cases. [default: 1e-06]",
    ),
    click.option(
        "--labels",
        metavar="FILE",
        help="strict and --paths crowds: the activities that may be published, one in each line; events of others "
        "are left out. [default: those that many people have, found with noise]",
    ),
)

PATHS = click.option(
    "--paths",
    type=click.Choice(["same", "crowds"]),
    default="same",
    show_default=True,
    help="twin: publish all paths of the log (same), or only paths that many people took (crowds).",
)


def public_of(method: str, slack: float | None, labels: str | None) -> dict[str, Any]:
    """What goes with methods that have a budget, as arguments of `anonymize`; refused for others."""
    from .formats import read_labels
    from .methods import METHODS

    chosen = METHODS.get(method)
    if chosen and slack is not None and not chosen.has_slack:
        raise click.UsageError(f"--slack does not go with --method {method}")
    if chosen and labels is not None and chosen.outside is None:
        raise click.UsageError("--labels goes with --method strict and with --paths crowds")
    given = {"slack": slack, "labels": None if labels is None else read_labels(labels)}
    return {name: value for name, value in given.items() if value is not None}


def format_for(name: str, given: str | None) -> str | None:
    """The format that the name tells; the given one is for names that do not tell."""
    from .errors import ParameterError
    from .formats.files import format_of

    if given is not None:
        format_of(name, given)  # an unknown one is refused even where it is not needed
    try:
        return format_of(name)
    except ParameterError:
        return given


def check_report(html: str | None, force: bool, source: str) -> None:
    """Refuse before any work what could not be written after it."""
    if html is not None:
        from .formats.files import check_target
        from .report.writing import private_name

        check_target(private_name(html), force=force, source=source)


def say(text: str, *, err: bool = False) -> None:
    """Print a result; a full disk behind standard output is told like any other."""
    from .formats.files import told_plainly

    with told_plainly("standard error" if err else "standard output"):
        click.echo(text, err=err)  # which flushes


def as_json_text(figures: dict[str, Any], columns: Columns | None) -> str:
    """One object with all figures and the columns that were taken; in ASCII, which every terminal can show."""
    from .tabular import without_nan

    taken = {"columns": columns._asdict() if columns else None}
    private = {"private_keys": sorted([*figures["private_keys"], "columns"])} if "private_keys" in figures else {}
    return json.dumps(without_nan({**figures, **taken, **private}), indent=2, allow_nan=False)


def tell_warnings(guarantee: Guarantee) -> None:
    """Say what whoever publishes must know, also if nothing else is shown."""
    for warning in (*guarantee.warnings, *guarantee.cautions):
        say(f"unsingle: {warning}", err=True)


def tell_columns(columns: Columns | None, reading: dict[str, Any]) -> None:
    """Say which columns were taken, if the user did not name them all."""
    if columns and not all(reading.get(role) for role in ("case", "activity", "time")):
        taken = ", ".join(f"{role} = {name}" for role, name in columns._asdict().items())
        click.echo(f"using columns: {one_line(taken)}", err=True)
