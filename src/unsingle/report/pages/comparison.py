"""Can this release still be used? The answer first, then what changed, plot by plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.wording import percent
from ...evaluation.comparison import Comparison
from ...evaluation.comparison_tables import END, START, STEP, EdgeChange
from ...evaluation.measures.base import DistanceMeasure, rows_of
from ...evaluation.measures.case_durations import CASE_DURATION_DISTANCE
from ...evaluation.measures.circadian import HOURS_OF_DAY
from ...evaluation.measures.edges import EDGES
from ...evaluation.measures.office_hours import IN_OFFICE_HOURS
from ...evaluation.measures.step_durations import TIME_DISTANCE
from ...evaluation.measures.variants import VARIANTS
from ...evaluation.measures.weekdays import WEEKDAYS
from ...evaluation.measures.work_in_progress import WORK_IN_PROGRESS
from ...evaluation.yardsticks import Grade
from ..columns import column_sections, column_uses
from ..figures import HOURS, LEAST, MOST_BARS, bars, ends_text, hours_text, label_text, lines_of, path_text, spreads_of
from ..render import Advice, Card, Page, Section
from ..week import week_section
from .base import page_of

_MOST_EDGES = 1000
_USES: dict[DistanceMeasure[Any], str] = {
    EDGES: "which step follows which, in percent",
    VARIANTS: "how frequent each path is",
    TIME_DISTANCE: "how long steps take",
    CASE_DURATION_DISTANCE: "how long cases take",
    HOURS_OF_DAY: "at which hours things happen",
    WEEKDAYS: "on which days of the week things happen",
    WORK_IN_PROGRESS: "how many cases are under way",
}
_START_NODE, _END_NODE = "\0start", "\0end"


@page_of.register
def comparison_page(comparison: Comparison) -> Page:
    """Answer whether the release can still be used."""
    kept = comparison.variant_change
    return Page(
        title="Can this release still be used?",
        verdict=comparison.verdict,
        cards=(
            Card(f"{kept.before - kept.lost:,} of {kept.before:,}", "variants are still there"),
            Card(
                percent(comparison.time_distance.share_of_mean),
                f"average error in the time between events ({hours_text(comparison.time_distance.hours)} of "
                f"{hours_text(comparison.mean_step_hours)}): {comparison.yardstick(TIME_DISTANCE).beside}",
            ),
            Card(
                percent(comparison.office_hours.after),
                f"of events are in office hours, before {percent(comparison.office_hours.before)}: "
                f"{comparison.yardstick(IN_OFFICE_HOURS).beside}",
            ),
            Card(f"{comparison.ratio:.2f} ×", f"the cases: {comparison.cases_after:,} for {comparison.cases_before:,}"),
            Card(percent(comparison.replay_share), "of released cases use only steps that the original has"),
        ),
        advice=_uses(comparison),
        sections=(
            _yardsticks(comparison),
            _graph(comparison),
            *_people_found(comparison),
            _variants(comparison),
            _durations(comparison),
            _case_durations(comparison),
            _over_time(comparison.arrivals, "arrivals", "When cases begin",
                       "Cases that begin in each period, as a share of all: where the lines part, do not rely "
                       "on dates.",
                       (comparison.cases_before, comparison.cases_after)),
            _over_time(comparison.active, "active", "Cases under way",
                       f"Cases that had begun but not ended. {_off(comparison, WORK_IN_PROGRESS)}"),
            week_section(comparison),
            *column_sections(comparison),
            _all_measures(comparison),
        ),
    )  # fmt: skip


def _uses(comparison: Comparison) -> tuple[Advice, ...]:
    """What the release can be used for, and what not: what is close to the original, and what is not."""
    paths = comparison.variant_change
    good: list[str] = []
    bad = ["anything about a single case: no released case is true to a person"]
    (good if abs(comparison.ratio - 1) <= 0.05 else bad).append("how many cases there are in all")
    (good if not paths.lost and not paths.added else bad).append("which paths there are")
    for measure, use in _USES.items():
        (good if comparison.yardstick(measure).grade is Grade.CLOSE else bad).append(use)
    for use, is_good in column_uses(comparison):
        (good if is_good else bad).append(use)
    use = f"Use it for: {'; '.join(good)}." if good else "Do not rely on this release for anything."
    return (Advice(use), Advice(f"Do not use it for: {'; '.join(bad)}."), _protection(comparison))


def _off(comparison: Comparison, measure: DistanceMeasure[Any]) -> str:
    """How far a measure found the release to be off, beside its floor: a sentence."""
    found = comparison.yardstick(measure)
    return f"{found.aspect[0].upper()}{found.aspect[1:]}: off by {found.share_text}, {found.beside}."


def _protection(comparison: Comparison) -> Advice:
    """How people are protected, as far as the comparison can tell."""
    if comparison.guarantee:
        said = " ".join(each for each in (comparison.guarantee, comparison.people_alone, comparison.provenance) if each)
        return Advice(f"How people are protected: {said} Whether that is enough is your decision.")
    said = comparison.provenance or "See the guarantee printed when the release was made."
    return Advice(
        f"How well people are protected is not compared here. {said} "
        f"{comparison.one_person_paths:,} paths that only one person took are in the release."
    )


def _graph(comparison: Comparison) -> Section:
    inner = [edge for edge in comparison.edges if edge.kind == STEP]
    edges = [_drawn(edge) for edge in sorted(comparison.edges, key=lambda edge: (-edge.before, -edge.after))]
    changes = comparison.edge_change
    return Section(
        name="graph",
        heading="Which activity follows which",
        sentence=f"Both graphs use the same layout. Of {changes.before:,} steps from activity to activity "
        f"{changes.lost:,} are lost, and {changes.added:,} are new. Orange: percent or mean time differs by more than "
        "half.",
        graph={
            "edges": edges[:_MOST_EDGES],
            "all_edges": len(edges),
            "activities": len({name for edge in comparison.edges for name in (edge.source, edge.target) if name}),
            "before": sum(edge["before"] for edge in edges),
            "after": sum(edge["after"] for edge in edges),
            "ends": {_START_NODE: "start of case", _END_NODE: "end of case"},
        },
        graph_share=_readable_share(edges),
        columns=("step", "before", "after", "mean time before", "after", "durations moved by"),
        rows=tuple(
            (
                f"{edge.source} → {edge.target}",
                f"{edge.before:,}",
                f"{edge.after:,}",
                hours_text(edge.hours_before),
                hours_text(edge.hours_after),
                hours_text(edge.distance_hours),
            )
            for edge in inner[:100]
        ),
    )


def _people_found(comparison: Comparison) -> Iterator[Section]:
    """How many people would be found in a release, if that was tried."""
    rows = comparison.people_found
    if not rows:
        return
    shown = rows[::-1]
    yield Section(
        name="people-found",
        heading="Would people still be found?",
        sentence=f"{comparison.risk_after} How it was tried: a release was made of one half of the people, in the same "
        "way. Someone who knows what is written beside the bars, which fits only one person of the log, looks for it "
        "in that release: for people who are in it, and for the other half, who are not. What fits for people who are "
        "not in it fits by chance.",
        figure=bars(
            {
                "singled out in the log itself": [row.in_log for row in shown],
                "found in a release that they are in": [row.in_release for row in shown],
                "found in one that they are not in (chance)": [row.in_control for row in shown],
            },
            [row.known for row in shown],
        ),
        columns=("known", "singled out in the log", "found, being in the release", "found, not being in it",
                 "difference, 95% bounds"),
        rows=tuple(
            (
                row.known,
                *(f"{share:.1%}" for share in (row.in_log, row.in_release, row.in_control)),
                f"{100 * row.low:+.1f} to {100 * row.high:+.1f} points",
            )
            for row in rows
        ),
    )  # fmt: skip


def _drawn(edge: EdgeChange) -> dict[str, Any]:
    """An edge as the page draws it; nodes that are no activities have names that no activity has."""
    return {
        "source": _START_NODE if edge.kind == START else edge.source,
        "target": _END_NODE if edge.kind == END else edge.target,
        "before": edge.before,
        "after": edge.after,
        "hours_before": edge.hours_before,
        "hours_after": edge.hours_after,
    }


def _readable_share(edges: Sequence[dict[str, Any]], most: int = 22) -> int:
    """How many percent of all steps the edges hold that can be drawn readably at once."""
    total = sum(edge["before"] for edge in edges)
    shown = sum(edge["before"] for edge in edges[:most])
    return max(20, min(100, int(100 * shown / max(1, total))))


def _variants(comparison: Comparison) -> Section:
    top = comparison.variants[:15]
    rows = top[::-1]
    names = [f"{number}. {ends_text(row.path)}" for number, row in enumerate(top, start=1)][::-1]
    figure = bars(
        {"before": [row.share_before for row in rows], "after": [row.share_after for row in rows]},
        names,
    )
    for trace in figure["data"]:
        trace["text"] = ["<br>".join(map(label_text, row.path[:12])) for row in rows]
        trace["hovertemplate"] = "%{x:.1%}<br>%{text}<extra>%{fullData.name}</extra>"
        trace["textposition"] = "none"
    change = comparison.variant_change
    return Section(
        name="top-variants",
        heading="The most frequent variants",
        sentence=f"Share of all cases. {percent(change.frequency_distance)} of the cases would have to change their "
        "path to match the original's shares.",
        figure=figure,
        columns=("path", "before", "after", "share before", "share after"),
        rows=tuple(
            (
                path_text(row.path),
                f"{row.before:,}",
                f"{row.after:,}",
                f"{row.share_before:.1%}",
                f"{row.share_after:.1%}",
            )
            for row in comparison.variants[:50]
        ),
    )


def _durations(comparison: Comparison) -> Section:
    rows = comparison.durations[:MOST_BARS][::-1]
    names = [label_text(row.activity) for row in rows]

    def quartiles(side: str) -> list[tuple[float, ...]]:
        parts = ([max(getattr(row, f"{what}_{side}"), LEAST) for row in rows] for what in ("lower", "median", "upper"))
        return list(zip(*parts, strict=True))

    return Section(
        name="durations",
        heading="How long the step to each activity takes",
        sentence="Median and middle half of the times since the previous event (logarithmic; less than 1 second "
        "is shown as 1 second). Where the marks coincide, times can be used.",
        figure=spreads_of({side: quartiles(side) for side in ("before", "after")}, names, HOURS),
        columns=("activity", "events before", "after", "median before", "after", "mean before", "after"),
        rows=tuple(
            (
                row.activity,
                f"{row.events_before:,}",
                f"{row.events_after:,}",
                *map(hours_text, (row.median_before, row.median_after, row.mean_before, row.mean_after)),
            )
            for row in comparison.durations
        ),
    )


def _case_durations(comparison: Comparison) -> Section:
    rows = comparison.case_durations
    distance = comparison.case_duration_distance
    return Section(
        name="case-durations",
        heading="How long cases take",
        sentence=f"The percentage of cases (vertical) that take at most this long (horizontal). The distributions lie "
        f"{distance.hours:,.1f} h apart. {_off(comparison, CASE_DURATION_DISTANCE)}",
        figure=lines_of(
            {
                "before": ([max(row.hours_before, LEAST) for row in rows], [row.percent for row in rows]),
                "after": ([max(row.hours_after, LEAST) for row in rows], [row.percent for row in rows]),
            },
            {"xaxis": HOURS, "yaxis": {"title": "% of cases"}},
        ),
        columns=("percent of cases", "before, at most", "after, at most"),
        rows=tuple((f"{row.percent} %", hours_text(row.hours_before), hours_text(row.hours_after)) for row in rows),
    )


def _over_time(
    rows: Sequence[Any], name: str, heading: str, sentence: str, cases: tuple[int, int] | None = None
) -> Section:
    whole = {"before": cases[0], "after": cases[1]} if cases else {"before": 1, "after": 1}
    times = [row.time[:19] for row in rows]
    lines = {
        side: (times, [getattr(row, side) / max(1, total) for row in rows]) for side, total in whole.items()
    }  # fmt: skip
    axis = {"title": "share of cases", "tickformat": ".1%"} if cases else {"title": "cases"}
    return Section(name, heading, sentence, lines_of(lines, {"yaxis": {**axis, "rangemode": "tozero"}}, marks=False))


def _all_measures(comparison: Comparison) -> Section:
    sizes = (
        ("cases before, after", f"{comparison.cases_before:,}, {comparison.cases_after:,}"),
        ("events before, after", f"{comparison.events_before:,}, {comparison.events_after:,}"),
    )
    meanings = comparison.meanings
    return Section(
        name="measures",
        heading="All measures",
        sentence="Each measure compares the release with the original.",
        columns=("measure", "value"),
        rows=(
            *sizes,
            *((f"{title}: {meanings[title]}", text) for title, text in rows_of(comparison.measures)),
            *comparison.notes,
        ),
    )


def _yardsticks(comparison: Comparison) -> Section:
    return Section(
        name="yardsticks",
        heading="How far off, beside two halves of your log",
        sentence="Two random halves of your log are as far apart as chance allows. At most 2% off, or 3 times what the "
        "halves differ: close to the original. More than 50%, or more than 10% and 10 times: not to be relied on.",
        columns=("what", "off by", "two halves", "times", "in words"),
        rows=tuple(
            (each.aspect, f"{distance}, {share}" if distance != share else share, *others)
            for each in comparison.yardsticks
            for distance, share, *others in [each.cells()]
        ),
    )
