#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The checks on several versions of Python: `nox`, or `nox -s tests-3.14`; `make test` does it on one."""

from __future__ import annotations

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"

PROJECT = nox.project.load_toml()
VERSIONS = nox.project.python_versions(PROJECT)
WITHOUT_EXTRAS = "not jvm and not slow and not spark and not browser"


@nox.session(python=VERSIONS, default=True)
def tests(session: nox.Session) -> None:
    """Run the quick tests, without those on Spark and in a browser."""
    session.install("-e.[spark,web]", *nox.project.dependency_groups(PROJECT, "dev"))
    session.run("pytest", "-n", "auto", "-m", WITHOUT_EXTRAS, *(session.posargs or ["src", "tests"]))


@nox.session(default=True)
def check(session: nox.Session) -> None:
    """Check style, types and imports."""
    session.install("-e.[spark,web]", *nox.project.dependency_groups(PROJECT, "dev"))
    session.run("ruff", "check", "src", "tests", "bench", "docs")
    session.run("ruff", "format", "--check", "src", "tests", "bench", "docs")
    session.run("mypy")
    session.run("lint-imports")


@nox.session(default=False)
def build(session: nox.Session) -> None:
    """Build the package as a wheel and as an archive of its sources, into dist/."""
    session.install("build")
    session.run("python", "-m", "build")


if __name__ == "__main__":
    nox.main()
