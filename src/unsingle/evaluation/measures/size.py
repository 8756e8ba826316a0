"""How large the file of a release gets."""

from __future__ import annotations

import io

from ...core.log import EventLog
from ..context import Context
from .base import MEASURES, Measure, Number, Plot


class WrittenSize(Measure[float]):
    """The size of the release as .xes.gz, in megabytes."""

    name = "megabytes"
    rank = 90
    title = "MB"
    meaning = "Size of the release as .xes.gz."
    numbers = (Number(name, title, plot=Plot("How large the file gets", meaning, title)),)
    in_comparison = False  # what is compared is a file already
    each_run = False

    def of(self, original: EventLog, release: EventLog, context: Context) -> float:
        """Write it to memory."""
        from ...formats.output import compressed
        from ...formats.xes.writer import write_xes

        content = io.BytesIO()
        with compressed(content) as packed:
            write_xes(release, packed)
        return len(content.getvalue()) / 1e6


SIZE = WrittenSize()
MEASURES.add(SIZE)
