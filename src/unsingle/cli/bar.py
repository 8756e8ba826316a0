"""The progress bar: it names the step under way, and never runs backwards."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING

from ..progress import MEASURE, READ, STEPS, WRITE, Progress

if TYPE_CHECKING:
    from ..methods import Method


def release_steps(method: Method) -> tuple[str, ...]:
    """The steps of a release by this method, from reading the log to measuring the release."""
    return (READ, *method.stages, WRITE, MEASURE)


@contextlib.contextmanager
def watched(
    *, quiet: bool, steps: Sequence[str], words: dict[str, str] | None = None, remaining: bool = False
) -> Iterator[Progress]:
    """A progress that shows itself on a terminal; a polite kill is like an interrupt, so nothing is left behind.

    `steps` come in this order; `words` say what those of a method do. With `remaining` it estimates how long the step
    under way still takes.
    """
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        if quiet or not _on_terminal():
            yield Progress()
        else:
            with Bar(steps, STEPS | (words or {}), remaining=remaining) as bar:
                yield bar
    finally:
        signal.signal(signal.SIGTERM, previous)


def _on_terminal() -> bool:
    return sys.stderr.isatty()


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class Bar(Progress):
    """A bar over all steps; with `remaining`, each step is a bar of its own, whose speed tells how long it takes."""

    def __init__(self, steps: Sequence[str], words: dict[str, str], *, remaining: bool = False) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._steps, self._words, self._remaining = steps, words, remaining
        self._place, self._done = -1, 0.0
        width = max(len(words.get(step, step)) for step in steps)
        columns = [TextColumn(f"{{task.description:<{width}}}"), BarColumn(), TimeElapsedColumn()]
        if remaining:
            columns += [TextColumn("left"), TimeRemainingColumn(elapsed_when_finished=False)]
        self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=1 if remaining else len(steps))

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def step(self, name: str) -> None:
        """Go on to the next step of this name; one that is not expected leaves the bar where it is."""
        later = range(self._place + 1, len(self._steps))
        self._place = next((place for place in later if self._steps[place] == name), self._place)
        if self._remaining:
            self._done = 0.0
            self._bar.reset(self._task, total=1)
        super().step(name)

    def show(self, step: str, fraction: float) -> None:
        """Move the bar, never backwards: a file may be read a second time."""
        before = 0 if self._remaining else max(0, self._place)
        self._done = max(self._done, before + fraction)
        description = self._words.get(step, step)
        self._bar.update(self._task, description=description, completed=self._done, refresh=fraction == 0)
