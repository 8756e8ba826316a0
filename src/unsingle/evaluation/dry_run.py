"""A dry run: what a release would publish and leave out, promise and keep, before anything is published. Private."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.columns import Field, Kind
from ..core.log import EventLog
from ..formats.schema import column_name
from ..methods import DEFAULT, Method
from ..progress import MEASURE, Progress
from ..release import anonymize, method_of
from .checks import Concern, checked, personal
from .checks.base import OF_LABELS, cases_with_label
from .figures import measure
from .remarks import remarks
from .sources import LogSource, as_log
from .tables import Tabular


@dataclass(frozen=True)
class LabelToPublish:
    """An activity that a release may publish: in how many cases and events it is, and what it looks like, if personal.

    The counts are true ones: they are private.
    """

    activity: str
    cases: int
    events: int
    looks_like: str = ""


@dataclass(frozen=True)
class ColumnToPublish:
    """A kept column: what its values are, how many different texts it has, and how they are published."""

    column: str
    kind: str
    texts: int
    published: str


@dataclass(frozen=True)
class DryRun(Tabular):
    """What a release would publish, leave out, promise and keep. Private: it shows the truth of the log.

    `labels` are all activities that may be published, those that look personal first. `predicted` is how one trial
    release, which is thrown away, compares with the log, as title and text. `concerns` is what the checks found, and
    `remarks` what the release would mean for people in the log.
    """

    method: str
    delta: float
    cases: int
    events: int
    variants: int
    mean_case: float
    longest_case: int
    labels: tuple[LabelToPublish, ...]
    kept: tuple[ColumnToPublish, ...]
    left_out: tuple[str, ...]
    guarantee: str
    warnings: tuple[str, ...]
    predicted: tuple[tuple[str, str], ...]
    concerns: tuple[Concern, ...]
    remarks: tuple[str, ...] = field(default=())

    @property
    def personal(self) -> bool:
        """Whether something that would be published looks personal."""
        return personal(self.concerns)

    @property
    def verdict(self) -> str:
        """The answer in two sentences."""
        if self.personal:
            marked = sum(bool(each.looks_like) for each in self.labels)
            what = f"{marked:,} of {len(self.labels):,} activities look" if marked else "Values of kept columns look"
            return (
                f"{what} personal and would be published. Correct them in the source, or take other columns; if they "
                "are harmless, go on."
            )
        return (
            "Nothing that would be published looks personal. Read the list of activities all the same: checks know the "
            "form of a label, not its meaning."
        )


def dry_run(
    log: LogSource,
    delta: float | None = None,
    *,
    method: str | Method = DEFAULT,
    seed: int | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> DryRun:
    """See what a release of a log would publish, promise and keep; takes what `anonymize` takes, and makes nothing.

    >>> from unsingle import synthesize
    >>> found = dry_run(synthesize(cases=100), delta=0.2)
    >>> found.personal, found.labels[0].looks_like
    (False, '')
    """
    progress = progress or Progress()
    log = as_log(log, progress)
    how = method_of(method, delta, parameters)
    trial = anonymize(log, method=how, seed=seed, progress=progress)
    progress.step(MEASURE)
    figures = measure(log, trial)
    concerns = checked(log, trial.method)
    lengths = np.diff(log.case_offsets)
    return DryRun(
        method=trial.method.name,
        delta=trial.delta,
        cases=log.n_cases,
        events=log.n_events,
        variants=log.variants.count,
        mean_case=float(lengths.mean()),
        longest_case=int(lengths.max()),
        labels=_labels(log, trial.method, concerns),
        kept=_kept(log, trial.method),
        left_out=log.source.left_out if log.source is not None else (),
        guarantee=str(trial.guarantee),
        warnings=(*trial.guarantee.warnings, *trial.guarantee.cautions),
        predicted=tuple(figures.rows()),
        concerns=concerns,
        remarks=remarks(trial, figures),
    )


def _labels(log: EventLog, method: Method, concerns: Sequence[Concern]) -> tuple[LabelToPublish, ...]:
    """All activities that may be published: those that look personal first, then the rarest."""
    like: dict[str, list[str]] = {}
    for each in concerns:
        if each.of == OF_LABELS:
            for label in each.texts:
                like.setdefault(label, []).append(each.looks_like)
    published = set(method.published_labels(log.labels))
    events = np.bincount(log.activity, minlength=len(log.labels))
    rows = [
        LabelToPublish(label, cases, n, " and ".join(dict.fromkeys(like.get(label, ()))))
        for label, cases, n in zip(log.labels, cases_with_label(log).tolist(), events.tolist(), strict=True)
        if label in published
    ]
    return tuple(sorted(rows, key=lambda row: (not row.looks_like, row.cases, row.activity)))


def _kept(log: EventLog, method: Method) -> tuple[ColumnToPublish, ...]:
    return tuple(
        ColumnToPublish(column_name(each.field), each.field.kind.value, len(each.texts), _published(each.field, method))
        for each in log.columns
        if not each.field.private
    )


def _published(column: Field, method: Method) -> str:
    if column.kind is not Kind.TEXT:
        return "drawn from noised tallies"
    if method.publishes(column):
        return "values that many people have, as they are"
    return "pseudonyms, or values that were given as public"
