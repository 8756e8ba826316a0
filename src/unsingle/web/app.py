"""The app: pages and API behind the door."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from . import api, pages
from .desk import Desk
from .guarding import Door
from .refusing import Refused


def create_app(desk: Desk) -> ASGIApp:
    """The app of a desk, which is closed when the app ends."""

    @contextlib.asynccontextmanager
    async def life(_app: Starlette) -> AsyncIterator[None]:
        tidying = asyncio.create_task(desk.tidy())
        try:
            yield
        finally:
            tidying.cancel()
            await desk.close()

    async def refuse(scope: Scope, receive: Receive, send: Send, refused: Refused) -> None:
        await _answer(scope["path"], refused)(scope, receive, send)

    def _answer(path: str, refused: Refused) -> Response:
        if path == "/api" or path.startswith("/api/"):
            answer: Response = JSONResponse({"error": refused.message}, refused.status)
        else:
            answer = pages.message_page(desk.settings, refused.status, refused.message)
        if refused.status == HTTPStatus.SERVICE_UNAVAILABLE:
            answer.headers["retry-after"] = "30"
        return answer

    async def refused_inside(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return _answer(request.scope["path"], error)

    async def no_such_page(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        said = "There is no such page here." if error.status_code == HTTPStatus.NOT_FOUND else error.detail
        return _answer(request.scope["path"], Refused(error.status_code, said))

    async def unexpected(request: Request, _error: Exception) -> Response:
        return _answer(request.scope["path"], Refused.unexpected())

    app = Starlette(
        routes=[*pages.ROUTES, *api.ROUTES],
        lifespan=life,
        exception_handlers={Refused: refused_inside, HTTPException: no_such_page, Exception: unexpected},
    )
    app.state.desk = desk
    return Door(app, desk, refuse)
