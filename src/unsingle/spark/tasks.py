"""The tasks on partitions of a log: each is a function from batches to batches, for `mapInArrow`.

A task draws its randomness from a stream that is named by its partition and by nothing else: if Spark runs the task
again, on whatever executor, the result is the same. Rows that come out of a shuffle are sorted first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..core.arrays import Flags, Ints, offsets_of, pieces, runs
from ..core.automaton import Automaton
from ..core.clock import Grid
from ..core.log import EventLog
from ..errors import LogError
from ..mechanisms.groups import Population, group_keys
from ..mechanisms.sketches import MOST_RUNS, STARTS, GroupSketches, Sketch, groups_of, sketch_keys
from ..mechanisms.timeline import Timeline
from ..methods.base import TwoStage
from ..privacy.random import Randomness
from .partitions import Batches, Partition, batch, cells, code_type, flat_cells, unpacked

PATHS = "path binary, cases long"
SKETCHES = "shard long, key binary, low binary, high binary, total binary, count binary"
SHARES = "shard long, name binary, variant binary, cases binary"
CHOSEN = "name binary, variant long, rank long"
RELEASED = "id binary, activity binary, time binary"

_AT_ONCE = 10_000_000  # released events in one batch: cells of bytes have offsets of 32 bits
_SKETCH_TYPES = {"key": np.int64, "low": np.int64, "high": np.int64, "total": np.float64, "count": np.int64}


@dataclass(frozen=True)
class PartitionedLog:
    """What is known of the whole log once it is partitioned, and the method that releases it; sent to every task."""

    labels: tuple[str, ...]
    grid: Grid
    midnight: int
    method: TwoStage
    shards: int
    """Into how many partitions variants and groups are shuffled to be merged."""

    @property
    def zone(self) -> str:
        """The zone of the log's clock."""
        return self.grid.zone

    def partitions(self, batches: Batches) -> Iterator[Partition]:
        """The partitions that a task is given."""
        return unpacked(batches, self.labels, self.zone)


class CountPaths:
    """Counts the cases of each distinct path of a partition."""

    def __init__(self, log: PartitionedLog) -> None:
        self._log = log

    def __call__(self, batches: Batches) -> Batches:
        """A row for each path of each partition."""
        for partition in self._log.partitions(batches):
            variants = partition.log.variants
            code = variants.path.astype(code_type(len(self._log.labels)))
            yield batch(PATHS, cells(code, variants.offsets), pa.array(variants.cases))


class ShareVariants:
    """Counts how many cases of each of the chosen variants a partition has."""

    def __init__(self, log: PartitionedLog, automaton: Automaton, chosen: Ints) -> None:
        self._log, self._automaton, self._chosen = log, automaton, chosen

    def __call__(self, batches: Batches) -> Batches:
        """For each partition a row for each shard of the variants."""
        for partition in self._log.partitions(batches):
            variants = partition.log.variants
            number = self._automaton.reading(variants).numbers(variants)
            asked = is_among(self._chosen, number)
            number, cases = number[asked], variants.cases[asked]
            if len(number):
                shards, (number, cases), offsets = sharded(number % self._log.shards, number, cases)
                names = [partition.name] * len(shards)
                yield batch(SHARES, shards, names, cells(number, offsets), cells(cases, offsets))


class LocateCopies:
    """Finds the partition of each case that is copied, and which of the variant's cases there it is."""

    def __init__(self, variant: Ints, rank: Ints) -> None:
        self._variant, self._rank = variant, rank

    def __call__(self, batches: Batches) -> Batches:
        """A row for each copy of a case whose variant belongs to this shard."""
        parts = list(batches)
        if not sum(part.num_rows for part in parts):
            return
        table = pa.Table.from_batches(parts).sort_by("name")
        variant, offsets = flat_cells(table["variant"], np.int64)
        cases, _ = flat_cells(table["cases"], np.int64)
        row = np.repeat(np.arange(table.num_rows), np.diff(offsets))
        order = np.argsort(variant, kind="stable")  # within a variant, by the name of the partition
        upto, first = offsets_of(cases[order]), runs(variant[order])
        here = variant[order][first[:-1]]
        wanted = is_among(here, self._variant)
        of, rank = self._variant[wanted], self._rank[wanted]
        place = upto[first[np.searchsorted(here, of)]] + rank
        found = np.searchsorted(upto, place, side="right") - 1
        names = table["name"].take(pa.array(row[order[found]])).combine_chunks()
        yield batch(CHOSEN, names, of, place - upto[found])


def is_among(known: Ints, asked: Ints) -> Flags:
    """Which of these are among the known, which are sorted and not below 0."""
    return np.append(known, -1)[np.searchsorted(known, asked)] == asked


class PartitionTimeline(Timeline):
    """The times of one partition; its groups are those of the whole log, known by their sketches."""

    def __init__(self, log: PartitionedLog, partition: Partition, sketches: GroupSketches | None = None) -> None:
        super().__init__(partition.log, log.grid, log.method.base, log.midnight)
        self._sketches = sketches

    def populations(self, automaton: Automaton) -> Iterator[Population]:
        """The values of the partition among all values of the log, one level of the ladder after the other."""
        assert self._sketches is not None
        if len(self.values):
            for level, groups in enumerate(group_keys(self.steps(automaton))):
                yield self._sketches.population(level, groups, self.values)

    def start_population(self) -> Population:
        """The starts of the partition among all starts of the log."""
        assert self._sketches is not None
        return self._sketches.population(STARTS, np.zeros(len(self.starts), dtype=np.int64), self.starts)

    def sketch(self, automaton: Automaton, chosen: Ints) -> Sketch:
        """The sketch of all starts, and of the values of the chosen groups."""
        starts = sketch_keys(STARTS, np.zeros(len(self.starts), dtype=np.int64))
        parts = [Sketch.of(starts, self.starts)]
        for level, groups in enumerate(group_keys(self.steps(automaton))):
            keys = sketch_keys(level, groups)
            asked = is_among(chosen, keys)
            parts.append(Sketch.of(keys[asked], self.values[asked]))
        return Sketch.merged(parts)


