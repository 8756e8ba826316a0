"""Options that several commands share, and what is checked alike for all of them before any work."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from .profile_option import PROFILE
from .text import one_line

if TYPE_CHECKING:
    from ..core.log import EventLog, SourceColumns
    from ..formats.base import FileKind
    from ..methods import Method

F = TypeVar("F", bound=Callable[..., Any])


def options(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one."""

    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


DEBUG = click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
FORCE = click.option("--force", is_flag=True, help="Overwrite files that exist.")
SEED = click.option("--seed", type=click.IntRange(min=0), help="Make the run repeatable. NOT FOR PUBLICATION.")

READING = options(
    PROFILE,
    click.option("--case", metavar="COLUMN", help="Column of case ids. [default: found by name]"),
    click.option("--activity", metavar="COLUMN[+COLUMN]", help="Column of activities, or several joined by +."),
    click.option("--time", metavar="COLUMN", help="Column of times, or DATE+CLOCK for two columns."),
    click.option("--start", metavar="COLUMN", help="Column of start times, if a row has two times: each row becomes "
                 "two events, X+start and X+complete."),
    click.option("--person", metavar="COLUMN", help="Column that says whom a case is about, if one person can have "
                 "several cases."),
    click.option("--keep", multiple=True, metavar="COLUMN", help="Another column to read, of events or, as case:NAME, "
                 "of cases. Can be given several times. All others are left out."),
    click.option("--keep-case", multiple=True, metavar="COLUMN", help="Another column to read that stands on events, "
                 "but is one value of the case. Can be given several times."),
    click.option("--number", "numbers", multiple=True, metavar="COLUMN", help="A column to keep that holds numbers, if "
                 "the file does not say so, as CSV never does. Can be given several times."),
    click.option("--decimal-comma", is_flag=True, help="Numbers in text have a decimal comma, as in 1.234,50."),
    click.option("--lifecycle", metavar="NAME", help="Keep only events of this lifecycle, such as complete."),
    click.option("--timezone", metavar="ZONE", help="Zone of times that name none, such as +02:00. [default: UTC]"),
    click.option("--time-format", metavar="FORMAT", help="How times are written, such as '%d/%m/%Y %H:%M'."),
    click.option("--skip-incomplete", is_flag=True, help="Leave out rows without case, activity or time, and say how "
                 "many. They are refused otherwise."),
    click.option("--encoding", metavar="NAME", help="Encoding of a CSV file, such as cp1252. [default: found out]"),
    click.option("--sheet", metavar="NAME", help="Sheet of an Excel workbook, by its name or number. [default: the "
                 "first]"),
    click.option("--escape", type=click.Choice(["double", "backslash"]),
                 help="How CSV writes a quotation mark inside a cell: doubled, or after a backslash. "
                 "[default: double]"),
    click.option("--allow-line-ends", is_flag=True, help="Accept activities that contain line ends or look like a row "
                 "of the file. They are refused otherwise, because they are often a sign of merged rows."),
)  # fmt: skip

FURTHER = ("start", "person", "keep", "keep_case", "numbers", "decimal_comma", "skip_incomplete", "encoding", "sheet")
"""How to read what Spark does not read: columns beside case, activity and time, and odd files."""

LOG_FILES = click.argument("log", nargs=-1, required=True, metavar="LOG...")
"""The files of a log, or folders of such."""

FORMAT = click.option("--format", "format_", metavar="FORMAT", help="File format, if the file name does not show it.")

SHOWING = options(
    JSON,
    click.option("--html", metavar="FILE", help="Write a report with plots; PRIVATE is put into its name."),
    FORCE,
)


class RegisteredName(click.ParamType[str]):
    """One of the names in a registry, which is loaded when it is needed; the library says what is wrong with others."""

    def __init__(self, name: str, known: Callable[[], Collection[str]]) -> None:
        self.name, self._known = name, known

    def has(self, word: str) -> bool:
        """Whether the registry has this name."""
        return word in self._known()


class ManyValues(click.Command):
    """A command with options that take several values in a row: ``--delta 0.1 0.2``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the option before each further value."""
        many = {name: option for option in self.params if getattr(option, "multiple", False) for name in option.opts}
        expanded: list[str] = []
        current, taken = "", 0
        for word in args:
            if word.startswith("-"):
                name, given, _ = word.partition("=")
                current, taken = (name, len(given)) if name in many else ("", 0)
                expanded.append(word)
            elif current and taken and _is_value(word, many[current]):
                expanded += [current, word]
            else:
                expanded.append(word)
                taken += 1
                current = current if taken == 1 else ""
        return super().parse_args(ctx, expanded)


