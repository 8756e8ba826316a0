"""Starting and stopping the server."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import OutputError
from ..privacy.random import unguessable
from .app import create_app
from .service import Service
from .settings import Settings, duration_text

_MAX_CONNECTIONS = 200
_IDLE_TIMEOUT = 30  # seconds after which a new connection must have sent a request


def serve(settings: Settings, *, browser: bool, demo: bool, say: Callable[[str], None]) -> None:
    """Serve until interrupted. Visitors from other machines need a token."""
    listening = _listen(settings)
    settings = secured(replace(settings, port=listening.getsockname()[1]))
    with contextlib.closing(listening):
        service = Service(settings)
        try:
            server = _Server(service, browser=browser, demo=demo, say=say)
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # raised again by uvicorn after it has shut down
            signal.signal(signal.SIGHUP, server.handle_exit)  # the terminal was closed
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            pass
        finally:
            service.delete_all_files()  # also if the app could not do it
        say("stopped: all uploaded logs and their results are deleted")


def secured(settings: Settings) -> Settings:
    """The settings, with a token if other machines can reach the server."""
    return settings if settings.is_local or settings.token else replace(settings, token=unguessable())


class _Server(uvicorn.Server):
    """Prints its address, and opens it in a browser, once it accepts connections."""

    def __init__(self, service: Service, *, browser: bool, demo: bool, say: Callable[[str], None]) -> None:
        logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.WARNING)
        logging.getLogger("unsingle.web").setLevel(logging.INFO)
        super().__init__(config(service))
        self._service, self._browser, self._demo, self._say = service, browser, demo, say

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and print the address."""
        await super().startup(sockets)
        settings = self._service.settings
        path = f"/jobs/{self._service.create_demo(None).id}" if self._demo else "/"
        address = f"{url_of(settings)}{path}" + (f"?token={settings.token}" if settings.token else "")
        for line in _greeting(settings, address):
            self._say(line)
        if self._browser and settings.token is None and _has_screen():  # other users can see the arguments of processes
            threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()


class _TimeoutProtocol(H11Protocol):
    """Closes a connection that sends no request: their number is limited."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout."""
        super().connection_made(transport)
        self.loop.call_later(_IDLE_TIMEOUT, self._close_if_idle, transport)

    def _close_if_idle(self, transport: asyncio.Transport) -> None:
        if getattr(self, "cycle", None) is None:
            transport.close()


def config(service: Service) -> uvicorn.Config:
    """How uvicorn runs the app. It must not log requests itself: their addresses hold ids and tokens."""
    return uvicorn.Config(
        create_app(service), http=_TimeoutProtocol, access_log=False, log_config=None, log_level="warning",
        server_header=False, proxy_headers=False, limit_concurrency=_MAX_CONNECTIONS, timeout_graceful_shutdown=2,
        lifespan="on", ws="none",
    )  # fmt: skip


def url_of(settings: Settings) -> str:
    """The address of the server for a browser."""
    host = settings.host if settings.host not in ("0.0.0.0", "::") else socket.gethostname()
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def _greeting(settings: Settings, address: str) -> list[str]:
    lines = [f"unsingle is at {address}"]
    if settings.is_local:
        lines.append("Only this machine can reach it, and logs do not leave this machine.")
    else:
        lines.append("Other machines can reach it: keep the token secret. The connection is not encrypted.")
    kept = duration_text(settings.keep)
    return [*lines, f"Logs are deleted {kept} after their last use, and when unsingle stops. Stop it with Ctrl-C."]


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=256)
    except OSError as error:
        where = f"{settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise OutputError(f"{where}: is in use by another program: choose another --port, or 0 for any") from None
        raise OutputError(f"{where}: cannot be served ({error.strerror or error}): check --host and --port") from None
    except OverflowError:
        raise OutputError(f"{settings.port} is not a port: choose one from 0 to 65535") from None


def _has_screen() -> bool:
    """Whether a browser would open in a window instead of in the terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
