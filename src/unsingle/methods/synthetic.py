"""The pipeline that `twin` and `strict` share: measure, noise, estimate, synthesise. No case descends from a person.

They differ in their terms: whether the set of variants is public, and what the budget means.
"""

from __future__ import annotations

from bisect import bisect

import numpy as np

from ..clock import GRIDS, Grid
from ..errors import LogError
from ..log import EventLog
from ..mechanisms import clocks, durations, labels, paths, starts
from ..mechanisms.cases import Cases
from ..mechanisms.measurements import Measurements
from ..mechanisms.synthesis import synthesised
from ..memory import refuse_too_many_events
from ..options import Options
from ..privacy.budget import Terms
from ..progress import Progress
from ..randomness import Randomness
from .outcome import Outcome

USUAL_DELTA = 0.25
"""A larger delta is weak, and a release says so."""

ASSUMES = (
    "one case per person",
    "one release of these people: what several releases reveal adds up",
)
NOT_COVERED = "Not covered: people with several cases, several releases of the same people"
NOT_PROTECTED = (
    "what is true of everybody: a release shows how things usually go, also for those in it",
    "people with several cases: the promise is for one case",
    "several releases of the same people, also of tries that gave nothing",
    "every single outcome: the promise is an average over the noise, and an unlucky draw can reveal more",
)

_CROWDED, _LARGE = (0.25, 0.6), 10_000  # of the cases, and cases

_SAME = {clocks.ZONE: 0.01, clocks.GRID: 0.02, starts.STARTS: 0.10}
_MANY = {
    clocks.ZONE: 0.01,
    clocks.GRID: 0.02,
    starts.STARTS: 0.05,
    **{name: 0.11 * part for name, part in labels.ROUNDS.items()},
    paths.STEPS: 0.60,
    paths.ENDS: 0.04,
}
_EVERY_OUTCOME = _MANY | {
    **{name: 0.20 * part for name, part in labels.ROUNDS.items()},
    paths.STEPS: 0.48,
    paths.ENDS: 0.10,
}


def shares(terms: Terms) -> dict[str, float]:
    """Which part of rho each tally has, chosen by what measured best on public logs, never by the log at hand."""
    first = _SAME if terms.publishes_all_paths else _EVERY_OUTCOME if terms.every_outcome else _MANY
    left = 1 - sum(first.values())
    return {**first, **{name: left * share for name, share in durations.SHARES.items()}}


def release(log: EventLog, terms: Terms, options: Options, random: Randomness, progress: Progress) -> Outcome:
    """The released log, and what it cost."""
    noise, random = random.spawn(2)
    return made(Measurements(terms, shares(terms), noise), log, options, random, progress)


def made(
    measurements: Measurements, log: EventLog, options: Options, random: Randomness, progress: Progress
) -> Outcome:
    """The same, with measurements that were made elsewhere or are repeated; `random` is for what is made of them."""
    terms = measurements.budget.terms
    progress.step("paths")
    cases = Cases.of(log)
    total = measurements.number_of_cases(cases.count)
    if terms.publishes_all_paths:
        found = paths.all_variants(cases, total, measurements, random)
    else:
        if terms.ways:
            way = _chosen_way(cases, total, measurements)
            measurements.go_on_by(way, shares(way))
        public = None if options.labels is None else tuple(sorted(options.labels))
        cases, found = paths.taken_by_many(cases, total, public, measurements, random)
    if not found.cases:
        raise LogError(_too_small(terms))
    refuse_too_many_events(log.n_events, len(found.activity))
    progress.step("times")
    zone = clocks.measured_zone(log, total, measurements)
    grid = (
        clocks.measured_grid(cases, zone, total, measurements)
        if options.grid is None
        else Grid(GRIDS[options.grid], zone)
    )
    return Outcome(synthesised(cases, found, grid, measurements, random), budget=measurements.budget)


def _chosen_way(cases: Cases, total: int, measurements: Measurements) -> Terms:
    """The terms by which to go on: counts of paths are worth what they cost if many cases are on paths of many.

    In a large log counts stand out of any noise, and times need the budget more.
    """
    few, some, most = measurements.budget.terms.ways
    crowded = measurements.cases_on_paths_of_many(cases.paths.cases) / max(1, total)
    return (few, some, most if total < _LARGE else some)[bisect(_CROWDED, crowded)]


def labels_assumed(options: Options) -> str:
    """What is assumed of activity labels where the release does not simply take those of the log."""
    if options.labels is not None:
        return "the given activity labels are public and published as they are: no name of a person is in them"
    return "no name of a person is in an activity label that many people have: such labels are published as they are"


def outside(log: EventLog, options: Options) -> dict[str, int]:
    """How many events have labels that were not given as public, and are left out (private)."""
    if options.labels is None:
        return {}
    known = np.isin(np.array(log.labels, dtype=object), np.array(options.labels, dtype=object))
    events = int((~known)[log.activity].sum())
    return {"events of other labels": events} if events else {}


def cautions(options: Options) -> tuple[str, ...]:
    """What whoever publishes should have read."""
    if options.delta <= USUAL_DELTA:
        return ()
    return (f"delta {options.delta:g} is weak: take 0.1 where harm would be great, and not more than 0.25.",)


def _too_small(terms: Terms) -> str:
    """What would be needed, from the parameters alone: a message may tell no more than a release."""
    return (
        f"nothing of the log stands out of the noise at this delta: it takes paths that {terms.threshold} cases or "
        "more took, or steps that many cases have; take a larger log, all of its paths (twin), or a larger delta, but "
        "what each try reveals adds up"
    )
