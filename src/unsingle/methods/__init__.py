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
from . import amun, filter, sample, strict, synthetic, twin  # noqa: A004 - the name that users know
from .outcome import Outcome
from .steps import Steps


class Method(NamedTuple):
    """A method: how it anonymises, what it promises, and how it is called in one line."""

    anonymize: Callable[[EventLog, Options, Randomness, Progress], Outcome]
    guarantee: Callable[[Options], Guarantee]
    title: str
    keeps_variants: bool = True
    steps: Steps | None = None
    """The two steps of a method that need not see the whole log at once."""
    outside: Callable[[EventLog, Options], dict[str, int]] | None = None
    """What of a log does not fit what its owner said of it, where that is asked for."""
    has_slack: bool = False
    """Whether the method grants something beyond epsilon."""


DEFAULT = "twin"

METHODS = {
    "twin": Method(
        twin.same,
        twin.same_guarantee,
        "same paths; differential privacy on average, for paths and times",
        has_slack=True,
    ),
    "twin-crowds": Method(
        twin.crowds,
        twin.crowds_guarantee,
        "paths taken by many; the same promise, also for people alone on a path",
        keeps_variants=False,
        outside=synthetic.outside,
        has_slack=True,
    ),
    "strict": Method(
        strict.anonymize,
        strict.guarantee,
        "paths taken by many, with the budget of differential privacy itself",
        keeps_variants=False,
        outside=synthetic.outside,
        has_slack=True,
    ),
    "amun": Method(amun.STEPS.anonymize, amun.guarantee, "the paper's, leaks closed", steps=amun.STEPS),
    "sample": Method(sample.anonymize, sample.guarantee, "amun that also removes cases", keeps_variants=False),
    "filter": Method(
        filter.anonymize, filter.guarantee, "drops cases that stand out, then sample", keeps_variants=False
    ),
}
"""All methods, the default first; the first three are a ladder of ever stronger promises."""

_GONE = {
    "blend": "blend is gone: whoever knows the other cases could read a person's durations and path off its releases. "
    "Take twin, which keeps the same paths and bounds that attacker",
}


def method_named(name: str) -> Method:
    """The method of this name."""
    if name in _GONE:
        raise ParameterError(_GONE[name])
    if name not in METHODS:
        raise ParameterError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return METHODS[name]


def with_paths(method: str, paths: str) -> str:
    """The name of the method that publishes these paths: `same` or `crowds`.

    >>> with_paths("twin", "crowds")
    'twin-crowds'
    """
    if paths not in ("same", "crowds"):
        raise ParameterError(f"paths must be 'same' or 'crowds' (not {paths!r})")
    if paths == "same" or method.endswith(f"-{paths}"):
        return method
    if f"{method}-{paths}" not in METHODS:
        raise ParameterError(f"paths of crowds go with twin: {method} has no such choice")
    return f"{method}-{paths}"
