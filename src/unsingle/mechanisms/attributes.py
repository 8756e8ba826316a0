"""Columns beside case, activity and time: noised tallies of their values, estimated, and drawn for released paths.

*Of events.* Values are tallied by activity. For texts, a second tally counts by pair of activities how often an event
has the value of the event before it. A released event keeps the value of the one before with the chance of its pair,
and has one drawn by its activity otherwise: so both who does what and handovers stay.

*Of cases.* Values are tallied, and then by the activities that a case has. A released path gets a value by the product
of what each of its activities says (naive Bayes), scaled so that all values together are as frequent as tallied.

What one person contributes to each tally is a vector of length at most 1, like in all other tallies, so the promise
covers these values together with paths and times.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Flags, Floats, Ints, distinct, mix, row_of, runs, stable_order
from ..core.columns import Column, Field, Kind
from ..core.log import pairs
from ..privacy.random import Randomness
from .cases import Cases
from .clipping import Sums, clipped_tally, length_tally
from .draws import pick, spread_evenly
from .measurements import Leak, Measurements
from .paths import ReleasedPaths
from .posterior import Prior, Rows, best_prior, posterior_mean, posterior_median
from .selection import Having, selected
from .tallies import Vectors
from .values import Domain, NumberBins, Texts, finer_bins, number_octaves

_UNSURE = 0.1  # of the number of events of an activity is not known better than by this share
_STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_STANDS_OUT = 3.0  # deviations
_HIDDEN = 3.0  # deviations: fewer events with a value, or without one, than this may be none
_ROUNDS = 25  # of scaling to the tallied frequencies
_TINY = 1e-12


@dataclass(frozen=True)
class Attribute:
    """A column to release: its field and, where they are given, its public values, pseudonyms and step."""

    field: Field
    public: tuple[str, ...] | None = None
    pseudonyms: bool = False
    step: float = 1.0

    @property
    def selects(self) -> bool:
        """Whether values are published because many people have them: that can leak."""
        return self.field.kind is Kind.TEXT and self.public is None

    @property
    def domain_tally(self) -> str:
        """The tally that says which values there are."""
        return f"which values there are: {self.field.table_name}"

    @property
    def value_tally(self) -> str:
        """The tally of values, by activity for a column of events."""
        return f"how often each value is: {self.field.table_name}"

    @property
    def presence_tally(self) -> str:
        """For a column of events, the tally of events that have a value, by activity."""
        return f"which events have a value: {self.field.table_name}"

    @property
    def context_tally(self) -> str:
        """The tally of what goes with values: the one before, or the activities of the case."""
        return f"what values go with: {self.field.table_name}"

    @property
    def rounds(self) -> dict[str, float]:
        """The rounds in which texts are selected, and which part of that each has."""
        name = self.domain_tally
        return {name: 0.15, f"{name}, once more": 0.3, f"{name}, at last": 0.55}

    def shares(self) -> dict[str, float]:
        """How its tallies share its part of the budget, by what measured best on public logs."""
        texts, events = self.field.kind is Kind.TEXT, not self.field.of_cases
        shares = {self.value_tally: 0.5}
        if self.selects:
            shares |= {name: 0.25 * part for name, part in self.rounds.items()}
        if not texts:
            shares |= {self.domain_tally: 0.1}
        if texts or not events:
            shares |= {self.context_tally: 0.15}
        if events:
            shares |= {self.presence_tally: 0.1}
            clipped = {self.value_tally, self.presence_tally, self.context_tally} & set(shares)
            clipped |= set() if texts else {self.domain_tally}
            shares |= {length_tally(name): 0.02 for name in sorted(clipped)}
        whole = sum(shares.values())
        return {name: share / whole for name, share in shares.items()}


class Original(NamedTuple):
    """The cases of the log, and the values that their events or they themselves have: private."""

    cases: Cases
    column: Column

    @property
    def of_events(self) -> bool:
        """Whether each event has a value."""
        return not self.column.field.of_cases

    @property
    def owner(self) -> Ints:
        """The person whose value each is."""
        return self.cases.person_of_event if self.of_events else self.cases.person


def drawn_columns(
    attributes: Sequence[Attribute],
    columns: Sequence[Column],
    cases: Cases,
    paths: ReleasedPaths,
    measurements: Measurements,
    random: Randomness,
) -> list[Column]:
    """The released columns, one after the other; `columns` are those of the log."""
    rows = (cases.case_rows if each.field.of_cases else cases.event_rows for each in columns)
    originals = [Original(cases, column.take(row)) for column, row in zip(columns, rows, strict=True)]
    leak = measurements.budget.terms.value_leak / max(1, sum(each.selects for each in attributes))
    return [
        _drawn_column(attribute, original, _Making(paths, measurements, random, Leak(leak, anybody=True)))
        for attribute, original in zip(attributes, originals, strict=True)
    ]


class _Making(NamedTuple):
    """What a released column is made for and with: the paths, the noise, draws, and how often a value may leak."""

    paths: ReleasedPaths
    measurements: Measurements
    random: Randomness
    leak: Leak


def _drawn_column(attribute: Attribute, original: Original, making: _Making) -> Column:
    """A value for each released event, or for each released case."""
    paths, measurements, random, _ = making
    domain = _domain(attribute, original, making)
    how = _OfCases if attribute.field.of_cases else _OfEvents
    model = how(attribute, original.cases, domain, domain.cells(original.column), measurements)
    cell, place = model.drawn(paths, random)
    return domain.column(attribute.field, cell, place)


def _domain(attribute: Attribute, original: Original, making: _Making) -> Domain:
    """The values that may be published, as cells."""
    if attribute.field.kind is not Kind.TEXT:
        return _bins(attribute, original, making.paths.cases, making.measurements)
    known = attribute.public
    if known is None:
        known = _selected_texts(attribute, original, making)
    return Texts.of(known, making.random if attribute.pseudonyms else None)


def _selected_texts(attribute: Attribute, original: Original, making: _Making) -> tuple[str, ...]:
    """Texts that many people have."""
    column = original.column
    texts, number = np.unique(np.array(column.texts, dtype=object), return_inverse=True)
    there = np.flatnonzero(column.present)
    having = Having(tuple(texts.tolist()), number[column.values[there]].astype(np.int64), original.owner[there])
    none = np.zeros(len(texts), dtype=np.bool_)
    chosen = selected(tuple(attribute.rounds), having, none, making.leak, making.measurements)
    return tuple(texts[chosen].tolist())


def _bins(attribute: Attribute, original: Original, wanted: int, measurements: Measurements) -> NumberBins:
    """NumberBins where values stand out of the noise."""
    coarse = number_octaves(attribute.step)
    cell, owner = coarse.cells(original.column), original.owner
    there = np.flatnonzero(cell > 0)
    name, n_cells = attribute.domain_tally, coarse.size - 1
    vectors = Vectors(cell[there] - 1, owner[there], n_cells)
    if original.of_events:
        sums = clipped_tally(name, vectors, np.ones(n_cells), 1.0, wanted, measurements)
        noise = float(np.sqrt(sums.variance.max()))
        next_noise = noise * measurements.deviation(attribute.value_tally) / measurements.deviation(name)
        return finer_bins(coarse, sums.value, noise, next_noise, attribute.field.kind is Kind.INTEGER)
    noisy = measurements.tally(name, vectors)
    next_noise = measurements.deviation(attribute.value_tally)
    return finer_bins(coarse, noisy.values, noisy.deviation, next_noise, attribute.field.kind is Kind.INTEGER)


@dataclass(frozen=True, eq=False)
class _Model(ABC):
    """What the log says about a column, through noise; nothing but the methods that measure sees `cases` and `cell`."""

    attribute: Attribute
    cases: Cases
    domain: Domain
    cell: Ints
    measurements: Measurements

    @abstractmethod
    def drawn(self, paths: ReleasedPaths, random: Randomness) -> tuple[Ints, Floats]:
        """A cell for each event or case of the released paths, and a place within it."""

    def _estimated(self, rows: Rows, shapes: Sequence[Floats], random: Randomness) -> Floats:
        """Distributions over the cells: for numbers medians, in which nothing far off is left of the noise."""
        prior = best_prior(rows, shapes, _STRENGTHS)
        if not self.domain.ordered:
            return posterior_mean(rows, prior)
        shape = posterior_median(rows, prior, random) * _likely(rows)
        return shape / np.maximum(shape.sum(axis=1, keepdims=True), _TINY)


class _OfEvents(_Model):
    """A column of events: values by activity, and for texts whether they stay the same."""

    def drawn(self, paths: ReleasedPaths, random: Randomness) -> tuple[Ints, Floats]:
        """By activity, and by the value before."""
        by_activity = self._by_activity(paths, random)
        if self.domain.ordered:
            return pick(by_activity, paths.activity, spread_evenly(paths.activity, len(by_activity), random))
        known, pair = np.unique(pairs(paths.activity, len(self.cases.labels))[paths.later], return_inverse=True)
        steps = _Steps(known, known // len(self.cases.labels), known % len(self.cases.labels), pair)
        return _followed(paths, steps, by_activity, self._staying(steps, paths.cases), random)

    def _by_activity(self, paths: ReleasedPaths, random: Randomness) -> Floats:
        """The distribution of values for each activity; cell 0 is for none."""
        labels, inner = len(self.cases.labels), self.domain.size - 1
        events = np.bincount(paths.activity, minlength=labels).astype(np.float64)
        there = np.flatnonzero(self.cell > 0)
        activity, owner = self.cases.activity[there], self.cases.person_of_event[there]
        share = self._having(paths.cases)
        vectors = _once(activity * inner + self.cell[there] - 1, owner, labels * inner)
        sums = _tallied(self.attribute.value_tally, vectors, inner, paths.cases, self.measurements)
        total = np.maximum(share * events, 1e-3)
        rows = Rows(sums.value, np.sqrt(sums.variance), total, _UNSURE * total + 1)
        return np.column_stack((1 - share, share[:, None] * self._estimated(rows, _expected(rows), random)))

    def _having(self, cases: int) -> Floats:
        """Which share of the events of each activity has a value: none or all, where the noise hides the difference."""
        cell = 2 * self.cases.activity + (self.cell > 0)
        vectors = _once(cell, self.cases.person_of_event, 2 * len(self.cases.labels))
        sums = _tallied(self.attribute.presence_tally, vectors, 2, cases, self.measurements)
        seen = np.where(sums.value > _HIDDEN * np.sqrt(sums.variance), sums.value, 0)
        seen = np.where(seen.any(axis=1, keepdims=True), seen, np.maximum(sums.value, 0))  # better than nothing
        return seen[:, 1] / np.maximum(seen.sum(axis=1), _TINY)

    def _staying(self, steps: _Steps, cases: int) -> Floats:
        """How often the value stays the same at each pair."""
        if not len(steps.known):
            return np.empty(0)
        row = np.searchsorted(steps.known, self.cases.pairs)
        row = np.minimum(row, len(steps.known) - 1)
        there = np.flatnonzero(steps.known[row] == self.cases.pairs)
        later = self.cases.later[there]
        same = (self.cell[later] == self.cell[later - 1]).astype(np.int64)
        owner = self.cases.person_of_event[later]
        vectors = _once(2 * row[there] + same, owner, 2 * len(steps.known))
        sums = _tallied(self.attribute.context_tally, vectors, 2, cases, self.measurements)
        total = np.bincount(steps.row, minlength=len(steps.known)).astype(np.float64)
        rows = Rows(sums.value, np.sqrt(sums.variance), total, _UNSURE * total + 1)
        return posterior_mean(rows, best_prior(rows, _expected(rows), _STRENGTHS))[:, 1]


class _OfCases(_Model):
    """A column of cases: values, and which activities go with them."""

    def drawn(self, paths: ReleasedPaths, random: Randomness) -> tuple[Ints, Floats]:
        """By the activities of each path."""
        size = self.domain.size
        noisy = self.measurements.tally(self.attribute.value_tally, Vectors(self.cell, self.cases.person, size))
        if self.cases.by_person:
            noisy = noisy.scaled_to(paths.cases, noisy.values.sum(), noisy.deviation * np.sqrt(size))
        total = np.array([float(paths.cases)])
        rows = Rows(noisy.values[None], np.full((1, size), noisy.deviation), total, _UNSURE * total + 1)
        whole = self._estimated(rows, [np.full((1, size), 1 / size)], random)[0]
        ratio = self._by_activity(whole, paths)
        sets, which = _activity_sets(paths, len(self.cases.labels))
        shape = _scaled(whole * np.exp(sets @ np.log(ratio)), np.bincount(which), whole)
        return pick(shape, which, spread_evenly(which, len(shape), random))

    def _by_activity(self, whole: Floats, paths: ReleasedPaths) -> Floats:
        """How much likelier each value is in cases with an activity than in all cases."""
        labels, size = len(self.cases.labels), self.domain.size
        case, activity = np.divmod(distinct(self.cases.case_of_event * labels + self.cases.activity), labels)
        vectors = Vectors(activity * size + self.cell[case], self.cases.person[case], labels * size)
        noisy = self.measurements.tally(self.attribute.context_tally, vectors)
        per_case = len(distinct(row_of(paths.offsets) * labels + paths.activity)) / max(1, paths.cases)
        value = noisy.values.reshape(labels, size) * np.sqrt(per_case)
        having = np.bincount(
            distinct(row_of(paths.offsets) * labels + paths.activity) % labels, minlength=labels
        ).astype(np.float64)
        total = np.maximum(having, 1e-3)
        deviation = np.full((labels, size), noisy.deviation * np.sqrt(per_case))
        rows = Rows(value, deviation, total, 0.3 * total + 1)
        shape = np.repeat(whole[None], labels, axis=0)
        given = posterior_mean(rows, best_prior(rows, [shape], (3.0, 10.0, 30.0, 100.0, 1000.0)))
        return (given + _TINY) / (whole + _TINY)


def _once(cell: Ints, owner: Ints, n_cells: int) -> Vectors:
    """Vectors in which each person counts once in each of their cells: who has many events counts no more in one."""
    owner, cell = np.divmod(distinct(owner * n_cells + cell), n_cells)
    return Vectors(cell, owner, n_cells)


def _tallied(name: str, vectors: Vectors, columns: int, cases: int, measurements: Measurements) -> Sums:
    """Noised numbers of events in rows of so many cells."""
    flat = clipped_tally(name, vectors, np.ones(vectors.n_cells), 1.0, cases, measurements)
    return Sums(flat.value.reshape(-1, columns), flat.variance.reshape(-1, columns))


class _Steps(NamedTuple):
    """The pairs of activities of a release in their order, their sources and targets, and which each step is of."""

    known: Ints
    source: Ints
    target: Ints
    row: Ints


def _likely(rows: Rows) -> Flags:
    """Which cells are not beyond the last, on either side, that stands out of the noise together with all beyond it."""
    some = rows.total > 1
    value, variance = rows.noised[some].sum(axis=0), (rows.deviation[some] ** 2).sum(axis=0)
    sides = [
        np.cumsum(value[::turn])[::turn] > _STANDS_OUT * np.sqrt(np.cumsum(variance[::turn]))[::turn]
        for turn in (1, -1)
    ]
    within = np.maximum.accumulate(sides[0]) & np.maximum.accumulate(sides[1][::-1])[::-1]
    return within if within.any() else np.ones_like(within)


def _expected(rows: Rows) -> list[Floats]:
    """What rows may be like: all rows together, or nothing in particular."""
    size = rows.noised.shape[1]
    even = np.full((1, size), 1 / size)
    deviation = np.sqrt((rows.deviation**2).sum(axis=0, keepdims=True))
    total = rows.total.sum(keepdims=True)
    whole = Rows(rows.noised.sum(axis=0, keepdims=True), deviation, total, _UNSURE * total)
    common = posterior_mean(whole, Prior(even, 3.0))
    return [np.repeat(each, len(rows.noised), axis=0) for each in (common, even)]


def _followed(
    paths: ReleasedPaths, steps: _Steps, by_activity: Floats, staying: Floats, random: Randomness
) -> tuple[Ints, Floats]:
    """Values along each path, from its first event on: kept with the chance of the pair, else drawn by activity.

    What is drawn at a pair is what the values that stay leave of the activity's distribution, so that each activity
    has its own distribution in the end.
    """
    stay, rest = _coupled(by_activity[steps.source], by_activity[steps.target], staying)
    first = paths.offsets[:-1]
    cell = np.zeros(len(paths.activity), dtype=np.int64)
    start = paths.activity[first]
    cell[first] = pick(by_activity, start, spread_evenly(start, len(by_activity), random))[0]
    later = np.flatnonzero(paths.later)
    if len(later):
        cell[later] = pick(rest, steps.row, spread_evenly(steps.row, len(rest), random))[0]
    chance, number = random.uniform(len(paths.activity)), np.zeros(len(paths.activity), dtype=np.int64)
    number[later] = steps.row
    for events in _by_place(paths):
        before = cell[events - 1]
        kept = chance[events] < stay[number[events], before]
        cell[events] = np.where(kept, before, cell[events])
    return cell, np.zeros(len(cell))


def _by_place(paths: ReleasedPaths) -> list[Ints]:
    """The second events of all paths, the third ones, and so on."""
    later = np.flatnonzero(paths.later)
    place = later - np.repeat(paths.offsets[:-1], np.diff(paths.offsets))[later]
    order = stable_order(place)
    return np.split(later[order], runs(place[order])[1:-1]) if len(later) else []


def _coupled(source: Floats, target: Floats, staying: Floats) -> tuple[Floats, Floats]:
    """For each pair, the chance that each value stays, and the distribution of what comes where it does not.

    Both together lead from the source's distribution to the target's. Of what they have in common, so much stays that
    the value is the same with the chance `staying`, also by those that are drawn and happen to be the same.
    """
    common = np.minimum(source, target)
    low, high = np.zeros(len(source)), np.ones(len(source))
    for _ in range(30):
        share = (low + high) / 2
        kept = common * share[:, None]
        moved = 1 - kept.sum(axis=1)
        same = kept.sum(axis=1) + ((source - kept) * (target - kept)).sum(axis=1) / np.maximum(moved, _TINY)
        low, high = np.where(same < staying, share, low), np.where(same < staying, high, share)
    kept = common * ((low + high) / 2)[:, None]
    rest = np.maximum(target - kept, 0) + _TINY * target
    return kept / np.maximum(source, _TINY), rest / np.maximum(rest.sum(axis=1, keepdims=True), _TINY)


def _activity_sets(paths: ReleasedPaths, labels: int) -> tuple[Floats, Ints]:
    """The distinct sets of activities that paths have, as rows of zeros and ones, and which set each path has."""
    case, activity = np.divmod(distinct(row_of(paths.offsets) * labels + paths.activity), labels)
    digest = np.zeros(paths.cases, dtype=np.uint64)
    np.add.at(digest, case, mix(activity))
    _, first, which = np.unique(digest, return_index=True, return_inverse=True)
    sets = np.zeros((len(first), labels))
    some = np.isin(case, first)  # one path of each set
    sets[which[case[some]], activity[some]] = 1
    return sets, which


def _scaled(shape: Floats, times: Ints, whole: Floats) -> Floats:
    """Distributions that together have the frequencies `whole`, each row so many times."""
    shape = np.maximum(shape, 0)
    for _ in range(_ROUNDS):
        shape = shape / np.maximum(shape.sum(axis=1, keepdims=True), _TINY)
        shape = shape * (whole / np.maximum(times @ shape / times.sum(), _TINY))
    return shape / np.maximum(shape.sum(axis=1, keepdims=True), _TINY)
