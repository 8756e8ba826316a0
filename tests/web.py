"""A server for the tests of the web page: on loopback, in a thread, so that it ends with the tests at the latest."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from unsingle.web.desk import Desk
from unsingle.web.serving import config, url_of
from unsingle.web.settings import Settings

PATIENCE = 90.0  # seconds; other tests use the same cores


class Site:
    """A running server, and what lies in its folder."""

    def __init__(self, desk: Desk, folder: Path) -> None:
        self.desk, self.folder = desk, folder
        self.url = url_of(desk.settings)

    def visitor(self, **options: Any) -> Visitor:
        """Somebody with a browser of their own."""
        return Visitor(self, **options)

    def files(self) -> list[Path]:
        """Everything that lies there and belongs to a job."""
        return [path for path in self.folder.rglob("*") if path.is_file() and path.name != "lock"]


class Visitor(httpx.Client):
    """A client with cookies that knows the steps of a job."""

    def __init__(self, site: Site, **options: Any) -> None:
        super().__init__(base_url=site.url, timeout=PATIENCE, **options)

    def bring(self, content: bytes, name: str = "log.csv") -> str:
        """Upload a log; its id."""
        answer = self.post("/api/jobs", files={"log": (name, content)})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def bring_and_wait(self, content: bytes, name: str = "log.csv") -> str:
        """Upload a log and wait until it was looked at."""
        job = self.bring(content, name)
        self.wait(job)
        return job

    def read(self, job: str, **reading: str) -> dict[str, Any]:
        """Read a log and wait for the risk."""
        self.wait(job)
        answer = self.post(f"/api/jobs/{job}/columns", json=reading)
        assert answer.status_code == 202, answer.text
        return self.wait(job)

    def release(self, job: str, **choice: Any) -> dict[str, Any]:
        """Make a release and wait for it."""
        answer = self.post(f"/api/jobs/{job}/release", json=choice)
        assert answer.status_code == 202, answer.text
        return self.wait(job)

    def wait(self, job: str) -> dict[str, Any]:
        """The job when nobody works on it any more."""
        return self.wait_for(job, lambda state: state["state"] in ("ready", "failed"))

    def wait_for(self, job: str, enough: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The job as soon as it is so."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state: dict[str, Any] = self.get(f"/api/jobs/{job}").json()
            if enough(state):
                return state
            time.sleep(0.1)
        raise TimeoutError(state)


def processes_in(folder: Path) -> list[int]:
    """The worker processes of a server or of a job: those whose working folder lies in this one."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if str(folder) in os.readlink(link):  # noqa: PTH115 - the folder may be removed already
                found.append(int(link.parent.name))
        except OSError:
            continue
    return found


@contextmanager
def serving(folder: Path, **settings: Any) -> Iterator[Site]:
    """A server whose files lie in this folder."""
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:
        desk = Desk(Settings(port=listening.getsockname()[1], folder=folder, **settings))
        server = uvicorn.Server(config(desk))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield Site(desk, folder)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()
