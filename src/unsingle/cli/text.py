"""Summaries of results as text that fits a screen."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..evaluation.tables import PRIVATE

if TYPE_CHECKING:
    from ..auditor import Audit
    from ..evaluation.checks import Concern
    from ..evaluation.comparison import Comparison
    from ..evaluation.dry_run import DryRun
    from ..evaluation.figures import Figures
    from ..evaluation.inspection import Inspection
    from ..evaluation.measures.base import Measure
    from ..evaluation.releases import ReleasesSoFar
    from ..evaluation.risk import Risk
    from ..evaluation.sweep import Sweep
    from ..methods import Method
    from ..privacy.guarantee import Guarantee
    from ..release import Release, Size
    from ..report.statement import Statement


def statement_text(said: Statement, provenance: str) -> str:
    """The questions that a reader has of a release, with their answers."""
    answers = [[each.question, *map(_wrapped, each.paragraphs)] for each in said.answers]
    return "\n\n".join("\n".join(section) for section in [["Release statement", _wrapped(provenance)], *answers])


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


_ATTRIBUTES = "Knowing a value of a kept column besides leaves one case for this share of cases"


def attribute_lines(risk: Risk) -> list[str]:
    """What kept columns add to what is known, as a table: what is known besides in columns."""
    from ..evaluation.risk.attributes import BESIDES
    from ..evaluation.tables import text_table

    rows = {besides: [each for each in risk.attributes if each.besides == besides] for besides in BESIDES}
    cells: dict[str, list[str]] = {}
    for those in rows.values():
        cells.setdefault("(no value)", []).append(f"{min(each.unique_share_without for each in those):.1%}")
        for each in those:
            cells.setdefault(each.known, []).append(f"{each.unique_share:.1%}")
    short = ("nothing else", "day it began", "1 event, its day", "whole path")
    return text_table(["known, and besides:", *short], ([one_line(known)[:30], *row] for known, row in cells.items()))


def risk_text(risk: Risk) -> str:
    """The answer, what singles people out, and the rarest activities."""
    known = [(each.known, f"{each.unique_share:>6.1%}   {each.few_share:>6.1%}") for each in risk.uniqueness]
    telling = [(one_line(row.activity)[:40], f"{row.cases:,} cases") for row in risk.by_activity[:3]]
    sections = [
        [f"{PRIVATE}: figures of the original log", _wrapped(risk.verdict)],
        ["Knowing this about a person leaves one case, or fewer than five, for this share of cases", _table(known)],
        ["Most revealing activities", _table(telling)],
    ]
    if risk.attributes:
        sections.insert(2, [_ATTRIBUTES, *_indented(attribute_lines(risk))])
    if risk.by_person:
        sections.append(["Persons", _wrapped(risk.persons_verdict)])
    return "\n\n".join("\n".join(section) for section in sections)


_HALVES = "How far off, beside how far two random halves of your log are apart"


def comparison_text(found: Comparison) -> str:
    """The answer, the distances beside their floors, and the measures."""
    from ..evaluation.measures.base import MEASURES, rows_of
    from ..evaluation.tables import text_table

    cases = ("cases", f"{found.cases_before:,} before, {found.cases_after:,} after")
    others = {name: value for name, value in found.measures.items() if not _is_distance_alone(MEASURES[name])}
    distances = [[each.aspect, *each.cells()[:4]] for each in found.yardsticks]
    sections = [
        [f"{PRIVATE}: compared with the original", _wrapped(found.verdict)],
        [_HALVES, *_indented(text_table(["how far off", "", "share", "two halves", "times"], distances))],
        [_table([cases, *rows_of(others), *found.notes])],
    ]
    return "\n\n".join("\n".join(section) for section in sections)


def _is_distance_alone(measure: Measure[Any]) -> bool:
    """Whether the table of distances tells all of a measure."""
    from ..evaluation.measures.base import DistanceMeasure

    return isinstance(measure, DistanceMeasure) and not measure.says_more


def sweep_text(found: Sweep) -> str:
    """The trade-off as a table."""
    from ..evaluation.measures.base import SweepTable
    from ..evaluation.sweep import sweep_numbers
    from ..evaluation.tables import text_table
    from ..methods import METHODS

    parts = []
    for table in (SweepTable.COSTS, SweepTable.FLOW):
        numbers = [number for number in sweep_numbers() if number.table is table]
        titles = ["method", "delta", *(number.title for number in numbers)]
        parts += [table.value.capitalize(), *_indented(text_table(titles, found.rows(numbers))), ""]
    runs = f"means of {found.runs} run{'' if found.runs == 1 else 's'}; time distance also as a share of the mean"
    halves = "; two halves: how far two random halves of your log are apart" if found.halves else ""
    methods = _table([(name, METHODS[name].title) for name in found.methods])
    notes = "".join(f"\n\n{_wrapped(note)}" for note in (found.columns_note, found.unit_note) if note)
    tables = "\n".join([*parts[:-1], _wrapped(f"({runs}{halves})")])
    return f"{PRIVATE}: compared with the original\n{tables}\n\n{methods}{cost_text(found)}{notes}"


def cost_text(found: Sweep) -> str:
    """What each kept column costs the others, as a table; empty if none is kept."""
    from ..evaluation.tables import text_table

    costs = found.column_costs
    if not costs:
        return ""
    names = costs[0].kept
    rows = [[one_line(cost.name), *cost.cells(names)] for cost in costs]
    lines = text_table(["kept", "time distance", "of mean", *map(one_line, names)], rows)
    heading = f"Cost of columns ({costs[0].method}, delta {costs[0].delta:g}): how far times and each column are off"
    return "\n\n" + "\n".join([heading, *_indented(lines)])


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
        "or docs/explanation/audit.md"
    )
    said = f"{found.verdict} {found.provenance}".rstrip()
    return (
        f"{PRIVATE}: attacks on releases of the original\n{_wrapped(said)}\n\n"
        + "\n".join(f"  {line}" for line in lines)
        + f"\n\n{_wrapped(notes)}"
    )


_MOST_LABELS = 1000  # in a list for a terminal


def dry_run_text(found: DryRun) -> str:
    """The answer, every label, what is left out, what is promised, and what a trial release keeps."""
    columns = [(each.column, f"{each.kind}: {each.published}") for each in found.kept]
    size = [
        ("cases", f"{found.cases:,}, with {found.mean_case:,.1f} events on average and at most {found.longest_case:,}"),
        ("events", f"{found.events:,}"),
        ("variants", f"{found.variants:,}"),
    ]
    promised = [_wrapped(found.guarantee), *(_wrapped(f"WARNING: {each}") for each in found.warnings)]
    predicted = [*map(_wrapped, found.remarks), _table(list(found.predicted))]
    sections = [
        [f"{PRIVATE}: what a release would be, from the true log. Nothing was written.", _wrapped(found.verdict)],
        *([["Look at this", *(_wrapped(each.sentence, 2) for each in found.concerns)]] if found.concerns else []),
        [f"Activities that would be published ({len(found.labels):,}; ! looks personal)", *_label_lines(found)],
        *([["Columns that would be published", _table(columns)]] if columns else []),
        ["Left out", _wrapped(", ".join(found.left_out) or "nothing")],
        ["The log", _table(size)],
        [f"Guarantee of {found.method}, delta {found.delta:g}", *promised],
        ["Predicted, from one trial release that was thrown away", *predicted],
    ]
    return "\n\n".join("\n".join(section) for section in sections)


def _label_lines(found: DryRun) -> list[str]:
    """One line for each label: whether it looks personal, and how many cases and events have it."""
    from ..evaluation.tables import text_table

    shown = found.labels[:_MOST_LABELS]
    width = min(60, max(len(one_line(each.activity)) for each in shown))
    rows = [
        ["!" if each.looks_like else "", _cut_to(one_line(each.activity), width), f"{each.cases:,}", f"{each.events:,}"]
        for each in shown
    ]
    lines = text_table(
        ["  activity" + " " * (width - 8), "cases", "events"],
        ([f"{mark:<2}{label}", cases, events] for mark, label, cases, events in rows),
    )
    lines = [
        line if not each.looks_like else f"{line}  looks like {each.looks_like}"
        for line, each in zip(lines[1:], shown, strict=True)
    ]
    more = len(found.labels) - len(shown)
    return _indented([*lines, *([f"... and {more:,} more: --json lists all"] if more else [])])


def _cut_to(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def ledger_text(found: ReleasesSoFar) -> str:
    """What all releases may add together, and each of them."""
    from ..core.wording import at_most

    lines = [f"{'':>4}  {'time (UTC)':<19}  {'method':<12}  delta  outcome      together"]
    for each in found.releases:
        all_ = "-" if each.together is None else at_most(each.together, 3)
        time = each.time.partition("+")[0].replace("T", " ")
        lines.append(f"{each.number:>4}  {time:<19}  {each.method:<12}  {each.delta:<5g}  {each.outcome:<11}  {all_}")
    table = "\n".join(f"  {line}".rstrip() for line in lines) if found.releases else ""
    return f"{PRIVATE}: all releases of the same people\n{_wrapped(found.verdict)}\n\n{table}".rstrip()


def release_text(release: Release, figures: Figures, output: str, concerns: Sequence[Concern] = ()) -> str:
    """The summary of a release: what may be published, what is promised, and what is private."""
    from ..evaluation.remarks import in_ledger, remarks, spending

    public = public_rows(release)
    if release.budget is not None:
        if not release.budget.terms.publishes_all_paths:
            public.append(("paths", "taken by many; others are made up, and rare steps may be missing or invented"))
        public.append(("spent", spending(release.budget)))
    if release.begun is not None:
        public.append(("ledger", in_ledger(release.begun)))
    compared = [
        ("before", f"{figures.cases_in:,} cases, {figures.events_in:,} events"),
        *_lost(figures),
        *_outside(figures),
        *figures.rows(),
        ("seconds", seconds_text(figures.seconds)),
    ]
    before = [f"WARNING: {each.sentence}" for each in concerns]
    return release_sections(release, output, public, compared, [*before, *remarks(release, figures)])


class Made(Protocol):
    """A release, wherever it was made."""

    @property
    def guarantee(self) -> Guarantee:
        """What it promises."""

    @property
    def method(self) -> Method:
        """How it was made."""

    @property
    def size(self) -> Size:
        """How much there is of it."""


def public_rows(release: Made) -> list[tuple[str, str]]:
    """What may be published about a release, one a line."""
    method, size = release.method, release.size
    counted = f"{size.cases:,} cases, {size.events:,} events, {size.variants:,} variants"
    return [
        ("method", f"{method.name}, delta {method.delta:g}"),
        ("size", f"{counted} (those of the original)" if method.keeps_variants else counted),
    ]


def release_sections(
    release: Made,
    output: str,
    public: list[tuple[str, str]],
    compared: list[tuple[str, str]],
    remarks: Sequence[str] = (),
) -> str:
    """The three parts of a summary: what may be published, what is promised, and what is private."""
    guarantee = release.guarantee
    warnings = [f"WARNING: {warning}" for warning in (*guarantee.warnings, *guarantee.cautions)]
    sections = [
        [f"Release: {shown_output(output)}", _table(public)],
        ["Guarantee", _wrapped(str(guarantee)), *map(_wrapped, warnings)],
        ["PRIVATE, do not publish: compared with the original", *map(_wrapped, remarks), _table(compared)],
    ]
    return "\n\n".join("\n".join(section) for section in sections)


def seconds_text(seconds: dict[str, float]) -> str:
    """How long each step took."""
    return ", ".join(f"{step} {value:.1f}" for step, value in seconds.items())


def _outside(figures: Figures) -> list[tuple[str, str]]:
    """What does not fit what its owner said is public, if anything."""
    outside = ", ".join(f"{n:,} {what}" for what, n in figures.outside.items())
    return [("outside", outside)] if outside else []


def _lost(figures: Figures) -> list[tuple[str, str]]:
    """Cases and variants that the release does not have, if any."""
    if not (figures.cases_lost or figures.lost_variants):
        return []
    lost = f"{len(figures.lost_variants):,} variants"
    if figures.cases_lost is None:
        lost += f" of {sum(figures.lost_variants.values()):,} cases"
    else:
        lost = f"{figures.cases_lost:,} cases without a copy, {lost}"
    if figures.lost_variants:
        path, cases = next(iter(figures.lost_variants.items()))
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


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _table(rows: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join(_wrapped(f"{name:<{width}}  {value}", width + 2) for name, value in rows)


def _wrapped(text: str, indent: int = 0) -> str:
    """The text in lines that fit the terminal; those after the first stand further in."""
    width = min(100, shutil.get_terminal_size().columns)
    return textwrap.fill(one_line(text), width, initial_indent="  ", subsequent_indent=" " * (indent + 2))
