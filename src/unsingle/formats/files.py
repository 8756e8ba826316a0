"""The files that a log is in: one, several, or all of a folder. All have one format."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from glob import glob, has_magic
from pathlib import Path

from ..core.wording import joined_by
from ..errors import FormatError, ParameterError, argument
from .base import FileKind, format_by_name
from .sniff import readable_kind
from .source import STANDARD, name_of

Names = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A file, a folder, a pattern such as ``2024/*.csv``, or several of them."""

_SHOWN = 4  # endings in a message


def are_names(source: object) -> bool:
    """Whether something is the name of a file, or a list of such."""
    if isinstance(source, list | tuple):
        return len(source) > 0 and all(isinstance(each, str | os.PathLike) for each in source)
    return isinstance(source, str | os.PathLike)


def files_of(source: Names) -> tuple[str, ...]:
    """The files that are meant, in order: those of a folder, or of a pattern, by name."""
    given = [source] if isinstance(source, str | os.PathLike) else source
    found = [file for each in given for file in _files(name_of(each))]
    if STANDARD in found and len(found) > 1:
        raise ParameterError("standard input is one log of its own: name it alone, or files instead")
    twice = [name for name, times in Counter(map(_identity, found)).items() if times > 1]
    if twice:
        raise ParameterError(f"{twice[0]}: is named twice, so its events would count twice: name it once")
    return tuple(found)


def _identity(name: str) -> str:
    return name if name == STANDARD else os.path.realpath(name)


def _files(name: str) -> list[str]:
    path = Path(name)
    if os.path.isdir(name):  # noqa: PTH112 - which raises no error over a name that no system has
        return _of_folder(path)
    if has_magic(name) and not os.path.exists(name):  # noqa: PTH110
        if found := sorted(glob(name)):  # noqa: PTH207 - a pattern of Path has no folder of its own
            return [file for each in found for file in _files(each)]
        raise FormatError(f"{name}: no file has such a name: check it and the folder")
    return [name]


def _of_folder(folder: Path) -> list[str]:
    """All files of a folder but hidden ones. What could not be read would be missing, so it is refused."""
    inside = sorted(each for each in folder.iterdir() if not each.name.startswith((".", "_")))
    if not inside:
        raise FormatError(f"{folder}: is a folder without files: name another, or a file")
    advice = f"name the files, such as {folder / '*.csv'}"
    if folders := [each for each in inside if each.is_dir()]:
        raise FormatError(f"{folder}: has a folder in it ({folders[0].name}): {advice}")
    endings = Counter(_ending(each.name) for each in inside)
    if len(endings) > 1:
        listed = [f"{count} {ending}" for ending, count in endings.most_common(_SHOWN)]
        raise FormatError(f"{folder}: has files of several formats ({joined_by('and', listed)}): {advice}")
    return [str(each) for each in inside]


def _ending(name: str) -> str:
    """What tells the format of a file, which may be packed or not."""
    kind = format_by_name(name)
    return f".{kind.format.name}" if kind is not None else Path(name).suffix or "without an ending"


def kind_of_all(names: Iterable[str], given: str | FileKind | None = None) -> FileKind:
    """The kind of all these files; only whether they are packed may differ."""
    kinds = {name: readable_kind(name, given) for name in names}
    first = next(iter(kinds))
    for name, kind in kinds.items():
        if kind.format is not kinds[first].format:
            raise FormatError(
                f"{name}: is {kind.format.title}, but {first} is {kinds[first].format.title}: name files of one "
                f"format, or give {argument('format')}"
            )
    return kinds[first]
