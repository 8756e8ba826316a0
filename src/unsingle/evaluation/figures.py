"""What compares a release with its original. These figures show the truth: do not publish them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..core.arrays import distinct
from ..core.log import EventLog
from ..errors import ParameterError
from ..mechanisms.cases import people_on_paths, persons_of
from ..progress import MEASURE, Progress
from .making import context_of, outside_of
from .measures.base import chosen, measured, rows_of
from .measures.oversampling import OVERSAMPLING
from .measures.relative_error import SMAPE
from .measures.step_durations import TIME_DISTANCE
from .risk.persons import PersonFigures, person_figures
from .sources import LogSource, as_log
from .tables import without_nan
from .wasserstein import Distance

if TYPE_CHECKING:
    from ..release import Release


@dataclass(frozen=True)
class Figures:
    """How a release compares with its original. Private.

    `cases_lost` have no copy in the release; it is None where a method copies no cases. `lost_variants` are given with
    their cases, the most frequent first. `alone` of all `people` take a path that nobody else takes. `outside` is
    what does not fit what was said to be public. `measures` are the values of all measures that are taken of every
    release. `persons` is who has several cases, where the log says whose each is and the method has a budget.
    """

    cases_in: int
    events_in: int
    cases_lost: int | None
    lost_variants: dict[tuple[str, ...], int] = field(repr=False)
    measures: dict[str, Any]
    alone: int
    people: int
    outside: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    persons: PersonFigures | None = None

    @property
    def oversampling_ratio(self) -> float:
        """Released cases for each original case."""
        return float(self.measures[OVERSAMPLING.name])

    @property
    def smape(self) -> float:
        """SMAPE of the times between events; not a number where released cases stand for no original ones."""
        return float(self.measures[SMAPE.name])

    @property
    def time_distance(self) -> Distance:
        """How far durations between events moved."""
        distance: Distance = self.measures[TIME_DISTANCE.name]
        return distance

    def with_seconds(self, seconds: dict[str, float]) -> Figures:
        """The same figures, with the time that all steps took."""
        return replace(self, seconds=seconds)

    def rows(self) -> list[tuple[str, str]]:
        """Title and text of each measure that has a value."""
        return rows_of({name: value for name, value in self.measures.items() if value == value})

    def to_dict(self) -> dict[str, Any]:
        """The figures under the names of the command's JSON."""
        numbers: dict[str, Any] = {}
        for measure in chosen(lambda each: each.name in self.measures):
            numbers |= measure.plain(self.measures[measure.name])
        return {
            "cases_in": self.cases_in,
            "events_in": self.events_in,
            "cases_lost": self.cases_lost,
            "lost_variants": [{"path": list(path), "cases": cases} for path, cases in self.lost_variants.items()],
            "oversampling_ratio": numbers.pop(OVERSAMPLING.name),
            **without_nan(numbers),
            "variants_lost": len(self.lost_variants),
            "alone": self.alone,
            "outside": self.outside,
            **({} if self.persons is None else {"persons": self.persons.to_dict()}),
            "seconds": self.seconds,
        }


def measure(original: LogSource, release: Release, progress: Progress | None = None) -> Figures:
    """Compare a release that `anonymize` made with its original.

    >>> from unsingle import anonymize, synthesize
    >>> log = synthesize(cases=50, seed=1)
    >>> measure(log, anonymize(log, seed=1)).cases_in
    50
    """
    _refuse_no_release(release)
    progress = progress or Progress()
    log = as_log(original, progress)
    progress.step(MEASURE)
    context = context_of(log, release)
    figures = Figures(
        cases_in=log.n_cases,
        events_in=log.n_events,
        cases_lost=_cases_lost(log, release),
        lost_variants=context.lost_variants,
        measures=measured(context, lambda each: each.in_figures),
        alone=people_alone_in(log),
        people=people_in(log),
        outside=outside_of(log, release),
        persons=person_figures(log, release.method),
    )
    return figures.with_seconds(progress.seconds())


def _refuse_no_release(given: object) -> None:
    from ..release import Release

    if not isinstance(given, Release):
        raise ParameterError(
            f"measure takes what anonymize gave, not a {type(given).__name__}: compare takes logs and data frames"
        )


def summary(release: Release, figures: Figures) -> dict[str, Any]:
    """Everything that is known of a release, with a list of the keys that must stay private."""
    private = figures.to_dict()
    return {**release.public(), **private, "private_keys": sorted(private)}


def people_alone_in(log: EventLog) -> int:
    """How many people take a path that nobody else takes, with one case or several."""
    alone = people_on_paths(log)[log.variants.of_case] == 1
    return len(distinct(persons_of(log)[alone]))


def people_in(log: EventLog) -> int:
    """How many people there are: as many as cases, where the log does not tell persons apart."""
    return int(persons_of(log).max()) + 1


def _cases_lost(log: EventLog, release: Release) -> int | None:
    """How many cases have no copy; None where no case is copied."""
    return None if release.ancestors is None else log.n_cases - len(distinct(release.ancestors))
