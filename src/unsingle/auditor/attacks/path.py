"""Is a person in the log, and which path did they take? From how often paths and steps are released."""

from __future__ import annotations

from ...privacy.guarantee import Secret
from ..base import ATTACKS
from ..distinguishing import Distinguishing
from ..features import Candidate, Features, path_features, step_features, times_features
from ..neighbours import with_frequent_path, without_frequent, without_lone, without_rare
from ..targets import Targets
from .lone_path import lone_paths_shown


def _of_person(targets: Targets, case: int | None) -> Features | None:
    return None if case is None else path_features(targets.paths_with(case))


def _of_frequent(targets: Targets) -> Features | None:
    return _of_person(targets, targets.in_largest_crowd)


def _of_rare(targets: Targets) -> Features | None:
    return _of_person(targets, targets.in_smallest_crowd)


def _of_lone(targets: Targets) -> Features | None:
    return _of_person(targets, targets.alone)


def _of_both(targets: Targets) -> Features | None:
    rare, frequent = targets.in_smallest_crowd, targets.on_most_frequent_path
    return None if rare is None else path_features([*targets.paths_with(rare), targets.path_of(frequent)])


def _of_one_step(targets: Targets) -> Features | None:
    rare = targets.in_smallest_crowd
    return None if rare is None else step_features(targets.variants_with_step_of(rare))


def _of_times_on_both(targets: Targets) -> Features | None:
    rare, frequent = targets.in_smallest_crowd, targets.on_most_frequent_path
    steps = [] if rare is None else [*targets.steps_of(rare), *targets.steps_of(frequent)]
    if not steps:
        return None
    return times_features([Candidate(step, (int(targets.durations[step.event]),)) for step in steps])


FREQUENT_PATH = ATTACKS.add(
    Distinguishing(
        "frequent path",
        rank=100,
        kind="path",
        question="is a particular person, who took the most frequent path, in the log?",
        secret=Secret.PRESENCE,
        neighbour=without_frequent,
        features=_of_frequent,
    )
)
RARE_PATH = ATTACKS.add(
    Distinguishing(
        "rare path",
        rank=110,
        kind="path",
        question="is a particular person, who took the rarest path that others took too, in the log?",
        secret=Secret.PRESENCE,
        neighbour=without_rare,
        features=_of_rare,
    )
)
ONE_STEP = ATTACKS.add(
    Distinguishing(
        "one step",
        rank=120,
        kind="path",
        question="is a particular person in the log, judging by how often one of their steps is released?",
        secret=Secret.STEP,
        neighbour=without_rare,
        features=_of_one_step,
    )
)
WHICH_PATH = ATTACKS.add(
    Distinguishing(
        "which path",
        rank=130,
        kind="path",
        question="which of two paths, a rare one or the most frequent, did a particular person take?",
        secret=Secret.PATH,
        neighbour=with_frequent_path,
        features=_of_both,
    )
)
WHICH_PATH_BY_TIMES = ATTACKS.add(
    Distinguishing(
        "which path, by times",
        rank=140,
        kind="path",
        question="which of those two paths did they take, judging by the times of steps alone?",
        secret=Secret.PATH,
        neighbour=with_frequent_path,
        features=_of_times_on_both,
    )
)
LONE_PATH = ATTACKS.add(
    Distinguishing(
        "lone path",
        rank=150,
        kind="path",
        question="is a particular person, who was alone on their path, in the log?",
        secret=Secret.LONE_PRESENCE,
        given=lone_paths_shown,
        neighbour=without_lone,
        features=_of_lone,
    )
)
