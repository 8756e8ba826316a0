"""Security checks: who may send requests, from where, and the headers of every response.

`SecurityMiddleware` runs three checks before the app sees a request: `refuse_foreign_host` (DNS rebinding),
`refuse_foreign_origin` (cross-site request forgery, and embedding by other sites) and `require_token`.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .errors import HTTPError, internal_error
from .logs import log, redacted
from .service import Service
from .settings import Settings, is_loopback

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
# plotly creates an empty style element and fills it by script: this is the hash of the empty string
_EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' "
    f"{_EMPTY_STYLE}; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""The headers of every response, unless it sets them itself."""

ErrorResponder = Callable[[Scope, Receive, Send, HTTPError], Awaitable[None]]


class SecurityMiddleware:
    """Checks every request before the app sees it, and adds headers to every response."""

    def __init__(self, app: ASGIApp, service: Service, respond: ErrorResponder) -> None:
        self._app, self._service, self._respond = app, service, respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or respond with an error."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            request = HTTPConnection(scope)
            self._check(request)
            if self._has_token_in_address(request):
                await self._redirect_without_token(request)(scope, receive, send_with_headers)
            else:
                await self._app(scope, receive, send_with_headers)
        except HTTPError as error:
            await self._respond(scope, receive, send_with_headers, error)
        except asyncio.CancelledError:  # the server is shutting down
            if not status:
                await self._respond(scope, receive, send_with_headers, HTTPError(503, "unsingle was stopped."))
        except Exception as error:
            log.error("%s", redacted(error))
            if not status:
                await self._respond(scope, receive, send_with_headers, internal_error())
        finally:
            if scope["method"] not in _SAFE_METHODS or status >= 400:
                seconds = time.monotonic() - began
                log.info("%s %s %d %.2f s", scope["method"], _route(scope), status, seconds)

    def _check(self, request: HTTPConnection) -> None:
        if self._service.settings.is_local:
            refuse_foreign_host(request)
        refuse_foreign_origin(request)
        self.require_token(request)

    def require_token(self, request: HTTPConnection) -> None:
        """Refuse a request without the token, if there is one; style sheets and scripts of ours are public."""
        token = self._service.settings.token
        if token is None or request.scope["path"].startswith("/static/"):
            return
        if not (_has_token(request, token) or self._session(request) is not None):
            raise HTTPError(
                401, "Open the address that unsingle printed when it was started: it contains the token you need."
            )

    def _has_token_in_address(self, request: HTTPConnection) -> bool:
        is_get = request.scope["method"] == "GET"
        return self._service.settings.token is not None and "token" in request.query_params and is_get

    def _redirect_without_token(self, request: HTTPConnection) -> RedirectResponse:
        """Redirect to the same page without the token in its address; from now on the session cookie is enough."""
        response = RedirectResponse("/" + request.scope["path"].lstrip("/"), status_code=303)
        if self._session(request) is None:
            set_session_cookie(response, self._service.settings, self._service.start_session())
        return response

    def _session(self, request: HTTPConnection) -> str | None:
        return self._service.sessions.known(request.cookies.get(cookie_name(self._service.settings)))


def refuse_foreign_host(request: HTTPConnection) -> None:
    """Refuse a request for another host name: a foreign page may have made its own name point to this machine."""
    try:
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    except ValueError:
        host = ""
    if not is_loopback(host):
        raise HTTPError(421, "This server answers only at its own address.")


def refuse_foreign_origin(request: HTTPConnection) -> None:
    """Refuse a request that a page of another origin sent.

    Such a page may link to ours, but it may neither change anything here nor embed or load what is here.
    """
    is_safe = request.scope["method"] in _SAFE_METHODS
    if not (_is_link_or_same_site(request) if is_safe else _is_same_origin(request)):
        raise HTTPError(403, "This request came from another website and was refused.")


def _is_same_origin(request: HTTPConnection) -> bool:
    """Whether a request that changes something comes from our own page, or from a program that is not a browser."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def _is_link_or_same_site(request: HTTPConnection) -> bool:
    """Whether a request that changes nothing is not cross-site, or is a user following a link."""
    is_cross_site = request.headers.get("sec-fetch-site") == "cross-site"
    return not is_cross_site or request.headers.get("sec-fetch-mode") == "navigate"


def _has_token(request: HTTPConnection, token: str) -> bool:
    """Whether the request carries the token, in a header or in its address."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if not (scheme.lower() == "bearer" and given):
        given = request.query_params.get("token", "")
    return hmac.compare_digest(given.encode(), token.encode())


def cookie_name(settings: Settings) -> str:
    """The name of the session cookie; browsers share cookies between ports, so the port is part of it."""
    return f"unsingle-{settings.port}"


def set_session_cookie(response: Response, settings: Settings, session: str) -> None:
    """Set the session cookie, which no script can read and which is not sent with requests from other sites."""
    response.set_cookie(cookie_name(settings), session, httponly=True, samesite="strict", path="/")


def sends_session_cookie(request: HTTPConnection) -> bool:
    """Whether a browser that has a session would have sent its cookie: it does not after a link from another site.

    Setting a new cookie then would make the user lose the session and its logs.
    """
    return request.headers.get("sec-fetch-site") != "cross-site"


def _route(scope: Scope) -> str:
    """The pattern of the path, without the ids in it: whoever knows an id may use it."""
    route = scope.get("route")
    return str(getattr(route, "path", "(no such page)"))
