"""Writes docs/reference/command.md from `--help` and docs/reference/library.md from docstrings and signatures.

A test checks that both are up to date.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

import unsingle
from unsingle.cli.app import main

FOLDER = Path(__file__).with_name("reference")
WIDTH = 100
DESIGN = FOLDER.with_name("explanation") / "design.md"
PACKAGE = Path(unsingle.__file__).parent
FLOORS = (
    "core",
    "privacy",
    "mechanisms",
    "methods",
    "formats",
    "evaluation",
    "auditor",
    "spark",
    "report",
    "cli",
    "web",
)


def command() -> str:
    """The help of every command as Markdown."""
    parts = ["# The command\n\nWritten by `make docs` from `--help`; do not edit.\n"]
    parts.append(_section(main, "unsingle"))
    parts += [_section(each, f"unsingle {name}") for name, each in sorted(main.commands.items())]
    return "\n".join(parts)


def _section(command: click.Command, name: str) -> str:
    context = click.Context(
        command, info_name=name, max_content_width=WIDTH, terminal_width=WIDTH, help_option_names=["-h", "--help"]
    )
    return f"## {name}\n\n```text\n{command.get_help(context)}\n```\n"


def library() -> str:
    """Functions, classes and errors of the package as Markdown, from their docstrings."""
    public = {name: getattr(unsingle, name) for name in unsingle.__all__ if not name.startswith("_")}
    classes = {name: each for name, each in public.items() if isinstance(each, type)}
    errors = {name: each for name, each in classes.items() if issubclass(each, Exception)}
    functions = {name: each for name, each in public.items() if name not in classes}
    results = {name: each for name, each in classes.items() if name not in errors}
    parts = ["# The library\n\nWritten by `make docs` from docstrings and signatures; do not edit.\n"]
    for title, names, entry in (
        ("Functions", functions, _function),
        ("Classes", results, _class),
        ("Errors", errors, _error),
    ):
        parts.append(f"## {title}\n")
        parts += [entry(name, each) for name, each in names.items()]
    return "\n".join(parts)


def _function(name: str, function: Callable[..., Any]) -> str:
    return f"### {name}\n\n```python\n{_call(f'unsingle.{name}', function)}\n```\n\n{_doc(function)}\n"


def _error(name: str, error: type) -> str:
    return f"### {name}\n\n{_doc(error)} (A kind of `{error.__bases__[0].__name__}`.)\n"


def _class(name: str, of: type) -> str:
    lines = [f"### {name}\n", f"{_doc(of)}\n"]
    if dataclasses.is_dataclass(of):
        lines += ["| field | type |", "|---|---|"]
        lines += [f"| `{each.name}` | `{_cell(each.type)}` |" for each in dataclasses.fields(of) if each.name[0] != "_"]
        lines.append("")
    members = [(key, each) for key, each in vars(of).items() if key[0] != "_" and _is_member(each)]
    lines += [f"- `{_member(key, each)}`: {_doc(each).splitlines()[0]}" for key, each in members if _doc(each)]
    return "\n".join(lines).rstrip() + "\n"


def _is_member(each: object) -> bool:
    return inspect.isfunction(each) or isinstance(each, (classmethod, staticmethod, property)) or _is_cached(each)


def _is_cached(each: object) -> bool:
    return type(each).__name__ == "cached_property"


def _member(name: str, each: Any) -> str:
    if isinstance(each, property) or _is_cached(each):
        return f".{name}"
    function = getattr(each, "__func__", each)
    names = [str(p).split(":")[0].split("=")[0] for p in inspect.signature(function).parameters.values()]
    return f".{name}({', '.join(each for each in names if each not in ('self', 'cls'))})"


def _call(name: str, function: Callable[..., Any]) -> str:
    """The signature, on one line if it fits, else a parameter a line."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    words = [_parameter(each) for each in parameters]
    named = [each.kind is each.KEYWORD_ONLY for each in parameters]
    if any(named) and not any(each.kind is each.VAR_POSITIONAL for each in parameters):
        words.insert(named.index(True), "*")
    one = f"{name}({', '.join(words)}) -> {signature.return_annotation}"
    if len(one) <= WIDTH:
        return one
    return f"{name}(\n" + "".join(f"    {each},\n" for each in words) + f") -> {signature.return_annotation}"


def _parameter(each: inspect.Parameter) -> str:
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    default = "" if each.default is each.empty else f" = {each.default!r}"
    return f"{stars}{each.name}: {each.annotation}{default}"


def _cell(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return text.replace("|", "\\|")


def _doc(each: object) -> str:
    """The docstring as Markdown: arguments as a list, examples as code."""
    text = inspect.getdoc(each) or ""
    text = re.sub(r"\n\n(>>> .*?)(?=\n\n|\Z)", r"\n\n```python\n\1\n```", text, flags=re.DOTALL)
    return re.sub(r"(?m)^Args:\n((?: {4}.*\n?)+)", lambda found: _arguments(found[1]), text)


def _arguments(lines: str) -> str:
    items = re.sub(r"(?m)^ {4}(\w+): ", r"- `\1`: ", lines)
    return re.sub(r"(?m)^ {8}", "  ", items)


def design() -> str:
    """The page about the design, with the tree that stands: each module with its own first sentence."""
    tree = "\n".join(["```text", "src/unsingle/", *_branch(PACKAGE, 1), "```"])
    text = DESIGN.read_text(encoding="utf-8")
    return re.sub(r"```text\nsrc/unsingle/\n.*?```", lambda _: tree, text, count=1, flags=re.DOTALL)


def _branch(folder: Path, depth: int) -> Iterator[str]:
    """The modules of a folder, then its packages, each with the sentence of its ``__init__``."""
    modules = [path for path in sorted(folder.glob("*.py")) if depth == 1 or path.name != "__init__.py"]
    packages = sorted((path.parent for path in folder.glob("*/__init__.py")), key=_floor)
    width = max(len(path.name) for path in (*modules, *packages)) + 2
    for path in modules:
        yield f"{'  ' * depth}{path.name:{width}}{_first_sentence(path)}"
    for package in packages:
        yield f"{'  ' * depth}{package.name + '/':{width}}{_first_sentence(package / '__init__.py')}"
        yield from _branch(package, depth + 1)


def _floor(package: Path) -> tuple[int, str]:
    return FLOORS.index(package.name) if package.name in FLOORS else len(FLOORS), package.name


def _first_sentence(path: Path) -> str:
    return (
        (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")[0].replace("\n", " ")
    )


PAGES: dict[Path, Callable[[], str]] = {
    FOLDER / "command.md": command,
    FOLDER / "library.md": library,
    DESIGN: design,
}

if __name__ == "__main__":
    for path, text in PAGES.items():
        path.write_text(text(), encoding="utf-8")
