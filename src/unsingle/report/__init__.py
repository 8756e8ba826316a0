"""Private reports: one HTML file each, that opens offline, prints, and says on its face that it is private."""

from __future__ import annotations

import os

from ..auditing.findings import Audit
from ..comparison import Comparison
from ..errors import ParameterError
from ..risk import Risk
from ..sweeping import Sweep
from ..tabular import Tabular
from .audit_page import audit_page
from .comparison_page import comparison_page
from .risk_page import risk_page
from .sweep_page import sweep_page
from .writing import Page, private_name, render

__all__ = ["page_of", "private_name", "render", "write_report"]


def page_of(found: Tabular) -> Page:
    """The report of a result."""
    if isinstance(found, Risk):
        return risk_page(found)
    if isinstance(found, Sweep):
        return sweep_page(found)
    if isinstance(found, Comparison):
        return comparison_page(found)
    if isinstance(found, Audit):
        return audit_page(found)
    raise ParameterError(f"there is no report of a {type(found).__name__}")


def write_report(found: Tabular, target: str | os.PathLike[str], *, force: bool = False) -> str:
    """Write the report of a risk, a comparison, a sweep or an audit, whole or not at all.

    Returns the file's name, into which PRIVATE is put if it is not there.
    """
    from ..formats.files import atomic_output

    name = private_name(target)
    with atomic_output(name, force=force) as stream:
        stream.write(render(page_of(found)).encode())
    return name
