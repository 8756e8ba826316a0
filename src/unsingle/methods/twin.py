"""Method `twin` (ours): the same variants and differential privacy, in one sentence. No case descends from a person.

`twin` takes the set of variants as public, and keeps it. `twin-crowds` publishes a path only if many took it; then
the promise is for everybody, also for people who are alone on their path.
"""

from __future__ import annotations

from ..guarantee import Guarantee, Promise
from ..log import EventLog
from ..options import Options
from ..privacy.budget import Budget, paths_of_many, same_paths
from ..progress import Progress
from ..randomness import Randomness
from ..wording import at_most
from . import synthetic
from .outcome import Outcome

_SURE = 9  # odds: 90 %


def same(log: EventLog, options: Options, random: Randomness, progress: Progress) -> Outcome:
    """The released log with all variants of the original, and what it cost."""
    return synthetic.release(log, same_paths(options.delta, options.slack), options, random, progress)


def crowds(log: EventLog, options: Options, random: Randomness, progress: Progress) -> Outcome:
    """The released log with paths taken by many, and what it cost."""
    return synthetic.release(log, paths_of_many(options.delta, options.slack), options, random, progress)


def same_guarantee(options: Options) -> Guarantee:
    """What a release with all variants promises."""
    spent = same_paths(options.delta, options.slack).all_spent()
    return Guarantee(
        promises=(_promise(spent, options, "whether they took this of the published paths"),),
        limits=f"{_epsilons(spent, options)}, the set of paths being public. A path that one person alone took is "
        f"published too: anyone who knows enough of it reads the rest; their times are protected. "
        f"{synthetic.NOT_COVERED}.",
        assumes=(
            *synthetic.ASSUMES,
            "activity labels are public and published as they are: no name of a person is in them",
            "the set of variants is public: the release has exactly those of the original",
        ),
        not_protected=(
            "presence and path of anyone whose path no other person takes: the path is published, and anyone who "
            "knows every other case knows whose it is. Their times stay protected: a guess about them gains at most "
            f"{at_most(spent.lone_times.gain)}",
            *synthetic.NOT_PROTECTED,
            _more_answers(spent),
        ),
        cautions=_cautions(spent, options),
    )


def crowds_guarantee(options: Options) -> Guarantee:
    """What a release with paths taken by many promises."""
    terms = paths_of_many(options.delta, options.slack)
    spent = terms.all_spent()
    return Guarantee(
        promises=(_promise(spent, options, "whether they took this path, also one that nobody else took"),),
        limits=f"{_epsilons(spent, options)}. A path is published only if its noised number of cases reaches "
        f"{terms.threshold}; one that a single person took reaches it in at most {terms.path_leak:g} of releases, "
        f"which is counted. {synthetic.NOT_COVERED}.",
        assumes=(*synthetic.ASSUMES, synthetic.labels_assumed(options)),
        not_protected=(*synthetic.NOT_PROTECTED, _more_answers(spent)),
        cautions=_cautions(spent, options),
    )


def _promise(spent: Budget, options: Options, path: str) -> Promise:
    return Promise(
        protects="the answer to a yes/no question about a person that was fixed before the release: whether they "
        f"are in the log, {path}, whether a step took longer than a week",
        against="someone who knows every other case, with all its times,",
        gain=min(options.delta, spent.spent / 2),
        sense=f"averaged over the noise: in at most {_often(spent)} of releases an even guess becomes 90 % sure",
    )


def _often(spent: Budget) -> str:
    """How often a release makes the truth nearly sure, as people write it.

    >>> _often(same_paths(0.2).all_spent()), _often(same_paths(0.1).all_spent())
    ('12 %', '0.01 %')
    """
    chance = max(pair.most_often(_SURE) for pair in (spent.exchange, spent.lone_exchange))
    return f"{at_most(100 * chance)} %" if chance >= 1e-4 else "0.01 %"


def _epsilons(spent: Budget, options: Options) -> str:
    """Claim T3 in words: presence, and one case against another."""
    leak = spent.terms.path_leak + spent.terms.label_leak
    presence, exchange = (pair.epsilon(options.slack) for pair in (spent.presence, spent.exchange))
    slack = at_most(options.slack + leak)
    return (
        f"Differential privacy with epsilon {at_most(presence)} and slack {slack} for presence, {at_most(exchange)} "
        "for what the case was"
    )


def _more_answers(spent: Budget) -> str:
    """Claim T2 in words."""
    three = min(spent.presence.total_variation, 2 / 3 * spent.exchange.total_variation)
    return (
        "guesses among more than two answers to the same degree: among three equally likely ones a guess can gain "
        f"up to {at_most(three)}"
    )


def _cautions(spent: Budget, options: Options) -> tuple[str, ...]:
    if options.delta <= synthetic.USUAL_DELTA:
        return ()
    return (
        f"delta {options.delta:g} is weak: in up to {_often(spent)} of releases an even guess about somebody becomes "
        "90 % sure. Take 0.1 where harm would be great, and not more than 0.25.",
    )
