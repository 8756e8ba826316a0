"""Method `strict` (ours): differential privacy for whole cases, end to end. Nothing is copied from a case.

A little is spent on how many cases there are, and on how many of them share their path with a crowd. If a fair part
does, half of the budget goes to naming the paths of crowds (selection); the cases that are left over get paths from a
model of steps (walks). Else all paths come from the model. Durations and starts are drawn from noised tallies.

Every number that is used below was noised before, and each mechanism writes its cost into the one budget.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, timedelta

import numpy as np

from ..accounting import Budget
from ..clock import DAY, grid_of, zone_offsets
from ..errors import LogError
from ..guarantee import Guarantee, Promise
from ..log import EventLog, pairs
from ..options import Options, Public
from ..progress import Progress
from ..ragged import Ints, dense, offsets_of, row_of, take_rows
from ..randomness import Randomness
from . import selection
from .drawn_times import drawn_times
from .outcome import Outcome
from .spending import CASES, CROWDED, ENDS, PLANS, STEPS, Spending
from .tallies import Flags, Noisy, tally
from .timeline import case_values
from .walks import LENGTHS, Paths, ends_of, length_bin, model_of, walk

_CROWDED = 0.25  # of the cases must share their path with a crowd, or selection is not worth its half
_FEW_LEFT = 0.02  # of the cases are not worth a model
_EPOCH = date(1970, 1, 1)


def anonymize(log: EventLog, options: Options, random: Randomness, progress: Progress) -> Outcome:
    """The released log, of which no case descends from a case of the original, and what it cost."""
    grid = grid_of(log, options.grid)
    log = _within(log, options)
    spending = Spending(options)
    progress.step("paths")
    total = spending.count(CASES, log.n_cases, random)
    paths = _paths(log, total, options, spending, random)
    progress.step("times")
    time = drawn_times(log, paths, total, grid, public_of(log, options), spending, random)
    # the set of labels is public, but not the order in which they came
    labels, rank = np.unique(np.array(log.labels, dtype=object), return_inverse=True)
    activity = rank.astype(np.int32)[paths.activity]
    released = EventLog(tuple(labels.tolist()), activity, time, paths.offsets, log.zone)
    return Outcome(released.copies_of(random.permutation(released.n_cases)), budget=spending.budget)


def _paths(log: EventLog, total: int, options: Options, spending: Spending, random: Randomness) -> Paths:
    variants = log.variants
    crowd = selection.threshold(*spending.selection)
    # one case more raises one of the differences by at most one
    crowded = spending.count(CROWDED, int(np.maximum(0, variants.cases - crowd).sum()), random)
    published = np.zeros(variants.count, dtype=np.int64)
    selects = crowded >= _CROWDED * total
    if selects:
        published = selection.select(variants.cases, *spending.selecting(), random)
    named = np.repeat(np.arange(variants.count), published)
    flat, offsets = take_rows(variants.offsets, named)
    activity, lengths = variants.path[flat].astype(np.int64), np.diff(offsets)
    left = total - len(named)
    if selects and left < _FEW_LEFT * total:
        spending.follow("crowds")
    else:
        spending.follow("crowds and walks" if selects else "walks")
        walked = _walked(log, published[variants.of_case] == 0, max(0, left), spending, random)
        activity, lengths = (np.concatenate(each) for each in zip((activity, lengths), walked, strict=True))
    if not len(lengths):
        raise LogError(_too_small(options))
    return Paths(activity, offsets_of(lengths))


def _walked(log: EventLog, unnamed: Flags, n: int, spending: Spending, random: Randomness) -> tuple[Ints, Ints]:
    """So many paths from a model of the cases whose path was not published (which is known by now)."""
    labels, offsets = len(log.labels), log.case_offsets
    activity, case = log.activity.astype(np.int64), row_of(offsets)
    step = ~log.is_first & unnamed[case]
    steps = spending.tally(STEPS, tally(pairs(activity, labels)[step], case[step], labels**2), random)
    who = np.flatnonzero(unnamed)
    cells = (activity[offsets[:-1]], labels + activity[offsets[1:] - 1], 2 * labels + length_bin(np.diff(offsets)))
    n_cells = 2 * labels + len(LENGTHS) - 1
    of_ends = tally(np.concatenate([cell[who] for cell in cells]), np.tile(who, 3), n_cells)
    ends = ends_of(_times_root_3(spending.tally(ENDS, of_ends, random)), labels)
    if not (n and ends.found):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return walk(model_of(steps, ends), ends, n, random)


def _times_root_3(ends: Noisy) -> Noisy:
    """In cases again: every case has three ends, so each weighs one by the square root of three."""
    return Noisy(ends.values * math.sqrt(3), ends.deviation * math.sqrt(3))


def _too_small(options: Options) -> str:
    """What would be needed, from the parameters alone: a message may tell no more than a release."""
    *_, walking = budgets(options)
    steps = next(cost.rho for cost in walking.costs if cost.name == STEPS)
    crowd, visible = selection.threshold(*Spending(options).selection), round(3 * math.sqrt(10 / (2 * steps)), -1)
    labels = " (are the public labels those of the log?)" if options.public.labels is not None else ""
    return (
        f"the log is too small for strict at this delta{labels}: it takes paths that more than about {crowd} cases "
        f"took, or steps that about {visible:.0f} cases of ten events have; take a larger log or blend, or a larger "
        "delta, but what each try tells adds up"
    )


def _within(log: EventLog, options: Options) -> EventLog:
    """The log without events whose labels are not public ones; cases of which nothing is left go."""
    if options.public.labels is None:
        return log
    number = {label: i for i, label in enumerate(options.public.labels)}
    place = np.array([number.get(label, -1) for label in log.labels], dtype=np.int64)[log.activity]
    known = place >= 0
    if not known.any():
        raise LogError(_too_small(options))  # not that nobody is left: that would tell
    case = dense(row_of(log.case_offsets)[known])
    return EventLog.from_events(case, place[known], log.time[known], list(options.public.labels), zone=log.zone)


def public_of(log: EventLog, options: Options) -> Public:
    """What is public, with what is taken from the log filled in."""
    given, grid = options.public, grid_of(log, options.grid)
    starts = np.array([log.case_starts.min(), log.case_starts.max()])
    first, last = (_EPOCH + timedelta(days=day) for day in _days(starts, grid.zone).tolist())
    steps = case_values(grid.ticks(log.time), log.case_offsets, "previous")
    longest = int(grid.power_of_two_minutes(steps.max(keepdims=True))[0]) * grid.step
    return Public(
        given.labels or log.labels,
        given.first_day or first.isoformat(),
        given.last_day or last.isoformat(),
        given.longest or f"{longest}ms",
    )


def _days(time: Ints, zone: str) -> Ints:
    """Days since 1970 on the zone's clock."""
    return (time + zone_offsets(zone, time)) // DAY


