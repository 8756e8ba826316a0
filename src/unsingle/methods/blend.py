"""Method `blend` (ours): the same variants, a promise about whole paths, and times that stay true.

Counts: every variant gets a geometric number of added cases, so that one person more or less on a path can hardly
be told (claim B1). Times: all of them are drawn anew from groups of at least 20 values, but for a share delta of the
cases, which show draws from their own bins (claim B2). The proofs stand in docs/guarantees.md.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..automaton import Automaton
from ..guarantee import Guarantee, Promise
from ..log import Paths
from ..options import Options
from ..ragged import Ints
from ..randomness import Randomness
from .counts import refuse_endless
from .outcome import Outcome
from .redraw import SMALLEST_GROUP, redrawn_times
from .steps import Steps
from .timeline import Timeline


def added_to_variants(paths: Paths, _automaton: Automaton, options: Options, random: Randomness) -> Ints:
    """How many cases to add to each variant."""
    refuse_endless(mean_added(options))
    return added_cases(paths.count, options.exact_delta, random)


def released(timeline: Timeline, automaton: Automaton, added: Ints, options: Options, random: Randomness) -> Outcome:
    """All cases and the added ones, which take the paths of these, in random order and with redrawn times."""
    log = timeline.log
    kept = np.concatenate((kept_cases(log.n_cases, options.exact_delta, random), np.zeros(len(added), dtype=np.bool_)))
    order = random.permutation(len(kept))
    ancestors, kept = np.concatenate((np.arange(log.n_cases), added))[order], kept[order]
    time = redrawn_times(timeline, automaton, ancestors, kept, random)
    return Outcome(log.copies_of(ancestors, time), ancestors)


STEPS = Steps(added_to_variants, released)


def added_ratio(delta: Fraction) -> Fraction:
    """The ratio q of the geometric numbers of added cases.

    *Claim B1.* One person changes one count by one, or moves it from one variant to another. Either way the two
    releases have a total variation of 1 - q = 2 delta, and a yes/no guess gains at most half of that.

    >>> added_ratio(Fraction(1, 5))
    Fraction(3, 5)
    """
    return max(Fraction(0), 1 - 2 * delta)


def mean_added(options: Options) -> float:
    """How many added cases each variant has on average.

    >>> mean_added(Options(delta=0.2))
    1.5
    """
    q = added_ratio(options.exact_delta)
    return float(q / (1 - q))


def added_cases(n_variants: int, delta: Fraction, random: Randomness) -> Ints:
    """How many cases to add to each variant."""
    return random.geometric(added_ratio(delta), n_variants)


def kept_cases(n_cases: int, delta: Fraction, random: Randomness) -> NDArray[np.bool_]:
    """Which cases may show draws from their own bins.

    *Claim B2.* What is shown of a case that is not kept does not depend on its values. So belief and prior about
    them differ, in expectation, by a total variation of at most the chance of being kept, which is delta.
    """
    return random.bernoulli(delta, n_cases)


def guarantee(options: Options) -> Guarantee:
    """What a release by this method promises."""
    delta = options.delta
    alone = "Not covered: who is alone on a path (every variant is published)"
    no_noise = "; at this delta nothing is added to counts, so paths are not protected at all" if delta >= 0.5 else ""
    return Guarantee(
        promises=(
            Promise(
                protects="which of the published paths a person took, from how often each is released",
                against="someone who knows every other case",
                gain=delta,
                sense="averaged over the noise: an unlucky release can tell more",
            ),
            Promise(
                protects="all times of a person together, to any precision",
                against="someone who knows how long each step usually takes",
                gain=delta,
                sense="averaged over the noise",
            ),
        ),
        limits=f"{alone}, times against someone who knows all others of a group, people with several cases{no_noise}.",
        assumes=(
            "one case per person, and cases independent of each other",
            "activity labels are public and published as they are: no name of a person is in them",
            "the set of variants is public: the release has exactly those of the original",
            f"the distribution of each group of at least {SMALLEST_GROUP} cases is public, as bins of "
            f"{SMALLEST_GROUP} neighbouring values or more",
            "the grid of times, the zone and the log's first day are public; where a log has too few values, the power "
            "of two minutes above the longest",
        ),
        not_protected=(
            "that somebody took a path: a variant taken by one person is published, and whoever knows all others knows "
            "whose it is",
            "times against someone who knows exactly the times of all other members of a group, or where most values "
            "of a bin are one person's",
            "every single outcome: with a small chance a release tells more than it does on average, and a count "
            "that is the least possible shows that nothing was added to it",
        ),
    )
