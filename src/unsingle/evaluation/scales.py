"""What distances of times are seen as a share of."""

from __future__ import annotations

from ..core.clock import HOUR
from ..core.log import EventLog


def mean_step_hours(log: EventLog) -> float:
    """The mean time between two events of a case."""
    steps = max(1, log.n_events - log.n_cases)
    return float((log.case_ends - log.case_starts).sum() / steps) / HOUR


def mean_case_hours(log: EventLog) -> float:
    """The mean duration of a case."""
    return float((log.case_ends - log.case_starts).mean()) / HOUR


def span_hours(log: EventLog) -> float:
    """The time from the first event of the log to the last."""
    return float(log.time.max() - log.time.min()) / HOUR
