"""Which part of the budget for tallies (rho) each tally has: fixed before anything is drawn, never by the log at hand.

The figures were chosen by what measured best on public logs.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..privacy.budget import Terms
from . import clocks, durations, flow, labels, pace, paths, weeks
from .attributes import Attribute

_COLUMNS = 0.42  # n columns beside case, activity and time have n / (n + 1) of this together

_SAME = {
    clocks.ZONE_TALLY: 0.01,
    clocks.GRID_TALLY: 0.02,
    flow.FLOW_TALLY: 0.10,
    weeks.WEEK_TALLY: 0.03,
    pace.CASE_TALLY: 0.03,
}
_MANY = {
    clocks.ZONE_TALLY: 0.01,
    clocks.GRID_TALLY: 0.02,
    flow.FLOW_TALLY: 0.04,
    weeks.WEEK_TALLY: 0.015,
    pace.CASE_TALLY: 0.015,
    **{name: 0.11 * part for name, part in labels.ROUNDS.items()},
    paths.STEP_TALLY: 0.60,
    paths.END_TALLY: 0.04,
}
_EVERY_OUTCOME = _MANY | {
    **{name: 0.20 * part for name, part in labels.ROUNDS.items()},
    paths.STEP_TALLY: 0.48,
    paths.END_TALLY: 0.10,
}


def shares(terms: Terms, attributes: Sequence[Attribute] = ()) -> dict[str, float]:
    """The part of rho that each tally has; columns that are kept share theirs evenly."""
    first = _SAME if terms.publishes_all_paths else _EVERY_OUTCOME if terms.every_outcome else _MANY
    left = 1 - sum(first.values())
    without = {**first, **{name: left * share for name, share in durations.SHARES_OF_DURATIONS.items()}}
    each = _COLUMNS / (len(attributes) + 1)
    of_columns = {name: each * share for attribute in attributes for name, share in attribute.shares().items()}
    return {name: (1 - each * len(attributes)) * share for name, share in without.items()} | of_columns
