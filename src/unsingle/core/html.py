"""A result in a notebook: the verdict first, then a few key figures, then the details, folded away."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

PRIVATE = "PRIVATE, DO NOT PUBLISH"
"""What stands on the face of everything that shows the truth."""

MOST_FIGURES = 8
_MOST_ROWS = 20


def display(
    verdict: str,
    figures: Sequence[tuple[str, Any]] = (),
    details: Mapping[str, Sequence[Mapping[str, Any]] | Sequence[str]] | None = None,
    *,
    private: bool = True,
) -> str:
    """The HTML of a result. Details are tables (rows by column name) or lists of sentences; everything is escaped.

    >>> print(display("All is well.", [("cases", 1200)], private=False))
    <p><strong>All is well.</strong></p>
    <table><tbody><tr><th style="text-align: left">cases</th><td>1,200</td></tr></tbody></table>
    """
    parts = [f"<p><strong>{_escaped(verdict)}</strong></p>"]
    if private:
        parts.append(f"<p>{PRIVATE}</p>")
    if figures:
        parts.append(f"<table><tbody>{''.join(map(_figure, figures[:MOST_FIGURES]))}</tbody></table>")
    sections = [_section(name, rows) for name, rows in (details or {}).items() if rows]
    if sections:
        parts.append(f"<details><summary>Details</summary>{''.join(sections)}</details>")
    return "\n".join(parts)


def _figure(figure: tuple[str, Any]) -> str:
    name, value = figure
    return f'<tr><th style="text-align: left">{_escaped(name)}</th><td>{_escaped(value)}</td></tr>'


def _section(name: str, rows: Sequence[Mapping[str, Any]] | Sequence[str]) -> str:
    shown = rows[:_MOST_ROWS]
    body = _table([row for row in shown if not isinstance(row, str)]) or _list(row for row in shown)
    more = f"<p>{len(rows) - len(shown):,} more rows</p>" if len(rows) > len(shown) else ""
    return f"<h4>{_escaped(name.replace('_', ' '))}</h4>{body}{more}"


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return ""
    head = "".join(f"<th>{_escaped(name.replace('_', ' '))}</th>" for name in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{_escaped(cell)}</td>" for cell in row.values()) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _list(sentences: Iterable[Any]) -> str:
    return "<ul>" + "".join(f"<li>{_escaped(sentence)}</li>" for sentence in sentences) + "</ul>"


def _escaped(value: Any) -> str:
    return html.escape(_text(value))


def _text(value: Any) -> str:
    """A value as it is read best: numbers with few digits, paths with arrows."""
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return " > ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
