"""The door: who may ask, from where, and what every answer carries. The server's own log holds no value of a log."""

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

from .desk import Desk
from .refusing import Refused
from .settings import Settings, is_loopback
from .telling import log, where_and_what

_SAFE = ("GET", "HEAD", "OPTIONS")
# plotly makes an empty style element and fills it by script: this is the hash of nothing
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
"""What every answer carries, unless it says otherwise itself."""

Answer = Callable[[Scope, Receive, Send, Refused], Awaitable[None]]


class Door:
    """Stands before the app."""

    def __init__(self, app: ASGIApp, desk: Desk, refuse: Answer) -> None:
        self._app, self._desk, self._refuse = app, desk, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 0

        async def guarded_send(message: Message) -> None:
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
            if self._desk.settings.token is not None and "token" in request.query_params and scope["method"] == "GET":
                await self._without_token(request)(scope, receive, guarded_send)
            else:
                await self._app(scope, receive, guarded_send)
        except Refused as refused:
            await self._refuse(scope, receive, guarded_send, refused)
        except asyncio.CancelledError:  # the server ends, and nobody above has to know how far this was
            if not status:
                await self._refuse(scope, receive, guarded_send, Refused(503, "unsingle was ended."))
        except Exception as error:
            log.error("%s", where_and_what(error))
            if not status:
                await self._refuse(scope, receive, guarded_send, Refused.unexpected())
        finally:
            if scope["method"] not in _SAFE or status >= 400:
                seconds = time.monotonic() - began
                log.info("%s %s %d %.2f s", scope["method"], _route(scope), status, seconds)

    def _check(self, request: HTTPConnection) -> None:
        settings = self._desk.settings
        if settings.is_local and not _is_for_this_machine(request):
            # a page elsewhere whose name was made to point here
            raise Refused(421, "This server answers only for its own address.")
        if not (_from_own_page(request) if request.scope["method"] not in _SAFE else _may_show(request)):
            raise Refused(403, "This came from another page and was not done.")
        needed = settings.token is not None and not request.scope["path"].startswith("/static/")
        if needed and not self._is_let_in(request, settings.token or ""):
            raise Refused(401, "Open the address that unsingle printed when it was started: it holds the token.")

    def _without_token(self, request: HTTPConnection) -> RedirectResponse:
        """The same page under an address that can be shown: from now on a cookie stands for the token."""
        answer = RedirectResponse("/" + request.scope["path"].lstrip("/"), status_code=303)
        if self._known(request) is None:
            give_cookie(answer, self._desk.settings, self._desk.new_owner())
        return answer

    def _known(self, request: HTTPConnection) -> str | None:
        return self._desk.known(request.cookies.get(cookie_name(self._desk.settings)))

    def _is_let_in(self, request: HTTPConnection, token: str) -> bool:
        """Whether the request has the token, or comes from somebody who had it."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if not (scheme.lower() == "bearer" and given):
            given = request.query_params.get("token", "")
        if hmac.compare_digest(given.encode(), token.encode()):
            return True
        return self._known(request) is not None


def cookie_name(settings: Settings) -> str:
    """The name of the cookie that tells owners apart; servers on other ports have others."""
    return f"unsingle-{settings.port}"


def give_cookie(answer: Response, settings: Settings, owner: str) -> None:
    """Let the browser say who it is; no script can read it, and no other site can use it."""
    answer.set_cookie(cookie_name(settings), owner, httponly=True, samesite="strict", path="/")


def sends_its_cookies(request: HTTPConnection) -> bool:
    """Whether a browser that has our cookie would have sent it: not if it follows a link from another site.

    To give another one then would take from its owner what they brought.
    """
    return request.headers.get("sec-fetch-site") != "cross-site"


def _is_for_this_machine(request: HTTPConnection) -> bool:
    try:
        return is_loopback(urlsplit(f"//{request.headers.get('host', '')}").hostname or "")
    except ValueError:
        return False


def _from_own_page(request: HTTPConnection) -> bool:
    """Whether a request that changes something comes from our own page, or from a program that is no browser."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


def _may_show(request: HTTPConnection) -> bool:
    """Whether a request is not from within a page elsewhere; who follows a link from there may come."""
    cross = request.headers.get("sec-fetch-site") == "cross-site"
    return not cross or request.headers.get("sec-fetch-mode") == "navigate"


def _route(scope: Scope) -> str:
    """The path with its places instead of what stands there: ids are keys."""
    route = scope.get("route")
    return str(getattr(route, "path", "(no such page)"))
