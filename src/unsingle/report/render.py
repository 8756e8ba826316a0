"""From a page to a file: everything inside, nothing requested from outside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ParameterError
from ..evaluation.tables import PRIVATE, without_nan
from ..formats.output import is_private

if TYPE_CHECKING:
    import jinja2

    from ..core.log import SourceColumns

Figure = dict[str, Any]
"""A plot, in the words of plotly."""


@dataclass(frozen=True)
class Card:
    """One number and what it means."""

    figure: str
    meaning: str


@dataclass(frozen=True)
class Advice:
    """What to do, and the command that does it."""

    text: str
    command: str = ""


@dataclass(frozen=True)
class Cell:
    """A number in a matrix, and how dark it is, from 0 to 10."""

    text: str
    level: int


@dataclass(frozen=True)
class Matrix:
    """A table of shares that is read by its colours, beside another one of the same rows and columns.

    A `dense` one has small cells whose text is shown when they are pointed at.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    dense: bool = False


@dataclass(frozen=True)
class Section:
    """A plot, matrices or a table, and one sentence that says what to see in it."""

    name: str
    heading: str
    sentence: str
    figure: Figure | None = None
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    graph: dict[str, Any] | None = None
    graph_share: int = 90
    matrices: tuple[Matrix, ...] = ()


@dataclass(frozen=True)
class Page:
    """A report: the answer first, the details behind it."""

    title: str
    verdict: str
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]
    advice: tuple[Advice, ...] = field(default=())


About = tuple[tuple[str, str], ...]
"""What a private report is about, by name: the log, the day, columns, and the command that makes it again."""


def about(log: str, columns: SourceColumns | None = None, command: str = "") -> About:
    """What a report of this log is about, made now."""
    rows = [("log", log), ("made", f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")]
    if columns is not None:
        used = [f"{role} = {name}" for role, name in columns.roles.items()]
        kept = [f"kept: {', '.join(columns.kept)}"] if columns.kept else []
        left = [f"left out: {', '.join(columns.left_out)}"] if columns.left_out else []
        rows.append(("columns", "; ".join([*used, *kept, *left])))
    return (*rows, *([("command", command)] if command else []))


@cache
def environment() -> jinja2.Environment:
    """Where the templates of reports are found."""
    import jinja2
    from markupsafe import Markup

    made = jinja2.Environment(
        loader=jinja2.PackageLoader("unsingle.report"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    made.globals["asset"] = lambda name: Markup(asset(name))
    return made


def render(page: Page, about: About = ()) -> str:
    """The page as one HTML document, with what it is about at its end."""
    from markupsafe import Markup

    from ..version import VERSION

    data = drawn(page.sections)
    scripts = ["plotly-basic.min.js", "report.js"]
    if data["graph"]:
        scripts.insert(1, "dagre.min.js")
    return (
        environment()
        .get_template("report.html")
        .render(
            page=page,
            about=about,
            private=PRIVATE,
            version=VERSION,
            css=Markup(asset("report.css")),
            data=Markup(embedded_json(data)),
            scripts=[Markup(asset(name).replace("</script", "<\\/script")) for name in scripts],
        )
    )


def drawn(sections: Iterable[Section]) -> dict[str, Any]:
    """What report.js draws of these sections: plots by name, and a graph if there is one."""
    shown = tuple(sections)
    return {
        "figures": {section.name: section.figure for section in shown if section.figure},
        "graph": next((section.graph for section in shown if section.graph), None),
    }


@cache
def asset(name: str) -> str:
    """The text of a file that pages need."""
    return (resources.files("unsingle.report") / "assets" / name).read_text(encoding="utf-8")


def embedded_json(data: Any) -> str:
    """JSON that cannot end the element it stands in; what is not a number becomes null."""
    text = json.dumps(without_nan(data), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def private_name(target: str | os.PathLike[str], ending: str = ".html") -> str:
    """The file's name, with PRIVATE in it.

    >>> private_name("risk.html"), private_name("my-private-risk.html"), private_name("table", ".csv")
    ('risk.PRIVATE.html', 'my-private-risk.html', 'table.PRIVATE.csv')
    """
    path = Path(target)
    if not path.name or path.name == "-":
        raise ParameterError(f"{os.fspath(target)!r} is no name of a file: private figures go to a file of their own")
    if is_private(path.name):
        return str(path)
    return str(path.with_name(f"{path.stem}.PRIVATE{path.suffix or ending}"))
