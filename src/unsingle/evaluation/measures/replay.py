"""Which share of released cases fits the original's directly-follows graph."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.log import EventLog
from ..context import Context
from ..units import SHARE
from .base import MEASURES, Measure


class Replay(Measure[float]):
    """The share of released cases that replay on the original's directly-follows graph, from start to end."""

    name = "replay_share"
    rank = 85
    title = "replay"
    meaning = "Released cases whose every step, from start to end, the original has too."
    unit = SHARE
    in_sweep = False

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Look at variants that are new: all others replay."""
        before, after = context.variants_before, context.variants_after
        allowed = {edge for path in before for edge in _edges_of(path)}
        new = {path: cases for path, cases in after.items() if path not in before}
        lost = sum(cases for path, cases in new.items() if not allowed.issuperset(_edges_of(path)))
        return 1 - lost / sum(after.values())

    def text(self, value: float) -> str:
        """The share in words."""
        return f"{value:.1%} of released cases fit the original's directly-follows graph"


def _edges_of(path: tuple[str, ...]) -> Iterator[tuple[str | None, str | None]]:
    return zip((None, *path), (*path, None), strict=True)


REPLAY = Replay()
MEASURES.add(REPLAY)
