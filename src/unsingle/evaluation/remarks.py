"""What the publisher of a release should know of it, in sentences for the command, the page and reports. Private."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.wording import at_most, percent
from ..records.promise import shared_cases

if TYPE_CHECKING:
    from ..privacy.budget import Budget
    from ..records.ledger import Begun
    from ..release import Release
    from .figures import Figures
    from .wasserstein import Distance

TIMES_LOST = 0.5
"""A time distance above this share of the mean duration leaves nothing that durations could be used for."""


def remarks(release: Release, figures: Figures) -> tuple[str, ...]:
    """What is true of this release alone: people alone on their path or with many cases, and whether times are lost."""
    found = (people_alone(release, figures), people_with_more(figures), times_lost(figures.time_distance))
    shared = () if release.begun is None else shared_cases(release.begun)
    return tuple(sentence for sentence in (*found, *shared) if sentence)


def in_ledger(begun: Begun) -> str:
    """Which release of the same people this is, and what all of them may add together. May be published."""
    counted = f"release {begun.releases} of the same people"
    if begun.together is None or begun.methods_without_promise:
        return f"{counted}; nothing is promised of all together"
    return f"{counted}; all together may add at most {at_most(begun.together.added, 3)}"


def people_alone(release: Release, figures: Figures) -> str:
    """What a release means for people whose path nobody else took; empty if there are none."""
    return lone_paths(figures.alone, figures.people, release.budget, any_lost=bool(figures.lost_variants))


def people_with_more(figures: Figures) -> str:
    """What a release means for people with more cases than it is made for; empty if there are none."""
    persons = figures.persons
    if persons is None or not persons.with_more:
        return ""
    k, most = persons.cases_per_person, persons.most
    more = f"{persons.with_more:,} of {persons.people:,} people have more than {k} case{'s' * (k > 1)}"
    said = f"{more} and are promised less: a guess about someone with {most.cases:,} gains up to {at_most(most.gain)}."
    now = next(each for each in persons.choices if each.cases_per_person == k)
    enough = persons.choices[-1]
    if enough.with_more:
        return f"{said} So many cases of one person cannot be covered: leave some of them out."
    return (
        f"{said} Up to {enough.cases_per_person:,} cases per person would cover everybody; counts of paths would then "
        f"be off by some {enough.count_noise:.0f} cases in place of {now.count_noise:.0f}."
    )


def lone_paths(alone: int, people: int, budget: Budget | None, *, any_lost: bool) -> str:
    """What it means that so many of the people are alone on their path, and whether any variant is lost."""
    if not alone:
        return ""
    theirs = f"The paths of {alone:,} of {people:,} people, which nobody else took, are"
    if budget is not None and not budget.terms.publishes_all_paths:
        expected = alone * budget.terms.path_leak  # noise publishes some of them all the same
        return f"{theirs} withheld; on average {expected:.2g} are still published by chance."
    if any_lost:  # a method that keeps some of them, by chance
        return ""
    said = f"{theirs} published: anyone who knows enough of such a path can read the rest."
    return said if budget is None else f"{said} Their times are protected."


def times_lost(distance: Distance) -> str:
    """A warning where durations are too far from the truth to be used; else empty."""
    if not distance.share_of_mean > TIMES_LOST:
        return ""
    return (
        f"Times are lost: a duration is off by {percent(distance.share_of_mean)} of the mean. Do not use this release "
        "for how long anything takes."
    )


def spending(budget: Budget) -> str:
    """What each part of a release cost, like parts together, and what that comes to. May be published.

    >>> from unsingle.privacy.terms import same_paths
    >>> print(spending(same_paths(0.2).all_spent()))  # doctest: +NORMALIZE_WHITESPACE
    how many cases there are (ratio 0.9), how many cases take each path (ratio 0.636), all tallies (rho 0.17); together
    epsilon 3.2 for presence and 4.7 for what the case was, slack 1e-06
    """
    written = budget.to_dict()
    rho: dict[str, float] = {}
    parts = []
    for cost in written["costs"]:
        if "ratio" in cost:
            parts.append(f"{cost['name']} (ratio {cost['ratio']:.3g})")
        else:
            name = cost["name"].replace(":", ",").partition(",")[0]
            rho[name] = rho.get(name, 0.0) + cost.get("rho", 0.0)
    parts += [f"{name} (rho {spent:.2g})" for name, spent in rho.items()]
    presence, exchange, slack = (written[name] for name in ("epsilon_presence", "epsilon_exchange", "slack"))
    return (
        f"{', '.join(parts)}; together epsilon {at_most(presence)} for presence and {at_most(exchange)} for what the "
        f"case was, slack {at_most(slack)}"
    )
