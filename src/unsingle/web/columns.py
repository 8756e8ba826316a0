"""What the server knows of the columns of a log that was read: which are kept, and as what, and which are left out."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.columns import PERSON, TRACE_ATTRIBUTE, Field, Kind, Level
from ..core.log import EventLog
from ..core.read_as import ReadAs


class KnownColumns(NamedTuple):
    """The columns that a release may have, those that were not read, whether persons are known, and how it was read."""

    kept: tuple[Field, ...] = ()
    left_out: tuple[str, ...] = ()
    has_persons: bool = False
    read_as: ReadAs = ReadAs()

    @classmethod
    def of(cls, log: EventLog) -> KnownColumns:
        """Those of a log."""
        kept = tuple(field for field in log.fields if not field.private)
        left_out, read_as = (log.source.left_out, log.source.read_as) if log.source else ((), ReadAs())
        return cls(kept, left_out, log.column(PERSON) is not None, read_as)

    @classmethod
    def from_plain(cls, plain: dict[str, Any] | None) -> KnownColumns:
        """From what `plain` gave; nothing is known of a log that was not read."""
        if plain is None:
            return cls()
        read_as = ReadAs.from_plain(plain["read_as"])
        return cls(tuple(map(_field, plain["kept"])), tuple(plain["left_out"]), plain["has_persons"], read_as)

    def plain(self) -> dict[str, Any]:
        """As JSON has it; columns have the names that they have in tables.

        >>> KnownColumns((Field("age", Level.CASE, Kind.INTEGER),)).plain()["kept"]
        [{'name': 'case:age', 'level': 'case', 'kind': 'integer'}]
        """
        kept = [{"name": field.table_name, "level": field.level.value, "kind": field.kind.value} for field in self.kept]
        return {**self._asdict(), "kept": kept, "left_out": list(self.left_out), "read_as": self.read_as.plain()}


def _field(plain: dict[str, str]) -> Field:
    level = Level(plain["level"])
    name = plain["name"].removeprefix(TRACE_ATTRIBUTE) if level is Level.CASE else plain["name"]
    return Field(name, level, Kind(plain["kind"]))
