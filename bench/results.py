"""Measured results, kept as JSON: one file for each benchmark, with its sections of paragraphs and tables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "results"
SECTIONS = {
    "speed": ("speed", "speed by step", "speed by format"),
    "worst-cases": ("worst cases",),
    "methods": ("methods", "flow"),
    "columns": ("columns",),
    "strict": ("strict",),
    "use": ("use",),
    "audits": ("insiders", "values", "audit"),
    "web": ("web",),
    "spark": ("spark scale", "spark skew", "spark agreement"),
    "reproduction": ("digits", "precision"),
    "paper": ("paper table", "paper run times", "comparison"),
}
_NAMES = ("delta", "method", "by", "learnt by")  # columns that, with the first, say what a row is about
_NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*")


def load(path: Path) -> dict[str, list[Any]]:
    """The sections of one benchmark."""
    kept: dict[str, list[Any]] = json.loads(path.read_text(encoding="utf-8"))
    return kept


def keep(section: str, text: str) -> None:
    """Save a section among the others of its benchmark."""
    (name,) = (name for name, sections in SECTIONS.items() if section in sections)
    path = FOLDER / f"{name}.json"
    kept = {**(load(path) if path.exists() else {}), section: [_block(each) for each in text.split("\n\n")]}
    FOLDER.mkdir(exist_ok=True)
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def kept_rows(name: str, section: str) -> list[list[str]]:
    """The rows of the tables that are kept of a section."""
    path = FOLDER / f"{name}.json"
    blocks = load(path).get(section, []) if path.exists() else []
    return [row for block in blocks if isinstance(block, dict) for row in block["rows"]]


def _block(text: str) -> Any:
    if not text.startswith("| "):
        return text
    header, _, *rows = ([cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines())
    return {"header": header, "rows": rows}


def compare(old: dict[str, list[Any]], new: dict[str, list[Any]]) -> list[str]:
    """A line for each cell that has a number in both: where it stands, old, new, and new / old."""
    before, after = _numbers(old), _numbers(new)
    return [
        f"{' | '.join(place)}: {before[place]:g} {after[place]:g} {after[place] / before[place]:.2f}"
        for place in before
        if place in after and before[place]
    ]


def _numbers(sections: dict[str, list[Any]]) -> dict[tuple[str, ...], float]:
    """The first number of each cell, by section, what the row is about, and the column."""
    return {
        (section, *_named(block["header"], row), f"{column} {header}"): float(found[0].replace(",", ""))
        for section, blocks in sections.items()
        for block in blocks
        if isinstance(block, dict)
        for row in block["rows"]
        for column, (header, cell) in enumerate(zip(block["header"], row, strict=True))
        if column and header not in _NAMES and (found := _NUMBER.search(cell))
    }


def _named(header: list[str], row: list[str]) -> list[str]:
    return [row[0], *(cell for name, cell in zip(header, row, strict=True) if name in _NAMES)]
