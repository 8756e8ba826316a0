"""What a ledger lists, as a table: all releases of the same people, what they promise together, and what is left."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.wording import at_most
from ..errors import ParameterError
from ..methods import DEFAULT, chosen
from ..records.ledger import Entry, Ledger, checked_limit, read_ledger
from .tables import Tabular

_STEPS = 1000  # delta is looked for in thousandths


@dataclass(frozen=True)
class ListedRelease:
    """A release in a ledger, and what all up to this one may add together (None: nothing is promised of them)."""

    number: int
    time: str
    method: str
    delta: float
    outcome: str
    together: float | None
    digest: str


@dataclass(frozen=True)
class ReleasesSoFar(Tabular):
    """All releases of the same people. Private: it shows what was tried, and its times.

    `together` is what all of them may add to an attacker's chance, `left` the largest delta at which one more release
    by the default method keeps the `limit`, where there is one.
    """

    releases: tuple[ListedRelease, ...]
    without_promise: tuple[str, ...]
    together: float | None
    epsilon_presence: float | None
    epsilon_exchange: float | None
    slack: float | None
    limit: float | None
    left: float | None
    torn: bool

    @property
    def verdict(self) -> str:
        """What the same people have been promised in all, and what is left."""
        n = len(self.releases)
        if not n:
            return "There is no release in this ledger yet."
        counted = f"{n:,} release{'s' if n > 1 else ''} of the same people"
        return " ".join(sentence for sentence in (self._promised(counted), self._left, self._torn) if sentence)

    def _promised(self, counted: str) -> str:
        if self.together is None or self.without_promise:
            by = ", ".join(dict.fromkeys(self.without_promise))
            return (
                f"{counted}: nothing is promised of all together, because those by {by} promise nothing that adds up."
            )
        assert self.epsilon_presence is not None
        assert self.epsilon_exchange is not None
        assert self.slack is not None
        assumed = "That holds if no parameter was chosen by what earlier releases showed."
        return (
            f"{counted} may add at most {at_most(self.together, 3)} together to an attacker's chance of a right guess: "
            f"epsilon {at_most(self.epsilon_presence)} for presence, {at_most(self.epsilon_exchange)} for one case or "
            f"another, slack {at_most(self.slack)}. {assumed}"
        )

    @property
    def _left(self) -> str:
        if self.limit is None:
            return "No limit is set."
        if not self.left:
            return f"Nothing is left of the limit of {self.limit:g}."
        return f"Left of the limit of {self.limit:g}: one more release by {DEFAULT} at a delta of up to {self.left:g}."

    @property
    def _torn(self) -> str:
        return "A run was killed while it wrote the last line; it released nothing." if self.torn else ""


def releases_so_far(ledger: str | os.PathLike[str], limit: float | None = None) -> ReleasesSoFar:
    """What a ledger lists; `limit` takes the place of the one that was given last."""
    found = read_ledger(ledger)
    limit = found.limit if limit is None else checked_limit(limit)
    all_ = found.together()
    return ReleasesSoFar(
        releases=_listed(found.entries),
        without_promise=tuple(each.method for each in found.unpromised),
        together=None if all_ is None else all_.added,
        epsilon_presence=None if all_ is None else all_.epsilon_presence,
        epsilon_exchange=None if all_ is None else all_.epsilon_exchange,
        slack=None if all_ is None else all_.slack,
        limit=limit,
        left=None if limit is None else _left(found, limit),
        torn=found.torn,
    )


def _listed(entries: Sequence[Entry]) -> tuple[ListedRelease, ...]:
    rows = []
    for place, each in enumerate(entries):
        so_far = Ledger(b"", list(entries[: place + 1]))
        all_ = None if so_far.unpromised else so_far.together()
        together = None if all_ is None else all_.added
        rows.append(
            ListedRelease(each.number, each.time, each.method, each.delta, each.outcome, together, each.digest or "")
        )
    return tuple(rows)


def _left(ledger: Ledger, limit: float) -> float:
    """The largest delta, in thousandths, at which one more release by the default method keeps the limit."""
    if ledger.unpromised:
        return 0.0
    low, high = 0, _STEPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _keeps(ledger, middle / _STEPS, limit) else (low, middle)
    return low / _STEPS


def _keeps(ledger: Ledger, delta: float, limit: float) -> bool:
    try:
        spent = chosen(DEFAULT, delta=delta).spends()
    except ParameterError:  # too small for any noise
        return True
    all_ = ledger.together(spent, delta)
    return all_ is not None and all_.added <= limit * (1 + 1e-9)
