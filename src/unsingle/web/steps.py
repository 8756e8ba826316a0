"""The steps of the page: one decision each. Which there are, which can be opened, and which is shown first."""

from __future__ import annotations

from enum import StrEnum
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


class PageStep(StrEnum):
    """The steps by the names of their sections."""

    LOG = "log"
    RISK = "risk"
    PATHS = "paths"
    DELTA = "delta"
    RELEASE = "release"
    CHANGES = "changes"
    ATTACK = "attack"
    RECORD = "record"


_STEPS = (
    (PageStep.LOG, "Your log", "Your log: which column is which?"),
    (PageStep.RISK, "Risk", "Can people in it be singled out?"),
    (PageStep.PATHS, "What is published", "Which paths may be published?"),
    (PageStep.DELTA, "Protection", "How much protection?"),
    (PageStep.RELEASE, "Release", "The release"),
    (PageStep.CHANGES, "Result", "Can it still be used?"),
    (PageStep.ATTACK, "Break it", "Try to break it"),
    (PageStep.RECORD, "Decide", "Decide, and write it down"),
)

FORM_STEP = {TaskName.ASSESS: PageStep.LOG, TaskName.RELEASE: PageStep.DELTA, TaskName.ATTACK: PageStep.ATTACK}
RESULT_STEP = {TaskName.ASSESS: PageStep.RISK, TaskName.RELEASE: PageStep.RELEASE, TaskName.ATTACK: PageStep.ATTACK}
"""The steps with the form that requests a task, and with its result."""


def steps_of(job: Job) -> list[Step]:
    """All steps; those that need a result can be opened once it is there, or while it is made."""
    task = None if job.task is None else job.task.name
    read, released = job.has(results.RISK), job.has(results.RELEASE)
    opened = {
        PageStep.LOG: True,
        PageStep.RISK: read or task is TaskName.ASSESS,
        PageStep.PATHS: read,
        PageStep.DELTA: read,
        PageStep.RELEASE: released or task is TaskName.RELEASE,
        PageStep.CHANGES: released,
        PageStep.ATTACK: released or task is TaskName.ATTACK,
        PageStep.RECORD: released,
    }
    return [Step(*each, number, opened[each[0]]) for number, each in enumerate(_STEPS, start=1)]


def current_step(job: Job) -> str:
    """The step that is shown first: that of the task at work, or of the last result."""
    if job.task is not None and job.task.name in RESULT_STEP:
        return RESULT_STEP[job.task.name]
    if job.error and job.failed in FORM_STEP:
        return FORM_STEP[job.failed]
    if job.has(results.RELEASE):
        return PageStep.RELEASE
    return PageStep.RISK if job.has(results.RISK) else PageStep.LOG
