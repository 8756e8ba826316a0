"""What each kept column costs the others: releases with all of them, with one left out, and with none, measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.wording import percent
from .measures.base import measured
from .measures.of_columns import ColumnMeasure, losses
from .measures.step_durations import TIME_DISTANCE
from .trials import Columns, Runs, Ticks, Trial, mean_or_nan, tried
from .units import HOURS
from .wasserstein import Distance


@dataclass(frozen=True)
class ColumnCost:
    """How far times and columns are off in a release that keeps these columns: means over the runs.

    `columns` has what each kept column is off by; not a number if nothing was left of the log in any run.
    """

    method: str
    delta: float
    kept: tuple[str, ...]
    left_out: tuple[str, ...]
    time_distance_hours: float
    time_distance_share: float
    columns: Mapping[str, float]

    @property
    def name(self) -> str:
        """What is kept, in words."""
        if not self.left_out:
            return "all columns"
        return f"without {self.left_out[0]}" if self.kept else "no columns"

    def cells(self, columns: Sequence[str]) -> list[str]:
        """Times and these columns as text; a column that is left out is a dash."""
        times = [HOURS.text(self.time_distance_hours), percent(self.time_distance_share)]
        return [*times, *(percent(self.columns.get(name, float("nan"))) for name in columns)]

    def to_dict(self) -> dict[str, Any]:
        """Everything as one plain dictionary."""
        return {**vars(self), "kept": list(self.kept), "left_out": list(self.left_out), "columns": dict(self.columns)}


def column_choices(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Which columns are kept in turn: all, all but one, none.

    >>> column_choices(["a", "b"]), column_choices(["a"])
    ([('a', 'b'), ('b',), ('a',), ()], [('a',), ()])
    """
    all_but_one = [tuple(name for name in names if name != left) for left in names]
    return list(dict.fromkeys([tuple(names), *all_but_one, ()]))


def column_costs(
    columns: Columns, names: Sequence[str], setting: tuple[str, float], runs: Runs, ticks: Ticks
) -> tuple[ColumnCost, ...]:
    """Measure releases by one method at one delta with some of these columns."""
    choices = column_choices(names)
    groups = [runs.of(columns.only(kept), *setting) for kept in choices]
    found = zip(choices, tried(groups, _measured, ticks), strict=True)
    return tuple(_cost(setting, kept, names, [each for each in those if each is not None]) for kept, those in found)


def _measured(trial: Trial) -> dict[str, Any] | None:
    """Times and columns of one release; None if nothing is left of the log."""
    context = trial.context()
    if context is None:
        return None
    return measured(context, lambda each: each is TIME_DISTANCE or (isinstance(each, ColumnMeasure) and each.main))


def _cost(
    setting: tuple[str, float], kept: tuple[str, ...], names: Sequence[str], found: Sequence[dict[str, Any]]
) -> ColumnCost:
    distances: list[Distance] = [each[TIME_DISTANCE.name] for each in found]
    lost = [losses(each) for each in found]
    return ColumnCost(
        *setting,
        kept=kept,
        left_out=tuple(name for name in names if name not in kept),
        time_distance_hours=mean_or_nan([each.hours for each in distances]),
        time_distance_share=mean_or_nan([each.share_of_mean for each in distances]),
        columns={name: mean_or_nan([each[name] for each in lost if name in each]) for name in kept},
    )
