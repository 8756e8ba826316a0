"""From a result to its page: each kind of report registers a function for its type of result."""

from __future__ import annotations

from functools import singledispatch

from ...errors import ParameterError
from ...evaluation.tables import Tabular
from ..render import Page


@singledispatch
def page_of(found: Tabular) -> Page:
    """The report of a result."""
    raise ParameterError(f"there is no report of a {type(found).__name__}")