def outside(log: EventLog, options: Options) -> dict[str, int]:
    """How much of the log does not fit what was said to be public, and is left out or moved (private)."""
    public = options.public
    found = {}
    if public.labels is not None:
        known = np.isin(np.array(log.labels, dtype=object), np.array(public.labels, dtype=object))
        found["events of other labels"] = int((~known)[log.activity].sum())
    day = _days(log.case_starts, grid_of(log, options.grid).zone)
    for name, limit, sign in (("before the first day", public.first, -1), ("after the last day", public.last, 1)):
        if limit is not None:
            found[f"cases {name}"] = int((sign * day > sign * (limit - _EPOCH).days).sum())
    if public.longest_ms is not None:
        found["longer steps"] = int((log.durations > public.longest_ms).sum())
    return {name: count for name, count in found.items() if count}


def budgets(options: Options) -> Iterator[Budget]:
    """What each way to make a release would spend."""
    for plan, tallies in PLANS.items():
        spending = Spending(options)
        spending.counting(CASES)
        spending.counting(CROWDED)
        if plan != "walks":
            spending.selecting()
        spending.follow(plan)
        for name in tallies:
            spending.rho(name)
        yield spending.budget


def guarantee(options: Options) -> Guarantee:
    """What a release by this method promises."""
    possible = list(budgets(options))
    epsilon = max(budget.spent for budget in possible)
    taken = options.taken_from_log
    return Guarantee(
        promises=(
            Promise(
                protects="whether a person is in the log, with whatever case, or not at all",
                against="someone who knows every other case with all its times",
                gain=max(budget.delta for budget in possible),
                sense=f"whatever comes out, up to a slack of {options.slack:g}",
            ),
            Promise(
                protects="which of two possible cases a person had, path, times and start together",
                against="the same attacker, sure that the person is in the log,",
                gain=max(budget.swapped_gain for budget in possible),
                sense="averaged over the noise; whatever comes out, up to a slack, at most "
                f"{math.tanh(epsilon / 2):.2g}",
            ),
        ),
        limits=f"Differentially private for whole cases: epsilon {epsilon:.3g}, slack {options.slack:g}. Not covered: "
        "people with several cases, several releases of one log"
        f"{', what is taken from the log as public' if taken else ''}"
        f"{'; at this delta a guess may become certain' if options.delta >= 0.5 else ''}.",
        assumes=(
            "one case per person",
            "activity labels are public and published as they are: no name of a person is in them",
            *(f"{each}, taken from the log, would be known without it" for each in taken),
            "the grid of times and the zone of the log's clock are public",
        ),
        not_protected=(
            "what is true of everybody: a release tells how things usually go, also for those in it",
            "people with several cases: epsilon is for one case, and grows with their number",
            "several releases of one log: their epsilons and slacks add up, also those of tries that gave nothing",
        ),
    )
