"""Puts measured tables into documents, each between its own pair of marks."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import results

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "reference" / "benchmarks.md"
README = Path(__file__).resolve().parents[1] / "README.md"


def put(section: str, text: str, path: Path = DOCUMENT) -> None:
    """Replace what stands between the marks of this section."""
    begin, end = f"<!-- {section} -->", f"<!-- end of {section} -->"
    document = path.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if not pattern.search(document):
        raise SystemExit(f"{path} has no marks {begin} ... {end}")
    results.keep(section, text)
    path.write_text(pattern.sub(lambda _: f"{begin}\n{text}\n{end}", document), encoding="utf-8")


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; all columns but the first are aligned right."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def parser_of(doc: str | None, runs: int, *, needs_logs: bool = True) -> argparse.ArgumentParser:
    """What every script can be asked with: where the real logs are, how many runs, and whether to write."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n", 1)[0])
    parser.add_argument("--logs", type=Path, required=needs_logs, help="folder of the real logs")
    parser.add_argument("--runs", type=int, default=runs, help="how many times each is run")
    parser.add_argument("--write", action="store_true", help="put tables and charts into docs")
    return parser


def rendered(blocks: list[Any]) -> str:
    """A kept section as Markdown."""
    return "\n\n".join(each if isinstance(each, str) else table(each["header"], each["rows"]) for each in blocks)
