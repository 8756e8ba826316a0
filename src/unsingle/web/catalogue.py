"""What can be chosen on the page and through the API, derived from the registries of methods, formats and grids.

Nothing else in the web app knows which methods and formats there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ..core.clock import GRIDS
from ..core.columns import Field
from ..errors import UnsingleError
from ..evaluation.sweep import DELTAS as SWEPT
from ..formats.base import DEFAULT as DEFAULT_FORMAT
from ..formats.base import file_kinds
from ..formats.escapes import ESCAPES
from ..methods import DEFAULT as DEFAULT_METHOD
from ..methods import METHODS, PATHS, in_words_of_options
from ..methods.base import USUAL_DELTA as DEFAULT_DELTA
from ..methods.base import WEAK_DELTA, Parameter
from ..privacy.guarantee import Guarantee
from ..release import guarantee_of

__all__ = ["DEFAULT_DELTA", "DEFAULT_FORMAT", "DEFAULT_METHOD", "ESCAPES", "GRIDS", "PATHS",
           "WEAK_DELTA", "MethodCard", "deltas", "formats", "guarantees", "method_cards", "methods", "parameters",
           "refusals", "release_formats"]  # fmt: skip

CHOICES = ("method", "paths", "delta", "format")
"""What is chosen for every release; all else are parameters of its method."""


def deltas() -> tuple[float, ...]:
    """The deltas that predictions are made for, the default first, then those next to it."""
    return tuple(sorted(SWEPT, key=lambda delta: (round(abs(delta - DEFAULT_DELTA), 6), delta)))


def formats() -> tuple[str, ...]:
    """The kinds of files that can be loaded."""
    return tuple(file_kinds())


def release_formats() -> tuple[str, ...]:
    """The kinds of files that can be released."""
    return tuple(file_kinds(written=True))


def guarantees(delta: float, columns: tuple[Field, ...] = ()) -> dict[str, Guarantee]:
    """What each method promises at this delta if it releases these columns too.

    Without those that cannot, or whose releases must not be published.
    """
    promised = {name: _guarantee(name, delta, columns) for name in METHODS}
    return {name: each for name, each in promised.items() if each is not None and each.publishable}


@lru_cache(maxsize=256)
def _guarantee(method: str, delta: float, columns: tuple[Field, ...]) -> Guarantee | None:
    try:
        return guarantee_of(METHODS[method](delta=delta).keeping(columns))
    except UnsingleError:
        return None


def methods() -> tuple[str, ...]:
    """The methods whose releases may be published, in the order of the registry."""
    return tuple(guarantees(DEFAULT_DELTA))


def parameters() -> dict[str, Parameter]:
    """What can be set of the methods that are offered, beside `CHOICES`, by name."""
    found = {name: each for method in methods() for name, each in METHODS[method].parameters().items()}
    return {name: each for name, each in found.items() if name not in CHOICES}


def refusals(columns: Sequence[Field]) -> dict[str, UnsingleError]:
    """The methods that cannot release these columns, and why."""
    found = {name: _refusal(name, columns) for name in methods()}
    return {name: each for name, each in found.items() if each is not None}


def _refusal(method: str, columns: Sequence[Field]) -> UnsingleError | None:
    try:
        METHODS[method]().keeping(columns)
    except UnsingleError as error:
        return error
    return None


class MethodCard(NamedTuple):
    """A method as the page offers it. `spelled` is how the command names it."""

    name: str
    heading: str
    about: str
    spelled: str
    keeps_variants: bool
    has_budget: bool


def method_cards() -> list[MethodCard]:
    """All methods that are offered."""
    return [_card(name) for name in methods()]


def _card(name: str) -> MethodCard:
    method, spelled = METHODS[name], " --paths ".join(in_words_of_options(name).values())
    return MethodCard(name, method.heading, method.about, spelled, method.keeps_variants, method.has_budget)
