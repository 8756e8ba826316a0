"""The API: the steps of the page as JSON. `openapi.py` describes it."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..version import VERSION
from . import results
from .catalogue import DEFAULT_DELTA, deltas, formats, guarantees, methods
from .errors import HTTPError
from .forms import DELTA_MESSAGE, parse_delta
from .jobs import Job
from .openapi import openapi
from .presenters import command_for, guarantee_json, has_all_predictions, job_json
from .views import file_response, job_of, record_response, service_of, session_of, small_body, with_session


async def about(request: Request) -> Response:
    """Limits of the server, and what can be chosen."""
    settings = service_of(request).settings
    return JSONResponse(
        {
            "version": VERSION,
            "max_upload": settings.max_upload,
            "keep_seconds": settings.keep,
            "formats": list(formats()),
            "methods": list(methods()),
            "deltas": sorted(deltas()),
        }
    )


async def description(_request: Request) -> Response:
    """The description of this API."""
    return JSONResponse(openapi())


async def list_guarantees(request: Request) -> Response:
    """What each method promises at a delta, for a log whose columns are kept if a job is named."""
    delta = parse_delta(request.query_params.get("delta", str(DEFAULT_DELTA)))
    if delta is None:
        raise HTTPError(400, DELTA_MESSAGE)
    job = request.query_params.get("job")
    kept = service_of(request).find(job, session_of(request)).known_columns.kept if job else ()
    return JSONResponse({method: guarantee_json(each) for method, each in guarantees(delta, kept).items()})


async def list_jobs(request: Request) -> Response:
    """The jobs of the session."""
    service = service_of(request)
    return JSONResponse([job_json(job, service) for job in service.jobs.of(session_of(request))])


async def create(request: Request) -> Response:
    """Upload a log."""
    return _created(request, await service_of(request).upload(request, session_of(request)))


async def create_demo(request: Request) -> Response:
    """Create the demo log."""
    service = service_of(request)
    return _created(request, service.create_demo(session_of(request) or service.start_session()))


def _created(request: Request, job: Job) -> Response:
    response = JSONResponse(job_json(job, service_of(request)), 201, {"location": f"/api/jobs/{job.id}"})
    return with_session(request, response, job)


async def show(request: Request) -> Response:
    """The state of a job."""
    return JSONResponse(job_json(job_of(request), service_of(request)))


async def delete(request: Request) -> Response:
    """Cancel a job and delete all its files."""
    await service_of(request).delete(job_of(request))
    return Response(status_code=204)


async def stop(request: Request) -> Response:
    """Stop the task, but keep the log."""
    service, job = service_of(request), job_of(request)
    await service.stop(job)
    return JSONResponse(job_json(job, service))


async def preview(request: Request) -> Response:
    """The first rows and the guessed columns."""
    return JSONResponse(_result(job_of(request), results.PREVIEW))


async def retry_preview(request: Request) -> Response:
    """Make the preview again after it failed."""
    service, job = service_of(request), job_of(request)
    await service.retry_preview(job, await _json_object(request))
    return JSONResponse(job_json(job, service), 202)


async def read(request: Request) -> Response:
    """Read the log."""
    service, job = service_of(request), job_of(request)
    await service.read(job, await _json_object(request))
    return JSONResponse(job_json(job, service), 202)


async def risk(request: Request) -> Response:
    """How exposed people are."""
    job = job_of(request)
    result = _result(job, results.RISK)
    shown = {name: result[name] for name in ("verdict", "inspection", "risk", "checks")}
    return JSONResponse({"private": True, **shown, "columns": job.known_columns.plain()})


async def predictions(request: Request) -> Response:
    """The predictions made so far."""
    job = job_of(request)
    return JSONResponse({"private": True, "complete": has_all_predictions(job), "points": job.points})


async def make_release(request: Request) -> Response:
    """Make a release."""
    service, job = service_of(request), job_of(request)
    await service.release(job, await _json_object(request))
    return JSONResponse(job_json(job, service), 202)


async def show_release(request: Request) -> Response:
    """The figures and the guarantee of the release."""
    job = job_of(request)
    result = _result(job, results.RELEASE)
    shown = {name: result[name] for name in ("verdict", "remarks", "release")}
    return JSONResponse({**shown, "command": command_for(job)})


async def attack(request: Request) -> Response:
    """Attack the release."""
    service, job = service_of(request), job_of(request)
    await service.attack(job)
    return JSONResponse(job_json(job, service), 202)


async def show_attack(request: Request) -> Response:
    """What attacks on the release found."""
    result = _result(job_of(request), results.ATTACKED)
    return JSONResponse({"private": True, "verdict": result["verdict"], "holds": result["holds"], "findings": [
        dict(zip(("attack", "gain", "allowed", "verdict"), row, strict=True)) for row in result["recorded"]["findings"]
    ]})  # fmt: skip


async def record(request: Request) -> Response:
    """The record of the release, with what was filled in."""
    given = await _json_object(request)
    return record_response(request, given)


async def download(request: Request) -> Response:
    """The release or the private report."""
    return file_response(request)


def _result(job: Job, name: str) -> Any:
    result = job.result(name)
    if result is None:
        raise HTTPError(409, "This result is not ready: check the state of the job.")
    return result


async def _json_object(request: Request) -> dict[str, Any]:
    """The JSON object in the body; an empty body is an empty object."""
    try:
        given = json.loads(await small_body(request) or b"{}")
    except (ValueError, RecursionError):
        raise HTTPError(400, "The body must be a JSON object.") from None
    if not isinstance(given, dict):
        raise HTTPError(400, "The body must be a JSON object.")
    return given


ROUTES = [
    Route("/api", about),
    Route("/api/openapi.json", description),
    Route("/api/guarantees", list_guarantees),
    Route("/api/jobs", list_jobs, methods=["GET"]),
    Route("/api/jobs", create, methods=["POST"]),
    Route("/api/demo", create_demo, methods=["POST"]),
    Route("/api/jobs/{id}", show, methods=["GET"]),
    Route("/api/jobs/{id}", delete, methods=["DELETE"]),
    Route("/api/jobs/{id}/stop", stop, methods=["POST"]),
    Route("/api/jobs/{id}/preview", preview, methods=["GET"]),
    Route("/api/jobs/{id}/preview", retry_preview, methods=["POST"]),
    Route("/api/jobs/{id}/columns", read, methods=["POST"]),
    Route("/api/jobs/{id}/risk", risk),
    Route("/api/jobs/{id}/predictions", predictions),
    Route("/api/jobs/{id}/release", make_release, methods=["POST"]),
    Route("/api/jobs/{id}/release", show_release, methods=["GET"]),
    Route("/api/jobs/{id}/attack", attack, methods=["POST"]),
    Route("/api/jobs/{id}/attack", show_attack, methods=["GET"]),
    Route("/api/jobs/{id}/record", record, methods=["POST"]),
    Route("/api/jobs/{id}/files/{file}", download),
]
