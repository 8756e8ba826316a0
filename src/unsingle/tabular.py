"""Results that are plain dataclasses, and also tables: as dictionaries, frames, and shown in a notebook."""

from __future__ import annotations

import html
import math
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    import pandas
    import polars

PRIVATE = "PRIVATE, DO NOT PUBLISH"
"""What stands on the face of everything that shows the truth."""


class Tabular:
    """A dataclass whose tuples of dataclasses are tables; its other fields are single figures."""

    @property
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """All tables by name, as rows."""
        return {name: [asdict(row) for row in getattr(self, name)] for name in self._row_types()}

    def _row_types(self) -> dict[str, Any]:
        """The dataclass of the rows of each table."""
        hints = get_type_hints(type(self))
        rows = {name: get_args(hint)[0] for name, hint in hints.items() if get_origin(hint) is tuple}
        return {name: row for name, row in rows.items() if is_dataclass(row)}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries, lists, texts and numbers."""
        return asdict(self)  # type: ignore[call-overload]

    def plain(self) -> dict[str, Any]:
        """The same for JSON: what is not a number becomes nothing."""
        return without_nan(self.to_dict())

    def to_polars(self, table: str) -> polars.DataFrame:
        """One of the tables as a polars frame."""
        import polars as pl

        rows = self._rows(table)
        names = [field.name for field in fields(self._row_types()[table])]
        return pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame(schema=names)

    def to_pandas(self, table: str) -> pandas.DataFrame:
        """One of the tables as a pandas frame (pandas must be installed)."""
        from .formats.frames import library

        return library("pandas").DataFrame(self._rows(table))

    def _repr_html_(self) -> str:
        figures = {name: value for name, value in self._fields().items() if isinstance(value, int | float | str)}
        parts = [f"<p><strong>{PRIVATE}</strong></p>", _html_table([figures])]
        for name, rows in self.tables.items():
            if not rows:
                continue
            parts.append(f"<h4>{html.escape(name.replace('_', ' '))}</h4>{_html_table(rows[:20])}")
        return "\n".join(parts)

    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def _rows(self, table: str) -> list[dict[str, Any]]:
        tables = self.tables
        if table not in tables:
            raise KeyError(f"there is no table {table!r}; there are: {', '.join(tables)}")
        return tables[table]


def without_nan(value: Any) -> Any:
    """The value as JSON can hold it: what is not a number becomes nothing."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: without_nan(each) for key, each in value.items()}
    return [without_nan(each) for each in value] if isinstance(value, list | tuple) else value


def _html_table(rows: list[dict[str, Any]]) -> str:
    head = "".join(f"<th>{html.escape(name.replace('_', ' '))}</th>" for name in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_shown(v))}</td>" for v in row.values()) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return " > ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
