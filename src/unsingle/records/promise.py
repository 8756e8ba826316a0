"""The promise of all releases in a ledger together, in words; and, privately, what their logs share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..core.wording import at_most
from ..methods.unit import ProtectedUnit
from ..privacy.composition import Together
from ..privacy.guarantee import ONE_RELEASE, OTHER_RELEASES, OTHER_TRIES, Guarantee, Promise
from .ledger import Begun

_ASSUMED = (
    "every release of these people is in one ledger, also those that were tried and not published",
    "no parameter of a release was chosen by what earlier releases showed: choose them beforehand",
)
_OF_EACH = "everything that each of the releases assumes: it says so itself"
_ALONE = "what the following sentences say in figures is of this release alone: of all together it is more"
_UNLISTED = "releases that are not in the ledger"
_GROWN = (
    "whoever is in only one of the logs of several releases that publish all paths: the difference of their sets of "
    "paths shows the paths that came or went, and so theirs"
)


def for_all_releases(guarantee: Guarantee, begun: Begun) -> Guarantee:
    """The guarantee of a release that a ledger lists, with the promise of all that it lists.

    It follows from the parameters of the releases, and from nothing in their logs; so it may be published. How many
    releases there were is public by it.
    """
    found = replace(
        guarantee,
        limits=guarantee.limits.replace(OTHER_RELEASES, _UNLISTED),
        assumes=(*_ASSUMED, *_without(guarantee.assumes, ONE_RELEASE)),
        not_protected=tuple(_UNLISTED if each == OTHER_TRIES else each for each in guarantee.not_protected),
    )
    if begun.releases == 1:
        return found
    if begun.methods_without_promise:
        return _without_promise(found, begun)
    assert begun.together is not None, "all of them promise something"
    return replace(
        found,
        promises=tuple(_promises(begun.together, _person(begun))),
        assumes=(*found.assumes, _OF_EACH),
        limits=f"{_limits(begun.together)} This release alone: delta {begun.entry.delta:g}. {found.limits}",
        not_protected=(_ALONE, *found.not_protected, *([_GROWN] if begun.publishing_all_paths > 1 else [])),
    )


def _without(sentences: Iterable[str], one: str) -> tuple[str, ...]:
    return tuple(each for each in sentences if each != one)


def _person(begun: Begun) -> str:
    """Whom all of them promise something: a person with so many cases as the one that covers fewest."""
    covered = {each.spent.cases_per_person for each in begun.entries if each.spent is not None}
    return "a person" if covered == {1} else ProtectedUnit(min(covered)).person


def _promises(all_: Together, person: str) -> Iterable[Promise]:
    """What all releases promise together, about any question and, where all do so, in every outcome."""
    n = all_.releases
    against = f"someone who has all {n} releases and knows everything of all other people, with all times,"
    if all_.in_every_outcome is not None:
        yield Promise(
            protects=f"whether {person} is in the logs or not at all",
            against=against,
            gain=all_.in_every_outcome,
            sense=f"whatever comes out, but for a slack of {at_most(all_.slack)}",
        )
    yield Promise(
        protects=f"the answer to a yes/no question about {person} that was fixed before the first of {n} releases of "
        "the same people",
        against=against,
        gain=all_.gain,
        sense="averaged over the noise of all",
    )


def _limits(all_: Together) -> str:
    presence, exchange, slack = map(at_most, (all_.epsilon_presence, all_.epsilon_exchange, all_.slack))
    alone = (
        "Not covered: presence and path of anyone whose path nobody else took, where a release publishes all paths. "
    )
    return (
        f"All {all_.releases} releases together: differential privacy with epsilon {presence} for presence, {exchange} "
        f"for one case or another, and slack {slack}. {alone if all_.publishes_all_paths else ''}".rstrip()
    )


def _without_promise(guarantee: Guarantee, begun: Begun) -> Guarantee:
    """Nothing is promised of all together, because one of them promises nothing that could be added up."""
    which = ", ".join(dict.fromkeys(begun.methods_without_promise))
    return replace(
        guarantee,
        promises=(),
        limits=f"Nothing is promised of all {begun.releases} releases of the same people together: "
        f"{len(begun.methods_without_promise)} of them (by {which}) promise nothing that could be added up. Promised "
        f"of this release alone: {guarantee.statement} {guarantee.limits}",
    )


def shared_cases(begun: Begun) -> tuple[str, ...]:
    """What the log shares with those of earlier releases, in sentences for its owner. Private."""
    earlier = begun.earlier
    if not earlier.entries:
        return ()
    shared = {name: begun.fingerprint.shared_with(people) for name, people in earlier.people.items()}
    if not any(shared.values()):
        return (
            "None of its cases is in an earlier log of this ledger: if these are other people, keep another ledger for "
            "them, because all releases in one ledger are taken to be of the same people.",
        )
    size = begun.fingerprint.size
    most = max(shared.values())
    said = f"{most:,} of its {size:,} cases (and people, where named) are in an earlier log of this ledger."
    name = next((each.people for each in reversed(earlier.entries) if each.publishes_all_paths), None)
    if name is None or not begun.entry.publishes_all_paths:
        return (said,)
    new, gone = begun.fingerprint.size - shared[name], earlier.people[name].size - shared[name]
    if not new + gone:
        return (said,)
    return (
        said,
        f"An earlier release published all paths too, of a log with {gone:,} other cases and without {new:,} of these: "
        "whoever compares both sets of paths sees the paths that came or went, and those cases are few. Take paths of "
        "many (--paths crowds) for logs that grow.",
    )
