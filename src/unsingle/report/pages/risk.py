"""Can people in this log be singled out? The answer first, then what gives them away."""

from __future__ import annotations

from ...core.wording import percent
from ...evaluation.making import hides_paths
from ...evaluation.risk.assessment import Risk
from ...evaluation.risk.attributes import BESIDES
from ...evaluation.risk.uniqueness import DATED, DAY_OF_START, FEW, PATH_AND_TIMES
from ..figures import MOST_BARS, bars, hours_text, label_text, path_text
from ..render import Advice, Card, Page, Section
from .base import page_of


@page_of.register
def risk_page(risk: Risk) -> Page:
    """Answer how exposed people are in this log."""
    sections = [
        _uniqueness(risk),
        _revealing_activities(risk),
        _priors(risk),
        _rare_variants(risk),
        _outliers(risk),
    ]
    if risk.attributes:
        sections.insert(1, _attributes(risk))
    if risk.by_person:
        sections.insert(1, _persons(risk))
    return Page(
        title="Can people in this log be singled out?",
        verdict=risk.verdict,
        cards=(
            Card(percent(risk.unique_path_share), f"of cases took a path nobody else took ({risk.unique_paths:,})"),
            *(
                Card(percent(risk.singled_out(known)), f"of cases are singled out by {known}")
                for known in (DATED[1], DAY_OF_START, PATH_AND_TIMES)
            ),
        ),
        advice=_advice(risk),
        sections=tuple(section for section in sections if section.figure or section.rows),
    )


def _advice(risk: Risk) -> tuple[Advice, ...]:
    """What to do instead of publishing the log: the default method, and the other for paths that one person took."""
    command = f"unsingle anonymize LOG -o release.xes.gz --delta {risk.delta_needed or risk.delta:g}"
    release = Advice(
        "Do not publish this log as it is. The release made below keeps all of its paths. It lets someone who knows "
        "every other case be right more often about a yes/no question on a person, but by at most "
        f"{100 * risk.delta:g} percentage points on average (delta {risk.delta:g}); smaller is safer.",
        f"{command} --report comparison.html",
    )
    if not risk.unique_paths:
        return (release,)
    hidden = Advice(
        f"That also publishes the {risk.unique_paths:,} paths that one person alone took: anyone who knows enough of "
        "such a path can read the rest. If they must not be seen, publish only paths taken by many people.",
        f"{command} --method {hides_paths()} --report comparison.html",
    )
    return release, hidden


def _uniqueness(risk: Risk) -> Section:
    rows = risk.uniqueness[::-1]
    names = [each.known for each in rows]
    return Section(
        name="uniqueness",
        heading="What someone would have to know",
        sentence="If an attacker knows this of a person, in which share of cases does it lead to that person? First "
        f"part of a bar: 1 case fits. Whole bar: fewer than {FEW} cases fit. One case is counted as one person; events "
        "and activities picked at random were tried on a sample of cases.",
        figure=bars(
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


def _attributes(risk: Risk) -> Section:
    rows = risk.attributes
    names = list(dict.fromkeys(each.known for each in rows))[::-1]
    shares = {(each.known, each.besides): each.unique_share for each in rows}
    return Section(
        name="attributes",
        heading="What kept columns add to that",
        sentence="The share of cases that is singled out if the value of a kept column is known too, together with "
        "what the colours say. Of a column of events, the value of one event is known, and its activity.",
        figure=bars(
            {f"with {besides}": [shares[name, besides] for name in names] for besides in BESIDES},
            [label_text(name) for name in names],
        ),
        columns=("known", "besides", "the only one", f"fewer than {FEW}", "the only one without the value"),
        rows=tuple(
            (e.known, e.besides, *(f"{each:.1%}" for each in (e.unique_share, e.few_share, e.unique_share_without)))
            for e in rows
        ),
    )


def _persons(risk: Risk) -> Section:
    return Section(
        name="persons",
        heading="People with several cases",
        sentence=risk.persons_verdict,
        columns=("cases of a person", "persons", "a guess about one of them gains at most"),
        rows=tuple((f"{p.cases:,}", f"{p.persons:,}", f"{p.gain:.2f}") for p in risk.by_person),
    )


def _revealing_activities(risk: Risk) -> Section:
    rows = risk.by_activity[:MOST_BARS][::-1]
    return Section(
        name="activities",
        heading="Most revealing activities",
        sentence=f"The activities, of {risk.activities}, that occur in the fewest cases (logarithmic). An attacker who "
        "knows that a person had one of them has only these cases left to search.",
        figure=bars(
            {"cases": [row.cases for row in rows]}, [label_text(row.activity) for row in rows], percent=False, log=True
        ),
        columns=("activity", "cases", "events", "of these, alone on their path", "median chance to guess a time",
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
    rows = sorted(known, key=lambda row: -row.events)[:MOST_BARS][::-1]
    return Section(
        name="priors",
        heading="Times that can be guessed before any release",
        sentence=f"How often an attacker who knows how long each step usually takes guesses a time to within "
        f"{risk.precision}. The guess is certain for {percent(risk.certain_time_share)} of all times: those that are "
        "the only one, or all alike, in their group.",
        figure=bars(
            {
                "median chance of a right guess": [row.median_prior for row in rows],
                "share of times guessed for sure": [row.certain_share for row in rows],
            },
            [label_text(row.activity) for row in rows],
        )
        if rows
        else None,
    )


def _rare_variants(risk: Risk) -> Section:
    return Section(
        name="variants",
        heading="The shortest of the rare paths",
        sentence="A short path that few people took is easy to know and easy to find.",
        columns=("path", "cases"),
        rows=tuple((path_text(row.path), f"{row.cases:,}") for row in risk.rare_variants),
    )


def _outliers(risk: Risk) -> Section:
    return Section(
        name="outliers",
        heading="Steps that stand out by their length",
        sentence="Each of these steps took far longer than the next longest of its kind: its length alone "
        "identifies the person.",
        columns=("step", "took", "the next longest", "usually"),
        rows=tuple(
            (
                f"{row.after} → {row.activity}",
                hours_text(row.hours),
                hours_text(row.next_longest_hours),
                hours_text(row.usual_hours),
            )
            for row in risk.outliers
        ),
    )
