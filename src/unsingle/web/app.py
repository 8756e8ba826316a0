"""The ASGI app: pages and API behind the security checks."""

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
from .errors import HTTPError, internal_error
from .security import SecurityMiddleware
from .service import Service


def create_app(service: Service) -> ASGIApp:
    """Create the app of a service, which is closed when the app shuts down."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        expiring = asyncio.create_task(service.delete_expired())
        try:
            yield
        finally:
            expiring.cancel()
            await service.close()

    async def respond(scope: Scope, receive: Receive, send: Send, error: HTTPError) -> None:
        await error_response(scope["path"], error)(scope, receive, send)

    def error_response(path: str, error: HTTPError) -> Response:
        if path == "/api" or path.startswith("/api/"):
            response: Response = JSONResponse({"error": error.message}, error.status)
        else:
            response = pages.error_page(service.settings, error)
        if error.status == HTTPStatus.SERVICE_UNAVAILABLE:
            response.headers["retry-after"] = "30"
        return response

    async def on_http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPError)
        return error_response(request.scope["path"], error)

    async def on_routing_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        message = "There is no such page here." if error.status_code == HTTPStatus.NOT_FOUND else error.detail
        return error_response(request.scope["path"], HTTPError(error.status_code, message))

    async def on_unexpected_error(request: Request, _error: Exception) -> Response:
        return error_response(request.scope["path"], internal_error())

    app = Starlette(
        routes=[*pages.ROUTES, *api.ROUTES],
        lifespan=lifespan,
        exception_handlers={
            HTTPError: on_http_error,
            HTTPException: on_routing_error,
            Exception: on_unexpected_error,
        },
    )
    app.state.service = service
    return SecurityMiddleware(app, service, respond)
