"""Results that are plain dataclasses, and also tables: as dictionaries, frames, and shown in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from ..core.html import PRIVATE, display

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["PRIVATE", "Tabular", "text_table", "without_nan"]


class Tabular:
    """A dataclass whose tuples of dataclasses are tables; its other fields are single figures."""

    @property
    def verdict(self) -> str:
        """The answer in a few sentences."""
        raise NotImplementedError

    @property
    def key_figures(self) -> list[tuple[str, Any]]:
        """What a notebook shows under the verdict: by default all single figures."""
        single = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return [(name.replace("_", " "), each) for name, each in single.items() if isinstance(each, int | float | str)]

    @property
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """All tables by name, as rows."""
        return {name: [_row(each) for each in getattr(self, name)] for name in self._row_types()}

    def _row_types(self) -> dict[str, Any]:
        """The dataclass of the rows of each table."""
        hints = get_type_hints(type(self))
        rows = {name: get_args(hint)[0] for name, hint in hints.items() if get_origin(hint) is tuple}
        return {name: row for name, row in rows.items() if is_dataclass(row)}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain dictionaries, lists, texts and numbers."""
        return {**asdict(self), **self.tables}  # type: ignore[call-overload]

    def plain(self) -> dict[str, Any]:
        """The same for JSON: what is not a number becomes null."""
        return without_nan(self.to_dict())

    def to_polars(self, table: str) -> polars.DataFrame:
        """One of the tables as a polars frame."""
        import polars as pl

        rows = self._rows(table)
        names = [field.name for field in fields(self._row_types()[table])]
        return pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame(schema=names)

    def to_pandas(self, table: str) -> pandas.DataFrame:
        """One of the tables as a pandas frame (pandas must be installed)."""
        from ..formats.tables.frames import library

        return library("pandas").DataFrame(self._rows(table))

    def _repr_html_(self) -> str:
        return display(self.verdict, self.key_figures, self.tables)

    def _rows(self, table: str) -> list[dict[str, Any]]:
        tables = self.tables
        if table not in tables:
            raise KeyError(f"there is no table {table!r}; there are: {', '.join(tables)}")
        return tables[table]


def _row(row: Any) -> dict[str, Any]:
    """A row as a dictionary; it may know itself how."""
    return row.to_dict() if hasattr(row, "to_dict") else asdict(row)


def without_nan(value: Any) -> Any:
    """The value as JSON can hold it: what is not a finite number becomes null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: without_nan(each) for key, each in value.items()}
    return [without_nan(each) for each in value] if isinstance(value, list | tuple) else value


def text_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table for a terminal: the first column to the left, all others to the right.

    >>> print(*text_table(["method", "cases"], [["a", "1,000"]]), sep="|")
    method  cases|a       1,000
    """
    lines = [header, *rows]
    first, *others = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join([f"{line[0]:<{first}}", *(f"{cell:>{width}}" for cell, width in zip(line[1:], others, strict=True))])
        for line in lines
    ]
