"""What a file says of how it was made: facts by name, in the file itself where its format has a place, and beside it.

A fact is a text, a number, a truth value or a list of them. Formats that hold texts alone have lists and numbers as
JSON. The file beside ``NAME`` is ``NAME.release.json``.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import FormatError
from .output import atomic_output, is_stream
from .source import STANDARD

FileFacts = Mapping[str, Any]

PREFIX = "unsingle:"
"""What the names of facts begin with inside a file."""

_ENDING = ".release.json"
_MOST = 64 << 20  # bytes: more is no file of ours


def beside(name: str) -> str:
    """The file that says how another was made.

    >>> beside("logs/release.csv")
    'logs/release.csv.release.json'
    """
    return f"{name.rstrip('/')}{_ENDING}"


def has_place_beside(name: str) -> bool:
    """Whether a file can stand beside it: not beside standard output, a device or a pipe."""
    return name != STANDARD and not is_stream(name)


def as_texts(facts: FileFacts) -> dict[str, str]:
    """Facts as texts by their names inside a file; those that are not known are left out.

    >>> as_texts({"method": "twin", "delta": 0.2, "labels": ["A"], "epsilon": None})
    {'unsingle:method': 'twin', 'unsingle:delta': '0.2', 'unsingle:labels': '["A"]'}
    """
    return {f"{PREFIX}{name}": as_text(value) for name, value in facts.items() if value is not None}


def as_text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def from_texts(found: Mapping[str, str]) -> dict[str, str] | None:
    """The facts among what a file says of itself, as texts; None if there are none."""
    facts = {name.removeprefix(PREFIX): text for name, text in found.items() if name.startswith(PREFIX)}
    return facts or None


def in_log(name: str) -> str:
    """What a fact is called among all keys of an XES document.

    >>> in_log("delta")
    'log:unsingle:delta'
    """
    return f"log:{PREFIX}{name}"


@contextlib.contextmanager
def beside_output(name: str, facts: FileFacts | None, *, force: bool) -> Iterator[Callable[[], None]]:
    """A function that writes the facts beside a file, to be called just before that appears.

    So nobody finds a release without its facts. If it does not appear, they are removed, and those of the release that
    it was to replace stand there again. Facts without their release, as a killed run may leave them, fit no other file:
    they hold its digest.
    """
    path = Path(beside(name))
    replaced: list[bytes | None] = []

    def write() -> None:
        if facts is not None and has_place_beside(name):
            earlier = path.read_bytes() if path.is_file() else None
            write_beside(name, facts, force=force)
            replaced.append(earlier)

    try:
        yield write
    except BaseException:
        for earlier in replaced:
            if earlier is None:
                path.unlink(missing_ok=True)
            else:
                with atomic_output(beside(name), force=True) as stream:
                    stream.write(earlier)
        raise


def write_beside(name: str, facts: FileFacts, *, force: bool) -> None:
    """Write the facts beside a file or a folder, whole or not at all."""
    with atomic_output(beside(name), force=force) as stream:
        stream.write((json.dumps(dict(facts), indent=2, ensure_ascii=False) + "\n").encode())


def read_beside(name: str) -> dict[str, str] | None:
    """The facts that stand beside a file, as texts; None if there is no such file."""
    path = Path(beside(name))
    if name == STANDARD or not path.is_file():
        return None
    found = _object_in(path)
    if found is None:
        raise FormatError(
            f"{path}: does not say how a release was made: get the file that came with the release, or remove this one"
        )
    return {name: as_text(value) for name, value in found.items() if value is not None}


def _object_in(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None if there is something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= _MOST else None
    except (ValueError, OSError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
