"""What each report shows: the answer on the first screen, then one plot after the other, each with its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..comparison import END, START, STEP, Comparison, EdgeChange
from ..risk import DATED, FEW, Risk
from ..sweeping import Sweep, Tradeoff
from ..tabular import Tabular
from ..wording import percent
from .writing import Advice, Card, Figure, Page, Section

_MOST_BARS = 25
_MOST_EDGES = 1000
_START_NODE, _END_NODE = "\0start", "\0end"
_HOURS = {"type": "log", "title": "hours"}


def page_of(found: Tabular) -> Page:
    """The report of a result."""
    if isinstance(found, Risk):
        return risk_page(found)
    return sweep_page(found) if isinstance(found, Sweep) else comparison_page(cast("Comparison", found))


# ------------------------------------------------------------------------------------------------- risk


def risk_page(risk: Risk) -> Page:
    """Answer how exposed people are in this log."""
    sections = [
        _uniqueness(risk),
        _activities_that_tell(risk),
        _priors(risk),
        _rare_variants(risk),
        _outliers(risk),
    ]
    if risk.by_person:
        sections.insert(1, _persons(risk))
    return Page(
        title="Can people in this log be singled out?",
        verdict=risk.verdict,
        cards=(
            Card(
                f"{percent(risk.unique_path_share)}", f"of cases took a path nobody else took ({risk.unique_paths:,})"
            ),
            *(
                Card(f"{percent(each.unique_share)}", f"of cases are singled out by {each.known}")
                for each in risk.uniqueness
                if each.known in ("the day it began", DATED[1], "the whole path and all times")
            ),
        ),
        advice=(
            Advice(
                f"Do not publish this log as it is. A release made as below raises someone's chance of a right guess "
                "about which path a person took, or about their times, by at most "
                f"{100 * (risk.delta_needed or risk.delta):g} percentage points on average (delta); smaller is safer. "
                f"What stays visible: all paths, also the {risk.unique_paths:,} that one person took.",
                f"unsingle anonymize LOG -o release.xes.gz --method blend --delta {risk.delta_needed or risk.delta:g} "
                "--report comparison.html",
            ),
        ),
        sections=tuple(section for section in sections if section.figure or section.rows),
    )


def _uniqueness(risk: Risk) -> Section:
    rows = risk.uniqueness[::-1]
    names = [each.known for each in rows]
    return Section(
        name="uniqueness",
        heading="What someone would have to know",
        sentence="If someone knows this of a person, in which share of cases does it lead to them? First part: 1 case fits. "
        f"Whole bar: fewer than {FEW} cases fit. One case is counted as one person; what is picked at random was tried "
        "on a sample of cases.",
        figure=_bars(
            {
                "1 case fits": [each.unique_share for each in rows],
                f"2 to {FEW - 1} cases fit": [each.few_share - each.unique_share for each in rows],
            },
            names,
            stacked=True,
        ),
        columns=("known", "the only one", f"fewer than {FEW}"),
        rows=tuple((e.known, f"{e.unique_share:.1%}", f"{e.few_share:.1%}") for e in risk.uniqueness),
    )


def _persons(risk: Risk) -> Section:
    most = risk.by_person[-1].cases
    needed = f"{risk.delta_needed:g}"
    return Section(
        name="persons",
        heading="People with several cases",
        sentence=f"A promise of delta {risk.delta:g} is for one case. Someone has {most:,} cases here; to promise "
        f"{risk.delta:g} to everybody with the method blend, ask for delta {needed}, or keep only some cases of each.",
        columns=("cases of a person", "persons", "delta for the path", "delta for the times"),
        rows=tuple(
            (f"{p.cases:,}", f"{p.persons:,}", f"{p.delta_path:.2f}", f"{p.delta_times:.2f}") for p in risk.by_person
        ),
    )


def _activities_that_tell(risk: Risk) -> Section:
    rows = risk.by_activity[:_MOST_BARS][::-1]
    return Section(
        name="activities",
        heading="Activities that tell most",
        sentence=f"The activities that the fewest cases have, of {risk.activities}: whoever knows that a person "
        f"had one of "
        "them is left with so few cases (logarithmic).",
        figure=_bars(
            {"cases": [row.cases for row in rows]}, [_label(row.activity) for row in rows], percent=False, log=True
        ),
        columns=("activity", "cases", "events", "of these cases alone on their path", "times guessed, median",
                 "times guessed for sure"),
        rows=tuple(
            (
                row.activity,
                f"{row.cases:,}",
                f"{row.events:,}",
                f"{percent(row.unique_path_share)}",
                percent(row.median_prior),
                percent(row.certain_share),
            )
            for row in risk.by_activity
        ),
    )  # fmt: skip


def _priors(risk: Risk) -> Section:
    known = [row for row in risk.by_activity if row.median_prior == row.median_prior]
    rows = sorted(known, key=lambda row: -row.events)[:_MOST_BARS][::-1]
    return Section(
        name="priors",
        heading="Times that can be guessed before any release",
        sentence=f"Someone who knows how long each step usually takes guesses a time to within "
        f"{risk.precision}. Such a guess "
        f"is sure for {percent(risk.certain_time_share)} of all times: those that are alone, or all alike, in "
        f"their group.",
        figure=_bars(
            {
                "median chance of a right guess": [row.median_prior for row in rows],
                "share of times that are guessed for sure": [row.certain_share for row in rows],
            },
            [_label(row.activity) for row in rows],
        )
        if rows
        else None,
    )


def _rare_variants(risk: Risk) -> Section:
    return Section(
        name="variants",
        heading="The shortest of the rare paths",
        sentence="A short path that few took is easy to know and easy to find.",
        columns=("path", "cases"),
        rows=tuple((_path(row.path), f"{row.cases:,}") for row in risk.rare_variants),
    )


def _outliers(risk: Risk) -> Section:
    return Section(
        name="outliers",
        heading="Steps that stand out by their length",
        sentence="Each of these steps took far longer than the next longest of its kind: its length alone tells "
        "whose it was.",
        columns=("step", "took", "the next longest", "usually"),
        rows=tuple(
            (
                f"{row.after} → {row.activity}",
                _hours(row.hours),
                _hours(row.next_longest_hours),
                _hours(row.usual_hours),
            )
            for row in risk.outliers
        ),
    )


# ------------------------------------------------------------------------------------------- comparison


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
                f"average error in the time between events ({_hours(comparison.time_distance.hours)} of "
                f"{_hours(comparison.mean_step_hours)})",
            ),
            Card(f"{comparison.ratio:.2f} ×", f"the cases: {comparison.cases_after:,} for {comparison.cases_before:,}"),
            Card(percent(comparison.replay_share), "of released cases use only steps that the original has"),
        ),
        advice=_uses(comparison),
        sections=(
            _graph(comparison),
            _variants(comparison),
            _durations(comparison),
            _case_durations(comparison),
            _over_time(comparison.arrivals, "arrivals", "When cases begin",
                       "Cases that begin in each period, as a share of all: where the lines part, dates cannot "
                       "be relied on.",
                       (comparison.cases_before, comparison.cases_after)),
            _over_time(comparison.active, "active", "Cases under way",
                       "Cases that had begun and not ended. A release with more cases lies higher; compare the shape."),
            _all_measures(comparison),
        ),
    )  # fmt: skip


def _uses(comparison: Comparison) -> tuple[Advice, ...]:
    """What the release can be used for, and what not, in words of somebody who wants to use it."""
    paths, times = comparison.variant_change, comparison.time_distance.share_of_mean
    good: list[str] = []
    bad = ["anything about a single case: nobody can tell which cases are a person's and which are made up"]
    (good if abs(comparison.ratio - 1) <= 0.05 else bad).append("how many cases there are in all")
    (good if not paths.lost and not paths.added else bad).append("which paths there are")
    (good if comparison.edge_change.frequency_distance <= 0.1 else bad).append("which step follows which, in percent")
    (good if paths.frequency_distance <= 0.1 else bad).append("how frequent each path is")
    (good if times <= 0.1 else bad).append("how long steps take")
    (good if comparison.case_duration_distance.share_of_mean <= 0.2 else bad).append("how long cases take")
    use = f"Use it for: {'; '.join(good)}." if good else "There is nothing here that it can be relied on for."
    return (Advice(use), Advice(f"Do not use it for: {'; '.join(bad)}."), _protection(comparison))


def _protection(comparison: Comparison) -> Advice:
    """How people are protected, as far as the comparison can tell."""
    if comparison.guarantee:
        return Advice(f"How people are protected: {comparison.guarantee} Whether that is enough is your decision.")
    return Advice(
        "How well people are protected is not compared here: see the guarantee printed when the release was made. "
        f"{comparison.one_person_paths:,} paths that one person took are in the release."
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
                _hours(edge.hours_before),
                _hours(edge.hours_after),
                _hours(edge.distance_hours),
            )
            for edge in inner[:100]
        ),
    )


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
    rows = comparison.variants[:15][::-1]
    names = [f"{len(comparison.variants[:15]) - i}" for i in range(len(rows))]
    figure = _bars(
        {"before": [row.share_before for row in rows], "after": [row.share_after for row in rows]},
        names,
    )
    figure["layout"]["yaxis"]["title"] = "variant, by frequency"
    for trace in figure["data"]:
        trace["text"] = ["<br>".join(map(_label, row.path[:12])) for row in rows]
        trace["hovertemplate"] = "%{x:.1%}<br>%{text}<extra>%{fullData.name}</extra>"
        trace["textposition"] = "none"
    change = comparison.variant_change
    return Section(
        name="top-variants",
        heading="The most frequent variants",
        sentence="Share of all cases. Where cases are added to rare variants as often as to frequent ones, frequent "
        f"ones lose share; {percent(change.frequency_distance)} of the cases would have to change their path to match "
        "the original's shares.",
        figure=figure,
        columns=("path", "before", "after", "share before", "share after"),
        rows=tuple(
            (_path(row.path), f"{row.before:,}", f"{row.after:,}", f"{row.share_before:.1%}", f"{row.share_after:.1%}")
            for row in comparison.variants[:50]
        ),
    )


def _durations(comparison: Comparison) -> Section:
    rows = comparison.durations[:_MOST_BARS][::-1]
    names = [_label(row.activity) for row in rows]

    def trace(side: str, symbol: str) -> dict[str, Any]:
        lower, middle, upper = (
            [getattr(row, f"{what}_{side}") for row in rows] for what in ("lower", "median", "upper")
        )
        return {
            "type": "scatter", "mode": "markers", "name": side, "y": names, "x": [max(m, 0.001) for m in middle],
            "marker": {"symbol": symbol, "size": 10},
            "error_x": {"type": "data", "symmetric": False, "thickness": 1.2, "width": 3,
                        "array": [max(u - m, 0) for u, m in zip(upper, middle, strict=True)],
                        "arrayminus": [max(m - max(lo, 0.001), 0) for lo, m in zip(lower, middle, strict=True)]},
        }  # fmt: skip

    return Section(
        name="durations",
        heading="How long the step to each activity takes",
        sentence="Median and middle half of the times since the previous event, in hours (logarithmic; less "
        "than 4 seconds "
        "is shown as 0.001). Where the marks lie on each other, times can be used.",
        figure={
            "data": [trace("before", "circle-open"), trace("after", "diamond")],
            "layout": {"height": 120 + 26 * len(rows), "xaxis": _HOURS, "yaxis": {"type": "category"}},
        },
        columns=("activity", "events before", "after", "median before", "after", "mean before", "after"),
        rows=tuple(
            (
                row.activity,
                f"{row.events_before:,}",
                f"{row.events_after:,}",
                *map(_hours, (row.median_before, row.median_after, row.mean_before, row.mean_after)),
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
        sentence=f"So many percent of the cases take at most so long. The distributions lie "
        f"{distance.hours:,.1f} h apart, "
        f"{percent(distance.share_of_mean)} of the mean.",
        figure=_lines(
            {
                "before": ([max(row.hours_before, 0.001) for row in rows], [row.percent for row in rows]),
                "after": ([max(row.hours_after, 0.001) for row in rows], [row.percent for row in rows]),
            },
            {"xaxis": _HOURS, "yaxis": {"title": "% of cases"}},
        ),
        columns=("percent of cases", "before, at most", "after, at most"),
        rows=tuple((f"{row.percent} %", _hours(row.hours_before), _hours(row.hours_after)) for row in rows),
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
    return Section(name, heading, sentence, _lines(lines, {"yaxis": {**axis, "rangemode": "tozero"}}, marks=False))


def _all_measures(comparison: Comparison) -> Section:
    variants, edges = comparison.variant_change, comparison.edge_change
    return Section(
        name="measures",
        heading="All measures",
        sentence="What is compared, and how far apart the two logs are; 0 would be the same.",
        columns=("measure", "value"),
        rows=(
            ("cases before, after", f"{comparison.cases_before:,}, {comparison.cases_after:,}"),
            ("events before, after", f"{comparison.events_before:,}, {comparison.events_after:,}"),
            ("time distance", f"{_hours(comparison.time_distance.hours)} "
                              f"({percent(comparison.time_distance.share_of_mean)} of the mean)"),
            ("case duration distance", f"{_hours(comparison.case_duration_distance.hours)} "
                                       f"({percent(comparison.case_duration_distance.share_of_mean)} of the mean)"),
            ("start distance", _hours(comparison.start_distance_hours)),
            ("variants before, lost, new", f"{variants.before:,}, {variants.lost:,}, {variants.added:,}"),
            ("variants, Jaccard", f"{variants.jaccard:.3f}"),
            ("variants, frequency distance", f"{variants.frequency_distance:.3f}"),
            ("edges before, lost, new", f"{edges.before:,}, {edges.lost:,}, {edges.added:,}"),
            ("edges, frequency distance", f"{edges.frequency_distance:.3f}"),
            ("released cases that replay", f"{comparison.replay_share:.1%}"),
        ),
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------- sweep


def sweep_page(result: Sweep) -> Page:
    """Answer what delta buys."""
    plots = (
        ("time_distance_share", "How far times are off", "Average error in the time between events, as a share of the "
         "mean (logarithmic): below 10% times are close to the truth, above 100% they are not to be relied on.",
         {"title": "error in times", "type": "log", "tickformat": ".0%"}),
        ("ratio", "How many cases there are", "Released cases for each original case (logarithmic): the price of a "
         "small delta is made-up cases.", {"title": "released / original cases", "type": "log"}),
        ("smape", "How far single times move", "SMAPE of each released time from the one it descends from.",
         {"title": "SMAPE", "tickformat": ".0%", "rangemode": "tozero"}),
        ("megabytes", "How large the file gets", "Size of the release as .xes.gz.",
         {"title": "MB", "rangemode": "tozero"}),
    )  # fmt: skip
    sections = [
        Section(name, heading, sentence, _by_delta(result, name, axis)) for name, heading, sentence, axis in plots
    ]
    sections.append(
        Section(
            "numbers",
            "All numbers",
            f"Means of {result.runs} {'run' if result.runs == 1 else 'runs'}.",
            columns=(
                "method, delta",
                "ratio",
                "time distance",
                "of the mean",
                "case durations",
                "SMAPE",
                "variants lost",
                "MB",
            ),
            rows=tuple(_sweep_row(point) for point in result.points),
        )
    )
    best = _nearest_to(result, 0.2)
    cards = tuple(
        Card(
            f"{percent(point.time_distance_share)}, {point.ratio:.2f} ×",
            f"{point.method} at delta {point.delta:g}: error in times, and cases for each original one",
        )
        for point in best
    )
    return Page(
        title="Which delta should I choose?",
        verdict=_sweep_verdict(best),
        cards=cards,
        sections=tuple(sections),
    )


def _nearest_to(result: Sweep, delta: float) -> list[Tradeoff]:
    """The point of each method that is nearest to the usual delta, the truest first."""
    nearest: dict[str, Tradeoff] = {}
    for point in result.points:
        if point.ratio == point.ratio and (
            point.method not in nearest or abs(point.delta - delta) < abs(nearest[point.method].delta - delta)
        ):
            nearest[point.method] = point
    return sorted(nearest.values(), key=lambda point: point.time_distance_share)


def _sweep_verdict(best: Sequence[Tradeoff]) -> str:
    meaning = (
        "Delta is the most that a release may add to someone's chance of a right guess about one person: at 0.2 from "
        "50 to at most 70 of 100. Smaller is safer, but costs made-up cases and, with some methods, true times. "
    )
    if not best:
        return meaning + "No method left anything of this log."
    first = best[0]
    return (
        f"{meaning}Here {first.method} stays nearest to the truth: choose the smallest delta whose extra cases you can "
        "accept. (The methods do not promise the same; docs/guarantees.md says what each does.)"
    )


def _by_delta(result: Sweep, name: str, axis: dict[str, Any]) -> Figure:
    lines: dict[str, tuple[list[Any], list[Any]]] = {}
    for point in result.points:
        deltas, values = lines.setdefault(point.method, ([], []))
        deltas.append(point.delta)
        values.append(getattr(point, name))
    return _lines(lines, {"xaxis": {"title": "delta"}, "yaxis": axis})


def _sweep_row(point: Tradeoff) -> tuple[str, ...]:
    label = f"{point.method}, {point.delta:g}"
    if point.ratio != point.ratio:
        return (label, *["nothing is left"] * 7)
    return (
        label,
        f"{point.ratio:.2f}",
        _hours(point.time_distance_hours),
        percent(point.time_distance_share),
        _hours(point.case_duration_distance_hours),
        f"{percent(point.smape)}",
        f"{point.variants_lost:,.0f}",
        f"{point.megabytes:,.2f}",
    )


# ----------------------------------------------------------------------------------------------- pieces


def _bars(
    series: dict[str, list[Any]],
    names: list[str],
    *,
    stacked: bool = False,
    percent: bool = True,
    log: bool = False,
) -> Figure:
    """Lying bars, one row for each name from below."""
    per_row = 24 if stacked or len(series) == 1 else 34
    axis: dict[str, Any] = {"tickformat": "~%", "rangemode": "tozero"} if percent else {"title": "cases"}
    if log:
        axis["type"] = "log"
    shown = "%{x:.1%}" if percent else "%{x:,}"
    return {
        "data": [
            {"type": "bar", "orientation": "h", "name": name, "x": values, "y": names,
             "colour": list(series).index(name),
             "hovertemplate": f"%{{y}}: {shown}<extra>%{{fullData.name}}</extra>"}
            # plotly puts the first below
            for name, values in (series.items() if stacked else reversed(series.items()))
        ],
        "layout": {
            "barmode": "stack" if stacked else "group",
            "height": 110 + per_row * len(names),
            "xaxis": axis,
            "yaxis": {"type": "category", "ticks": ""},
            "showlegend": len(series) > 1,
            "bargap": 0.25,
            "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0,
                       "traceorder": "normal" if stacked else "reversed"},
        },
    }  # fmt: skip


def _lines(lines: dict[str, tuple[list[Any], list[Any]]], layout: Figure, *, marks: bool = True) -> Figure:
    return {
        "data": [
            {"type": "scatter", "mode": "lines+markers" if marks else "lines", "name": name, "x": x, "y": y}
            for name, (x, y) in lines.items()
        ],
        "layout": {"height": 340, "hovermode": "x unified", **layout},
    }


def _hours(hours: float) -> str:
    """A duration in the unit that suits it."""
    if hours != hours:
        return "–"
    for unit, size in (("d", 24.0), ("h", 1.0), ("min", 1 / 60)):
        if hours >= 2 * size or (unit == "h" and hours >= 1):
            return f"{hours / size:,.1f} {unit}"
    return f"{hours * 3600:,.0f} s"


def _label(text: str) -> str:
    """A label as plotly takes it: short, and nothing in it read as markup."""
    short = text if len(text) <= 40 else f"{text[:39]}…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _path(path: Sequence[str]) -> str:
    shown = path if len(path) <= 12 else (*path[:6], f"… {len(path) - 12} more …", *path[-6:])
    return " → ".join(shown)
