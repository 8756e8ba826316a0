"""What is in a log, counted. These figures are of the original: they are private."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..core.automaton import build_automaton
from ..core.log import grid_of
from ..formats.tables.times import iso_times
from .sources import LogSource, as_log


@dataclass(frozen=True)
class Inspection:
    """The sizes of a log. Private, like the log itself."""

    cases: int
    events: int
    variants: int
    activities: int
    first_event: str
    last_event: str
    states: int
    transitions: int
    unique_variant_share: float
    longest_case: int
    time_grid: str
    zone: str

    def to_dict(self) -> dict[str, Any]:
        """The figures as a plain dictionary."""
        return asdict(self)


def inspect_log(log: LogSource) -> Inspection:
    """Summarise a log (an `EventLog`, a data frame or a log of PM4Py).

    >>> from unsingle import synthesize
    >>> inspect_log(synthesize(cases=200)).cases
    200
    """
    log = as_log(log)
    variants, automaton = log.variants, build_automaton(log.variants)
    return Inspection(
        cases=log.n_cases,
        events=log.n_events,
        variants=variants.count,
        activities=len(set(log.activity.tolist())),
        first_event=iso_times(log.time.min(keepdims=True), log.zone)[0],
        last_event=iso_times(log.time.max(keepdims=True), log.zone)[0],
        states=automaton.n_states,
        transitions=automaton.n_transitions,
        unique_variant_share=int((variants.cases == 1).sum()) / log.n_cases,
        longest_case=int((log.case_offsets[1:] - log.case_offsets[:-1]).max()),
        time_grid=grid_of(log).name,
        zone=log.zone,
    )
