"""The commands that do the same as the page, for users to copy."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import as_option
from ..methods import in_words_of_options
from ..methods.base import ParameterKind
from .catalogue import parameters
from .forms import ReadingRequest, ReleaseRequest


def demo_command(name: str, cases: int) -> str:
    """The command that makes the demo log."""
    return shlex.join(["unsingle", "synthesize", "-o", name, "--cases", str(cases), "--seed", "0"])


def release_command(names: Sequence[str], reading: ReadingRequest, release: ReleaseRequest) -> str:
    """The command that makes this release, after lines that make the files of values that it takes."""
    options = [*reading.arguments().items(), *in_words_of_options(release.method).items()]
    files = [name if not name.startswith("-") else f"./{name}" for name in names]
    words = ["unsingle", "anonymize", *files, "-o", release.file]
    for option, value in [*options, ("delta", f"{release.delta:g}")]:
        words += _option(option, value)
    lines: list[str] = []
    for option, value in release.parameters.items():
        words += _option(option, list(_written(option, value, lines)))
    return "\n".join([*lines, shlex.join([*words, "--report", "comparison.html"])])


def _option(name: str, value: Any) -> list[str]:
    """An option as words; one that may be repeated is, for each value of a list.

    >>> _option("numbers", ["age", "cost"]), _option("allow_line_ends", True)
    (['--number', 'age', '--number', 'cost'], ['--allow-line-ends'])
    """
    option = as_option(name, "")
    if value is True:
        return [option]
    values = value if isinstance(value, list | tuple) else [value]
    return [word for each in values for word in (option, str(each))]


def _written(name: str, value: Any, lines: list[str]) -> Iterator[str]:
    """The values of a parameter as the command takes them; `lines` get commands that make files."""
    kind = parameters()[name].kind
    if kind is ParameterKind.TEXTS:
        yield _file(f"{name}.txt", value, lines)
    elif kind is ParameterKind.TEXTS_BY_COLUMN:
        for number, (column, texts) in enumerate(value.items(), 1):
            yield f"{column}={_file(f'{name}-{number}.txt', texts, lines)}"
    elif kind is ParameterKind.CALENDAR:
        yield _file(f"{name}.toml", [f"{key} = {json.dumps(texts)}" for key, texts in value.items()], lines)
    elif kind is ParameterKind.NUMBERS_BY_COLUMN:
        yield from (f"{column}={str(step).removesuffix('.0')}" for column, step in value.items())
    else:
        yield from map(str, value if isinstance(value, list) else [value])


def _file(name: str, texts: list[str], lines: list[str]) -> str:
    lines.append(shlex.join(["printf", r"%s\n", *texts]) + f" > {name}")
    return name
