"""What a method hands over."""

from __future__ import annotations

from typing import NamedTuple

from ..log import EventLog
from ..privacy.budget import Budget
from ..ragged import Ints


class Outcome(NamedTuple):
    """A released log, and what is known of how it was made.

    `ancestors` names for each released case the original case that it descends from (private); nothing where no case
    descends from one. `budget` is what a differentially private method spent.
    """

    log: EventLog
    ancestors: Ints | None = None
    budget: Budget | None = None
