"""The program of a worker process: one task of one job, run in the job's folder.

    python -m unsingle.web.worker TASK < MESSAGE

The message is one line of JSON: the options of the task and the memory limit. The worker reports on standard output,
one JSON object in each line: progress, a prediction, or an error. Results are files in the folder. When standard input
ends, the server is gone, and the worker exits.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.machine import keep_memory
from ..errors import FormatError, LogError, UnsingleError, argument
from ..progress import Progress
from .results import (
    ATTACKED,
    COLUMNS,
    KNOWN_COLUMNS,
    PREVIEW,
    RECORD,
    RELEASE,
    RELEASED_COLUMNS,
    REPORT,
    RISK,
    STATEMENT,
)
from .tasks import Stage, TaskName

# numpy, polars and the packages that need them are imported by the tasks: a preview should take no time

if TYPE_CHECKING:
    from ..core.log import EventLog
    from ..evaluation.comparison import Comparison
    from ..release import Release

Options = dict[str, Any]
_INTERVAL = 0.1  # seconds between two messages about progress
_MAX_RESULT = 30_000_000  # letters, which the server holds in memory
_MAX_LABEL = 2000
_MAX_MARKED = 100  # labels that the page lists for each check


def preview(options: Options, progress: Progress) -> None:
    """Show the first rows, and guess the columns."""
    from ..formats.preview import preview_log

    progress.step(Stage.PREVIEW)
    _save(PREVIEW, asdict(preview_log(options["files"][0], **options["shown_as"])))


def demo(options: Options, progress: Progress) -> None:
    """Make the demo log and its preview."""
    from ..formats import write_rows
    from ..synthetic import synthetic_frame

    write_rows(synthetic_frame(options["cases"], seed=0), options["files"][0], force=True)
    preview(options, progress)


def assess(options: Options, progress: Progress) -> None:
    """Read the log, and assess how exposed people are in it."""
    from ..evaluation.checks import checked
    from ..evaluation.inspection import inspect_log
    from ..evaluation.risk import assess_risk
    from ..formats import read_log
    from ..report import page_of
    from .columns import KnownColumns
    from .forms import ReadingRequest
    from .snapshot import save_columns

    request = ReadingRequest(**options["reading"])
    log = read_log(options["files"], ids=options.get("ids", False), progress=progress, **request.arguments())
    progress.step(Stage.ASSESS)
    longest = max(map(len, log.labels))
    if longest > _MAX_LABEL:
        raise LogError(
            f"an activity has a name of {longest:,} letters: choose another column for {argument('activity')}"
        )
    save_columns(log, Path(COLUMNS))
    _save(KNOWN_COLUMNS, KnownColumns.of(log).plain())
    risk = assess_risk(log)
    checks = [{**each.to_dict(), "texts": list(each.texts[:_MAX_MARKED])} for each in checked(log)]
    found = {
        "inspection": inspect_log(log).to_dict(), "risk": risk.plain(), "verdict": risk.verdict, "checks": checks,
    }  # fmt: skip
    _save(RISK, {**found, "page": asdict(page_of(risk))})


def predict(options: Options, progress: Progress) -> None:
    """Predict what each method gives at each delta, and report each prediction at once."""
    from ..evaluation.sweep import tradeoffs
    from ..evaluation.tables import without_nan
    from .snapshot import load_columns

    for point in tradeoffs(load_columns(Path(COLUMNS)), options["settings"], progress=progress):
        _report(point=without_nan(point.to_dict()))


def release(options: Options, progress: Progress) -> None:
    """Make a release, and compare it with the original."""
    from ..evaluation.comparison import compare
    from ..evaluation.figures import measure, summary
    from ..evaluation.remarks import in_ledger, remarks, spending
    from ..release import anonymize
    from ..report import about, page_of, write_report
    from ..report.statement import statement_html
    from .forms import ReleaseRequest
    from .snapshot import load_columns, save_columns

    request = ReleaseRequest(**options["request"])
    progress.step(Stage.LOAD)
    log = load_columns(Path(COLUMNS))
    made = anonymize(log, method=request.chosen(), ledger=options.get("ledger"), progress=progress)
    made.write(request.file, progress=progress, force=True)
    figures = measure(log, made, progress)
    progress.step(Stage.COMPARE)
    comparison = compare(log, made)
    write_report(comparison, REPORT, force=True, about=about(options["name"], log.source, options["command"]))
    Path(STATEMENT).write_text(statement_html(made.facts), encoding="utf-8")
    save_columns(made.log, Path(RELEASED_COLUMNS))
    listed = () if made.begun is None else (f"In the ledger: {in_ledger(made.begun)}.",)
    # what logs share is for the owner of both: on a server for several people, an earlier log may be another's
    remarked = (*remarks(made if options["alone"] else replace(made, begun=None), figures), *listed)
    _record(options, log, made, comparison, remarked)
    known = summary(made, figures.with_seconds(progress.seconds()))
    del known["lost_variants"]  # may be long, and is in the report
    spent = spending(made.budget) if made.budget else ""
    texts = {"verdict": comparison.verdict, "remarks": remarked, "spent": spent}
    _save(RELEASE, {"release": known, **texts, "page": asdict(page_of(comparison))})


def _record(options: Options, log: EventLog, made: Release, comparison: Comparison, remarks: Sequence[str]) -> None:
    """Write down what the record says; the server adds what is filled in."""
    from ..report.record import OriginalFile, record_of

    risk = json.loads(Path(RISK).read_text(encoding="utf-8"))["verdict"]
    original = OriginalFile.of(log, options["name"], options["file"])
    record = record_of(made.facts, original, risk, comparison, remarks=remarks, command=options["command"])
    _save(RECORD, record.plain())


def attack(options: Options, progress: Progress) -> None:
    """Attack the release with all attacks that need no other release."""
    from ..auditor import audit_release
    from ..release import Release
    from ..report import page_of
    from ..report.record import findings_of
    from .forms import ReleaseRequest
    from .snapshot import load_columns

    progress.step(Stage.LOAD)
    log, released = load_columns(Path(COLUMNS)), load_columns(Path(RELEASED_COLUMNS))
    kept = [each for each in log.fields if not each.private]
    method = ReleaseRequest(**options["request"]).chosen().keeping(kept)
    made = Release(released, method.guarantee(), method, None)
    found = audit_release(log, made, progress=progress)
    recorded = {"audit": found.verdict, "findings": findings_of(found)}
    known = {"verdict": found.verdict, "holds": found.holds, "recorded": recorded}
    _save(ATTACKED, {**known, "page": asdict(page_of(found))})


TASKS: dict[TaskName, Callable[[Options, Progress], None]] = {
    TaskName.PREVIEW: preview,
    TaskName.DEMO: demo,
    TaskName.ASSESS: assess,
    TaskName.PREDICT: predict,
    TaskName.RELEASE: release,
    TaskName.ATTACK: attack,
}


class _ReportedProgress(Progress):
    """Reports progress to the server, but not too often."""

    def __init__(self) -> None:
        super().__init__()
        self._last = 0.0

    def show(self, step: str, fraction: float) -> None:
        """Report it."""
        now = time.monotonic()
        if fraction == 0 or now - self._last >= _INTERVAL:
            self._last = now
            _report(stage=step, fraction=fraction)


def main() -> None:
    """Run the task that the command line names."""
    message = json.loads(sys.stdin.readline())
    threading.Thread(target=_exit_with_server, daemon=True).start()
    keep_memory()
    _limit_memory(message["memory"])
    try:
        TASKS[TaskName(sys.argv[1])](message["options"], _ReportedProgress())
    except BaseException as error:  # libraries in Rust raise panics, which are not subclasses of Exception
        _report(**_error_message(error))


def _error_message(error: BaseException) -> dict[str, Any]:
    """The message about an error; the server adds what it knows about limits."""
    if _is_disk_full(error):
        return {"error": "", "disk_full": True}
    if isinstance(error, MemoryError):
        return {"error": "", "out_of_memory": True}
    if isinstance(error, UnsingleError):
        from .forms import READING_LABELS, as_field

        has_remedy = any(name in READING_LABELS for name in error.arguments)  # a field of the page
        bad_file = isinstance(error, FormatError) and not has_remedy
        remedy = not {"encoding", "sheet"}.isdisjoint(error.arguments)
        return {"error": error.in_words(as_field), "bad_file": bad_file, "remedy": remedy}
    text = f"unexpected {type(error).__name__}: please report it, with what kind of log it was"
    return {"error": text, "bad_file": True}


def _is_disk_full(error: BaseException | None) -> bool:
    """Whether a full disk caused an error, directly or through other exceptions."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False


def _report(**message: Any) -> None:
    with contextlib.suppress(BrokenPipeError):
        print(json.dumps(message), flush=True)


def _save(name: str, result: Any) -> None:
    from ..evaluation.tables import without_nan

    text = json.dumps(without_nan(result), allow_nan=False)
    if len(text) > _MAX_RESULT:
        raise LogError("this log is too large for the page to show: use the command `unsingle`")
    Path(name).write_text(text, encoding="utf-8")


def _exit_with_server() -> None:
    os.read(0, 1)  # not through sys.stdin, whose lock would keep the interpreter from shutting down
    os._exit(1)


def _limit_memory(limit: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash must not leave a copy of the memory on disk


if __name__ == "__main__":
    main()
