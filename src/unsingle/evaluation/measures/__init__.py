"""How close a release is to its original: one measure, one module. These figures show the truth: they are private.

A new measure is one more module, see `base`; nothing is listed here but what other modules import.
"""

from ..context import Context, lost_variants
from ..directly_follows import PairDistance, pair_distances
from ..sets import SetChange, set_change
from ..wasserstein import Distance, wasserstein
from .active import active_cases
from .base import MEASURES, Measure, Number, Plot
from .case_durations import case_duration_distance
from .case_starts import start_distance
from .relative_error import smape
from .step_durations import time_distance

__all__ = [
    "MEASURES",
    "Context",
    "Distance",
    "Measure",
    "Number",
    "PairDistance",
    "Plot",
    "SetChange",
    "active_cases",
    "case_duration_distance",
    "lost_variants",
    "pair_distances",
    "set_change",
    "smape",
    "start_distance",
    "time_distance",
    "wasserstein",
]
