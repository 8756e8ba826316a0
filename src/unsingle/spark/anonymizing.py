"""The steps of a method with two stages, in order, on Spark frames."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.automaton import Automaton, build_automaton
from ..core.clock import GRIDS, ClockFacts, Grid
from ..core.log import Paths, SourceColumns
from ..errors import ParameterError, UnsingleError
from ..formats.wanted import Wanted
from ..mechanisms.oversampling import events_with, random_ranks
from ..mechanisms.sketches import GroupSketches
from ..methods import DEFAULT, Method, on_spark
from ..methods.base import TwoStage
from ..methods.paper import AUTOMATON_STEP, COUNTS_STEP, TIMES_STEP
from ..privacy.guarantee import Guarantee
from ..privacy.random import Randomness
from ..progress import READ, Progress
from ..records.facts import ReleaseFacts
from ..release import Published, Size, guarantee_of, method_of
from .events import Events, events_of
from .output import EVENTS, EventRows
from .partitions import CASE, SCHEMA, Pack, code_type
from .planning import MOST_STEPS, copies_by_partition, paths_of, refuse_too_many_copies, sketch_plan, too_many_variants
from .session import functions, rows_of
from .staging import InFolder, OnExecutors, Staging
from .tasks import (
    CHOSEN,
    PATHS,
    RELEASED,
    SHARES,
    SKETCHES,
    Copies,
    CountPaths,
    LocateCopies,
    MergeSketches,
    PartitionedLog,
    ReleasePartitions,
    ShareVariants,
    SketchGroups,
    sketch_of,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EVENTS_IN_PARTITION = 200_000
"""About how many events a partition of the log has: its task needs some 100 bytes of memory for each."""

PARTITIONS_IN_SHARD, MOST_SHARDS = 8, 256
"""One task merges the variants and groups of so many partitions; there are never more than so many such tasks."""

EVENTS_IN_PART = 1_000_000
"""About how many events one part of the release has."""


@dataclass(frozen=True)
class SparkRelease(Published):
    """A release as a Spark frame, with its guarantee.

    `frame` is computed whenever it is written or looked at, each time with the same result. `frame`, `guarantee`,
    `method` and `public()` may be published, `private` may not. `close`, which `with` calls at its end, deletes what is
    kept of the original: write the frame before.
    """

    frame: DataFrame
    guarantee: Guarantee
    method: TwoStage
    size: Size
    private: dict[str, Any]
    columns: SourceColumns
    cases: DataFrame = field(repr=False)
    log: PartitionedLog = field(repr=False)
    staging: Staging = field(repr=False)

    @property
    def facts(self) -> ReleaseFacts:
        """What the release says of itself; its content has no digest, because no machine sees all of it."""
        known = ReleaseFacts.of(self.method, self.guarantee, None, None)
        return replace(known, labels=tuple(sorted(self.log.labels)))

    def to_dict(self) -> dict[str, Any]:
        """Everything that is known, with a list of the keys that must stay private."""
        return {**self.public(), **self.private, "private_keys": sorted(self.private)}

    def with_seconds(self, seconds: dict[str, float]) -> SparkRelease:
        """The same release, with the time that all steps took."""
        return replace(self, private={**self.private, "seconds": seconds})

    def close(self) -> None:
        """Delete what is kept of the original between the steps."""
        self.staging.close()

    def __enter__(self) -> SparkRelease:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def anonymize(
    frame: DataFrame,
    delta: float | None = None,
    *,
    method: str | Method = DEFAULT,
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
    **parameters: Any,
) -> SparkRelease:
    """Make a release of a frame of events.

    Args:
        frame: the original, with a row for each event.
        delta: the most that the release may add to an attacker's chance of a right guess, between 0 and 1;
            0.2 by default.
        method: ``amun``, or that method with its parameters. It must be named: the default of `unsingle.anonymize` does
            not run on Spark yet.
        case: the column of case ids; by default the XES name, then the usual ones.
        activity: the column of activities, or a combination such as ``concept:name+lifecycle:transition``.
        time: the column of times.
        lifecycle: keep only events of this lifecycle transition, such as ``complete``.
        timezone: the zone of the log's clock, and of times that are written without one (else UTC).
        time_format: how times are written, if they are text.
        allow_line_ends: take activities with line ends in them, which are refused otherwise.
        order: a column of whole numbers that orders the events of a case at the same time; by default they keep the
            order of their file.
        scratch: a folder that all executors can reach, for what is kept between the steps; by default the executors'
            own disks. It is private, and emptied by `SparkRelease.close`.
        most_steps: steps that all distinct variants may have together, because they must fit the driver's memory.
        seed: make the run repeatable on the same Spark. Not for publication.
        progress: told of each step.
        parameters: what the method takes besides: ``grid``, ``time_from``, ``precision``. One that it does not take is
            an error.

    """
    how = runnable(method_of(method, delta, parameters))
    progress = progress or Progress()
    progress.step(READ)
    wanted = Wanted(case, activity, time, lifecycle, timezone, time_format, allow_line_ends=allow_line_ends)
    events = events_of(frame, wanted, order)
    random = Randomness(seed)
    staging: Staging = OnExecutors() if scratch is None else InFolder(scratch)
    with _closed_on_failure(staging):
        partitions = _partitioned(events, how, wanted, staging)
        progress.step(AUTOMATON_STEP)
        variants = _counted_variants(partitions, most_steps, staging)
        progress.step(COUNTS_STEP)
        added = how.added_to_variants(variants.paths, variants.automaton, random)
        refuse_too_many_copies(int(added.sum()))
        copies = _located_copies(partitions, variants, added, random)
        progress.step(TIMES_STEP)
        sketches = _group_sketches(partitions, variants)
        task = ReleasePartitions(partitions.log, variants.sent, sketches, copies, random.key())
        cases = partitions.frame.mapInArrow(task, RELEASED)
    size = variants.size_with(added)
    cases = cases.repartition(max(1, size.events // EVENTS_IN_PART), "id")  # by the new ids, which are random
    private = {
        "cases_in": variants.n_cases,
        "events_in": events.total,
        "oversampling_ratio": size.cases / variants.n_cases,
        "seconds": progress.seconds(),
    }
    log = partitions.log
    released = cases.mapInArrow(EventRows(log.labels, log.zone), EVENTS)
    return SparkRelease(released, guarantee_of(how, seed), how, size, private, events.columns, cases, log, staging)


def runnable(method: Method) -> TwoStage:
    """The same method if it runs on Spark; raises `ParameterError` that says which methods do."""
    if isinstance(method, TwoStage):
        return method
    able = " or ".join(on_spark())
    raise ParameterError(f"{method.name} does not run on Spark yet: choose another method ({able}), or leave Spark out")


@contextlib.contextmanager
def _closed_on_failure(staging: Staging) -> Iterator[None]:
    """Delete what is kept of the original if a step fails; if even that fails, the error says what is left."""
    try:
        yield
    except BaseException as error:
        try:
            staging.close()
        except UnsingleError as left:
            error.add_note(str(left))
        raise


class _Partitions(NamedTuple):
    """The log in partitions of whole cases, each packed into one row."""

    log: PartitionedLog
    frame: DataFrame


class _Variants(NamedTuple):
    """The distinct paths of the log, and their automaton; `sent` is the automaton as tasks get it."""

    paths: Paths
    automaton: Automaton
    sent: Automaton

    @property
    def n_cases(self) -> int:
        """How many cases the log has."""
        return int(self.paths.cases.sum())

    def size_with(self, added: Ints) -> Size:
        """The size of a release with so many cases added to each variant."""
        return Size(self.n_cases + int(added.sum()), events_with(self.paths, added), self.paths.count)


def _partitioned(events: Events, method: TwoStage, wanted: Wanted, staging: Staging) -> _Partitions:
    """Shuffle the log into partitions of whole cases, and find the facts that all tasks need."""
    f = functions()
    zone = wanted.timezone or "UTC"
    n_partitions = max(1, round(events.total / EVENTS_IN_PARTITION))
    packing = Pack(events.labels, zone, wanted.time_format)
    frame = staging.keep(events.frame.repartition(n_partitions, CASE).mapInArrow(packing, SCHEMA), "partitions")
    facts = rows_of(
        frame.agg(
            *(f.min(name).alias(name) for name in ("first_start", "step", "earliest")), f.max("latest").alias("latest")
        )
    ).to_pylist()[0]
    clock = ClockFacts(zone, facts["step"], facts["earliest"], facts["latest"], events.total)
    grid = clock.grid if method.grid is None else Grid(GRIDS[method.grid], zone)
    midnight = grid.midnight(int(grid.ticks(np.array([facts["first_start"]]))[0]))
    shards = min(1 + n_partitions // PARTITIONS_IN_SHARD, MOST_SHARDS)
    return _Partitions(PartitionedLog(events.labels, grid, midnight, method, shards), frame)


def _counted_variants(partitions: _Partitions, most_steps: int, staging: Staging) -> _Variants:
    """The variants of the log, on the driver; refused if they do not fit its memory."""
    f = functions()
    log, frame = partitions
    counted = frame.mapInArrow(CountPaths(log), PATHS).groupBy("path").agg(f.sum("cases").alias("cases"))
    counted = staging.keep(counted, "paths")
    size = rows_of(counted.agg(f.sum(f.length("path")).alias("bytes")))["bytes"].to_pylist()[0]
    if size > most_steps * code_type(len(log.labels)).itemsize:
        raise too_many_variants(most_steps)
    paths = paths_of(rows_of(counted), len(log.labels))
    automaton = build_automaton(paths)
    return _Variants(paths, automaton, automaton.without_paths())


def _located_copies(partitions: _Partitions, variants: _Variants, added: Ints, random: Randomness) -> Copies:
    """Which cases of which partitions are copied: random cases of each variant that cases are added to.

    The cases of a variant are numbered through all partitions by counts alone, so not even the largest variant is ever
    brought together.
    """
    log, frame = partitions
    rank = random_ranks(variants.paths, added, random)
    variant = np.repeat(variants.automaton.numbers(variants.paths), added)
    shares = frame.mapInArrow(ShareVariants(log, variants.sent, np.unique(variant)), SHARES)
    found = rows_of(shares.repartition(log.shards, "shard").mapInArrow(LocateCopies(variant, rank), CHOSEN))
    everyone = rows_of(frame.select("name"))["name"].to_pylist()
    none = np.empty(0, dtype=np.int64)
    return {**dict.fromkeys(everyone, (none, none)), **copies_by_partition(found)}


def _group_sketches(partitions: _Partitions, variants: _Variants) -> GroupSketches:
    """Sketches of all groups that times are looked up in: made in each partition, merged by shards of groups."""
    log, frame = partitions
    plan = sketch_plan(log, variants.paths, variants.automaton)
    parts = frame.mapInArrow(SketchGroups(log, variants.sent, plan.keys, plan.most_runs), SKETCHES)
    merging = MergeSketches(log.shards, plan.most_runs)
    return GroupSketches(sketch_of(rows_of(parts.repartition(log.shards, "shard").mapInArrow(merging, SKETCHES))))
