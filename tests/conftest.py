"""What tests of several modules start from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.helpers import run_command

MARKED_BY_FIXTURE = {"chromium": "browser", "launched": "browser", "remote": "spark"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that asks for a browser or for Spark is marked so."""
    for item in items:
        for fixture, mark in MARKED_BY_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic log as a file."""
    path = tmp_path_factory.mktemp("hospital") / "hospital.xes.gz"
    run_command("synthesize", "-o", path, "--cases", 150)
    return path


@pytest.fixture(scope="session")
def remote() -> Iterator[str]:
    """The address of Sail, a server of Spark Connect without a JVM, in this process and on loopback."""
    reason = "the tests on Spark are skipped: make .venv/installed-dev"
    pytest.importorskip("pyspark", reason=reason)
    pysail = pytest.importorskip("pysail.spark", reason=reason)
    os.environ.setdefault("RUST_LOG", "error")
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # other tests fork, and need nothing of gRPC in the child
    server = pysail.SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    host, port = server.listening_address
    yield f"sc://{host}:{port}"
    server.stop()


@pytest.fixture(scope="session")
def spark(remote: str) -> Iterator[Any]:
    """A session of Spark."""
    from unsingle.spark import connect

    session = connect(remote)
    yield session
    session.stop()  # while the server is still there to answer
