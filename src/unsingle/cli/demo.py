"""The command that shows the steps of a release on a synthetic log: the other commands, run one after the other."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from .options import DEBUG, FORCE
from .output import say

HOSPITAL, TO_PUBLISH = "hospital.xes.gz", "release.xes.gz"

MADE = {
    HOSPITAL: "the original log; it is synthetic, no person is in it",
    "risk.PRIVATE.html": "how exposed people are in the original; private",
    TO_PUBLISH: "the log to publish",
    "release.xes.gz.release.json": "what the release is and promises, to publish with it",
    "statement.html": "the same in plain words, to publish with it",
    "comparison.PRIVATE.html": "what the release keeps of the original; private",
}


@click.command()
@click.argument("folder", default="unsingle-demo", type=click.Path(file_okay=False))
@click.option("--cases", type=click.IntRange(min=1), default=1000, show_default=True, help="Number of cases.")
@click.option("--delta", type=float, default=0.2, show_default=True, help="What the release may add to a guess.")
@FORCE
@DEBUG
@click.pass_context
def demo(context: click.Context, folder: str, cases: int, delta: float, force: bool) -> None:
    """Show the steps of a release on a synthetic log.

    Makes the log, its risk, a release, its statement and a comparison of both, in FOLDER.
    """
    from ..privacy.advantage import checked_delta

    checked_delta(delta)
    commands = context.find_root().command
    assert isinstance(commands, click.Group)
    with _working_in(Path(folder)):
        for name, *options in _steps(cases, delta):
            click.secho(f"$ unsingle {shlex.join([name, *options])}", bold=True)
            words = [*options, "--force"] if force else options
            commands.commands[name].main(words, prog_name=f"unsingle {name}", standalone_mode=False, obj=[name, *words])
            say("")
    say(_what_was_made(Path(folder)))


@contextlib.contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """Make the folder and work in it."""
    from ..formats.output import one_line_errors

    with one_line_errors(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
    click.secho(f"$ cd {shlex.quote(str(folder))}", bold=True)
    with contextlib.chdir(folder):
        yield


def _steps(cases: int, delta: float) -> list[list[str]]:
    """The commands, as a user would type them in the folder."""
    complete = ["--lifecycle", "complete"]
    papers = ["--statement", "statement.html", "--report", "comparison.html"]
    return [
        ["synthesize", "--cases", str(cases), "-o", HOSPITAL],
        ["risk", HOSPITAL, *complete, "--html", "risk.html"],
        ["anonymize", HOSPITAL, *complete, "--delta", str(delta), "-o", TO_PUBLISH, *papers],
    ]


def _what_was_made(folder: Path) -> str:
    """The files and what each is, and what to do next."""
    width = max(map(len, MADE)) + len(str(folder)) + 1
    lines = [f"{folder / name!s:<{width}}  {what}" for name, what in MADE.items()]
    return "\n".join([*lines, "", "Next, a log of your own: unsingle anonymize LOG --dry-run"])
