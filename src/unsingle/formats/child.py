"""Reads Parquet and workbooks in a process of its own: started by `apart`, and by nothing else.

What their readers make of damaged data may end the process; then it is this one. The file comes in at standard input,
the columns that were asked for go to standard output as Arrow, and what happened is said at standard error.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import polars

BEGUN, DONE, DAMAGED = "unsingle: begun", "unsingle: done", "unsingle: damaged: "


def main() -> NoReturn:
    """Do it, as the first word of the command line says."""
    order: dict[str, Any] = json.loads(sys.argv[1])
    sys.path[:] = order["path"]
    _limit_memory(order["memory"])
    import polars  # noqa: F401 - it may take the time that it takes before the work begins

    _say(BEGUN)
    try:
        frame = READERS[order["reader"]](sys.stdin.buffer.read(), order)
        frame.write_ipc(sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BaseException as error:  # of libraries in Rust, whose panics are no subclasses of Exception
        _say(DAMAGED + reason(error))
        sys.exit(1)
    _say(DONE)
    sys.exit(0)


def _parquet(content: bytes, order: dict[str, Any]) -> polars.DataFrame:
    """These columns of Parquet."""
    import polars as pl

    return pl.read_parquet(io.BytesIO(content), columns=order["columns"], n_rows=order["rows"])


def _workbook(content: bytes, order: dict[str, Any]) -> polars.DataFrame:
    """All cells of a sheet as texts, under the numbers of their columns, and in a first column which sheet it is."""
    import fastexcel
    import polars as pl

    book = fastexcel.read_excel(content)
    names, sheet = book.sheet_names, order["sheet"]
    if sheet is None:
        number = 0
    elif sheet in names:
        number = names.index(sheet)
    elif sheet.isdigit() and 0 < int(sheet) <= len(names):
        number = int(sheet) - 1
    else:
        return pl.DataFrame({"about": [json.dumps({"names": names})]})
    frame = book.load_sheet(number, header_row=None, dtypes="string", n_rows=order["rows"]).to_polars()
    cells = {str(place): column.cast(pl.String) for place, column in enumerate(frame.iter_columns())}
    told = json.dumps({"names": names, "number": number})
    return pl.DataFrame({"about": [told] * frame.height, **cells})


READERS: dict[str, Callable[[bytes, dict[str, Any]], polars.DataFrame]] = {"parquet": _parquet, "workbook": _workbook}
"""How each sort of file is read."""


def reason(error: BaseException) -> str:
    """The first line of what an error says."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _say(what: str) -> None:
    print(f"\n{what}", file=sys.stderr, flush=True)


def _limit_memory(limit: int | None) -> None:
    """Take no more than there is, and leave no copy of the memory behind."""
    with contextlib.suppress(ImportError, OSError, ValueError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


if __name__ == "__main__":
    main()
