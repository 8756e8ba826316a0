"""How long did a person take for a step? Guessed in several ways, to within several precisions.

In each run the person is given a random duration of the group of the step, and then it is guessed. The attacker knows
the person's path and all durations of the group, but not whose they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...core.log import EventLog
from ...privacy.advantage import epsilon
from ...privacy.guarantee import Secret
from ..base import ATTACKS, Attack, Guesses, Look, Tried
from ..neighbours import exchanged, with_steps
from ..observed import Observed
from ..setting import Run, Setting
from ..targets import Step

PRECISIONS = (0.1, 0.01, 0.0)
"""How near a guess must come to count: shares of the range of the group."""

STRATEGIES = ("before", "nearest", "mean", "median", "rarest", "likeliest")


class Seen(NamedTuple):
    """Which strategies guessed right in a run, and the chance of the best guess before the release."""

    right: list[float]
    chance: float


@dataclass(frozen=True)
class DurationGuess(Attack):
    """Guesses a duration in the largest group of steps that share a transition, or in the smallest one."""

    precision: float
    common: bool

    def plan(self, setting: Setting) -> Look | None:
        """Choose the step; then guess its duration in each run."""
        if (step := setting.targets.in_group(large=self.common)) is None:
            return None
        place = PRECISIONS.index(self.precision)
        _, chance = before(setting.targets.durations[step.group].astype(np.float64))[place]

        def look(run: Run) -> Seen:
            right = run.once(("duration", self.common), lambda: _guessed(run, step))
            return Seen([each[place] for each in right], chance)

        return look

    def judge(self, seen: list[Seen]) -> Guesses:
        """The guesses by the strategy that was best on the other half of the runs."""
        return Guesses([Tried(right, seen[0].chance, 1) for right in _best_strategy([each.right for each in seen])])


def _guessed(run: Run, step: Step) -> list[list[float]]:
    """Give the person a random duration of the group, release the log, and guess the duration."""
    setting = run.setting
    durations = setting.targets.durations
    pick = int(step.group[run.random.below(np.array([len(step.group)]))[0]])
    release = run.release_of(_with_duration(setting, step, pick))
    if release is None:
        return [[0.0] * len(PRECISIONS)] * len(STRATEGIES)
    values = durations[step.group].astype(np.float64)
    return guessed_value(release, step, values, float(durations[pick]), setting.method.delta)


def _with_duration(setting: Setting, step: Step, other: int) -> EventLog:
    """The log in which a step took as long as another one of its group.

    A method with a budget protects each person, whatever the others did: there nobody else is changed. Otherwise the
    two exchange their durations, so that the group stays the same.
    """
    if setting.method.has_budget:
        return with_steps(setting.log, {step.event: int(setting.targets.durations[other])})
    return exchanged(setting.log, step.event, other)


def _best_strategy(right: Sequence[Sequence[float]]) -> list[float]:
    """Run by run, whether the strategy that was best on the other half of the runs was right."""
    runs = np.array(right)
    half = len(runs) // 2
    parts = (runs[:half], runs[half:])
    if not half:
        return []
    chosen = [part[:, int(np.argmax(other.mean(axis=0)))] for part, other in (parts, parts[::-1])]
    return np.concatenate(chosen).tolist()


def widths(values: Floats) -> list[float]:
    """How near a guess must come, for each precision, among these values of a group."""
    span = float(values.max() - values.min())
    return [share * span for share in PRECISIONS]


def before(values: Floats) -> list[tuple[float, float]]:
    """The best guess by someone who knows the group's values only, and its chance, for each precision."""
    ordered = np.sort(values)
    found = []
    for width in widths(values):
        within = np.searchsorted(ordered, ordered + 2 * width, side="right") - np.arange(len(ordered))
        best = int(np.argmax(within))
        found.append((float(ordered[best]) + width, float(within[best] / len(ordered))))
    return found


def guessed_value(release: Observed, step: Step, values: Floats, true: float, delta: float) -> list[list[float]]:
    """Whether each strategy guesses the step's duration, for each precision."""
    shown = release.steps_at(step.path, step.place).astype(np.float64)
    ordered = np.sort(values)
    guesses = [[guess for guess, _ in before(values)]]
    if len(shown):
        width = widths(values)[0]
        nearest = ordered[np.argmin(np.abs(ordered[:, None] - shown[None, :]).min(axis=1))]
        crowd = np.searchsorted(ordered, shown + width) - np.searchsorted(ordered, shown - width)
        rarest, likeliest = shown[np.argmin(crowd)], _likeliest(ordered, shown, delta)
        single = (nearest, shown.mean(), np.median(shown), rarest, likeliest)
        guesses += [[float(guess)] * len(PRECISIONS) for guess in single]
    else:  # nothing to go by
        guesses *= len(STRATEGIES)
    return [
        [float(abs(round(guess) - true) <= width) for guess, width in zip(each, widths(values), strict=True)]
        for each in guesses
    ]


def _likeliest(values: Floats, shown: Floats, delta: float) -> float:
    """The value under which the shown ones are likeliest if the noise is the paper's: Laplace, by how usual it is."""
    span = values[-1] - values[0]
    if span <= 0:
        return float(values[0])
    within = np.searchsorted(values, values + 0.1 * span, side="right") - np.searchsorted(values, values - 0.1 * span)
    eps = np.minimum(epsilon(within / len(values), delta), 50.0)
    scale = span / eps * len(shown)
    log_likelihood = -np.abs(shown[None, :] - values[:, None]).sum(axis=1) / scale - len(shown) * np.log(scale)
    return float(values[np.argmax(log_likelihood)])


_IN_WORDS = (
    ("to 10 %", "to within 10 % of the range"),
    ("to 1 %", "to within 1 % of the range"),
    ("exactly", "exactly"),
)

for _common, _group in ((True, "common"), (False, "rare")):
    for _precision, (_short, _long) in zip(PRECISIONS, _IN_WORDS, strict=True):
        _usual = _common and _precision == PRECISIONS[0]
        ATTACKS.add(
            DurationGuess(
                f"time {_short} ({_group})",
                rank=300 + 50 * (not _common) + 10 * PRECISIONS.index(_precision),
                kind="time",
                question=f"how long did a particular person take for a {_group} step, {_long}?",
                secret=Secret.USUAL_TIME if _usual else Secret.ANY_TIME,
                precision=_precision,
                common=_common,
            )
        )
