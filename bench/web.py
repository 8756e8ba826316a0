"""The web page under load: a large log all the way with how far it was told to be, many at once, and cancelling.

    python bench/web.py --logs FOLDER [--megabytes 435] [--write]

The server is the command itself, in a process of its own; memory is what Linux says of it and of its workers.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from document import DOCUMENT, parser_of, put, table
from machine import machine
from unsingle.formats import write_rows
from unsingle.synthetic import synthetic_frame

MANY = 20
_BYTES_PER_CASE = 5890  # of a synthetic log as plain XES, about


@contextlib.contextmanager
def server(folder: Path) -> Iterator[tuple[str, Memory]]:
    """The command, and the memory that it and its workers use. It ends by itself after an hour."""
    code = "import signal; signal.alarm(3600); from unsingle.cli.app import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "serve", "--no-browser", "--port", "0"],
        stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)},
    )  # fmt: skip
    try:
        assert process.stderr is not None
        url = process.stderr.readline().removeprefix("unsingle is at ").strip()
        threading.Thread(target=process.stderr.read, daemon=True).start()
        with Memory(process.pid) as memory:
            yield url, memory
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


class Memory:
    """The peaks of the server and of all its workers together, looked at often."""

    def __init__(self, server_pid: int) -> None:
        self._server, self._ended = server_pid, threading.Event()
        self.server = self.workers = 0
        self.at_once = 0
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def forget(self) -> None:
        """Begin anew."""
        self.server = self.workers = self.at_once = 0

    def _watch(self) -> None:
        while not self._ended.wait(0.05):
            children = Path(f"/proc/{self._server}/task/{self._server}/children")
            pids = [int(pid) for pid in children.read_text().split()] if children.exists() else []
            self.server = max(self.server, _resident(self._server))
            self.workers = max(self.workers, sum(map(_resident, pids)))
            self.at_once = max(self.at_once, len(pids))


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


class Client(httpx.Client):
    """Does the steps of a job and notes how far it is told to be."""

    def __init__(self, url: str) -> None:
        super().__init__(base_url=url, timeout=600)
        self.told: dict[str, set[tuple[str, float]]] = {}

    def upload(self, path: Path) -> str:
        """Upload a log."""
        with path.open("rb") as file:
            return str(self.post("/api/jobs", files={"log": (path.name, file)}).raise_for_status().json()["id"])

    def wait(self, job: str, every: float = 0.1) -> dict[str, Any]:
        """Until nobody works on it."""
        while True:
            state: dict[str, Any] = self.get(f"/api/jobs/{job}").raise_for_status().json()
            if state["state"] in ("ready", "failed"):
                assert state["error"] is None, state["error"]
                return state
            if state["task"]["stage"]:
                self.told.setdefault(state["task"]["name"], set()).add(
                    (state["task"]["stage"], state["task"]["fraction"])
                )
            time.sleep(every)

    def read(self, job: str) -> None:
        """Read it with the columns that were guessed."""
        self.wait(job)
        guess = self.get(f"/api/jobs/{job}/preview").json()["guess"]
        del guess["lifecycle"]
        self.post(f"/api/jobs/{job}/columns", json=guess).raise_for_status()
        self.wait(job)

    def release(self, job: str) -> None:
        """Make a release."""
        self.post(f"/api/jobs/{job}/release", json={"format": "xes.gz"}).raise_for_status()
        self.wait(job)

    def download(self, job: str, what: str, target: Path) -> None:
        """Download a file."""
        with self.stream("GET", f"/api/jobs/{job}/files/{what}") as answer, target.open("wb") as file:
            for piece in answer.raise_for_status().iter_bytes():
                file.write(piece)


def large(url: str, path: Path, folder: Path) -> list[list[str]]:
    """A large log from the upload to the downloads."""
    rows: list[list[str]] = []
    with Client(url) as client:
        clock = time.perf_counter()

        def note(step: str, told: str = "") -> None:
            nonlocal clock
            now = time.perf_counter()
            rows.append([step, f"{now - clock:.1f} s", told])
            print(*rows[-1], flush=True)
            clock = time.perf_counter()

        job = client.upload(path)
        note(f"upload of {path.stat().st_size / 1e6:,.0f} MB")
        client.wait(job)
        note("preview")
        client.read(job)
        note("reading and risk", f"{len(client.told['assess'])} times")
        client.release(job)
        note("release and comparison", f"{len(client.told['release'])} times")
        for what in ("release", "report"):
            client.download(job, what, folder / what)
        note("downloads")
        client.delete(f"/api/jobs/{job}").raise_for_status()
    return rows


def cancelled(url: str, path: Path, folder: Path) -> list[list[str]]:
    """How long it takes until nothing is left, in the middle of a step."""
    rows = []
    with Client(url) as client:
        for step in ("reading", "release"):
            job = client.upload(path)
            if step == "release":
                client.read(job)
                client.post(f"/api/jobs/{job}/release", json={"method": "amun"}).raise_for_status()
            else:
                client.wait(job)
                client.post(f"/api/jobs/{job}/columns", json={}).raise_for_status()
            time.sleep(2.5)
            assert client.get(f"/api/jobs/{job}").json()["state"] == "working"
            begin = time.perf_counter()
            client.delete(f"/api/jobs/{job}").raise_for_status()
            seconds = time.perf_counter() - begin
            left = [each for each in folder.rglob("*") if each.is_file() and each.name != "lock"]
            assert not left
            rows.append([f"cancelled in the middle of the {step}, all files deleted", f"{seconds:.2f} s", ""])
            print(*rows[-1], flush=True)
    return rows


def many(url: str, path: Path) -> list[str]:
    """Many people at once."""

    def use(_: int) -> None:
        with Client(url) as client:
            job = client.upload(path)
            client.read(job)
            client.release(job)
            for what in ("release", "report"):
                client.get(f"/api/jobs/{job}/files/{what}").raise_for_status()
            client.delete(f"/api/jobs/{job}").raise_for_status()

    begin = time.perf_counter()
    with ThreadPoolExecutor(MANY) as pool:
        list(pool.map(use, range(MANY)))
    return [f"{MANY} uploads of {path.name} at once, all steps of all", f"{time.perf_counter() - begin:.1f} s", ""]


def main() -> None:
    parser = parser_of(__doc__, runs=1)
    parser.add_argument("--megabytes", type=int, default=435, help="size of the large log")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, server(Path(name)) as (url, memory):
        folder = Path(name)
        (folder / "own").mkdir()
        log = folder / "own" / "large.xes"
        write_rows(synthetic_frame(int(arguments.megabytes * 1e6 / _BYTES_PER_CASE), seed=0), log)
        rows = large(url, log, folder / "own")
        peaks = [
            ["large log", f"{memory.server / 1e6:,.0f} MB", f"{memory.workers / 1e6:,.0f} MB", str(memory.at_once)]
        ]
        rows += cancelled(url, log, folder / f"unsingle-serve-{os.getuid()}")
        memory.forget()
        rows.append(many(url, arguments.logs / "Sepsis.xes.gz"))
        print(*rows[-1], flush=True)
        peaks.append([f"{MANY} at once", f"{memory.server / 1e6:,.0f} MB", f"{memory.workers / 1e6:,.0f} MB",
                      str(memory.at_once)])  # fmt: skip
    text = "\n\n".join(
        [
            machine(),
            table(["step", "time", "progress told"], rows),
            table(["peak of memory", "server", "its workers together", "workers at once"], peaks),
        ]
    )
    print(text)
    if arguments.write:
        put("web", text)
        print(f"written to {DOCUMENT}")


if __name__ == "__main__":
    main()
