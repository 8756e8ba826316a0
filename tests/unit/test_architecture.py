"""The rules that keep the package easy to read: few modules at its root, few parameters, no names spelled twice."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import grimp

import unsingle
from support.helpers import ROOT
from unsingle.formats.base import file_kinds
from unsingle.methods import METHODS

PACKAGE = ROOT / "src" / "unsingle"
TREES = {path.relative_to(PACKAGE): ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
MOST_PARAMETERS = 6
MOST_LINES_OF_A_MODULE = 450
MOST_LINES_OF_A_FUNCTION = 60

Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_the_root_of_the_package_has_few_modules() -> None:
    assert len([path for path in TREES if len(path.parts) == 1]) <= 10


def test_no_function_has_many_parameters() -> None:
    public = _public()
    many = {
        f"{path}:{function.name}": n
        for path, tree in TREES.items()
        for function, owner in _functions(tree)
        if (n := _parameters(function, in_class=owner is not None)) > MOST_PARAMETERS
        and (_module(path), owner or function.name) not in public
        and not _is_command(function)
    }
    assert many == {}


def test_no_module_is_long() -> None:
    lines = {path.as_posix(): len((PACKAGE / path).read_text(encoding="utf-8").splitlines()) for path in TREES}
    assert {path: n for path, n in lines.items() if n > MOST_LINES_OF_A_MODULE} == {}


def test_no_function_is_long() -> None:
    """What stands in its docstring does not count: public functions explain each argument there."""
    lines = {
        f"{path}:{function.name}": _lines(function) for path, tree in TREES.items() for function, _ in _functions(tree)
    }
    assert {name: n for name, n in lines.items() if n > MOST_LINES_OF_A_FUNCTION} == {}


def _lines(function: Function) -> int:
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def _module(path: Path) -> str:
    return ".".join(part for part in path.with_suffix("").parts if part != "__init__")


def _public() -> set[tuple[str, str]]:
    """What users call or build, each with its module: of the package, and of its part for Spark."""
    of_spark = {
        (f"spark.{node.module}", each.name)
        for node in TREES[Path("spark/__init__.py")].body
        if isinstance(node, ast.ImportFrom) and node.level == 1
        for each in node.names
    }
    return {(home, name) for name, home in unsingle._HOME.items()} | of_spark


def _functions(tree: ast.AST, owner: str | None = None) -> Iterator[tuple[Function, str | None]]:
    """All functions, each with the class that it is a method of."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield node, owner
        yield from _functions(node, node.name if isinstance(node, ast.ClassDef) else None)


def _parameters(function: Function, *, in_class: bool) -> int:
    """How many parameters there are, without self and cls."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    if in_class and names and names[0] in ("self", "cls"):
        names = names[1:]
    return len(names) + (given.vararg is not None) + (given.kwarg is not None)


def _is_command(function: Function) -> bool:
    return any(ast.unparse(each).startswith("click.command") for each in function.decorator_list)


MAY_NAME = {
    ("web/security.py", "strict"): "a word of cookies, not the method",
    ("spark/reading.py", "csv"): "Spark reads CSV by itself, unlike other formats",
    ("spark/reading.py", "xes"): "Spark cannot read XES: tasks read whole files",
    ("spark/writing.py", "csv"): "Spark writes CSV by itself, from texts",
    ("spark/writing.py", "xes"): "Spark cannot write XES: tasks write whole files",
}
"""Which module may spell the name of a method or format, and why."""


def test_methods_and_formats_are_named_in_their_packages_alone() -> None:
    names = {*METHODS, *file_kinds()}
    found = {
        (path.as_posix(), node.value): node.lineno
        for path, tree in TREES.items()
        if path.parts[0] not in ("methods", "formats")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in names
    }
    assert found.keys() == MAY_NAME.keys(), found


def test_no_module_needs_itself_by_way_of_others() -> None:
    """Imports inside functions and for type checking count: no cycle, lazily or not."""
    graph = grimp.build_graph("unsingle")
    left = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    while ends := {module for module, needs in left.items() if not needs} | left.keys() - set().union(*left.values()):
        left = {module: needs - ends for module, needs in left.items() if module not in ends}
    assert left == {}


SAME_ROLE = {
    "T": "type variables",
    "main": "what a process starts with",
    "ROUTES": "of the page, and of the API",
    "column_names": "of each format's reader",
    "first_rows": "of each format's reader",
    "anonymize": "Spark has its own, with the same meaning",
}
"""Names that mean the same wherever they stand."""

DIFFERENT = {
    "Bytes", "COLUMNS", "DEFAULT", "FREQUENT_PATH", "HOURS", "LONE_PATH", "PATHS", "START", "STARTS", "Score", "Seen",
    "Step", "Steps", "WHICH_PATH", "WHICH_PATH_BY_TIMES", "Words", "check_target", "chosen", "digests", "kind_of",
    "paths_of", "rows_of", "threshold",
}  # fmt: skip
"""Names that mean different things in two modules. None may be added; one that was renamed is to be taken out."""


def test_no_further_name_is_defined_in_two_modules() -> None:
    places = defaultdict(set)
    for path, tree in TREES.items():
        for name in (name for node in tree.body for name in _defined(node) if not name.startswith("_")):
            if not _is_front_end(path, name):
                places[name].add(path.as_posix())
    twice = {name: sorted(those) for name, those in places.items() if len(those) > 1 and name not in SAME_ROLE}
    assert twice.keys() == DIFFERENT, {name: twice.get(name) for name in twice.keys() ^ DIFFERENT}


def _is_front_end(path: Path, name: str) -> bool:
    """Whether a function is a command, a step of the page, the API or a worker: named like what it calls."""
    if path.parts[0] == "cli":
        return name == path.stem
    return path.as_posix() in ("web/api.py", "web/pages.py", "web/worker.py") and name.islower() and name != "main"


def _defined(node: ast.stmt) -> list[str]:
    """The names that a statement at the top of a module defines; imports do not."""
    if isinstance(node, (Function, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
