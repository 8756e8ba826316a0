"""Excel: a sheet of a workbook, whose cells are read as texts. Read only."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from ...errors import ParameterError
from ..base import FORMATS, Format, Signature
from ..schema import Row

if TYPE_CHECKING:
    import polars

    from ..selection import Selection
    from ..source import Source
    from ..tables.assemble import Table
    from ..wanted import Wanted


class Excel(Format):
    """Excel; as in CSV, all cells are texts: a column has no type, and none is guessed from its cells."""

    name, title, rank = "xlsx", "Excel", 40
    is_written = False
    has_sheets = True
    signature = Signature("an Excel workbook", rb"PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/|xl/)")

    def table(self, source: Source, wanted: Wanted) -> tuple[Table, Selection]:
        """Read the columns that are wanted of a sheet."""
        from .reader import excel_table

        return excel_table(source, wanted)

    def column_names(self, source: Source) -> list[str]:
        """The names in the first row of the sheet."""
        from .reader import first_rows

        return first_rows(source, 1)[0]

    def first_rows(self, source: Source, most: int) -> tuple[list[str], list[Row]]:
        """The names in the first row of the sheet, and the rows below it."""
        from .reader import first_rows

        return first_rows(source, most)

    def write_rows(self, frame: polars.DataFrame, stream: BinaryIO) -> None:  # noqa: ARG002
        """Refuse: spreadsheets read CSV, and would take labels for formulas."""
        raise ParameterError("Excel is only read: let the name of the output end in .csv")


EXCEL = FORMATS.add(Excel())
