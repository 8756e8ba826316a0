"""What pages and API do alike with a request: who asks, for which job, with what body; and sending files."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

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


def answer_for(request: Request, answer: Response, owner: str) -> Response:
    """The answer, with a cookie for somebody new."""
    if owner != owner_of(request):
        give_cookie(answer, desk_of(request).settings, owner)
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
    """A file of the job to download; who has all of them needs nothing else, so everything is removed then."""
    job, what = job_of(request), request.path_params["file"]
    if what not in job.downloads:
        raise not_here()
    path = job.folder / job.downloads[what]
    headers = {
        "content-disposition": f'attachment; filename="{path.name}"',
        "content-length": str(path.stat().st_size),
    }

    async def content() -> AsyncIterator[bytes]:
        if request.method != "GET":
            return
        with path.open("rb") as file:
            piece = await asyncio.to_thread(file.read, _PIECE)
            while piece:
                following = await asyncio.to_thread(file.read, _PIECE)
                whole = not following and not await request.is_disconnected()  # later, who has all may be gone already
                yield piece
                piece = following
        if whole:
            await desk_of(request).downloaded(job, what)

    return StreamingResponse(content(), headers=headers, media_type="application/octet-stream")
