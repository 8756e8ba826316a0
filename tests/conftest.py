"""What tests of several modules start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers import run_command


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic log as a file."""
    path = tmp_path_factory.mktemp("hospital") / "hospital.xes.gz"
    run_command("synthesize", "-o", path, "--cases", 150)
    return path
