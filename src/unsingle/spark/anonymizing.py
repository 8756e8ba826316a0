"""The paper's steps, in order, on frames of Spark."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..automaton import Automaton, build_automaton
from ..clock import GRIDS, ClockFacts, Grid
from ..errors import ParameterError, UnsingleError
from ..formats.columns import Wanted
from ..guarantee import Guarantee
from ..log import Columns, Paths
from ..methods import DEFAULT, METHODS, method_named
from ..methods.counts import events_with, random_ranks
from ..methods.steps import Steps
from ..options import Options, TimeFrom
from ..progress import Progress
from ..ragged import Ints, runs
from ..randomness import Randomness
from ..release import Size, checked_options, guarantee_of, public_summary
from .engine import functions, rows_of
from .events import Events, events_of
from .pieces import CASE, SCHEMA, Pack, code_type
from .planning import MOST_STEPS, paths_of, refuse_too_many_copies, too_many_variants, wanted_groups
from .staging import InFolder, OnExecutors, Staging
from .tasks import (
    CHOSEN,
    PATHS,
    RELEASED,
    RUNS,
    SHARES,
    CountPaths,
    Groups,
    LocateCopies,
    Log,
    MergeOutlines,
    OutlineGroups,
    ReleasePieces,
    ShareVariants,
    outline_of,
)
from .unfolding import EVENTS, Unfold

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EVENTS_IN_PIECE = 200_000
"""About how many events one piece has: a task needs some 100 bytes of memory for each."""

PIECES_IN_SHARD, MOST_SHARDS = 8, 256
"""Variants and groups are put together by a task for so many pieces, and by so many at the most."""

EVENTS_IN_PART = 1_000_000
"""About how many events one part of the release has."""


@dataclass(frozen=True)
class SparkRelease:
    """A release as a frame of Spark, with its guarantee.

    `frame` is computed when it is written or looked at, and it is the same however often that happens. `frame`,
    `guarantee` and `public()` may be published, `private` may not. `close` deletes what was kept of the original
    between the steps; `with` does so at its end. Write the frame before.
    """

    frame: DataFrame
    guarantee: Guarantee
    method: str
    options: Options
    size: Size
    private: dict[str, Any]
    columns: Columns
    cases: DataFrame = field(repr=False)
    log: Log = field(repr=False)
    staging: Staging = field(repr=False)

    @property
    def delta(self) -> float:
        """The most that the release may add to an attacker's chance, as it was asked for."""
        return self.options.delta

    @property
    def publishable(self) -> bool:
        """Whether nothing forbids publication."""
        return self.guarantee.publishable

    def public(self) -> dict[str, Any]:
        """What may be published beside the release."""
        return public_summary(self.method, self.options, self.guarantee, self.size)

    def to_dict(self) -> dict[str, Any]:
        """Everything that is known, with a list of the keys that must stay private."""
        return {**self.public(), **self.private, "private_keys": sorted(self.private)}

    def with_seconds(self, seconds: dict[str, float]) -> SparkRelease:
        """The same release, with the time that all steps took."""
        return replace(self, private={**self.private, "seconds": seconds})

    def close(self) -> None:
        """Delete what was kept of the original between the steps."""
        self.staging.close()

    def __enter__(self) -> SparkRelease:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def anonymize(
    frame: DataFrame,
    delta: float = 0.2,
    *,
    method: str = DEFAULT,
    time_from: TimeFrom | None = None,
    precision: float | str = 0.1,
    grid: str | None = None,
    case: str | None = None,
    activity: str | None = None,
    time: str | None = None,
    lifecycle: str | None = None,
    timezone: str | None = None,
    time_format: str | None = None,
    allow_line_ends: bool = False,
    order: str | None = None,
    scratch: str | None = None,
    most_steps: int = MOST_STEPS,
    seed: int | None = None,
    progress: Progress | None = None,
) -> SparkRelease:
    """Make a release of a frame of events.

    Args:
        frame: the original, with a row for each event.
        delta: the most that the release may add to an attacker's chance of a right guess, between 0 and 1.
        method: ``amun``, which must be said: the others, the default among them, do not run on Spark yet.
        time_from: noise the time since the ``previous`` event (the default) or since the ``start`` of the case.
        precision: how near a guess must come to count: a share of the group's range, or a duration (``"10min"``).
        grid: ``day``, ``hour``, ``minute``, ``second`` or ``millisecond``; by default the log's own.
        case: the column of case ids; by default the XES name, then the usual ones.
        activity: the column of activities, or a combination such as ``concept:name+lifecycle:transition``.
        time: the column of times.
        lifecycle: keep only events of this lifecycle transition, such as ``complete``.
        timezone: the zone of the log's clock, and of times that are written without one (else UTC).
        time_format: how times are written, if they are text.
        allow_line_ends: take activities with line ends in them, which are refused otherwise.
        order: a column of whole numbers that says which of two events of a case at the same time came first; by default
            the one that stands first in its file.
        scratch: a folder that all executors can reach, for what is kept between the steps; by default the executors'
            own disks. It is private, and emptied by `SparkRelease.close`.
        most_steps: steps that all distinct variants may have together, because they must fit the driver's memory.
        seed: make the run repeatable on the same engine. Not for publication.
        progress: told of each step.

    """
    options = checked_options(delta, method, time_from, precision, grid)
    steps = steps_of(method)
    progress = progress or Progress()
    progress.step("read")
    random = Randomness(seed)
    wanted = Wanted(case, activity, time, lifecycle, timezone, time_format, allow_line_ends=allow_line_ends)
    events = events_of(frame, wanted, order)
    staging: Staging = OnExecutors() if scratch is None else InFolder(scratch)
    try:
        log, pieces = _packed(events, method, options, timezone or "UTC", time_format, staging)
        progress.step("automaton")
        paths = _counted_paths(pieces, log, most_steps, staging)
        automaton = build_automaton(paths)
        sent = automaton.without_paths()
        progress.step("counts")
        added = steps.added_to_variants(paths, automaton, options, random)
        refuse_too_many_copies(int(added.sum()))
        copies = _located(pieces, log, paths, automaton, sent, added, random)
        progress.step("times")
        groups = _grouped(pieces, log, paths, automaton, sent)
        cases = pieces.mapInArrow(ReleasePieces(log, sent, groups, copies, random.key()), RELEASED)
    except BaseException as error:
        try:
            staging.close()
        except UnsingleError as left:
            error.add_note(str(left))
        raise
    size = Size(int((paths.cases + added).sum()), events_with(paths, added), paths.count)
    cases = cases.repartition(max(1, size.events // EVENTS_IN_PART), "id")  # by new ids, which are random
    private = {
        "cases_in": int(paths.cases.sum()),
        "events_in": events.total,
        "oversampling_ratio": size.cases / int(paths.cases.sum()),
        "seconds": progress.seconds(),
    }
    released = cases.mapInArrow(Unfold(log.labels, log.zone), EVENTS)
    guarantee = guarantee_of(method, options, seed)
    return SparkRelease(released, guarantee, method, options, size, private, events.columns, cases, log, staging)


def steps_of(method: str) -> Steps:
    """The steps of a method that runs on Spark; of another, say which ones do."""
    steps = method_named(method).steps
    if steps is None:
        able = " or ".join(f"--method {name}" for name, each in METHODS.items() if each.steps is not None)
        raise ParameterError(f"{method} does not run on Spark yet: choose {able}, or leave Spark out")
    return steps


def _packed(
    events: Events, method: str, options: Options, zone: str, time_format: str | None, staging: Staging
) -> tuple[Log, DataFrame]:
    """The log in pieces of whole cases, and what they say of it together."""
    f = functions()
    n_pieces = max(1, round(events.total / EVENTS_IN_PIECE))
    packing = Pack(events.labels, zone, time_format)
    pieces = staging.keep(events.frame.repartition(n_pieces, CASE).mapInArrow(packing, SCHEMA), "pieces")
    facts = rows_of(
        pieces.agg(
            *(f.min(name).alias(name) for name in ("first_start", "step", "earliest")), f.max("latest").alias("latest")
        )
    ).to_pylist()[0]
    clock = ClockFacts(zone, facts["step"], facts["earliest"], facts["latest"], events.total)
    grid = clock.grid if options.grid is None else Grid(GRIDS[options.grid], zone)
    midnight = grid.midnight(int(grid.ticks(np.array([facts["first_start"]]))[0]))
    shards = min(1 + n_pieces // PIECES_IN_SHARD, MOST_SHARDS)
    return Log(events.labels, zone, grid, midnight, method, options, shards), pieces


def _counted_paths(pieces: DataFrame, log: Log, most_steps: int, staging: Staging) -> Paths:
    """The distinct paths of the log, on the driver, unless they are too many for it."""
    f = functions()
    counted = pieces.mapInArrow(CountPaths(log), PATHS).groupBy("path").agg(f.sum("cases").alias("cases"))
    counted = staging.keep(counted, "paths")
    size = rows_of(counted.agg(f.sum(f.length("path")).alias("bytes")))["bytes"].to_pylist()[0]
    if size > most_steps * code_type(len(log.labels)).itemsize:
        raise too_many_variants(most_steps)
    return paths_of(rows_of(counted), len(log.labels))


def _located(
    pieces: DataFrame, log: Log, paths: Paths, automaton: Automaton, sent: Automaton, added: Ints, random: Randomness
) -> dict[bytes, tuple[Ints, Ints]]:
    """Which cases of which pieces are copied once more: random ones of each variant that cases are added to.

    As if the cases of a variant were numbered from piece to piece, so the largest variant is no burden to anyone.
    """
    rank, variant = random_ranks(paths, added, random), np.repeat(automaton.numbers(paths), added)
    shares = pieces.mapInArrow(ShareVariants(log, sent, np.unique(variant)), SHARES).repartition(log.shards, "shard")
    found = rows_of(shares.mapInArrow(LocateCopies(variant, rank), CHOSEN))
    names = found["piece"].combine_chunks().dictionary_encode()
    piece, variant, rank = names.indices.to_numpy(), found["variant"].to_numpy(), found["rank"].to_numpy()
    order = np.lexsort((rank, variant, piece))  # rows come in any order
    edges = runs(piece[order])
    cuts = zip(names.dictionary.to_pylist(), edges[:-1], edges[1:], strict=True)  # pieces are numbered in that order
    copies = {name: (variant[order[first:after]], rank[order[first:after]]) for name, first, after in cuts}
    none = np.empty(0, dtype=np.int64)
    return {name: copies.get(name, (none, none)) for name in rows_of(pieces.select("piece"))["piece"].to_pylist()}


def _grouped(pieces: DataFrame, log: Log, paths: Paths, automaton: Automaton, sent: Automaton) -> Groups:
    """The outlines of all groups that times are looked up in: made in each piece, put together by shards of groups."""
    wanted = wanted_groups(paths, automaton, len(log.labels))
    parts = pieces.mapInArrow(OutlineGroups(log, sent, wanted.keys, wanted.most_runs), RUNS)
    whole = parts.repartition(log.shards, "shard").mapInArrow(MergeOutlines(log.shards, wanted.most_runs), RUNS)
    outline = outline_of(rows_of(whole))
    order = np.argsort(outline.key, kind="stable")  # each group is in one row, in order
    return Groups.of(outline.where(order))
