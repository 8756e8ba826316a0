"""Private reports: one HTML file each, that opens offline, prints, and says on its face that it is private."""

from __future__ import annotations

import os

from ..evaluation.tables import Tabular
from . import pages as _pages  # noqa: F401 - each registers itself
from .pages.base import page_of
from .render import About, about, private_name, render

__all__ = ["about", "page_of", "private_name", "render", "write_report"]


def write_report(found: Tabular, target: str | os.PathLike[str], *, force: bool = False, about: About = ()) -> str:
    """Write the report of a risk, a comparison, a sweep or an audit, whole or not at all.

    `about` says which log it is of, when it was made and how; see the function of that name. Returns the
    file's name, into which PRIVATE is put if it is not there.
    """
    from ..formats.output import atomic_output

    name = private_name(target)
    with atomic_output(name, force=force) as stream:
        stream.write(render(page_of(found), about).encode())
    return name
