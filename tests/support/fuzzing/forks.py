"""Many processes that read Parquet, for the price of one: a process that has loaded all, and forks for every file.

What runs in a fork is the program that users run, with the same input, output and limits. Only its start is saved.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from unsingle.formats import apart
from unsingle.formats import child as reading_child

_START = subprocess.Popen
_PATIENCE = 5  # seconds


@contextlib.contextmanager
def instead_of_processes(*, always: bool) -> Iterator[None]:
    """Let the reader of Parquet have forks where it starts processes; unless `always`, nothing changes."""
    if not always:
        yield
        return
    with mock.patch.object(apart.subprocess, "Popen", _Fork):
        yield


class _Fork:
    """As much of a process as the reader of Parquet uses."""

    def __init__(self, command: list[str], stdin: Any, stdout: Any, stderr: int) -> None:
        assert stderr == subprocess.PIPE
        assert command[2] == reading_child.__file__
        self._order = {"stdin": _path_of(stdin), "stdout": _path_of(stdout), "order": command[3]}

    def __enter__(self) -> _Fork:
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to wait for."""

    def communicate(self, timeout: float) -> tuple[None, bytes]:  # noqa: ARG002
        """What the fork said, after it has ended."""
        with tempfile.NamedTemporaryFile() as said:
            server = _server()
            server.stdin.write(json.dumps({**self._order, "stderr": said.name}) + "\n")
            server.stdin.flush()
            if server.stdout.readline().strip() == "hung":
                raise TimeoutError(f"the reader of Parquet hung for {_PATIENCE} seconds")
            return None, said.read()

    def kill(self) -> None:
        """It has ended."""

    def wait(self) -> None:
        """It has ended."""


def _path_of(stream: Any) -> str:
    return f"/proc/{os.getpid()}/fd/{stream.fileno()}"


@cache
def _server() -> Any:
    command = [sys.executable, "-m", __name__]
    path = os.pathsep.join(map(str, filter(None, sys.path)))
    return _START(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    )


def main() -> None:
    """Fork for every line of standard input, and say how the fork ended."""
    import polars  # noqa: F401 - for all forks at once

    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _be_the_child(order)
        signal.signal(signal.SIGALRM, lambda *_, child=child: os.kill(child, signal.SIGKILL))
        signal.alarm(_PATIENCE)
        _, status = os.waitpid(child, 0)
        signal.alarm(0)
        hung = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print("hung" if hung else "ended", flush=True)


def _be_the_child(order: dict[str, str]) -> None:
    for number, (name, flags) in enumerate((("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY))):
        descriptor = os.open(order[name], flags)
        os.dup2(descriptor, number)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.argv = [str(Path(reading_child.__file__)), order["order"]]
    code = 1
    try:
        reading_child.main()
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
