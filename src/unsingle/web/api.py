"""The API: the steps of the page as JSON. openapi.json says what it takes and gives."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .. import __version__
from ..formats.files import FORMATS
from ..guarantee import Guarantee
from . import worker
from .asking import answer_for, desk_of, file_answer, job_of, owner_of, small_body
from .choices import DELTAS, SUGGESTED, command_line, guarantees
from .desk import Desk
from .jobs import Job
from .refusing import Refused


def described(job: Job, desk: Desk) -> dict[str, Any]:
    """A job as its owner may see it."""
    task = job.task
    return {
        "id": job.id,
        "name": job.name,
        "format": job.format,
        "state": job.state,
        "task": None
        if task is None
        else {
            "name": task.name,
            "steps": list(task.steps),
            "step": task.step or None,
            "fraction": round(task.total, 4),
            "ahead": desk.ahead_of(job),
        },
        "error": job.error or None,
        "preview": job.has(worker.LOOK),
        "risk": job.has(worker.RISK),
        "predictions": len(job.points),
        "predictions_error": job.unpredicted or None,
        "release": job.has(worker.RELEASE),
        "deleted_at": job.deleted_at,
    }


async def about(request: Request) -> Response:
    """What the server offers."""
    settings = desk_of(request).settings
    return JSONResponse(
        {
            "version": __version__,
            "max_upload": settings.max_upload,
            "keep_seconds": settings.keep,
            "formats": list(FORMATS),
            "methods": list(SUGGESTED),
            "deltas": sorted(DELTAS),
        }
    )


async def openapi(_request: Request) -> Response:
    """The description of this API."""
    text = (resources.files("unsingle.web") / "openapi.json").read_text(encoding="utf-8")
    return Response(text, media_type="application/json")


async def promised(request: Request) -> Response:
    """What each method promises at a delta."""
    try:
        delta = float(request.query_params.get("delta", "0.2"))
    except ValueError:
        delta = 0.0
    if not 0 < delta < 1:
        raise Refused(400, "delta must be a number between 0 and 1, such as 0.2")
    return JSONResponse({method: guarantee_of(each) for method, each in guarantees(delta).items()})


def guarantee_of(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee as JSON."""
    return {
        "promises": [str(promise) for promise in guarantee.promises],
        "limits": guarantee.limits,
        "assumes": list(guarantee.assumes),
        "not_protected": list(guarantee.not_protected),
        "cautions": list(guarantee.cautions),
    }


async def list_jobs(request: Request) -> Response:
    """The jobs of whoever asks."""
    desk = desk_of(request)
    return JSONResponse([described(job, desk) for job in desk.jobs.of(owner_of(request))])


async def create(request: Request) -> Response:
    """Take a log."""
    return _created(request, await desk_of(request).take_upload(request, owner_of(request)))


async def create_demo(request: Request) -> Response:
    """Make the demo log."""
    desk = desk_of(request)
    return _created(request, desk.make_demo(owner_of(request) or desk.new_owner()))


def _created(request: Request, job: Job) -> Response:
    answer = JSONResponse(described(job, desk_of(request)), 201, {"location": f"/api/jobs/{job.id}"})
    return answer_for(request, answer, job)


async def show(request: Request) -> Response:
    """How far a job is."""
    return JSONResponse(described(job_of(request), desk_of(request)))


async def delete(request: Request) -> Response:
    """Cancel a job and remove all its files."""
    await desk_of(request).delete(job_of(request))
    return Response(status_code=204)


async def stop(request: Request) -> Response:
    """End the work under way, but keep the log."""
    desk, job = desk_of(request), job_of(request)
    await desk.stop(job)
    return JSONResponse(described(job, desk))


async def look_again(request: Request) -> Response:
    """Look at the file again, if that could not be done."""
    desk, job = desk_of(request), job_of(request)
    desk.look_again(job)
    return JSONResponse(described(job, desk), 202)


async def preview(request: Request) -> Response:
    """The first rows and the guessed columns."""
    return JSONResponse(_result(job_of(request), worker.LOOK))


async def columns(request: Request) -> Response:
    """Read the log."""
    desk, job = desk_of(request), job_of(request)
    await desk.read(job, await _object(request))
    return JSONResponse(described(job, desk), 202)


async def risk(request: Request) -> Response:
    """How exposed people are."""
    found = _result(job_of(request), worker.RISK)
    return JSONResponse({"private": True, **{name: found[name] for name in ("verdict", "inspection", "risk")}})


async def predictions(request: Request) -> Response:
    """What each method at each delta would give, as far as it is known."""
    job = job_of(request)
    complete = len(job.points) == len(DELTAS) * len(SUGGESTED)
    return JSONResponse({"private": True, "complete": complete, "points": job.points})


async def order_release(request: Request) -> Response:
    """Make a release."""
    desk, job = desk_of(request), job_of(request)
    await desk.release(job, await _object(request))
    return JSONResponse(described(job, desk), 202)


async def show_release(request: Request) -> Response:
    """The figures and the guarantee of the release."""
    job = job_of(request)
    found = _result(job, worker.RELEASE)
    told = {name: found[name] for name in ("verdict", "remarks", "release")}
    return JSONResponse({**told, "command": command_for(job)})


def command_for(job: Job) -> str:
    """What to type for the same; the demo log must be made first, a line before."""
    command = command_line(job.name, job.reading, job.choice)
    return f"{job.made_by}\n{command}" if job.made_by else command


async def download(request: Request) -> Response:
    """The release or the private report."""
    return file_answer(request)


def _result(job: Job, name: str) -> Any:
    found = job.result(name)
    if found is None:
        raise Refused(409, "This is not known yet: see what the job is doing.")
    return found


async def _object(request: Request) -> dict[str, Any]:
    """The JSON object in the body; no body is an empty one."""
    try:
        given = json.loads(await small_body(request) or b"{}")
    except (ValueError, RecursionError):
        raise Refused(400, "The body must be a JSON object.") from None
    if not isinstance(given, dict):
        raise Refused(400, "The body must be a JSON object.")
    return given


ROUTES = [
    Route("/api", about),
    Route("/api/openapi.json", openapi),
    Route("/api/guarantees", promised),
    Route("/api/jobs", list_jobs, methods=["GET"]),
    Route("/api/jobs", create, methods=["POST"]),
    Route("/api/demo", create_demo, methods=["POST"]),
    Route("/api/jobs/{id}", show, methods=["GET"]),
    Route("/api/jobs/{id}", delete, methods=["DELETE"]),
    Route("/api/jobs/{id}/stop", stop, methods=["POST"]),
    Route("/api/jobs/{id}/look", look_again, methods=["POST"]),
    Route("/api/jobs/{id}/preview", preview),
    Route("/api/jobs/{id}/columns", columns, methods=["POST"]),
    Route("/api/jobs/{id}/risk", risk),
    Route("/api/jobs/{id}/predictions", predictions),
    Route("/api/jobs/{id}/release", order_release, methods=["POST"]),
    Route("/api/jobs/{id}/release", show_release, methods=["GET"]),
    Route("/api/jobs/{id}/files/{file}", download),
]
