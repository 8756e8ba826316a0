"""Method `as-published`: the paper's own as it stands in the paper, leaks and all, to reproduce it."""

from __future__ import annotations

from dataclasses import dataclass

from ..privacy.guarantee import Guarantee
from .amun import Amun
from .base import METHODS
from .paper import TimeFrom


@METHODS.add
@dataclass(frozen=True)
class AsPublished(Amun):
    """Reproduces the paper. Not for publication."""

    name = "as-published"
    rank = 20
    title = "the paper's with its leaks, to reproduce it; not for publication"
    heading = "As published"
    about = "The paper's method with its leaks, to reproduce its figures. Not for publication."
    closes_leaks = False

    @property
    def base(self) -> TimeFrom:
        """What times are measured from: the choice, else as the paper's text says."""
        return self.time_from or "start"

    def guarantee(self) -> Guarantee:
        """Nothing."""
        return Guarantee(
            promises=(),
            limits="This is the method as the paper has it, with its leaks. The start times are true, and so are the "
            "times in every group without a range and wherever the prior is high; people can be singled out by them.",
            assumes=(),
            not_protected=("anyone in the log",),
            warnings=("Made as published, for reproducing the paper. NOT FOR PUBLICATION.",),
        )
