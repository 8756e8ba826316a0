"""A log and a method in, a release out: making only. `evaluation` measures what a release keeps of its original."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from .core.arrays import Ints
from .core.html import display
from .core.log import EventLog
from .errors import ParameterError, argument
from .methods import DEFAULT, METHODS, Method, chosen
from .privacy.budget import Budget
from .privacy.guarantee import Guarantee
from .privacy.random import Randomness
from .progress import Progress
from .records.facts import ReleaseFacts
from .records.ledger import Begun, Plan, begin, check_ledger, written_down
from .records.promise import for_all_releases

if TYPE_CHECKING:
    from .formats.base import FileKind
    from .formats.tables.frames import Frame

_SEEDED = "Made with a seed: anyone who knows or guesses the seed can remove the noise. NOT FOR PUBLICATION."


class Size(NamedTuple):
    """How much there is of a log."""

    cases: int
    events: int
    variants: int


class Published:
    """What a release tells of itself, wherever it was made: on this machine, or on Spark."""

    method: Method
    guarantee: Guarantee
    budget: Budget | None = None

    if TYPE_CHECKING:  # counted when it is asked for, or known before

        @property
        def size(self) -> Size:
            """Cases, events and variants of the release."""

    @property
    def delta(self) -> float:
        """The most that the release may add to an attacker's chance, as it was asked for."""
        return self.method.delta

    @property
    def publishable(self) -> bool:
        """Whether nothing forbids publication: no seed was used and no leak was left open."""
        return self.guarantee.publishable

    def public(self) -> dict[str, Any]:
        """What may be published beside the release."""
        return public_summary(self.method, self.guarantee, self.size, self.budget)


