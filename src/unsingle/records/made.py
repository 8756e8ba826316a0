"""The method that made a release, as far as the release tells."""

from __future__ import annotations

from typing import Any

from ..errors import UnsingleError
from ..methods import METHODS, Method, chosen
from .facts import ReleaseFacts


def made_as(facts: ReleaseFacts) -> Method | None:
    """The method that made a release, with its parameters as far as facts tell; None if it is not one of ours.

    Facts do not tell one case for each person from persons with up to one case: the promise does.
    """
    tried = [method for cases in (facts.cases_per_person, None) if (method := _with(facts, cases)) is not None]
    fitting = [method for method in tried if method.guarantee().statement == facts.guarantee]
    return next(iter(fitting or tried), None)


def _with(facts: ReleaseFacts, cases: int | None) -> Method | None:
    if facts.method not in METHODS:
        return None
    of_persons = "cases_per_person" in METHODS[facts.method].parameters()
    given: dict[str, Any] = {"cases_per_person": cases} if of_persons else {}
    try:
        method = chosen(facts.method, delta=facts.delta, **given)
        return method.keeping(facts.fields)
    except UnsingleError:  # of another version, say
        return None
