"""What the command shows: a progress bar while it works, and summaries that fit a screen."""

from __future__ import annotations

import contextlib
import math
import shutil
import signal
import sys
import textwrap
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING

from .progress import Progress
from .tabular import PRIVATE
from .wording import percent

if TYPE_CHECKING:
    from .auditing import Audit
    from .comparison import Comparison
    from .inspection import Inspection
    from .measures import Distance, SetChange
    from .release import PrivateFigures, Release
    from .risk import Risk
    from .spark import SparkRelease
    from .sweeping import Sweep

_STEPS = ("read", "automaton", "counts", "paths", "times", "measure", "write")
"""The steps of all methods in their order; each method has some of them."""


@contextlib.contextmanager
def watched(*, quiet: bool, steps: Sequence[str] = _STEPS, remaining: bool = False) -> Iterator[Progress]:
    """A progress that shows itself on a terminal; a polite kill is like an interrupt, so nothing is left behind.

    With `remaining` it guesses how long the last step will still take.
    """
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        if quiet or not sys.stderr.isatty():
            yield Progress()
        else:
            with _Bar(steps, remaining=remaining) as bar:
                yield bar
    finally:
        signal.signal(signal.SIGTERM, previous)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


class _Bar(Progress):
    """A bar that names the step under way."""

    def __init__(self, steps: Sequence[str], *, remaining: bool) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._steps, self._remaining = steps, remaining
        columns = [TextColumn("{task.description:<10}"), BarColumn(), TimeElapsedColumn()]
        if remaining:
            columns += [TextColumn("left"), TimeRemainingColumn(elapsed_when_finished=False)]
        self._bar = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("", total=len(steps))

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, step: str, fraction: float) -> None:
        """Move the bar."""
        if self._remaining:  # each step is a bar of its own, so that its speed tells how long it will take
            if fraction == 0:
                self._bar.reset(self._task, total=1, description=step)
            self._bar.update(self._task, completed=fraction, refresh=True)
            return
        done = self._steps.index(step) if step in self._steps else 0
        self._bar.update(self._task, description=step, completed=done + fraction, refresh=fraction == 0)


def inspection_text(found: Inspection) -> str:
    """The figures of a log, one a line."""
    rows = [
        ("cases", f"{found.cases:,}"),
        ("events", f"{found.events:,}"),
        ("variants", f"{found.variants:,}"),
        ("activities", f"{found.activities:,}"),
        ("longest case", f"{found.longest_case:,} events"),
        ("first event", found.first_event),
        ("last event", found.last_event),
        ("times in whole", f"{found.time_grid}s ({found.zone})"),
        ("automaton", f"{found.states:,} states, {found.transitions:,} transitions"),
        ("unique path", f"{found.unique_variant_share:.1%} of cases are the only one of their variant"),
    ]
    return "PRIVATE: figures of the original log\n" + _table(rows)


def risk_text(risk: Risk) -> str:
    """The answer, what singles people out, and the activities that tell most."""
    known = [(each.known, f"{each.unique_share:>6.1%}   {each.few_share:>6.1%}") for each in risk.uniqueness]
    telling = [(one_line(row.activity)[:40], f"{row.cases:,} cases") for row in risk.by_activity[:3]]
    sections = [
        [f"{PRIVATE}: figures of the original log", _wrapped(risk.verdict)],
        ["Knowing this of a person finds a single case, or fewer than five, in this share of cases", _table(known)],
        ["Activities that the fewest have", _table(telling)],
    ]
    if risk.by_person:
        sections.append(["Persons", _wrapped(risk.persons_verdict)])
    return "\n\n".join("\n".join(section) for section in sections)


def comparison_text(found: Comparison) -> str:
    """The answer and the main measures."""
    rows = [
        ("cases", f"{found.cases_before:,} before, {found.cases_after:,} after ({found.ratio:.2f} times)"),
        ("variants", _change_text(found.variant_change)),
        ("edges", _change_text(found.edge_change)),
        ("time distance", _distance_text(found.time_distance)),
        ("case durations", _distance_text(found.case_duration_distance)),
        ("starts", f"{found.start_distance_hours:,.1f} h apart"),
        ("replay", f"{found.replay_share:.1%} of released cases fit the original's directly-follows graph"),
    ]
    return f"{PRIVATE}: compared with the original\n{_wrapped(found.verdict)}\n\n{_table(rows)}"


def _change_text(change: SetChange) -> str:
    moved = f"{change.frequency_distance:.1%} of the frequency moved"
    return f"{change.before:,} before, {change.lost:,} lost, {change.added:,} new; {moved}"


def _distance_text(distance: Distance) -> str:
    return f"{distance.hours:,.1f} h, {percent(distance.share_of_mean)} of the mean"


def sweep_text(found: Sweep) -> str:
    """The trade-off as a table."""
    from .methods import METHODS

    width = max(len("method"), *(len(point.method) for point in found.points))
    lines = [
        f"{'method':<{width}} {'delta':>5} {'ratio':>7} {'SMAPE':>6} {'time distance':>15} {'variants lost':>13} "
        f"{'MB':>6}"
    ]
    for point in found.points:
        if point.ratio != point.ratio:
            lines.append(f"{point.method:<{width}} {point.delta:>5g}   nothing is left of this log")
            continue
        distance = f"{point.time_distance_hours:,.1f} h {percent(point.time_distance_share):>5}"
        smape = "-" if point.smape != point.smape else f"{point.smape:.1%}"
        lines.append(
            f"{point.method:<{width}} {point.delta:>5g} {point.ratio:>7.2f} {smape:>6} {distance:>15} "
            f"{point.variants_lost:>13,.0f} {point.megabytes:>6.2f}"
        )
    runs = f"means of {found.runs} run{'' if found.runs == 1 else 's'}; time distance also as a share of the mean"
    table = "\n".join(f"  {line}" for line in [*lines, f"({runs})"])
    methods = _table([(name, METHODS[name].title) for name in dict.fromkeys(point.method for point in found.points)])
    return f"{PRIVATE}: compared with the original\n{table}\n\n{methods}"


