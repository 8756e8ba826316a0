"""Which activity labels may be published where they are not public: those that many people have (`selection`).

Labels of variants that were published for their own number of cases are published with them.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Flags
from .cases import Cases
from .measurements import Leak, Measurements
from .selection import Having, selected

ROUNDS = {"which activities there are": 0.15, "which others there are": 0.3, "which there are besides": 0.55}
"""The rounds, and which part of the budget for labels each has: the later, the less is left to be found."""


def published_labels(cases: Cases, published: Flags, measurements: Measurements) -> tuple[str, ...]:
    """The labels that are published already, and those whose noised number of people passes, ordered by name."""
    having = Having(cases.labels, cases.activity, cases.person_of_event)
    terms = measurements.budget.terms
    leak = Leak(terms.label_leak, anybody=terms.cases_per_person > 1)
    chosen = selected(tuple(ROUNDS), having, published, leak, measurements)
    return tuple(np.array(cases.labels, dtype=object)[chosen].tolist())
