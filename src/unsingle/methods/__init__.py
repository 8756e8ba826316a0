"""The methods by name. Each takes a log and gives a released one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..errors import ParameterError
from ..guarantee import Guarantee
from ..log import EventLog
from ..options import Options
from ..progress import Progress
from ..randomness import Randomness
from . import amun, blend, filter, sample, strict  # noqa: A004 - the name that users know
from .outcome import Outcome
from .steps import Steps


class Method(NamedTuple):
    """A method: how it anonymises, what it promises, and what is known of its noise."""

    anonymize: Callable[[EventLog, Options, Randomness, Progress], Outcome]
    guarantee: Callable[[Options], Guarantee]
    keeps_variants: bool = True
    mean_added: Callable[[Options], float] | None = None
    """How many added cases each variant has on average, where that is known."""
    steps: Steps | None = None
    """The two steps of a method that need not see the whole log at once."""
    outside: Callable[[EventLog, Options], dict[str, int]] | None = None
    """What of a log does not fit what its owner said of it, where that is asked for."""


METHODS = {
    "amun": Method(amun.STEPS.anonymize, amun.guarantee, steps=amun.STEPS),
    "blend": Method(blend.STEPS.anonymize, blend.guarantee, mean_added=blend.mean_added, steps=blend.STEPS),
    "sample": Method(sample.anonymize, sample.guarantee, keeps_variants=False),
    "filter": Method(filter.anonymize, filter.guarantee, keeps_variants=False),
    "strict": Method(strict.anonymize, strict.guarantee, keeps_variants=False, outside=strict.outside),
}


def method_named(name: str) -> Method:
    """The method of this name."""
    if name not in METHODS:
        raise ParameterError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return METHODS[name]
