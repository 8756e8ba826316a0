"""Method `twin` (ours): the same variants and differential privacy, in one sentence. No case descends from a person.

`twin` takes the set of variants as public, and keeps it. `twin-crowds` publishes a path only if many took it; then
the promise is for everybody, also for people who are alone on their path.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.wording import at_most, plain_number
from ..mechanisms import paths
from ..mechanisms.cases import Cases
from ..mechanisms.measurements import Measurements
from ..mechanisms.paths import ReleasedPaths
from ..privacy.budget import Budget, Terms
from ..privacy.guarantee import NO_NAMES, Guarantee, Promise
from ..privacy.random import Randomness
from ..privacy.terms import paths_of_many, same_paths
from .base import METHODS, WEAK_DELTA
from .synthetic import PathsOfMany, Synthetic

_SURE = 9  # odds: 90 %


class _OnAverage(Synthetic):
    """What both promise: a bound on the average over the noise (claims T1 to T3)."""

    def _promise(self, spent: Budget, path: str) -> Promise:
        return Promise(
            protects=f"the answer to a yes/no question about {self.unit.person}{self.unit.together} that was fixed "
            f"before the release: whether they are in the log, {path}, whether a step took longer than "
            f"a week{self.of_columns()}",
            against=f"someone who knows {self.unit.others}, with all its times,",
            gain=min(self.delta, spent.spent / 2),
            sense="averaged over the noise: for one given person and question, an even guess becomes 90 % sure "
            f"in at most {_often(spent)} of releases",
        )

    def _epsilons(self, spent: Budget) -> str:
        """Claim T3 in words: presence, and one case against another."""
        terms = spent.terms
        leak = terms.path_leak + terms.label_leak + terms.value_leak
        presence, exchange = (pair.epsilon(self.slack + leak) for pair in (spent.presence, spent.exchange))
        slack = plain_number(at_most(self.slack + leak))
        return (
            f"Differential privacy with epsilon {at_most(presence)} and slack {slack} for presence, and with epsilon "
            f"{at_most(exchange)} and slack {slack} for what {self.unit.theirs}"
        )

    def _weak(self) -> str:
        return (
            f"delta {self.delta:g} is weak: in up to {_often(self.terms.all_spent())} of releases an even guess about "
            f"one given person becomes 90 % sure. Take 0.1 where harm would be great, and not more than {WEAK_DELTA:g}."
        )


@METHODS.add
@dataclass(frozen=True)
class Twin(_OnAverage):
    """Same paths: all variants of the original, and every case made up."""

    name = "twin"
    rank = 0
    title = "same paths; differential privacy on average, for paths and times"
    heading = "Same paths"
    about = (
        "All paths stay. Cases and times are made up from noised figures, so that someone who knows every other case "
        "gains at most delta on average."
    )

    @property
    def terms(self) -> Terms:
        """The set of variants is public."""
        return same_paths(self.delta, self.slack, self.unit.most, self.selects)

    def _paths(
        self, cases: Cases, total: int, measurements: Measurements, random: Randomness
    ) -> tuple[Cases, ReleasedPaths]:
        return cases, paths.all_variants(cases, total, measurements, random)

    def guarantee(self) -> Guarantee:
        """Presence, path and times, except for people alone on their path."""
        spent = self.terms.all_spent()
        return Guarantee(
            promises=(self._promise(spent, "whether they took a given one of the published paths"),),
            limits=f"{self._epsilons(spent)}, the set of paths being public. A path that only one person took is "
            f"published too: anyone who knows enough of it reads the rest; the times are protected. "
            f"{self.unit.not_covered}.",
            assumes=(
                *self.unit.assumes,
                *self.values_assumed(),
                f"activity labels are public and published as they are: {NO_NAMES}",
                "the set of paths is public: the release has exactly those of the original",
            ),
            not_protected=(
                "presence and path of anyone whose path no other person takes: the path is published, and anyone who "
                f"knows {self.unit.others} knows whose it is. Their times{' and values' if self.columns else ''} stay "
                f"protected: a guess about them gains at most {at_most(spent.lone_times.gain)}",
                *self.not_protected(),
            ),
            bounds=self.bounds(),
            cautions=self.cautions(),
        )


@METHODS.add
@dataclass(frozen=True)
class TwinCrowds(_OnAverage, PathsOfMany):
    """Paths taken by many people; the promise is for everybody."""

    name = "twin-crowds"
    rank = 1
    title = "paths taken by many; the same promise, also for people alone on a path"
    heading = "Paths taken by many"
    about = (
        "Only paths that many people took are published, others are made up. The same promise, also for people who are "
        "alone on their path."
    )

    @property
    def terms(self) -> Terms:
        """Nothing depends on a path that only one person took."""
        return paths_of_many(self.delta, self.slack, self.unit.most, self.selects)

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.terms  # a delta that is too small is refused before any work

    def guarantee(self) -> Guarantee:
        """Presence, path and times, for everybody."""
        spent = self.terms.all_spent()
        return Guarantee(
            promises=(self._promise(spent, "whether they took a given path, also one that nobody else took"),),
            limits=f"{self._epsilons(spent)}. A path is published only if its noised number of cases reaches "
            f"{self.terms.threshold}; one that a single person took reaches it in at most {self.terms.path_leak:g} of "
            f"releases, which is counted. {self.unit.not_covered}.",
            assumes=(*self.unit.assumes, *self.values_assumed(), self.labels_assumed()),
            not_protected=self.not_protected(),
            bounds=self.bounds(),
            cautions=self.cautions(),
        )


def _often(spent: Budget) -> str:
    """How often a release makes the truth nearly sure, as people write it.

    >>> _often(same_paths(0.2).all_spent()), _often(same_paths(0.1).all_spent())
    ('12 %', '0.01 %')
    """
    chance = max(pair.most_often(_SURE) for pair in (spent.exchange, spent.lone_exchange))
    return f"{at_most(100 * chance)} %" if chance >= 1e-4 else "0.01 %"
