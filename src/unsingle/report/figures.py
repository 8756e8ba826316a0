"""Plots in the words of plotly, and cells of tables: what the reports are put together from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..evaluation.units import hours_text
from .render import Figure

__all__ = [
    "HOURS",
    "LEAST",
    "MOST_BARS",
    "bars",
    "ends_text",
    "hours_text",
    "label_text",
    "lines_of",
    "path_text",
    "spreads_of",
]

MOST_BARS = 25
_NAME = 18  # letters of an activity in the name of a path
LEAST = 1 / 3600
"""The least time that is drawn, in hours."""

_TICKS = {
    LEAST: "1 s", 10 * LEAST: "10 s", 1 / 60: "1 min", 1 / 6: "10 min", 1: "1 h", 6: "6 h", 24: "1 d", 168: "1 week",
    730: "1 month", 8766: "1 year", 87660: "10 years",
}  # fmt: skip
HOURS = {"type": "log", "title": "time", "tickvals": list(_TICKS), "ticktext": list(_TICKS.values())}
"""An axis of hours that reads in seconds to years."""


def bars(
    series: dict[str, list[Any]],
    names: list[str],
    *,
    stacked: bool = False,
    percent: bool = True,
    log: bool = False,
) -> Figure:
    """Lying bars, one row for each name from below."""
    per_row = 24 if stacked or len(series) == 1 else 17 * len(series)
    axis: dict[str, Any] = {"tickformat": "~%", "rangemode": "tozero"} if percent else {"title": "cases"}
    if log:
        axis["type"] = "log"
    shown = "%{x:.1%}" if percent else "%{x:,}"
    return {
        "data": [
            {"type": "bar", "orientation": "h", "name": name, "x": values, "y": names,
             "colour": list(series).index(name),
             "hovertemplate": f"%{{y}}: {shown}<extra>%{{fullData.name}}</extra>"}
            # plotly puts the first below
            for name, values in (series.items() if stacked else reversed(series.items()))
        ],
        "layout": {
            "barmode": "stack" if stacked else "group",
            "height": 110 + per_row * len(names),
            "xaxis": axis,
            "yaxis": {"type": "category", "ticks": ""},
            "showlegend": len(series) > 1,
            "bargap": 0.25,
            "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0,
                       "traceorder": "normal" if stacked else "reversed"},
        },
    }  # fmt: skip


def spreads_of(sides: Mapping[str, Sequence[tuple[float, ...]]], names: list[str], axis: dict[str, Any]) -> Figure:
    """Median and middle half of the values of each name, side by side: one row for each name from below.

    The quartiles of a side stand in the order of the names.
    """
    symbols = ("circle-open", "diamond")

    def trace(side: str, symbol: str) -> Figure:
        quartiles = sides[side]
        return {
            "type": "scatter", "mode": "markers", "name": side, "y": names, "x": [median for _, median, _ in quartiles],
            "marker": {"symbol": symbol, "size": 10},
            "error_x": {"type": "data", "symmetric": False, "thickness": 1.2, "width": 3,
                        "array": [max(upper - median, 0) for _, median, upper in quartiles],
                        "arrayminus": [max(median - lower, 0) for lower, median, _ in quartiles]},
        }  # fmt: skip

    return {
        "data": [trace(side, symbol) for side, symbol in zip(sides, symbols, strict=True)],
        "layout": {"height": 120 + 26 * len(names), "xaxis": axis, "yaxis": {"type": "category"}},
    }


def lines_of(lines: dict[str, tuple[list[Any], list[Any]]], layout: Figure, *, marks: bool = True) -> Figure:
    """A line for each name."""
    return {
        "data": [
            {"type": "scatter", "mode": "lines+markers" if marks else "lines", "name": name, "x": x, "y": y}
            for name, (x, y) in lines.items()
        ],
        "layout": {"height": 340, "hovermode": "x unified", **layout},
    }


def label_text(text: str) -> str:
    """A label as plotly takes it: short, and nothing in it read as markup."""
    short = text if len(text) <= 40 else f"{text[:39]}…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def ends_text(path: Sequence[str]) -> str:
    """A path by its first and last steps, short enough for the name of a bar.

    >>> ends_text(["register", "check", "pay"]), ends_text(["register"])
    ('register → … → pay (3 steps)', 'register (1 step)')
    """
    first, last = (
        label_text(label if len(label) <= _NAME else f"{label[: _NAME - 1]}…") for label in (path[0], path[-1])
    )
    if len(path) == 1:
        return f"{first} (1 step)"
    return f"{first} → {'' if len(path) == 2 else '… → '}{last} ({len(path)} steps)"


def path_text(path: Sequence[str]) -> str:
    """A path with arrows; the middle of a long one is left out."""
    shown = path if len(path) <= 12 else (*path[:6], f"… {len(path) - 12} more …", *path[-6:])
    return " → ".join(shown)