@dataclass(frozen=True)
class Release(Published):
    """An anonymised log with its guarantee.

    `log`, `guarantee`, `method` and `budget` (what a method with a budget spent) may be published; `ancestors` (the
    original case that each released case descends from, if any does) and `begun` (what the ledger knew when the release
    was begun) may not.
    """

    log: EventLog
    guarantee: Guarantee
    method: Method
    ancestors: Ints | None = field(repr=False)
    budget: Budget | None = field(default=None, repr=False)
    begun: Begun | None = field(default=None, repr=False)

    @cached_property
    def facts(self) -> ReleaseFacts:
        """What the release says of itself: written into files and beside them."""
        known = ReleaseFacts.of(self.method, self.guarantee, self.budget, self.log)
        return known if self.begun is None else known.among(self.begun)

    def write(
        self,
        target: str | os.PathLike[str],
        *,
        format: str | FileKind | None = None,  # noqa: A002 - the name that the command uses
        force: bool = False,
        spreadsheet_safe: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Write the release to a file, with its facts: in the file where its format has a place, and beside it.

        The file beside ``NAME`` is ``NAME.release.json``. For the arguments, see `write_log`.
        """
        from .formats import write_log

        write_log(
            self.log, target, format=format, force=force, spreadsheet_safe=spreadsheet_safe, facts=self.facts.to_dict(),
            progress=progress,
        )  # fmt: skip

    @cached_property
    def size(self) -> Size:
        """Cases, events and variants of the release."""
        return Size(self.log.n_cases, self.log.n_events, self.log.variants.count)

    def _repr_html_(self) -> str:
        verdict = "May be published." if self.publishable else f"Not for publication. {self.guarantee.warnings[0]}"
        figures = [("method", self.method.name), ("delta", self.delta), *self.size._asdict().items()]
        guarantee = ("guarantee", str(self.guarantee))
        return display(verdict, [*figures, guarantee], self.guarantee.details, private=False)


def anonymize(
    log: EventLog | Frame,
    delta: float | None = None,
    *,
    method: str | Method = DEFAULT,
    seed: int | None = None,
    ledger: str | os.PathLike[str] | None = None,
    limit: float | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Release:
    """Make a release of a log.

    Args:
        log: the original: a log from `read_log`, or a data frame.
        delta: the most that the release may add to an attacker's chance of a right guess, between 0 and 1;
            0.2 by default.
        method: ``twin`` (the default), ``strict``, ``amun``, ``sample``, ``filter`` or another that is registered; or a
            method with its parameters, such as ``Twin(0.1)``, which has its own delta and takes no other.
        seed: make the run repeatable. Not for publication.
        ledger: a private file that lists all releases of the same people, made if it is not there. The guarantee is
            then that of all of them together. The log must have been read with ``ids=True``.
        limit: the most that all releases in the ledger together may add; one that would go beyond is refused. It holds
            until another is given.
        progress: notified of each step.
        parameters: what the method takes besides: ``paths="crowds"`` for ``twin``, ``grid``, ``slack``, ``labels``,
            ``time_from``, ``precision``, ``as_published=True`` for ``amun``. One that it does not take is an error.

    >>> from unsingle import synthesize
    >>> release = anonymize(synthesize(cases=50, seed=1), delta=0.2, seed=1)
    >>> release.log.variants.count == synthesize(cases=50, seed=1).variants.count
    True
    >>> release.publishable  # a seed was used
    False

    """
    refuse_arguments_of_reading(parameters)
    how = method_of(method, delta, parameters)
    check_ledger(ledger, limit, seed)
    progress = progress or Progress()
    from .formats import as_log

    original = as_log(log, progress=progress, ids=ledger is not None)
    how = how.keeping([field for field in original.fields if not field.private])
    how.check(original)
    begun = None if ledger is None else begin(ledger, original, plan_of(how), limit)
    with written_down(begun):
        made = how.release(original, Randomness(seed), progress)
        release = Release(made.log, guarantee_of(how, seed, begun), how, made.ancestors, made.budget, begun)
        if begun is not None:
            begun.end(digest=str(release.facts.digest))
    return release


def plan_of(method: Method) -> Plan:
    """What a ledger has to know of a release before it is made."""
    said = {name: value for name, value in method.settings().items() if value is not None and name != "delta"}
    parameters = json.loads(json.dumps(said, default=str))
    return Plan(method.name, method.delta, parameters, method.spends(), method.keeps_variants)


def refuse_arguments_of_reading(parameters: Mapping[str, Any]) -> None:
    """Refuse what says how a log is read, such as ``keep``, and say where it belongs."""
    from .formats.wanted import Wanted

    of_reading = Wanted.__dataclass_fields__.keys() - {name for each in METHODS.values() for name in each.parameters()}
    for name in parameters:
        if name in of_reading:
            raise ParameterError(f"{argument(name)} is for read_log: call it first, and give the log that it returns")


def method_of(method: str | Method, delta: float | None, parameters: Mapping[str, Any]) -> Method:
    """The method that is asked for, with its parameters; without a delta, it takes its own."""
    of_delta: dict[str, Any] = {} if delta is None else {"delta": delta}
    return chosen(method, **of_delta, **parameters)


def guarantee_of(method: Method, seed: int | None = None, begun: Begun | None = None) -> Guarantee:
    """What a release by this method promises, with all cautions; one made with a seed may not be published.

    If it was written into a ledger, the promise is that of all releases in it.
    """
    guarantee = method.guarantee() if begun is None else for_all_releases(method.guarantee(), begun)
    cautions = tuple(dict.fromkeys((*guarantee.cautions, *method.cautions())))
    warnings = guarantee.warnings if seed is None else (*guarantee.warnings, _SEEDED)
    return replace(guarantee, warnings=warnings, cautions=cautions)


def public_summary(method: Method, guarantee: Guarantee, size: Size, budget: Budget | None = None) -> dict[str, Any]:
    """What may be published beside a release of this size."""
    same = {"variants_in": size.variants} if method.keeps_variants else {}  # R1: taken as public
    return {
        "method": method.name,
        "delta": method.delta,
        "cases_out": size.cases,
        "events_out": size.events,
        **same,
        "variants_out": size.variants,
        **({"budget": budget.to_dict()} if budget else {}),
        "guarantee": str(guarantee),
        "promises": [asdict(promise) for promise in guarantee.promises],
        "limits": guarantee.limits,
        "assumes": list(guarantee.assumes),
        "not_protected": list(guarantee.not_protected),
        "cautions": list(guarantee.cautions),
        "warnings": list(guarantee.warnings),
        "publishable": guarantee.publishable,
    }
