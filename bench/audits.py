"""All methods attacked on real logs: what each attack gains, with the upper end of its 95 % bounds.

    python bench/audits.py --logs FOLDER [--runs 100] [--write]

Of the methods that promise something about paths, blend and strict, those are attacked five times as often.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from document import DOCUMENT, parser_of, put, table
from machine import machine
from unsingle import audit, read_log
from unsingle.auditing.findings import BEYOND, BROKEN, NOT_TESTED, UNDECIDED, Finding
from unsingle.auditing.promises import KINDS

LOGS = ("Sepsis", "BPIC13_incidents")
DELTAS = (0.1, 0.2, 0.4)
METHODS = ("as published", "amun", "sample", "filter", "blend", "strict")
THOROUGH, TIMES = ("blend", "strict"), 5


def audited(path: Path, method: str, delta: float, runs: int) -> list[Finding]:
    """What is found with so many runs, and on paths with more where that is called for."""
    log, as_published = read_log(path), method == "as published"
    name = "amun" if as_published else method
    more, cores = TIMES * runs if method in THOROUGH else runs, os.cpu_count() or 1
    paths = audit(log, delta, method=name, as_published=as_published, runs=more, attacks=["path"], processes=cores)
    others = audit(
        log, delta, method=name, as_published=as_published, runs=runs, attacks=tuple(KINDS)[1:], processes=cores
    )
    return [*paths.findings, *others.findings]


def cell(found: Finding) -> str:
    """The gain and its upper bound: bold if it is too much, ? if that is open, in brackets if nothing is promised."""
    if found.verdict == NOT_TESTED:
        return "–"
    text = f"{found.gain:.2f} ({found.high:.2f})"
    if found.verdict in (BROKEN, BEYOND):
        text = f"**{text}**"
    elif found.verdict == UNDECIDED:
        text += "?"
    return text if found.promised else f"[{text}]"


def main() -> None:
    arguments = parser_of(__doc__, runs=100).parse_args()
    parts = []
    for name in LOGS:
        for delta in DELTAS:
            columns: dict[str, list[Finding]] = {}
            for method in METHODS:
                begin = time.perf_counter()
                columns[method] = audited(arguments.logs / f"{name}.xes.gz", method, delta, arguments.runs)
                print(f"{name} {delta:g} {method}: {time.perf_counter() - begin:.0f} s", flush=True)
            attacks = [each.attack for each in columns[METHODS[0]]]
            rows = [[attack, *(cell(columns[method][i]) for method in METHODS)] for i, attack in enumerate(attacks)]
            parts.append(f"### {name.split('_')[0]}, delta {delta:g}\n\n{table(['attack', *METHODS], rows)}")
            print(parts[-1], flush=True)
    more = f"{TIMES * arguments.runs} for the paths of {' and '.join(THOROUGH)}"
    said = f"{arguments.runs} runs, {more}, measured on {machine()}.\n\n"
    if arguments.write:
        put("audit", said + "\n\n".join(parts), DOCUMENT.with_name("audit.md"))


if __name__ == "__main__":
    main()
