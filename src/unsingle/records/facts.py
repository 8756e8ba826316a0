"""What a release says of itself: method, promise and limits, what its columns are, and a digest. Made to be published.

Facts follow from the parameters of the method and from the release, and from nothing else: they tell no more of the
original than the release does. The date is that of the day on which the release was made, by the clock of the machine;
it tells that nobody's data is younger, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.columns import TRACE_ATTRIBUTE, Field, Kind, Level
from ..core.digest import content_digest
from ..core.log import ActivityParts, EventLog
from ..errors import ColumnError, FormatError
from ..methods import Method
from ..privacy.budget import Budget
from ..privacy.guarantee import Guarantee
from ..progress import Progress
from ..version import VERSION
from .ledger import Begun

if TYPE_CHECKING:
    import os

    from ..formats.base import FileKind
    from ..formats.opened import OpenedFile

    Source = str | os.PathLike[str] | OpenedFile

MADE_UP = (
    "Every case is made up from figures to which random noise was added; no case was copied from a person. Paths that "
    "many people took are real, the others are made up."
)
COPIED = "Cases are copied from the original, paths and all; random noise was added to their times."

_ACTIVITY = "concept:name"


@dataclass(frozen=True)
class ReleasedColumn:
    """A column of a release: what it is called, what has one value of it (``event``, ``case``), and what values are."""

    name: str
    of: str
    values: str

    @classmethod
    def from_field(cls, released: Field) -> ReleasedColumn:
        """The column of this field."""
        return cls(released.table_name, released.level.value, released.kind.value)

    @property
    def field(self) -> Field:
        """What it is in a log."""
        level = Level(self.of)
        return Field(
            self.name.removeprefix(TRACE_ATTRIBUTE) if level is Level.CASE else self.name, level, Kind(self.values)
        )


@dataclass(frozen=True)
class ReleaseFacts:
    """What a release says of itself; what a method does not have is None.

    `delta`, `epsilon_presence`, `epsilon_exchange` and `slack` are those of this release alone. If a ledger lists it,
    `releases` says how many it lists with this one, and what ends in ``together`` is of all of them. `activity` names
    the columns that labels are written as, and `two_times` says whether a row of a table is a start and its end.
    """

    software: str
    version: str
    date: str
    method: str
    method_title: str
    delta: float
    guarantee: str
    limits: str
    not_protected: tuple[str, ...]
    assumes: tuple[str, ...]
    cautions: tuple[str, ...]
    warnings: tuple[str, ...]
    publishable: bool
    synthetic: bool
    cases: str
    labels: tuple[str, ...] | None
    columns: tuple[ReleasedColumn, ...]
    activity: tuple[str, ...]
    two_times: bool
    digest: str | None
    cases_per_person: int | None = None
    epsilon_presence: float | None = None
    epsilon_exchange: float | None = None
    slack: float | None = None
    releases: int | None = None
    delta_together: float | None = None
    epsilon_presence_together: float | None = None
    epsilon_exchange_together: float | None = None
    slack_together: float | None = None

    @classmethod
    def of(
        cls, method: Method, guarantee: Guarantee, budget: Budget | None, log: EventLog | None, day: str | None = None
    ) -> ReleaseFacts:
        """The facts of a release; without a log, those that do not need one. `day` is today, by default."""
        spent = {} if budget is None else budget.to_dict()
        parts = None if log is None else log.parts
        return cls(
            software="unsingle",
            version=VERSION,
            date=day or datetime.now(UTC).date().isoformat(),
            method=method.name,
            method_title=method.title,
            delta=method.delta,
            guarantee=guarantee.statement,
            limits=guarantee.limits,
            not_protected=guarantee.not_protected,
            assumes=guarantee.assumes,
            cautions=guarantee.cautions,
            warnings=guarantee.warnings,
            publishable=guarantee.publishable,
            synthetic=method.has_budget,
            cases=_cases(method, log),
            labels=None if log is None else tuple(sorted(log.labels)),
            columns=() if log is None else tuple(map(ReleasedColumn.from_field, _public(log))),
            activity=(_ACTIVITY,) if parts is None else parts.names,
            two_times=parts is not None and parts.intervals,
            digest=None if log is None else digest_of(log),
            **{name: spent.get(name) for name in ("epsilon_presence", "epsilon_exchange", "slack", "cases_per_person")},
        )

    @classmethod
    def from_texts(cls, found: Mapping[str, str], source: str) -> ReleaseFacts:
        """Facts as a file has them; names that are not known, as another version may write them, are left out."""
        try:
            known = {each.name: _read(str(each.type), found[each.name]) for each in fields(cls) if each.name in found}
            known["columns"] = tuple(ReleasedColumn(**each) for each in known["columns"])
            _ = [each.field for each in known["columns"]]
            return cls(**known)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise FormatError(
                f"{source}: what it says of how it was made cannot be read: get the release again, as it was published"
            ) from None

    def among(self, begun: Begun) -> ReleaseFacts:
        """The same, of a release that is in a ledger."""
        all_ = None if begun.methods_without_promise else begun.together
        if all_ is None:
            return replace(self, releases=begun.releases)
        return replace(
            self,
            releases=begun.releases,
            delta_together=all_.added,
            epsilon_presence_together=all_.epsilon_presence,
            epsilon_exchange_together=all_.epsilon_exchange,
            slack_together=all_.slack,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything that is known, as JSON has it."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def fields(self) -> tuple[Field, ...]:
        """What its columns are in a log."""
        return tuple(each.field for each in self.columns)

    @property
    def parts(self) -> ActivityParts | None:
        """What labels are made of; of which parts each label, only the release itself says."""
        return ActivityParts(self.activity, {}, self.two_times) if len(self.activity) > 1 else None

    @property
    def added(self) -> float:
        """The most that the release may add, with all releases of the same people before it if a ledger lists them."""
        return self.delta if self.delta_together is None else self.delta_together

    @property
    def earlier(self) -> int:
        """How many releases of the same people there were before, if a ledger lists them."""
        return max(0, (self.releases or 1) - 1)

    @property
    def named(self) -> str:
        """Method and delta."""
        return f"{self.method}, delta {self.delta:g}"

    def fits(self, release: EventLog) -> bool | None:
        """Whether a release, with the columns that the facts name, has their digest; None if they have none."""
        if self.digest is None:
            return None
        if self.two_times and release.parts is not None:
            release = replace(release, parts=replace(release.parts, intervals=True))
        return digest_of(release) == self.digest


FACT_NAMES = tuple(each.name for each in fields(ReleaseFacts))
"""All that a release can say of itself."""


def _cases(method: Method, log: EventLog | None) -> str:
    """What the cases of a release are."""
    if not method.has_budget:
        return COPIED
    if not method.keeps_variants:
        return MADE_UP
    values = ", values of further columns" if log is not None and _public(log) else ""
    return (
        f"Times{values} and the number of cases on each path are altered at random (made from figures to which random "
        "noise was added). The paths themselves are real, including paths that only one person took."
    )


def _public(log: EventLog) -> list[Field]:
    return [each for each in log.fields if not each.private]


def digest_of(release: EventLog) -> str:
    """The digest of a release, whatever file it is written to."""
    if release.parts is None or not release.parts.intervals:
        return content_digest(release)
    from ..formats import as_rows_tell

    return content_digest(as_rows_tell(release))


def read_facts(source: Source, *, format: str | FileKind | None = None) -> ReleaseFacts | None:  # noqa: A002
    """What the release in a file says of itself, in the file or else beside it; None if it says nothing.

    Whether its content fits that, `read_release` tells.
    """
    from ..formats import facts_in

    found = facts_in(source, format=format)
    return None if found is None else ReleaseFacts.from_texts(found, "the release")


class Provenance(NamedTuple):
    """What a release says of itself, if anything, and whether its digest fits its content; None if it has none."""

    facts: ReleaseFacts | None = None
    fits: bool | None = None

    @property
    def credible(self) -> ReleaseFacts | None:
        """What the release says of itself, unless it was altered since."""
        return None if self.fits is False else self.facts

    def __str__(self) -> str:
        facts = self.facts
        if facts is None:
            return "The release does not say how it was made."
        said = f"The release says that it was made by {facts.software} {facts.version} on {facts.date}: {facts.named}."
        return " ".join([said, _FITTING[self.fits], *facts.warnings])


_FITTING = {
    None: "It has no digest, so nobody can tell whether it was altered since.",
    True: "Its digest fits its content.",
    False: "ALTERED: its digest does not fit its content, so it was changed since, or what it says is of another.",
}


class CheckedRelease(NamedTuple):
    """A release that was read from a file, and what it says of itself."""

    log: EventLog
    provenance: Provenance

    @property
    def facts(self) -> ReleaseFacts | None:
        """What it says of itself, whether that fits or not."""
        return self.provenance.facts


def read_release(
    source: Source,
    *,
    format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
    progress: Progress | None = None,
) -> CheckedRelease:
    """Read a release with all columns that it says it has, and check its digest.

    One that does not say how it was made is read like any log, without other columns.
    """
    from ..formats import read_log, read_written
    from ..formats.opened import opened

    file = opened(source, format, progress)
    facts = read_facts(file)
    if facts is None:
        return CheckedRelease(read_log(file, progress=progress), Provenance())
    log = read_written(file, facts.parts, facts.fields, progress=progress, allow_line_ends=True)
    return CheckedRelease(log, Provenance(facts, facts.fits(log)))


def provenance_of(file: OpenedFile, release: EventLog) -> Provenance:
    """What a release in a file says of itself. It was read already, maybe without all of its columns."""
    facts = read_facts(file)
    if facts is None:
        return Provenance()
    parts = None if release.parts is None else release.parts.names
    if set(facts.fields) == set(_public(release)) and parts == _names(facts.parts):
        return Provenance(facts, facts.fits(release))
    try:
        return read_release(file).provenance
    except ColumnError:  # a column that it says it has is gone
        return Provenance(facts, False)


def _names(parts: ActivityParts | None) -> tuple[str, ...] | None:
    return None if parts is None else parts.names


def _read(type_: str, text: str) -> Any:
    """The value of a fact: a text as it is, anything else from JSON, lists as tuples."""
    if type_ in ("str", "str | None"):
        return text
    value = json.loads(text)
    expected = _TYPES[type_.removesuffix(" | None").partition("[")[0]]
    if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
        raise TypeError
    return tuple(value) if isinstance(value, list) else value


_TYPES: dict[str, Any] = {"float": int | float, "int": int, "bool": bool, "tuple": list}
