"""What evaluation asks about how a release was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.log import EventLog
from ..formats.schema import column_name, public_columns
from ..methods import METHODS, chosen, ladder
from ..release import anonymize
from .context import Context

if TYPE_CHECKING:
    from ..release import Release


def hides_paths() -> str:
    """The first of the methods with a budget that does not publish paths that one person took."""
    return next(name for name in ladder() if not METHODS[name].keeps_variants)


def context_of(original: EventLog, release: Release) -> Context:
    """The original and a release of it, with what is known of how it was made."""
    return Context(original, release.log, ancestors=release.ancestors, keeps_variants=release.method.keeps_variants)


def outside_of(original: EventLog, release: Release) -> dict[str, int]:
    """What of the original does not fit what its owner said was public, where a method asks for that."""
    return release.method.outside(original)


def named(release: Release) -> str:
    """Method and delta of a release."""
    return f"{release.method.name}, delta {release.delta:g}"


def check_setting(method: str, delta: float, cases_per_person: int | None = None) -> None:
    """Raise `ParameterError` for a method with a delta, or for so many cases per person, that cannot be."""
    chosen(method, delta=delta, **_of_persons(cases_per_person))


def releasable(method: str, log: EventLog) -> tuple[str, ...]:
    """The names of the kept columns of a log that a method can release."""
    how = chosen(method)
    return tuple(column_name(column.field) for column in public_columns(log) if how.accepts(column.field))


def made(
    original: EventLog, method: str, delta: float, seed: int | None, cases_per_person: int | None = None
) -> Release:
    """A release by this method."""
    return anonymize(original, delta, method=method, seed=seed, **_of_persons(cases_per_person))


def _of_persons(cases_per_person: int | None) -> dict[str, Any]:
    """The parameter, if it is given: not every method has it."""
    return {} if cases_per_person is None else {"cases_per_person": cases_per_person}
