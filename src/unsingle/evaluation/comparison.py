"""A log and its release side by side: can it still be used? Private, because it shows the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.log import EventLog
from ..core.wording import percent
from ..errors import UnsingleError
from ..formats.schema import public_columns
from ..records.made import made_as
from .column_tables import (
    CasePercentile,
    KeptColumn,
    NumberSpread,
    ServiceDuration,
    ValueChange,
    column_tables,
)
from .comparison_tables import STEP, CaseCount, DurationChange, EdgeChange, Percentile, VariantChange, comparison_tables
from .context import Context
from .figures import people_alone_in, people_in
from .kept import NotCompared
from .making import context_of, named
from .measures.base import MEASURES, Measure, measured, rows_of
from .measures.case_durations import CASE_DURATION_DISTANCE
from .measures.case_starts import START_DISTANCE
from .measures.edges import EDGES
from .measures.of_columns import losses
from .measures.office_hours import IN_OFFICE_HOURS, OfficeHours
from .measures.outside_span import OUTSIDE_SPAN
from .measures.oversampling import OVERSAMPLING
from .measures.replay import REPLAY
from .measures.step_durations import TIME_DISTANCE
from .measures.variants import VARIANTS
from .remarks import lone_paths
from .risk import PeopleFound, RiskAfter, risk_after
from .scales import mean_step_hours
from .sets import SetChange
from .sources import LogSource, as_log
from .tables import Tabular
from .units import hours_text
from .wasserstein import Distance
from .week import WeekHour, week_hours
from .yardsticks import Yardstick, summed_up, yardsticks

if TYPE_CHECKING:
    from ..records.facts import Provenance
    from ..release import Release


@dataclass(frozen=True)
class Comparison(Tabular):
    """Everything that changed from a log to its release. Private: it shows the original.

    `measures` are the values of all measures that compare two logs, by name, and `yardsticks` those of them that are
    distances, each beside its floor: what two random halves of the original differ. `provenance` says what a release in
    a file tells of itself, and whether it was altered. The tables from `kept_columns` on are empty where no columns are
    kept, and `service_durations` where labels do not tell starts from completes.
    `risk_after` and `people_found` are empty where it is not known how the release was made.
    """

    cases_before: int
    cases_after: int
    events_before: int
    events_after: int
    mean_step_hours: float
    measures: dict[str, Any]
    yardsticks: tuple[Yardstick, ...]
    one_person_paths: int
    guarantee: str
    people_alone: str
    provenance: str
    edges: tuple[EdgeChange, ...]
    variants: tuple[VariantChange, ...]
    durations: tuple[DurationChange, ...]
    case_durations: tuple[Percentile, ...]
    arrivals: tuple[CaseCount, ...]
    active: tuple[CaseCount, ...]
    week: tuple[WeekHour, ...]
    kept_columns: tuple[KeptColumn, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
    activity_values: tuple[ValueChange, ...] = ()
    handover_values: tuple[ValueChange, ...] = ()
    activity_numbers: tuple[NumberSpread, ...] = ()
    case_shares: tuple[ValueChange, ...] = ()
    end_shares: tuple[ValueChange, ...] = ()
    case_numbers: tuple[CasePercentile, ...] = ()
    service_durations: tuple[ServiceDuration, ...] = ()
    risk_after: str = ""
    people_found: tuple[PeopleFound, ...] = ()

    @property
    def ratio(self) -> float:
        """Released cases for each original case."""
        return float(self.measures[OVERSAMPLING.name])

    @property
    def time_distance(self) -> Distance:
        """How far durations between events moved."""
        distance: Distance = self.measures[TIME_DISTANCE.name]
        return distance

    @property
    def case_duration_distance(self) -> Distance:
        """How far durations of cases moved."""
        distance: Distance = self.measures[CASE_DURATION_DISTANCE.name]
        return distance

    @property
    def start_distance_hours(self) -> float:
        """How far starts of cases moved."""
        return float(self.measures[START_DISTANCE.name])

    @property
    def variant_change(self) -> SetChange:
        """What became of the variants."""
        change: SetChange = self.measures[VARIANTS.name]
        return change

    @property
    def edge_change(self) -> SetChange:
        """What became of the edges between activities."""
        change: SetChange = self.measures[EDGES.name]
        return change

    @property
    def replay_share(self) -> float:
        """The share of released cases that fit the original's directly-follows graph."""
        return float(self.measures[REPLAY.name])

    @property
    def column_losses(self) -> dict[str, float]:
        """How far each kept column is off: 0 if nothing changed, 1 if nothing is left."""
        return losses(self.measures)

    def yardstick(self, measure: Measure[Any]) -> Yardstick:
        """The distance that a measure found, beside its floor."""
        return next(each for each in self.yardsticks if each.name == measure.name)

    @property
    def outside_span_share(self) -> float:
        """The share of released events before the first or after the last event of the original."""
        return float(self.measures[OUTSIDE_SPAN.name])

    @property
    def office_hours(self) -> OfficeHours:
        """The share of events in office hours, before and after."""
        shares: OfficeHours = self.measures[IN_OFFICE_HOURS.name]
        return shares

    @property
    def verdict(self) -> str:
        """The answer: paths, cases, what the yardsticks say, and kept columns. Nothing in it but figures says what."""
        cases = f"There are {self.ratio:.2f} times as many cases."
        return " ".join(filter(None, (self._paths_verdict, cases, self._times_verdict, self._columns_verdict)))

    @property
    def _columns_verdict(self) -> str:
        off = ", ".join(f"{name} by {percent(loss)}" for name, loss in self.column_losses.items())
        sentences = [f"Of the kept columns, values are off: {off}."] if off else []
        return " ".join([*sentences, *(f"{each.column} is not compared: {each.reason}." for each in self.not_compared)])

    @property
    def _paths_verdict(self) -> str:
        change = self.variant_change
        if change.lost or change.added:
            return f"{change.lost:,} of {change.before:,} variants are lost and {change.added:,} are new."
        return f"All {change.before:,} variants are there and none is new."

    @property
    def _times_verdict(self) -> str:
        if not any(edge.before and edge.after for edge in self.edges if edge.kind == STEP):
            return "No step is in both, so durations cannot be compared."
        outside = self.outside_span_share
        beyond = f" {percent(outside)} of released events lie outside the span of the original." if outside else ""
        return summed_up(self.yardsticks) + beyond

    def rows(self) -> list[tuple[str, str]]:
        """Title and text of each measure; of distances beside their floors."""
        beside = {each.name: f" ({each.beside})" for each in self.yardsticks}
        texts = zip(self.measures, rows_of(self.measures), strict=True)
        return [(title, text + beside.get(name, "")) for name, (title, text) in texts]

    @property
    def notes(self) -> list[tuple[str, str]]:
        """What the release says of itself, and what is said of kept columns besides."""
        renamed = ", ".join(each.column for each in self.kept_columns if each.pseudonyms)
        notes = [("made", self.provenance)] if self.provenance else []
        notes += [("pseudonyms", f"{renamed}: compared with the values that are as frequent")] if renamed else []
        return [*notes, *(("not compared", f"{each.column}: {each.reason}") for each in self.not_compared)]

    @property
    def meanings(self) -> dict[str, str]:
        """What each measure tells, by its title."""
        return {MEASURES[name].title: MEASURES[name].meaning for name in self.measures}

    @property
    def key_figures(self) -> list[tuple[str, Any]]:
        """Sizes, and the first measures."""
        sizes = [("cases before, after", f"{self.cases_before:,}, {self.cases_after:,}")]
        return [*sizes, ("mean time between events", hours_text(self.mean_step_hours)), *self.rows()]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries, lists, texts and numbers; each measure under its own name."""
        found = super().to_dict()
        measures = found.pop("measures")
        return {**found, **measures}


def compare(original: LogSource, release: LogSource | Release, provenance: Provenance | None = None) -> Comparison:
    """Compare a release with its original (logs, data frames or logs of PM4Py).

    A `Release` carries its guarantee; a plain log does not, but `provenance` may say what its file tells of it.

    >>> from unsingle import synthesize
    >>> log = synthesize(cases=100)
    >>> compare(log, log).time_distance.hours
    0.0
    """
    from ..release import Release as Made

    log = as_log(original)
    if not isinstance(release, Made):
        guarantee, told = _told(provenance)
        return _compared(Context(log, as_log(release)), guarantee, found=_tried(log, provenance), provenance=told)
    context = context_of(log, release)
    guarantee = f"{named(release)}. {release.guarantee}"
    lost = bool(context.lost_variants)
    alone = lone_paths(people_alone_in(log), people_in(log), release.budget, any_lost=lost)
    return _compared(context, guarantee, alone, risk_after(log, release.method))


def _tried(log: EventLog, provenance: Provenance | None) -> RiskAfter | None:
    """Risk after a release in a file, if that says how it was made, by a method that is known here."""
    facts = None if provenance is None else provenance.credible
    method = None if facts is None else made_as(facts)
    if method is None:
        return None
    try:
        return risk_after(log, method.keeping([column.field for column in public_columns(log)]))
    except UnsingleError:  # columns of the log that this method cannot release
        return None


def _told(provenance: Provenance | None) -> tuple[str, str]:
    """The guarantee that a release in a file says it has, if it was not altered, and how far that can be relied on."""
    if provenance is None:
        return "", ""
    facts = provenance.credible
    guarantee = "" if facts is None else f"{facts.named}. {facts.guarantee} {facts.limits}"
    return guarantee, str(provenance)


def _compared(
    context: Context,
    guarantee: str = "",
    people_alone: str = "",
    found: RiskAfter | None = None,
    provenance: str = "",
) -> Comparison:
    original, release = context.original, context.release
    before, after = context.variants_before, context.variants_after
    measures = measured(context, _compares)
    return Comparison(
        cases_before=original.n_cases,
        cases_after=release.n_cases,
        events_before=original.n_events,
        events_after=release.n_events,
        mean_step_hours=mean_step_hours(original),
        measures=measures,
        yardsticks=yardsticks(original, measures, _compares),
        one_person_paths=sum(cases == 1 and path in after for path, cases in before.items()),
        guarantee=guarantee,
        people_alone=people_alone,
        provenance=provenance,
        risk_after=found.verdict if found else "",
        people_found=found.rows if found else (),
        week=week_hours(*context.week),
        **comparison_tables(context)._asdict(),
        **column_tables(context)._asdict(),
    )


def _compares(measure: Measure[Any]) -> bool:
    return measure.in_comparison