class SketchGroups:
    """Sketches the chosen groups of a partition."""

    def __init__(self, log: PartitionedLog, automaton: Automaton, chosen: Ints, most_runs: int = MOST_RUNS) -> None:
        self._log, self._automaton, self._chosen, self._most_runs = log, automaton, chosen, most_runs

    def __call__(self, batches: Batches) -> Batches:
        """For each partition a row for each shard of the groups."""
        for partition in self._log.partitions(batches):
            automaton = self._automaton.reading(partition.log.variants)
            sketch = PartitionTimeline(self._log, partition).sketch(automaton, self._chosen)
            yield sketch_rows(sketch.shortened(self._most_runs), self._log.shards)


class MergeSketches:
    """Merges the sketches that all partitions made of the groups of one shard."""

    def __init__(self, shards: int, most_runs: int = MOST_RUNS) -> None:
        self._shards, self._most_runs = shards, most_runs

    def __call__(self, batches: Batches) -> Batches:
        """Rows of the same kind, with each group in one of them."""
        parts = list(batches)
        if sum(part.num_rows for part in parts):
            sketch = Sketch.merged([sketch_of(pa.Table.from_batches(parts))])
            yield sketch_rows(sketch.shortened(self._most_runs), self._shards)


def sketch_rows(sketch: Sketch, shards: int) -> pa.RecordBatch:
    """A sketch as a row for each shard of its groups."""
    columns = [getattr(sketch, name).astype(kind) for name, kind in _SKETCH_TYPES.items()]
    shard, columns, offsets = sharded(groups_of(sketch.key) % shards, *columns)
    return batch(SKETCHES, shard, *(cells(column, offsets) for column in columns))


def sketch_of(rows: pa.Table) -> Sketch:
    """The runs of all rows, in the order of the rows."""
    return Sketch(*(flat_cells(rows[name], kind)[0] for name, kind in _SKETCH_TYPES.items()))


def sharded(shard: Ints, *columns: NDArray[Any]) -> tuple[Ints, list[NDArray[Any]], Ints]:
    """The distinct shards, the columns sorted by shard, and the offsets of the shards in them."""
    order = np.argsort(shard, kind="stable")
    offsets = runs(shard[order])
    return shard[order][offsets[:-1]], [column[order] for column in columns], offsets


Copies = Mapping[bytes, tuple[Ints, Ints]]
"""The cases of each partition, by its name, that are copied: their variants, and which of the variant's cases."""


class ReleasePartitions:
    """Releases partitions: their cases and the copies that are added to them, with new ids and new times.

    `copies` names every partition. A partition that it does not name was made of other events than when the copies were
    chosen, and is refused.
    """

    def __init__(
        self, log: PartitionedLog, automaton: Automaton, sketches: GroupSketches, copies: Copies, key: bytes
    ) -> None:
        self._log, self._automaton, self._sketches, self._copies, self._key = log, automaton, sketches, copies, key

    def __call__(self, batches: Batches) -> Batches:
        """A row for each released case."""
        for partition in self._log.partitions(batches):
            random = Randomness.named(self._key, "piece", partition.name)
            timeline = PartitionTimeline(self._log, partition, self._sketches)
            automaton = self._automaton.reading(partition.log.variants)
            added = self._added(partition, automaton)
            released = self._log.method.released(timeline, automaton, added, random).log
            for cases in pieces(released.case_offsets, _AT_ONCE):
                yield self._rows(released, cases, random)

    def _added(self, partition: Partition, automaton: Automaton) -> Ints:
        """The cases of the partition that are copied once more."""
        if partition.name not in self._copies:
            raise LogError(
                "the log changed while it was read: give a frame that has the same rows whenever it is computed, and "
                "an order for events at the same time"
            )
        variant, rank = self._copies[partition.name]
        variants = partition.log.variants
        number = automaton.numbers(variants)
        by_number = np.argsort(number)
        local = by_number[np.searchsorted(number[by_number], variant)]
        by_variant = np.argsort(variants.of_case, kind="stable")
        return by_variant[offsets_of(variants.cases)[local] + rank]

    def _rows(self, released: EventLog, cases: slice, random: Randomness) -> pa.RecordBatch:
        labels = self._log.labels
        number = {label: i for i, label in enumerate(labels)}
        code = np.array([number[label] for label in released.labels], dtype=code_type(len(labels)))
        offsets = released.case_offsets[cases.start : cases.stop + 1]
        some = slice(int(offsets[0]), int(offsets[-1]))
        n_cases, offsets = len(offsets) - 1, offsets - offsets[0]
        columns = (cells(flat, offsets) for flat in (code[released.activity[some]], released.time[some]))
        return batch(RELEASED, _random_ids(n_cases, random), *columns)


def _random_ids(n_cases: int, random: Randomness) -> pa.Array:
    """Released ids of 128 random bits each: no task knows how many cases others have, so none can number them."""
    return cells(random.words(2 * n_cases), 2 * np.arange(n_cases + 1))
