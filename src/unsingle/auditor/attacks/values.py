"""Which value of a kept column did a person have, if all else is known? From released columns, and from noised figures.

All attacks here are tried only where columns are kept.
"""

from __future__ import annotations

from ...privacy.guarantee import Secret
from ..base import ATTACKS
from ..distinguishing import Distinguishing
from ..features import Features
from ..targets import Targets
from ..value_features import value_features
from ..values import rare_text, unusual_number, with_other_values, with_usual_number, with_usual_text
from .noise import FigureByFigure, Likelihood, NoiseAsStated


def _of_text(targets: Targets) -> Features | None:
    return value_features(targets, rare_text(targets))


def _of_number(targets: Targets) -> Features | None:
    return value_features(targets, unusual_number(targets))


RARE_VALUE = ATTACKS.add(
    Distinguishing(
        "rare value",
        rank=180,
        kind="value",
        question="did a particular person have a rare value in a kept column, or a usual one, if all else is known?",
        secret=Secret.VALUE,
        of_columns=True,
        neighbour=with_usual_text,
        features=_of_text,
    )
)
UNUSUAL_NUMBER = ATTACKS.add(
    Distinguishing(
        "unusual number",
        rank=190,
        kind="value",
        question="did a particular person have an unusual number in a kept column, or a usual one, if all else is "
        "known?",
        secret=Secret.VALUE,
        of_columns=True,
        neighbour=with_usual_number,
        features=_of_number,
    )
)
RARE_VALUE_NOISED = ATTACKS.add(
    Likelihood(
        "rare value, noised figures",
        rank=270,
        kind="value",
        question="did that person have the rare value or a usual one, judging by the noised figures?",
        secret=Secret.VALUE,
        of_columns=True,
        neighbour=with_usual_text,
    )
)
UNUSUAL_NUMBER_NOISED = ATTACKS.add(
    Likelihood(
        "unusual number, noised figures",
        rank=275,
        kind="value",
        question="did that person have the unusual number or a usual one, judging by the noised figures?",
        secret=Secret.VALUE,
        of_columns=True,
        neighbour=with_usual_number,
    )
)
ALL_VALUES_NOISED = ATTACKS.add(
    Likelihood(
        "all values, noised figures",
        rank=280,
        kind="value",
        question="did a particular person have these or other values in all kept columns, if all else is known, "
        "judging by the noised figures?",
        secret=Secret.VALUE,
        of_columns=True,
        neighbour=with_other_values,
    )
)
ALL_VALUES_BY_FIGURES = ATTACKS.add(
    FigureByFigure(
        "all values, each noised figure",
        rank=285,
        kind="value",
        question="did that person have these or other values in all kept columns, judging by each noised figure?",
        secret=Secret.VALUE,
        of_columns=True,
        neighbour=with_other_values,
    )
)
VALUES_AS_STATED = ATTACKS.add(
    NoiseAsStated(
        "noise as stated, values",
        rank=290,
        kind="value",
        question="do the noised figures of values reveal more than noise of the stated size would allow?",
        secret=Secret.BEYOND_NOISE,
        of_columns=True,
        attacks=(ALL_VALUES_NOISED,),
    )
)
