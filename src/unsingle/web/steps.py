"""The steps of the page: one decision each. Which there are, which can be opened, and which is shown first."""

from __future__ import annotations

from typing import NamedTuple

from . import results
from .jobs import Job
from .tasks import TaskName


class Step(NamedTuple):
    """A step: the name of its section, what the bar of steps calls it, what it asks, and whether it can be opened."""

    name: str
    title: str
    question: str
    number: int
    open: bool


LOG, RISK, PATHS, DELTA, RELEASE, CHANGES = "log", "risk", "paths", "delta", "release", "changes"

_STEPS = (
    (LOG, "Your log", "Your log: which column is which?"),
    (RISK, "Risk", "Can people in it be singled out?"),
    (PATHS, "What is published", "Which paths may be published?"),
    (DELTA, "Protection", "How much protection?"),
    (RELEASE, "Release", "The release"),
    (CHANGES, "Result", "Can it still be used?"),
)

FORM_STEP = {TaskName.ASSESS: LOG, TaskName.RELEASE: DELTA}
RESULT_STEP = {TaskName.ASSESS: RISK, TaskName.RELEASE: RELEASE}
"""The steps with the form that requests a task, and with its result."""


def steps_of(job: Job) -> list[Step]:
    """All steps; those that need a result can be opened once it is there, or while it is made."""
    task = None if job.task is None else job.task.name
    read, released = job.has(results.RISK), job.has(results.RELEASE)
    opened = {
        LOG: True,
        RISK: read or task is TaskName.ASSESS,
        PATHS: read,
        DELTA: read,
        RELEASE: released or task is TaskName.RELEASE,
        CHANGES: released,
    }
    return [Step(*each, number, opened[each[0]]) for number, each in enumerate(_STEPS, start=1)]


def current_step(job: Job) -> str:
    """The step that is shown first: that of the task at work, or of the last result."""
    if job.task is not None and job.task.name in RESULT_STEP:
        return RESULT_STEP[job.task.name]
    if job.error and job.failed in FORM_STEP:
        return FORM_STEP[job.failed]
    if job.has(results.RELEASE):
        return RELEASE
    return RISK if job.has(results.RISK) else LOG
