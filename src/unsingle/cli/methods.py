"""Options that choose a method and set its parameters: derived from the registry, so that every method has its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import click

from .options import options

if TYPE_CHECKING:
    from ..methods import Method
    from ..methods.base import Parameter

# The registry, and with it numpy, is loaded when a command that needs it is run or explained, not by --help of all.

_PREFIX = "of_method_"  # a parameter of a plug-in may have the name of another option's value

CHOICE = options(
    click.option("--method", metavar="METHOD", help="One of the methods below."),
    click.option(
        "--paths",
        type=click.Choice(["same", "crowds"]),
        help="Publish all paths of the log (same), or only paths that many people took (crowds). [default: same]",
    ),
    click.option("--as-published", is_flag=True, help="Reproduce the paper with its leaks. NOT FOR PUBLICATION."),
)
"""Which method is meant; the parameters of all methods follow these options."""


class MethodsListed(click.Command):
    """A command whose help lists all methods."""

    def default_methods(self) -> str:
        """Which methods are used if none is named, in words."""
        from ..methods import DEFAULT

        return DEFAULT

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the methods."""
        from ..methods import METHODS

        super().format_options(ctx, formatter)
        ladder = [each for each in METHODS.values() if each.has_budget]
        others = [each for each in METHODS.values() if not each.has_budget]
        with formatter.section(f"Methods, each promising more than the one before [default: {self.default_methods()}]"):
            formatter.write_dl([(each.name, each.title) for each in ladder])
        with formatter.section("Methods that promise less"):
            formatter.write_dl([(each.name, each.title) for each in others])


class OfMethod(MethodsListed):
    """A command that works with one method: it offers the parameters of all, and is called with the checked method."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All options: those of the command, with the parameters of methods after `CHOICE`."""
        own = super().get_params(ctx)
        after = 1 + max(place for place, each in enumerate(own) if each.name == "as_published")
        more = parameter_options()
        _refuse_taken(more, {name for each in own for name in each.opts})
        return [*own[:after], *more, *own[after:]]

    def invoke(self, ctx: click.Context) -> Any:
        """Put the method, with its parameters, in place of the options that choose it."""
        ctx.params["method"] = _method(
            ctx.params.pop("method"), ctx.params.pop("paths"), ctx.params.pop("as_published"), _parameters(ctx.params)
        )
        return super().invoke(ctx)


def _refuse_taken(parameters: Iterable[click.Option], taken: set[str]) -> None:
    """Refuse a method of a plug-in with a parameter that the command could not tell from an option of its own."""
    from ..errors import ParameterError
    from ..methods import METHODS

    for option in parameters:
        if taken.intersection(option.opts):
            name = (option.name or "").removeprefix(_PREFIX)
            owners = joined_by_and(each.name for each in METHODS.values() if name in each.parameters())
            raise ParameterError(f"{option.opts[0]} is an option of this command: {owners} must rename its parameter")


def _method(name: str | None, paths: str | None, as_published: bool, parameters: dict[str, Any]) -> Method:
    """The method that the options mean; raises `ParameterError` for what it does not have."""
    from ..methods import DEFAULT, kind_meant

    kind = kind_meant(name or DEFAULT, parameters, paths=paths, as_published=as_published)
    kinds = kind.parameters()  # files with values are read only if the method takes them
    return kind(**{name: _value(kinds[name], value) for name, value in parameters.items()})


def _parameters(values: dict[str, Any]) -> dict[str, Any]:
    """The parameters that were given, taken out of the values of all options."""
    taken = {name: values.pop(name) for name in list(values) if name.startswith(_PREFIX)}
    return {name.removeprefix(_PREFIX): value for name, value in taken.items() if value not in (None, ())}


def _value(parameter: Parameter, given: Any) -> Any:
    """What a method takes: several texts stand in a file."""
    from ..formats import read_calendar, read_labels, read_values
    from ..methods.base import ParameterKind

    if parameter.kind is ParameterKind.TEXTS:
        return read_labels(given)
    if parameter.kind is ParameterKind.TEXTS_BY_COLUMN:
        return {column: read_values(file) for column, file in _by_column(parameter, given)}
    if parameter.kind is ParameterKind.CALENDAR:
        return read_calendar(given)
    if parameter.kind is ParameterKind.NUMBERS_BY_COLUMN:
        return {column: _number(parameter, column, number) for column, number in _by_column(parameter, given)}
    return given


def _by_column(parameter: Parameter, given: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The column and what is said of it; only the last equals sign divides them."""
    for each in given:
        column, divided, value = each.rpartition("=")
        if not divided or not column or not value:
            option = parameter.name.replace("_", "-")
            raise click.UsageError(f"--{option} is written {parameter.metavar} (not {each!r})")
        yield column, value


def _number(parameter: Parameter, column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"--{parameter.name} {column}={text}: {text!r} is not a number") from None


def is_of_method(option: click.Parameter) -> bool:
    """Whether an option chooses a method or sets a parameter of one."""
    name = option.name or ""
    return name.startswith(_PREFIX) or name in ("method", "paths", "as_published")


def parameter_name(name: str) -> str:
    """The name by which click knows the value of a parameter."""
    return _PREFIX + name


def parameter_options() -> list[click.Option]:
    """An option for each parameter that any method has."""
    from ..methods import METHODS

    return list(_options(tuple(METHODS.values())))


@lru_cache(maxsize=8)
def _options(methods: tuple[type[Method], ...]) -> tuple[click.Option, ...]:
    owners: dict[str, list[type[Method]]] = {}
    for method in methods:
        for name in method.parameters():
            owners.setdefault(name, []).append(method)
    return tuple(_option(name, those, len(those) == len(methods)) for name, those in owners.items())


def _option(name: str, owners: list[type[Method]], for_all: bool) -> click.Option:
    from ..methods.base import ParameterKind

    parameters = [owner.parameters()[name] for owner in owners]
    choices = list(dict.fromkeys(choice for each in parameters for choice in each.choices))
    types: dict[ParameterKind, Any] = {
        ParameterKind.NUMBER: float,
        ParameterKind.COUNT: int,
        ParameterKind.CHOICE: click.Choice(choices),
    }
    return click.Option(
        ["--" + name.replace("_", "-"), parameter_name(name)],
        type=types.get(parameters[0].kind, str),
        multiple=parameters[0].kind.is_repeated,
        metavar=parameters[0].metavar,
        help=_help(name, owners, "" if for_all else f" For {joined_by_and(owner.name for owner in owners)}."),
    )


def _help(name: str, owners: list[type[Method]], whose: str) -> str:
    """The help of a parameter; where methods differ in no more than the default, each default with its methods."""
    defaults: dict[str, dict[str, list[str]]] = {}
    for owner in owners:
        text, _, default = owner.parameters()[name].help.partition(" [default: ")
        default = default.removesuffix("]") or _shown(getattr(owner, name))
        defaults.setdefault(text, {}).setdefault(default, []).append(owner.name)
    return " ".join(f"{text}{whose}{_defaults(each)}" for text, each in defaults.items())


def _defaults(defaults: dict[str, list[str]]) -> str:
    if len(defaults) == 1:
        default = next(iter(defaults))
        return f" [default: {default}]" if default else ""
    each = [f"{joined_by_and(names)}: {default}" for default, names in defaults.items() if default]
    return f" [default: {'; '.join(each)}]"


def _shown(default: Any) -> str:
    return "" if default is None else str(default)


def joined_by_and(names: Iterable[str]) -> str:
    """Names in a sentence: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
