"""All methods attacked on real logs: what each attack gains, with the upper end of its 95 % bounds.

    python bench/audits.py --logs FOLDER [--runs 25] [--insider-runs 400] [--value-runs 40] [--only-values] [--write]

Three kinds of tables: all attacks on all methods at delta 0.2; at four deltas, the attacker who sees the noised figures
themselves, which nobody who sees a release can surpass; and attacks on the values of kept columns.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from document import DOCUMENT, parser_of, put, table
from machine import machine
from unsingle import EventLog, audit, read_log
from unsingle.auditor.attacks import noise
from unsingle.auditor.findings import BEYOND, BROKEN, NOT_TESTED, UNDECIDED, Finding

LOGS = ("Sepsis", "BPIC13_incidents")
DELTA = 0.2
DELTAS = (0.05, 0.1, 0.2, 0.4)
VALUE_DELTAS = (0.1, 0.2)
METHODS = ("as published", "amun", "sample", "filter", "twin", "twin-crowds", "strict")
KEPT: dict[str, Any] = {"keep": ["org:group", "CRP"], "keep_case": ["Age"]}  # of Sepsis
FEWER = 4  # times fewer runs for lone paths: the exact likelihood is as sure with these
PATH_AND_TIMES = tuple(
    attack.name
    for attack in (noise.WHICH_PATH, noise.WHICH_PATH_BY_COUNTS, noise.WHICH_PATH_BY_TIMES, noise.UNUSUAL_TIME)
)


def attacked(
    log: EventLog, method: str, delta: float, runs: int, attacks: Sequence[str] | None = None
) -> list[Finding]:
    """What is found with so many runs."""
    as_published = method == "as published"
    begin = time.perf_counter()
    found = audit(
        log, delta, method="amun" if as_published else method, as_published=as_published, runs=runs, attacks=attacks,
        processes=os.cpu_count() or 1,
    )  # fmt: skip
    print(f"{method} at {delta:g}, {runs} runs: {time.perf_counter() - begin:.0f} s", flush=True)
    return list(found.findings)


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


def exact_cell(found: Finding) -> str:
    """What is allowed, the exact gain and its upper bound, and the gain by counting right guesses."""
    return f"{found.exact_gain:.3f} ({found.exact_high:.3f}) of {found.allowed:.3f}; counted {found.gain:.2f}"


def all_attacks(log: EventLog, runs: int) -> str:
    """All attacks on all methods at one delta."""
    columns = {method: attacked(log, method, DELTA, runs) for method in METHODS}
    attacks = [each.attack for each in columns[METHODS[0]]]
    return table(
        ["attack", *METHODS],
        [[attack, *(cell(columns[method][i]) for method in METHODS)] for i, attack in enumerate(attacks)],
    )


def insiders(log: EventLog, runs: int) -> str:
    """The attacker who sees the noised figures, on twin at all deltas; lone paths where they are not published."""
    by_delta = {delta: attacked(log, "twin", delta, runs, PATH_AND_TIMES) for delta in DELTAS}
    rows = [
        [f"twin: {attack}", *(exact_cell(by_delta[delta][i]) for delta in DELTAS)]
        for i, attack in enumerate(PATH_AND_TIMES)
    ]
    lone = [
        exact_cell(attacked(log, "twin-crowds", delta, runs // FEWER, [noise.LONE_PATH.name])[0]) for delta in DELTAS
    ]
    rows.append([f"twin-crowds: {noise.LONE_PATH.name}", *lone])
    return table(["attack", *(f"delta {delta:g}" for delta in DELTAS)], rows)


def values(log: EventLog, runs: int) -> str:
    """Attacks on the values of kept columns, by twin; where the likelihood is known, exactly."""
    by_delta = {delta: attacked(log, "twin", delta, runs, ["value"]) for delta in VALUE_DELTAS}
    rows = [[found[0].attack, *(value_cell(each) for each in found)] for found in zip(*by_delta.values(), strict=True)]
    return table(["attack", *(f"delta {delta:g}" for delta in VALUE_DELTAS)], rows)


def value_cell(found: Finding) -> str:
    """What is allowed, and the gain with its upper bound, exactly where that is known."""
    if math.isnan(found.exact_gain):
        return f"{found.gain:.3f} ({found.high:.3f}) of {found.allowed:.3f}"
    return exact_cell(found)


def values_measured(folder: Path, runs: int, *, write: bool) -> None:
    """The table of attacks on values."""
    log = read_log(folder / "Sepsis.xes.gz", **KEPT)
    text = values(log, runs)
    print(text, flush=True)
    if write:
        intro = f"Sepsis with `org:group`, `CRP` and `Age` kept; {runs} runs; {machine()}."
        put("values", f"{intro}\n\n{text}", DOCUMENT.parents[1] / "explanation" / "audit.md")


def main() -> None:
    parser = parser_of(__doc__, runs=25)
    parser.add_argument("--value-runs", type=int, default=40, help="runs of attacks on the values of kept columns")
    parser.add_argument("--only-values", action="store_true", help="attack nothing else")
    parser.add_argument("--insider-runs", type=int, default=400, help="runs of the attacker who sees noised figures")
    arguments = parser.parse_args()
    values_measured(arguments.logs, arguments.value_runs, write=arguments.write)
    if arguments.only_values:
        return
    logs = {name.split("_")[0]: read_log(Path(arguments.logs) / f"{name}.xes.gz") for name in LOGS}
    insider_runs = arguments.insider_runs
    seen = [f"### {name}: seeing the noised figures\n\n{insiders(log, insider_runs)}" for name, log in logs.items()]
    print(*seen, sep="\n\n", flush=True)
    tried = [f"### {name}: all attacks\n\n{all_attacks(log, arguments.runs)}" for name, log in logs.items()]
    print(*tried, sep="\n\n", flush=True)
    if arguments.write:
        runs = f"{insider_runs} runs of two releases each, {insider_runs // FEWER} for lone paths; {machine()}."
        put("insiders", "\n\n".join((runs, *seen)), DOCUMENT.parents[1] / "explanation" / "audit.md")
        runs = f"Delta {DELTA:g}, {arguments.runs} runs; {machine()}."
        put("audit", "\n\n".join((runs, *tried)), DOCUMENT.parents[1] / "explanation" / "audit.md")


if __name__ == "__main__":
    main()
