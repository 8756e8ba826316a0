"""Registries: what there is of one kind (methods, formats, measures, attacks), by name.

A new one is a class in a module of its own: its registry imports all modules of its package, and those that installed
plug-ins name under the entry point group ``unsingle``. Nothing else lists it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from threading import RLock
from typing import Protocol, TypeVar

from ..errors import ParameterError, UnsingleError

_LOADING = RLock()  # one for all registries: a plug-in may add to several

GROUP = "unsingle"
"""The group of entry points by which installed packages name modules that add something."""


class Named(Protocol):
    """What can stand in a registry: it has a name, and a rank by which lists are ordered."""

    @property
    def name(self) -> str:
        """By which users call it."""

    @property
    def rank(self) -> int:
        """Where it stands in lists: lower ranks first, equal ones by name."""


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T]):
    """All of one kind by name, ordered by rank; the modules of `package` are imported when it is first used.

    >>> from unsingle.methods import METHODS
    >>> METHODS.named("amum")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    unsingle.errors.ParameterError: unknown method 'amum': choose one of twin, twin-crowds, strict, amun, ...
    """

    def __init__(self, kind: str, package: str) -> None:
        self._kind, self._package = kind, package
        self._items: dict[str, T] = {}
        self._loaded = self._loading = False

    def add(self, item: T) -> T:
        """Take one more; a name can be given only once. May decorate a class."""
        there = self._items.get(item.name, item)
        if there is not item:
            raise ValueError(f"there are two {self._kind}s of the name {item.name!r}")
        self._items[item.name] = item
        return item

    def named(self, name: str) -> T:
        """The one of this name; raises `ParameterError` that says which there are."""
        if name not in self:
            raise ParameterError(f"unknown {self._kind} {name!r}: choose one of {', '.join(self)}")
        return self[name]

    def __getitem__(self, name: str) -> T:
        self._load()
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._items, key=lambda name: (self._items[name].rank, name)))

    def __len__(self) -> int:
        self._load()
        return len(self._items)

    def _load(self) -> None:
        """Import all that adds something; other threads wait, a module that is being imported sees what there is."""
        if self._loaded:
            return
        with _LOADING:
            if self._loaded or self._loading:  # type: ignore[redundant-expr] # another thread may have loaded it meanwhile
                return
            self._loading = True
            try:
                self._import_all()
                self._loaded = True
            finally:
                self._loading = False

    def _import_all(self) -> None:
        package = importlib.import_module(self._package)
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{self._package}.{module.name}")
        load_plugins()


@cache
def load_plugins() -> None:
    """Import the modules that installed plug-ins name; each adds itself to the registries."""
    for plugin in entry_points(group=GROUP):
        try:
            plugin.load()
        except Exception as error:
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            raise UnsingleError(f"{_named(plugin)} cannot be loaded ({what}): mend or uninstall it") from error


def _named(plugin: EntryPoint) -> str:
    """A plug-in, and the package to uninstall."""
    package = f" of the package {plugin.dist.name}" if plugin.dist is not None else ""
    return f"the plug-in {plugin.name!r}{package}"
