"""The desk: what can be asked of the server, the same for the page and for the API."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from ..errors import ParameterError, UnsingleError
from ..formats.files import format_of
from ..randomness import unguessable
from . import folders, worker
from .choices import DELTAS, LADDER, SUGGESTED, checked_choice, checked_reading, in_words_of_the_page, synthesizing
from .jobs import BUDGETED_STEPS, STEPS, Job, Jobs, Task
from .refusing import Refused, no_room, not_here
from .settings import Settings
from .telling import log, where_and_what
from .uploads import Upload, too_slow
from .workers import Full, Trouble, Workers

DEMO_CASES = 1000
_MADE_BY_RELEASE = (worker.RELEASE, worker.REPORT)
_SPARE = 1000**3  # bytes of the disk that are left alone
_MOST_OWNERS = 10_000


class Desk:
    """Takes logs and orders, gives them to workers, and removes what is no longer needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._home = folders.Folders(settings.folder)
        self.jobs = Jobs(self._home)
        self._workers = Workers(settings, self._done, self._predict)
        self._uploads = 0
        self._owners: dict[str, None] = {}

    # ---------------------------------------------------------------------------------------- owners

    def new_owner(self) -> str:
        """Somebody who may own jobs; who has none may be forgotten for that."""
        if len(self._owners) >= _MOST_OWNERS:
            busy = {job.owner for job in self.jobs}
            idle = next((owner for owner in self._owners if owner not in busy), None)
            if idle is not None:
                del self._owners[idle]
        owner = unguessable()
        self._owners[owner] = None
        return owner

    def known(self, owner: str | None) -> str | None:
        """The owner, if it is one of ours."""
        return owner if owner in self._owners else None

    def adopt(self, job_id: str) -> str | None:
        """A new owner for a job that nobody owns yet; None if there is no such job."""
        return self.new_owner() if self.jobs.is_unowned(job_id) else None

    def find(self, job_id: str, owner: str | None) -> Job:
        """The job, if it is there and the owner's."""
        job = self.jobs.find(job_id, owner)
        if job is None:
            raise not_here()
        return job

    # ----------------------------------------------------------------------------------- what is asked

    async def take_upload(self, request: Request, owner: str | None) -> Job:
        """Take a log from a form; somebody new becomes an owner with it."""
        self._refuse_if_full()
        if self._uploads >= self.settings.most_uploads:
            raise _busy()
        self._uploads += 1
        try:
            async with asyncio.timeout(self.settings.upload_time):
                return await self._save(Upload(request, self.settings), owner)
        except TimeoutError:
            raise too_slow() from None
        finally:
            self._uploads -= 1

    async def _save(self, upload: Upload, owner: str | None) -> Job:
        if self._home.free() < _SPARE:
            raise no_room()
        name = await upload.named()
        job = self.jobs.new(owner or self.new_owner(), name, _format_of(name))
        job.keep_for(self.settings.upload_time + self.settings.keep)
        job.uploading = True
        try:
            await upload.save(job.folder / job.file)
            job.uploading = False
            self._refuse_if_gone(job)
            self._look(job)
        except BaseException:
            self.jobs.remove(job, "It did not come here as a whole, so nothing of it was kept.")
            raise
        return job

    def make_demo(self, owner: str | None) -> Job:
        """Make the demo log. Without an owner it belongs to whoever asks for it first."""
        self._refuse_if_full()
        job = self.jobs.new(owner, "hospital.xes.gz", "xes.gz")
        job.made_by = synthesizing(job.name, DEMO_CASES)
        try:
            self._look(job)
        except BaseException:
            self.jobs.remove(job)
            raise
        return job

    def look_again(self, job: Job) -> None:
        """Look at the file, if that could not be done before."""
        self._refuse_if_gone(job)
        if job.state != "failed" or job.has(worker.LOOK):
            raise Refused(409, "This log was looked at already, or is just being looked at.")
        self._look(job)

    def _look(self, job: Job) -> None:
        """Have a look at the file, which nobody brought if it is the demo log."""
        name, options = ("demo", {"cases": DEMO_CASES}) if job.made_by else ("look", {})
        self._submit(job, Task(name, {"file": job.file, **options}, STEPS[name], (worker.LOOK,)))

    async def read(self, job: Job, given: Mapping[str, Any]) -> None:
        """Read the log with these columns, and see how exposed people are."""
        reading = _checked(checked_reading, given)
        await self._make_way(job, worker.LOOK, "This log was not looked at yet: wait a moment.")
        self._remove(job, (worker.COLUMNS, worker.RISK, *_MADE_BY_RELEASE, *_release_file(job)))
        job.reading, job.points, job.choice, job.downloaded = reading, [], {}, set()
        options = {"file": job.file, "reading": reading}
        self._submit(job, Task("assess", options, STEPS["assess"], (worker.COLUMNS, worker.RISK)))

    async def release(self, job: Job, given: Mapping[str, Any]) -> None:
        """Make a release."""
        choice = _checked(checked_choice, given)
        await self._make_way(job, worker.RISK, "Read the log first: say which columns are case, activity and time.")
        self._remove(job, (*_MADE_BY_RELEASE, *_release_file(job)))
        job.choice, job.downloaded = choice, set()
        steps = BUDGETED_STEPS if choice["method"] in LADDER else STEPS["release"]
        options = {"choice": choice, "output": job.output}
        self._submit(job, Task("release", options, steps, (*_MADE_BY_RELEASE, job.output)))

    async def _make_way(self, job: Job, needed: str, otherwise: str) -> None:
        """End predictions, if an order can be taken now; after this nothing else can come between."""
        predicting = job.task is not None and job.task.in_background
        try:
            await self._end_predictions(job, needed, otherwise)
        except Refused:
            if predicting:  # they may have been ended for an order that then could not be taken
                self._predict(job)
            raise

    async def _end_predictions(self, job: Job, needed: str, otherwise: str) -> None:
        for _ in range(2):  # again after the pause, in which another order may have come
            self._refuse_if_gone(job)
            if job.state in ("working", "waiting"):
                raise Refused(409, "This log is being worked on: wait until that is done, or stop it.")
            if not job.has(needed):
                raise Refused(409, otherwise)
            if self._workers.is_full:
                raise _busy()
            if job.task is None:
                return
            await self._workers.stop(job)
        self._refuse_if_gone(job)
        if job.task is not None:
            raise Refused(409, "This log is being worked on: wait until that is done, or stop it.")

    async def stop(self, job: Job) -> None:
        """End the work under way and remove what it was making; the log stays."""
        task = job.task
        await self._workers.stop(job)
        if task is not None and job.task is None:  # else another order came meanwhile
            self._remove(job, task.makes)
            job.keep_for(self.settings.keep)
            job.note = "Stopped. The log is still here."
            if not task.in_background:
                self._predict(job)
        if not job.has(worker.LOOK):  # there is nothing to go back to
            self.jobs.remove(job, "The log was deleted.")

    async def delete(self, job: Job, why: str = "The log and everything made from it was deleted.") -> None:
        """End the work under way and remove everything."""
        try:
            await self._workers.stop(job)
        finally:
            self.jobs.remove(job, why)

    def downloaded(self, job: Job, what: str, choice: dict[str, Any]) -> None:
        """Note that something of this release was downloaded: who has all needs nothing any more."""
        if job.choice is not choice or what not in job.downloads:  # another release took its place meanwhile
            return
        job.downloaded.add(what)
        has_all = job.downloaded >= job.downloads.keys()
        job.keep_for(min(self.settings.keep, self.settings.after_both if has_all else self.settings.after_download))

    def ahead_of(self, job: Job) -> int:
        """How many tasks wait before that of the job."""
        return self._workers.ahead_of(job.task) if job.task is not None else 0

    # ----------------------------------------------------------------------------------------- its life

    async def tidy(self) -> None:
        """Remove, from now on, what has not been used for too long."""
        while True:
            await asyncio.sleep(min(5.0, self.settings.keep / 4, self.settings.after_both / 4))
            for job in self.jobs:
                in_use = job.task is not None and not job.task.in_background
                if not in_use and time.time() > job.until:
                    await self._expire(job)

    async def _expire(self, job: Job) -> None:
        has_all = job.downloads and job.downloaded >= job.downloads.keys()
        said = "You have the release and the report" if has_all else "It was not used any more"
        try:
            await self.delete(job, f"{said}, so everything about this log was deleted here.")
        except Exception as error:  # the others must go, too
            log.error("%s", where_and_what(error))

    async def close(self) -> None:
        """End all work and remove all files."""
        try:
            await self._workers.close()
        finally:
            self.remove_all()

    def remove_all(self) -> None:
        """Remove all files."""
        self._home.close()

    def _submit(self, job: Job, task: Task) -> None:
        if not task.in_background:
            job.error = job.failed = job.note = ""
            job.drafts = {}
            job.keep_for(self.settings.keep)
        try:
            self._workers.submit(job, task)
        except Full:
            raise _busy() from None

    def _done(self, job: Job, task: Task, trouble: Trouble | None) -> None:
        """Note how a task ended, and begin what comes by itself after it."""
        if task.in_background:
            job.unpredicted = in_words_of_the_page(trouble.text, job.file, job.name) if trouble else ""
            return
        job.keep_for(self.settings.keep)
        if trouble:
            self._note_failure(job, task, trouble)
        self._predict(job)

    def _note_failure(self, job: Job, task: Task, trouble: Trouble) -> None:
        job.error, job.failed = in_words_of_the_page(trouble.text, job.file, job.name), task.name
        self._remove(job, task.makes)
        if trouble.passing:
            return
        if trouble.hopeless or task.name in ("look", "demo"):  # another choice would not help
            job.lost = True
            folders.remove(job.folder)

    def _predict(self, job: Job) -> None:
        """Measure what has not been measured yet, the usual delta first; not before the log was read."""
        if job.task is not None or job.lost or not self.jobs.has(job) or not job.has(worker.RISK):
            return
        known = {(point["method"], point["delta"]) for point in job.points}
        settings = [(method, delta) for delta in DELTAS for method in SUGGESTED if (method, delta) not in known]
        if settings:
            job.unpredicted = ""
            self._submit(job, Task("predict", {"settings": settings}, STEPS["predict"]))

    def _remove(self, job: Job, names: tuple[str, ...]) -> None:
        for name in names:
            (job.folder / name).unlink(missing_ok=True)

    def _refuse_if_full(self) -> None:
        if len(self.jobs) >= self.settings.most_jobs or self._workers.is_full:
            raise _busy()

    def _refuse_if_gone(self, job: Job) -> None:
        if job.lost or not self.jobs.has(job):
            raise not_here()


def _release_file(job: Job) -> tuple[str, ...]:
    return (job.output,) if job.choice else ()


def _format_of(name: str) -> str:
    try:
        return format_of(name)
    except ParameterError:
        raise Refused(
            400,
            "The format is not clear from the name of the file: let it end in .xes, .xes.gz, .csv, .csv.gz or "
            ".parquet.",
        ) from None


def _checked(check: Any, given: Mapping[str, Any]) -> Any:
    try:
        return check(given)
    except UnsingleError as error:
        raise Refused(400, str(error)) from None


def _busy() -> Refused:
    return Refused(503, "There is more work here than can be done now: try again in a minute.")