def audit_text(found: Audit) -> str:
    """The verdict, and what each attack found."""
    width = max(len(each.attack) for each in found.findings)
    lines = [f"{'attack':<{width}}    gain  95 % bounds     allowed  verdict"]
    for each in found.findings:
        figures = ""
        if each.guesses:
            gain, low, high = (f"{bound + 0.0:+.3f}" for bound in (each.gain, each.low, each.high))
            figures = f"{gain}  {low} {high}"
        allowed = f"{each.allowed:.3f}" if each.promised else f"({each.allowed:.3f})"
        lines.append(f"{each.attack:<{width}}  {figures:<21}  {allowed:>7}  {each.loudly}")
    notes = (
        "gain: how much more often an attacker was right than by chance. In brackets: delta, where nothing is "
        "promised. It holds if the upper bound is at most 0.05 above what is allowed. What each attack asks: --html, "
        "or docs/audit.md"
    )
    return (
        f"{PRIVATE}: attacks on releases of the original\n{_wrapped(found.verdict)}\n\n"
        + "\n".join(f"  {line}" for line in lines)
        + f"\n\n{_wrapped(notes)}"
    )


def release_text(release: Release, output: str) -> str:
    """The summary of a release: what may be published, what is promised, and what is private."""
    from .remarks import remarks, spending

    private, distance = release.private, release.private.time_distance
    public = _public_rows(release)
    if release.budget is not None:
        if not release.budget.terms.publishes_all_paths:
            public.append(("paths", "taken by many; others are made up, and rare steps may be missing or invented"))
        public.append(("spent", spending(release.budget)))
    compared = [
        ("before", f"{private.cases_in:,} cases, {private.events_in:,} events"),
        *_lost(private),
        *([("outside", ", ".join(f"{n:,} {what}" for what, n in private.outside.items()))] if private.outside else []),
        ("ratio", f"{private.oversampling_ratio:.2f} times as many cases"),
        ("time distance", f"{distance.hours:,.1f} h, {percent(distance.share_of_mean)} of the mean duration"),
        *([] if math.isnan(private.smape) else [("SMAPE", f"{private.smape:.1%}")]),
        ("seconds", _seconds_text(private.seconds)),
    ]
    return _release_sections(release, output, public, compared, remarks(release))


def spark_release_text(release: SparkRelease, output: str) -> str:
    """The same of a release made on Spark, which is not compared with its original event by event."""
    private = release.private
    compared = [
        ("before", f"{private['cases_in']:,} cases, {private['events_in']:,} events"),
        ("ratio", f"{private['oversampling_ratio']:.2f} times as many cases"),
        ("seconds", _seconds_text(private["seconds"])),
    ]
    return _release_sections(release, output, _public_rows(release), compared)


def _public_rows(release: Release | SparkRelease) -> list[tuple[str, str]]:
    variety = ", as published" if release.options.as_published else ""
    size = f"{release.size.cases:,} cases, {release.size.events:,} events, {release.size.variants:,} variants"
    return [
        ("method", f"{release.method}{variety}, delta {release.delta:g}"),
        ("size", f"{size} (those of the original)" if "variants_in" in release.public() else size),
    ]


def _release_sections(
    release: Release | SparkRelease,
    output: str,
    public: list[tuple[str, str]],
    compared: list[tuple[str, str]],
    remarks: Sequence[str] = (),
) -> str:
    guarantee = release.guarantee
    warnings = [f"WARNING: {warning}" for warning in (*guarantee.warnings, *guarantee.cautions)]
    sections = [
        [f"Release: {shown_output(output)}", _table(public)],
        ["Guarantee", _wrapped(str(guarantee)), *map(_wrapped, warnings)],
        ["PRIVATE, do not publish: compared with the original", *map(_wrapped, remarks), _table(compared)],
    ]
    return "\n\n".join("\n".join(section) for section in sections)


def _seconds_text(seconds: dict[str, float]) -> str:
    return ", ".join(f"{step} {value:.1f}" for step, value in seconds.items())


def _lost(private: PrivateFigures) -> list[tuple[str, str]]:
    """What went, if anything did."""
    if not (private.cases_lost or private.lost_variants):
        return []
    lost = f"{len(private.lost_variants):,} variants"
    if private.cases_lost is None:
        lost += f" of {sum(private.lost_variants.values()):,} cases"
    else:
        lost = f"{private.cases_lost:,} cases without a copy, {lost}"
    if private.lost_variants:
        path, cases = next(iter(private.lost_variants.items()))
        shown = " > ".join(path if len(path) <= 5 else (*path[:2], "...", *path[-2:]))
        lost += f", the most frequent of {cases:,} cases: {one_line(shown)}"
    return [("lost", lost)]


def one_line(text: str) -> str:
    r"""The text with everything that could break the line, or play with the terminal, written out.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def shown_output(name: str) -> str:
    """Where the result went, in words."""
    return "standard output" if name == "-" else one_line(name)


def _table(rows: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join(_wrapped(f"{name:<{width}}  {value}", width + 2) for name, value in rows)


def _wrapped(text: str, indent: int = 0) -> str:
    """The text in lines that fit the terminal; those after the first stand further in."""
    width = min(100, shutil.get_terminal_size().columns)
    return textwrap.fill(text, width, initial_indent="  ", subsequent_indent=" " * (indent + 2))
