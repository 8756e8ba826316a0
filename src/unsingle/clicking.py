"""How the command takes words and tells errors: click, with what it lacks for us."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from .console import one_line
from .errors import UnsingleError
from .memory import ADVICE
from .parallel import keep_memory

BAD_INPUT, INTERRUPTED = 2, 130


class OneLineErrors(click.Group):
    """Tells every error in one line and never shows a traceback, unless --debug is given."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        """Run the command that the words name, and end the process."""
        words = sys.argv[1:] if args is None else list(args)
        if args is None:  # as a command, and not as a part of a program
            keep_memory()
            if "--debug" not in words:
                _keep_stderr_to_python()
        try:
            sys.exit(super().main(words, *more, **{**options, "standalone_mode": False}) or 0)
        except SystemExit:
            raise
        except BaseException as error:
            if "--debug" in words:
                raise
            _end_with(error)


def _keep_stderr_to_python() -> None:
    """Let nothing else write there: a library in Rust tells its panics at length before it raises them."""
    with contextlib.suppress(OSError, AttributeError):  # there is none, or none that the system knows
        kept, encoding = os.dup(sys.stderr.fileno()), sys.stderr.encoding
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        sys.stderr = os.fdopen(kept, "w", buffering=1, encoding=encoding, errors="backslashreplace")


def _end_with(error: BaseException) -> NoReturn:
    """Say in one line what went wrong, and end with the exit code for it."""
    _let_go_of_output()
    if isinstance(error, BrokenPipeError):
        sys.exit(1)  # whoever read our output has enough
    if isinstance(error, KeyboardInterrupt | click.Abort):
        click.echo("unsingle: interrupted, nothing was written", err=True)
        sys.exit(INTERRUPTED)
    if isinstance(error, click.ClickException):
        message = _usage_message(error)
    elif isinstance(error, UnsingleError):
        message = str(error)
    elif isinstance(error, OSError):
        message = f"the system does not allow it: {error.strerror or error}"
    elif isinstance(error, MemoryError):
        message = f"there is not enough memory for this log: {ADVICE}"
    else:
        message = f"unexpected {type(error).__name__}: please report it with what --debug shows"
    click.echo(f"unsingle: {one_line(message)}", err=True)
    sys.exit(BAD_INPUT)


def _let_go_of_output() -> None:
    """Drop what standard output has refused: Python would try again at its end, and complain at length."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage_message(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message} (see {context.command_path} --help)" if context else message


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
    if isinstance(option.type, click.Choice):
        return word in option.type.choices
    with contextlib.suppress(ValueError):
        float(word)
        return True
    return False
