"""What measures of one release share: how it was made, and what several of them would compute again."""

from __future__ import annotations

from functools import cached_property

from ..core.arrays import Ints
from ..core.log import EventLog
from .directly_follows import DirectlyFollows
from .kept import Alike, Kept, NotCompared, activities_alike, kept_columns
from .services import Services, lifecycles_of
from .week import hours_of_week

Counts = dict[tuple[str, ...], int]


class Context:
    """An original and its release, with what is known of how it was made.

    `ancestors` is the original case that each released case is a copy of, if cases were copied; `keeps_variants` says
    that both have the same variants, if that is known.
    """

    def __init__(
        self, original: EventLog, release: EventLog, *, ancestors: Ints | None = None, keeps_variants: bool = False
    ) -> None:
        self.original, self.release = original, release
        self.ancestors, self.keeps_variants = ancestors, keeps_variants

    @property
    def kept(self) -> tuple[Kept, ...]:
        """The columns beside case, activity and time that both have."""
        return self._columns[0]

    @property
    def not_compared(self) -> tuple[NotCompared, ...]:
        """The columns of the original that the release does not have, or that cannot be compared."""
        return self._columns[1]

    @cached_property
    def _columns(self) -> tuple[tuple[Kept, ...], tuple[NotCompared, ...]]:
        return kept_columns(self.original, self.release)

    @cached_property
    def activities(self) -> Alike:
        """The activities of all events of both."""
        return activities_alike(self.original, self.release)

    @cached_property
    def last_activities(self) -> Alike:
        """The last activity of each case of both."""
        last = (log.case_offsets[1:] - 1 for log in (self.original, self.release))
        return self.activities.at(*last)

    @cached_property
    def services(self) -> Services | None:
        """The times from start to complete of both, if labels tell starts from completes."""
        lifecycles = lifecycles_of(self.original, self.release)
        return Services(self.original, self.release, lifecycles) if lifecycles else None

    @cached_property
    def week(self) -> tuple[Ints, Ints]:
        """The events of both by the hours of the week, on the clock of the original."""
        before, after = (hours_of_week(log, self.original.zone) for log in (self.original, self.release))
        return before, after

    @cached_property
    def directly_follows(self) -> DirectlyFollows:
        """The directly-follows pairs of both."""
        return DirectlyFollows(self.original, self.release)

    @cached_property
    def variants_before(self) -> Counts:
        """The variants of the original, with their cases."""
        return self.original.variant_counts()

    @cached_property
    def variants_after(self) -> Counts:
        """The variants of the release, with their cases."""
        return self.release.variant_counts()

    @cached_property
    def lost_variants(self) -> Counts:
        """The variants that the release does not have, with their cases, the most frequent first."""
        if self.keeps_variants:
            return {}
        left = self.variants_after.keys()
        lost = [(path, cases) for path, cases in self.variants_before.items() if path not in left]
        return dict(sorted(lost, key=lambda variant: -variant[1]))


def lost_variants(original: EventLog, release: EventLog) -> Counts:
    """The variants that the release does not have, with their cases, the most frequent first."""
    return Context(original, release).lost_variants
