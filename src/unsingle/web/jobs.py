"""Jobs: a log that somebody brought, what is known of it so far, and the task under way."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..randomness import unguessable
from . import folders, worker

STEPS = {
    "look": ("look",),
    "demo": ("look",),
    "assess": ("read", "assess"),
    "predict": ("sweep",),
    "release": ("load", "automaton", "counts", "times", "measure", "write", "compare"),
}
"""The steps of each task; a release by a method with a budget has steps of its own."""

BUDGETED_STEPS = ("load", "paths", "times", "measure", "write", "compare")

_MOST_FAREWELLS = 1000

RELEASE_FILE, REPORT_FILE = "release", "report"
"""What can be downloaded."""


@dataclass
class Task:
    """One piece of work for a worker process, and how far it is."""

    name: str
    options: dict[str, Any]
    steps: tuple[str, ...]
    makes: tuple[str, ...] = ()  # files, which a task that is stopped must not leave
    step: str = ""
    fraction: float = 0.0
    running: bool = False

    @property
    def in_background(self) -> bool:
        """Whether nobody waits for it."""
        return self.name == "predict"

    def at(self, step: str, fraction: float) -> None:
        """Note how far it is."""
        self.step, self.fraction = step, fraction

    @property
    def total(self) -> float:
        """How much of the whole task is done, 0 to 1."""
        done = self.steps.index(self.step) if self.step in self.steps else 0
        return min(1.0, (done + self.fraction) / len(self.steps))


@dataclass
class Job:
    """A log and all that was done with it. `name` is what its owner calls it, and goes nowhere but to its owner."""

    id: str
    owner: str | None
    name: str
    format: str
    folder: Path
    begun: float = field(default_factory=time.time)
    until: float = 0.0
    uploading: bool = False
    made_by: str = ""  # the command that makes the log, if nobody brought it
    task: Task | None = None
    error: str = ""
    failed: str = ""  # the task that the error is of
    note: str = ""  # what its owner should know
    lost: bool = False  # whether its files had to go because of the error
    reading: dict[str, Any] = field(default_factory=dict)
    choice: dict[str, Any] = field(default_factory=dict)
    drafts: dict[str, dict[str, str]] = field(default_factory=dict)  # forms for tasks that were refused
    points: list[dict[str, Any]] = field(default_factory=list)
    unpredicted: str = ""  # why predictions are missing
    downloaded: set[str] = field(default_factory=set)

    @property
    def file(self) -> str:
        """The name of the log in the job's folder, whatever its owner calls it."""
        return f"original.{self.format}"

    @property
    def output(self) -> str:
        """The name of the release."""
        return f"release.{self.choice['format']}"

    @property
    def downloads(self) -> dict[str, str]:
        """The files that can be downloaded, if they are there."""
        return {RELEASE_FILE: self.output, REPORT_FILE: worker.REPORT} if self.has(worker.RELEASE) else {}

    def has(self, name: str) -> bool:
        """Whether a result is there, and not about to be replaced."""
        made_anew = self.task is not None and name in self.task.makes
        return not made_anew and (self.folder / name).is_file()

    def result(self, name: str) -> Any:
        """A result of a worker; None if it is not there."""
        if not self.has(name):
            return None
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # removed just now, or half written by a worker that was ended
            return None

    @property
    def state(self) -> str:
        """What it does: uploading, waiting, working, failed or ready."""
        if self.uploading:
            return "uploading"
        if self.task is not None and not self.task.in_background:
            return "working" if self.task.running else "waiting"
        return "failed" if self.error else "ready"

    def keep_for(self, seconds: float) -> None:
        """Put off its removal: it is in use."""
        self.until = time.time() + seconds

    @property
    def deleted_at(self) -> str:
        """When its files will be removed, if nobody uses it."""
        return utc(self.until)


def utc(seconds: float) -> str:
    """A moment in ISO 8601.

    >>> utc(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Farewell:
    """What is told to the owner of a job that is gone."""

    owner: str | None
    text: str
    time: str


class Jobs:
    """All jobs there are, by their unguessable ids."""

    def __init__(self, home: folders.Folders) -> None:
        self._home = home
        self._jobs: dict[str, Job] = {}
        self._farewells: dict[str, Farewell] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._jobs.values()))

    def new(self, owner: str | None, name: str, format_: str) -> Job:
        """A job with a folder of its own."""
        job_id = unguessable()
        job = self._jobs[job_id] = Job(job_id, owner, name, format_, self._home.new(job_id))
        return job

    def find(self, job_id: str, owner: str | None) -> Job | None:
        """The job with this id, if it is the owner's. One that nobody owns belongs to whoever knows its id first."""
        job = self._jobs.get(job_id)
        if job is not None and job.owner is None and owner is not None:
            job.owner = owner
        return job if job is not None and owner is not None and job.owner == owner else None

    def is_unowned(self, job_id: str) -> bool:
        """Whether there is such a job, and nobody owns it yet."""
        return job_id in self._jobs and self._jobs[job_id].owner is None

    def of(self, owner: str | None) -> list[Job]:
        """The jobs of an owner, the newest first."""
        return [job for job in reversed(self._jobs.values()) if owner is not None and job.owner == owner]

    def has(self, job: Job) -> bool:
        """Whether the job is still there."""
        return job.id in self._jobs

    def remove(self, job: Job, why: str = "") -> None:
        """Forget a job and remove its files; its owner can learn why."""
        if self._jobs.pop(job.id, None) is not None and why:
            while len(self._farewells) >= _MOST_FAREWELLS:
                del self._farewells[next(iter(self._farewells))]
            self._farewells[job.id] = Farewell(job.owner, why, utc(time.time()))
        folders.remove(job.folder)

    def farewell(self, job_id: str, owner: str | None) -> Farewell | None:
        """Why a job is gone, if it was the owner's."""
        found = self._farewells.get(job_id)
        return found if found is not None and owner is not None and found.owner == owner else None
