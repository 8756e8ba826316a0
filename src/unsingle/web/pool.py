"""The worker pool: a bounded queue of tasks, and a limited number of worker processes that run them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import DISK_FULL
from .jobs import Job
from .logs import log, redacted
from .settings import Settings
from .tasks import Task

_MAX_LINE = 1 << 20  # bytes of one message from a worker


class QueueFullError(Exception):
    """The queue is at its limit."""


@dataclass(frozen=True)
class Failure:
    """Why a task failed: `bad_file` if no other request could help, `temporary` if the same may well work later.

    `remedy` if the file may be read in another encoding, or another sheet of it.
    """

    message: str
    bad_file: bool = False
    temporary: bool = False
    remedy: bool = False


@dataclass(eq=False)
class _Run:
    """A task of a job, queued or running."""

    job: Job
    task: Task
    process: asyncio.subprocess.Process | None = None
    watcher: asyncio.Task[None] | None = field(default=None)
    failure: Failure | None = None
    preempted: bool = False


class WorkerPool:
    """Runs tasks in worker processes. Interactive tasks pre-empt background tasks.

    `on_end` is called with a job, its task and the failure (None if it succeeded), `on_preempted` with a job whose
    background task was pre-empted.
    """

    def __init__(
        self,
        settings: Settings,
        on_end: Callable[[Job, Task, Failure | None], None],
        on_preempted: Callable[[Job], None],
    ) -> None:
        self._settings, self._on_end, self._on_preempted = settings, on_end, on_preempted
        self._queue: list[_Run] = []
        self._running: list[_Run] = []

    @property
    def is_full(self) -> bool:
        """Whether the queue is at its limit. Background tasks do not count: there is at most one for each job."""
        return sum(not run.task.in_background for run in self._queue) >= self._settings.max_queued

    def submit(self, job: Job, task: Task) -> None:
        """Queue a task; raises `QueueFullError`."""
        if self.is_full and not task.in_background:
            raise QueueFullError
        job.task = task
        self._queue.append(_Run(job, task))
        self._start_next()

    def queued_before(self, task: Task) -> int:
        """How many tasks are queued before this one."""
        order = [run.task for run in self._by_priority()]
        return order.index(task) if task in order else 0

    async def stop(self, job: Job) -> None:
        """Remove the job's task from the queue, or kill its worker."""
        self._queue = [run for run in self._queue if run.job is not job]
        job.task = None
        for run in [run for run in self._running if run.job is job]:
            await self._end(run)

    async def close(self) -> None:
        """Empty the queue and kill all workers."""
        self._queue = []
        for run in list(self._running):
            await self._end(run)

    async def _end(self, run: _Run) -> None:
        """Kill a worker and all processes it started, and wait until they are gone."""
        run.job.task = None
        if run.process is not None:
            _kill(run.process)
        if run.watcher is not None:
            await asyncio.wait([run.watcher])  # unlike `await run.watcher`, does not cancel it if we are cancelled

    def _by_priority(self) -> list[_Run]:
        """The queue, background tasks last."""
        return sorted(self._queue, key=lambda run: run.task.in_background)

    def _start_next(self) -> None:
        while self._queue and len(self._running) < self._settings.workers:
            run = self._by_priority()[0]
            self._queue.remove(run)
            self._running.append(run)
            run.task.running = True
            run.watcher = asyncio.create_task(self._watch(run))
        if any(not run.task.in_background for run in self._queue):
            self._preempt()

    def _preempt(self) -> None:
        """Kill the worker of one background task, unless one is being killed already."""
        background = [run for run in self._running if run.task.in_background]
        if background and not any(run.preempted for run in background):
            background[0].preempted = True
            if background[0].process is not None:
                _kill(background[0].process)

    async def _watch(self, run: _Run) -> None:
        """Start the worker, follow its messages, and note how it ended."""
        try:
            async with asyncio.timeout(self._settings.work_time):
                run.process = await self._start(run)
                if run.preempted or run.job.task is not run.task:  # stopped meanwhile
                    return
                await self._follow(run)
                code = await run.process.wait()
            if code != 0 and run.failure is None:
                run.failure = Failure(self._cause_of_death(code))
        except TimeoutError:
            run.failure = Failure(
                f"The task took longer than the limit of {self._settings.work_time / 60:,.0f} minutes: use the command "
                "`unsingle` for this log."
            )
        except Exception as error:  # for example, the system has no processes left
            log.error("%s", redacted(error))
            run.failure = Failure("The task could not be started. Try again in a minute.")
        finally:
            try:
                if run.process is not None:
                    _kill(run.process)
                    await run.process.wait()
            finally:
                self._ended(run)

    def _ended(self, run: _Run) -> None:
        """Report the end of a task, and start the next one."""
        self._running.remove(run)
        if run.job.task is run.task:  # else it was stopped
            run.job.task = None
            if run.preempted:
                self._on_preempted(run.job)
            else:
                self._on_end(run.job, run.task, run.failure)
        self._start_next()

    async def _start(self, run: _Run) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "unsingle.web.worker", run.task.name,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            cwd=run.job.folder, start_new_session=True, limit=_MAX_LINE,
        )  # fmt: skip
        assert process.stdin is not None
        message = {"options": run.task.options, "memory": self._settings.work_memory}
        process.stdin.write(json.dumps(message).encode() + b"\n")
        with contextlib.suppress(ConnectionError):  # it died already, which its exit code will show
            await process.stdin.drain()
        return process

    async def _follow(self, run: _Run) -> None:
        assert run.process is not None
        assert run.process.stdout is not None
        async for line in run.process.stdout:
            message = json.loads(line)
            if "stage" in message:
                run.task.update(message["stage"], message["fraction"])
            elif "point" in message:
                run.job.points.append(message["point"])
            elif "error" in message:
                run.failure = self._failure(message)

    def _failure(self, message: dict[str, Any]) -> Failure:
        if message.get("disk_full"):
            return Failure(f"{DISK_FULL} and try again. The log is still here.", temporary=True)
        if message.get("out_of_memory"):
            return Failure(self._memory_limit())
        return Failure(message["error"], message.get("bad_file", False), remedy=message.get("remedy", False))

    def _cause_of_death(self, code: int) -> str:
        """Why a worker died without a message; these two signals are what running out of memory looks like."""
        if code in (-signal.SIGKILL, -signal.SIGABRT):
            return f"The task was killed from outside, as happens when memory runs out. {self._memory_limit()}"
        return "The task ended unexpectedly. Try again; if it keeps happening, please report it."

    def _memory_limit(self) -> str:
        return (
            f"This log may need more memory than the limit of {self._settings.work_memory / 1e9:.1f} GB: use the "
            "command `unsingle`, or a larger machine."
        )


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a worker and all processes it started, which form a process group."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
