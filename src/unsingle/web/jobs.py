"""Jobs: an uploaded log, what is known about it so far, and the task that is queued or running."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..privacy.random import unguessable
from . import results, storage
from .columns import KnownColumns
from .forms import PreviewRequest, ReadingRequest, ReleaseRequest
from .tasks import Task, TaskName

_MAX_DELETIONS = 1000  # how many deleted jobs are remembered

RELEASE_FILE, REPORT_FILE, STATEMENT_FILE = "release", "report", "statement"
"""The files that can be downloaded."""


@dataclass
class Job:
    """A log and its results. `names` are the user's names of its files, and are shown to that user only."""

    id: str
    session: str | None
    names: tuple[str, ...]
    format: str
    folder: Path
    created: float = field(default_factory=time.time)
    expires: float = 0.0
    uploading: bool = False
    made_by: str = ""  # the command that makes the log, if it was not uploaded
    task: Task | None = None
    error: str = ""
    failed: TaskName | None = None  # the task that caused the error
    note: str = ""  # a message for the user
    unusable: bool = False  # whether its files were deleted because of the error
    shown_as: PreviewRequest = field(default_factory=PreviewRequest)
    reading: ReadingRequest | None = None
    release: ReleaseRequest | None = None
    drafts: dict[TaskName, dict[str, Any]] = field(default_factory=dict)  # forms whose requests were refused
    points: list[dict[str, Any]] = field(default_factory=list)
    prediction_error: str = ""
    downloaded: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """What the user's log is called."""
        more = len(self.names) - 1
        return f"{self.names[0]} and {more} more" if more else self.names[0]

    @property
    def originals(self) -> list[str]:
        """The names of the files of the log in the job's folder."""
        return [results.original_file(self.format, number) for number in range(len(self.names))]

    def told(self, message: str) -> str:
        """A message of a worker with the names that the user knows."""
        for original, name in zip(self.originals, self.names, strict=True):
            message = message.replace(original, name)
        return message

    @property
    def downloads(self) -> dict[str, str]:
        """The files that can be downloaded now."""
        if self.release is None or not self.has(results.RELEASE):
            return {}
        return {RELEASE_FILE: self.release.file, REPORT_FILE: results.REPORT, STATEMENT_FILE: results.STATEMENT}

    @property
    def has_been_taken(self) -> bool:
        """Whether release and report were downloaded; the statement can be made again from the release."""
        return bool(self.downloads) and self.downloaded >= {RELEASE_FILE, REPORT_FILE}

    def has(self, name: str) -> bool:
        """Whether a result is complete, and not about to be replaced."""
        replaced = self.task is not None and name in self.task.outputs
        return not replaced and (self.folder / name).is_file()

    def result(self, name: str) -> Any:
        """A result of a worker; None if there is none."""
        if not self.has(name):
            return None
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # deleted just now, or half written by a worker that was killed
            return None

    @property
    def known_columns(self) -> KnownColumns:
        """The columns that are kept and left out, once the log was read."""
        return KnownColumns.from_plain(self.result(results.KNOWN_COLUMNS))

    @property
    def state(self) -> str:
        """One of uploading, waiting, working, failed and ready."""
        if self.uploading:
            return "uploading"
        if self.task is not None and not self.task.in_background:
            return "working" if self.task.running else "waiting"
        return "failed" if self.error else "ready"

    def keep_for(self, seconds: float) -> None:
        """Postpone the deletion: the job is in use."""
        self.expires = time.time() + seconds

    @property
    def deleted_at(self) -> str:
        """When its files are deleted if nobody uses it."""
        return utc(self.expires)


def utc(seconds: float) -> str:
    """A moment in ISO 8601.

    >>> utc(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Deletion:
    """When and why a job was deleted, for the session that owned it."""

    session: str | None
    reason: str
    time: str


class Jobs:
    """All jobs by their unguessable ids."""

    def __init__(self, home: storage.Storage) -> None:
        self._home = home
        self._jobs: dict[str, Job] = {}
        self._deletions: dict[str, Deletion] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._jobs.values()))

    def create(self, session: str | None, names: tuple[str, ...], format_: str) -> Job:
        """Create a job with a folder of its own."""
        job_id = unguessable()
        job = self._jobs[job_id] = Job(job_id, session, names, format_, self._home.create(job_id))
        return job

    def find(self, job_id: str, session: str | None) -> Job | None:
        """The job, if this session owns it. A job without an owner goes to the first session that knows its id."""
        job = self._jobs.get(job_id)
        if job is not None and job.session is None and session is not None:
            job.session = session
        return job if job is not None and session is not None and job.session == session else None

    def is_unowned(self, job_id: str) -> bool:
        """Whether there is such a job and no session owns it yet."""
        return job_id in self._jobs and self._jobs[job_id].session is None

    def of(self, session: str | None) -> list[Job]:
        """The jobs of a session, newest first."""
        return [job for job in reversed(self._jobs.values()) if session is not None and job.session == session]

    def has(self, job: Job) -> bool:
        """Whether the job has not been deleted."""
        return job.id in self._jobs

    def remove(self, job: Job, reason: str = "") -> None:
        """Delete a job and its files, and remember the reason for its owner."""
        if self._jobs.pop(job.id, None) is not None and reason:
            while len(self._deletions) >= _MAX_DELETIONS:
                del self._deletions[next(iter(self._deletions))]
            self._deletions[job.id] = Deletion(job.session, reason, utc(time.time()))
        storage.remove(job.folder)

    def deletion(self, job_id: str, session: str | None) -> Deletion | None:
        """Why a job was deleted, if this session owned it."""
        found = self._deletions.get(job_id)
        return found if found is not None and session is not None and found.session == session else None
