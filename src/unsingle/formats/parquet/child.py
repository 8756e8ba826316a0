"""Reads Parquet in a process of its own: started by `reader`, and by nothing else.

What the reader makes of damaged data may end the process; then it is this one. Parquet comes in at standard input, the
columns that were asked for go to standard output as Arrow, and what happened is said at standard error.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import Any, NoReturn

BEGUN, DONE, DAMAGED = "unsingle: begun", "unsingle: done", "unsingle: damaged: "


def main() -> NoReturn:
    """Do it, as the first word of the command line says."""
    order: dict[str, Any] = json.loads(sys.argv[1])
    sys.path[:] = order["path"]
    _limit_memory(order["memory"])
    import polars as pl

    _say(BEGUN)
    try:
        content = io.BytesIO(sys.stdin.buffer.read())
        frame = pl.read_parquet(content, columns=order["columns"], n_rows=order["rows"])
        frame.write_ipc(sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, MemoryError) as error:
        _say(DAMAGED + reason(error))
        sys.exit(1)
    _say(DONE)
    sys.exit(0)


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
