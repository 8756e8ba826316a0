"""A worker: one step of one job, in a process of its own, in the job's folder.

    python -m unsingle.web.worker TASK < ORDER

The order is one line of JSON: the options of the task and the limit of memory. What is done is told on standard output,
a JSON object in each line: how far it is, a result, or an error. Results lie in the folder as files. When its standard
input ends, the server is gone, and so goes the worker.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import FormatError, LogError, UnsingleError
from ..parallel import keep_memory
from ..progress import Progress

# numpy, polars and the rooms that need them are imported by the tasks: to look at a file should take no time

LOOK, RISK, RELEASE = "look.json", "risk.json", "release.json"
COLUMNS, REPORT = "columns.npz", "comparison.PRIVATE.html"

Options = dict[str, Any]
_EVERY = 0.1  # seconds between two lines about progress
_MOST_SHOWN = 30_000_000  # letters of a result that the server must hold in memory
_LONGEST_LABEL = 2000


def look(options: Options, _progress: Progress) -> None:
    """Show the first rows, and guess which column is which."""
    from ..formats.preview import preview_log

    _save(LOOK, asdict(preview_log(options["file"])))


def demo(options: Options, progress: Progress) -> None:
    """Make the demo log, then look at it."""
    from ..formats import write_frame
    from ..synthetic import synthetic_frame

    write_frame(synthetic_frame(options["cases"], seed=0), options["file"], force=True)
    look(options, progress)


def assess(options: Options, progress: Progress) -> None:
    """Read the log, and show how exposed people are in it."""
    from ..formats import read_log
    from ..inspection import inspect_log
    from ..report import page_of
    from ..risk import assess_risk
    from .columns_file import save_columns

    log = read_log(options["file"], progress=progress, **options["reading"])
    progress.step("assess")
    longest = max(map(len, log.labels))
    if longest > _LONGEST_LABEL:
        raise LogError(f"an activity has a name of {longest:,} letters: choose another column with --activity")
    save_columns(log, Path(COLUMNS))
    risk = assess_risk(log)
    found = {"inspection": inspect_log(log).to_dict(), "risk": risk.plain(), "verdict": risk.verdict}
    _save(RISK, {**found, "page": asdict(page_of(risk))})


def predict(options: Options, progress: Progress) -> None:
    """Measure what each method at each delta gives, and tell each as soon as it is known."""
    from ..sweeping import tradeoffs
    from ..tabular import without_nan
    from .columns_file import load_columns

    for point in tradeoffs(load_columns(Path(COLUMNS)), options["settings"], progress=progress):
        _tell(point=without_nan(asdict(point)))


def release(options: Options, progress: Progress) -> None:
    """Make a release, and compare it with the original."""
    from ..comparison import compare
    from ..formats import write_log
    from ..release import anonymize
    from ..remarks import remarks, spending
    from ..report import page_of, write_report
    from .columns_file import load_columns

    progress.step("load")
    log = load_columns(Path(COLUMNS))
    choice = options["choice"]
    made = anonymize(log, choice["delta"], method=choice["method"], grid=choice["grid"], progress=progress)
    write_log(made.log, options["output"], progress=progress, force=True)
    progress.step("compare")
    comparison = compare(log, made)
    write_report(comparison, REPORT, force=True)
    figures = made.with_seconds(progress.seconds()).to_dict()
    del figures["lost_variants"]  # may be long, and stands in the report
    spent = spending(made.budget) if made.budget else ""
    told = {"verdict": comparison.verdict, "remarks": remarks(made), "spent": spent}
    _save(RELEASE, {"release": figures, **told, "page": asdict(page_of(comparison))})


TASKS: dict[str, Callable[[Options, Progress], None]] = {
    "look": look,
    "demo": demo,
    "assess": assess,
    "predict": predict,
    "release": release,
}


class _Told(Progress):
    """Tells the server how far it is, but not too often."""

    def __init__(self) -> None:
        super().__init__()
        self._last = 0.0

    def show(self, step: str, fraction: float) -> None:
        """Tell it."""
        now = time.monotonic()
        if fraction == 0 or now - self._last >= _EVERY:
            self._last = now
            _tell(step=step, fraction=fraction)


def main() -> None:
    """Do the task that the command line names."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_server, daemon=True).start()
    keep_memory()
    _limit_memory(order["memory"])
    try:
        TASKS[sys.argv[1]](order["options"], _Told())
    except BaseException as error:  # a library in Rust raises what is no Exception
        _tell(**_trouble(error))


def _trouble(error: BaseException) -> dict[str, Any]:
    """What is told of an error; the server itself says what there is too little of."""
    if _is_of_full_disk(error):
        return {"error": "", "disk": True}
    if isinstance(error, MemoryError):
        return {"error": "", "memory": True}
    if isinstance(error, UnsingleError):
        return {"error": str(error), "hopeless": isinstance(error, FormatError)}
    said = f"unexpected {type(error).__name__}: please report it, with what kind of log it was"
    return {"error": said, "hopeless": True}


def _is_of_full_disk(error: BaseException | None) -> bool:
    """Whether an error came of a full disk, whatever was raised because of it since."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False


def _tell(**what: Any) -> None:
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(what), flush=True)


def _save(name: str, found: Any) -> None:
    from ..tabular import without_nan

    text = json.dumps(without_nan(found), allow_nan=False)
    if len(text) > _MOST_SHOWN:
        raise LogError("there is too much in this log for the page to show: use the command `unsingle`")
    Path(name).write_text(text, encoding="utf-8")


def _end_with_server() -> None:
    os.read(0, 1)  # not by Python's own stream, which could not be closed meanwhile
    os._exit(1)


def _limit_memory(limit: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # what dies leaves no copy of its memory


if __name__ == "__main__":
    main()
