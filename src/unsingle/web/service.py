"""The service: everything that can be requested, the same for the page and for the API."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TypeVar

from starlette.requests import Request

from ..errors import ParameterError, UnsingleError
from ..formats.base import format_of
from ..methods import METHODS
from ..report.record import record_html
from . import results, storage
from .catalogue import DEFAULT_FORMAT, deltas, formats, methods
from .commands import demo_command, release_command
from .errors import HTTPError, busy, disk_full, not_found
from .fields import Fields
from .forms import PreviewRequest, ReadingRequest, ReleaseRequest, as_field, parse_record
from .jobs import Job, Jobs
from .ledgers import ledger_for
from .logs import log, redacted
from .pool import Failure, QueueFullError, WorkerPool
from .sessions import Sessions
from .settings import Settings
from .tasks import Task, TaskName, stages_for
from .uploads import Upload, upload_timeout

DEMO_CASES = 1000
_READ_RESULTS = (results.COLUMNS, results.KNOWN_COLUMNS, results.RISK)
_RELEASE_RESULTS = (
    results.RELEASE, results.REPORT, results.STATEMENT, results.RELEASED_COLUMNS, results.RECORD, results.ATTACKED
)  # fmt: skip
_RESERVED = 1000**3  # bytes of the disk that are left free
_IN_PROGRESS = "This log is being processed: wait until that is done, or stop it."

G = TypeVar("G")
T = TypeVar("T")


class Service:
    """Accepts logs and requests, has workers process them, and deletes what is no longer needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._storage = storage.Storage(settings.folder)
        self.jobs = Jobs(self._storage)
        self.sessions = Sessions()
        self._pool = WorkerPool(settings, self._task_ended, self._predict)
        self._uploads = 0

    # -------------------------------------------------------------------------------------- sessions

    def start_session(self) -> str:
        """Start a session."""
        return self.sessions.start({job.session for job in self.jobs})

    def session_for_unowned(self, job_id: str) -> str | None:
        """A new session for a job that has no owner yet; None if there is no such job."""
        return self.start_session() if self.jobs.is_unowned(job_id) else None

    def find(self, job_id: str, session: str | None) -> Job:
        """The job, if the session owns it; else a 404."""
        job = self.jobs.find(job_id, session)
        if job is None:
            raise not_found()
        return job

    # -------------------------------------------------------------------------------------- requests

    async def upload(self, request: Request, session: str | None) -> Job:
        """Create a job from an uploaded log; a visitor without a session gets one."""
        self._refuse_if_full()
        if self._uploads >= self.settings.uploads_at_once:
            raise busy()
        self._uploads += 1
        try:
            async with asyncio.timeout(self.settings.upload_time):
                return await self._save(Upload(request, self.settings), session)
        except TimeoutError:
            raise upload_timeout() from None
        finally:
            self._uploads -= 1

    async def _save(self, upload: Upload, session: str | None) -> Job:
        if self._storage.free_bytes() < _RESERVED:
            raise disk_full()
        name = await upload.first_name()
        job = self.jobs.create(session or self.start_session(), (name,), _format_of(name))
        job.keep_for(self.settings.upload_time + self.settings.keep)
        job.uploading = True
        try:
            job.names = await self._saved(upload, job)
            job.uploading = False
            self._refuse_if_deleted(job)
            self._preview(job)
        except BaseException:
            self.jobs.remove(job, "The upload was not completed, so nothing of it was kept.")
            raise
        return job

    async def _saved(self, upload: Upload, job: Job) -> tuple[str, ...]:
        """The names of the files that came; refuses if the job is deleted meanwhile, and its folder with it."""
        try:
            return await upload.save(lambda number, name: _file_for(number, name, job))
        except FileNotFoundError:
            self._refuse_if_deleted(job)
            raise

    def create_demo(self, session: str | None) -> Job:
        """Create a job with the demo log. Without a session it goes to the first visitor who opens it."""
        self._refuse_if_full()
        job = self.jobs.create(session, (f"hospital.{DEFAULT_FORMAT}",), DEFAULT_FORMAT)
        job.made_by = demo_command(job.name, DEMO_CASES)
        try:
            self._preview(job)
        except BaseException:
            self.jobs.remove(job)
            raise
        return job

    async def retry_preview(self, job: Job, given: Fields) -> None:
        """Make the preview again: after it failed, or to show the text as another encoding or sheet has it."""
        request = _parsed(PreviewRequest.parse, given)
        self._refuse_if_deleted(job)
        if job.has(results.PREVIEW) and request != job.shown_as:
            await self._prepare(job, results.PREVIEW, _IN_PROGRESS)
        elif job.state != "failed" or job.has(results.PREVIEW):
            raise HTTPError(409, "This log has a preview already, or it is being made.")
        job.shown_as = request
        self._preview(job)

    def _preview(self, job: Job) -> None:
        """Make the preview; the demo log is made first."""
        name, options = (TaskName.DEMO, {"cases": DEMO_CASES}) if job.made_by else (TaskName.PREVIEW, {})
        about = {"files": job.originals, "shown_as": asdict(job.shown_as), **options}
        self._submit(job, Task(name, about, stages_for(name), (results.PREVIEW,)))

    async def read(self, job: Job, given: Fields) -> None:
        """Read the log with these columns, and assess the risk."""
        request = _parsed(ReadingRequest.parse, given)
        await self._prepare(job, results.PREVIEW, "The preview of this log is not ready: wait a moment.")
        self._delete_files(job, (*_READ_RESULTS, *_RELEASE_RESULTS, *_release_file(job)))
        job.reading, job.release, job.points, job.downloaded = request, None, [], set()
        options = {"files": job.originals, "reading": asdict(request), "ids": self.settings.ledgers is not None}
        self._submit(job, Task(TaskName.ASSESS, options, stages_for(TaskName.ASSESS), _READ_RESULTS))

    async def release(self, job: Job, given: Fields) -> None:
        """Make a release."""
        request = _parsed(ReleaseRequest.parse, given)
        if job.has(results.KNOWN_COLUMNS):
            _parsed(request.refuse_other_columns, job.known_columns)
        await self._prepare(job, results.RISK, "Read the log first: choose its case, activity and time columns.")
        self._delete_files(job, (*_RELEASE_RESULTS, *_release_file(job)))
        job.release, job.downloaded = request, set()
        stages = stages_for(TaskName.RELEASE, tuple(METHODS[request.method].stages))
        outputs = (*_RELEASE_RESULTS, *results.release_files(request.format))
        assert job.reading is not None, "a log whose risk is known was read"
        command = release_command(job.names, job.reading, request)
        about = {"file": job.originals[0] if len(job.names) == 1 else None, "name": job.name, "command": command}
        options = {"request": asdict(request), "ledger": self._ledger_of(job), **about, "alone": self.settings.is_local}
        self._submit(job, Task(TaskName.RELEASE, options, stages, outputs))

    async def attack(self, job: Job) -> None:
        """Attack the release."""
        await self._prepare(job, results.RELEASED_COLUMNS, "Make a release first: there is nothing to attack yet.")
        assert job.release is not None, "there is a release"
        self._delete_files(job, (results.ATTACKED,))
        options = {"request": asdict(job.release)}
        self._submit(job, Task(TaskName.ATTACK, options, stages_for(TaskName.ATTACK), (results.ATTACKED,)))

    def record(self, job: Job, given: Fields) -> str:
        """The record of the release, with what was filled in; nothing of that is kept."""
        filled = _parsed(parse_record, given)
        record = job.result(results.RECORD)
        if record is None:
            raise HTTPError(409, "Make a release first: there is nothing to record yet.")
        job.keep_for(max(job.expires - time.time(), min(self.settings.keep, self.settings.after_both)))
        return record_html({**record, **(job.result(results.ATTACKED) or {}).get("recorded", {})}, filled)

    def _ledger_of(self, job: Job) -> str | None:
        """The ledger that lists releases of this log; none for the demo log, in which there is no person."""
        if self.settings.ledgers is None or job.made_by:
            return None
        return str(_parsed(partial(ledger_for, self.settings.ledgers), job.name))

    async def _prepare(self, job: Job, needed: str, otherwise: str) -> None:
        """Stop predictions if a request can be accepted now. No other request can come between this and `_submit`."""
        predicting = job.task is not None and job.task.in_background
        try:
            await self._stop_predictions(job, needed, otherwise)
        except HTTPError:
            if predicting:  # they may have been stopped for a request that then could not be accepted
                self._predict(job)
            raise

    async def _stop_predictions(self, job: Job, needed: str, otherwise: str) -> None:
        for _ in range(2):  # check again after `stop`, during which another request may have been accepted
            self._refuse_if_deleted(job)
            if job.state in ("working", "waiting"):
                raise HTTPError(409, _IN_PROGRESS)
            if not job.has(needed):
                raise HTTPError(409, otherwise)
            if self._pool.is_full:
                raise busy()
            if job.task is None:
                return
            await self._pool.stop(job)
        self._refuse_if_deleted(job)
        if job.task is not None:
            raise HTTPError(409, _IN_PROGRESS)

    async def stop(self, job: Job) -> None:
        """Stop the task and delete its unfinished files; the log stays."""
        task = job.task
        await self._pool.stop(job)
        if task is not None and job.task is None:  # else another request was accepted meanwhile
            self._delete_files(job, task.outputs)
            job.keep_for(self.settings.keep)
            job.note = "Stopped. The log is still here."
            if not task.in_background:
                self._predict(job)
        if not job.has(results.PREVIEW):  # there is nothing to go back to
            self.jobs.remove(job, "The log was deleted.")

    async def delete(self, job: Job, reason: str = "The log and everything made from it was deleted.") -> None:
        """Stop the task and delete everything."""
        try:
            await self._pool.stop(job)
        finally:
            self.jobs.remove(job, reason)

    def downloaded(self, job: Job, file: str, release: ReleaseRequest | None) -> None:
        """Note a finished download of this release; after the last one nothing has to be kept for long."""
        if job.release is not release or file not in job.downloads:  # another release took its place meanwhile
            return
        job.downloaded.add(file)
        job.keep_for(
            min(self.settings.keep, self.settings.after_both if job.has_been_taken else self.settings.after_download)
        )

    def queued_before(self, job: Job) -> int:
        """How many tasks are queued before that of the job."""
        return self._pool.queued_before(job.task) if job.task is not None else 0

    # ------------------------------------------------------------------------------------- lifecycle

    async def delete_expired(self) -> None:
        """Delete, from now on, jobs that have not been used for too long."""
        while True:
            await asyncio.sleep(min(5.0, self.settings.keep / 4, self.settings.after_both / 4))
            for job in self.jobs:
                in_use = job.task is not None and not job.task.in_background
                if not in_use and time.time() > job.expires:
                    await self._expire(job)

    async def _expire(self, job: Job) -> None:
        reason = "You have the release and the report" if job.has_been_taken else "It was no longer used"
        try:
            await self.delete(job, f"{reason}, so everything about this log was deleted here.")
        except Exception as error:  # the other jobs have to be deleted, too
            log.error("%s", redacted(error))

    async def close(self) -> None:
        """Kill all workers and delete all files."""
        try:
            await self._pool.close()
        finally:
            self.delete_all_files()

    def delete_all_files(self) -> None:
        """Delete all files."""
        self._storage.close()

    def _submit(self, job: Job, task: Task) -> None:
        if not task.in_background:
            job.error, job.failed, job.note = "", None, ""
            job.drafts = {}
            job.keep_for(self.settings.keep)
        try:
            self._pool.submit(job, task)
        except QueueFullError:
            raise busy() from None

    def _task_ended(self, job: Job, task: Task, failure: Failure | None) -> None:
        """Note how a task ended, and go on with predictions."""
        if task.in_background:
            job.prediction_error = job.told(failure.message) if failure else ""
            return
        job.keep_for(self.settings.keep)
        if failure:
            self._note_failure(job, task, failure)
        self._predict(job)

    def _note_failure(self, job: Job, task: Task, failure: Failure) -> None:
        job.error, job.failed = job.told(failure.message), task.name
        self._delete_files(job, task.outputs)
        if failure.temporary or (failure.remedy and task.name is TaskName.PREVIEW):
            return
        if failure.bad_file or task.name in (TaskName.PREVIEW, TaskName.DEMO):  # another choice would not help
            job.unusable = True
            storage.remove(job.folder)

    def _predict(self, job: Job) -> None:
        """Predict in the background what has not been predicted yet, once the log has been read."""
        if job.task is not None or job.unusable or not self.jobs.has(job) or not job.has(results.RISK):
            return
        known = {(point["method"], point["delta"]) for point in job.points}
        missing = [(method, delta) for delta in deltas() for method in methods() if (method, delta) not in known]
        if missing:
            job.prediction_error = ""
            self._submit(job, Task(TaskName.PREDICT, {"settings": missing}, stages_for(TaskName.PREDICT)))

    def _delete_files(self, job: Job, names: tuple[str, ...]) -> None:
        for name in names:
            (job.folder / name).unlink(missing_ok=True)

    def _refuse_if_full(self) -> None:
        if len(self.jobs) >= self.settings.max_jobs or self._pool.is_full:
            raise busy()

    def _refuse_if_deleted(self, job: Job) -> None:
        if job.unusable or not self.jobs.has(job):
            raise not_found()


def _release_file(job: Job) -> tuple[str, ...]:
    return results.release_files(job.release.format) if job.release else ()


def _file_for(number: int, name: str, job: Job) -> Path:
    """Where a file of a log goes; refuses one of another format."""
    if format_of("", _format_of(name)).format is not format_of("", job.format).format:
        raise HTTPError(400, "The files have several formats: choose files of one format, which together are one log.")
    return job.folder / results.original_file(job.format, number)


def _format_of(name: str) -> str:
    try:
        return str(format_of(name))
    except ParameterError:
        endings = ", ".join(f".{format_}" for format_ in formats())
        raise HTTPError(
            400, f"The format is not clear from the file name: rename the file so that it ends in one of {endings}."
        ) from None


def _parsed(parse: Callable[[G], T], given: G) -> T:
    try:
        return parse(given)
    except UnsingleError as error:
        raise HTTPError(400, error.in_words(as_field)) from None
