"""Did a person take unusually long for a step? From all durations that a release shows of it."""

from __future__ import annotations

from ...privacy.guarantee import Secret
from ..base import ATTACKS
from ..distinguishing import Distinguishing
from ..features import Candidate, Features, duration_features
from ..neighbours import with_times_exchanged, with_usual_time
from ..targets import Targets


def _of_outlier(targets: Targets) -> Features | None:
    if (pair := targets.outlier) is None:
        return None
    unusual, usual = pair
    return duration_features(
        Candidate(unusual, (int(targets.durations[unusual.event]), int(targets.durations[usual.event])))
    )


WHO = ATTACKS.add(
    Distinguishing(
        "unusual time",
        rank=160,
        kind="time",
        question="which of two particular people took unusually long for a step?",
        secret=Secret.WHOSE_TIME,
        neighbour=with_times_exchanged,
        features=_of_outlier,
    )
)
REST_KNOWN = ATTACKS.add(
    Distinguishing(
        "unusual time, rest known",
        rank=170,
        kind="time",
        question="did a particular person take unusually long for a step, if all else is known?",
        secret=Secret.UNUSUAL_TIME,
        neighbour=with_usual_time,
        features=_of_outlier,
    )
)
