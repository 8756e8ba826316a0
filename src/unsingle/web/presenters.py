"""What the page and the API show alike of jobs, guarantees and commands."""

from __future__ import annotations

from typing import Any

from ..privacy.guarantee import Guarantee
from . import results
from .catalogue import deltas, methods
from .commands import release_command
from .jobs import Job
from .service import Service
from .tasks import Task


def job_json(job: Job, service: Service) -> dict[str, Any]:
    """The state of a job."""
    return {
        "id": job.id,
        "name": job.name,
        "format": job.format,
        "state": job.state,
        "task": None if job.task is None else _task_json(job.task, service.queued_before(job)),
        "error": job.error or None,
        "preview": job.has(results.PREVIEW),
        "risk": job.has(results.RISK),
        "predictions": len(job.points),
        "predictions_error": job.prediction_error or None,
        "release": job.has(results.RELEASE),
        "deleted_at": job.deleted_at,
    }


def _task_json(task: Task, ahead: int) -> dict[str, Any]:
    return {
        "name": task.name,
        "stages": list(task.stages),
        "stage": task.stage or None,
        "fraction": round(task.total, 4),
        "ahead": ahead,
    }


def guarantee_json(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee."""
    return {
        "promises": [str(promise) for promise in guarantee.promises],
        "limits": guarantee.limits,
        "assumes": list(guarantee.assumes),
        "not_protected": list(guarantee.not_protected),
        "cautions": list(guarantee.cautions),
    }


def has_all_predictions(job: Job) -> bool:
    """Whether every method has been tried at every delta."""
    return len(job.points) == len(deltas()) * len(methods())


def command_for(job: Job) -> str:
    """The command that makes the job's release; for the demo log, after a line that makes the log."""
    if job.reading is None or job.release is None:
        return ""
    command = release_command(job.names, job.reading, job.release)
    return f"{job.made_by}\n{command}" if job.made_by else command
