"""The methods: one module each. Each takes a log and gives a released one, with a guarantee."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import ParameterError, argument
from .base import METHODS, Method, TwoStage, refuse_unknown

__all__ = ["DEFAULT", "METHODS", "PATHS", "Method", "chosen", "in_words_of_options", "kind_meant", "ladder", "on_spark"]

DEFAULT = "twin"

PATHS = ("same", "crowds")
"""Which paths may be published: all of the original, or those that many people took."""

_AS_PUBLISHED, _ITS_ORIGIN = "as-published", "amun"
_GONE = {
    "blend": "blend is gone: anyone who knows the other cases could read a person's durations and path off its "
    "releases. Take twin, which keeps the same paths and bounds that attacker",
}


def ladder() -> tuple[str, ...]:
    """The methods with a budget, each promising more than the one before."""
    return tuple(name for name, method in METHODS.items() if method.has_budget)


def on_spark() -> tuple[str, ...]:
    """The methods that run on Spark as well: those in two stages.

    >>> on_spark()
    ('amun', 'as-published')
    """
    return tuple(name for name, method in METHODS.items() if issubclass(method, TwoStage))


def chosen(
    method: str | Method = DEFAULT, *, paths: str | None = None, as_published: bool = False, **given: Any
) -> Method:
    """The method that is meant, with its parameters; raises `ParameterError` for what it does not have.

    `paths` and `as_published` are other ways to name a method. One that has its parameters already takes no others.

    >>> chosen("twin", delta=0.1, paths="crowds").name
    'twin-crowds'
    """
    if isinstance(method, Method):
        _refuse_more(method, [*given, *["paths"] * (paths is not None), *["as_published"] * as_published])
        return method
    return kind_meant(method, given, paths=paths, as_published=as_published)(**given)


def kind_meant(
    method: str, given: Iterable[str] = (), *, paths: str | None = None, as_published: bool = False
) -> type[Method]:
    """The method that is meant, if it has all parameters of the given names."""
    kind = METHODS.named(_name(method, paths, as_published))
    if paths == PATHS[0] and not kind.keeps_variants:
        raise ParameterError(
            f"{argument('paths', paths)} does not go with the method {kind.name}, which does not keep all paths"
        )
    refuse_unknown(kind, given)
    return kind


def _refuse_more(method: Method, given: Iterable[str]) -> None:
    if more := ", ".join(argument(name) for name in given):
        raise ParameterError(
            f"{method.name} has its parameters already: leave out {more}, or give the name of the method alone"
        )


def _name(method: str, paths: str | None, as_published: bool) -> str:
    """The name under which the method is registered."""
    if method in _GONE:
        raise ParameterError(_GONE[method])
    if as_published and method not in (_ITS_ORIGIN, _AS_PUBLISHED):
        flag = argument("as_published", "True")
        raise ParameterError(f"{flag} is the paper's method, {_ITS_ORIGIN}: it cannot go with {method}")
    if paths not in (None, *PATHS):
        raise ParameterError(f"{argument('paths')} must be 'same' or 'crowds' (not {paths!r})")
    if paths in (None, PATHS[0]) or method.endswith(f"-{paths}"):
        return _AS_PUBLISHED if as_published else method
    if f"{METHODS.named(method).name}-{paths}" not in METHODS:
        raise ParameterError(f"{argument('paths', paths or '')} works only with {DEFAULT}, not with {method}")
    return f"{method}-{paths}"


def in_words_of_options(method: str) -> dict[str, str]:
    """The options of the command that mean this method; which paths it publishes is an option of its own.

    >>> in_words_of_options("twin-crowds"), in_words_of_options("as-published")
    ({'method': 'twin', 'paths': 'crowds'}, {'method': 'as-published'})
    """
    name, _, paths = method.rpartition("-")
    return {"method": name, "paths": paths} if name in METHODS else {"method": method}
