"""The commands that do the same as the page, for users to copy."""

from __future__ import annotations

import shlex

from ..methods import in_words_of_options
from .forms import ReadingRequest, ReleaseRequest


def demo_command(name: str, cases: int) -> str:
    """The command that makes the demo log."""
    return shlex.join(["unsingle", "synthesize", "-o", name, "--cases", str(cases), "--seed", "0"])


def release_command(name: str, reading: ReadingRequest, release: ReleaseRequest) -> str:
    """The command that makes this release."""
    options = reading.arguments() | in_words_of_options(release.method)
    options |= {"delta": f"{release.delta:g}", **release.parameters()}
    words = ["unsingle", "anonymize", name if not name.startswith("-") else f"./{name}", "-o", release.file]
    for option, value in options.items():
        words += ["--" + option.replace("_", "-"), *([] if value is True else [value])]
    return shlex.join([*words, "--report", "comparison.html"])
