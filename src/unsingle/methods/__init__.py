"""The methods by name. Each takes a log and gives the released log with the descent of its cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..errors import ParameterError
from ..guarantee import Guarantee
from ..log import EventLog
from ..options import Options
from ..progress import Progress
from ..ragged import Ints
from ..randomness import Randomness
from . import amun


class Method(NamedTuple):
    """A method: how it anonymises, and what it promises."""

    anonymize: Callable[[EventLog, Options, Randomness, Progress], tuple[EventLog, Ints]]
    guarantee: Callable[[Options], Guarantee]


METHODS = {"amun": Method(amun.anonymize, amun.guarantee)}


def method_named(name: str) -> Method:
    """The method of this name."""
    if name not in METHODS:
        raise ParameterError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return METHODS[name]
