"""What gives people away: revealing activities, rare paths, unusually long steps, and times that can be guessed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import Flags, Floats, Ints, dense, distinct, offsets_of, row_of
from ...core.automaton import build_automaton
from ...core.clock import HOUR
from ...core.log import EventLog, grid_of, pairs
from ...core.precision import Precision
from ...mechanisms.groups import Coded, Population
from ...mechanisms.timeline import Timeline
from .uniqueness import FEW

_FAR = 0.5  # an outlier is at least so much of its own length beyond the next


@dataclass(frozen=True)
class ActivityRisk:
    """An activity: in how many cases it is, how many of those are alone on their path, and how well times are guessed.

    `median_prior` is the chance that someone who knows how long the step usually takes guesses its time within the
    precision; `certain_share` is the share of its times that such a person guesses for sure.
    """

    activity: str
    cases: int
    events: int
    unique_path_share: float
    median_prior: float
    certain_share: float


@dataclass(frozen=True)
class RareVariant:
    """A path that few took."""

    path: tuple[str, ...]
    cases: int


@dataclass(frozen=True)
class Outlier:
    """A step that took so unusually long that its length alone tells who it was."""

    activity: str
    after: str
    hours: float
    next_longest_hours: float
    usual_hours: float


def priors_of(log: EventLog, precision: Precision) -> Floats:
    """How well each time since the start of a case can be guessed before any release (the paper's Eq. 2)."""
    return Timeline(log, grid_of(log), "start").priors(build_automaton(log.variants), precision)


def activity_risks(log: EventLog, alone: Flags, priors: Floats) -> tuple[ActivityRisk, ...]:
    """The most revealing activities first: those that the fewest cases have.

    `alone` says which cases are the only one on their path.
    """
    label = log.activity.astype(np.int64)
    n = len(log.labels)
    holding = distinct(label * log.n_cases + row_of(log.case_offsets))  # each case once for each of its activities
    holder, case = holding // log.n_cases, holding % log.n_cases
    cases, events = np.bincount(holder, minlength=n), np.bincount(label, minlength=n)
    alone_cases = np.bincount(holder, weights=alone[case], minlength=n)
    own_priors = _by_label(priors, label[~log.is_first], n)
    rows = [
        ActivityRisk(
            activity=log.labels[i],
            cases=int(cases[i]),
            events=int(events[i]),
            unique_path_share=float(alone_cases[i] / cases[i]),
            median_prior=float(np.median(own_priors[i])) if len(own_priors[i]) else float("nan"),
            certain_share=float((own_priors[i] == 1).mean()) if len(own_priors[i]) else float("nan"),
        )
        for i in np.flatnonzero(cases).tolist()
    ]
    return tuple(sorted(rows, key=lambda row: (row.cases, row.activity)))


def _by_label(values: Floats, label: Ints, n_labels: int) -> list[Floats]:
    """The values of each label."""
    order, edges = np.argsort(label, kind="stable"), offsets_of(np.bincount(label, minlength=n_labels))
    return [values[order[edges[i] : edges[i + 1]]] for i in range(n_labels)]


def rare_variants(log: EventLog, most: int = 20) -> tuple[RareVariant, ...]:
    """The rarest paths, the shortest first: those are the easiest to know."""
    rare = sorted(log.variant_counts().items(), key=lambda variant: (variant[1], len(variant[0]), variant[0]))
    return tuple(RareVariant(path, cases) for path, cases in rare[:most] if cases < FEW)


def outliers(log: EventLog, most: int = 20) -> tuple[Outlier, ...]:
    """The steps that are furthest beyond the next longest one of their directly-follows pair, by their own length."""
    later = np.flatnonzero(~log.is_first)
    if not len(later):
        return ()
    pair = dense(pairs(log.activity, len(log.labels))[later])
    steps = Population(Coded(log.durations[later]), pair)
    enough = np.flatnonzero(steps.size >= FEW)
    last = steps.offsets[1:][enough] - 1
    longest, next_longest = steps.sorted_values[last], steps.sorted_values[last - 1]
    median = steps.sorted_values[(steps.offsets[:-1][enough] + last) // 2]
    gap = (longest - next_longest) / np.maximum(longest, 1)
    example = np.zeros(len(steps.size), dtype=np.int64)
    example[pair] = later
    furthest = [i for i in np.argsort(-gap, kind="stable")[:most].tolist() if gap[i] >= _FAR]

    def name(event: int) -> str:
        return log.labels[int(log.activity[event])]

    return tuple(
        Outlier(name(event), name(event - 1), longest[i] / HOUR, next_longest[i] / HOUR, median[i] / HOUR)
        for i, event in zip(furthest, example[enough[furthest]].tolist(), strict=True)
    )