def _is_value(word: str, option: click.Parameter) -> bool:
    """Whether a word can be one more value of the option, and not the name of a log."""
    if isinstance(option.type, RegisteredName):
        return option.type.has(word)
    if option.type is not click.FLOAT:
        return False  # a column can have the name of a log
    with contextlib.suppress(ValueError):
        float(word)
        return True
    return False


class Log(NamedTuple):
    """A log to read: its files, their kind, and the options that say how to read them."""

    names: tuple[str, ...]
    kind: FileKind
    reading: dict[str, Any]

    @classmethod
    def of(cls, names: str | Sequence[str], format_: str | None, reading: dict[str, Any]) -> Log:
        """A log by the names of files or folders; raises `UnsingleError` if their format is not clear, or not one."""
        from ..formats.files import files_of, kind_of_all
        from ..formats.sniff import readable_kind

        files = files_of(names)
        for name in files:
            if format_ is None:
                readable_kind(name)
            file_kind(name, format_)
        return cls(files, file_kind(files[0], format_) if len(files) == 1 else kind_of_all(files, format_), reading)

    @property
    def shown(self) -> str:
        """What private reports call it."""
        more = len(self.names) - 1
        return f"{self.names[0]} and {more} more" if more else self.names[0]

    @property
    def only(self) -> str:
        """Its one file; raises `UsageError` if there are more."""
        if len(self.names) > 1:
            raise click.UsageError("a release is one file: name that")
        return self.names[0]

    def read(self, **how: Any) -> EventLog:
        """Read it, with further arguments of `read_log`."""
        from ..formats import read_log

        return read_log(self.names, format=self.kind, **self.reading, **how)


def domains_of(method: Method) -> tuple[str, ...]:
    """The columns whose values were given to the method: they are public, so they may be many."""
    values = getattr(method, "values", None)
    return tuple(values) if isinstance(values, Mapping) else ()


def file_kind(name: str, given: str | None) -> FileKind:
    """The kind of file that the name tells; the given one is for names that do not tell."""
    from ..formats.base import format_by_name, format_of

    if given is not None:
        format_of(name, given)  # an unknown one is refused even where it is not needed
    return format_by_name(name) or format_of(name, given)


def check_output(name: str, *, force: bool, sources: Sequence[str] = ()) -> None:
    """Refuse a target that could not be written, or that is one of the sources, before any work."""
    from ..formats.output import check_target

    for source in sources or (None,):
        check_target(name, force=force, source=source)


def check_release(name: str, *, force: bool, sources: Sequence[str]) -> None:
    """The same for a release, and for the file beside it that says what it is."""
    from ..formats.facts import beside, has_place_beside

    check_output(name, force=force, sources=sources)
    if has_place_beside(name):
        check_output(beside(name), force=force)


def refuse_two_of_standard_input(*names: str) -> None:
    """Refuse to read two logs from one standard input."""
    if names.count("-") > 1:
        raise click.UsageError("only one log can come from standard input: name a file for the other")


def command_line() -> str:
    """The command as it was given, for private reports; empty where the library is called in another way."""
    words = click.get_current_context().find_root().obj
    return shlex.join(["unsingle", *words]) if isinstance(words, list) else ""


class Report(NamedTuple):
    """A private file to write: its name, with PRIVATE in it, whether it may be overwritten, and the log it is about."""

    name: str
    force: bool
    source: str

    @classmethod
    def of(cls, given: str | None, force: bool, source: Log, ending: str = ".html") -> Report | None:
        """The report that was asked for, if any; refuses before any work what could not be written after it."""
        if given is None:
            return None
        from ..report.render import private_name

        name = private_name(given, ending)
        check_output(name, force=force, sources=source.names)
        return cls(name, force, source.shown)

    def write(self, found: Any, columns: SourceColumns | None = None, *, quiet: bool = False) -> None:
        """Write the page of a result, with the log, the columns and the command that it is about."""
        from ..report import about, write_report

        told = about(self.source, columns, command_line())
        self.tell("report", write_report(found, self.name, force=self.force, about=told), quiet=quiet)

    def write_text(self, text: str, what: str, *, quiet: bool = False) -> None:
        """Write a page that was made already."""
        from ..formats.output import atomic_output

        with atomic_output(self.name, force=self.force) as stream:
            stream.write(text.encode())
        self.tell(what, self.name, quiet=quiet)

    def tell(self, what: str, name: str, *, quiet: bool = False) -> None:
        """Say where it went."""
        if not quiet:
            click.echo(f"{what}: {one_line(name)}", err=True)
