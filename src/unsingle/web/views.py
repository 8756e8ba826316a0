"""What pages and API do alike with a request: its service, session, job and body, and sending files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from . import results
from .errors import HTTPError, not_found
from .jobs import Job
from .security import cookie_name, set_session_cookie
from .service import Service

_MAX_BODY = 1 << 16
_CHUNK = 1 << 16  # bytes of a file that are sent at once


def service_of(request: Request) -> Service:
    """The service of the app."""
    service: Service = request.app.state.service
    return service


def session_of(request: Request) -> str | None:
    """The session of the request; None if it has none."""
    service = service_of(request)
    return service.sessions.known(request.cookies.get(cookie_name(service.settings)))


def job_of(request: Request) -> Job:
    """The job that the path names, if the session owns it; else a 404."""
    return service_of(request).find(request.path_params["id"], session_of(request))


def with_session(request: Request, response: Response, job: Job) -> Response:
    """The response, with a cookie if the job's session is new to the browser."""
    if job.session is not None and job.session != session_of(request):
        set_session_cookie(response, service_of(request).settings, job.session)
    return response


async def small_body(request: Request) -> bytes:
    """The body of a request, which must not be long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY:
            raise HTTPError(413, "The request is longer than any valid one can be.")
    return bytes(body)


def file_response(request: Request) -> Response:
    """A download; once it is complete, the service counts it."""
    job, file = job_of(request), request.path_params["file"]
    if file not in job.downloads:
        raise not_found()
    path, release = job.folder / job.downloads[file], job.release
    download = _Download(path, request)

    async def count() -> None:
        if download.is_complete:
            service_of(request).downloaded(job, file, release)

    return StreamingResponse(
        download.chunks() if request.method == "GET" else _no_chunks(),
        headers={
            "content-disposition": f'attachment; filename="{path.name}"',
            "content-length": str(path.stat().st_size),
        },
        media_type="application/octet-stream",
        background=BackgroundTask(count),  # which is not cancelled when the client disconnects
    )


def record_response(request: Request, given: dict[str, Any]) -> Response:
    """The record of a release as a file; it is private."""
    page = service_of(request).record(job_of(request), given)
    sent = {"content-disposition": f'attachment; filename="{results.RECORD_PAGE}"'}
    return Response(page, headers=sent, media_type="application/octet-stream")


class _Download:
    """A file that is being sent; `is_complete` once the last chunk was sent to a client that was still connected."""

    def __init__(self, path: Path, request: Request) -> None:
        self._path, self._request = path, request
        self.is_complete = False

    async def chunks(self) -> AsyncIterator[bytes]:
        with self._path.open("rb") as file:
            chunk = await asyncio.to_thread(file.read, _CHUNK)
            while chunk:
                following = await asyncio.to_thread(file.read, _CHUNK)
                self.is_complete = not following and not await self._request.is_disconnected()
                yield chunk
                chunk = following


async def _no_chunks() -> AsyncIterator[bytes]:
    chunks: tuple[bytes, ...] = ()
    for chunk in chunks:
        yield chunk
