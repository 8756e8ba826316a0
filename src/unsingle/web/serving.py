"""Starting and ending the server."""

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
from ..randomness import unguessable
from .app import create_app
from .desk import Desk
from .settings import Settings, in_words

_MOST_CONNECTIONS = 200
_SILENCE = 30  # seconds after which a connection must have asked something


def serve(settings: Settings, *, browser: bool, demo: bool, say: Callable[[str], None]) -> None:
    """Serve until it is interrupted. Whoever is not on this machine needs a token."""
    listening = _listen(settings)
    settings = secured(replace(settings, port=listening.getsockname()[1]))
    with contextlib.closing(listening):
        desk = Desk(settings)
        try:
            server = _Server(desk, browser=browser, demo=demo, say=say)
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # after uvicorn has ended in order
            signal.signal(signal.SIGHUP, server.handle_exit)  # the terminal was closed
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            pass
        finally:
            desk.remove_all()  # also if the app could not do it
        say("stopped: nothing is left of the logs that were brought here")


def secured(settings: Settings) -> Settings:
    """The settings, with a token if others than this machine can reach the server."""
    return settings if settings.is_local or settings.token else replace(settings, token=unguessable())


class _Server(uvicorn.Server):
    """Says where it is as soon as it can be reached."""

    def __init__(self, desk: Desk, *, browser: bool, demo: bool, say: Callable[[str], None]) -> None:
        logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.WARNING)
        logging.getLogger("unsingle.web").setLevel(logging.INFO)
        super().__init__(config(desk))
        self._desk, self._browser, self._demo, self._say = desk, browser, demo, say

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and tell."""
        await super().startup(sockets)
        settings = self._desk.settings
        path = f"/jobs/{self._desk.make_demo(None).id}" if self._demo else "/"
        address = f"{url_of(settings)}{path}" + (f"?token={settings.token}" if settings.token else "")
        for line in _greeting(settings, address):
            self._say(line)
        if self._browser and settings.token is None and _has_screen():  # others could see the token of a command line
            threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()


class _Impatient(H11Protocol):
    """Closes a connection on which nothing is asked: there is room for so many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self.loop.call_later(_SILENCE, self._close_if_silent, transport)

    def _close_if_silent(self, transport: asyncio.Transport) -> None:
        if getattr(self, "cycle", None) is None:
            transport.close()


def config(desk: Desk) -> uvicorn.Config:
    """How uvicorn runs the app: it logs no requests itself, for addresses hold ids and tokens."""
    return uvicorn.Config(
        create_app(desk), http=_Impatient, access_log=False, log_config=None, log_level="warning", server_header=False,
        proxy_headers=False, limit_concurrency=_MOST_CONNECTIONS, timeout_graceful_shutdown=2, lifespan="on", ws="none",
    )  # fmt: skip


def url_of(settings: Settings) -> str:
    """The address of the server, as a browser takes it."""
    host = settings.host if settings.host not in ("0.0.0.0", "::") else socket.gethostname()
    return f"http://[{host}]:{settings.port}" if ":" in host else f"http://{host}:{settings.port}"


def _greeting(settings: Settings, address: str) -> list[str]:
    lines = [f"unsingle is at {address}"]
    if settings.is_local:
        lines.append("Only this machine can reach it, and logs do not leave it.")
    else:
        lines.append("Other machines can reach it: keep the token secret. What is sent is not encrypted.")
    kept = in_words(settings.keep)
    return [*lines, f"Logs are deleted {kept} after their last use, and when this ends. End it with Ctrl-C."]


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
        raise OutputError(f"{settings.port} is no port: choose one from 0 to 65535") from None


def _has_screen() -> bool:
    """Whether a browser would open in a window, and not in the terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
