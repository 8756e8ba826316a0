"""Excel workbooks for tests, written with xlsxwriter."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any

import xlsxwriter

ROWS: list[list[Any]] = [
    ["case", "activity", "time"],
    ["1", "A", datetime(2024, 1, 31, 10, 0, 5)],
    ["1", "B", datetime(2024, 2, 1)],
]


def workbook(rows: Sequence[Sequence[Any]] = ROWS, name: str = "Log", *others: str) -> bytes:
    """A workbook with these rows on its first sheet; dates and times are formatted as such."""
    content = io.BytesIO()
    book = xlsxwriter.Workbook(content, {"in_memory": True})
    formats = {
        kind: book.add_format({"num_format": form})
        for kind, form in ((datetime, "dd.mm.yyyy hh:mm:ss"), (date, "dd.mm.yyyy"), (time, "hh:mm"))
    }
    sheet = book.add_worksheet(name)
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            if type(cell) in formats:
                sheet.write_datetime(place, column, cell, formats[type(cell)])
            elif isinstance(cell, str):
                sheet.write_string(place, column, cell)
            elif cell is not None:
                sheet.write(place, column, cell)
    for other in others or ("Other",):
        book.add_worksheet(other)
    book.close()
    return content.getvalue()
