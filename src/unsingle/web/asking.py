"""What pages and API do alike with a request: who asks, for which job, with what body; and sending files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .desk import Desk
from .guarding import cookie_name, give_cookie
from .jobs import Job
from .refusing import Refused, not_here

_LARGEST_BODY = 1 << 16
_PIECE = 1 << 16  # bytes of a file that are sent at once


def desk_of(request: Request) -> Desk:
    """The desk of the app."""
    desk: Desk = request.app.state.desk
    return desk


def owner_of(request: Request) -> str | None:
    """Who asks, if we know them."""
    desk = desk_of(request)
    return desk.known(request.cookies.get(cookie_name(desk.settings)))


def job_of(request: Request) -> Job:
    """The job that the path names, if it belongs to who asks."""
    return desk_of(request).find(request.path_params["id"], owner_of(request))


def answer_for(request: Request, answer: Response, job: Job) -> Response:
    """The answer, with a cookie if the owner of the job is somebody new."""
    if job.owner is not None and job.owner != owner_of(request):
        give_cookie(answer, desk_of(request).settings, job.owner)
    return answer


async def small_body(request: Request) -> bytes:
    """The body of a request that has no reason to be long."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST_BODY:
            raise Refused(413, "This is longer than anything that can be chosen here.")
    return bytes(body)


def file_answer(request: Request) -> Response:
    """A file of the job to download; who has all of them soon needs nothing else."""
    job, what = job_of(request), request.path_params["file"]
    if what not in job.downloads:
        raise not_here()
    path, choice = job.folder / job.downloads[what], job.choice
    sending = _Sending(path, request)

    async def note() -> None:
        if sending.is_whole:
            desk_of(request).downloaded(job, what, choice)

    return StreamingResponse(
        sending.pieces() if request.method == "GET" else _nothing(),
        headers={
            "content-disposition": f'attachment; filename="{path.name}"',
            "content-length": str(path.stat().st_size),
        },
        media_type="application/octet-stream",
        background=BackgroundTask(note),  # which is not cancelled when the other side hangs up
    )


class _Sending:
    """A file on its way; `is_whole` when the last piece of it was handed over to somebody who still listened."""

    def __init__(self, path: Path, request: Request) -> None:
        self._path, self._request = path, request
        self.is_whole = False

    async def pieces(self) -> AsyncIterator[bytes]:
        with self._path.open("rb") as file:
            piece = await asyncio.to_thread(file.read, _PIECE)
            while piece:
                following = await asyncio.to_thread(file.read, _PIECE)
                self.is_whole = not following and not await self._request.is_disconnected()
                yield piece
                piece = following


async def _nothing() -> AsyncIterator[bytes]:
    pieces: tuple[bytes, ...] = ()
    for piece in pieces:
        yield piece
