"""A log and a delta in, a release out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import ParameterError
from .guarantee import Guarantee
from .log import EventLog
from .measures import Distance, lost_variants, smape, time_distance
from .mechanisms.cases import Cases
from .methods import DEFAULT, Method, method_named, with_paths
from .methods.timeline import case_values
from .options import Options, Precision, TimeFrom
from .parallel import in_order
from .privacy.budget import SLACK, Budget, epsilon_for
from .progress import Progress
from .ragged import Ints, offsets_of, pieces, take_rows
from .randomness import Randomness
from .tabular import without_nan

if TYPE_CHECKING:
    from .formats.frames import Frame

_SEEDED = "Made with a seed: whoever knows or guesses the seed can take the noise off again. NOT FOR PUBLICATION."


class Size(NamedTuple):
    """How much there is of a log."""

    cases: int
    events: int
    variants: int


@dataclass(frozen=True)
class PrivateFigures:
    """What compares the release with its original. These figures show the truth: do not publish them.

    `cases_lost` have no copy in the release; `lost_variants` are given with their cases, the most frequent first.
    `alone` is how many cases are the only one on their path. `outside` is what does not fit what was said to be public
    (strict). Where no released case descends from an original one there are no `cases_lost`; `smape` is then that
    beside random original cases of the same path, or not a number where paths are not kept.
    """

    cases_in: int
    events_in: int
    cases_lost: int | None
    lost_variants: dict[tuple[str, ...], int] = field(repr=False)
    oversampling_ratio: float
    smape: float
    time_distance: Distance
    seconds: dict[str, float]
    alone: int
    outside: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The figures under the names of the command's JSON."""
        return {
            "cases_in": self.cases_in,
            "events_in": self.events_in,
            "cases_lost": self.cases_lost,
            "variants_lost": len(self.lost_variants),
            "lost_variants": [{"path": list(path), "cases": cases} for path, cases in self.lost_variants.items()],
            "oversampling_ratio": self.oversampling_ratio,
            "smape": without_nan(self.smape),
            "time_distance_hours": without_nan(self.time_distance.hours),
            "time_distance_share": without_nan(self.time_distance.share_of_mean),
            "alone": self.alone,
            "outside": self.outside,
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Release:
    """An anonymised log with its guarantee.

    `log`, `guarantee` and the parameters may be published; `private` and `ancestors` (the original case
    that each released case descends from, if any does) may not. `budget` is what a method with a budget spent.
    """

    log: EventLog
    guarantee: Guarantee
    method: str
    options: Options
    private: PrivateFigures
    ancestors: Ints | None = field(repr=False)
    budget: Budget | None = field(default=None, repr=False)

    @property
    def delta(self) -> float:
        """The most that the release may add to an attacker's chance, as it was asked for."""
        return self.options.delta

    @property
    def publishable(self) -> bool:
        """Whether nothing forbids publication: no seed was used and no leak was left open."""
        return self.guarantee.publishable

    def with_seconds(self, seconds: dict[str, float]) -> Release:
        """The same release, with the time that all steps took."""
        return replace(self, private=replace(self.private, seconds=seconds))

    @property
    def size(self) -> Size:
        """Cases, events and variants of the release."""
        return Size(self.log.n_cases, self.log.n_events, self.log.variants.count)

    def public(self) -> dict[str, Any]:
        """What may be published beside the log."""
        return public_summary(self.method, self.options, self.guarantee, self.size, self.budget)

    def to_dict(self) -> dict[str, Any]:
        """Everything that is known, with a list of the keys that must stay private."""
        private = self.private.to_dict()
        return {**self.public(), **private, "private_keys": sorted(private)}


def anonymize(
    log: EventLog | Frame,
    delta: float = 0.2,
    *,
    method: str = DEFAULT,
    paths: str = "same",
    time_from: TimeFrom | None = None,
    precision: float | str = 0.1,
    grid: str | None = None,
    as_published: bool = False,
    slack: float = SLACK,
    labels: Sequence[str] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make a release of the log (an `EventLog`, or a pandas, polars or pyarrow frame).

    Args:
        log: the original; a frame is read as by `read_log`.
        delta: the most that the release may add to an attacker's chance of a right guess, between 0 and 1.
        method: ``twin`` (the same variants and differential privacy), ``strict`` (differential privacy for every
            outcome; no variant is kept for sure), ``amun`` (the paper's, leaks closed), ``sample`` or ``filter`` (cases
            are removed too).
        paths: for ``twin``: ``same`` publishes all paths, ``crowds`` those that many people took.
        time_from: noise the time since the ``previous`` event (the default) or since the ``start`` of the case.
        precision: how near a guess must come to count: a share of the group's range, or a duration (``"10min"``);
            not for ``twin`` and ``strict``, which hold for any.
        grid: ``day``, ``hour``, ``minute``, ``second`` or ``millisecond``; by default the log's own.
        slack: for ``twin`` and ``strict``: what is granted beyond epsilon, about the chance that more is revealed.
        labels: activity labels that everybody may know, for ``strict`` and paths of crowds; by default those that many
            people have are found with noise.
        as_published: reproduce the paper with its leaks (``amun`` only). Not for publication.
        seed: make the run repeatable. Not for publication.
        progress: told of each step.

    >>> from unsingle import synthesize
    >>> release = anonymize(synthesize(cases=50, seed=1), delta=0.2, seed=1)
    >>> release.log.variants.count == synthesize(cases=50, seed=1).variants.count
    True
    >>> release.publishable  # a seed was used
    False

    """
    method = with_paths(method, paths)
    options = checked_options(delta, method, time_from, precision, grid, as_published, slack, labels)
    chosen = method_named(method)
    progress = progress or Progress()
    if not isinstance(log, EventLog):
        from .formats import read_log

        log = read_log(log, progress=progress)
    released, ancestors, budget = chosen.anonymize(log, options, Randomness(seed), progress)
    progress.step("measure")
    figures = _private_figures(log, released, ancestors, chosen, options)
    guarantee = guarantee_of(method, options, seed)
    release = Release(released, guarantee, method, options, figures, ancestors, budget)
    return release.with_seconds(progress.seconds())


def guarantee_of(method: str, options: Options, seed: int | None) -> Guarantee:
    """What a release by this method promises."""
    guarantee = method_named(method).guarantee(options)
    return guarantee if seed is None else replace(guarantee, warnings=(*guarantee.warnings, _SEEDED))


def public_summary(
    method: str, options: Options, guarantee: Guarantee, size: Size, budget: Budget | None = None
) -> dict[str, Any]:
    """What may be published beside a release of this size."""
    same = {"variants_in": size.variants} if method_named(method).keeps_variants else {}  # R1: taken as public
    return {
        "method": method,
        "delta": options.delta,
        "as_published": options.as_published,
        "cases_out": size.cases,
        "events_out": size.events,
        **same,
        "variants_out": size.variants,
        **({"budget": budget.to_dict()} if budget else {}),
        "guarantee": str(guarantee),
        "promises": [asdict(promise) for promise in guarantee.promises],
        "limits": guarantee.limits,
        "assumes": list(guarantee.assumes),
        "not_protected": list(guarantee.not_protected),
        "cautions": list(guarantee.cautions),
        "warnings": list(guarantee.warnings),
        "publishable": guarantee.publishable,
    }


def _private_figures(
    log: EventLog, released: EventLog, ancestors: Ints | None, chosen: Method, options: Options
) -> PrivateFigures:
    return PrivateFigures(
        cases_in=log.n_cases,
        events_in=log.n_events,
        cases_lost=None if ancestors is None else log.n_cases - len(np.unique(ancestors)),
        lost_variants={} if chosen.keeps_variants else lost_variants(log, released),
        oversampling_ratio=released.n_cases / log.n_cases,
        smape=_smape(log, released, _on_same_path(log, released, chosen) if ancestors is None else ancestors),
        time_distance=time_distance(log, released),
        seconds={},  # known when all is done
        alone=int((log.variants.cases == 1).sum()),
        outside=chosen.outside(log, options) if chosen.outside else {},
    )


def checked_options(
    delta: float,
    method: str,
    time_from: TimeFrom | None = None,
    precision: float | str = 0.1,
    grid: str | None = None,
    as_published: bool = False,
    slack: float = SLACK,
    labels: Sequence[str] | None = None,
) -> Options:
    """The options of `anonymize`, checked; raises `ParameterError` before any work is done."""
    chosen = method_named(method)
    if as_published and method != "amun":
        raise ParameterError(f"as published is the paper's method, amun: it cannot go with {method}")
    known = None if labels is None else tuple(labels)
    options = Options(delta, time_from, Precision.parse(precision), as_published, grid, slack, known)
    if chosen.has_slack:
        epsilon_for(options.delta, options.slack)
    return options


def _on_same_path(original: EventLog, released: EventLog, chosen: Method) -> Ints | None:
    """A random original case on the path of each released one, if the method keeps variants."""
    if not chosen.keeps_variants:
        return None
    before, after = Cases.of(original).paths, Cases.of(released).paths  # the same paths, in the same order
    by_path = np.argsort(before.of_case, kind="stable")
    place = Randomness(0).below(before.cases[after.of_case])
    return by_path[offsets_of(before.cases)[after.of_case] + place]


def _smape(original: EventLog, released: EventLog, ancestors: Ints | None) -> float:
    """SMAPE of the time since the previous event, over all released events that have one, beside those of ancestors."""
    if ancestors is None:
        return float("nan")
    true = case_values(original.time, original.case_offsets, "previous")

    def of_some(cases: slice) -> tuple[float, int]:
        first, last = released.case_offsets[cases.start], released.case_offsets[cases.stop]
        flat, offsets = take_rows(original.case_offsets, ancestors[cases])
        later = ~released.is_first[first:last]
        noisy = case_values(released.time[first:last], offsets, "previous")
        return smape(true[flat][later], noisy[later]), int(later.sum())

    parts = pieces(released.case_offsets, 1_000_000)  # on all cores, and so that memory stays small
    errors, weights = zip(*in_order(of_some, parts), strict=True)
    return float(np.average(errors, weights=weights)) if any(weights) else 0.0
