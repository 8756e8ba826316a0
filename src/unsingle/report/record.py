"""The private record of a release, for its publisher's files: what, why, to whom, at which risk, and who decided.

Who, why, recipient and legal basis are fields: what is known is filled in, and the rest are lines to write on. The
record names the original and shows what the release hides, so it is as private as the original.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.log import EventLog
from ..core.wording import percent
from ..evaluation.risk.uniqueness import DATED, DAY_OF_START, PATH_AND_TIMES, WHOLE_PATH
from ..evaluation.tables import PRIVATE
from ..formats.facts import as_text
from ..records.facts import ReleaseFacts
from .render import environment

if TYPE_CHECKING:
    from ..auditor import Audit
    from ..evaluation.comparison import Comparison

_BLOCK = 1 << 20
_SHOWN = (WHOLE_PATH, DAY_OF_START, "the whole path and the day it began", DATED[1], PATH_AND_TIMES)


class Blank(NamedTuple):
    """A field to fill in: its name in forms, what it is called, and what to write there."""

    name: str
    label: str
    hint: str


BLANKS = (
    Blank("controller", "Controller", "the organisation that is responsible for the data"),
    Blank("purpose", "Purpose", "why the log is released, and what the recipient wants to find out"),
    Blank("recipient", "Recipient", "who gets it: named people, a project, or the public"),
    Blank(
        "legal_basis",
        "Legal basis of making the release",
        "such as Art. 6(1)(e), 6(4), 89 GDPR; Art. 9 for health data",
    ),
    Blank("conditions", "Conditions", "such as a contract, a time limit, no attempt to identify anyone"),
    Blank("responsible", "Decided by", "name and role"),
)
"""Who and why: what only the publisher can say."""

DECISION = "decision"
"""The field that says what was decided."""

DECISIONS = {"publish": "publish it", "restricted": "give it to the recipient only", "not": "do not release it"}
"""What can be decided."""


@dataclass(frozen=True)
class OriginalFile:
    """The original: its name, the digest of its file (empty if there is none), its size, and the columns used."""

    name: str
    digest: str
    cases: int
    events: int
    variants: int
    columns: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, log: EventLog, name: str, file: str | os.PathLike[str] | None = None) -> OriginalFile:
        """The original that was read from a file; one that came from standard input has no digest."""
        source = log.source
        columns = () if source is None else tuple((role, column) for role, column in source.roles.items())
        if source is not None:
            more = (("kept", source.kept), ("left out", source.left_out))
            columns += tuple((role, ", ".join(names)) for role, names in more if names)
        digest = "" if file is None or not Path(file).is_file() else file_digest(file)
        return cls(name, digest, log.n_cases, log.n_events, log.variants.count, columns)


@dataclass(frozen=True)
class Record:
    """Everything that a record says; private."""

    facts: ReleaseFacts
    original: OriginalFile
    released: tuple[int, int, int]
    risk_before: str
    risk_after: str
    found: tuple[tuple[str, str, str, str], ...]
    remarks: tuple[str, ...]
    kept: str
    uses: tuple[str, ...]
    command: str
    audit: str = ""
    findings: tuple[tuple[str, str, str, str], ...] = ()
    made: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC")

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "facts": self.facts.to_dict()}


def record_of(
    facts: ReleaseFacts,
    original: OriginalFile,
    risk_before: str,
    comparison: Comparison,
    *,
    remarks: Sequence[str],
    command: str,
) -> Record:
    """The record of a release whose risk and use were measured."""
    from .pages.base import page_of

    rows = sorted(comparison.people_found, key=lambda row: -row.in_log)
    return Record(
        facts=facts,
        original=original,
        released=(comparison.cases_after, comparison.events_after, comparison.variant_change.after),
        risk_before=risk_before,
        risk_after=comparison.risk_after,
        found=tuple(
            (row.known, percent(row.in_log), percent(row.in_release), percent(row.in_control))
            for row in rows
            if row.known in _SHOWN
        ),
        remarks=tuple(remarks),
        kept=comparison.verdict,
        uses=tuple(advice.text for advice in page_of(comparison).advice[:2]),
        command=command,
    )


def findings_of(audit: Audit) -> list[tuple[str, str, str, str]]:
    """What attacks found, for a record: attack, gain, what is allowed, verdict."""
    return [
        (each.attack, f"{each.gain:+.3f}" if each.guesses else "–", f"{each.allowed:.3f}", each.loudly)
        for each in audit.findings
    ]


def record_html(record: Mapping[str, Any], filled: Mapping[str, str] | None = None) -> str:
    """The record, as `Record.plain` gives it, as one HTML document; `filled` has what is known of the blanks."""
    facts = ReleaseFacts.from_texts({name: as_text(value) for name, value in record["facts"].items()}, "the record")
    return (
        environment()
        .get_template("record.html")
        .render(
            record=record,
            facts=facts,
            blanks=BLANKS,
            filled=filled or {},
            decisions=DECISIONS,
            private=PRIVATE,
        )
    )


def file_digest(file: str | os.PathLike[str]) -> str:
    """The SHA-256 of a file.

    >>> file_digest(os.devnull)[:19]
    'sha256:e3b0c44298fc'
    """
    found = hashlib.sha256()
    with Path(file).open("rb") as stream:
        while block := stream.read(_BLOCK):
            found.update(block)
    return f"sha256:{found.hexdigest()}"
