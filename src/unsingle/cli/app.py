"""The command `unsingle`: the group of all commands, and how errors are shown."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import click

from ..core.machine import ADVICE, keep_memory
from ..errors import ENGINE, ColumnError, SizeError, UnsingleError, as_option
from ..version import VERSION
from .anonymize import anonymize
from .audit import audit
from .compare import compare
from .demo import demo
from .inspect import inspect
from .ledger import ledger
from .profile import profile
from .profile_option import explaining
from .risk import risk
from .serve import serve
from .statement import statement
from .sweep import sweep
from .synthesize import synthesize
from .text import one_line

# Commands import numpy, polars and rich where they need them, so that --help and errors come at once.

BAD_INPUT, INTERRUPTED = 2, 130


class OneLineErrors(click.Group):
    """Shows every error in one line and never shows a traceback, unless --debug is given."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; where a profile says how to read the log, errors say what of it does not fit."""
        with explaining(ctx):
            return super().invoke(ctx)

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        """Run the command that the words name, and end the process."""
        words = sys.argv[1:] if args is None else list(args)
        if args is None:  # as a command, and not as a part of a program
            keep_memory()
            if "--debug" not in words:
                _keep_stderr_to_python()
        try:
            sys.exit(super().main(words, *more, **{"obj": words, **options, "standalone_mode": False}) or 0)
        except SystemExit:
            raise
        except BaseException as error:
            if "--debug" in words:
                raise
            _end_with(error, words)


def _keep_stderr_to_python() -> None:
    """Let nothing else write to standard error: a library in Rust prints its panics at length before it raises them."""
    with contextlib.suppress(OSError, AttributeError):  # there is none, or none that the system knows
        kept, encoding = os.dup(sys.stderr.fileno()), sys.stderr.encoding
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        sys.stderr = os.fdopen(kept, "w", buffering=1, encoding=encoding, errors="backslashreplace")


def _end_with(error: BaseException, words: Sequence[str]) -> NoReturn:
    """Say in one line what went wrong, and end with the exit code for it."""
    _let_go_of_output()
    if isinstance(error, BrokenPipeError):
        sys.exit(1)  # whoever read our output has enough
    click.echo(f"unsingle: {one_line(message_of(error, words))}", err=True)
    sys.exit(INTERRUPTED if isinstance(error, KeyboardInterrupt | click.Abort) else BAD_INPUT)


def message_of(error: BaseException, words: Sequence[str] = ()) -> str:
    """What went wrong, in the words of the command, which were these, and what was done all the same."""
    interrupt = (
        error.__cause__ or error if isinstance(error, click.Abort) else error
    )  # click makes the one of the other
    done = ", ".join(getattr(interrupt, "__notes__", ()))
    if isinstance(interrupt, KeyboardInterrupt | click.Abort):
        return f"interrupted, {done or 'nothing was written'}"
    to_copy = _with_columns(words, error.missing) if isinstance(error, ColumnError) and error.missing else ""
    return f"{_what_went_wrong(error)}{to_copy}{f' ({done})' if done else ''}"


def _with_columns(words: Sequence[str], missing: Mapping[str, str]) -> str:
    """The command with options for columns that are missing; those that nothing looks like are left to fill in."""
    named = [word for name, column in missing.items() for word in (as_option(name, ""), column or "COLUMN")]
    kept = [word for number, word in enumerate(words) if not _is_renamed(words, number, missing)]
    return f"; to copy: {shlex.join(['unsingle', *kept, *named])}"


def _is_renamed(words: Sequence[str], number: int, missing: Mapping[str, str]) -> bool:
    """Whether a word is an option for a column that is named anew, or its value."""
    options = [as_option(name, "") for name in missing if not name.startswith("keep")]
    before = words[number - 1] if number else ""
    return before in options or words[number].partition("=")[0] in options


def _what_went_wrong(error: BaseException) -> str:
    if isinstance(error, click.ClickException):
        return _usage_message(error)
    if isinstance(error, UnsingleError):
        return error.in_words(_in_options)
    if isinstance(error, OSError):
        return f"the system does not allow it: {error.strerror or error}"
    if isinstance(error, MemoryError):
        return SizeError(f"there is not enough memory for this log: {ADVICE}").in_words(_in_options)
    return f"unexpected {type(error).__name__}: please report it with what --debug shows"


def _in_options(name: str, example: str) -> str:
    """An argument as an option; Spark is advised with a method that runs there."""
    if name != ENGINE:
        return as_option(name, example)
    from ..methods import on_spark

    return f"{as_option(name, example)} --method {on_spark()[0]}"


def _usage_message(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message} (see {context.command_path} --help)" if context else message


def _let_go_of_output() -> None:
    """Drop what standard output has refused: Python would try again at its end, and complain at length."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(
    cls=OneLineErrors,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(VERSION, prog_name="unsingle")
@click.pass_context
def main(context: click.Context) -> None:
    """Publish an event log with a limit on what it tells about any one person."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (anonymize, audit, compare, demo, inspect, ledger, profile, risk, serve, statement, sweep, synthesize):
    main.add_command(command)


if __name__ == "__main__":
    main()
