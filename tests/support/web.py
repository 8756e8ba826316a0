"""A server for the tests of the web app: on loopback, in a thread, so that it ends with the tests at the latest."""

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

from unsingle.web.server import config, url_of
from unsingle.web.service import Service
from unsingle.web.settings import Settings

PATIENCE = 90.0  # seconds; other tests use the same cores


class Site:
    """A running server and its folder."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service, self.folder = service, folder
        self.url = url_of(service.settings)

    def visitor(self, **options: Any) -> Visitor:
        """A visitor with a session of their own."""
        return Visitor(self, **options)

    def files(self) -> list[Path]:
        """All files of jobs."""
        return [path for path in files_in(self.folder) if path.name != "lock"]


class Visitor(httpx.Client):
    """A client with cookies that knows the steps of a job."""

    def __init__(self, site: Site, **options: Any) -> None:
        super().__init__(base_url=site.url, timeout=PATIENCE, **options)

    def upload(self, content: bytes, name: str = "log.csv") -> str:
        """Upload a log; its id."""
        answer = self.post("/api/jobs", files={"log": (name, content)})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def upload_and_wait(self, content: bytes, name: str = "log.csv") -> str:
        """Upload a log and wait for its preview."""
        job = self.upload(content, name)
        self.wait(job)
        return job

    def read(self, job: str, **reading: Any) -> dict[str, Any]:
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
        """The job once no task of it is queued or running."""
        return self.wait_for(job, lambda state: state["state"] in ("ready", "failed"))

    def wait_for(self, job: str, enough: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The job as soon as the condition holds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state: dict[str, Any] = self.get(f"/api/jobs/{job}").json()
            if enough(state):
                return state
            time.sleep(0.1)
        raise TimeoutError(state)


def files_in(folder: Path) -> list[Path]:
    """All files below a folder. A server may remove folders meanwhile: `os.walk` passes over them, `rglob` raises."""
    return sorted(Path(place, name) for place, _, names in os.walk(folder) for name in names)


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
    """A server that stores its files in this folder."""
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listening:
        service = Service(Settings(port=listening.getsockname()[1], folder=folder, **settings))
        server = uvicorn.Server(config(service))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield Site(service, folder)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()
