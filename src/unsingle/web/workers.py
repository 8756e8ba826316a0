"""Worker processes: so many at once, the others wait in a queue that has an end; one that dies is told of."""

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

from .jobs import Job, Task
from .refusing import FULL_DISK
from .settings import Settings
from .telling import log, where_and_what

_LINE = 1 << 20  # bytes of one line that a worker may tell


class Full(Exception):  # noqa: N818 - reads as what it says
    """The queue has no more room."""


@dataclass(frozen=True)
class Trouble:
    """Why a task failed: `hopeless` if another choice would not help, `passing` if the same may well work later."""

    text: str
    hopeless: bool = False
    passing: bool = False


@dataclass(eq=False)
class _Work:
    job: Job
    task: Task
    process: asyncio.subprocess.Process | None = None
    waiter: asyncio.Task[None] | None = field(default=None)
    trouble: Trouble | None = None
    gave_way: bool = False


class Workers:
    """Gives tasks to processes. What nobody waits for gives way to what somebody waits for.

    `done` is called with a job, its task and what went wrong (None if nothing did), `resume` with a job whose task gave
    way.
    """

    def __init__(
        self, settings: Settings, done: Callable[[Job, Task, Trouble | None], None], resume: Callable[[Job], None]
    ) -> None:
        self._settings, self._done, self._resume = settings, done, resume
        self._waiting: list[_Work] = []
        self._running: list[_Work] = []

    @property
    def is_full(self) -> bool:
        """Whether no more can wait; what nobody waits for does not count, for there is one of it for a job at most."""
        return sum(not work.task.in_background for work in self._waiting) >= self._settings.most_waiting

    def submit(self, job: Job, task: Task) -> None:
        """Let a worker do a task of a job, now or when it is its turn."""
        if self.is_full and not task.in_background:
            raise Full
        job.task = task
        self._waiting.append(_Work(job, task))
        self._fill()

    def ahead_of(self, task: Task) -> int:
        """How many tasks wait before this one."""
        order = [work.task for work in self._in_order()]
        return order.index(task) if task in order else 0

    async def stop(self, job: Job) -> None:
        """End what is done for a job, at once."""
        self._waiting = [work for work in self._waiting if work.job is not job]
        job.task = None
        for work in [work for work in self._running if work.job is job]:
            await self._end(work)

    async def close(self) -> None:
        """End everything."""
        self._waiting = []
        for work in list(self._running):
            await self._end(work)

    async def _end(self, work: _Work) -> None:
        """End a process and all it started, and see it gone."""
        work.job.task = None
        if work.process is not None:
            _kill(work.process)
        if work.waiter is not None:
            await asyncio.wait([work.waiter])  # which passes no cancelling on to it

    def _in_order(self) -> list[_Work]:
        """What waits: what nobody waits for comes last."""
        return sorted(self._waiting, key=lambda work: work.task.in_background)

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self._settings.workers:
            work = self._in_order()[0]
            self._waiting.remove(work)
            self._running.append(work)
            work.task.running = True
            work.waiter = asyncio.create_task(self._watch(work))
        if any(not work.task.in_background for work in self._waiting):
            self._make_room()

    def _make_room(self) -> None:
        """End one task that nobody waits for, unless one is ending already."""
        idle = [work for work in self._running if work.task.in_background]
        if idle and not any(work.gave_way for work in idle):
            idle[0].gave_way = True
            if idle[0].process is not None:
                _kill(idle[0].process)

    async def _watch(self, work: _Work) -> None:
        """Start the process, follow what it tells, and note how it ended."""
        try:
            async with asyncio.timeout(self._settings.work_time):
                work.process = await self._start(work)
                if work.gave_way or work.job.task is not work.task:  # stopped meanwhile
                    return
                await self._follow(work)
                code = await work.process.wait()
            if code != 0 and work.trouble is None:
                work.trouble = Trouble(self._death(code))
        except TimeoutError:
            work.trouble = Trouble(
                f"The work took longer than the {self._settings.work_time / 60:,.0f} minutes that are allowed here: "
                "use the command `unsingle` for this log."
            )
        except Exception as error:  # the system has no process left, for example
            log.error("%s", where_and_what(error))
            work.trouble = Trouble("The work could not be begun. Try it again in a minute.")
        finally:
            try:
                if work.process is not None:
                    _kill(work.process)
                    await work.process.wait()
            finally:
                self._ended(work)

    def _ended(self, work: _Work) -> None:
        """Note the end of a process, and let the next begin."""
        self._running.remove(work)
        if work.job.task is work.task:  # else it was stopped
            work.job.task = None
            if work.gave_way:
                self._resume(work.job)
            else:
                self._done(work.job, work.task, work.trouble)
        self._fill()

    async def _start(self, work: _Work) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "unsingle.web.worker", work.task.name,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            cwd=work.job.folder, start_new_session=True, limit=_LINE,
        )  # fmt: skip
        assert process.stdin is not None
        order = {"options": work.task.options, "memory": self._settings.work_memory}
        process.stdin.write(json.dumps(order).encode() + b"\n")
        with contextlib.suppress(ConnectionError):  # it died already, which is told below
            await process.stdin.drain()
        return process

    async def _follow(self, work: _Work) -> None:
        assert work.process is not None
        assert work.process.stdout is not None
        async for line in work.process.stdout:
            told = json.loads(line)
            if "step" in told:
                work.task.at(told["step"], told["fraction"])
            elif "point" in told:
                work.job.points.append(told["point"])
            elif "error" in told:
                work.trouble = self._told(told)

    def _told(self, told: dict[str, Any]) -> Trouble:
        if told.get("disk"):
            return Trouble(f"{FULL_DISK} and try it again. The log is still here.", passing=True)
        return Trouble(self._memory() if told.get("memory") else told["error"], told.get("hopeless", False))

    def _death(self, code: int) -> str:
        """Why a worker died without a word: the system ends what has no memory left by these two signals."""
        if code in (-signal.SIGKILL, -signal.SIGABRT):
            return f"The work was ended from outside, as happens when memory runs out. {self._memory()}"
        return "The work ended unexpectedly. Try it again; if it happens again, please report it."

    def _memory(self) -> str:
        return (
            f"This log may need more memory than the {self._settings.work_memory / 1e9:.1f} GB that are allowed here: "
            "use the command `unsingle`, or a larger machine."
        )


def _kill(process: asyncio.subprocess.Process) -> None:
    """End the process and what it started; they are a group of their own."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
