"""What the server knows of the columns of a log that was read: which are kept, and as what, and which are left out."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.columns import PERSON, TRACE_ATTRIBUTE, Field, Kind, Level
from ..core.log import EventLog


class KnownColumns(NamedTuple):
    """The columns that a release may have, those of the source that were not read, and whether persons are known."""

    kept: tuple[Field, ...] = ()
    left_out: tuple[str, ...] = ()
    has_persons: bool = False

    @classmethod
    def of(cls, log: EventLog) -> KnownColumns:
        """Those of a log."""
        kept = tuple(field for field in log.fields if not field.private)
        return cls(kept, log.source.left_out if log.source else (), log.column(PERSON) is not None)

    @classmethod
    def from_plain(cls, plain: dict[str, Any] | None) -> KnownColumns:
        """From what `plain` gave; nothing is known of a log that was not read."""
        if plain is None:
            return cls()
        return cls(tuple(map(_field, plain["kept"])), tuple(plain["left_out"]), plain["has_persons"])

    def plain(self) -> dict[str, Any]:
        """As JSON has it; columns have the names that they have in tables.

        >>> KnownColumns((Field("age", Level.CASE, Kind.INTEGER),)).plain()["kept"]
        [{'name': 'case:age', 'level': 'case', 'kind': 'integer'}]
        """
        kept = [{"name": field.table_name, "level": field.level.value, "kind": field.kind.value} for field in self.kept]
        return {**self._asdict(), "kept": kept, "left_out": list(self.left_out)}


def _field(plain: dict[str, str]) -> Field:
    level = Level(plain["level"])
    name = plain["name"].removeprefix(TRACE_ATTRIBUTE) if level is Level.CASE else plain["name"]
    return Field(name, level, Kind(plain["kind"]))
