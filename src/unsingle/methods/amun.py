"""Method `amun`: the paper's own, with its leaks closed.

Automaton of the variants, added cases until every transition has its geometric number (Alg. 1), noise
on times. Keeps exactly the variants of the original (R1).
"""

from __future__ import annotations

import numpy as np

from ..automaton import Automaton
from ..guarantee import Guarantee, Promise
from ..guessing import count_advantage, count_ratio
from ..log import Paths
from ..options import Options
from ..ragged import Ints
from ..randomness import Randomness
from .counts import oversample
from .outcome import Outcome
from .steps import Steps
from .timeline import Timeline
from .times import noisy_times


def added_to_variants(paths: Paths, automaton: Automaton, options: Options, random: Randomness) -> Ints:
    """How many cases to add to each variant (Alg. 1)."""
    return oversample(paths, automaton, count_ratio(options.exact_delta), random)


def released(timeline: Timeline, automaton: Automaton, added: Ints, options: Options, random: Randomness) -> Outcome:
    """All cases and the added ones, which are copies of these, in random order and with noise on their times."""
    return released_copies(timeline, automaton, copies_with(timeline.log.n_cases, added), options, random)


STEPS = Steps(added_to_variants, released)


def copies_with(n_cases: int, added: Ints) -> Ints:
    """How often each case is released, with those added that copy it."""
    return 1 + np.bincount(added, minlength=n_cases)


def released_copies(
    timeline: Timeline, automaton: Automaton, copies: Ints, options: Options, random: Randomness
) -> Outcome:
    """So many copies of each case, in random order and with noise on their times, and the descent of each."""
    ancestors = np.repeat(np.arange(len(copies)), copies)[random.permutation(int(copies.sum()))]
    time = noisy_times(timeline, automaton, ancestors, copies, options, random)
    return Outcome(timeline.log.copies_of(ancestors, time), ancestors)


def time_promise(options: Options) -> Promise:
    """What noise on each time by itself promises."""
    return Promise(
        protects=f"the time of one event of a person to within {options.precision}, or the start to within a day",
        against="someone who knows how long each step usually takes",
        gain=options.delta,
        sense="by the paper's calculation; unusual times can be told all the same, because the amount of noise "
        "depends on the time itself",
    )


def guarantee(options: Options) -> Guarantee:
    """What a release by this method promises."""
    if options.as_published:
        return _NO_GUARANTEE
    return Guarantee(
        promises=(
            time_promise(options),
            Promise(
                protects="whether a person took one particular step",
                against="someone who knows every other case",
                gain=count_advantage(options.exact_delta),
                sense="averaged over that step's own noise; over the steps of a path it can be nearly certain",
            ),
        ),
        limits="Not covered: who is alone on a path (every variant is published), all times of one person together, "
        "people with more than one case.",
        assumes=(
            "one case per person, and cases independent of each other",
            "activity labels are public and published as they are: no name of a person is in them",
            "the set of variants is public: the release has exactly those of the original",
            "the attacker's prior on a time is its distribution in the group of events that share the step",
            "the grid of times, the zone, the log's first day, and the power of two minutes above the longest "
            "duration of a group are public",
        ),
        not_protected=(
            "that somebody took a path: a variant taken by one person is published, and whoever knows all others "
            "knows whose it is",
            "unusual times: the noise on a time depends on how usual it is, so a far outcome points to a rare time",
            "the times of one person taken together: the promise is for one event at a time",
            "counts in every single outcome: the noise only adds, so a small count may show that it is true",
        ),
    )


_NO_GUARANTEE = Guarantee(
    promises=(),
    limits="This is the method as the paper has it, with its leaks. The start times are true, and so are the "
    "times in every group without a range and wherever the prior is high; people can be singled out by them.",
    assumes=(),
    not_protected=("anyone in the log",),
    warnings=("Made as published, for reproducing the paper. NOT FOR PUBLICATION.",),
)
